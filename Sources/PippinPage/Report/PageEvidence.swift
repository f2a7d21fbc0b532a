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
    public var appStore: Observation<AppStoreEvidence>

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
    public var contentType: String?
    public var bytes: Int?
    /// Where redirects led, in order.
    public var redirects: [WebURL] = []

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
        /// A stable code of the fetcher, and whether it was the certificate or TLS that failed.
        case failed(code: String, isTLS: Bool)
        /// robots.txt, which the report card's D01 and D03 tell of.
        case forbidden
        case endlessRedirects
    }

    public var requestedURL: WebURL
    public var hops: [Hop] = []
    public var ending: Ending
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

/// What a crawl knows of one of its pages.
public struct CrawlEvidence: Sendable {
    /// Links from the nearest seed; nil when no link leads here.
    public var depth: Int?
    /// Links that lead here, and how many of them a crawler may not follow.
    public var inlinks = 0
    public var nofollowInlinks = 0
    public var isSeed = false
    /// Whether a sitemap lists the page, and what it says of its last change.
    public var isInSitemap: Bool?
    public var sitemapDate: String?
    /// Other pages with the same title, description, content or image, a few of each.
    public var sameTitle: [String] = []
    public var sameDescription: [String] = []
    public var sameContent: [String] = []

    public init() {}
}

/// What the site's association files say of the page's deep links; the report shows the matching step by step.
public struct AssociationEvidence: Sendable {
    /// One component or path that was held against an address.
    public struct Step: Sendable, Hashable {
        public var pattern: String
        /// `match`, `block`, `no match`.
        public var result: String
        public var explanation: String?

        public init(pattern: String, result: String, explanation: String? = nil) {
            self.pattern = pattern
            self.result = result
            self.explanation = explanation
        }
    }

    /// An address held against the entries of one app.
    public struct Trace: Sendable, Hashable {
        public var url: String
        public var applicationIdentifier: String
        /// `match`, `block`, `unset`.
        public var verdict: String
        public var steps: [Step]

        public init(url: String, applicationIdentifier: String, verdict: String, steps: [Step]) {
            self.url = url
            self.applicationIdentifier = applicationIdentifier
            self.verdict = verdict
            self.steps = steps
        }
    }

    public var traces: [Trace]

    public init(traces: [Trace] = []) {
        self.traces = traces
    }
}

/// What the App Store says of the page's app.
public struct AppStoreEvidence: Sendable {
    public var storeIdentifier: String
    public var bundleIdentifier: String
    public var name: String?

    public init(storeIdentifier: String, bundleIdentifier: String, name: String? = nil) {
        self.storeIdentifier = storeIdentifier
        self.bundleIdentifier = bundleIdentifier
        self.name = name
    }
}
