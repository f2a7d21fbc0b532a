import Foundation
import PippinCrawl
import PippinPage
import PippinRender
import PippinReport
import Synchronization

/// Judges single pages as the command's options say.
struct PageJudge: Sendable {
    let options: ReportCard.Options
    let apps: [RecordBuilder.AppIdentity]
    /// Whose name counts in robots.txt and on pages.
    let agent: CrawlConfiguration.Agent
    let lookup: AppLookup?
    let tuning: CardTuning
    let baseline: FindingBaseline?
    /// The folder of the baseline's file, from which it names pages.
    let baselineFolder: String
    let paths: SitePaths
    let associations: GivenAssociations
    /// What lies beside pages that are read from files; nil if no folder stands for the site.
    var folder: SiteFolder?
    let comparison: ComparisonOptions
    /// Runs the scripts of pages; nil if they are judged as they are.
    var browser: Chromium?
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
            return finished(try await card(of: url, configuration, in: &session) { _ in }, of: .url(url))
        } catch let failure as SingleFetch.Failure {
            return NamedCard(
                name: url.href, isFile: false, card: nil,
                trouble: failure.description(configuration.messages.settings))
        }
    }

    /// The judgement of a page that is fetched, before tuning.
    func card(
        of url: WebURL, _ configuration: CrawlConfiguration, in session: inout VisitSession,
        announce: @escaping @Sendable (String) -> Void
    ) async throws -> ReportCard {
        let visit = try await ValidatedVisit(
            url, for: options.profile, apps: apps, configuration: configuration, in: &session, browser: browser,
            asksAppleCDN: comparison.asksAppleCDN,
            announce: announce)
        return visit.card(options, lookup: lookup, earlier: try comparison.earlierDeepLinks(of: visit.url))
    }

    /// The judgement of a file's bytes, before tuning.
    func card(ofFile path: String, _ bytes: [UInt8]) throws -> ReportCard {
        let page = try reading(ofFile: path, bytes)
        let address = page.source.url
        var evidence = PageEvidence(missing: "the page was read from a file, without network")
        if !UnknownAddress.isHost(of: address) {
            folder?.add(to: &evidence, of: address, agents: agent.robotsAgents)
        }
        evidence.foreignType = AnswerKind(page: bytes).foreignType
        if let files = try associations.files(for: address) {
            evidence.association = .made(AssociationEvidence(files: files, apps: apps, wasFetched: false))
        }
        if let lookup { evidence.appStore = .made(lookup) }
        if let earlier = try comparison.earlierDeepLinks(of: address) { evidence.earlierDeepLinks = earlier }
        let conclusion = page.conclusion(apps: apps, sitemap: folder?.facts(of: address) ?? SitemapFacts())
        return ReportCard(facts: page.facts, conclusion: conclusion, evidence: evidence, options: options)
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
    private let folder: SiteFolder?
    private let known = Mutex<[String: SiteAssociations]>([:])

    init(_ options: AssociationOptions, folder: SiteFolder?) {
        self.options = options
        self.folder = folder
    }

    /// The files as if the page's host had served them; nil if no files were given.
    func files(for page: WebURL) throws -> SiteAssociations? {
        guard options.hasFiles || folder != nil else { return nil }
        let origin = page.origin ?? ""
        if let files = known.withLock({ $0[origin] }) { return files }
        guard let files = try options.files(for: page, in: folder) else { return nil }
        // Pages that name many hosts as their own are read again for each.
        known.withLock { known in if known.count < 64 { known[origin] = files } }
        return files
    }
}
