import Foundation
import PippinPage

/// The request of one HTTP exchange. Fetchers do not follow redirects: the crawl checks every hop first.
public struct FetchRequest: Sendable {
    /// The URL to request.
    public var url: WebURL
    /// The purpose of the answer. It decides the `Accept` field, and the content types whose body is read.
    public var purpose: Purpose
    /// Validators of our copy, for a conditional request (RFC 9110 §13).
    public var entityTag: String?
    /// The `Last-Modified` of our copy, for a conditional request.
    public var lastModified: String?
    /// The limit of decoded bytes. A longer body gives `FetchError.bodyTooLarge`, unless `takesBeginning`.
    public var maximumBodyBytes: Int
    /// Whether the first `maximumBodyBytes` decoded bytes of a longer body are the answer.
    var takesBeginning: Bool
    /// The time limit of the whole exchange, with look-up.
    public var timeout: Duration
    /// Whether a redirect led here, so that only `RequestGate` has checked the URL.
    var isRedirected = false
    /// The host's addresses. A fetcher with sockets connects only to these. Empty if the host needs no look-up (`HostAddress`),
    /// or if none was made.
    public var addresses: [NetworkAddress] = []
    /// The origin of the page whose scripts ask, if the server has to know it (`Origin`).
    var origin: String?
    /// GET for all but scripts of rendered pages.
    var method = Method.get
    /// The fields of a page's script.
    var scriptFields = ScriptFields.none
    /// Whether the operator has named the host, so that it may know who asks. A crawl's scope decides it (`RequestGate`).
    var isForNamedHost = false
    /// How the request is signed; nil if it is not.
    var signature: SignatureRequest?
    /// The bytes that are wanted of the file (RFC 9110 §14.2); nil for all.
    var range: ClosedRange<UInt64>?
    /// The body's share of the crawl's memory; nil without a budget.
    var memory: Holding?

    /// What scripts of rendered pages may ask with.
    public enum Method: Sendable, Hashable {
        case get
        /// A question, with its JSON.
        case post([UInt8])
        /// Whether a page of another origin may ask so (CORS-preflight request, Fetch Standard §4.8).
        ///
        /// - Parameter fields: the names of the fields that the request would have, as a list.
        case preflight(of: String, fields: String?)

        /// The name of the method.
        public var name: String {
            switch self {
            case .get: "GET"
            case .post: "POST"
            case .preflight: "OPTIONS"
            }
        }
    }

    /// The kinds of requests.
    public enum Purpose: Sendable, Hashable, CaseIterable {
        case page, robots, sitemap, associationFile, manifest, usageFile, image
        /// The file with which a site's owner proves a ping (`IndexNowPing`).
        case keyFile
        /// A script of a rendered page, or what its scripts ask for.
        case subresource
        /// A part of a file in an archive of others (`FetchRequest.range`).
        case archive

        /// Whether an answer with this status has what was asked for. 203 is a proxy's version, which is enough for pages; devices
        /// accept association files only with 200. RFC 9309 §2.3.1.1: every 2xx has the rules.
        public func isAnswered(by status: Int) -> Bool {
            switch self {
            case .page, .sitemap, .manifest, .usageFile: StatusMeaning(status) == .content
            case .robots: (200...299).contains(status)
            case .associationFile, .image, .keyFile, .subresource: status == 200
            case .archive: status == 206
            }
        }
    }

    /// Creates a request.
    public init(
        url: WebURL, purpose: Purpose = .page, entityTag: String? = nil, lastModified: String? = nil,
        maximumBodyBytes: Int = 10_000_000, takesBeginning: Bool = false, timeout: Duration = .seconds(30)
    ) {
        self.url = url
        self.purpose = purpose
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.maximumBodyBytes = maximumBodyBytes
        self.takesBeginning = takesBeginning
        self.timeout = timeout
    }
}

/// A complete answer of a server with any status. `body` is without content codings.
public struct FetchResponse: Sendable {
    /// The requested URL.
    public var url: WebURL
    /// The HTTP status.
    public var status: Int
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body without content codings.
    public var body: [UInt8]
    /// The time of the response.
    public var fetchedAt: Date
    /// The time from the start of the exchange to the first byte of the response.
    public var timeToFirstByte: Duration
    /// The time from the start of the exchange to its end.
    public var totalTime: Duration
    /// The transferred bytes of the body, before decoding.
    public var wireBytes: Int
    /// The version of HTTP: `1.1`, `2`.
    public var httpVersion: String
    /// The address that answered; nil from fetchers without sockets.
    public var remoteAddress: String?
    /// False if the body was not read because of its content type (`purpose`).
    public var bodyWasRead: Bool
    /// The transferred bytes, if they are kept.
    public var exchange: RawExchange?
    /// The name of its record in the archive (`WARC-Record-ID`), if it has one.
    public var archiveRecord: String?

    /// Creates a response.
    public init(
        url: WebURL, status: Int, headers: HTTPHeaders, body: [UInt8], fetchedAt: Date,
        timeToFirstByte: Duration = .zero, totalTime: Duration = .zero, wireBytes: Int? = nil,
        httpVersion: String = "1.1",
        remoteAddress: String? = nil, bodyWasRead: Bool = true
    ) {
        self.url = url
        self.status = status
        self.headers = headers
        self.body = body
        self.fetchedAt = fetchedAt
        self.timeToFirstByte = timeToFirstByte
        self.totalTime = totalTime
        self.wireBytes = wireBytes ?? body.count
        self.httpVersion = httpVersion
        self.remoteAddress = remoteAddress
        self.bodyWasRead = bodyWasRead
    }
}

extension FetchResponse {
    /// The answer as a page to read.
    public var source: PageSource {
        PageSource(url: url, status: status, headers: headers, bytes: body, fetchedAt: fetchedAt)
    }

    /// What the body is, of an answer to a page request.
    public func kind(within limits: ReadingLimits = .standard) -> AnswerKind {
        AnswerKind(headers: headers, body: body, bodyWasRead: bodyWasRead, limits: limits)
    }

    /// What the status means.
    public var meaning: StatusMeaning { StatusMeaning(status, location: headers["Location"]) }

    /// Where the answer sends its readers; nil if nowhere else.
    public var redirect: Redirect? { Redirect(status: status, location: headers["Location"], from: url) }
}

/// Makes HTTP exchanges. There are two implementations: curl with real sockets, and the tests' synthetic web.
public protocol Fetcher: Sendable {
    /// Makes one exchange. It never throws: failures of the web are results. Cancelling the task ends it with `.cancelled`.
    func fetch(_ request: FetchRequest) async -> Result<FetchResponse, FetchError>

    /// Looks up the addresses of a name, in order of preference. Empty from fetchers without sockets, and for hosts that need
    /// no look-up (`HostAddress`).
    ///
    /// - Parameter host: in the form of `WebURL.politenessHost`.
    /// - Returns: the failure `.hostNotFound` if the name has no address, `.addressRefused` if none is allowed,
    ///   `.lookUpFailed` or `.timedOut` without an answer.
    func addresses(of host: String) async -> Result<[NetworkAddress], FetchError>

    /// Keeps a page as its scripts have made it beside the answer that brought it, if answers are kept at all.
    func keep(rendering html: [UInt8], of response: FetchResponse) async

    /// Waits until all exchanges so far are on the disk, if they are kept at all.
    ///
    /// - Returns: false if one of them could not be kept. The crawl must not remember what came of it.
    func syncExchanges() async -> Bool
}

extension Fetcher {
    /// Nothing is kept.
    public func keep(rendering html: [UInt8], of response: FetchResponse) async {}

    /// True: nothing is kept.
    public func syncExchanges() async -> Bool { true }
}
