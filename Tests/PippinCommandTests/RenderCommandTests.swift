import Foundation
import PippinCrawl
import PippinRender
import PippinServe
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinPage
@testable import PippinReport
@testable import pippin

/// `--render` of `extract` and `validate`, against a server on this machine.
@Suite(.rendersAlone, .serialized) struct RenderCommandTests {
    private static let files: [String: (type: String, body: String)] = [
        "/robots.txt": ("text/plain", "User-agent: *\nDisallow: /private/\n"),
        "/": (
            "text/html",
            "<!doctype html><html lang=en><title>App</title><div id=root></div>"
                + "<script src=/private/secret.js></script><script src=/app.js></script>"
        ),
        "/app.js": (
            "text/javascript",
            """
            console.error("No", { way: 1 });
            fetch("/data.json").then(a => a.json()).then(d => setTimeout(() => {
              document.title = d.title; root.innerHTML = "<h1>" + d.title + "</h1>"; location = "clownapp://acts/42"
            }, 800))
            """
        ),
        "/data.json": ("application/json", #"{"title":"Clowns"}"#),
        "/hidden": (
            "text/html",
            "<!doctype html><meta name=robots content=noindex><div id=root></div><script src=/app.js></script>"
        ),
    ]

    private func serve<Answer>(_ body: (LoopbackServer, () -> [String]) async throws -> Answer) async throws -> Answer {
        let asked = AskedTargets()
        let server = try LoopbackServer { request, connection in
            asked.add(request.target)
            guard let file = Self.files[request.target] else {
                connection.respond("404 Not Found")
                return .keepOpen
            }
            connection.respond("200 OK", ["Content-Type: \(file.type)"], body: Array(file.body.utf8))
            return .keepOpen
        }
        defer { server.stop() }
        return try await body(server, { asked.all })
    }

    private final class AskedTargets: Sendable {
        private let targets = Mutex<[String]>([])
        func add(_ target: String) { targets.withLock { $0.append(target) } }
        var all: [String] { targets.withLock { $0 } }
    }

    private func json(_ text: String) throws -> JSONValue {
        var parser = JSONParser()
        return try parser.parse(text)
    }

    @Test func `extract reads the page as its scripts make it`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await serve { server, asked in
            let run = try await PippinProcess.run(
                "pippin extract \(server.url("/")) --allow-private-networks --render", in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let page = try json(run.output)
            #expect(page["metadata"]?["title"]?.string == "Clowns")
            #expect(page["rendering"]?["ending"]?.string == "settled")
            #expect(page["rendering"]?["navigations"]?.array == ["clownapp://acts/42"])
            #expect(page["record"]?["deepLinks"]?.array?.first?["sources"]?.array == ["script"])
            #expect(!asked().contains("/private/secret.js"))
            #expect(asked().filter { $0 == "/robots.txt" }.count == 1)
        }
    }

    @Test func `extract renders a file, too, and fetches what its scripts ask for`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try scratch.write(Self.files["/"]?.body ?? "", to: "page.html")
        try await serve { server, _ in
            let run = try await PippinProcess.run(
                "pippin extract page.html --url \(server.url("/")) --allow-private-networks --render --rendered-out made.html",
                in: folder)
            #expect(try json(run.output)["metadata"]?["title"]?.string == "Clowns", "\(run.errors)")
            let made = try String(contentsOf: folder.appending(path: "made.html"), encoding: .utf8)
            #expect(made.contains("<title>Clowns</title>"))
        }
    }

    @Test func `validate compares the page with its rendering, and names the forbidden script`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await serve { server, asked in
            let run = try await PippinProcess.run(
                "pippin validate \(server.url("/")) --allow-private-networks --render --format json", in: folder)
            let card = try json(run.output)
            let facts = card["rendering"]?["facts"]?.array ?? []
            #expect(facts.first == ["name": "Title", "raw": "App", "rendered": "Clowns"], "\(run.errors)")
            let findings = card["findings"]?.array ?? []
            let forbidden = findings.first { $0["check"]?.string == "T16" }
            #expect(forbidden?["outcome"]?.string == "warning")
            #expect(forbidden?["message"]?.string?.contains("/private/secret.js may not be fetched") == true)
            #expect(findings.first { $0["check"]?.string == "T15" }?["outcome"]?.string == "warning")
            let links = facts.first { $0["name"] == "Deep links" }?["added"]?.array
            #expect(links?.contains("script clownapp://acts/42") == true)
            let missing = card["rendering"]?["missing"]?.array ?? []
            #expect(missing.map { $0["code"] } == ["disallowed"])
            #expect(
                card["rendering"]?["errors"]?.array == [["kind": "console", "text": "No [object Object]", "count": 1]])
            #expect(!asked().contains("/private/secret.js"))
        }
    }

    @Test func `validate shows what a phone shows, and writes it`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await serve { server, asked in
            let run = try await PippinProcess.run(
                "pippin validate \(server.url("/")) --allow-private-networks --render --format html --screenshots "
                    + "--screenshot-out shot.jpg", in: folder)
            #expect(run.output.components(separatedBy: "src=\"data:image/jpeg;base64,").count == 3, "\(run.errors)")
            let picture = try Data(contentsOf: folder.appending(path: "shot.jpg"))
            #expect(picture.starts(with: [0xFF, 0xD8, 0xFF]))
            #expect(run.output.contains(picture.base64EncodedString()))
            #expect(asked().filter { $0 == "/app.js" }.count == 1)
            #expect(!asked().contains("/private/secret.js"))
        }
    }

    @Test func `a page that asks not to be indexed is not rendered`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await serve { server, asked in
            let run = try await PippinProcess.run(
                "pippin validate \(server.url("/hidden")) --allow-private-networks --render --format json",
                in: folder)
            #expect(try json(run.output)["rendering"] == nil, "\(run.errors)")
            #expect(!asked().contains("/app.js"))
        }
    }

    @Test func `a crawl of the demo's single-page app records what its scripts make, and says why`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await DemoProcess.serving(
            site: Repository.root.appending(path: "Examples/demo-site"), folder: folder
        ) { demo in
            let origin = try demo.origin(of: "stage.example")
            let crawl =
                "pippin crawl --config crawl-config.yaml --seeds seeds-rendered.txt --records all --out records.ndjson --log log.jsonl"
            let run = try await PippinProcess.run(crawl, in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let lines = try String(contentsOf: folder.appending(path: "records.ndjson"), encoding: .utf8)
                .split(separator: "\n").map { try json(String($0)) }
            let record = lines.compactMap { $0["record"] ?? $0 }.first { $0["url"]?.string == origin + "/" }
            #expect(record?["title"]?.string == "Three clowns and a ladder", "\(lines)")
            #expect(record?["provenance"]?["page"]?.string == "scripts")
            let sources = record?["deepLinks"]?.array?.first?["sources"]?.array ?? []
            #expect(sources == ["smart-app-banner", "script"])
            let log = try String(contentsOf: folder.appending(path: "log.jsonl"), encoding: .utf8)
            #expect(log.contains("\(origin)/app.js"))
            // The crawl found its link, too.
            #expect(log.contains("\(origin)/tickets.html"))
            #expect(
                log.split(separator: "\n").contains { $0.contains("/private/tracker.js") && $0.contains("disallowed") })
            let why = try await PippinProcess.run("pippin why --config crawl-config.yaml \(origin)/", in: folder)
            #expect(
                why.output.contains("rendering: Rendered, because #root is empty in its HTML."), "\(why.output)")
        }
    }

    // MARK: The job's rendering

    @Test func `validate renders as the job of --job does, and the card says why`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await serve { server, asked in
            for (mode, isRendered) in [
                ("auto", true), ("never", false), ("never }\nhosts: { 127.0.0.1: { render: always }", true),
            ] {
                try Data(("fetch: { allow_private_networks: true }\nrender: { mode: \(mode) }\n").utf8).write(
                    to: folder.appending(path: "job.yaml"))
                let run = try await PippinProcess.run(
                    "pippin validate \(server.url("/")) --job job.yaml --format json", in: folder)
                let rendering = try json(run.output)["rendering"]
                #expect((rendering != nil) == isRendered, "\(mode): \(run.errors)")
                guard isRendered else { continue }
                let course = rendering?["course"]?.string
                let reason = mode == "auto" ? "#root is empty in its HTML" : "the configuration says so"
                #expect(course == "Rendered, because \(reason).")
            }
            #expect(!asked().contains("/private/secret.js"))
        }
    }

    @Test func `a served card renders as the job does, and leaves no browser behind`() async throws {
        try await serve { server, _ in
            var configuration = CrawlConfiguration()
            configuration.fetch.allowPrivateNetworks = true
            configuration.render.mode = .auto
            configuration.render.memoryBytes = 850 << 20
            let card = try await CardMaker(configuration, takesScreenshots: true).card(
                of: #require(WebURL(server.url("/"))))
            #expect(card.html.components(separatedBy: "src=\"data:image/jpeg;base64,").count == 3)
            #expect(card.json["rendering"]?["facts"]?.array?.first?["rendered"]?.string == "Clowns")
            #expect(card.json["rendering"]?["course"] == "Rendered, because #root is empty in its HTML.")
            try await waitUntil("the browser has ended") { BrowserProcesses.withLimit(850 << 20).isEmpty }
        }
    }

    @Test func `a worker of a cluster renders as the job does`() async throws {
        let scratch = try ScratchFolder()
        let site = try ShardedSite(hosts: 1, pages: 3)
        try site.writeJob(in: scratch)
        let file = scratch.url.appending(path: "config.yaml")
        let job = try String(contentsOf: file, encoding: .utf8)
        try scratch.write(job + "render: { mode: always }\n", to: "config.yaml")
        let worker = try WorkerRun(scratch.url, storage: "0", lines: [WorkerRun.begin(0, of: 1), WorkerRun.end])
        #expect(try await worker.status() == 0, "\(worker.errors)")
        let told = try #require(try worker.told())
        // Its pages have no scripts.
        #expect(told.done["summary"]?["renderings"] == ["brought_nothing": 4], "\(worker.errors)")
        #expect(told.lines.contains { $0.kind == "record" })
        #expect(!worker.errors.contains("not rendered"))
    }

    // MARK: No way out

    /// What strace saw of the processes that pippin has started, in order.
    private static func callsOfBrowser(_ trace: String) -> [(process: String, call: String)] {
        var calls: [(process: String, call: String)] = []
        var begun: [String: String] = [:]
        for line in trace.split(separator: "\n") {
            guard let space = line.firstIndex(of: " ") else { continue }
            let process = String(line[..<space])
            var call = String(line[space...].drop { $0 == " " })
            if call.hasSuffix("<unfinished ...>") {
                begun[process] = call
                continue
            }
            if call.hasPrefix("<... "), let begin = begun.removeValue(forKey: process) { call = "\(begin) \(call)" }
            calls.append((process, call))
        }
        // Pippin itself, with its threads.
        var own: Set<String> = Set(calls.prefix(1).map(\.process))
        var count = 0
        while own.count > count {
            count = own.count
            for (process, call) in calls where own.contains(process) && call.contains("CLONE_THREAD") {
                if let thread = call.split(separator: " ").last { own.insert(String(thread)) }
            }
        }
        return calls.filter { !own.contains($0.process) }
    }

    @Test(arguments: [false, true])
    func `no process of the browser has a socket into our network`(asOtherUser: Bool) async throws {
        // Only root can become somebody else.
        guard !asOtherUser || geteuid() == 0 else { return }
        _ = try TestTool("strace")
        let scratch = try ScratchFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scratch.url.path)
        let foreign = try LoopbackServer { _, connection in
            connection.respond()
            return .close
        }
        defer { foreign.stop() }
        let place = "127.0.0.1:\(foreign.port)"
        let datagrams = try [
            DatagramListener(port: foreign.port), DatagramListener(multicast: "224.0.0.251", port: 5353),
        ]
        let server = try LoopbackServer { request, connection in
            switch request.target {
            case "/": connection.respond(body: Array(EscapingPage.html(place).utf8))
            // The page stays open while packets are under way.
            case "/slow":
                usleep(1_500_000)
                connection.respond()
            default: connection.respond("404 Not Found")
            }
            return .keepOpen
        }
        defer { server.stop() }
        let user = asOtherUser ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : ""
        let run = try await PippinProcess.run(
            "export TMPDIR=$PWD; strace -f -o trace -e trace=network,execve,clone,clone3,fork,vfork,unshare,setns \(user) "
                + "pippin extract \(server.url("/")) --allow-private-networks --render", in: scratch.url)
        #expect(run.output.contains("\"ending\""), "\(run.errors)")
        for listener in datagrams { #expect(listener.received() == [], "datagrams at port \(listener.port)") }
        // Pippin itself asks for its robots.txt and scripts; nobody else connects.
        let calls = Self.callsOfBrowser(
            try String(contentsOf: scratch.url.appending(path: "trace"), encoding: .utf8))
        let first = try #require(calls.first?.process)
        let outer = calls.filter { $0.process == first }.map(\.call)
        #expect(outer.contains { $0.contains("execve(\"/usr/bin/bwrap\"") }, "\(outer)")
        #expect(outer.filter { $0.contains("clone") && $0.contains("CLONE_NEWNET") }.count == 1, "\(outer)")
        // All others begin within the new network. None goes back, and the first has none of the old one.
        #expect(outer.filter { $0.hasPrefix("socket(") && !$0.hasPrefix("socket(AF_UNIX") } == [])
        #expect(!outer.contains { $0.hasPrefix("clone") && !$0.contains("CLONE_NEWNET") })
        #expect(!calls.contains { $0.call.hasPrefix("setns(") })
        #expect(Set(calls.map(\.process)).count > 3)
    }

    // MARK: Nothing is left

    @Test func `temporary folders are empty after a page, a failed start, and the death of the browser`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try FileManager.default.createDirectory(
            at: folder.appending(path: "tmp"), withIntermediateDirectories: false)
        let path = folder.appending(path: "tmp").path
        for (browser, kills) in [("", false), ("--browser /bin/false", false), ("", true)] {
            try await serve { server, asked in
                async let run = PippinProcess.run(
                    "TMPDIR=\(path) pippin extract \(server.url("/")) --allow-private-networks --render \(browser)",
                    in: folder)
                if kills {
                    try await waitUntil("the browser runs") { asked().contains("/app.js") }
                    // Other tests have browsers, too.
                    let run = Self.descendants(of: getpid()).filter { process in
                        (try? String(contentsOfFile: "/proc/\(process)/environ", encoding: .utf8))?.contains(path)
                            == true
                    }
                    for process in run.flatMap({ Self.descendants(of: $0) }) where Self.isBrowser(process) {
                        kill(process, SIGKILL)
                    }
                }
                _ = try await run
                #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
            }
        }
    }

    private static func isBrowser(_ process: Int32) -> Bool {
        (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8))?.contains("chromium-headless")
            == true
    }

    @Test func `nothing is left of the browser when pippin is killed`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try FileManager.default.createDirectory(at: folder.appending(path: "tmp"), withIntermediateDirectories: false)
        let isAsked = Atomic(false)
        let server = try LoopbackServer { request, connection in
            if request.target == "/robots.txt" {
                connection.respond("404 Not Found")
            } else if request.target == "/" {
                connection.respond(body: Array("<!doctype html><script src=/slow.js></script>".utf8))
            } else {
                isAsked.store(true, ordering: .relaxed)
                sleep(10)
            }
            return .keepOpen
        }
        defer { server.stop() }
        let process = Process()
        process.executableURL = PippinProcess.binary
        process.arguments = ["extract", server.url("/"), "--allow-private-networks", "--render"]
        process.currentDirectoryURL = folder
        let temporary = folder.appending(path: "tmp").path
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try await waitUntil("the browser runs") { isAsked.load(ordering: .relaxed) }
        let browsers = Self.descendants(of: process.processIdentifier)
        #expect(browsers.count > 3)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try await waitUntil("nothing of the browser is left") { browsers.allSatisfy { kill($0, 0) != 0 } }
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
    }

    /// The processes that a process has started, and those that these have.
    private static func descendants(of process: Int32) -> [Int32] {
        var children: [Int32: [Int32]] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let number = Int32(name),
                let stat = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
                let end = stat.lastIndex(of: ")"),
                let parent = stat[end...].split(separator: " ").dropFirst(2).first.flatMap({ Int32($0) })
            else { continue }
            children[parent, default: []].append(number)
        }
        var found: [Int32] = []
        var upcoming = [process]
        while let next = upcoming.popLast() {
            let own = children[next] ?? []
            found += own
            upcoming += own
        }
        return found
    }
}

/// Rendering where there is no browser.
@Suite struct RenderRefusalTests {
    @Test(arguments: ["/nowhere", "/bin/false"])
    func `a crawl without a browser says so once, and takes pages as they are fetched`(browser: String) async throws {
        let folder = try ScratchFolder()
        let site = try ShardedSite(hosts: 2, pages: 3)
        try site.writeJob(in: folder)
        let job = try String(contentsOf: folder.url.appending(path: "config.yaml"), encoding: .utf8)
        try folder.write(job + "render: { mode: always, browser: \(browser) }\n", to: "config.yaml")
        let run = try await PippinProcess.run("pippin crawl --config config.yaml", in: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        let sentence = "pages are not rendered but read as they were fetched, because there is no browser: "
        #expect(run.errors.components(separatedBy: sentence).count == 2, "\(run.errors)")
        let records = try String(contentsOf: folder.url.appending(path: "one.ndjson"), encoding: .utf8)
        #expect(records.contains("Page 2 of h1.localhost"))
        let worker = try WorkerRun(folder.url, storage: "0", lines: [WorkerRun.begin(0, of: 1), WorkerRun.end])
        #expect(try await worker.status() == 0, "\(worker.errors)")
        #expect(worker.errors.components(separatedBy: sentence).count == 2, "\(worker.errors)")
        #expect(try worker.told()?.done["summary"]?["renderings"] == ["browser_unavailable": 8])
    }

    @Test func `a browser that does not start is refused where a flag asks for it`() async throws {
        let folder = try ScratchFolder()
        try folder.write("<title>x</title>", to: "page.html")
        let run = try await PippinProcess.run(
            "pippin extract page.html --url https://a.example/ --render --browser /bin/false", in: folder.url)
        #expect(run.status == 2)
        #expect(run.errors.contains("--render"))
    }

    @Test func `rendering without a browser is refused with the package to install`() async throws {
        let folder = try ScratchFolder()
        try folder.write("<title>x</title>", to: "page.html")
        let run = try await PippinProcess.run(
            "pippin extract page.html --url https://a.example/ --render --browser /nowhere", in: folder.url)
        #expect(run.status == 2)
        #expect(run.errors.contains("install Debian's package chromium-headless-shell"))
    }

    @Test func `a rendered page is written only where one is rendered`() async throws {
        let folder = try ScratchFolder()
        try folder.write("<title>x</title>", to: "page.html")
        let run = try await PippinProcess.run(
            "pippin extract page.html --url https://a.example/ --rendered-out made.html", in: folder.url)
        #expect(run.status == 2)
        #expect(run.errors.contains("--rendered-out goes with --render."))
    }

    @Test(arguments: [
        ("--screenshots --render", "--format html"), ("--screenshots --format html", "--render or --job"),
        ("--screenshot-out a.jpg", "--render or --job"),
    ])
    func `screenshots are refused where there would be none`(_ options: String, _ words: String) async throws {
        let folder = try ScratchFolder()
        let run = try await PippinProcess.run("pippin validate https://a.example/ \(options)", in: folder.url)
        #expect(run.status == 2)
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    @Test func `validate takes no files to render`() async throws {
        let folder = try ScratchFolder()
        try folder.write("<title>x</title>", to: "page.html")
        let run = try await PippinProcess.run("pippin validate page.html --render", in: folder.url)
        #expect(run.status == 2)
        #expect(run.errors.contains("--render"))
    }
}
