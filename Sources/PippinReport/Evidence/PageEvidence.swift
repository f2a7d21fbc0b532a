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
        public var value: Value? {
            if case .made(let value) = self { value } else { nil }
        }

        /// Why the part is missing; nil if it is not.
        public var reason: String? {
            if case .missing(let reason) = self { reason } else { nil }
        }
    }

    /// The robots.txt of the page's origin.
    public var robots: Observation<RobotsEvidence>
    /// How the page was fetched.
    public var fetch: Observation<FetchEvidence>
    /// What the addresses of the page's pictures answered.
    public var images: Observation<[ImageEvidence]>
    /// What the page's address answers over http.
    public var plainAddress: Observation<PlainAddressEvidence>
    /// What the page's canonical address answers.
    public var canonical: Observation<CanonicalEvidence>
    /// What the server answers to a conditional request.
    public var revalidation: Observation<RevalidationEvidence>
    /// The robots.txt files of other hosts from which the page takes scripts, styles and pictures.
    public var hostRules: Observation<[HostRules]>
    /// What the other pages of the crawl show.
    public var crawl: Observation<CrawlEvidence>
    /// What the site's sitemaps say of the page, if they were read without a crawl.
    public var sitemap: Observation<SitemapEvidence>
    /// The association files.
    public var association: Observation<AssociationEvidence>
    /// What the App Store says of apps, including the page's apps.
    public var appStore: Observation<AppLookup>
    /// The association files that Apple's CDN has of the page's hosts.
    public var appleCDN: Observation<[AppleCDNEvidence]>
    /// The deep links of the page's record at the last crawl.
    public var earlierDeepLinks: Observation<[EarlierDeepLink]>
    /// What the page's scripts make of it.
    public var rendering: Observation<RenderingEvidence>
    /// The media type of an answer that is not a page, such as `application/pdf`; nil for a page.
    public var foreignType: String?

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

/// A site's robots.txt, and its decisions about the page.
public struct RobotsEvidence: Sendable {
    /// The URL that was requested.
    public var url: WebURL
    public var file: RobotsFile
    private let page: WebURL
    /// Whether Pippin may fetch the page, and why.
    public var pippin: RobotsDecision
    /// The status of the last answer; nil without an answer.
    public var status: Int?
    /// Why the file could not be fetched, as a clause; nil if its status says so, or it was fetched.
    public var trouble: String?
    public var mediaType: String?
    /// The size of the file.
    public var bytes: Int?
    /// The file as it was read, to show its lines; nil if nothing of it is shown.
    public var text: [UInt8]?
    /// The targets of redirects, in order.
    public var redirects: [WebURL] = []

    /// What happened instead of an answer with the file, as a clause.
    var seen: String { trouble ?? status.map { "it answers with status \($0)" } ?? "it gives no answer" }

    public init(url: WebURL, file: RobotsFile, page: WebURL, pippinAgents: [String]) {
        self.url = url
        self.file = file
        self.page = page
        pippin = file.decision(for: page, agents: pippinAgents)
    }

    /// Whether the crawler of a profile may fetch the page, and why.
    func decision(for profile: ReportCard.Profile) -> RobotsDecision {
        file.decision(for: page, agents: profile.crawler.robotsAgents)
    }
}

/// How a page was fetched.
public struct FetchEvidence: Sendable {
    /// An answer that redirects.
    public struct Hop: Sendable, Hashable {
        public let url: WebURL
        public let status: Int
        /// The `Location` header as the server wrote it.
        public let location: String

        public init(url: WebURL, status: Int, location: String) {
            self.url = url
            self.status = status
            self.location = location
        }

        var isTemporary: Bool { StatusMeaning(status, location: location) == .redirect(isPermanent: false) }
    }

    /// How the fetch ended.
    public enum Ending: Sendable, Hashable {
        case answered(status: Int)
        /// There was no answer, or a redirect that leads nowhere.
        case failed(Trouble)
        /// robots.txt forbids it (check D01).
        case forbidden
        /// robots.txt could not be fetched, so nothing is allowed (check D03).
        case rulesUnreachable
        case endlessRedirects
    }

    /// Why there was no answer.
    public struct Trouble: Sendable, Hashable {
        /// Whose problem it is, and which check reports it.
        public enum Kind: Sendable, Hashable {
            /// The certificate is wrong, or there is no TLS connection (check T03).
            case tls
            /// Pippin did not ask, which an option would change. The site is not to blame.
            case notAsked
            case other
        }

        public let kind: Kind
        /// The reason as a clause: `nothing listens at shop.example:443`.
        public let clause: String
        /// What to do, without a full stop; nil if nothing can be recommended.
        public let remedy: String?

        public init(_ kind: Kind, _ clause: String, remedy: String? = nil) {
            self.kind = kind
            self.clause = clause
            self.remedy = remedy
        }

        /// Clause and remedy, without a final full stop.
        var explanation: String { clause + (remedy.map { ". \($0)" } ?? "") }
    }

    /// The URL that was requested first.
    public var requestedURL: WebURL
    /// Redirects that were followed, in order.
    public var hops: [Hop] = []
    public var ending: Ending
    /// The media type of the last answer (`HTTPHeaders.mediaType`).
    public var mediaType: String?
    /// The HTTP version: `1.1`, `2`.
    public var httpVersion: String?
    /// The IP address that answered.
    public var remoteAddress: String?
    /// The time from the request to the first byte of the answer.
    public var timeToFirstByte: Duration?
    /// The time from the request to the last byte of the body.
    public var totalTime: Duration?
    /// The bytes of the body as transferred, and decoded.
    public var wireBytes: Int?
    public var bodyBytes: Int?

    public init(requestedURL: WebURL, ending: Ending) {
        self.requestedURL = requestedURL
        self.ending = ending
    }
}

/// What the sitemaps of a site say of one page.
public struct SitemapEvidence: Sendable, Hashable {
    /// Nil if no sitemap was looked for.
    public var isListed: Bool?
    /// The entry's `lastmod`, if that is no date.
    public var wrongDate: String?
    /// Whether all sitemaps were read.
    public var isComplete: Bool

    public init(isListed: Bool?, wrongDate: String? = nil, isComplete: Bool = true) {
        self.isListed = isListed
        self.wrongDate = wrongDate
        self.isComplete = isComplete
    }
}

/// What is known of a page when its crawl has ended.
public struct CrawlEvidence: Sendable {
    /// Other pages that share something with the page.
    struct Others: Sendable, Hashable, ExpressibleByArrayLiteral {
        /// How many there are, and the URLs of a few.
        var count: Int
        var examples: [String]

        init(count: Int, examples: [String]) {
            self.count = count
            self.examples = examples
        }

        init(arrayLiteral examples: String...) {
            self.init(count: examples.count, examples: examples)
        }

        /// The pages for a sentence: `a`, `a and b`, `a, b and 3 more`.
        var phrase: String {
            let shown = examples.prefix(count > 3 ? 2 : 3)
            let more = count - shown.count
            return more > 0 ? shown.joined(separator: ", ") + " and \(more) more" : Wording.list(Array(shown))
        }
    }

    /// How many links lead from the nearest seed to the page; nil if none lead here.
    public var depth: Int?
    /// How many pages link here, and how many of them only with links that a crawler may not follow.
    var inlinks = 0
    var nofollowInlinks = 0
    /// Whether the page is a seed.
    public var isSeed = false
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
    public var isComplete = true

    public init() {}
}

/// The association files of the hosts that matter to the page, and what is known in advance about its apps.
public struct AssociationEvidence: Sendable {
    public var files: SiteAssociations
    /// Apps with App Store ID and bundle identifier. In a crawl the seeds name them.
    public var apps: [RecordBuilder.AppIdentity]
    /// Whether the files were fetched from their hosts. If not, nothing is known about how they are served.
    public var wasFetched: Bool

    public init(files: SiteAssociations, apps: [RecordBuilder.AppIdentity] = [], wasFetched: Bool = true) {
        self.files = files
        self.apps = apps
        self.wasFetched = wasFetched
    }
}

// MARK: Requests for the report card alone: pictures, and other questions to the site

/// What the address of a picture answered.
public struct ImageEvidence: Sendable {
    public var url: WebURL
    /// The status of the answer; nil without an answer.
    public var status: Int?
    /// Why there was no answer, as a clause.
    public var trouble: String?
    /// The media type in the answer's header.
    public var mediaType: String?
    /// The format according to the first bytes; nil if it is not a known picture format.
    public var format: ImageHeader.Format?
    /// Size in pixels; nil if unknown.
    public var width: Int?
    public var height: Int?
    /// The size of the answer's body.
    public var byteCount: Int?
    /// The targets of redirects, in order.
    public var redirects: [WebURL] = []
    /// Whether the robots.txt of its host lets the crawler of the card's profile fetch it; nil if that is not known.
    public var isAllowed: Bool?
    /// The picture, if it is small enough to be shown in the report.
    public var bytes: [UInt8]?

    /// The largest picture that is embedded in a report. Base64 makes it a third larger.
    static let maximumShownBytes = 400_000

    public init(url: WebURL, status: Int? = nil) {
        self.url = url
        self.status = status
    }

    /// Evidence of a picture that was fetched.
    public init(url: WebURL, status: Int, mediaType: String?, body: [UInt8]) {
        self.init(url: url, status: status)
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
    public var isRaster: Bool {
        switch self {
        case .png, .jpeg, .gif, .webp, .avif: true
        case .heic, .svg: false
        }
    }
}

/// What the page's address answers over http instead of https.
public struct PlainAddressEvidence: Sendable {
    public var url: WebURL
    /// The status of the answer; nil without an answer.
    public var status: Int?
    /// The target of a redirect; nil without one.
    public var location: WebURL?

    public init(url: WebURL, status: Int?, location: WebURL? = nil) {
        self.url = url
        self.status = status
        self.location = location
    }
}

/// What the page's canonical address answers.
public struct CanonicalEvidence: Sendable {
    public var url: WebURL
    public var status: Int
    /// The target of a redirect; nil without one.
    public var location: WebURL?
    /// The canonical URL that the page there names.
    public var canonical: WebURL?
    /// Whether the page there forbids indexing.
    public var isNoindex = false

    public init(url: WebURL, status: Int) {
        self.url = url
        self.status = status
    }
}

/// What the server answers to a conditional request, from a reader that already has the page.
public struct RevalidationEvidence: Sendable {
    public var status: Int
    /// The validators of the first answer, and those of the second (`new…`).
    public var entityTag: String?
    public var lastModified: String?
    public var newEntityTag: String?
    public var newLastModified: String?
    /// Whether the second answer has the same body as the first.
    public var isSameBody: Bool

    public init(status: Int, isSameBody: Bool) {
        self.status = status
        self.isSameBody = isSameBody
    }
}

/// The robots.txt of another host that the page takes scripts, styles or pictures from.
public struct HostRules: Sendable {
    /// Scheme, host and port: `https://cdn.example`.
    public var origin: String
    /// The file; nil if it could not be fetched.
    public var file: RobotsFile?

    public init(origin: String, file: RobotsFile?) {
        self.origin = origin
        self.file = file
    }
}
