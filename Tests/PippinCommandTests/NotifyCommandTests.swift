import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// From a site's ping to the visit of its page, with the programs and over real sockets.
@Suite(.slow) struct NotifyCommandTests {
    private static let key = "0123456789abcdef"

    /// Serves a copy of the demo with key files, with a job of `pantry.example` beside it, while `body` runs.
    private func withJob(_ body: (_ folder: URL, _ site: URL, _ pantry: String) async throws -> Void) async throws {
        let folder = try ScratchFolder()
        let site = folder.url.appending(path: "site")
        try FileManager.default.copyItem(at: Repository.root.appending(path: "Examples/demo-site"), to: site)
        try folder.write(Self.key, to: "site/pantry.example/\(Self.key).txt")
        // A crawler may not ask for it.
        try folder.write(Self.key, to: "site/pantry.example/find/key.txt")
        // It is moved, as pages of users are.
        let responses = site.appending(path: "pantry.example/responses.json")
        let text = try String(contentsOf: responses, encoding: .utf8)
        let moved =
            "{\"/moved.txt\": {\"location\": \"https://pantry.example/\(Self.key).txt\"},"
            + text.drop { $0 != "{" }.dropFirst()
        try Data(moved.utf8).write(to: responses)
        try await DemoProcess.serving(site: site, folder: folder.url) { [folder = folder.url] demo in
            let pantry = try demo.origin(of: "pantry.example")
            try Data("\(pantry)/recipes/\n".utf8).write(to: folder.appending(path: "pantry.txt"))
            try Data(
                """
                agent: { contact: "https://example.org/bot" }
                seeds: pantry.txt
                scope: { sitemaps: false, max_depth: 1, exclude: ["*/listen*"] }
                politeness: { delay: 20ms }
                fetch: { allow_private_networks: true, ca_file: ca.pem }
                recrawl: { min_interval: 1s, default_interval: 7d }
                records: all
                output: { log: log.jsonl }
                storage: job

                """.utf8
            ).write(to: folder.appending(path: "pantry.yaml"))
            try await body(folder, site, pantry)
        }
    }

    /// Runs `pippin notify` for the job while `body` runs.
    private func notified(_ folder: URL, _ body: (_ address: String) async throws -> Void) async throws {
        let arguments = [
            "notify", "--name", "ping.example.org", "--proxy", "127.0.0.1", "--config", "pantry.yaml", "--port", "0",
        ]
        try await ServerProcess.serving(arguments, in: folder) { try await body($0 + "indexnow") }
    }

    /// The status of a ping, when its key is known to be right or wrong.
    private func ping(
        _ address: String, _ url: String, key: String = key, location: String? = nil, in folder: URL
    ) async throws -> String {
        // One client may not have many keys asked for.
        let client = "192.0.2.\(location?.utf8.count ?? 1)"
        let more = location.map { " --data-urlencode 'keyLocation=\($0)'" } ?? ""
        for _ in 0..<300 {
            let run = try await PippinProcess.run(
                "curl -sS -o answer -w '%{http_code}' -H 'X-Forwarded-For: \(client)' -G '\(address)' --data-urlencode 'url=\(url)' --data-urlencode 'key=\(key)'\(more)",
                in: folder)
            if run.output != "202" { return run.output }
            try await Task.sleep(for: .milliseconds(50))
        }
        return "202"
    }

    @Test func `a page that its site tells of is visited in the next run`() async throws {
        try await withJob { folder, _, pantry in
            let first = try await PippinProcess.run("pippin crawl --config pantry.yaml", in: folder)
            #expect(first.status == 0, "\(first.errors)")
            // The frontier keeps times in seconds.
            try await Task.sleep(for: .seconds(1.1))
            let pie = "\(pantry)/recipes/apple-tart.html"
            try await notified(folder) { address async throws in
                #expect(try await ping(address, pie, in: folder) == "200")
                // Below the depth of links, but the site has told of it.
                #expect(try await ping(address, "\(pantry)/premium.html", in: folder) == "200")
                #expect(try await ping(address, "\(pantry)/listen/", in: folder) == "422")
                #expect(try await ping(address, "https://example.org/", in: folder) == "422")
                let hidden = "\(pantry)/listen-key.txt"
                #expect(try await ping(address, pie, location: hidden, in: folder) == "422")
                for place in ["/find/key.txt", "/moved.txt", "/recipes/index.html"] {
                    let page = place.hasPrefix("/find") ? "\(pantry)/find/x" : pie
                    #expect(try await ping(address, page, location: pantry + place, in: folder) == "403", "\(place)")
                }
                #expect(try await ping(address, pie, key: "fedcba9876543210", in: folder) == "403")
            }
            let before = try String(contentsOf: folder.appending(path: "log.jsonl"), encoding: .utf8)
            let second = try await PippinProcess.run("pippin crawl --config pantry.yaml", in: folder)
            #expect(second.status == 0 && second.errors.contains("sites told of changes: 2 pages"), "\(second.errors)")
            let log = try String(contentsOf: folder.appending(path: "log.jsonl"), encoding: .utf8).dropFirst(
                before.count)
            #expect(log.contains(pie) && log.contains("\(pantry)/premium.html"), "\(log)")
            #expect(!log.contains("\(pantry)/recipes/rye-bread.html"), "\(log)")
            let third = try await PippinProcess.run("pippin crawl --config pantry.yaml", in: folder)
            #expect(!third.errors.contains("sites told"), "\(third.errors)")
        }
    }

    @Test func `pages that the full queue does not take wait for another run`() async throws {
        try await withJob { folder, _, pantry in
            let text = try String(contentsOf: folder.appending(path: "pantry.yaml"), encoding: .utf8)
            try Data(text.replacing("max_depth: 1", with: "max_depth: 1, max_pages: 1").utf8)
                .write(to: folder.appending(path: "few.yaml"))
            let inbox = folder.appending(path: "job/pings.ndjson")
            try FileManager.default.createDirectory(
                at: inbox.deletingLastPathComponent(), withIntermediateDirectories: true)
            let lines = (0..<1_300).map { #"{"url":"\#(pantry)/recipes/\#($0).html","at":"2026-11-01T00:00:00Z"}"# }
            try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: inbox)
            let run = try await PippinProcess.run("pippin crawl --config few.yaml", in: folder)
            let told = try #require(run.errors.firstMatch(of: /(\d+) for another run because the queue is full/))
            let left = try String(contentsOf: inbox, encoding: .utf8).split(separator: "\n").map(String.init)
            #expect(Int(told.1) == left.count && (100..<1_300).contains(left.count), "\(run.errors)")
            #expect(Set(left).isSubset(of: lines))
        }
    }

    @Test func `pings are received while a run holds the storage`() async throws {
        try await withJob { folder, _, pantry in
            try await notified(folder) { address async throws in
                async let run = PippinProcess.run("pippin crawl --config pantry.yaml", in: folder)
                #expect(try await ping(address, "\(pantry)/recipes/pancakes.html", in: folder) == "200")
                #expect(try await run.status == 0)
            }
        }
    }

    @Test(arguments: [
        ("--config nowhere.yaml", "nowhere.yaml"), ("--port 70000", "--port"), ("--name https://x", "--name"),
        ("--proxy nonsense", "--proxy"), ("", "crawl-config.yaml"),
    ])
    func `wrong arguments are told`(arguments: String, names: String) async throws {
        let folder = try ScratchFolder()
        try folder.write("https://example.org/\n", to: "seeds.txt")
        if arguments.contains("--proxy") { try folder.write("seeds: seeds.txt\n", to: "crawl-config.yaml") }
        let run = try await PippinProcess.run("pippin notify \(arguments)", in: folder.url)
        #expect(run.status == 2 && run.errors.contains(names), "\(run.errors)")
    }
}
