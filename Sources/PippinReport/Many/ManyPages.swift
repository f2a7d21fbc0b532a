import Foundation
import PippinCrawl
import PippinPage
import Synchronization

/// One run of `pippin validate` over many pages:
///
///     files ──► read and judged, as many at a time as there are cores ──────────────┐
///     URLs, by host ──► fetched one after the other of a host, judged ──┬───────────┴─► PageCollector, in order
///                       up to 16 hosts at a time, one schedule for all ─┘
///
/// Pages of a host share its robots.txt, association files and manifest, which are asked for once.
public final class ManyPages: Sendable {
    private let inputs: [ValidateInputs.Input]
    private let judge: PageJudge
    private let series: CardSeries?
    private let configuration: CrawlConfiguration
    private let collector: PageCollector
    private let named: NamedSites
    private let earlier: SingleFetch?
    private let stopped = Mutex(false)

    /// The hosts that are asked at a time. Each holds a page of up to 10 MB and what is known of its site.
    private static let maximumHosts = 16

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - series: what the cards are pieces of; nil if each is a file of its own.
    ///   - named: the sites that the user has named, which get signed requests; pages of a sitemap may be of others.
    ///   - earlier: what has fetched the sitemaps, so that its pauses count; nil if there were none.
    public init(
        _ inputs: [ValidateInputs.Input], judge: PageJudge, series: CardSeries?, configuration: CrawlConfiguration,
        collector: PageCollector, signingFor named: NamedSites, after earlier: SingleFetch?
    ) {
        self.inputs = inputs
        self.judge = judge
        self.series = series
        self.configuration = configuration
        self.collector = collector
        (self.named, self.earlier) = (named, earlier)
    }

    /// Starts with no further page. What is in flight is finished, and the report gets its end.
    public func stop() { stopped.withLock { $0 = true } }

    /// Whether the run was stopped before its end.
    public var wasStopped: Bool { stopped.withLock { $0 } }

    /// Judges all pages and writes the report.
    ///
    /// - Parameter watch: runs while pages are judged, and is cancelled when they are.
    public func run(_ watch: @escaping @Sendable () async -> Void) async throws {
        let hosts = lanes()
        let fetcher =
            hosts.isEmpty ? nil : try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        let root = fetcher.map { SingleFetch(configuration: configuration, fetcher: $0, after: earlier) }
        do {
            // Before anything is judged or written.
            for url in hosts.compactMap(\.first?.url) {
                if let objection = root?.objection(to: url) { throw objection }
            }
            try await collector.begin()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await watch() }
                try await judgeAll(hosts, root, fetcher)
                group.cancelAll()
            }
            try await collector.finish(isWhole: !wasStopped)
        } catch {
            await fetcher?.shutdown()
            throw error
        }
        await fetcher?.shutdown()
    }

    /// The positions of URLs by host, in the order of their first pages.
    private func lanes() -> [[(position: Int, url: WebURL)]] {
        var lanes: [[(position: Int, url: WebURL)]] = []
        var places: [String: Int] = [:]
        for (position, input) in inputs.enumerated() {
            guard case .url(let url) = input else { continue }
            if let place = places[url.politenessHost] {
                lanes[place].append((position, url))
            } else {
                places[url.politenessHost] = lanes.count
                lanes.append([(position, url)])
            }
        }
        return lanes
    }

    private func judgeAll(
        _ hosts: [[(position: Int, url: WebURL)]], _ root: SingleFetch?, _ fetcher: CurlFetcher?
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let root, let fetcher { group.addTask { try await self.fetch(hosts, root, fetcher) } }
            group.addTask { try await self.judgeFiles() }
            try await group.waitForAll()
        }
    }

    // MARK: Files

    private func judgeFiles() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            for (position, input) in inputs.enumerated() {
                guard case .file(let path) = input, !wasStopped else { continue }
                if running >= ProcessInfo.processInfo.activeProcessorCount {
                    try await group.next()
                    running -= 1
                }
                running += 1
                group.addTask { [self] in try await take(try judge.page(ofFile: path), of: input, at: position) }
            }
            try await group.waitForAll()
        }
    }

    // MARK: URLs

    private func fetch(
        _ hosts: [[(position: Int, url: WebURL)]], _ root: SingleFetch, _ fetcher: CurlFetcher
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            for pages in hosts {
                if running >= Self.maximumHosts {
                    try await group.next()
                    running -= 1
                }
                running += 1
                group.addTask { [self] in
                    var session = VisitSession(signingFor: named)
                    (session.single, session.fetcher, session.keepsSiteFiles) = (root, fetcher, true)
                    for (position, url) in pages where !wasStopped {
                        try Task.checkCancellation()
                        let page = try await judge.page(at: url, configuration, in: &session)
                        try await take(page, of: inputs[position], at: position)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func take(_ page: NamedCard, of input: ValidateInputs.Input, at position: Int) async throws {
        let rendered = series?.piece(page) ?? page.html ?? ""
        try await collector.take(
            page, at: position, rendered: rendered, baselineName: judge.baselineName(of: input))
    }
}
