import Foundation
import PippinCrawl
import PippinPage

/// What is known of a page besides its content: everything that was asked of the network or of a whole crawl.
///
/// Each part was either looked at, or has a reason why not. Checks that need a missing part pass its reason on.
public struct PageEvidence: Sendable {
    /// A part of the evidence, or the reason why it is missing.
    public enum Observation<Value: Sendable>: Sendable {
        case made(Value)
        /// The reason is a clause: `the page was read from a file, without network`.
        case missing(because: String)

        /// The part; nil if it is missing.
        var value: Value? {
            if case .made(let value) = self { value } else { nil }
        }

        /// Why the part is missing; nil if it is not.
        var reason: String? {
            if case .missing(let reason) = self { reason } else { nil }
        }
    }

    /// The robots.txt of the page's origin.
    var robots: Observation<RobotsEvidence>
    /// How the page was fetched.
    var fetch: Observation<FetchEvidence>
    /// What the addresses of the page's pictures answered.
    var images: Observation<[ImageEvidence]>
    /// What the page's address answers over http.
    var plainAddress: Observation<PlainAddressEvidence>
    /// What the page's canonical address answers.
    var canonical: Observation<CanonicalEvidence>
    /// What the server answers to a conditional request.
    var revalidation: Observation<RevalidationEvidence>
    /// The robots.txt files of other hosts from which the page takes scripts, styles and pictures.
    var hostRules: Observation<[HostRules]>
    /// What the other pages of the crawl show.
    var crawl: Observation<CrawlEvidence>
    /// What the site's sitemaps say of the page, if they were read without a crawl.
    var sitemap: Observation<SitemapEvidence>
    /// The association files.
    var association: Observation<AssociationEvidence>
    /// What the App Store says of apps, including the page's apps.
    var appStore: Observation<AppLookup>
    /// The association files that Apple's CDN has of the page's hosts.
    var appleCDN: Observation<[AppleCDNEvidence]>
    /// The deep links of the page's record at the last crawl.
    var earlierDeepLinks: Observation<[EarlierDeepLink]>
    /// What the page's scripts make of it.
    var rendering: Observation<RenderingEvidence>
    /// The operator's own crawler, whose reading of the page is told beside those of others.
    var agent = UsageAgent(CrawlConfiguration.Agent())
    /// The media type of an answer that is not a page, such as `application/pdf`; nil for a page.
    var foreignType: String?

    /// Evidence in which every part is missing.
    public init(missing reason: String) {
        robots = .missing(because: reason)
        fetch = .missing(because: reason)
        images = .missing(because: "pictures were not fetched")
        plainAddress = .missing(because: reason)
        canonical = .missing(because: reason)
        revalidation = .missing(because: reason)
        hostRules = .missing(because: reason)
        crawl = .missing(because: "one page alone was looked at, not its site")
        sitemap = .missing(because: "sitemaps were not looked at")
        association = .missing(because: "association files were not looked at")
        appStore = .missing(because: "the App Store was not asked")
        appleCDN = .missing(because: "Apple's CDN was not asked (--apple-cdn)")
        earlierDeepLinks = .missing(because: "no crawl was compared with (--storage)")
        rendering = .missing(because: RenderingEvidence.notAsked)
    }
}

extension UsageAgent {
    /// The crawler of a job.
    init(_ agent: CrawlConfiguration.Agent) {
        self = .own(agent.product, robotsAgents: agent.robotsAgents, directiveAgents: agent.directiveAgents)
    }
}

/// A site's robots.txt, and its decisions about the page.
struct RobotsEvidence: Sendable {
    /// The URL that was requested.
    var url: WebURL
    var file: RobotsFile
    let page: WebURL
    /// Whether Pippin may fetch the page, and why.
    var pippin: RobotsDecision
    /// The status of the last answer; nil without an answer.
    var status: Int?
    /// Why the file could not be fetched; nil if it was.
    var failure: RequestFailure?
    var mediaType: String?
    /// The size of the file.
    var bytes: Int?
    /// The file as it was read, to show its lines; nil if nothing of it is shown.
    var text: [UInt8]?
    /// The targets of redirects, in order.
    var redirects: [WebURL] = []

    /// What happened instead of an answer with the file, as a clause.
    var seen: String { failure?.reason ?? status.map { "it answers with status \($0)" } ?? "it gives no answer" }

    init(url: WebURL, file: RobotsFile, page: WebURL, pippinAgents: [String]) {
        self.url = url
        self.file = file
        self.page = page
        pippin = file.decision(for: page, agents: pippinAgents)
    }
}

/// How a page was fetched.
struct FetchEvidence: Sendable {
    /// An answer that redirects.
    struct Hop: Sendable, Hashable {
        let url: WebURL
        let status: Int
        /// The `Location` header as the server wrote it.
        let location: String

        var isTemporary: Bool { StatusMeaning(status, location: location) == .redirect(isPermanent: false) }
    }

    /// How the fetch ended.
    enum Ending: Sendable, Hashable {
        case answered(status: Int)
        case failed(RequestFailure)
    }

    /// The URL that was requested first.
    var requestedURL: WebURL
    /// Redirects that were followed, in order.
    var hops: [Hop] = []
    var ending: Ending
    /// How remedies name settings.
    var spelling = Setting.Spelling.flag
    /// What the last answer refuses, if it has the marks of a network in front of the site; nil otherwise.
    var edge: EdgeRefusal?
    /// The media type of the last answer (`HTTPHeaders.mediaType`).
    var mediaType: String?
    /// The HTTP version: `1.1`, `2`.
    var httpVersion: String?
    /// The IP address that answered.
    var remoteAddress: String?
    /// The time from the request to the first byte of the answer.
    var timeToFirstByte: Duration?
    /// The time from the request to the last byte of the body.
    var totalTime: Duration?
    /// The bytes of the body as transferred, and decoded.
    var wireBytes: Int?
    var bodyBytes: Int?

    /// Why there was no answer; nil if there was one.
    var failure: RequestFailure? { if case .failed(let failure) = ending { failure } else { nil } }

    /// Takes what is known of the answer besides its body.
    mutating func take(_ answer: FetchResponse) {
        edge = EdgeRefusal(status: answer.status, headers: answer.headers, body: answer.body)
        mediaType = answer.headers.mediaType
        httpVersion = answer.httpVersion
        remoteAddress = answer.remoteAddress
        timeToFirstByte = answer.timeToFirstByte
        totalTime = answer.totalTime
        wireBytes = answer.wireBytes
        bodyBytes = answer.body.count
    }
}

/// What the sitemaps of a site say of one page.
struct SitemapEvidence: Sendable, Hashable {
    /// Nil if no sitemap was looked for.
    var isListed: Bool?
    /// The entry's `lastmod`, if that is no date.
    var wrongDate: String?
    /// Whether all sitemaps were read.
    var isComplete = true
}

/// What is known of a page when its crawl has ended.
struct CrawlEvidence: Sendable {
    /// Other pages that share something with the page.
    struct Others: Sendable, Hashable {
        /// How many there are, and the URLs of a few.
        var count: Int
        var examples: [String]

        /// The pages for a sentence: `a`, `a and b`, `a, b and 3 more`.
        var phrase: String {
            let shown = examples.prefix(count > 3 ? 2 : 3)
            let more = count - shown.count
            return more > 0 ? shown.joined(separator: ", ") + " and \(more) more" : Wording.list(Array(shown))
        }
    }

    /// How many links lead from the nearest seed to the page; nil if none lead here.
    var depth: Int?
    /// How many pages link here, and how many of them only with links that a crawler may not follow.
    var inlinks = 0
    var nofollowInlinks = 0
    /// Whether the page is a seed.
    var isSeed = false
    /// How the crawl knows that the page's site has an app, as a clause that follows “though”: `other pages of the site do,
    /// such as https://shop.example/mug`. nil if nothing shows an app.
    var siteApp: String?
    /// Whether a sitemap lists the page, and its `lastmod` there if that is not a date. `isInSitemap` is nil if no sitemap
    /// was looked for.
    var isInSitemap: Bool?
    var sitemapDate: String?
    /// Other pages of the host with the same title or description, and other pages of the crawl with the same content.
    var sameTitle: Others = []
    var sameDescription: Others = []
    var sameContent: Others = []
    /// Pages of the crawl that this page lists as its language versions (`hreflang`) and that do not list this page.
    var versionsWithoutReturn: Others = []
    /// How many pages of the host have this page's picture, counting the page itself, and how many have any.
    var sameImage = 0
    var pagesWithImage = 0
    /// How many pages of the host have this page's app-argument, counting the page itself, and how many have any.
    var sameArgument = 0
    var pagesWithArgument = 0
    /// Hosts whose association files verify deep links of the crawl.
    var associationHosts: [String] = []
    /// Whether everything that the seeds lead to was read. If not, a missing link may be on a page that was not read.
    var isComplete = true
}

extension CrawlEvidence.Others: ExpressibleByArrayLiteral {
    init(arrayLiteral examples: String...) {
        self.init(count: examples.count, examples: examples)
    }
}

/// The association files of the hosts that matter to the page, and what is known in advance about its apps.
struct AssociationEvidence: Sendable {
    var files: SiteAssociations
    /// Apps with App Store ID and bundle identifier. In a crawl the seeds name them.
    var apps: [RecordBuilder.AppIdentity] = []
    /// Whether the files were fetched from their hosts. If not, nothing is known about how they are served.
    var wasFetched = true
}

// MARK: Requests for the report card alone: pictures, and other questions to the site

/// What the address of a picture answered.
struct ImageEvidence: Sendable {
    var url: WebURL
    /// The status of the answer; nil without an answer.
    var status: Int?
    /// Why there was no answer.
    var failure: RequestFailure?
    /// The media type in the answer's header.
    var mediaType: String?
    /// The format according to the first bytes; nil if it is not a known picture format.
    var format: ImageHeader.Format?
    /// Size in pixels; nil if unknown.
    var width: Int?
    var height: Int?
    /// The size of the answer's body.
    var byteCount: Int?
    /// The targets of redirects, in order.
    var redirects: [WebURL] = []
    /// Whether the robots.txt of its host lets the crawler of the card's profile fetch it, or why that is not known. Nil if the file
    /// was not asked for.
    var isAllowed: Result<Bool, RequestFailure>?
    /// The picture, if it is small enough to be shown in the report.
    var bytes: [UInt8]?

    /// The largest picture that is embedded in a report. Base64 makes it a third larger.
    static let maximumShownBytes = 400_000

    init(url: WebURL, status: Int? = nil) {
        self.url = url
        self.status = status
    }

    /// Takes what is known of a picture that was fetched.
    mutating func take(status: Int, mediaType: String?, body: [UInt8]) {
        self.status = status
        self.mediaType = mediaType
        byteCount = body.count
        guard let header = ImageHeader(body) else { return }
        format = header.format
        width = header.width
        height = header.height
        if header.format.isRaster, body.count <= Self.maximumShownBytes { bytes = body }
    }
}

extension ImageHeader.Format {
    /// Whether browsers show the format without running anything. An SVG may contain scripts.
    var isRaster: Bool {
        switch self {
        case .png, .jpeg, .gif, .webp, .avif: true
        case .heic, .svg: false
        }
    }
}

/// What the page's address answers over http instead of https.
struct PlainAddressEvidence: Sendable {
    var url: WebURL
    /// The status of the answer; nil without an answer.
    var status: Int?
    /// The target of a redirect; nil without one.
    var location: WebURL?
}

/// What the page's canonical address answers.
struct CanonicalEvidence: Sendable {
    var url: WebURL
    var status: Int
    /// The target of a redirect; nil without one.
    var location: WebURL?
    /// The canonical URL that the page there names.
    var canonical: WebURL?
    /// Whether the page there forbids indexing.
    var isNoindex = false
}

/// What the server answers to a conditional request, from a reader that already has the page.
struct RevalidationEvidence: Sendable {
    var status: Int
    /// The validators of the first answer, and those of the second (`new…`).
    var entityTag: String?
    var lastModified: String?
    var newEntityTag: String?
    var newLastModified: String?
    /// Whether the second answer has the same body as the first.
    var isSameBody: Bool
}

/// The robots.txt of another host that the page takes scripts, styles or pictures from.
struct HostRules: Sendable {
    /// Scheme, host and port: `https://cdn.example`.
    var origin: String
    /// The file, or why it could not be fetched.
    var file: Result<RobotsFile, RequestFailure>
}

/// A deep link of the page's record, as the last crawl of a storage left it.
struct EarlierDeepLink: Sendable {
    /// The link and its status; of a link that went, as it was before.
    let state: DeepLinkState
    /// Since when the status holds.
    let since: Date
    /// When a crawl found that the link was gone; nil if it was there at the last visit.
    var removedAt: Date?
    /// The status before.
    var previous: DeepLinkRecord.Verification.Status?
}

extension Platform {
    /// As people write it.
    public var name: String {
        switch self {
        case .iOS: "iOS"
        case .iPadOS: "iPadOS"
        case .android: "Android"
        case .windows: "Windows"
        case .web: "Web"
        }
    }
}
