import Foundation
import PippinCrawl
import PippinPage
import PippinStore

/// One storage of made-up pages, its index, and the times of its queries.
struct LatencyMeasurement {
    private static let queriesOfKind = 100
    private static let unmeasuredQueries = 50
    private static let concurrency = 64

    private(set) var row = ""
    private(set) var kinds: [String] = []

    init(pages: MadeUpPages, count: Int, kept: String?, takesIndex: Bool) async throws {
        let folder =
            if let kept {
                URL(filePath: kept).appending(path: "pages-\(count)")
            } else {
                FileManager.default.temporaryDirectory.appending(path: "pippin-search-\(UUID().uuidString)")
            }
        defer {
            if kept == nil {
                do { try FileManager.default.removeItem(at: folder) } catch {
                    print("\(folder.path) is left behind: \(error)")
                }
            }
        }
        if !CrawlStorage.exists(in: folder) { try await Self.fill(folder, pages, count) }
        for name in takesIndex ? [] : ["search.sqlite", "search.sqlite-wal", "search.sqlite-shm"] {
            let file = folder.appending(path: name)
            if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
        }

        let clock = ContinuousClock()
        try Self.countPeakAnew()
        var indexed = 0
        let indexing = try clock.measure { indexed = try SearchIndexer(folder: folder).catchUp() }
        guard indexed == (takesIndex ? 0 : count) else { fatalError("\(indexed) of \(count) records indexed") }
        let indexingMemory = Self.memory("VmHWM:")

        let index = try SearchIndex(folder: folder)
        let queries = LatencyQueries(pages, pages: count, count: Self.queriesOfKind)
        func time(_ text: String) throws -> Duration {
            try clock.measure { _ = try index.search(SearchQuery(text), offset: 0, limit: 10, isExplained: false) }
        }
        try Self.countPeakAnew()
        let mixed = queries.mixed
        for text in mixed.prefix(Self.unmeasuredQueries) { _ = try time(text) }
        // Every query is asked once: none finds its own answer in a cache.
        var times: [String: Duration] = [:]
        for text in mixed.dropFirst(Self.unmeasuredQueries) { times[text] = try time(text) }
        let all = Times(times.values)
        let bytes = try Self.bytes(of: folder)
        let cells = [
            "\(count)", takesIndex ? "" : "\(Int(Double(count) / (indexing / .seconds(1))))", "\(bytes / 1_000_000) MB",
            "\(bytes / count)",
            takesIndex ? "" : "\(indexingMemory / 1_000) MB", "\(Self.memory("VmHWM:") / 1_000) MB",
            all.cells(of: [0.5, 0.99, 1]),
        ]
        row = "| " + cells.joined(separator: " | ") + " |"
        for kind in queries.kinds {
            let measured = Set(kind.queries).compactMap { text in times[text].map { (text, $0) } }
            let slowest = measured.max { $0.1 < $1.1 }?.0 ?? ""
            let cells = Times(measured.map(\.1)).cells(of: [0.5, 1])
            kinds.append("| \(count) | \(kind.name) | \(cells) | `\(slowest)` |")
        }
        var typed: [Duration] = []
        for text in queries.kinds.first(where: { $0.name == "the beginning of a word" })?.queries ?? [] {
            typed.append(try clock.measure { _ = try index.suggestions(for: text, limit: 8) })
        }
        kinds.append("| \(count) | suggestions for the beginning of a word | \(Times(typed).cells(of: [0.5, 1])) | |")
    }

    /// Durations, and what they say.
    private struct Times {
        private let sorted: [Duration]

        init(_ times: some Sequence<Duration>) { sorted = times.sorted() }

        /// The times that such shares of all do not exceed: 0.5 is the median, 1 the worst.
        func cells(of shares: [Double]) -> String {
            shares.map { share in
                guard let last = sorted.indices.last else { return "" }
                let duration = sorted[min(last, Int(Double(sorted.count) * share))]
                return String(format: "%.1f ms", duration / .milliseconds(1))
            }.joined(separator: " | ")
        }
    }

    /// Delivers the pages' records as a crawl does: visits that end.
    private static func fill(_ folder: URL, _ pages: MadeUpPages, _ count: Int) async throws {
        let storage = try CrawlStorage(folder: folder)
        let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= concurrency { try await group.next() }
                group.addTask {
                    guard let visit = visit(number, pages) else { fatalError("page \(number) has no record") }
                    _ = try await frontier.finish(visit)
                }
            }
            try await group.waitForAll()
        }
        try await frontier.close(keeping: [])
        try storage.emptyLog()
    }

    private static func visit(_ number: Int, _ pages: MadeUpPages) -> FinishedVisit? {
        guard let facts = pages.facts(of: number), let record = pages.record(of: facts), let url = WebURL(record.url)
        else { return nil }
        let request = CrawlRequest(url: url, depth: 1, seed: Seed(url: url), discovery: .outlink)
        var visit = FinishedVisit(
            request: request, outcome: .recorded, finishedAt: record.fetchedAt,
            next: RecrawlPolicy.Next(wait: .seconds(86_400)), changes: [.upsert(RecordDocument(record))])
        visit.recordIdentifier = record.uniqueIdentifier
        return visit
    }

    /// Bytes of the index's files.
    private static func bytes(of folder: URL) throws -> Int {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
            .filter { $0.lastPathComponent.hasPrefix("search.sqlite") }
            .reduce(0) { $0 + (try $1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
    }

    /// Makes `VmHWM` the peak from here on (proc(5)).
    private static func countPeakAnew() throws {
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    }

    /// A line of /proc/self/status, in kilobytes.
    private static func memory(_ name: String) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) })
        else { return 0 }
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
