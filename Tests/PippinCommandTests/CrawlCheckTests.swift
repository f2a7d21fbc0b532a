import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import pippin

/// What is asked before a crawl: `crawl --check`, `robots` of a page, `init`.
@Suite struct CrawlCheckTests {
    /// A server that notes what it is asked for, and serves a robots.txt that closes `/private`.
    private final class Site: Sendable {
        private let targets = Mutex<[String]>([])
        var asked: [String] { targets.withLock { $0 } }

        func server() throws -> LoopbackServer {
            try LoopbackServer { request, connection in
                self.targets.withLock { $0.append(request.target) }
                switch request.target {
                case "/robots.txt": connection.respond("301 Moved", ["Location: /rules.txt"])
                case "/rules.txt":
                    connection.respond(
                        "200 OK", ["Content-Type: text/plain"],
                        body: Array("User-agent: *\nDisallow: /private\nCrawl-delay: 2\n".utf8))
                default: connection.respond(body: Array("<title>x</title>".utf8))
                }
                return .keepOpen
            }
        }
    }

    // MARK: crawl --check

    @Test func `what a run would do is told for each seed, and nothing is visited or written`() async throws {
        let site = Site()
        let server = try site.server()
        let origin = "http://127.0.0.1:\(server.port)"
        let folder = try ScratchFolder()
        try folder.write("\(origin)/app kind=support\n\(origin)/private/1\n\(origin)/old/2\n", to: "seeds.txt")
        try folder.write(
            """
            fetch: { allow_private_networks: true }
            scope: { exclude: ["*/old/*"] }
            hosts: { 127.0.0.1: { max_depth: 2, recrawl: { default_interval: 2h } } }
            output: { log: log.ndjson }

            """, to: "crawl-config.yaml")
        let run = try await PippinProcess.run("pippin crawl --check", in: folder.url)
        #expect(run.status == 3, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.contains("without: */old/*"))
        #expect(lines.contains(origin))
        #expect(
            lines.contains("  robots.txt: \(origin)/robots.txt, redirected to \(origin)/rules.txt, status 200"),
            "\(run.output)")
        #expect(lines.contains("  delay: 2 s"))
        #expect(lines.contains("  settings: max_depth 2; recrawl 1h to 30d, first 2h"), "\(run.output)")
        #expect(lines.contains("  visit  \(origin)/app  No rule for * matches."))
        #expect(lines.contains("  leave  \(origin)/private/1  Line 2, Disallow: /private, in the rules for *."))
        #expect(lines.contains { $0.hasPrefix("  leave  \(origin)/old/2  ") && $0.contains("scope.exclude") })
        #expect(
            lines.last
                == "3 seeds on 1 origin: 1 to visit, 2 left out, 0 failed. No page was visited, and nothing was stored."
        )
        #expect(site.asked == ["/robots.txt", "/rules.txt"])
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(Set(files) == ["seeds.txt", "crawl-config.yaml"])
    }

    @Test func `a host that does not answer fails its seeds`() async throws {
        let folder = try ScratchFolder()
        let run = try await PippinProcess.run(
            "pippin crawl --check http://127.0.0.1:9/ --allow-private-networks", in: folder.url)
        #expect(run.status == 3)
        #expect(run.output.contains("  fail   http://127.0.0.1:9/  "), "\(run.output)")
        #expect(run.output.contains("0 to visit, 0 left out, 1 failed"))
    }

    @Test(arguments: [
        ("pippin crawl --check https://example.org/", "set --contact"), ("pippin crawl --check", "crawl-config.yaml"),
        ("echo 'scope: { folow: host }' > c && pippin crawl --check --config c http://127.0.0.1:9/", "folow"),
    ])
    func `a configuration that a run would refuse ends with 2`(line: String, mentions: String) async throws {
        let folder = try ScratchFolder()
        let run = try await PippinProcess.run(line, in: folder.url)
        #expect(run.status == 2 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors.contains(mentions), "\(run.errors)")
    }

    // MARK: --include, --exclude

    @Test func `patterns on the command line take the place of the configuration's`() throws {
        func scope(_ flags: [String]) throws -> CrawlConfiguration.Scope {
            var configuration = try CrawlConfiguration(yaml: "scope: { include: [a], exclude: [b] }\n", file: "c")
            try ConfigurationOverrides.parse(flags).lay(over: &configuration)
            return configuration.scope
        }
        #expect(try scope([]).include == ["a"] && scope([]).exclude == ["b"])
        let laid = try scope(["--include", "*/docs/*", "--include", "*/help/*", "--exclude", "*.pdf"])
        #expect(laid.include == ["*/docs/*", "*/help/*"] && laid.exclude == ["*.pdf"])
        #expect(try scope(["--exclude", "*.pdf"]).include == ["a"])
    }

    // MARK: robots

    @Test func `the robots.txt of a page is found, along its redirects`() async throws {
        let server = try Site().server()
        let origin = "http://127.0.0.1:\(server.port)"
        let folder = try ScratchFolder()
        let open = try await PippinProcess.run(
            "pippin robots --agent X \(origin)/page --allow-private-networks", in: folder.url)
        #expect(open.status == 0, "\(open.errors)")
        #expect(
            open.output
                == "allowed  No rule for * matches.\nrobots.txt: \(origin)/robots.txt, redirected to \(origin)/rules.txt, status 200\ncrawl delay: 2.0 seconds\n"
        )
        let closed = try await PippinProcess.run(
            "pippin robots --agent X \(origin)/private --allow-private-networks", in: folder.url)
        #expect(closed.status == 1 && closed.output.hasPrefix("disallowed  Line 2, Disallow: /private"))
    }

    @Test(arguments: [("404 Not Found", 0, "status 404"), ("503 Busy", 3, "answers with status 503")])
    func `a site without a robots.txt allows everything, one whose file fails nothing`(
        status: String, exit: Int32, mentions: String
    ) async throws {
        let server = try LoopbackServer { _, connection in
            connection.respond(status)
            return .keepOpen
        }
        let folder = try ScratchFolder()
        let run = try await PippinProcess.run(
            "pippin robots --agent X http://127.0.0.1:\(server.port)/page --allow-private-networks", in: folder.url)
        #expect(run.status == exit, "\(run.output)\(run.errors)")
        #expect((run.output + run.errors).contains(mentions), "\(run.output)\(run.errors)")
    }

    @Test func `a file without the URL that is asked about is wrong usage`() async throws {
        let folder = try ScratchFolder()
        let run = try await PippinProcess.run("pippin robots --agent X robots.txt", in: folder.url)
        #expect(run.status == 2 && run.errors.contains("a file needs --url"), "\(run.errors)")
    }

    // MARK: init

    @Test func `a new job has the repository's files, which a check takes`() async throws {
        let folder = try ScratchFolder()
        let made = try await PippinProcess.run("pippin init jobs/news", in: folder.url)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.split(separator: "\n").count == 2 && made.errors.contains("pippin crawl --check"))
        for name in ["crawl-config.yaml", "seeds.txt"] {
            let written = try Data(contentsOf: folder.url.appending(path: "jobs/news/\(name)"))
            #expect(try written == Data(contentsOf: Repository.root.appending(path: name)))
        }
        let check = try await PippinProcess.run("cd jobs/news && pippin crawl --check", in: folder.url)
        // All is read; the example's contact is refused for the example's public host.
        #expect(check.status == 2)
        #expect(check.errors.contains("agent.contact is an example that reaches nobody"), "\(check.errors)")
        try folder.write("http://127.0.0.1:9/\n", to: "jobs/news/seeds.txt")
        let local = try await PippinProcess.run("cd jobs/news && pippin crawl --check", in: folder.url)
        #expect(local.status == 3 && local.output.contains("1 failed"), "\(local.errors)")
    }

    @Test func `files that exist are not replaced`() async throws {
        let folder = try ScratchFolder()
        try folder.write("mine", to: "seeds.txt")
        let run = try await PippinProcess.run("pippin init", in: folder.url)
        #expect(run.status == 2 && run.errors.contains("seeds.txt: exists; nothing was written"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "crawl-config.yaml").path))
    }
}
