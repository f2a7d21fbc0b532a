import Foundation
import PippinCrawl
import PippinPage
import PippinStore
import Synchronization

/// Judges single pages as the operator wants them judged.
public struct PageJudge: Sendable {
    public var options = ReportCard.Options()
    public var apps: [RecordBuilder.AppIdentity] = []
    public var lookup: AppLookup?
    public var tuning = CardTuning()
    public var baseline: FindingBaseline?
    /// How much may be found.
    public var budgets = FindingBudgets()
    /// What this run is compared with, in place of a baseline.
    public var earlier: EarlierResult?
    /// The folder of the baseline's file, from which it names pages.
    public var baselineFolder = "/"
    /// What lies beside pages that are read from files; nil if no folder stands for the site.
    public var folder: SiteFolder?
    /// Whether Apple's CDN is asked for its copies of the association files.
    public var asksAppleCDN = false
    /// The storage of a crawl, with whose deep links those of today are compared.
    public var storage: String?
    /// Runs the scripts of pages; nil if they are judged as they are.
    public var browser: (any Renderer)?
    /// The URL of the only file.
    public var location: WebURL?
    /// Whose name counts in robots.txt and on pages.
    private let agent: CrawlConfiguration.Agent
    private let paths: SitePaths
    private let associations: GivenAssociations

    /// Judges as whoever asks for nothing in particular.
    public init(agent: CrawlConfiguration.Agent, paths: SitePaths, associations: GivenAssociations) {
        self.agent = agent
        self.paths = paths
        self.associations = associations
    }

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
            return finished(try await card(of: url, configuration, in: &session) { _ in }, of: .url(url))
        } catch let failure as RequestFailure {
            return NamedCard(
                name: url.href, isFile: false, card: nil,
                trouble: failure.explanation(configuration.messages.settings))
        }
    }

    /// The judgement of a page that is fetched, before tuning.
    public func card(
        of url: WebURL, _ configuration: CrawlConfiguration, in session: inout VisitSession,
        announce: @escaping @Sendable (String) -> Void
    ) async throws -> ReportCard {
        let visit = try await ValidatedVisit(
            url, for: options.profile, apps: apps, configuration: configuration, in: &session, browser: browser,
            asksAppleCDN: asksAppleCDN, announce: announce)
        return visit.card(options, lookup: lookup, earlier: try earlierDeepLinks(of: visit.url))
    }

    /// The judgement of a file's bytes, before tuning.
    public func card(ofFile path: String, _ bytes: [UInt8]) throws -> ReportCard {
        let page = try reading(ofFile: path, bytes)
        let address = page.source.url
        var evidence = PageEvidence(missing: "the page was read from a file, without network")
        evidence.agent = UsageAgent(agent)
        if !UnknownAddress.isHost(of: address) {
            folder?.add(to: &evidence, of: address, agents: agent.robotsAgents)
        }
        evidence.foreignType = AnswerKind(page: bytes).foreignType
        if let files = try associations.files(for: address) {
            evidence.association = .made(AssociationEvidence(files: files, apps: apps, wasFetched: false))
        }
        if let lookup { evidence.appStore = .made(lookup) }
        if let earlier = try earlierDeepLinks(of: address) { evidence.earlierDeepLinks = earlier }
        let conclusion = page.conclusion(apps: apps, sitemap: folder?.facts(of: address) ?? SitemapFacts())
        return ReportCard(facts: page.facts, conclusion: conclusion, evidence: evidence, options: options)
    }

    private func earlierDeepLinks(of url: WebURL) throws -> PageEvidence.Observation<[EarlierDeepLink]>? {
        try storage.map {
            try StorageReader(JobStorages(in: URL(filePath: $0)).part(of: url.politenessHost)).earlierDeepLinks(of: url)
        }
    }

    /// A file as it was found where the operator says, else where the page itself does.
    private func reading(ofFile path: String, _ bytes: [UInt8]) throws -> PageReading {
        let agents = options.profile.crawler(named: agent.directiveAgents).directiveAgents
        func reading(at address: WebURL) -> PageReading {
            PageReading(PageSource(url: address, bytes: bytes, fetchedAt: Date()), agents: agents)
        }
        if let address = try location ?? paths.url(ofFile: path) { return reading(at: address) }
        let unplaced = reading(at: UnknownAddress.url)
        // Addresses on the page start from its own, so it is read again.
        return UnknownAddress.resolved(by: unplaced.facts).map(reading) ?? unplaced
    }

    /// The card with the operator's tuning and baseline.
    public func finished(_ card: ReportCard, of input: ValidateInputs.Input) -> NamedCard {
        var isFile = false
        if case .file(let path) = input { isFile = path != "-" }
        let url = UnknownAddress.url == card.url ? nil : card.url
        var card = card.tuned(by: tuning, paths: paths.rulePaths(of: input, at: url))
        let trouble = Self.trouble(of: card)
        var stale = 0
        if let baseline, trouble == nil {
            (card, stale) = baseline.marked(card, page: baselineName(of: input))
        }
        if let earlier, trouble == nil { card = earlier.compared(card, named: input.name) }
        var page = NamedCard(name: input.name, isFile: isFile, card: card, trouble: trouble)
        page.staleCount = stale
        return page
    }

    /// The page in a baseline: a URL, or the path of its file from the baseline's folder.
    public func baselineName(of input: ValidateInputs.Input) -> String {
        switch input {
        case .file("-"): "-"
        case .file(let path): SitePaths.relative(path, to: baselineFolder)
        case .url(let url): UserInformation.hidden(in: url.href)
        }
    }

    /// Why a page could not be fetched, as a clause; nil if it was judged.
    static func trouble(of card: ReportCard) -> String? {
        guard let fetch = card.evidence.fetch.value, let failure = fetch.failure else { return nil }
        switch failure.cause {
        case .robotsUnreachable(let rules):
            return "nothing may be fetched, because robots.txt cannot be: \(rules.reason). "
                + "A server that has none must answer with 404"
        // What robots.txt says to Applebot is a finding; where it forbids Pippin alone, nothing was found out.
        case .disallowed: return card.counts().error == 0 ? "its robots.txt does not let Pippin fetch it" : nil
        default: return failure.briefExplanation(fetch.spelling)
        }
    }
}

/// The association files that were given for pages from files, read once per host.
public final class GivenAssociations: Sendable {
    private let applePath: String?
    private let assetLinksPath: String?
    private let folder: SiteFolder?
    private let known = Mutex<[String: SiteAssociations]>([:])

    /// - Parameters:
    ///   - apple: the path of an `apple-app-site-association`.
    ///   - assetLinks: the path of an `assetlinks.json`.
    ///   - folder: has what is not given.
    public init(apple: String?, assetLinks: String?, folder: SiteFolder?) {
        applePath = apple
        assetLinksPath = assetLinks
        self.folder = folder
    }

    /// The files as if the page's host had served them; nil if no files were given.
    func files(for page: WebURL) throws -> SiteAssociations? {
        guard hasFiles || folder != nil else { return nil }
        let origin = page.origin ?? ""
        if let files = known.withLock({ $0[origin] }) { return files }
        guard let files = try read(for: page) else { return nil }
        // Pages that name many hosts as their own are read again for each.
        known.withLock { known in if known.count < 64 { known[origin] = files } }
        return files
    }

    private var hasFiles: Bool { applePath != nil || assetLinksPath != nil }

    private func read(for page: WebURL) throws -> SiteAssociations? {
        let hasFolder = folder?.apple != nil || folder?.appleRootCopy != nil || folder?.assetLinks != nil
        guard hasFiles || hasFolder else { return nil }
        func fetched(_ path: String?, or file: SiteFolder.File?) throws -> AssociationFetch {
            if let path {
                return .fetched(bytes: try InputFile.bytes(at: path), mediaType: "application/json")
            }
            return file.map { .fetched(bytes: $0.bytes, mediaType: "application/json") } ?? .notAsked
        }
        if !hasFiles, SiteAssociations.site(of: page) == nil || UnknownAddress.isHost(of: page) { return nil }
        let places = SiteAssociations.site(of: page).map(AppleAssociationOutcome.locations) ?? []
        guard let site = SiteAssociations.site(of: page), places.count == 2,
            let linksURL = AssetLinksOutcome.location(of: site)
        else {
            throw ConfigurationError(
                file: applePath == nil ? "--asset-links" : "--association",
                problem: "\(page.href) has no association files, as it is not on https; give --url")
        }
        let assetLinks = AssetLinksOutcome(try fetched(assetLinksPath, or: folder?.assetLinks), at: linksURL)
        let copy = applePath == nil ? try fetched(nil, or: folder?.appleRootCopy) : .notAsked
        var wellKnown = try fetched(applePath, or: folder?.apple)
        // A folder with the copy alone has no other.
        if applePath == nil, folder?.apple == nil, folder?.appleRootCopy != nil { wellKnown = .status(404) }
        var files = SiteAssociations()
        files[site] = HostAssociations(
            wellKnown: AppleAssociationOutcome(wellKnown, at: places[0]),
            rootCopy: AppleAssociationOutcome(copy, at: places[1]), assetLinks: assetLinks,
            included: assetLinks.isUsable ? assetLinks.links.map { AssetLinksGathering($0, at: linksURL) } : nil)
        return files
    }
}

extension StorageReader {
    /// The deep links that the record of a page had at the last crawl.
    func earlierDeepLinks(of url: WebURL) throws -> PageEvidence.Observation<[EarlierDeepLink]> {
        guard var history = try history(of: url) else {
            return .missing(because: "the storage does not know the page")
        }
        // The record may be filed under another address.
        if history.deepLinks.isEmpty, let canonical = history.canonical.flatMap({ WebURL($0) }),
            let other = try self.history(of: canonical)
        {
            history = other
        }
        return .made(EarlierDeepLink.last(of: history.deepLinks))
    }
}

extension EarlierDeepLink {
    /// Each link as its last change left it.
    fileprivate static func last(of changes: [DeepLinkChange]) -> [EarlierDeepLink] {
        var last: [Int: DeepLinkChange] = [:]
        for change in changes { last[change.link] = change }
        return last.values.sorted { $0.link < $1.link }.compactMap(EarlierDeepLink.init)
    }

    private init?(_ change: DeepLinkChange) {
        guard let standing = change.now ?? change.before else { return nil }
        self.init(
            state: DeepLinkState(
                platform: change.platform, storeIdentifier: change.storeIdentifier,
                bundleIdentifier: change.bundleIdentifier, appClipBundleIdentifier: change.appClipBundleIdentifier,
                packageName: change.packageName, appName: change.appName, url: standing.url, status: standing.status,
                reason: change.reason),
            since: standing.since, removedAt: change.now == nil ? change.at : nil, previous: change.before?.status)
    }
}
