import PippinPage

/// The kinds of files about a whole site. Each is fetched in its host's turn, at most once a day per run, and (except robots.txt
/// itself) only if robots.txt allows it.
///
/// A new kind needs a case here with its limits, a case of `SiteFileContent` with its reader, and a need of `PendingPage`.
public enum SiteFileKind: String, Sendable, Hashable, CaseIterable {
    case robots
    /// The web app manifest that pages link to.
    case manifest
    /// `apple-app-site-association`, in either of its places.
    case appleAssociation = "apple-association"
    /// `assetlinks.json`, and the files that it includes.
    case assetLinks = "asset-links"
    /// `/.well-known/tdmrep.json`, asked for if the crawl is for more than search (`TDMReservationFile`).
    case reservations = "tdm-reservations"
    /// A licence of RSL that a page or its robots.txt names (`RSLDocument`).
    case license
    /// What the scripts of a rendered page ask for, on any host. `SubresourceDesk` waits for it, not a `PendingPage`.
    case subresource

    public var purpose: FetchRequest.Purpose {
        switch self {
        case .robots: .robots
        case .manifest: .manifest
        case .appleAssociation, .assetLinks: .associationFile
        case .reservations, .license: .usageFile
        case .subresource: .subresource
        }
    }

    /// The limit in decoded bytes. A longer robots.txt is read up to the limit of `RobotsFile`; real manifests are below 20 KB.
    /// Association files have the limit of Android's verifier, eight times that of Apple's devices.
    public var maximumBodyBytes: Int {
        switch self {
        case .robots: RobotsAnswer.maximumBodyBytes
        case .manifest: 1_000_000
        case .appleAssociation, .assetLinks: AssetLinks.maximumBytes
        case .reservations: TDMReservationFile.maximumBytes
        case .license: RSLDocument.maximumBytes
        case .subresource: ReadingLimits.standard.maximumBodyBytes
        }
    }

    /// The time limit. Such files are small, and pages wait for them. Android's verifier waits half as long, but tries three
    /// times.
    public var timeout: Duration {
        switch self {
        case .robots: RobotsAnswer.timeout
        case .manifest, .appleAssociation, .assetLinks, .reservations, .license: .seconds(10)
        // A page is open in the browser meanwhile.
        case .subresource: .seconds(10)
        }
    }

    /// The limit of redirects; none for association files, as on devices.
    var maximumHops: Int {
        switch self {
        case .robots: RobotsAnswer.maximumHops
        // TDMRep allows redirects.
        case .manifest, .reservations, .license: 5
        // The browser follows those of a sub-resource, with a new request each.
        case .appleAssociation, .assetLinks, .subresource: 0
        }
    }
}

/// One file of a site: kind and URL.
public struct SiteFileID: Sendable, Hashable {
    /// The kind of file.
    public let kind: SiteFileKind
    /// The URL without fragment.
    public let url: String
    /// The origin of the page whose scripts ask, if it is another: its answer may be another.
    private(set) var pageOrigin: String?
    /// The fields of the page's script, which may choose the form of the answer; nil if there are none.
    let scriptFields: String?
    /// Makes a request different from all others, because its answer is for nobody else.
    let number: Int?

    init(
        kind: SiteFileKind, url: WebURL, pageOrigin: String? = nil, scriptFields: String? = nil, number: Int? = nil
    ) {
        self.kind = kind
        self.pageOrigin = pageOrigin
        self.scriptFields = scriptFields
        self.number = number
        self.url = String(url.hrefWithoutFragment)
    }

    /// The file as pages of every origin may have it.
    var forAllOrigins: SiteFileID {
        var id = self
        id.pageOrigin = nil
        return id
    }
}

/// The request for a file of a site, in its host's turn.
public struct SiteFileRequest: Sendable, Equatable {
    /// The kind of file.
    public let kind: SiteFileKind
    /// The origin of the file; for robots.txt, the origin of the pages that wait for it.
    public let origin: String
    /// The declared address of the file.
    let originURL: WebURL
    /// The address to request now: the declared one, or a redirect target.
    public let url: WebURL
    /// The number of redirects so far.
    public let hops: Int
    /// The number of retries so far.
    public let attempt: Int
    /// The seed that led to the site; entries of its sitemaps belong to it.
    public let seed: Seed
    /// The time from which it waits for its host's turn, by the crawl's clock.
    var waitsSince: Duration?
    /// What a page's scripts ask for; nil for files of sites.
    private(set) var subresource: Subresource?
    /// The number of a request whose answer is for one page only.
    private var number: Int?
    /// Validators of our copy of a file of pages' scripts.
    private(set) var entityTag: String?
    private(set) var lastModified: String?
    /// Whether it is a robots.txt for requests of pages' scripts only. An open page does not wait as long as a visit.
    var isForScripts = false

    /// The time limit of a robots.txt for requests of pages' scripts only.
    private static let timeoutForScripts = Duration.seconds(5)

    /// The identity of the file, by its declared address.
    public var id: SiteFileID {
        SiteFileID(
            kind: kind, url: originURL, pageOrigin: subresource?.origin, scriptFields: subresource?.fields.key,
            number: number)
    }

    /// The request of a page's scripts; nil for a URL without an origin.
    ///
    /// - Parameters:
    ///   - copy: an answer that is to be validated.
    ///   - number: tells it from all others, if its answer is not shared.
    init?(_ subresource: Subresource, seed: Seed, validating copy: FetchResponse? = nil, number: Int? = nil) {
        self.init(.subresource, at: subresource.url, seed: seed)
        self.subresource = subresource
        self.number = number
        entityTag = copy?.headers["ETag"]
        lastModified = copy?.headers["Last-Modified"]
    }

    /// The request for the robots.txt of a URL; nil for a URL without an origin.
    init?(robotsFor page: WebURL, seed: Seed) {
        guard let url = WebURL("/robots.txt", base: page) else { return nil }
        self.init(.robots, at: url, seed: seed)
    }

    /// A request for another kind of file; nil for a URL without an origin.
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
        var next = SiteFileRequest(
            kind: kind, origin: origin, originURL: originURL, url: target, hops: hops + 1, attempt: attempt, seed: seed)
        next.isForScripts = isForScripts
        return next
    }

    /// The same request from its declared address, with one more attempt, after a failure.
    func retried() -> SiteFileRequest {
        var again = SiteFileRequest(
            kind: kind, origin: origin, originURL: originURL, url: originURL, hops: 0, attempt: attempt + 1, seed: seed)
        (again.subresource, again.number) = (subresource, number)
        (again.entityTag, again.lastModified) = (entityTag, lastModified)
        again.isForScripts = isForScripts
        return again
    }

    /// The HTTP request for it.
    func fetchRequest(_ limits: CrawlConfiguration.Fetch) -> FetchRequest {
        var request = FetchRequest(
            url: url, purpose: kind.purpose, maximumBodyBytes: kind.maximumBodyBytes, takesBeginning: kind == .robots,
            timeout: min(isForScripts ? Self.timeoutForScripts : kind.timeout, limits.timeout))
        (request.entityTag, request.lastModified) = (entityTag, lastModified)
        request.isRedirected = hops > 0
        if let subresource {
            request.origin = subresource.origin
            (request.method, request.scriptFields) = (subresource.method, subresource.fields)
        }
        return request
    }
}

/// What a page's scripts ask for.
public struct Subresource: Sendable, Hashable {
    /// The kinds that are asked for. Fonts and films never are: they add no text.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case script, data
        /// The document of a frame.
        case frame
        /// What a page looks like, which adds no text either. Only for screenshots.
        case style, image

        public var isLook: Bool { self == .style || self == .image }
    }

    public let url: WebURL
    public let kind: Kind
    /// The page's origin, if the request goes to another or is no GET: its server decides by it who may read the answer (CORS).
    public let origin: String?
    public let method: FetchRequest.Method
    /// Its own fields.
    public let fields: ScriptFields

    public init(
        url: WebURL, kind: Kind, origin: String? = nil, method: FetchRequest.Method = .get,
        fields: ScriptFields = .none
    ) {
        self.url = url
        self.kind = kind
        self.origin = origin
        self.method = method
        self.fields = fields
    }

    /// Whether pages that ask the same may have one answer.
    var isShareable: Bool { method == .get && fields.areHarmless }
}
