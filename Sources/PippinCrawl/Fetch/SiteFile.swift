import PippinPage

/// The kinds of files that a site publishes about itself and that are asked for beside its pages: each in its host's turn,
/// at most once a day in one run, and, robots.txt itself aside, only where robots.txt allows it.
///
/// A new kind is a case here with its limits, a case of `SiteFileContent` with its reading, and a need of `PendingPage`.
public enum SiteFileKind: String, Sendable, Hashable, CaseIterable {
    case robots
    /// The web app manifest that pages link to.
    case manifest
    /// `apple-app-site-association`, in either of its places.
    case appleAssociation = "apple-association"
    /// `assetlinks.json`, and the files that one includes.
    case assetLinks = "asset-links"

    var purpose: FetchRequest.Purpose {
        switch self {
        case .robots: .robots
        case .manifest: .manifest
        case .appleAssociation, .assetLinks: .associationFile
        }
    }

    /// Decoded bytes. A longer robots.txt is read up to what `RobotsFile` parses; real manifests stay below 20 KB. Of
    /// association files what Android's verifier reads, which is eight times what Apple's devices take.
    var maximumBodyBytes: Int {
        switch self {
        case .robots: RobotsAnswer.maximumBodyBytes
        case .manifest: 1_000_000
        case .appleAssociation, .assetLinks: AssetLinks.maximumBytes
        }
    }

    /// Such files are small, and pages wait for them. Android's verifier gives association files half of it, three times.
    var timeout: Duration {
        switch self {
        case .robots: RobotsAnswer.timeout
        case .manifest, .appleAssociation, .assetLinks: .seconds(10)
        }
    }

    /// Redirects that are followed. Of association files none, as devices do.
    var maximumHops: Int {
        switch self {
        case .robots: RobotsAnswer.maximumHops
        case .manifest: 5
        case .appleAssociation, .assetLinks: 0
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
    let originURL: WebURL
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
        var request = FetchRequest(
            url: url, purpose: kind.purpose, maximumBodyBytes: kind.maximumBodyBytes, takesBeginning: kind == .robots,
            timeout: min(kind.timeout, limits.timeout))
        request.isRedirected = hops > 0
        return request
    }
}
