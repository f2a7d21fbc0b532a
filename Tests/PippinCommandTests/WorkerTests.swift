import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// `pippin worker` as its driver sees it.
@Suite(.ends) struct WorkerTests {
    /// A record without the moments of its visits, and without the popularity that one machine gives it.
    private static func timeless(_ json: String) -> String {
        json.replacing(/"(fetchedAt|since)":"[^"]*"/) { "\"\($0.1)\"" }
            .replacing(/,"popularity":("link-graph"|[0-9.]+)/, with: "")
    }

    private static func shard(of json: String) throws -> Int {
        var parser = JSONParser()
        return try parser.parse(json)["shard"]?.integer ?? -1
    }

    /// Runs a job in two shards to its end.
    ///
    /// - Parameter kills: how many tries of each epoch of each shard are killed, after so many seconds.
    /// - Returns: the records, and the keys of all foreign lines.
    private func crawl(
        _ folder: URL, epoch duration: String, kills: (_ epoch: Int, _ shard: Int) -> [Double] = { _, _ in [] }
    ) async throws -> (records: [String: String], foreign: [String], epochs: Int) {
        var cursors: [String?] = [nil, nil]
        var inbox: [[String]] = [[], []]
        var records: [String: String] = [:]
        var foreign: [String] = []
        for epoch in 1...30 {
            var next: [[String]] = [[], []]
            var isOver = true
            for shard in 0..<2 {
                let requests = inbox[shard].map { #"{"type":"request","# + $0.dropFirst() }
                let input =
                    [WorkerRun.begin(shard, of: 2, epoch: epoch, for: duration, cursor: cursors[shard])] + requests
                    + [WorkerRun.end]
                func start() throws -> WorkerRun {
                    try WorkerRun(folder, storage: "shards/\(shard)", ["--wait-for-storage", "20s"], lines: input)
                }
                for seconds in kills(epoch, shard) {
                    let run = try start()
                    try await Task.sleep(for: .seconds(seconds))
                    run.signal(SIGKILL)
                    _ = try await run.status()
                }
                let run = try start()
                let status = try await run.status()
                let told = try #require(try run.told(), "status \(status): \(run.errors)")
                #expect(status == 0 && run.errors.isEmpty, "\(run.errors)")
                let start = cursors[shard].flatMap { $0.split(separator: "-").last.flatMap { Int($0) } } ?? 0
                #expect(told.lines.allSatisfy { $0.sequence > start })
                #expect(Set(told.lines.map(\.sequence)).count == told.lines.count)
                cursors[shard] = told.cursor
                for line in told.lines where line.kind == "record" { records[line.key] = Self.timeless(line.json) }
                for line in told.lines where line.kind == "foreign" {
                    foreign.append("\(shard) \(line.key)")
                    next[try Self.shard(of: line.json)].append(line.json)
                }
                if told.done["ending"]?.string != "finished" { isOver = false }
            }
            inbox = next
            if isOver, next.allSatisfy(\.isEmpty) { return (records, foreign, epoch) }
        }
        Issue.record("the shards never come to an end")
        return (records, foreign, 30)
    }

    @Test(.slow)
    func `shards whose workers are killed lose nothing, tell all once, and repeat only what was in flight`()
        async throws
    {
        let folder = try ScratchFolder()
        let site = try ShardedSite(hosts: 4, pages: 25)
        try site.writeJob(in: folder)
        let one = try await PippinProcess.run("pippin crawl --config config.yaml --quiet", in: folder.url)
        #expect(one.status == 0, "\(one.errors)")
        var expected: [String: String] = [:]
        for line in try String(contentsOf: folder.url.appending(path: "one.ndjson"), encoding: .utf8).split(
            separator: "\n")
        {
            var parser = JSONParser()
            let record = try parser.parse(String(line))
            // A popularity alone: what is compared has none.
            if record["schemaVersion"] == nil, record["deleted"] == nil { continue }
            expected[record["uniqueIdentifier"]?.string ?? ""] = Self.timeless(String(line))
        }
        #expect(expected.count == 100)
        let askedByOne = Set(site.asked.keys)
        site.forgetAsked()
        var random = SeededNumbers(seed: 16)
        var killed = 0
        let plan = (0..<8).map { _ in
            (0..<2).map { _ in (0..<2).map { _ in 0.05 + Double(random.next() % 500) / 1000 } }
        }
        let crawl = try await crawl(folder.url, epoch: "2s") { epoch, shard in
            guard epoch <= plan.count else { return [] }
            killed += plan[epoch - 1][shard].count
            return plan[epoch - 1][shard]
        }
        #expect(crawl.records == expected)
        #expect(!crawl.foreign.isEmpty && Set(crawl.foreign).count == crawl.foreign.count)
        let asked = site.asked.filter { Int($0.key.split(separator: "/").last ?? "") != nil || $0.key.hasSuffix("/") }
        #expect(Set(site.asked.keys) == askedByOne)
        let repeated = asked.values.reduce(0) { $0 + $1 - 1 }
        // At most one request of each host is in flight.
        #expect(repeated <= killed * site.hosts, "\(repeated) repeated after \(killed) kills")
    }

    @Test(.slow) func `the end of the input ends a worker at once, and the epoch can be tried again`() async throws {
        let folder = try ScratchFolder()
        let site = try ShardedSite(hosts: 1, pages: 40)
        try site.writeJob(in: folder)
        site.answer(after: 0.2)
        let run = try WorkerRun(folder.url, storage: "s", lines: [WorkerRun.begin(0, of: 1), WorkerRun.end])
        try await waitUntil("pages are asked for") { site.asked.count > 2 }
        let start = ContinuousClock.now
        run.closeInput()
        #expect(try await run.status() == 5)
        #expect(ContinuousClock.now - start < .seconds(2))
        #expect(try run.told() == nil)
        site.answer(after: 0)
        let again = try WorkerRun(folder.url, storage: "s", lines: [WorkerRun.begin(0, of: 1), WorkerRun.end])
        #expect(try await again.status() == 0)
        #expect(try again.told()?.lines.count { $0.kind == "record" } == 40)
        #expect(site.asked.values.allSatisfy { $0 <= 2 } && site.asked.values.count { $0 == 2 } <= 1)
    }

    @Test(.slow, arguments: [SIGTERM, SIGHUP, SIGINT])
    func `a signal lets requests in flight end, and the epoch is not told`(number: Int32) async throws {
        let folder = try ScratchFolder()
        let site = try ShardedSite(hosts: 1, pages: 40)
        try site.writeJob(in: folder)
        site.answer(after: 0.1)
        let run = try WorkerRun(folder.url, storage: "s", lines: [WorkerRun.begin(0, of: 1), WorkerRun.end])
        try await waitUntil("pages are asked for") { site.asked.count > 2 }
        run.signal(number)
        #expect(try await run.status() == 5)
        #expect(try run.told() == nil)
    }

    @Test(.slow) func `a second worker of a shard waits for the first, or ends with 7`() async throws {
        let folder = try ScratchFolder()
        let site = try ShardedSite(hosts: 1, pages: 10)
        try site.writeJob(in: folder)
        // It must not be done before it is stopped.
        site.answer(after: 1)
        let lines = [WorkerRun.begin(0, of: 1), WorkerRun.end]
        let first = try WorkerRun(folder.url, storage: "s", lines: lines)
        try await waitUntil("pages are asked for") { !site.asked.isEmpty }
        // Stopped, it holds the storage however long the others take to start.
        first.signal(SIGSTOP)
        site.answer(after: 0.01)
        let impatient = try WorkerRun(folder.url, storage: "s", lines: lines)
        #expect(try await impatient.status() == 7)
        #expect(impatient.errors.contains("Another run holds the storage"))
        let patient = try WorkerRun(folder.url, storage: "s", ["--wait-for-storage", "60s"], lines: lines)
        try await Task.sleep(for: .milliseconds(300))
        #expect(patient.isRunning)
        let before = site.asked.values.reduce(0, +)
        first.signal(SIGKILL)
        #expect(try await patient.status() == 0, "\(patient.errors)")
        #expect(try patient.told()?.lines.count { $0.kind == "record" } == 10)
        // What was in flight, or not yet on disk, is asked for twice.
        #expect(before <= site.asked.count && site.asked.values.reduce(0, +) <= site.asked.count + 2)
    }

    @Test(.slow) func `an epoch ends when its time is over`() async throws {
        let folder = try ScratchFolder()
        let site = try ShardedSite(hosts: 1, pages: 60)
        try site.writeJob(in: folder)
        site.answer(after: 0.1)
        let run = try WorkerRun(
            folder.url, storage: "s", ["--links", "--log", "log.jsonl", "--metrics", "metrics.prom"],
            lines: [WorkerRun.begin(0, of: 1, for: "2s"), WorkerRun.end])
        #expect(try await run.status() == 0, "\(run.errors)")
        let told = try #require(try run.told())
        #expect(told.done["ending"]?.string == "time")
        #expect((1..<60).contains(told.lines.count { $0.kind == "record" }))
        #expect(told.lines.contains { $0.kind == "links" } && told.lines.contains { $0.kind == "host" })
        #expect(told.done["summary"]?["pages"]?.integer == told.done["pages"]?.integer)
        #expect((told.done["queued"]?.integer ?? 0) > 0)
        for name in ["log.jsonl", "metrics.prom"] {
            #expect(FileManager.default.fileExists(atPath: folder.url.appending(path: name).path))
        }
    }

    @Test(
        .slow,
        arguments: [
            (["nonsense"], "standard input:1: is not JSON"), ([WorkerRun.end], "the first line must be \"begin\""),
            ([WorkerRun.begin(0, of: 2), WorkerRun.begin(0, of: 2)], "standard input:2: \"begin\" comes once"),
            ([WorkerRun.begin(0, of: 2), #"{"type":"more"}"#], "standard input:2: \"type\" must be"),
            (
                [WorkerRun.begin(0, of: 2, cursor: "0011-7"), WorkerRun.end],
                "is not the one that told the cursor \"0011-7\", or an older copy of it"
            ),
            ([WorkerRun.begin(0, of: 3), WorkerRun.end], "config.yaml"),
            (
                [WorkerRun.begin(0, of: 2), WorkerRun.end, WorkerRun.end],
                "standard input:3: only \"lease\" comes after \"end\""
            ),
            (
                [WorkerRun.begin(0, of: 2), #"{"type":"lease","until":"soon"}"#, WorkerRun.end],
                "standard input:2: \"lease\" needs \"until\""
            ),
            (
                [
                    WorkerRun.begin(0, of: 2),
                    #"{"type":"request","key":"https://h0.localhost/","depth":1,"discovery":"outlink","seed":{"url":"https://a.test/"}}"#,
                    #"{"type":"request","key":"https://h1.localhost/","depth":1,"discovery":"outlink","seed":{"url":"https://a.test/"}}"#,
                    #"{"type":"request","key":"https://h2.localhost/","depth":1,"discovery":"outlink","seed":{"url":"https://a.test/"}}"#,
                    #"{"type":"request","key":"https://h3.localhost/","depth":1,"discovery":"outlink","seed":{"url":"https://a.test/"}}"#,
                    WorkerRun.end,
                ], "belongs to shard 1, not 0"
            ),
        ])
    func `what breaks the protocol ends the worker with 2 and a sentence`(lines: [String], says: String) async throws {
        let folder = try ScratchFolder()
        let site = try ShardedSite(hosts: 1, pages: 3)
        try site.writeJob(in: folder, cluster: "{ shards: 2 }")
        let run = try WorkerRun(folder.url, storage: "s", lines: lines)
        #expect(try await run.status() == 2, "\(run.errors)")
        #expect(
            run.errors.contains(says) || says == "config.yaml" && run.errors.contains("cluster.shards: 2, not 3"),
            "\(run.errors)")
        #expect(try run.told() == nil)
    }

    @Test(.slow) func `a shard asks only addresses that were named for it, and tells those that it finds`() async throws
    {
        let folder = try ScratchFolder()
        let site = try ShardedSite(hosts: 8, pages: 3)
        try site.writeJob(in: folder, perAddress: "20ms")
        func run(
            _ epoch: Int, cursor: String?, _ addresses: [String]
        ) async throws -> (lines: [WorkerRun.Line], cursor: String, done: JSONValue) {
            let begin = WorkerRun.begin(0, of: 2, epoch: epoch, cursor: cursor)
            let run = try WorkerRun(folder.url, storage: "s", lines: [begin] + addresses + [WorkerRun.end])
            #expect(try await run.status() == 0, "\(run.errors)")
            return try #require(try run.told())
        }
        let start = ContinuousClock.now
        let first = try await run(1, cursor: nil, [WorkerRun.address("203.0.113.7")])
        let (hosts, done) = (first.lines.filter { $0.kind == "host" }, first.done)
        #expect(ContinuousClock.now - start < .seconds(20), "the turn ends long before its time is over")
        #expect(done["ending"]?.string == "addresses" && done["hosts"]?.integer == hosts.count)
        #expect(done["pages"]?.integer == 0 && done["requests"]?.integer == 0 && site.requests == 0)
        #expect(!hosts.isEmpty && hosts.allSatisfy { $0.json.contains(#""address":"127.0.0.1""#) })
        let second = try await run(2, cursor: first.cursor, [WorkerRun.address("127.0.0.1", place: 1, of: 2)])
        #expect(second.done["ending"]?.string == "finished" && site.requests > 0)
        // Of fewer than ten hosts it judges nothing.
        #expect(second.done["addresses"]?.array?.isEmpty == true)
        #expect(second.lines.count { $0.kind == "record" } >= hosts.count)
    }

    @Test(.slow) func `a line may have 16 MiB and no more, and comes with others`() async throws {
        let folder = try ScratchFolder()
        let site = try ShardedSite(hosts: 1, pages: 3)
        try site.writeJob(in: folder)
        func popularity(bytes: Int) -> String {
            let start = #"{"type":"popularity","key":"\#(site.url(0, 0))","value":0.5,"note":""#
            return start + String(repeating: "n", count: bytes - start.utf8.count - 2) + #""}"#
        }
        let most = 16 * 1024 * 1024
        let lines = [popularity(bytes: most), popularity(bytes: 100_000), popularity(bytes: 200)]
        let run = try WorkerRun(folder.url, storage: "s", lines: [WorkerRun.begin(0, of: 1)] + lines + [WorkerRun.end])
        #expect(try await run.status() == 0, "\(run.errors)")
        #expect(try run.told()?.done["received"]?["popularity"]?.integer == 3)
        let long = try WorkerRun(
            folder.url, storage: "t", lines: [WorkerRun.begin(0, of: 1), popularity(bytes: most + 1), WorkerRun.end])
        #expect(try await long.status() == 2)
        #expect(long.errors.contains("standard input:2: is longer than 16777216 bytes"), "\(long.errors)")
    }

    @Test(.slow) func `a shard is left when its lease has run out, also after standing still`() async throws {
        let folder = try ScratchFolder()
        let site = try ShardedSite(hosts: 1, pages: 400)
        try site.writeJob(in: folder)
        let begin = WorkerRun.begin(0, of: 1, for: "5m")
        let run = try WorkerRun(
            folder.url, storage: "s", lines: [begin, WorkerRun.lease(forSeconds: 20), WorkerRun.end])
        while site.asked.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        run.give([WorkerRun.lease(forSeconds: 1)])
        // It has read that before it stands still.
        try await Task.sleep(for: .milliseconds(300))
        run.signal(SIGSTOP)
        try await Task.sleep(for: .seconds(2))
        let before = site.requests
        run.signal(SIGCONT)
        #expect(try await run.status() == 5)
        #expect(run.errors.contains("has not renewed the shard's lease in time"), "\(run.errors)")
        #expect(site.requests <= before + 2, "\(before) requests, then \(site.requests)")
        #expect(try run.told() == nil)
        let again = try WorkerRun(folder.url, storage: "s", lines: [begin, WorkerRun.end])
        #expect(try await again.status() == 0, "\(again.errors)")
        let (pages, requests) = (site.asked.count, site.asked.values.reduce(0, +))
        #expect(pages >= 400 && requests <= pages + 3, "\(pages) pages, \(requests) requests of them")
    }

    @Test(.slow) func `a restored storage gives no number again that another place may have given`() async throws {
        let folder = try ScratchFolder()
        let site = try ShardedSite(hosts: 1, pages: 5)
        try site.writeJob(in: folder)
        func run(_ epoch: Int, cursor: String?, isRestored: Bool = false) async throws -> WorkerRun {
            let begin = WorkerRun.begin(0, of: 1, epoch: epoch, cursor: cursor, isRestored: isRestored)
            return try WorkerRun(folder.url, storage: "s", lines: [begin, WorkerRun.end])
        }
        func cursor(of run: WorkerRun) async throws -> String {
            #expect(try await run.status() == 0, "\(run.errors)")
            return try #require(try run.told()).cursor
        }
        let first = try await cursor(of: run(1, cursor: nil))
        let second = try await cursor(of: run(2, cursor: first, isRestored: true))
        let parts = first.split(separator: "-").map(String.init)
        let (before, after) = (try #require(Int(parts[1])), try #require(Int(second.split(separator: "-")[1])))
        #expect(after > before + 1 << 40)
        _ = try await cursor(of: run(3, cursor: second))
        // A consumer that has followed the other place.
        let lost = try await run(4, cursor: "\(parts[0])-\(before + 3)")
        #expect(try await lost.status() == 2)
        #expect(lost.errors.contains("is not the one that told the cursor"), "\(lost.errors)")
    }

    @Test(.slow) func `an input that ends early is 5, another shards-json is 2`() async throws {
        let folder = try ScratchFolder()
        let site = try ShardedSite(hosts: 1, pages: 3)
        try site.writeJob(in: folder)
        let short = try WorkerRun(folder.url, storage: "s", lines: [WorkerRun.begin(0, of: 1)])
        short.closeInput()
        #expect(try await short.status() == 5)
        #expect(short.errors.contains("standard input ended before \"end\""), "\(short.errors)")
        try folder.write(#"{"version":1,"shards":4,"by":"site-1"}"#, to: "shards.json")
        let other = try WorkerRun(folder.url, storage: "s", lines: [WorkerRun.begin(0, of: 1), WorkerRun.end])
        #expect(try await other.status() == 2)
        #expect(other.errors.contains("shards.json: the job does not have 1 shards"), "\(other.errors)")
    }

    @Test(.slow) func `an output that nobody reads is trouble, not the end of the work`() async throws {
        let folder = try ScratchFolder()
        let site = try ShardedSite(hosts: 1, pages: 3)
        try site.writeJob(in: folder)
        let run = try WorkerRun(
            folder.url, storage: "s", lines: [WorkerRun.begin(0, of: 1), WorkerRun.end], output: "/dev/full")
        #expect(try await run.status() == 6)
        #expect(run.errors.contains("standard output: cannot be written"), "\(run.errors)")
        // What was found is kept, and told by the next try.
        let again = try WorkerRun(folder.url, storage: "s", lines: [WorkerRun.begin(0, of: 1), WorkerRun.end])
        #expect(try await again.status() == 0)
        #expect(try again.told()?.lines.count { $0.kind == "record" } == 3)
    }

    @Test func `a driver asks for the durations of a job, without a storage`() async throws {
        let folder = try ScratchFolder()
        try folder.write("politeness: { delay: 100ms, max_crawl_delay: 1.5s }\n", to: "config.yaml")
        let times = try await PippinProcess.run("pippin worker --config config.yaml --times --for 90s", in: folder.url)
        #expect(times.status == 0 && times.errors.isEmpty, "\(times.errors)")
        #expect(times.output == #"{"turn":90,"longestDelay":1.5,"delayPerAddress":0.1,"leftOut":[]}"# + "\n")
        for (line, says) in [
            ("--times --for 90", "--for: \"90\" is not a duration"), ("--for 90s --storage s", "--for needs --times"),
            ("", "Missing expected argument '--storage <storage>'"),
        ] {
            let refused = try await PippinProcess.run("pippin worker --config config.yaml \(line)", in: folder.url)
            #expect(refused.status == 2 && refused.errors.contains(says), "\(refused.errors)")
        }
        try folder.write("politeness: { delay: 10 }\n", to: "config.yaml")
        let wrong = try await PippinProcess.run("pippin worker --config config.yaml --times", in: folder.url)
        #expect(wrong.status == 2 && wrong.output.isEmpty && wrong.errors.contains("config.yaml:1"), "\(wrong.errors)")
    }
}
