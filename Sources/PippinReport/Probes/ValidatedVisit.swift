import Foundation
import PippinCrawl
import PippinPage
import Synchronization

/// What one visit leaves to the next: the pauses of hosts, and within one run also what is known of the site's files.
public struct VisitSession: Sendable {
    /// What fetched the page before; nil before the first.
    var single: SingleFetch?
    /// What makes the exchanges, and is closed by whoever made it; nil for one of the visit's own.
    var fetcher: (any Fetcher)?
    let named: NamedSites
    /// Whether robots.txt, association files, manifest and pictures are asked for only once.
    var keepsSiteFiles = false
    fileprivate var associations: [String: HostAssociations] = [:]
    fileprivate var manifest: (url: WebURL, file: WebAppManifest?)?
    fileprivate var probes = KnownProbes()

    /// The most hosts whose files are kept.
    private static let maximumKept = 64

    /// A session without an earlier visit.
    ///
    /// - Parameter named: the sites that the user has named, which get signed requests.
    public init(signingFor named: NamedSites = NamedSites()) { self.named = named }

    /// Fetches something else than a page, in the same turns of its host.
    ///
    /// - Throws: the errors of `work`.
    public mutating func fetching<Answer>(
        _ configuration: CrawlConfiguration, _ work: (inout SingleFetch) async throws -> Answer
    ) async throws -> Answer {
        let own = fetcher == nil ? try CurlFetcher(configuration: CurlFetcher.Configuration(configuration)) : nil
        guard let fetcher: any Fetcher = own ?? fetcher else { preconditionFailure("one of them is there") }
        var next = SingleFetch(
            configuration: configuration, fetcher: fetcher, signingFor: named, after: single,
            keepsRules: keepsSiteFiles)
        do {
            let answer = try await work(&next)
            single = next
            await own?.shutdown()
            return answer
        } catch {
            single = next
            await own?.shutdown()
            throw error
        }
    }

    fileprivate mutating func keep(_ files: HostAssociations, of origin: String) {
        if associations.count >= Self.maximumKept { associations = [:] }
        associations[origin] = files
    }
}

/// A page fetched to be judged: by the same path as everything else Pippin fetches, with all that was seen on the way.
public struct ValidatedVisit: Sendable {
    /// Where the page was in the end, or where the way ended.
    let url: WebURL
    /// Nil when there is no answer that could be read.
    let page: (reading: PageReading, conclusion: RecordBuilder.Conclusion)?
    let evidence: PageEvidence

    /// - Parameters:
    ///   - profile: as whose crawler the page is read.
    ///   - session: what earlier visits have left, so that the pauses of their hosts count.
    ///   - browser: runs the scripts of pages that `configuration.render` wants rendered; nil if none are run.
    ///   - asksAppleCDN: whether Apple's CDN is asked for its copies of the association files.
    ///   - announce: receives a sentence before a long wait.
    public init(
        _ target: WebURL, for profile: ReportCard.Profile = .all, apps: [RecordBuilder.AppIdentity],
        configuration: CrawlConfiguration, in session: inout VisitSession, browser: (any Renderer)? = nil,
        asksAppleCDN: Bool = false,
        announce: @escaping @Sendable (String) -> Void
    ) async throws {
        let spelling = configuration.messages.settings
        let ownFetcher =
            session.fetcher == nil ? try CurlFetcher(configuration: CurlFetcher.Configuration(configuration)) : nil
        guard let fetcher: any Fetcher = ownFetcher ?? session.fetcher else {
            preconditionFailure("one of them is there")
        }
        let log = ExchangeLog(fetcher)
        if !session.keepsSiteFiles { session.probes = KnownProbes() }
        var single = SingleFetch(
            configuration: configuration, fetcher: log, signingFor: session.named, after: session.single,
            keepsRules: session.keepsSiteFiles, announce: announce)
        let result = await single.fetch(target, purpose: .page)
        // What is asked below is no part of the page's own way.
        let exchanges = log.takeAll()
        var last = target
        switch result {
        case .success(let response): last = response.url
        case .failure(let failure):
            // The operator's to fix: there is no report.
            if failure.exitStatus == .usage {
                await ownFetcher?.shutdown()
                throw failure
            }
            last = failure.url
        }
        url = last
        let answer = exchanges.last { $0.url == last }?.response
        let ending = Self.ending(result)
        var evidence = PageEvidence(missing: "it was not asked for")
        evidence.agent = UsageAgent(configuration.agent)
        evidence.robots = Self.robots(
            of: last, single.knownRobots(of: last), ending, spelling, agents: configuration.agent.robotsAgents)
        evidence.fetch = .made(Self.fetch(target, ending, spelling, exchanges, answer: answer))
        if case .success(let response) = result { evidence.foreignType = response.kind().foreignType }

        let crawler = profile.crawler(named: configuration.agent.directiveAgents)
        var reading = answer.flatMap { answer -> PageReading? in
            guard answer.bodyWasRead, answer.redirect == nil, evidence.foreignType == nil else { return nil }
            return PageReading(answer.source, agents: crawler.directiveAgents)
        }
        if let raw = reading, let browser, case .success(let response) = result {
            (evidence.rendering, reading) = await Self.rendering(
                of: raw, response, configuration.renderMode(of: response.url.politenessHost),
                agents: crawler.directiveAgents, in: browser, with: &single)
        }
        if let reading, case .success(let response) = result {
            var manifest: WebAppManifest?
            if let link = reading.facts.metadata.manifest {
                if let known = session.manifest, known.url == link {
                    manifest = known.file
                } else {
                    manifest = await single.siteFile(.manifest, at: link, of: url).manifest
                    if session.keepsSiteFiles { session.manifest = (link, manifest) }
                }
            }
            let conclusion = reading.conclusion(
                apps: apps, manifest: manifest, site: single.siteUsage(of: reading.source.url))
            // What only the report wants to know: the page's pictures, and how the site answers other questions.
            evidence.take(
                await single.probes(
                    of: reading.facts, record: conclusion.record, response: response, for: crawler,
                    knowing: &session.probes))
            page = (reading, conclusion)
        } else {
            page = reading.map { (reading: $0, conclusion: $0.conclusion(apps: apps)) }
        }
        evidence.association = await Self.associations(
            of: result, record: page?.conclusion.record, apps: apps, with: &single, in: &session)
        if asksAppleCDN, let files = evidence.association.value?.files {
            let hosts =
                files.hosts.map(\.wellKnown.url).filter { $0.host == last.host }
                + files.hosts.map(\.wellKnown.url).filter { $0.host != last.host }
            let copies = await single.copiesAtApple(of: hosts, knowing: &session.probes)
            evidence.appleCDN =
                copies.isEmpty ? .missing(because: "Apple's CDN has files of public hosts only") : .made(copies)
        }
        await ownFetcher?.shutdown()
        self.evidence = evidence
        session.single = single
    }

    /// The judgement of the page.
    public func card(_ options: ReportCard.Options) -> ReportCard { card(options, lookup: nil, earlier: nil) }

    /// The judgement of the page.
    ///
    /// - Parameter earlier: the deep links at the last crawl; nil if none is compared with.
    func card(
        _ options: ReportCard.Options, lookup: AppLookup?, earlier: PageEvidence.Observation<[EarlierDeepLink]>?
    ) -> ReportCard {
        guard let page else { return ReportCard(url: url, evidence: evidence, options: options) }
        var evidence = evidence
        if let lookup { evidence.appStore = .made(lookup) }
        if let earlier { evidence.earlierDeepLinks = earlier }
        return ReportCard(facts: page.reading.facts, conclusion: page.conclusion, evidence: evidence, options: options)
    }

    // MARK: Evidence

    /// What the page's scripts make of it, and what is read as the page.
    private static func rendering(
        of raw: PageReading, _ response: FetchResponse, _ mode: RenderSettings.Mode, agents: [String],
        in browser: any Renderer, with single: inout SingleFetch
    ) async -> (PageEvidence.Observation<RenderingEvidence>, PageReading) {
        guard let reason = mode.reason(for: raw) else {
            guard mode != .never, raw.refusal != nil else {
                return (.missing(because: RenderingEvidence.notAsked), raw)
            }
            return (.missing(because: "the page asks not to be indexed, so its scripts were not run"), raw)
        }
        let read = RenderedReading(of: raw, response, await browser.render(response, with: &single), agents: agents)
        return (RenderingEvidence.observation(of: read, reason, listing: true), read.reading)
    }

    /// How the way to the page ended. Whoever does not answer for robots.txt does not answer for the page: that file is not at fault.
    private static func ending(_ result: Result<FetchResponse, RequestFailure>) -> FetchEvidence.Ending {
        switch result {
        case .success(let response): .answered(status: response.status)
        case .failure(let failure):
            if let status = failure.status {
                .answered(status: status)
            } else {
                .failed(
                    failure.root.error != nil && failure.root.url.origin == failure.url.origin ? failure.root : failure)
            }
        }
    }

    private static func fetch(
        _ target: WebURL, _ ending: FetchEvidence.Ending, _ spelling: Setting.Spelling,
        _ exchanges: [ExchangeLog.Exchange], answer: FetchResponse?
    ) -> FetchEvidence {
        var evidence = FetchEvidence(requestedURL: target, ending: ending)
        evidence.spelling = spelling
        for exchange in exchanges {
            guard let response = exchange.response, let redirect = response.redirect else { continue }
            evidence.hops.append(
                FetchEvidence.Hop(url: exchange.url, status: response.status, location: redirect.location))
        }
        if let answer { evidence.take(answer) }
        return evidence
    }

    /// The rules of the page's origin, as `SingleFetch` went by them.
    private static func robots(
        of page: WebURL, _ found: RobotsLookUp?, _ ending: FetchEvidence.Ending, _ spelling: Setting.Spelling,
        agents: [String]
    ) -> PageEvidence.Observation<RobotsEvidence> {
        if case .failed(let failure) = ending, case .failure(let rules)? = found?.result, failure == rules {
            return .missing(because: failure.briefExplanation(spelling))
        }
        guard let found else { return .missing(because: "robots.txt was not asked for") }
        let file: RobotsFile = if case .success(let file) = found.result { file } else { .disallowAll }
        var evidence = RobotsEvidence(url: found.url, file: file, page: page, pippinAgents: agents)
        evidence.status = found.status
        evidence.mediaType = found.hasFile ? found.answer?.headers.mediaType : nil
        evidence.bytes = found.answer?.body.count
        evidence.text = found.answer?.body
        evidence.redirects = found.redirects
        if case .failure(let failure) = found.result { evidence.failure = failure }
        return .made(evidence)
    }

    /// The association files that the page's verification needs: of its own host, of those that its deep links lead to, and
    /// of the other one of `www.` and bare domain, which devices take for another host. All under robots.txt and with pauses.
    ///
    /// - Parameter result: how the page was had. Of a page that robots.txt forbids, or that answers with an error, its host's
    ///   files are looked at nevertheless; of a host that does not answer they are not asked for.
    private static func associations(
        of result: Result<FetchResponse, RequestFailure>, record: DeepLinkRecord?,
        apps: [RecordBuilder.AppIdentity], with single: inout SingleFetch, in session: inout VisitSession
    ) async -> PageEvidence.Observation<AssociationEvidence> {
        var sites: [WebURL] = []
        let page: WebURL
        switch result {
        case .success(let response):
            page = response.url
            sites = record.map { AssociationVerification.wanted(by: $0).map(\.site) } ?? []
        case .failure(let failure):
            switch failure.cause {
            case .disallowed, .status: page = failure.url
            default: return .missing(because: "the page could not be fetched")
            }
        }
        if let own = SiteAssociations.site(of: page), !sites.contains(own) { sites.append(own) }
        if let sibling = SiteAssociations.sibling(of: page), !sites.contains(sibling) { sites.append(sibling) }
        guard !sites.isEmpty else {
            return .missing(because: "association files are served over https, and the page is http on a port")
        }
        var files = SiteAssociations()
        for site in sites {
            if let known = site.origin.flatMap({ session.associations[$0] }) {
                files[site] = known
                continue
            }
            do throws(RequestFailure) {
                let found = try await single.hostAssociations(of: site)
                files[site] = found
                if session.keepsSiteFiles, let origin = site.origin { session.keep(found, of: origin) }
            } catch {
                // A public host that nobody may be asked about for want of a contact: the checks say that it was not asked.
                continue
            }
        }
        return .made(AssociationEvidence(files: files, apps: apps))
    }
}

extension PageEvidence {
    fileprivate mutating func take(_ probes: PageProbes) {
        images = probes.images
        plainAddress = probes.plainAddress
        canonical = probes.canonical
        revalidation = probes.revalidation
        hostRules = probes.hostRules
    }
}

/// Passes requests on to a fetcher and keeps what was asked and answered of pages, for the report.
final class ExchangeLog: Fetcher {
    struct Exchange: Sendable {
        let url: WebURL
        /// Nil when there was no answer.
        let response: FetchResponse?
    }

    private let fetcher: any Fetcher
    private let log = Mutex<[Exchange]>([])

    init(_ fetcher: any Fetcher) {
        self.fetcher = fetcher
    }

    /// The exchanges so far. They are kept no longer.
    func takeAll() -> [Exchange] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }

    func fetch(_ request: FetchRequest) async -> Result<FetchResponse, FetchError> {
        let result = await fetcher.fetch(request)
        let response: FetchResponse? = if case .success(let response) = result { response } else { nil }
        if request.purpose == .page { log.withLock { $0.append(Exchange(url: request.url, response: response)) } }
        return result
    }

    func addresses(of host: String) async -> Result<[NetworkAddress], FetchError> {
        await fetcher.addresses(of: host)
    }
}
