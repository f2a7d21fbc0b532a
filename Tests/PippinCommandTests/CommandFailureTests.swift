import Foundation
import PippinCrawl
import PippinTestSupport
import Testing

@testable import pippin

/// What a command says when it fails: which file, line, flag or URL, and what to do; with the right exit status, and without a
/// line of usage where a file is at fault.
@Suite struct CommandFailureTests {
    /// A line of the shell, its status, and what standard error must say.
    struct Case: Sendable, CustomTestStringConvertible {
        let line: String
        let status: Int32
        let says: String

        init(_ line: String, _ status: Int32, _ says: String) {
            self.line = line
            self.status = status
            self.says = says
        }

        var testDescription: String { line }
    }

    /// In the folder: `folder/`, `empty`, `binary` (no UTF-8), `notes/` (a storage whose database is none).
    private static func prepare(_ scratch: borrowing ScratchFolder) throws {
        for name in ["folder", "notes"] {
            try FileManager.default.createDirectory(
                at: scratch.url.appending(path: name), withIntermediateDirectories: true)
        }
        try scratch.write("", to: "empty")
        try scratch.write("agent:\n  contact: x@example.net\n  contcat: y\n", to: "unknown.yaml")
        try scratch.write("fetch: { max_body: 10 }\n", to: "unit.yaml")
        try scratch.write("scope: [host]\n", to: "type.yaml")
        try scratch.write("# seeds\nexample.org\n", to: "bad-seeds.txt")
        try scratch.write("{\"results\": [", to: "broken.json")
        for name in ["binary", "notes/pippin.sqlite"] {
            try Data((0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 128) }).write(
                to: scratch.url.appending(path: name))
        }
    }

    private static let files: [Case] = ["extract", "sitemap", "json-ld expand"].flatMap { command in
        [
            Case("pippin \(command) none.html --url https://a.test/", 2, "none.html: there is no such file in "),
            Case("pippin \(command) folder --url https://a.test/", 2, "folder: is a folder; name a file"),
            Case(
                "pippin \(command) - --url https://a.test/ < folder", 2,
                "standard input: is a folder; name a file"),
            Case("pippin \(command) '' --url https://a.test/", 2, "an empty path names no file"),
        ]
    }

    private static let others: [Case] = [
        Case("pippin validate none.html", 2, "none.html: there is no such file in "),
        Case("pippin validate folder", 2, "folder: the folder has no .html file; name another, or a pattern"),
        Case("pippin validate empty folder --baseline folder", 2, "folder: the folder has no .html file"),
        Case("pippin validate empty --baseline folder", 2, "folder: is a folder; name a file"),
        Case(
            "echo 0123456789abcdef > token; chmod 644 token; pippin serve --storage folder --token-file token", 2,
            "token: every user of this machine may read this secret: chmod 600 token"),
        Case("pippin validate empty --baseline empty", 2, "empty: is empty; write it with --update-baseline"),
        Case("pippin validate empty empty --brief --out folder", 6, "folder: the report cannot be written"),
        Case(
            "pippin validate empty --baseline none/x --update-baseline --out /dev/null --ignore S99", 2,
            "--ignore: \"S99\" is neither"),
        Case("pippin validate empty --app-lookup folder", 2, "folder: is a folder; name a file"),
        Case("pippin validate empty --app-lookup broken.json", 2, "broken.json:1:14: "),
        Case(
            "pippin validate empty --app-lookup empty", 2,
            "empty: is empty; a lookup file has replies of https://itunes"),
        Case("pippin validate empty --association none --url https://a.test/", 2, "none: there is no such file in "),
        Case(
            "pippin validate empty --association empty --url http://a.test:81/", 2,
            "--association: http://a.test:81/ has no"),
        Case("pippin validate empty --out folder", 6, "folder: the report cannot be written: Is a directory"),
        Case("pippin validate empty --out /proc/none/x", 6, "/proc/none/x: the report cannot be written: No such file"),
        Case("pippin validate empty --url nonsense", 2, "--url: \"nonsense\" must be an http or https URL"),
        Case("pippin validate https://", 2, "\"https://\" is not an http or https URL"),
        Case("pippin extract ftp://a.test/", 2, "\"ftp://a.test/\" is not an http or https URL"),
        Case("pippin extract example.org", 2, "to fetch a page give its whole URL, like https://example.org/"),
        Case("pippin extract empty", 2, "--url: is needed with a file; it says where the file was found"),
        Case("pippin sitemap empty --url mailto:x", 2, "--url: \"mailto:x\" must be an http or https URL"),
        Case(
            "pippin robots --agent '' --url https://a.test/ empty", 2, "--agent: must be a product token, like Applebot"
        ),
        Case("pippin robots --agent x --url nonsense empty", 2, "--url: \"nonsense\" must be an http or https URL"),
        Case("pippin association nope.txt", 2, "nope.txt: there is no such file in "),
        Case("pippin association ./nope", 2, "./nope: there is no such file in "),
        Case("pippin association empty --match nonsense", 2, "--match: \"nonsense\" must be a URL or a path"),
        Case(
            "pippin json-ld expand empty --url https://a.test/ --documents broken.json", 2,
            "broken.json:1:14: is not JSON"),
        Case("pippin json-ld expand empty --url https://a.test/", 1, "[empty]"),
        Case("pippin crawl", 2, "crawl-config.yaml: is not in "),
        Case("pippin crawl --config none.yaml", 2, "none.yaml: there is no such file in "),
        Case("pippin crawl --config binary", 2, "binary:1: is not UTF-8 text; save the file as UTF-8"),
        Case(
            "pippin crawl --config unknown.yaml", 2, "unknown.yaml:3:3: unknown key \"contcat\" in agent; did you mean"),
        Case("pippin crawl --config unit.yaml", 2, "unit.yaml:1:20: fetch.max_body: 10 has no unit"),
        Case("pippin crawl --config type.yaml", 2, "type.yaml:1:8: scope: expected keys and values here, found a list"),
        Case("pippin crawl --config empty", 2, "seeds.txt: there is no such file"),
        Case("pippin crawl --config empty --seeds empty", 2, "empty: holds no seed; write the URL of a page"),
        Case("pippin crawl --config empty --seeds bad-seeds.txt", 2, "bad-seeds.txt:2: \"example.org\" is not a URL"),
        Case(
            "pippin crawl seeds.txt", 2, "\"seeds.txt\" is not a URL, like https://example.org/app; a file of seeds is"),
        Case("pippin crawl http://u:p@127.0.0.1/", 2, "holds a user name; a crawler has no log-in, remove it"),
        Case(
            "pippin crawl https://example.org/", 2,
            "example.org is a public host: set --contact to a URL or mail address"),
        Case(
            "pippin crawl https://example.org/ --contact https://example.org/bot", 2,
            "and --contact is an example that reaches nobody: set it to"
        ),
        Case(
            "pippin crawl https://example.org/ --contact 'https://example.org/bot?a=1&b=2' --delay 1ms", 2,
            "--delay must be 200ms or more, not 1ms, which is for private hosts only"),
        Case(
            "pippin extract https://example.org/ --contact https://example.org/bot", 2,
            "is an example that reaches nobody. Give --contact"),
        Case(
            "pippin crawl http://127.0.0.1:9/ --contact a@b", 2, "--contact: \"a@b\" must be an http(s) URL or a mail"),
        Case("pippin crawl http://127.0.0.1:9/ --ca-file none.pem", 2, "none.pem: there is no such file in "),
        Case(
            "pippin crawl http://127.0.0.1:9/ --ca-file empty", 2,
            "empty: holds no certificate; an authority's is a PEM"),
        Case("pippin validate https://127.0.0.1:9/ --ca-file folder", 2, "folder: is a folder; name a file"),
        Case(
            "pippin crawl http://127.0.0.1:9/ --out folder", 6, "folder: the records cannot be written: Is a directory"),
        Case(
            "pippin crawl http://127.0.0.1:9/ --out /proc/none/x", 6,
            "/proc/none/x: the records cannot be written: No such file"),
        Case(
            "pippin crawl http://127.0.0.1:9/ --warc empty", 6, "empty: the archive cannot be written: Not a directory"),
        Case(
            "pippin crawl http://127.0.0.1:9/ --report empty", 6, "empty: the report cannot be written: Not a directory"
        ),
        Case(
            "pippin crawl http://127.0.0.1:9/ --summary folder", 6,
            "folder: the summary cannot be written: Is a directory"),
        Case("pippin crawl http://127.0.0.1:9/ --storage empty", 6, "a file is in its place"),
        Case(
            "pippin crawl http://127.0.0.1:9/ --storage notes", 6, "pippin.sqlite is not a database; remove it, or name"
        ),
        Case("pippin crawl --config empty --seeds none", 2, "none: there is no such file; write the URL of a page"),
        Case("pippin demo --site none", 2, "none: the demo site cannot be read: No such file or directory; name its"),
        Case("pippin demo --site folder", 2, "folder: holds no folder that ends in .example"),
    ]

    /// `status`, `why` and `export` find a storage alike.
    private static let storages: [Case] = ["status", "why https://a.test/", "export"].flatMap { command in
        [
            Case("pippin \(command)", 2, "crawl-config.yaml: is not in "),
            Case("pippin \(command) --config none.yaml", 2, "none.yaml: there is no such file in "),
            Case("pippin \(command) --storage none", 6, "there is no such folder; pippin crawl makes it"),
            Case("pippin \(command) --storage empty", 6, "it is a file; --storage names a folder"),
            Case("pippin \(command) --storage folder", 6, "no job has written into it yet; pippin crawl does"),
            Case("pippin \(command) --storage notes", 6, "pippin.sqlite is not a database; remove it, or name"),
        ]
    }

    @Test(arguments: files + others + storages)
    func `a failure names what is at fault, and what to do`(failure: Case) async throws {
        let scratch = try ScratchFolder()
        try Self.prepare(scratch)
        let run = try await PippinProcess.run(failure.line, in: scratch.url)
        #expect(run.status == failure.status, "\(run.errors)")
        #expect(run.errors.contains(failure.says), "\(run.errors)")
        for riddle in ["Usage:", "could not be completed", "NSCocoa", "Error Domain", "Fatal"] {
            #expect(!run.errors.contains(riddle), "\(run.errors)")
        }
        #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }

    @Test(arguments: ["status", "why https://a.test/", "export"])
    func `without a configuration the usual storage is looked for`(command: String) async throws {
        let scratch = try ScratchFolder()
        _ = try await PippinProcess.run(
            "pippin crawl http://127.0.0.1:9/ --storage crawl-data --quiet", in: scratch.url)
        let run = try await PippinProcess.run("pippin \(command)", in: scratch.url)
        #expect(run.errors.isEmpty && !run.output.isEmpty, "\(run.errors)")
    }

    @Test(arguments: [
        "extract http://127.0.0.1:1/", "validate http://127.0.0.1:1/", "sitemap http://127.0.0.1:1/s.xml",
        "robots --agent x --url http://127.0.0.1:1/ http://127.0.0.1:1/robots.txt", "association localhost:1",
        "association localhost:1 --match /mug",
    ])
    func `a host that does not answer is named with the cause and the option, and ends with 3`(line: String)
        async throws
    {
        let scratch = try ScratchFolder()
        let closed = try await PippinProcess.run("pippin \(line) --allow-private-networks", in: scratch.url)
        #expect(closed.status == 3, "\(closed.output)\(closed.errors)")
        #expect(closed.errors.contains("nothing listens at "), "\(closed.errors)")
        let refused = try await PippinProcess.run("pippin \(line)", in: scratch.url)
        #expect(refused.status == 3, "\(refused.output)\(refused.errors)")
        #expect(refused.errors.contains("a private address"), "\(refused.errors)")
        #expect(refused.errors.contains("--allow-private-networks"), "\(refused.errors)")
    }

    @Test func `answers that cannot be written are an error`() async throws {
        let scratch = try ScratchFolder()
        try scratch.write("User-agent: *\n", to: "robots.txt")
        try scratch.write("{\"applinks\": {}}", to: "aasa")
        for line in [
            "url https://a.test/", "association aasa", "robots --agent x --url https://a.test/ robots.txt",
            "extract robots.txt --url https://a.test/",
        ] {
            let run = try await PippinProcess.run("pippin \(line) > /dev/full", in: scratch.url)
            #expect(run.status == 6 && run.errors.contains("No space left on device"), "\(line): \(run.errors)")
        }
    }

    @Test(arguments: [
        ("example.org", "https://example.org/"), ("localhost:8443", "https://localhost:8443/"),
        ("http://a.test/x", "http://a.test/x"), ("xn--bcher-kva.example", "https://xn--bcher-kva.example/"),
        ("nope.txt", nil), ("assetlinks.json", nil), ("a/b.org", nil), ("nope", nil), ("-", nil),
    ])
    func `files and domains are told apart in one way`(argument: String, url: String?) throws {
        let place = try InputPlace(argument, takesDomains: true)
        if case .url(let found) = place { #expect(found.href == url) } else { #expect(url == nil) }
    }
}
