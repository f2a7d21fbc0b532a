import PippinPage

/// What is known of a page beside the page itself: everything that had to be asked of the network, or of a whole crawl.
///
/// Each part was looked at or it was not, and then there is a reason, which the checks that need it pass on.
public struct PageEvidence: Sendable {
    public enum Observation<Value: Sendable>: Sendable {
        case made(Value)
        /// A clause: `the page was read from a file, without network`.
        case missing(because: String)

        public var value: Value? {
            if case .made(let value) = self { value } else { nil }
        }

        /// Why there is no value; nil where there is one.
        public var reason: String? {
            if case .missing(let reason) = self { reason } else { nil }
        }
    }

    public var robots: Observation<RobotsEvidence>
    public var fetch: Observation<FetchEvidence>
    public var images: Observation<[ImageEvidence]>
    public var plainAddress: Observation<PlainAddressEvidence>
    public var canonical: Observation<CanonicalEvidence>
    public var revalidation: Observation<RevalidationEvidence>
    /// Of other hosts that the page takes scripts, styles and pictures from.
    public var hostRules: Observation<[HostRules]>
    public var crawl: Observation<CrawlEvidence>
    public var association: Observation<AssociationEvidence>
    /// What the App Store says of apps, the page's among them.
    public var appStore: Observation<AppLookup>
    /// What the bytes are, where they are no page: `application/pdf`.
    public var foreignType: String?

    /// Nothing was looked at.
    public init(missing reason: String) {
        robots = .missing(because: reason)
        fetch = .missing(because: reason)
        images = .missing(because: "pictures were not fetched")
        plainAddress = .missing(because: reason)
        canonical = .missing(because: reason)
        revalidation = .missing(because: reason)
        hostRules = .missing(because: reason)
        crawl = .missing(because: "one page alone was looked at, not its site")
        association = .missing(because: "association files were not looked at")
        appStore = .missing(because: "the App Store was not asked")
    }
}

/// A site's robots.txt, and what it says of the page to Applebot and to Pippin.
public struct RobotsEvidence: Sendable {
    /// The names that Applebot answers to, in the order it looks for them (About Applebot).
    public static let applebotAgents = ["Applebot", "Googlebot"]

    /// Where the file was asked for.
    public var url: WebURL
    public var file: RobotsFile
    public var applebot: RobotsDecision
    public var pippin: RobotsDecision
    /// Of the last answer; nil when there was none.
    public var status: Int?
    /// Half a sentence that says why the file could not be fetched, where it was not the status.
    public var trouble: String?
    public var mediaType: String?
    public var bytes: Int?
    /// Where redirects led, in order.
    public var redirects: [WebURL] = []

    /// What came of asking for a file that could not be fetched, as half a sentence.
    var seen: String { trouble ?? status.map { "it answers with status \($0)" } ?? "it gives no answer" }

    public init(url: WebURL, file: RobotsFile, page: WebURL, pippinAgents: [String]) {
        self.url = url
        self.file = file
        applebot = file.decision(for: page, agents: Self.applebotAgents)
        pippin = file.decision(for: page, agents: pippinAgents)
    }
}

/// How a page was had.
public struct FetchEvidence: Sendable {
    public struct Hop: Sendable, Hashable {
        public let url: WebURL
        public let status: Int
        /// The `Location` as the server wrote it.
        public let location: String

        public init(url: WebURL, status: Int, location: String) {
            self.url = url
            self.status = status
            self.location = location
        }
    }

    public enum Ending: Sendable, Hashable {
        case answered(status: Int)
        /// There was no answer, or none that leads anywhere.
        case failed(Trouble)
        /// robots.txt does not allow it: D01.
        case forbidden
        /// robots.txt could not be fetched, so nothing is allowed: D03.
        case rulesUnreachable
        case endlessRedirects
    }

    /// Why there was no answer, in words.
    public struct Trouble: Sendable, Hashable {
        public enum Kind: Sendable, Hashable {
            /// The certificate, or no TLS connection: T03.
            case tls
            /// Pippin did not ask, and an option would change that: the site is not to blame.
            case notAsked
            case other
        }

        public let kind: Kind
        /// Half a sentence: `nothing listens at shop.example:443`.
        public let clause: String
        /// What to do, without a full stop.
        public let remedy: String?

        public init(_ kind: Kind, _ clause: String, remedy: String? = nil) {
            self.kind = kind
            self.clause = clause
            self.remedy = remedy
        }

        /// Clause and remedy, for a sentence that ends with a full stop of its own.
        var explanation: String { clause + (remedy.map { ". \($0)" } ?? "") }
    }

    public var requestedURL: WebURL
    public var hops: [Hop] = []
    public var ending: Ending
    /// Of the last answer (`HTTPHeaders.mediaType`).
    public var mediaType: String?
    /// `1.1`, `2`.
    public var httpVersion: String?
    public var remoteAddress: String?
    public var timeToFirstByte: Duration?
    public var totalTime: Duration?
    /// Bytes of the body as they crossed the wire, and decoded.
    public var wireBytes: Int?
    public var bodyBytes: Int?

    public init(requestedURL: WebURL, ending: Ending) {
        self.requestedURL = requestedURL
        self.ending = ending
    }
}

/// What a crawl knows of one of its pages when it has ended.
public struct CrawlEvidence: Sendable {
    /// Other pages that have something in common with the page.
    struct Others: Sendable, Hashable, ExpressibleByArrayLiteral {
        /// How many there are, and the addresses of a few.
        var count: Int
        var examples: [String]

        init(count: Int, examples: [String]) {
            self.count = count
            self.examples = examples
        }

        init(arrayLiteral examples: String...) {
            self.init(count: examples.count, examples: examples)
        }

        /// `a`, `a and b`, `a, b and 3 more`.
        var phrase: String {
            let shown = examples.prefix(count > 3 ? 2 : 3)
            let more = count - shown.count
            return more > 0 ? shown.joined(separator: ", ") + " and \(more) more" : Wording.list(Array(shown))
        }
    }

    /// Links from the nearest seed; nil when no link leads here.
    public var depth: Int?
    /// Pages that link here, and how many of them in a way that a crawler may not follow.
    var inlinks = 0
    var nofollowInlinks = 0
    public var isSeed = false
    /// How the crawl knows that the page's site has an app, as a sentence goes on after “though”: `other pages of the site
    /// do, such as https://shop.example/mug`. nil where nothing says so.
    var siteApp: String?
    /// Whether a sitemap lists the page, and what it says of its last change; nil when no sitemap was looked for.
    var isInSitemap: Bool?
    var sitemapDate: String?
    /// Other pages of the host with the same title or description, and of the crawl with the same content.
    var sameTitle: Others = []
    var sameDescription: Others = []
    var sameContent: Others = []
    /// Pages of the host with the page's picture, the page itself among them, and all of the host that have one.
    var sameImage = 0
    var pagesWithImage = 0
    /// The same of the banner's app-argument.
    var sameArgument = 0
    var pagesWithArgument = 0
    /// Hosts whose association files back deep links of the crawl.
    var associationHosts: [String] = []
    /// Whether all was read that the seeds lead to: else a link may be where nobody has looked.
    public var isComplete = true

    public init() {}
}

/// The association files of the hosts that matter to the page, and what is known of its apps beforehand.
public struct AssociationEvidence: Sendable {
    public var files: SiteAssociations
    /// They tie App Store IDs to bundle identifiers, as seeds do in a crawl.
    public var apps: [RecordBuilder.AppIdentity]
    /// Whether the files came from their hosts; if not, nothing is known of how they are served.
    public var wasFetched: Bool

    public init(files: SiteAssociations, apps: [RecordBuilder.AppIdentity] = [], wasFetched: Bool = true) {
        self.files = files
        self.apps = apps
        self.wasFetched = wasFetched
    }
}

// MARK: What is asked of the network for the report card alone: pictures, and how the site answers other questions

/// What an image's address answered.
public struct ImageEvidence: Sendable {
    public var url: WebURL
    /// Nil when there was no answer.
    public var status: Int?
    /// Why there was none: a clause.
    public var trouble: String?
    /// What the server says it is.
    public var mediaType: String?
    /// What its first bytes say it is; nil for what is no picture.
    public var format: ImageHeader.Format?
    /// Pixels.
    public var width: Int?
    public var height: Int?
    public var byteCount: Int?
    /// Where redirects led, in order.
    public var redirects: [WebURL] = []
    /// Whether the rules of its host let Applebot fetch it.
    public var isAllowed: Bool?
    /// Small pictures may be shown in the report.
    public var bytes: [UInt8]?

    /// Bytes of a picture that a report carries inside: as base64 a third more.
    static let maximumShownBytes = 400_000

    public init(url: WebURL, status: Int? = nil) {
        self.url = url
        self.status = status
    }

    /// A picture as it came.
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
    /// Whether every browser shows it without running anything: an SVG may hold scripts.
    public var isRaster: Bool {
        switch self {
        case .png, .jpeg, .gif, .webp, .avif: true
        case .heic, .svg: false
        }
    }
}

/// What the page's address answers over http.
public struct PlainAddressEvidence: Sendable {
    public var url: WebURL
    /// Nil when nothing answers there.
    public var status: Int?
    /// Where a redirect leads.
    public var location: WebURL?

    public init(url: WebURL, status: Int?, location: WebURL? = nil) {
        self.url = url
        self.status = status
        self.location = location
    }
}

/// What the address that the page names as its canonical one answers.
public struct CanonicalEvidence: Sendable {
    public var url: WebURL
    public var status: Int
    /// Where a redirect leads.
    public var location: WebURL?
    /// What the page there names as its canonical address.
    public var canonical: WebURL?
    /// Whether it forbids indexing.
    public var isNoindex = false

    public init(url: WebURL, status: Int) {
        self.url = url
        self.status = status
    }
}

/// What the server answers to who has the page already.
public struct RevalidationEvidence: Sendable {
    public var status: Int
    /// The validators of the first answer, and of the second.
    public var entityTag: String?
    public var lastModified: String?
    public var newEntityTag: String?
    public var newLastModified: String?
    /// Whether the second answer has the same body.
    public var isSameBody: Bool

    public init(status: Int, isSameBody: Bool) {
        self.status = status
        self.isSameBody = isSameBody
    }
}

/// The robots.txt of another host that the page takes scripts, styles or pictures from.
public struct HostRules: Sendable {
    /// Scheme, host and port.
    public var origin: String
    /// Nil when it cannot be had.
    public var file: RobotsFile?

    public init(origin: String, file: RobotsFile?) {
        self.origin = origin
        self.file = file
    }
}
