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

    /// The hosts that are asked at a time. Each holds a page of up to 10 MB and what is known of its site.
    private static let maximumHosts = 16

    /// Judges all pages and writes the report.
    ///
    /// - Returns: whether the operator stopped the run before its end.
    func run() async throws -> Bool {
        let hosts = lanes()
        let fetcher =
            hosts.isEmpty ? nil : try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        let root = fetcher.map { SingleFetch(configuration: configuration, fetcher: $0) }
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

/// Judges single pages as the command's options say.
struct PageJudge: Sendable {
    let options: ReportCard.Options
    let apps: [RecordBuilder.AppIdentity]
    let lookup: AppLookup?
    let tuning: CardTuning
    let baseline: FindingBaseline?
    /// The folder of the baseline's file, from which it names pages.
    let baselineFolder: String
    let paths: SitePaths
    let associations: GivenAssociations
    /// The URL of the only file, from `--url`.
    var location: WebURL?

    /// The page of a file.
    func page(ofFile path: String) throws -> NamedCard {
        let bytes: [UInt8]
        do throws(ConfigurationError) {
            bytes = try InputFile.bytes(at: path)
        } catch {
            // It was there when the run began.
            return NamedCard(name: path, isFile: true, card: nil, trouble: error.problem)
        }
        return finished(try card(ofFile: path, bytes), of: .file(path))
    }

    /// The page at a URL.
    func page(at url: WebURL, _ configuration: CrawlConfiguration, in session: inout VisitSession) async throws
        -> NamedCard
    {
        do {
            let visit = try await ValidatedVisit(url, apps: apps, configuration: configuration, in: &session) { _ in }
            return finished(visit.card(options, lookup: lookup), of: .url(url))
        } catch let failure as SingleFetch.Failure {
            return NamedCard(
                name: url.href, isFile: false, card: nil,
                trouble: failure.description(configuration.messages.settings))
        }
    }

    /// The judgement of a file's bytes, before tuning.
    func card(ofFile path: String, _ bytes: [UInt8]) throws -> ReportCard {
        let facts = try facts(ofFile: path, bytes)
        let page = ReadPage(facts, apps: apps)
        var evidence = PageEvidence(missing: "the page was read from a file, without network")
        evidence.foreignType = ForeignContent.type(of: facts.source.bytes)
        if let files = try associations.files(for: facts.source.url) {
            evidence.association = .made(AssociationEvidence(files: files, apps: apps, wasFetched: false))
        }
        if let lookup { evidence.appStore = .made(lookup) }
        return ReportCard(facts: page.facts, conclusion: page.conclusion, evidence: evidence, options: options)
    }

    /// A file as it was found where the operator says, else where the page itself does.
    private func facts(ofFile path: String, _ bytes: [UInt8]) throws -> PageFacts {
        func facts(at address: WebURL) -> PageFacts {
            PageFacts(PageSource(url: address, bytes: bytes, fetchedAt: Date()))
        }
        if let address = try location ?? paths.url(ofFile: path) { return facts(at: address) }
        let unplaced = facts(at: UnknownAddress.url)
        // Addresses on the page start from its own, so it is read again.
        return UnknownAddress.resolved(by: unplaced).map(facts) ?? unplaced
    }

    /// The card with the operator's tuning and baseline.
    func finished(_ card: ReportCard, of input: ValidateInputs.Input) -> NamedCard {
        var isFile = false
        if case .file(let path) = input { isFile = path != "-" }
        let url = UnknownAddress.url == card.url ? nil : card.url
        var card = card.tuned(by: tuning, paths: paths.rulePaths(of: input, at: url))
        let trouble = Self.trouble(of: card)
        var stale = 0
        if let baseline, trouble == nil {
            (card, stale) = baseline.marked(card, page: baselineName(of: input))
        }
        var page = NamedCard(name: input.name, isFile: isFile, card: card, trouble: trouble)
        page.staleCount = stale
        return page
    }

    /// The page in a baseline: a URL, or the path of its file from the baseline's folder.
    func baselineName(of input: ValidateInputs.Input) -> String {
        switch input {
        case .file("-"): "-"
        case .file(let path): SitePaths.relative(path, to: baselineFolder)
        case .url(let url): UserInformation.hidden(in: url.href)
        }
    }

    /// Why a page could not be had, as a clause; nil if it was judged.
    static func trouble(of card: ReportCard) -> String? {
        switch card.evidence.fetch.value?.ending {
        case .failed(let trouble): return "\(trouble.clause)\(trouble.remedy.map { ". \($0)" } ?? "")"
        case .endlessRedirects: return "the redirects do not end"
        case .rulesUnreachable:
            let robots = card.evidence.robots.value
            let cause =
                robots?.trouble ?? robots?.status.map { "it answers with status \($0)" } ?? "it gives no answer"
            return "nothing may be fetched, because robots.txt cannot be: \(cause). "
                + "A server that has none must answer with 404"
        // What robots.txt says to Applebot is a finding; where it forbids Pippin alone, nothing was found out.
        case .forbidden where card.counts().error == 0: return "its robots.txt does not let Pippin fetch it"
        case .forbidden, .answered, nil: return nil
        }
    }
}

/// The association files that were given for pages from files, read once per host.
final class GivenAssociations: Sendable {
    private let options: AssociationOptions
    private let known = Mutex<[String: SiteAssociations]>([:])

    init(_ options: AssociationOptions) { self.options = options }

    /// The files as if the page's host had served them; nil if no files were given.
    func files(for page: WebURL) throws -> SiteAssociations? {
        guard options.hasFiles else { return nil }
        let origin = page.origin ?? ""
        if let files = known.withLock({ $0[origin] }) { return files }
        let files = try options.files(for: page)
        // Pages that name many hosts as their own are read again for each.
        known.withLock { known in if known.count < 64 { known[origin] = files } }
        return files
    }
}
