import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// A page with what is known beside it, and the report card it gets. What is not said is in order.
struct ReportPage: Sendable {
    var head = ""
    var body = "<p>A mug for tea, thrown by hand and fired twice, in four glazes.</p>"
    /// The whole page, where it is not made of `head` and `body`.
    var html: String?
    var url = "https://shop.example/mug"
    var status = 200
    var headers: [(name: String, value: String)] = [
        ("Content-Type", "text/html; charset=utf-8"), ("ETag", "\"1\""),
    ]
    var robots = "User-agent: Applebot\nAllow: /\n"
    var robotsFile: RobotsFile?
    var hops: [FetchEvidence.Hop] = []
    var ending: FetchEvidence.Ending?
    var timeToFirstByte = Duration.milliseconds(80)
    var images: [ImageEvidence]?
    var crawl: CrawlEvidence?
    /// What else was asked of the network.
    var probe: (@Sendable (inout PageEvidence) -> Void)?
    /// Association files by the URL of their host.
    var association: [(site: String, found: HostAssociations)] = []
    /// Replies of the App Store's lookup API.
    var lookup: String?
    var options = ReportCard.Options()
    /// Neither robots.txt nor the fetch were seen.
    var isOffline = false
    /// Whether the card keeps the page's text, as a crawl's does not.
    var showsSource = true

    static let now = Date(timeIntervalSince1970: 1_795_000_000)

    init(_ head: String = "") { self.head = head }

    init(body: String) { self.body = body }

    func with(_ change: (inout ReportPage) -> Void) -> ReportPage {
        var page = self
        change(&page)
        return page
    }

    /// The same page on a host with these files.
    func associated(
        _ site: String = "https://shop.example/", apple: AssociationFetch = .status(404),
        root: AssociationFetch = .status(404), android: AssociationFetch = .status(404)
    ) -> ReportPage {
        let url = WebURL(site) ?? .placeholder
        let places = AppleAssociationOutcome.locations(of: url)
        let assetLinks = AssetLinksOutcome(android, at: AssetLinksOutcome.location(of: url) ?? url)
        let found = HostAssociations(
            wellKnown: AppleAssociationOutcome(apple, at: places[0]),
            rootCopy: AppleAssociationOutcome(root, at: places[1]), assetLinks: assetLinks,
            included: assetLinks.links.map { AssetLinksGathering($0, at: assetLinks.url) })
        return with { $0.association.append((site, found)) }
    }

    /// The same page, whose deep links were these at the last crawl.
    func compared(with links: EarlierDeepLink...) -> ReportPage {
        with { page in page.probe = { $0.earlierDeepLinks = .made(links) } }
    }

    var facts: PageFacts {
        let text = html ?? "<!DOCTYPE html><html lang=\"en\"><head>\n\(head)\n</head><body>\n\(body)\n</body></html>"
        let location = WebURL(url)
        precondition(location != nil, "the test's URL is none")
        return PageFacts(
            PageSource(
                url: location ?? WebURL.placeholder, status: status, headers: HTTPHeaders(isOffline ? [] : headers),
                bytes: Array(text.utf8), fetchedAt: Self.now),
            agents: options.profile.crawler.directiveAgents)
    }

    var evidence: PageEvidence {
        var evidence = PageEvidence(missing: "the page was read from a file, without network")
        if let crawl { evidence.crawl = .made(crawl) }
        if let images { evidence.images = .made(images) }
        if !association.isEmpty {
            var files = SiteAssociations()
            for (site, found) in association { if let url = WebURL(site) { files[url] = found } }
            let bundle = options.appIdentifier.map { String($0.drop { $0 != "." }.dropFirst()) }
            let app = RecordBuilder.AppIdentity(
                storeIdentifier: options.appStoreIdentifier, bundleIdentifier: bundle)
            evidence.association = .made(
                AssociationEvidence(files: files, apps: options.appStoreIdentifier == nil ? [] : [app]))
        }
        if let lookup {
            do {
                evidence.appStore = .made(try AppLookup(bytes: Array(lookup.utf8)))
            } catch {
                preconditionFailure("the test's lookup file is none: \(error)")
            }
        }
        guard !isOffline, let page = WebURL(url), let place = WebURL("/robots.txt", base: page) else { return evidence }
        let file = robotsFile ?? RobotsFile(bytes: Array(robots.utf8), url: place)
        evidence.robots = .made(
            RobotsEvidence(url: place, file: file, page: page, pippinAgents: ["Pippin", "Applebot", "Googlebot"]))
        var fetch = FetchEvidence(
            requestedURL: hops.first?.url ?? page, ending: ending ?? .answered(status: status))
        fetch.hops = hops
        fetch.timeToFirstByte = timeToFirstByte
        fetch.totalTime = timeToFirstByte
        evidence.fetch = .made(fetch)
        probe?(&evidence)
        return evidence
    }

    var card: ReportCard {
        let facts = facts
        let card = ReportCard(
            facts: facts, conclusion: RecordBuilder.conclusion(from: facts, now: Self.now), evidence: evidence,
            options: options, showsSource: showsSource)
        for finding in card.findings {
            if let fault = NumberWords.fault(in: finding.sentence) { Issue.record("\(finding.check.id): \(fault)") }
        }
        return card
    }

    /// The card where the page itself could not be fetched.
    var cardWithoutPage: ReportCard {
        ReportCard(url: WebURL(url) ?? .placeholder, evidence: evidence, options: options)
    }
}

extension WebURL {
    /// For tests, whose URLs are right: `http://placeholder.invalid/`.
    fileprivate static let placeholder: WebURL = {
        guard let url = WebURL("http://placeholder.invalid/") else { preconditionFailure("this is a URL") }
        return url
    }()
}

extension FetchEvidence.Ending {
    /// The page of these tests could not be fetched.
    static func noAnswer(_ cause: RequestFailure.Cause) -> Self {
        .failed(RequestFailure(cause, asking: WebURL("https://shop.example/mug") ?? .placeholder))
    }
}

extension ReportCard {
    func findings(_ check: String) -> [Finding] { findings.filter { $0.check.id == check } }

    /// The gravest outcome of a check; nil where it does not apply.
    func outcome(_ check: String) -> Finding.Outcome? { findings(check).map(\.outcome).max() }
}

extension String {
    func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
