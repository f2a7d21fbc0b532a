import Foundation
import PippinCrawl
import PippinPage
import PippinReport
import Synchronization

/// One run of `pippin validate` over many pages:
///
///     files ──► read and judged, as many at a time as there are cores ──────────────┐
///     URLs, by host ──► fetched one after the other of a host, judged ──┬───────────┴─► PageCollector, in order
///                       up to 16 hosts at a time, one schedule for all ─┘
///
/// Pages of a host share its robots.txt, association files and manifest, which are asked for once.
struct ManyPages {
    let inputs: [ValidateInputs.Input]
    let judge: PageJudge
    let series: CardSeries?
    let configuration: CrawlConfiguration
    let collector: PageCollector
    /// What has fetched the sitemaps, so that its pauses count; nil if there were none.
    let earlier: SingleFetch?

    /// The hosts that are asked at a time. Each holds a page of up to 10 MB and what is known of its site.
    private static let maximumHosts = 16

    /// Judges all pages and writes the report.
    ///
    /// - Returns: whether the operator stopped the run before its end.
    func run() async throws -> Bool {
        let hosts = lanes()
        let fetcher =
            hosts.isEmpty ? nil : try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        let root = fetcher.map { SingleFetch(configuration: configuration, fetcher: $0, after: earlier) }
        // Before anything is judged or written.
        for url in hosts.compactMap(\.first?.url) {
            guard let objection = root?.objection(to: url) else { continue }
            await fetcher?.shutdown()
            throw objection
        }
        let stop = Stop()
        let interrupt = Interrupt()
        let signals = InterruptSignals(
            first: {
                stop.come()
                writeError("\npippin: finishing what is in flight; once more to stop at once")
            }, later: { interrupt.come() })
        defer { signals.end() }
        do {
            try await interrupt.cancels { [self] in
                try await collector.begin()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await showProgress() }
                    try await judgeAll(hosts, root, fetcher, stop)
                    group.cancelAll()
                }
                try await collector.finish()
            }
        } catch {
            await fetcher?.shutdown()
            throw error
        }
        await fetcher?.shutdown()
        return stop.hasCome
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
        _ hosts: [[(position: Int, url: WebURL)]], _ root: SingleFetch?, _ fetcher: CurlFetcher?, _ stop: Stop
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let root, let fetcher { group.addTask { try await fetch(hosts, root, fetcher, stop) } }
            group.addTask { try await judgeFiles(stop) }
            try await group.waitForAll()
        }
    }

    // MARK: Files

    private func judgeFiles(_ stop: Stop) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            for (position, input) in inputs.enumerated() {
                guard case .file(let path) = input, !stop.hasCome else { continue }
                if running >= ProcessInfo.processInfo.activeProcessorCount {
                    try await group.next()
                    running -= 1
                }
                running += 1
                group.addTask { try await take(try judge.page(ofFile: path), of: input, at: position) }
            }
            try await group.waitForAll()
        }
    }

    // MARK: URLs

    private func fetch(
        _ hosts: [[(position: Int, url: WebURL)]], _ root: SingleFetch, _ fetcher: CurlFetcher, _ stop: Stop
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            for pages in hosts {
                if running >= Self.maximumHosts {
                    try await group.next()
                    running -= 1
                }
                running += 1
                group.addTask {
                    var session = VisitSession()
                    (session.single, session.fetcher, session.keepsSiteFiles) = (root, fetcher, true)
                    for (position, url) in pages where !stop.hasCome {
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

    /// Shows how many pages are judged: one line that is refreshed on a terminal, or a line every ten seconds elsewhere.
    private func showProgress() async {
        let isTerminal = isatty(STDERR_FILENO) == 1
        defer { if isTerminal { StandardError.refresh("") } }
        while true {
            do {
                try await Task.sleep(for: isTerminal ? .milliseconds(200) : .seconds(10))
            } catch {
                return
            }
            let count = await collector.index.count
            let line = "\(count) of \(inputs.count) pages judged"
            if isTerminal { StandardError.refresh(line) } else { StandardError.write(line + "\n", mayBeLost: true) }
        }
    }

    /// The operator's wish to end early.
    private final class Stop: Sendable {
        private let state = Mutex(false)
        func come() { state.withLock { $0 = true } }
        var hasCome: Bool { state.withLock { $0 } }
    }
}
