import PippinPage

/// The kinds of files that a site publishes about itself and that are asked for beside its pages: each in its host's turn,
/// at most once a day, and, robots.txt itself aside, only where robots.txt allows it.
///
/// A new kind is a case here with its limits, a case of `SiteFileContent` with its reading, and a need in
/// `Visit.neededFiles`.
public enum SiteFileKind: String, Sendable, Hashable, CaseIterable {
    case robots
    /// The web app manifest that pages link to.
    case manifest

    var purpose: FetchRequest.Purpose {
        switch self {
        case .robots: .robots
        case .manifest: .manifest
        }
    }

    /// Decoded bytes. A longer robots.txt is read up to what `RobotsFile` parses; real manifests stay below 20 KB.
    var maximumBodyBytes: Int {
        switch self {
        case .robots: RobotsAnswer.maximumBodyBytes
        case .manifest: 1_000_000
        }
    }

    /// Such files are small, and pages wait for them.
    var timeout: Duration {
        switch self {
        case .robots: RobotsAnswer.timeout
        case .manifest: .seconds(10)
        }
    }

    /// Redirects that are followed.
    var maximumHops: Int {
        switch self {
        case .robots: RobotsAnswer.maximumHops
        case .manifest: 5
        }
    }
}

/// One file of a site, by what it is and where it lies.
public struct SiteFileID: Sendable, Hashable {
    public let kind: SiteFileKind
    /// Without fragment.
    public let url: String

    init(kind: SiteFileKind, url: WebURL) {
        self.kind = kind
        self.url = String(url.hrefWithoutFragment)
    }
}

/// A file that a site publishes about itself, to be asked for in its host's turn.
public struct SiteFileRequest: Sendable, Equatable {
    public let kind: SiteFileKind
    /// Whose file it is: for robots.txt scheme, host and port of the pages that wait for it.
    public let origin: String
    /// Where the file is said to be.
    public let originURL: WebURL
    /// Where to ask now: there, or where it redirected to.
    public let url: WebURL
    public let hops: Int
    public let attempt: Int
    /// The seed that led to the site; its sitemaps' entries belong to it.
    public let seed: Seed
    /// Since when it waits for its host's turn, by the crawl's clock.
    var waitsSince: Duration?

    public var id: SiteFileID { SiteFileID(kind: kind, url: originURL) }

    /// The request for the robots.txt that binds a URL; nil for a URL without an origin.
    init?(robotsFor page: WebURL, seed: Seed) {
        guard let url = WebURL("/robots.txt", base: page) else { return nil }
        self.init(.robots, at: url, seed: seed)
    }

    /// Nil for a URL without an origin.
    init?(_ kind: SiteFileKind, at url: WebURL, seed: Seed) {
        guard let origin = url.origin else { return nil }
        self.init(kind: kind, origin: origin, originURL: url, url: url, hops: 0, attempt: 0, seed: seed)
    }

    private init(
        kind: SiteFileKind, origin: String, originURL: WebURL, url: WebURL, hops: Int, attempt: Int, seed: Seed
    ) {
        self.kind = kind
        self.origin = origin
        self.originURL = originURL
        self.url = url
        self.hops = hops
        self.attempt = attempt
        self.seed = seed
    }

    func redirected(to target: WebURL) -> SiteFileRequest {
        SiteFileRequest(
            kind: kind, origin: origin, originURL: originURL, url: target, hops: hops + 1, attempt: attempt, seed: seed)
    }

    /// From the start, after a failure.
    func retried() -> SiteFileRequest {
        SiteFileRequest(
            kind: kind, origin: origin, originURL: originURL, url: originURL, hops: 0, attempt: attempt + 1, seed: seed)
    }

    /// What is sent for it.
    func fetchRequest(_ limits: CrawlConfiguration.Fetch) -> FetchRequest {
        FetchRequest(
            url: url, purpose: kind.purpose, maximumBodyBytes: kind.maximumBodyBytes,
            timeout: min(kind.timeout, limits.timeout))
    }
}

/// What a file says, read once for all pages that ask.
public enum SiteFileContent: Sendable {
    case manifest(WebAppManifest)
}

/// Why a file is not there. A page is filed without it.
public enum SiteFileFailure: Sendable, Hashable {
    case status(Int)
    case failed(FetchError)
    /// By the robots.txt of its host.
    case disallowed
    case robotsUnreachable
    /// Neither on the page's host nor on one that the crawl covers.
    case outOfScope
    case redirectRefused(to: String)
    case tooManyRedirects
    /// The host wants more rest than the run waits.
    case hostLeft

    /// Half a sentence: why the file is not there.
    public var reason: String {
        switch self {
        case .status(let status): "its server answers with status \(status)"
        case .failed(let error): "it cannot be fetched (\(error.code))"
        case .disallowed: "robots.txt does not allow it"
        case .robotsUnreachable: "the robots.txt of its host cannot be had"
        case .outOfScope: "it lies on another site"
        case .redirectRefused(let target): "it redirects to \(target.prefix(200))"
        case .tooManyRedirects: "its redirects do not end"
        case .hostLeft: "its host was left for this run"
        }
    }
}

/// What asking for a file has come to, for as long as it is kept.
public enum SiteFileOutcome: Sendable {
    case found(SiteFileContent)
    case absent(SiteFileFailure)

    public var manifest: WebAppManifest? {
        if case .found(.manifest(let manifest)) = self { manifest } else { nil }
    }

    public var failure: SiteFileFailure? {
        if case .absent(let failure) = self { failure } else { nil }
    }

    /// Stable name for counters: `found`, or why not.
    var code: String { failure?.code ?? "found" }
}

/// What one exchange for a file other than robots.txt has brought.
enum SiteFileAnswer: Sendable {
    case settled(SiteFileOutcome, keep: Duration)
    /// Ask there next, if the crawl may go there.
    case redirected(to: WebURL)

    init(_ result: Result<FetchResponse, FetchError>, of request: SiteFileRequest) {
        let soon = SiteFiles.unreachableFor
        let long = RobotsAnswer.longestKept
        let response: FetchResponse
        switch result {
        case .success(let answer): response = answer
        case .failure(let error):
            self = .settled(.absent(.failed(error)), keep: soon)
            return
        }
        switch response.status {
        case 200, 203:
            self = .settled(.found(Self.content(response, of: request)), keep: RobotsAnswer.lifetime(of: response))
        case 301, 302, 303, 307, 308:
            guard let location = response.headers["Location"], let target = WebURL(location, base: request.url),
                target.isHTTP
            else {
                self = .settled(.absent(.status(response.status)), keep: long)
                return
            }
            self =
                request.hops < request.kind.maximumHops
                ? .redirected(to: target) : .settled(.absent(.tooManyRedirects), keep: long)
        case 429, 500...599: self = .settled(.absent(.status(response.status)), keep: soon)
        default: self = .settled(.absent(.status(response.status)), keep: long)
        }
    }

    private static func content(_ response: FetchResponse, of request: SiteFileRequest) -> SiteFileContent {
        switch request.kind {
        case .manifest: .manifest(WebAppManifest(bytes: response.body, url: request.url))
        case .robots: preconditionFailure("robots.txt has an answer of its own, RobotsAnswer")
        }
    }
}
