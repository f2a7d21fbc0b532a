import Foundation
import PippinTestSupport
import Testing

/// Examples/opensearch: an index that follows a job has what a whole export has, and finds what `pippin search` finds.
///
/// The index is osmem, which answers as OpenSearch does and refuses what it refuses; the README says what it cannot do.
@Suite struct OpenSearchExampleTests {
    private static let folder = Repository.root.appending(path: "Examples/opensearch")
    private static let program = folder.appending(path: "pippin_index.py").path

    /// The commands of the example's README, with the index and the storage of a test.
    private static func commands(_ index: String) throws -> [String] {
        let page = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("./pippin_index.py") }
        #expect(lines.count == 4)
        return lines.map {
            String($0).replacing("./pippin_index.py", with: "'\(program)'").replacing(
                "http://127.0.0.1:9200", with: index
            )
            .replacing("/srv/crawl-data", with: "storage").replacing(
                "--languages en,de,fr", with: "--languages en,fr")
        }
    }

    /// Runs `body` with the address of an index without documents.
    private func withIndex<Answer>(
        in scratch: borrowing ScratchFolder, _ body: (String) async throws -> Answer
    ) async throws -> Answer {
        let log = scratch.url.appending(path: "index.log")
        let process = try TestTool("osmem-server").start(
            ["-no-stdin-watch", "-parent-pid", "\(getpid())"], in: scratch.url, log: log)
        defer { process.terminate() }
        var address: String?
        while address == nil {
            try #require(process.isRunning, "the index did not start")
            let line = try String(contentsOf: log, encoding: .utf8)
            // Its first line says where it listens, once it does.
            if line.contains("\n") { address = line.firstMatch(of: /"url":"([^"]+)"/).map { String($0.1) } }
            try await Task.sleep(for: .milliseconds(20))
        }
        return try await body(#require(address))
    }

    @discardableResult
    private func run(
        _ arguments: String, status: Int32 = 0, in scratch: borrowing ScratchFolder,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> PippinProcess {
        let run = try await PippinProcess.run("'\(Self.program)' \(arguments)", in: scratch.url)
        #expect(
            run.status == status, "\(arguments): \(run.output) \(run.errors)", sourceLocation: location)
        return run
    }

    /// The documents of an index, by identifier.
    private func documents(
        _ index: String, in scratch: borrowing ScratchFolder
    ) async throws -> [String: NSDictionary] {
        let fetched = try await PippinProcess.run("wget -qO- '\(index)/pages/_search?size=1000'", in: scratch.url)
        let answer = try #require(
            try JSONSerialization.jsonObject(with: Data(fetched.output.utf8)) as? [String: Any], "\(fetched.errors)")
        let hits = try #require((answer["hits"] as? [String: Any])?["hits"] as? [[String: Any]])
        return try Dictionary(
            uniqueKeysWithValues: hits.map {
                (try #require($0["_id"] as? String), try #require($0["_source"] as? NSDictionary))
            })
    }

    private func exported(in scratch: borrowing ScratchFolder) async throws -> [String: NSDictionary] {
        let export = try await PippinProcess.run("pippin export", in: scratch.url)
        return try Dictionary(
            uniqueKeysWithValues: export.output.split(separator: "\n").dropLast().map { line in
                let record = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary)
                return (try #require(record["uniqueIdentifier"] as? String), record)
            })
    }

    @Test func `an index that takes in changes has what a whole export has`() async throws {
        let scratch = try ScratchFolder()
        let site = try ChangingSite()
        try site.writeJob(in: scratch)
        try await withIndex(in: scratch) { index in
            try await run("template --url \(index) --languages en,fr", in: scratch)
            let rounds: [[Int: String]] = [
                [1: "one", 2: "two", 3: "three", 4: "four"], [1: "one", 2: "two again", 3: "three", 5: "five"],
                [1: "one", 3: "three"], [1: "one, changed", 2: "two again", 3: "three", 4: "four", 6: "six"],
            ]
            for (number, titles) in rounds.enumerated() {
                // Links differ from round to round, and with them popularities of pages that stay as they are.
                site.show(titles, linking: (1...6).filter { $0 % (number + 1) != 0 || number == 0 })
                let crawl = try await PippinProcess.run("pippin crawl --quiet", in: scratch.url)
                #expect(crawl.status == 0, "\(crawl.errors)")
                try await run("load --url \(index) --storage storage --batch 3 --batch-bytes 900", in: scratch)
                let whole = try await exported(in: scratch)
                #expect(try await documents(index, in: scratch) == whole && whole.count >= titles.count)
                // From the beginning again, as after the cursor was lost: nothing becomes older than it is.
                try await run("load --url \(index) --storage storage --cursor-file lost-\(number)", in: scratch)
                #expect(try await documents(index, in: scratch) == whole)
                #expect(try await run("load --url \(index) --storage storage", in: scratch).output == "nothing new\n")
            }
        }
    }

    private func job(in scratch: borrowing ScratchFolder) async throws -> ChangingSite {
        let site = try ChangingSite()
        try site.writeJob(in: scratch)
        site.show(Dictionary(uniqueKeysWithValues: (1...30).map { ($0, "page \($0)") }), linking: 1...30)
        let crawl = try await PippinProcess.run("pippin crawl --quiet", in: scratch.url)
        #expect(crawl.status == 0, "\(crawl.errors)")
        return site
    }

    @Test func `a busy index gets again what it has refused, and only that`() async throws {
        let scratch = try ScratchFolder()
        let site = try await job(in: scratch)
        let refused: Set = [site.url("/3"), site.url("/7")]
        let now = ["Retry-After: 0"]
        let index = try BulkIndexServer([
            .status("429 Too Many Requests", fields: now), .status("503 Service Unavailable", fields: now),
            .takesAndCuts,
            .refuses(refused, status: 429, error: "rejected_execution_exception"), .forgetsLast, .takesAndCutsAnswer,
            .answers("{}"), .status("413 Content Too Large"),
        ])
        let loading = try await run("load --url \(index.url) --storage storage", in: scratch)
        #expect(loading.output.hasPrefix("31 indexed"), "\(loading.output)")
        let expected = (["/"] + (1...30).map { "/\($0)" }).map { site.url($0) }.sorted()
        #expect(index.documents == expected && index.faults == [])
        let requests = index.requests
        #expect(requests[..<4].allSatisfy { $0.count == 31 })
        #expect(requests[4...].allSatisfy { Set($0) == refused || refused.isSuperset(of: $0) }, "\(requests)")
    }

    @Test func `an index that stays busy leaves the cursor where it was`() async throws {
        let scratch = try ScratchFolder()
        let site = try await job(in: scratch)
        let index = try BulkIndexServer([.proper] + Array(repeating: .status("429 Too Many Requests"), count: 50))
        let down = try await run(
            "load --url \(index.url) --storage storage --batch 10 --give-up-after 1", status: 6, in: scratch)
        #expect(down.errors.contains("the index takes nothing for too long: status 429"), "\(down.errors)")
        #expect(down.output == "10 indexed\n")
        let taken = index.documents
        index.withState { $0.behaviors = [] }
        let up = try await run("load --url \(index.url) --storage storage --batch 10", in: scratch)
        #expect(up.output == "21 indexed\n" && taken.count == 10 && index.documents.count == 31 && index.faults == [])
        #expect(Set(taken).isDisjoint(with: index.requests.suffix(3).joined()))
        _ = site
    }

    @Test func `a document that the mapping refuses is told and kept, and the others go on`() async throws {
        let scratch = try ScratchFolder()
        let site = try await job(in: scratch)
        let index = try BulkIndexServer([
            .refuses([site.url("/5")], status: 400, error: "mapper_parsing_exception")
        ])
        let loading = try await run(
            "load --url \(index.url) --storage storage --rejected rejected.ndjson", status: 1, in: scratch)
        #expect(loading.errors == "rejected \(site.url("/5")): 400 because\n", "\(loading.errors)")
        #expect(loading.output == "30 indexed, 1 rejected\n")
        let kept = try String(contentsOf: scratch.url.appending(path: "rejected.ndjson"), encoding: .utf8)
        #expect(kept.split(separator: "\n").count == 2 && kept.contains("\"title\":\"page 5\""))
    }

    @Test(arguments: [
        ("401 Unauthorized", "status 401"), ("403 Forbidden", "status 403"), ("404 Not Found", "status 404"),
        ("302 Found", "status 302"),
    ])
    func `an index that will never take anything ends the run at once`(line: String, words: String) async throws {
        let scratch = try ScratchFolder()
        _ = try await job(in: scratch)
        let index = try BulkIndexServer([.status(line, fields: ["Location: http://127.0.0.1:1/"])])
        let loading = try await run("load --url \(index.url) --storage storage", status: 6, in: scratch)
        #expect(loading.errors.contains(words) && index.requests.count == 1, "\(loading.errors)")
    }

    @Test func `credentials are sent over https only, and read from a file that nobody else reads`() async throws {
        let scratch = try ScratchFolder()
        try scratch.write("machine 127.0.0.1 login pippin password secret\n", to: "netrc")
        func refusal(_ options: String, _ url: String) async throws -> String {
            try await run("load --url \(url) \(options)", status: 6, in: scratch).errors
        }
        chmod(scratch.url.appending(path: "netrc").path, 0o644)
        #expect(try await refusal("--netrc-file netrc", "https://127.0.0.1:1").contains("readable for others"))
        chmod(scratch.url.appending(path: "netrc").path, 0o600)
        #expect(try await refusal("--netrc-file netrc", "http://127.0.0.1:1").contains("only sent over https"))
        #expect(try await refusal("--auth-env NO_SUCH_VARIABLE", "https://127.0.0.1:1").contains("has no credentials"))
        #expect(try await refusal("", "http://pippin:secret@127.0.0.1:1").contains("not the address"))
    }

    /// Queries that find the same in both, by what the demo's records have.
    private static let queries =
        [
            "mug", "mug -sold", "blue mug", "\"holds exactly one sigh\"", "-mug", "mugs", "tart OR mug", "slow-motion",
            "type:recipe", "type:event", "type:place", "type:product", "type:organization", "type:music", "type:film",
            "type:news", "type:creativework", "type:shop",
            "site:localhost", "site:shop.localhost", "site:www.shop.localhost", "site:https://shop.localhost/x",
            "site:hop.localhost", "site:shop.localhost OR site:pantry.localhost",
            "lang:en", "lang:de", "lang:DE", "lang:de-at", "lang:ja",
            "rating:>4", "rating:>=4.5", "rating:<4", "rating:=5", "rating:4,5", "rating:<=4.6",
            "after:2026", "before:2026-10", "after:2026-09 before:2026-11-05", "before:2020",
            "author:bella", "author:lee", "title:mug", "title:\"apple tart\"", "title:\"tart apple\"",
            "app:pantry", "app:\"clown fair\"", "apple tart type:recipe has:deeplink rating:>1",
        ]
        + [
            "deeplink", "verified", "image", "audio", "video", "rating", "price", "event", "recipe", "author", "date",
            "call", "directions", "play", "search",
        ].map { "has:\($0)" }

    /// Any text is a query that the index can read.
    private static let oddTexts = [
        "\"", "-", "- -", "OR", "a OR", "OR a", "site:", "site:/", "type:!", "has:nothing", "rating:9", "after:2026-13",
        "((((", "*", "a:b:c", "-type:recipe", "http://", "lang:x", "\"\"", "title:\"", "a AND b", "{}[]\\", "app:*",
        String(repeating: "long ", count: 300), "site:\u{1F600} \u{202E}x",
    ]

    @Test(.slow) func `a query finds what pippin search finds`() async throws {
        let scratch = try ScratchFolder()
        let demo = Repository.root.appending(path: "Examples/demo-site").path
        try await DemoProcess.serving(site: URL(filePath: demo), folder: scratch.url) { _ in
            // Without an index of its own while it crawls: that would have the pages' texts, which records here do not have.
            try scratch.write(
                """
                agent: { contact: "https://example.org/bot" }
                politeness: { delay: 0s, adaptive: false }
                fetch: { allow_private_networks: true, ca_file: ca.pem, retries: 0 }
                storage: storage

                """, to: "crawl-config.yaml")
            let crawl = try await PippinProcess.run("pippin crawl --quiet", in: scratch.url)
            try #require([0, 3].contains(crawl.status), "\(crawl.errors)")
        }
        try await withIndex(in: scratch) { index in
            try await run("template --url \(index) --languages en,es,fr,no,ru,sv", in: scratch)
            try await run("load --url \(index) --storage storage", in: scratch)
            var found = 0
            for query in Self.queries {
                let ours = try await PippinProcess.run(
                    "pippin search --storage storage --json --exact --limit 100 -- '\(query)'", in: scratch.url)
                let theirs = try await run("search --url \(index) --size 100 --json -- '\(query)'", in: scratch)
                struct Ours: Decodable {
                    struct Hit: Decodable { let identifier: String }
                    let hits: [Hit]
                }
                struct Theirs: Decodable {
                    struct Hit: Decodable { let _id: String }
                    struct Hits: Decodable { let hits: [Hit] }
                    let hits: Hits
                }
                let expected = try JSONDecoder().decode(Ours.self, from: Data(ours.output.utf8)).hits.map(\.identifier)
                let hits = try JSONDecoder().decode(Theirs.self, from: Data(theirs.output.utf8)).hits.hits.map(\._id)
                #expect(
                    Set(hits) == Set(expected),
                    "\(query): \(Set(hits).symmetricDifference(expected).sorted()) of \(expected.count)")
                found += expected.count
            }
            #expect(found > 500)
            // What the README shows, with the languages that osmem has.
            for line in try Self.commands(index) {
                let shown = try await PippinProcess.run(line, in: scratch.url)
                #expect(shown.status == 0 && !shown.output.isEmpty, "\(line): \(shown.errors)")
            }
            for text in Self.oddTexts { try await run("search --url \(index) -- '\(text)'", in: scratch) }
            let near = try await run("search --url \(index) 'tighrope'", in: scratch)
            #expect(near.output.contains("The low tightrope") && near.output.contains("Did you mean: tightrope"))
            let typed = try await run("suggest --url \(index) 'apple t'", in: scratch)
            #expect(typed.output.contains("Apple tart"), "\(typed.output)")
            let shown = try await run("search --url \(index) --json 'mug'", in: scratch)
            for part in ["\"highlight\"", "<mark>Mug</mark>", "\"aggregations\"", "\"lang\"", "\"rating\""] {
                #expect(shown.output.contains(part), "\(part)")
            }
        }
    }
}
