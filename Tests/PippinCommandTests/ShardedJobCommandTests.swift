import Foundation
import PippinCrawl
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinPage

/// What each command does with the folder of a job in shards.
@Suite struct ShardedJobCommandTests {
    private static let count = 3

    /// A host of each shard.
    private static let hosts: [String] = (0..<count).map { number in
        (0..<100).map { "site\($0).example" }.first { Shard.number(ofHost: $0, among: count) == number } ?? ""
    }

    /// Writes the storages of a job in three shards with a record each.
    private static func make(in folder: URL, shards: [Int] = [0, 1, 2]) async throws {
        for number in shards {
            let storage = try CrawlStorage(folder: folder.appending(path: "job/shards/0\(number)"))
            guard let shard = Shard(number, of: count), let url = WebURL("https://\(hosts[number])/mug") else { return }
            let epoch = try storage.begin(EpochOrder(epoch: 1, shard: shard, duration: .seconds(60)), at: Date())
            let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl(), epoch: epoch)
            var record = DeepLinkRecord(
                uniqueIdentifier: url.href, domainIdentifier: hosts[number], url: url.href,
                fetchedAt: Date(), contentHash: "\(number)")
            record.title = "Mug number\(number)"
            var visit = FinishedVisit(
                request: CrawlRequest(url: url, seed: Seed(url: url), discovery: .seed, standsForSeed: true),
                outcome: .recorded, finishedAt: Date(), next: RecrawlPolicy.Next(wait: .seconds(86_400)),
                changes: [.upsert(RecordDocument(record))])
            visit.recordIdentifier = record.uniqueIdentifier
            _ = try await frontier.finish(visit)
            try await frontier.close(keeping: [])
        }
    }

    /// What a command answers: its status, and what its output or its messages mention.
    private struct Answer {
        let line: String
        let status: Int32
        let mentions: [String]

        init(_ line: String, _ status: Int32, _ mentions: String...) {
            (self.line, self.status, self.mentions) = (line, status, mentions)
        }
    }

    private static let answers: [Answer] = [
        Answer("status", 0, "A job in 3 shards; none is crawled now.", "3 URLs on 3 hosts are known", "last turn"),
        Answer("status --json", 0, "\"standings\"", "\"missing\": []"),
        Answer("why https://\(hosts[1])/mug", 0, "recorded  https://\(hosts[1])/mug"),
        Answer("search mug number2", 0, "Mug number2"),
        Answer("index update", 0, "the index has 3 records"),
        Answer("index rebuild", 0, "3 changes taken in; the index has 3 records"),
        Answer("check", 0, "ok      shard 0, database", "ok      shard 2, feed", "ok      search index: 3 documents"),
        Answer("check --fix --full", 0, "ok      shard 1, references"),
        Answer("compact", 0, "Database of shard 2: ", "Search index: "),
        Answer("forget --dry-run https://\(hosts[2])/mug", 0, #"{"urls":1,"records":1}"#),
        Answer("forget https://\(hosts[2])/mug", 0, #"{"urls":1,"records":1}"#),
        Answer("forget --dry-run '*.\(hosts[2])'", 1, "Nothing is known"),
        Answer("search number2", 1, "Nothing found"),
        Answer("export", 2, "it is a job in 3 shards", "pippin_spark records JOB", "job/shards/00"),
        Answer("export --history", 2, "pippin_spark records JOB"),
        Answer("export --links", 2, "pippin_spark records JOB"),
        Answer("notify", 2, "it is a job in 3 shards"),
        Answer("backup copy", 2, "it is a job in 3 shards", "/job/shards/00 and so on"),
        Answer("crawl https://a.test/ --contact a@a.test", 2, "`pippin_spark run` crawls it"),
        Answer("reshard --shard 0 --shards 1 job/shards/00", 2, "--storage names the folder of one new shard"),
    ]

    /// Those that the tests below try.
    private static let others = ["serve", "worker", "validate", "import", "mcp"]

    @Test func `each command with --storage has an answer for a job in shards`() async throws {
        let folder = try ScratchFolder()
        try await Self.make(in: folder.url)
        for place in ["job/shards", "job"] {
            for answer in Self.answers where place == "job" || answer.line.hasPrefix("status") {
                let run = try await PippinProcess.run("pippin \(answer.line) --storage \(place)", in: folder.url)
                #expect(run.status == answer.status, "\(answer.line): \(run.output)\(run.errors)")
                for text in answer.mentions {
                    #expect((run.output + run.errors).contains(text), "\(answer.line): \(run.output)\(run.errors)")
                }
            }
        }
        // Nobody has made a storage of the job's folder, and there is one index.
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "job").path) == ["shards"])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "job/shards").path)
        #expect(
            Set(names).isSubset(of: [
                "00", "01", "02", "search.sqlite", "search.sqlite.lock", "search.sqlite-wal", "search.sqlite-shm",
            ]))
        let help = try await PippinProcess.run("pippin --help", in: folder.url).output
        let commands = help.split(separator: "\n").compactMap { line in line.wholeMatch(of: #/ {2}([a-z-]+) .*/#)?.1 }
        #expect(commands.count > 15)
        let known = Set(Self.answers.map { String($0.line.prefix { $0 != " " }) } + Self.others)
        for command in commands {
            let help = try await PippinProcess.run(
                "pippin \(command) --help; pippin \(command) update --help", in: folder.url)
            if help.output.contains("--storage <") { #expect(known.contains(String(command)), "\(command)") }
        }
    }

    @Test func `agents ask a job in shards`() async throws {
        let folder = try ScratchFolder()
        try await Self.make(in: folder.url)
        func call(_ id: Int, _ tool: String, _ arguments: String) -> String {
            let meta =
                #""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#
            return #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(tool)","#
                + #""arguments":\#(arguments),"_meta":{\#(meta)}}}"# + "\n"
        }
        try folder.write(
            call(1, "search", #"{"q":"mug number2"}"#) + call(2, "why", #"{"url":"https://\#(Self.hosts[1])/mug"}"#),
            to: "messages")
        let run = try await PippinProcess.run(
            "pippin index update --storage job && pippin mcp --storage job < messages", in: folder.url)
        #expect(run.status == 0 && run.output.contains("Mug number2"), "\(run.output)\(run.errors)")
        #expect(run.output.contains("recorded"), "\(run.output)\(run.errors)")
        #expect(!run.output.contains("\"isError\":true") && !run.output.contains("\"error\":{"), "\(run.output)")
    }

    @Test func `nothing is imported into shards`() async throws {
        let folder = try ScratchFolder()
        try await Self.make(in: folder.url)
        try folder.write("agent: { contact: a@a.test }\n", to: "config.yaml")
        try folder.write("https://a.test/\n", to: "seeds.txt")
        let run = try await PippinProcess.run(
            "pippin import seeds.txt --config config.yaml --storage job", in: folder.url)
        #expect(run.status == 2 && run.errors.contains("Put the URLs into the job's seeds"), "\(run.errors)")
    }

    @Test func `a worker wants the storage of one shard`() async throws {
        let folder = try ScratchFolder()
        try await Self.make(in: folder.url)
        try folder.write("agent: { contact: a@a.test }\n", to: "config.yaml")
        try folder.write("https://a.test/\n", to: "seeds.txt")
        let begin = #"{"v":3,"type":"begin","turn":2,"shard":0,"shards":3,"by":"site-1","for":"1m"}"#
        let run = try await PippinProcess.run(
            "{ echo '\(begin)'; sleep 5; } | pippin worker --config config.yaml --seeds seeds.txt --storage job",
            in: folder.url)
        #expect(run.status == 2 && run.errors.contains("A worker has the storage of one shard"), "\(run.errors)")
    }

    @Test func `shards that are not here are named by each command that reads all`() async throws {
        let folder = try ScratchFolder()
        try await Self.make(in: folder.url, shards: [0, 2])
        let absence = "The storage of shard 1 of 3 is not here: what it has is left out."
        for command in ["status", "search mug", "index update", "check", "compact", "forget --dry-run '*.example'"] {
            let run = try await PippinProcess.run("pippin \(command) --storage job", in: folder.url)
            #expect((run.output + run.errors).contains(absence), "\(command): \(run.output)\(run.errors)")
        }
        let lost = try await PippinProcess.run("pippin forget \(Self.hosts[1]) --storage job", in: folder.url)
        #expect(lost.status == 6 && lost.errors.contains("belongs to shard 1 of 3, whose storage is not here"))
        try folder.write("{}", to: "elsewhere/shards.json")
        let elsewhere = try await PippinProcess.run("pippin status --storage elsewhere", in: folder.url)
        #expect(
            elsewhere.status == 6 && elsewhere.errors.contains("--storage names the folder that has them"),
            "\(elsewhere.errors)")
    }

    @Test func `what some shards have forgotten is told and leaves the index, though others cannot`() async throws {
        let folder = try ScratchFolder()
        try await Self.make(in: folder.url)
        let job = folder.url.appending(path: "job")
        #expect(try await PippinProcess.run("pippin index update --storage job", in: folder.url).status == 0)
        do {
            let holder = try CrawlStorage(folder: job.appending(path: "shards/02"))
            let run = try await PippinProcess.run("pippin forget '*.example' --storage job", in: folder.url)
            #expect(run.status == 7 && run.output.contains(#"{"urls":2,"records":2}"#), "\(run.output)\(run.errors)")
            withExtendedLifetime(holder) {}
        }
        #expect(try SearchIndex(folder: job).standing().documents == 1)
        // One is gone that may have had some.
        try FileManager.default.removeItem(at: job.appending(path: "shards/01"))
        for option in ["--dry-run", ""] {
            let run = try await PippinProcess.run("pippin forget \(option) '*.example' --storage job", in: folder.url)
            #expect(run.status == 6 && run.output.contains(#"{"urls":1,"records":1}"#), "\(run.output)\(run.errors)")
            #expect(run.errors.contains("The storage of shard 1 of 3 is not here"), "\(run.errors)")
        }
        #expect(try SearchIndex(folder: job).standing().documents == 0)
    }

    @Test func `a server's pictures and the index forget what shards do, whichever folder is named`() async throws {
        let folder = try ScratchFolder()
        try await Self.make(in: folder.url)
        let job = folder.url.appending(path: "job")
        #expect(try await PippinProcess.run("pippin index update --storage job", in: folder.url).status == 0)
        for (number, place) in ["job", "job/shards", "job/shards/02"].enumerated() {
            // Where a server keeps them that was started with either folder.
            let pictures = ["job", "job/shards"].map { folder.url.appending(path: "\($0)/thumbnails") }
            for picture in pictures {
                try FileManager.default.createDirectory(at: picture, withIntermediateDirectories: true)
            }
            let run = try await PippinProcess.run(
                "pippin forget \(Self.hosts[number]) --storage \(place)", in: folder.url)
            #expect(run.status == 0, "\(run.errors)")
            for picture in pictures {
                #expect(!FileManager.default.fileExists(atPath: picture.path), "\(place): \(picture.path)")
            }
            #expect(try SearchIndex(folder: job).standing().documents == 2 - number, "\(place)")
        }
    }

    @Test func `in a machine's copy of a shard nothing is forgotten`() async throws {
        let folder = try ScratchFolder()
        try await Self.make(in: folder.url)
        try folder.write("{}", to: "job/shards/02/shard.json")
        for (host, place) in [(Self.hosts[2], "job"), ("'*.example'", "job/shards"), (Self.hosts[2], "job/shards/02")] {
            let run = try await PippinProcess.run("pippin forget \(host) --storage \(place)", in: folder.url)
            #expect(run.status == 2 && run.output.isEmpty, "\(run.output)\(run.errors)")
            #expect(run.errors.contains("machine's copy of a shard that moves"), "\(run.errors)")
        }
        try folder.write(#"{"version":1,"shards":3,"by":"site-1"}"#, to: "job/shards.json")
        let run = try await PippinProcess.run("pippin forget \(Self.hosts[2]) --storage job", in: folder.url)
        #expect(run.status == 0 && run.output.contains(#"{"urls":1,"records":1}"#), "\(run.output)\(run.errors)")
    }

    @Test func `one shard has no search index of its own`() async throws {
        let folder = try ScratchFolder()
        try await Self.make(in: folder.url)
        for command in ["search mug", "index update", "index rebuild", "serve --port 0"] {
            let run = try await PippinProcess.run("pippin \(command) --storage job/shards/02", in: folder.url)
            #expect(run.status == 2, "\(command): \(run.output)\(run.errors)")
            #expect(run.errors.contains("one search index in common: --storage"), "\(run.errors)")
        }
        #expect(!SearchIndexer.hasIndex(in: folder.url.appending(path: "job/shards/02")))
        // What shows one shard takes it.
        let run = try await PippinProcess.run("pippin status --storage job/shards/02", in: folder.url)
        #expect(run.status == 0)
    }

    @Test func `check says which shard cannot be read, and checks the others`() async throws {
        let folder = try ScratchFolder()
        try await Self.make(in: folder.url, shards: [0, 2])
        try folder.write(String(repeating: "no database", count: 999), to: "job/shards/01/pippin.sqlite")
        let run = try await PippinProcess.run("pippin check --storage job", in: folder.url)
        #expect(run.status == 1 && run.output.contains("WRONG   shard 1, database: "), "\(run.output)\(run.errors)")
        #expect(run.output.contains("ok      shard 2, database"), "\(run.output)\(run.errors)")
        // The driver restores it.
        try folder.write("", to: "job/shards/01/.half-restored")
        let later = try await PippinProcess.run("pippin check --storage job", in: folder.url)
        #expect(later.status == 0 && later.errors.contains("shard 1 (it is being restored"), "\(later.errors)")
    }

    @Test func `serve shows a job in shards`() async throws {
        let folder = try ScratchFolder()
        try await Self.make(in: folder.url, shards: [0, 2])
        let url = "https%3A%2F%2F\(Self.hosts[2])%2Fmug"
        let lost = "https%3A%2F%2F\(Self.hosts[1])%2Fmug"
        let script = """
            pippin serve --storage job --port 0 > out & SERVER=$!
            while ! grep -q Serving out; do sleep 0.1; done
            AT=$(sed -n 's/.*\\(http:[^ ]*\\)\\/ .*/\\1/p' out)
            for i in 1 2 3 4 5 6 7 8 9 10; do
              curl -s "$AT/api/v1/search?q=mug" | grep -q number2 && break; sleep 0.5
            done
            curl -s "$AT/api/v1/search?q=mug" > search; curl -s "$AT/" > home; curl -s "$AT/crawl" > crawl
            curl -s "$AT/api/v1/record?url=\(url)" > record; curl -s "$AT/api/v1/record?url=\(lost)" > lost
            curl -s "$AT/api/v1/site" > site; curl -s "$AT/site" > sitepage; curl -s "$AT/metrics" > metrics
            kill -INT $SERVER; wait $SERVER
            """
        let run = try await PippinProcess.run(script, in: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        for (name, words) in [
            ("search", ["number0", "number2", "The storage of shard 1 of 3 is not here"]),
            ("home", ["<b>2</b> records"]), ("crawl", ["<h2>Shards</h2>", "shard 1 of 3 is not here"]),
            ("record", ["Mug number2"]), ("lost", ["whose storage is not here"]),
            ("site", ["A job in shards has no site report"]), ("sitepage", ["A job in shards has no site report"]),
            ("metrics", ["pippin_index_records 2"]),
        ] {
            let text = try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
            for word in words { #expect(text.contains(word), "\(name): \(text)") }
        }
    }
}
