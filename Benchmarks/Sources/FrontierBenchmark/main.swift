import Foundation
import PippinCrawl
import PippinPage
import PippinStore

// How fast the frontier of a job works when so many URLs are known already, around that number:
//
// - discovery: visits of pages with 52 outlinks to their own host, 10 of them new; URLs admitted a second,
// - upkeep: visits of pages with 52 such outlinks, 2 of them new; visits a second,
// - follow any: the same with 24 outlinks more to 14 other hosts, 2 of them new,
// - scattered: new URLs of hosts at random, ten at a time, as no crawl brings them but a list of seeds; admitted a second.
//
//     swift run -c release FrontierBenchmark 10000 1000000 10000000
//
// Each size fills a storage of its own in the folder for temporary files (TMPDIR), up to 4 GB for ten million URLs. Only
// the frontier's work is timed, not the making up of pages; it is timed until everything has reached the database's file.

let sizes = CommandLine.arguments.dropFirst().compactMap(Int.init)
guard !sizes.isEmpty else {
    print("Usage: FrontierBenchmark SIZE …")
    exit(2)
}
print(
    "| known URLs | admitted/s | visits/s | follow any: admitted/s | visits/s | scattered/s | bytes/URL | memory at most |"
)
print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
for size in sizes {
    // A small storage is filled in no time: the middle of several says more.
    let runs = size <= 100_000 ? 9 : 1
    var results: [FrontierMeasurement] = []
    for run in 0..<runs { results.append(try await FrontierMeasurement(known: size, seed: UInt64(run))) }
    print(FrontierMeasurement.row(of: results))
}

/// One storage, filled and worked on.
struct FrontierMeasurement {
    let known: Int
    /// With links to their own host alone, and with all.
    private(set) var own = Rates()
    private(set) var all = Rates()
    private(set) var scatteredPerSecond = 0.0
    private(set) var bytes = 0
    private(set) var urls = 0
    private(set) var memory = 0

    /// Visits under way at a time, as `fetch.concurrency` has it.
    static let concurrency = 64

    init(known: Int, seed: UInt64) async throws {
        self.known = known
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-frontier-\(UUID().uuidString)")
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch {
                print("\(folder.path) is left behind: \(error)")
            }
        }
        var web = SyntheticWeb(seed: seed)
        // A part of a large storage is enough to time; a small one is too quick.
        let part = known <= 100_000 ? known : known / 10
        try await scatter(&web, upTo: known - part / 2 - part / 4, folder: folder)
        let scattered = try await scatter(&web, upTo: known - part / 2, folder: folder)
        scatteredPerSecond = Double(part / 4) / (scattered / .seconds(1))
        // What the filling has left to the disk is not counted.
        sync()
        own = try await visit(&web, around: part, folder: folder) { $0 }
        all = try await visit(&web, around: part, folder: folder) { $0.withElsewhere }
        urls = web.known
        let path = folder.appending(path: "pippin.sqlite").path
        bytes = (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        memory = Self.peakMemory()
    }

    @discardableResult
    private func scatter(_ web: inout SyntheticWeb, upTo goal: Int, folder: URL) async throws -> Duration {
        var storage: CrawlStorage? = try CrawlStorage(folder: folder)
        var frontier = try storage?.frontier(recrawl: CrawlConfiguration.Recrawl())
        var time = Duration.zero
        while web.known < goal, let open = frontier {
            var batches: [[CrawlRequest]] = []
            while batches.count < 2_000, web.known < goal {
                batches.append(web.newPages(min(10, goal - web.known)))
            }
            time += try await ContinuousClock().measure {
                try await Self.concurrently(batches) { _ = try await open.add($0) }
            }
        }
        time += try await ContinuousClock().measure {
            try await frontier?.close(keeping: [])
            frontier = nil
            storage = nil
        }
        return time
    }

    struct Rates {
        var admittedPerSecond = 0.0
        var visitsPerSecond = 0.0
    }

    /// One run of a job: it discovers, then it keeps up.
    private func visit(
        _ web: inout SyntheticWeb, around part: Int, folder: URL,
        _ outlinks: (SyntheticWeb.Outlinks) -> SyntheticWeb.Outlinks
    ) async throws -> Rates {
        var rates = Rates()
        var storage: CrawlStorage? = try CrawlStorage(folder: folder)
        var frontier = try storage?.frontier(recrawl: CrawlConfiguration.Recrawl())
        guard let open = frontier else { return rates }
        let before = web.known
        let discovery = try await visit(&web, outlinks(.discovery), upTo: before + part / 2, open)
        rates.admittedPerSecond = Double(web.known - before) / (discovery.time / .seconds(1))
        let upkeep = try await visit(&web, outlinks(.upkeep), upTo: web.known + max(4_000, part / 10), open)
        let closing = try await ContinuousClock().measure {
            try await open.close(keeping: [])
            frontier = nil
            storage = nil
        }
        rates.visitsPerSecond = Double(upkeep.count) / ((upkeep.time + closing) / .seconds(1))
        return rates
    }

    private func visit(
        _ web: inout SyntheticWeb, _ outlinks: SyntheticWeb.Outlinks, upTo goal: Int, _ frontier: SQLiteFrontier
    ) async throws -> (count: Int, time: Duration) {
        var time = Duration.zero
        var count = 0
        while web.known < goal {
            var leased: [CrawlRequest] = []
            // As the crawl's loop has it: so many in its schedule, so many of a host.
            time += try await ContinuousClock().measure {
                leased = try await frontier.lease(limit: 10_000, perHost: 16)
            }
            for chunk in stride(from: 0, to: leased.count, by: 1_000) {
                let requests = leased[chunk..<min(chunk + 1_000, leased.count)]
                if web.known >= goal {
                    try await frontier.release(Array(requests))
                    continue
                }
                let date = Date()
                let visits = requests.map { web.visit($0, outlinks, at: date) }
                time += try await ContinuousClock().measure {
                    try await Self.concurrently(visits) { _ = try await frontier.finish($0) }
                }
                count += visits.count
            }
        }
        return (count, time)
    }

    private static func concurrently<Item: Sendable>(
        _ items: [Item], _ work: @escaping @Sendable (Item) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, item) in items.enumerated() {
                if index >= concurrency { try await group.next() }
                group.addTask { try await work(item) }
            }
            try await group.waitForAll()
        }
    }

    /// The most memory the process has held, in bytes.
    private static func peakMemory() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }

    /// The middle of what several storages of one size gave.
    static func row(of results: [FrontierMeasurement]) -> String {
        func middle(_ value: (FrontierMeasurement) -> Double) -> Int {
            Int(results.map(value).sorted()[results.count / 2])
        }
        let cells = [
            "\(results[0].known)", "\(middle(\.own.admittedPerSecond))", "\(middle(\.own.visitsPerSecond))",
            "\(middle(\.all.admittedPerSecond))", "\(middle(\.all.visitsPerSecond))", "\(middle(\.scatteredPerSecond))",
            "\(middle { Double($0.bytes / max(1, $0.urls)) })", "\(middle { Double($0.memory / 1_000_000) }) MB",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
