import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import pippin

/// `pippin agent`: what says who the bot is.
@Suite struct AgentCommandTests {
    private static let origin = "https://bot.test"
    private static let directory = origin + CrawlConfiguration.Agent.Signing.directoryPath

    private func rights(_ url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test(.slow) func `init makes a key, a directory and a page, once`() async throws {
        let folder = try ScratchFolder()
        let line =
            "umask 000; pippin agent init --site https://bot.example.org --product ExampleBot "
            + "--contact https://bot.example.org/ --address 192.0.2.0/28 --purpose 'It reads <pies>.' agent"
        let run = try await PippinProcess.run(line, in: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        let keys = folder.url.appending(path: "agent/keys")
        #expect(try rights(keys) == 0o700)
        #expect(try rights(keys.appending(path: "1.pem")) == 0o600)
        let key = try SigningKey(contentsOf: keys.appending(path: "1.pem").path)
        let site = folder.url.appending(path: "agent/site")
        let document = try Data(contentsOf: site.appending(path: ".well-known/http-message-signatures-directory"))
        #expect(try KeyDirectory(json: Array(document)).entries == [.init(key.publicKey)])
        let page = try String(contentsOf: site.appending(path: "index.html"), encoding: .utf8)
        for text in [
            "ExampleBot", "User-agent: ExampleBot\nDisallow: /", "192.0.2.0/28", "It reads &lt;pies&gt;.",
            "https://bot.example.org/.well-known/http-message-signatures-directory", key.publicKey.thumbprint,
            "robots.txt", "Applebot, Googlebot",
        ] {
            #expect(page.contains(text), "\(text)")
        }
        // The lines are a configuration as they are.
        let lines = try #require(run.output.firstRange(of: "agent:\n"))
        try folder.write(String(run.output[lines.lowerBound...]), to: "crawl-config.yaml")
        let job = try CrawlConfiguration(contentsOf: folder.url.appending(path: "crawl-config.yaml").path)
        #expect(try RequestSigner(job.agent) != nil)
        #expect(job.agent.product == "ExampleBot" && job.agent.contact == "https://bot.example.org/")
        #expect(page.contains("A valid signature proves that it was us.") && !page.contains("somebody else"))
        #expect(job.agent.signing?.directory.href.hasSuffix("/.well-known/http-message-signatures-directory") == true)
        let secret = try String(contentsOf: keys.appending(path: "1.pem"), encoding: .utf8).split(separator: "\n")[1]
        #expect(!run.output.contains(secret) && !run.errors.contains(secret) && !page.contains(secret))

        let again = try await PippinProcess.run(line, in: folder.url)
        #expect(again.status == 2 && again.errors.contains("pippin agent rotate adds the next one"))
        #expect(try SigningKey(contentsOf: keys.appending(path: "1.pem").path).publicKey == key.publicKey)
    }

    @Test(.slow) func `without a contact, the page that init makes is it`() async throws {
        let folder = try ScratchFolder()
        let run = try await PippinProcess.run(
            "unset PIPPIN_CONTACT; pippin agent init --site https://bot.example.org agent", in: folder.url)
        #expect(run.status == 0 && run.output.contains("contact: \"https://bot.example.org/\""), "\(run.output)")
        let page = try String(contentsOf: folder.url.appending(path: "agent/site/index.html"), encoding: .utf8)
        #expect(page.contains("; +https://bot.example.org/)"), "\(page)")
        #expect(page.contains("<a href=\"https://bot.example.org/\">"))
    }

    @Test(.slow) func `sign says where the URL of the directory comes from`() async throws {
        let folder = try ScratchFolder()
        let run = try await PippinProcess.run("pippin agent sign", in: folder.url)
        #expect(run.status == 2 && run.errors.contains("give --config crawl-config.yaml"), "\(run.errors)")
    }

    @Test func `a key that does not exist is named with its setting`() throws {
        var agent = CrawlConfiguration.Agent()
        let url = try #require(WebURL(Self.directory))
        agent.signing = CrawlConfiguration.Agent.Signing(keyPath: "/nowhere/bot.pem", directory: url)
        #expect {
            try RequestSigner(agent)
        } throws: { error in
            "\(error)" == "agent.signing_key: /nowhere/bot.pem does not exist; pippin agent init makes a key"
        }
    }

    @Test(arguments: ["site/index.html", "site" + CrawlConfiguration.Agent.Signing.directoryPath])
    func `init replaces nothing, and then writes nothing`(name: String) throws {
        let folder = try ScratchFolder()
        func names() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted()
        }
        try folder.write("mine", to: name)
        let before = try names()
        let files = AgentFolder(folder.url.path)
        func problem() throws -> String? {
            #expect(throws: ConfigurationError.self) { try files.begin(SigningKey.generated(), page: []) }?.problem
        }
        #expect(try problem() == "exists; nothing was written")
        #expect(try names() == before)
        let place = folder.url.appending(path: name)
        #expect(try String(contentsOf: place, encoding: .utf8) == "mine")
        // A link that leads nowhere is somebody's, too.
        try FileManager.default.removeItem(at: place)
        try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: "nowhere")
        #expect(try problem() == "exists; nothing was written")
        #expect(try names() == before)
    }

    @Test func `init that cannot be finished leaves nothing behind`() throws {
        let folder = try ScratchFolder()
        let files = AgentFolder(folder.url.appending(path: "agent").path)
        // No key can be written behind a link that leads nowhere.
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "agent"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: files.keysPath, withDestinationPath: "nowhere")
        #expect(throws: (any Error).self) { try files.begin(SigningKey.generated(), page: []) }
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted() == ["agent", "agent/keys"])
        try FileManager.default.removeItem(atPath: files.keysPath)
        #expect(try files.begin(SigningKey.generated(), page: [0x78]).count == 3)
        #expect(try InputFile.bytes(at: files.pagePath) == [0x78])
    }

    @Test(.slow, arguments: ["077", "022", "000"])
    func `a web server can read what is public, whatever the umask`(mask: String) async throws {
        let folder = try ScratchFolder()
        func run(_ line: String) async throws {
            let run = try await PippinProcess.run("umask \(mask); pippin agent \(line)", in: folder.url)
            #expect(run.status == 0, "\(run.errors)")
        }
        func check() throws {
            for path in ["made", "made/agent", "made/agent/site", "made/agent/site/.well-known"] {
                #expect(try rights(folder.url.appending(path: path)) == 0o755, "\(path)")
            }
            let name = "made/agent/site" + CrawlConfiguration.Agent.Signing.directoryPath
            #expect(try rights(folder.url.appending(path: name)) == 0o644)
            #expect(try rights(folder.url.appending(path: "made/agent/keys")) == 0o700)
        }
        try await run("init --site https://bot.example.org made/agent")
        try check()
        #expect(try rights(folder.url.appending(path: "made/agent/site/index.html")) == 0o644)
        // Also if it is written to a place that was cleared.
        try FileManager.default.removeItem(at: folder.url.appending(path: "made/agent/site"))
        try await run("rotate made/agent")
        try check()
        #expect(try rights(folder.url.appending(path: "made/agent/keys/2.pem")) == 0o600)
        // What the owner has settled stays.
        let site = folder.url.appending(path: "made/agent/site")
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: site.path)
        try await run("rotate --no-new-key made/agent")
        #expect(try rights(site) == 0o750)
    }

    @Test(
        .slow, arguments: ["x #y", "x: y", "'q\" \\t", "- \u{00E9}\u{1F967}", "%a & *b", "{c}, [d]", " e ", "null"])
    func `the printed lines are read as they are meant`(name: String) async throws {
        let folder = try ScratchFolder()
        let word = "'" + name.replacing("'", with: "'\\''") + "'"
        let run = try await PippinProcess.run(
            "pippin agent init --site https://bot.example.org --contact 'https://bot.example.org/?a=1#b' -- \(word)",
            in: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        let lines = try #require(run.output.firstRange(of: "agent:\n"))
        let job = try CrawlConfiguration(yaml: String(run.output[lines.lowerBound...]), file: "printed")
        #expect(job.agent.signing?.keyPath == folder.url.appending(path: "\(name)/keys/1.pem").path)
        #expect(job.agent.contact == "https://bot.example.org/?a=1#b")
        #expect(try RequestSigner(job.agent) != nil)
    }

    @Test(.slow) func `keys are changed without a gap`() async throws {
        let folder = try ScratchFolder()
        func run(_ line: String) async throws -> PippinProcess { try await PippinProcess.run(line, in: folder.url) }
        #expect(try await run("pippin agent rotate").errors.contains("pippin agent init makes one"))
        #expect(try await run("pippin agent init --site https://bot.example.org").status == 0)
        #expect(try await run("pippin agent rotate").output.hasSuffix("2 keys\n"))
        let files = AgentFolder(folder.url.appending(path: "agent").path)
        let keys = try files.keys()
        let both = try KeyDirectory(json: InputFile.bytes(at: files.directoryPath))
        #expect(both.entries.map(\.key) == keys.map(\.publicKey) && keys.count == 2)
        let signed = try await run("pippin agent sign --directory https://bot.example.org/keys --valid-for 90d")
        let fields = signed.output.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1) }
        let headers = HTTPHeaders(fields.map { (name: String($0[0]), value: String($0[1].dropFirst())) })
        let signatures = try #require(MessageSignature.all(of: headers))
        #expect(signatures.map { $0.text("keyid") } == keys.map(\.publicKey.thumbprint))
        let url = try #require(WebURL("https://bot.example.org/keys"))
        let message = SignedMessage(url: url, fields: headers, isAnswer: true)
        #expect(try zip(signatures, keys).allSatisfy { try $0.isMade(by: $1.publicKey, of: message) })
        try FileManager.default.removeItem(at: folder.url.appending(path: "agent/keys/1.pem"))
        #expect(try await run("pippin agent rotate --no-new-key").output.hasSuffix("1 key\n"))
        #expect(
            try KeyDirectory(json: InputFile.bytes(at: files.directoryPath)).entries.map(\.key) == [keys[1].publicKey])
        // A number is never given to another key while a later one is there.
        #expect(try await run("pippin agent rotate").output.contains("keys/3.pem"))
    }

    @Test func `only names that we would write are keys, and a last number has no next`() throws {
        let folder = try ScratchFolder()
        let files = AgentFolder(folder.url.path)
        let path = try files.add(SigningKey.generated())
        #expect(path.hasSuffix("/keys/1.pem"))
        for name in [
            "9223372036854775807", "9223372036854775808", "1000000", "+7", "007", "-1", "0", "7 ", "\u{0667}", "x", "",
        ] {
            try FileManager.default.copyItem(atPath: path, toPath: "\(files.keysPath)/\(name).pem")
        }
        try FileManager.default.copyItem(atPath: path, toPath: "\(files.keysPath)/9pem")
        try FileManager.default.copyItem(atPath: path, toPath: "\(files.keysPath)/8.PEM")
        #expect(try files.keyPaths().map(\.number) == [1])
        #expect(try files.add(SigningKey.generated()).hasSuffix("/keys/2.pem"))
        try FileManager.default.copyItem(atPath: path, toPath: "\(files.keysPath)/999998.pem")
        #expect(try files.add(SigningKey.generated()).hasSuffix("/keys/999999.pem"))
        let error = #expect(throws: ConfigurationError.self) { try files.add(SigningKey.generated()) }
        #expect(error?.problem.contains("the last number") == true)
        #expect(try files.keyPaths().map(\.number) == [1, 2, 999_998, 999_999])
    }

    @Test(
        .slow,
        arguments: [
            ("init --site http://bot.example.org", "--site"), ("init --site https://bot.example.org/x", "--site"),
            ("init --site https://u:p@bot.example.org", "--site"), ("init --site nonsense", "--site"),
            ("init --site https://bot.example.org --address 1.2.3", "--address"),
            ("init --site https://bot.example.org --address 192.0.2.0/33", "--address"),
            ("init --site https://bot.example.org --product 'a b'", "--product"),
            ("sign", "--directory"), ("sign --directory http://a.example/", "--directory"),
            ("sign --directory https://a.example/ --valid-for 366d", "--valid-for"),
            ("sign --directory https://a.example/ --valid-for 30", "--valid-for"), ("check", "agent.directory"),
            ("check nonsense", "nonsense"), ("check https://a.example/ --address x", "--address"),
        ])
    func `wrong arguments are told`(arguments: String, names: String) async throws {
        let folder = try ScratchFolder()
        let run = try await PippinProcess.run("pippin agent \(arguments)", in: folder.url)
        #expect(run.status == 2 && run.errors.contains(names), "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test(.slow) func `a host of the demo admits only the demo's bot`() async throws {
        let folder = try ScratchFolder()
        let site = Repository.root.appending(path: "Examples/demo-site")
        try await DemoProcess.serving(site: site, folder: folder.url) { [folder = folder.url] demo in
            let members = try demo.origin(of: "members.example")
            let trust = "--allow-private-networks --ca-file ca.pem"
            let run = try await PippinProcess.run(
                "pippin crawl --config crawl-config.yaml --seeds seeds-signed.txt --out records.ndjson --log log.jsonl",
                in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let records = try String(contentsOf: folder.appending(path: "records.ndjson"), encoding: .utf8)
            #expect(records.contains("\(members)/\"") && records.contains("\(members)/rules.html\""), "\(records)")
            let log = try String(contentsOf: folder.appending(path: "log.jsonl"), encoding: .utf8)
            // The first request was not signed: the host had not asked yet.
            #expect(log.contains("wants signed requests (status 401)") && !log.contains("sig1"))
            let stranger = try await PippinProcess.run(
                "pippin crawl \(members)/ \(trust) --delay 20ms --log strange.jsonl", in: folder)
            #expect(stranger.status == 3 && stranger.output.isEmpty, "\(stranger.errors)")
            let directory = try demo.origin(of: "bot.example") + CrawlConfiguration.Agent.Signing.directoryPath
            let check = try await PippinProcess.run("pippin agent check \(directory) \(trust)", in: folder)
            #expect(check.status == 0, "\(check.output)\(check.errors)")
            #expect(check.output.contains("ok      the directory is signed by "))
        }
    }

    // MARK: check

    /// What `pippin agent check` says of a made-up directory.
    private func check(
        agent: CrawlConfiguration.Agent? = nil, at address: String = directory, _ prepare: (FakeWeb) throws -> Void
    ) async throws -> [String] {
        let web = FakeWeb(time: MadeUpTime())
        try prepare(web)
        let url = try #require(WebURL(address))
        var configuration = CrawlConfiguration()
        configuration.agent = agent ?? configuration.agent
        configuration.agent.contact = configuration.agent.contact ?? "a@bot.test"
        let settled = configuration
        return try await web.time.run {
            var single = SingleFetch(configuration: settled, fetcher: web, clock: web.time.clock)
            var check = AgentCheck(agent: agent, directory: url, now: web.time.date)
            return await check.run(&single).map(\.description)
        }
    }

    /// The answer of a good directory.
    private func answer(_ keys: [SigningKey], signedBy signers: [SigningKey]? = nil) throws -> FakeWeb.Answer {
        let body = KeyDirectory(keys.map { .init($0.publicKey) }).json()
        let fields = try KeyDirectory.fields(
            of: body, at: #require(WebURL(Self.directory)), keys: signers ?? keys, created: MadeUpTime().date,
            life: .seconds(30 * 86_400))
        return FakeWeb.Answer(headers: fields, body: String(decoding: body, as: UTF8.self))
    }

    @Test func `a good directory with a good job has nothing wrong`() async throws {
        let key = try SigningKey.generated()
        let folder = try ScratchFolder()
        let path = folder.url.appending(path: "key.pem").path
        try key.write(to: path)
        var agent = CrawlConfiguration.Agent()
        agent.contact = Self.origin + "/"
        agent.signing = .init(keyPath: path, directory: try #require(WebURL(Self.directory)))
        let page = BotPage(
            agent: agent, directory: try #require(WebURL(Self.directory)), key: key.publicKey, purpose: "x",
            addresses: [])
        let good = try answer([key])
        let lines = try await check(agent: agent) { web in
            web[Self.directory] = [good]
            web[Self.origin + "/"] = [.html(page.html.html)]
        }
        #expect(lines.count == 7 && lines.allSatisfy { $0.hasPrefix("ok ") }, "\(lines.joined(separator: "\n"))")
        // Another key than the directory has.
        let other = try answer([SigningKey.generated()])
        let wrong = try await check(agent: agent) { web in
            web[Self.directory] = [other]
            web[Self.origin + "/"] = [.html("<p>A bot.")]
        }
        #expect(
            wrong.contains {
                $0.hasPrefix("wrong   a request signed with agent.signing_key") && $0.hasSuffix("not in the directory")
            })
        #expect(
            wrong.contains {
                $0.hasPrefix("advice  the bot page https://bot.test/ does not mention Pippin, robots.txt")
            })
    }

    /// A name, what is changed about a good answer, and a part of the line that tells it.
    private static let faults: [(name: String, change: @Sendable (inout FakeWeb.Answer) -> Void, line: String)] = [
        (
            "status", { $0.status = 404 },
            "wrong   https://bot.test/.well-known/http-message-signatures-directory answers with status 404"
        ),
        (
            "redirect",
            {
                $0.status = 301
                $0.headers.append(("Location", "https://cdn.test/"))
            }, "status 301 to https://cdn.test/; verifiers take 200 and follow no redirect"
        ),
        ("type", { $0.headers[0].1 = "application/json" }, "wrong   its Content-Type is \"application/json\""),
        ("no type", { $0.headers.removeFirst() }, "wrong   its Content-Type is \"\""),
        ("body", { $0.body += " " }, "wrong   the Content-Digest of the directory is not that of its body"),
        ("no digest", { $0.headers.remove(at: 1) }, "wrong   the Content-Digest of the directory is not"),
        ("no JSON", { $0.body = "<html>" }, "wrong   the directory is not valid JSON"),
        ("no set", { $0.body = "[]" }, "wrong   the directory is no JWK Set"),
        ("no keys", { $0.body = #"{"keys":[]}"# }, "wrong   the directory has no Ed25519 key"),
        ("large", { $0.body += String(repeating: " ", count: 70_000) }, "the answer is too large"),
        ("unsigned", { $0.headers.removeLast(2) }, "advice  the directory is not signed"),
        (
            "half signed", { $0.headers.removeLast() },
            "wrong   the fields Signature-Input and Signature of the directory cannot be read"
        ),
        (
            "another tag", { $0.headers[2].1.replace("signatures-directory", with: "other") },
            "advice  the directory is not signed"
        ),
        ("cut", { $0.headers[2].1.replace("\"@authority\";req ", with: "") }, "must cover \"@authority\";req"),
        ("another time", { $0.headers[2].1.replace("created=", with: "created=1") }, "wrong   the signature by"),
        (
            "another signature", { $0.headers[3].1.replace("sig1=:", with: "sig1=:AAAA") },
            "is not that of this host and body"
        ),
        ("ended", { $0.headers[2].1 = $0.headers[2].1.replacing(/expires=\d+/, with: "expires=5") }, "has ended"),
    ]

    @Test(arguments: faults.map(\.name)) func `each fault of a directory has its line`(name: String) async throws {
        let fault = try #require(Self.faults.first { $0.name == name })
        var changed = try answer([SigningKey.generated()])
        fault.change(&changed)
        let settled = changed
        let lines = try await check { $0[Self.directory] = [settled] }
        #expect(lines.contains { $0.contains(fault.line) }, "\(lines.joined(separator: "\n"))")
        let hasNothing = lines.allSatisfy { $0.hasPrefix("ok ") }
        #expect(!hasNothing)
    }

    @Test func `keys that everybody knows, private keys and missing signatures are told`() async throws {
        let known = try SigningKey(
            text:
                #"{"kty":"OKP","crv":"Ed25519","d":"n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}"#,
            file: "k")
        let own = try SigningKey.generated()
        let half = try answer([known, own], signedBy: [known])
        let lines = try await check { $0[Self.directory] = [half] }
        #expect(
            lines.contains { $0.hasPrefix("wrong   key poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U is the example") })
        #expect(lines.contains("advice  the directory has no signature by its key \(own.publicKey.thumbprint)"))
        let elsewhere = try await check(at: "http://bot.test/keys") { $0["http://bot.test/keys"] = [half] }
        #expect(elsewhere.contains("wrong   the directory must be at an https URL"))
        #expect(elsewhere.contains { $0.hasPrefix("advice  verifiers that go by older drafts") })
        let forbidden = try await check {
            $0.robots(Self.origin, "User-agent: *\nDisallow: /")
            $0[Self.directory] = [half]
        }
        #expect(forbidden.count == 1 && forbidden[0].contains("robots.txt does not allow"), "\(forbidden)")
    }

    @Test(.slow) func `an address has a name that leads back`() async throws {
        let name = await ReverseName.of(.v4(0x7F00_0001))
        #expect(name == .confirmed("localhost") || name == .none)
        #expect(await ReverseName.of(try #require(NetworkAddress("192.0.2.1"))) != .confirmed("192.0.2.1"))
    }
}
