import Foundation
import PippinCrawl
import PippinPage
import PippinStore

// How fast the frontier of a job admits URLs and ends visits when so many URLs are known already.
//
//     swift run -c release FrontierBenchmark 10000 1000000 10000000
//
// Each size fills a storage of its own in the folder for temporary files (TMPDIR), up to 4 GB for ten million URLs. Only
// the frontier's work is timed: making up the pages is not.

let sizes = CommandLine.arguments.dropFirst().compactMap(Int.init)
guard !sizes.isEmpty else {
    print("Usage: FrontierBenchmark SIZE …")
    exit(2)
}
print("| known URLs | admitted/s | visits/s | bytes/URL | database | memory at most | opening |")
print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
for size in sizes {
    // A small storage is filled in no time: the middle of several says more.
    let runs = size <= 100_000 ? 5 : 1
    var results: [FrontierMeasurement] = []
    for run in 0..<runs { results.append(try await FrontierMeasurement(known: size, seed: UInt64(run))) }
    print(results.sorted { $0.visitsPerSecond < $1.visitsPerSecond }[runs / 2].row)
}

/// One storage, filled and worked on.
struct FrontierMeasurement {
    let known: Int
    private(set) var admittedPerSecond = 0.0
    private(set) var visitsPerSecond = 0.0
    private(set) var bytes = 0
    private(set) var urls = 0
    private(set) var memory = 0
    private(set) var opening = Duration.zero

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
        try await admit(&web, folder: folder)
        try await visit(&web, folder: folder)
        urls = web.known
        let path = folder.appending(path: "pippin.sqlite").path
        bytes = (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        memory = Self.peakMemory()
    }

    /// Fills the frontier; the last fifth is timed.
    private mutating func admit(_ web: inout SyntheticWeb, folder: URL) async throws {
        let frontier = try CrawlStorage(folder: folder).frontier(recrawl: CrawlConfiguration.Recrawl())
        var time = Duration.zero
        var counted = 0
        while web.known < known {
            var batches: [[CrawlRequest]] = []
            for _ in 0..<min(2_000, max(1, (known - web.known) / 5)) { batches.append(web.newPages(5)) }
            let elapsed = try await ContinuousClock().measure {
                try await Self.concurrently(batches) { _ = try await frontier.add($0) }
            }
            if web.known > known * 4 / 5 {
                time += elapsed
                counted += batches.count * 5
            }
        }
        admittedPerSecond = Double(counted) / (time / .seconds(1))
    }

    /// Opens the storage again, and visits.
    private mutating func visit(_ web: inout SyntheticWeb, folder: URL) async throws {
        var opened: SQLiteFrontier?
        var storage: CrawlStorage?
        opening = try ContinuousClock().measure {
            storage = try CrawlStorage(folder: folder)
            opened = try storage?.frontier(recrawl: CrawlConfiguration.Recrawl())
        }
        guard let frontier = opened else { return }
        let goal = min(max(2_000, known / 20), 100_000)
        var time = Duration.zero
        var count = 0
        while count < goal {
            var leased: [CrawlRequest] = []
            time += try await ContinuousClock().measure {
                leased = try await frontier.lease(limit: 1_000, perHost: 16)
            }
            let date = Date()
            let visits = leased.map { web.visit($0, at: date) }
            guard !visits.isEmpty else { break }
            time += try await ContinuousClock().measure {
                try await Self.concurrently(visits) { _ = try await frontier.finish($0) }
            }
            count += visits.count
        }
        try await frontier.close(keeping: [:])
        visitsPerSecond = Double(count) / (time / .seconds(1))
        withExtendedLifetime(storage) {}
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

    var row: String {
        let cells = [
            "\(known)", "\(Int(admittedPerSecond))", "\(Int(visitsPerSecond))", "\(bytes / max(1, urls))",
            "\(bytes / 1_000_000) MB", "\(memory / 1_000_000) MB", "\(opening)",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
