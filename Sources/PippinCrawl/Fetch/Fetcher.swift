import Foundation
import PippinPage

/// What one HTTP exchange asks for. Redirects are not followed by a fetcher: the crawl checks every hop first.
public struct FetchRequest: Sendable {
    public var url: WebURL
    /// What the answer is for; decides the `Accept` header and which content types are worth their body.
    public var purpose: Purpose
    /// Validators of the copy we hold, for a conditional request (RFC 9110 §13).
    public var entityTag: String?
    public var lastModified: String?
    /// Decoded bytes after which the exchange is ended, with `FetchError.bodyTooLarge` unless their beginning is all that is wanted.
    public var maximumBodyBytes: Int
    /// Whether a longer body ends the exchange in order: its first `maximumBodyBytes` decoded bytes are the answer then.
    var takesBeginning: Bool
    /// From the first look-up to the last byte.
    public var timeout: Duration
    /// Whether the answer of a server led here, and nothing but `RequestGate` has judged the URL.
    var isRedirected = false
    /// Where the host is. A fetcher with sockets connects to these and to nothing else; empty for a host whose name says it all
    /// (`HostAddress`), and where nobody has looked.
    public var addresses: [NetworkAddress] = []
    /// What the body takes of the crawl's memory; nil where nobody counts.
    var memory: Holding?

    public enum Purpose: Sendable, Hashable, CaseIterable {
        case page, robots, sitemap, associationFile, manifest, image
    }

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

/// A complete answer of a server, whatever its status. `body` has its content codings removed.
public struct FetchResponse: Sendable {
    public var url: WebURL
    public var status: Int
    public var headers: HTTPHeaders
    public var body: [UInt8]
    public var fetchedAt: Date
    /// Start of the exchange to its first response byte, and to its end.
    public var timeToFirstByte: Duration
    public var totalTime: Duration
    /// Bytes of the body as they crossed the wire, before decoding.
    public var wireBytes: Int
    /// `1.1`, `2`.
    public var httpVersion: String
    /// The address that answered, for the report; nil from fetchers without sockets.
    public var remoteAddress: String?
    /// False when the body was left unread because the content type was not worth it (`purpose`).
    public var bodyWasRead: Bool
    /// The bytes that crossed the wire, where they are kept.
    public var exchange: RawExchange?

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

/// Makes one HTTP exchange. Two implementations: curl over real sockets, and the tests' synthetic web.
public protocol Fetcher: Sendable {
    /// Never throws: what the web does to us is a result. Cancelling the task ends the exchange with `.cancelled`.
    func fetch(_ request: FetchRequest) async -> Result<FetchResponse, FetchError>

    /// Looks the addresses of a name up, the one to be tried first at the front; empty from fetchers without sockets. Never asks
    /// for a name that says it all (`HostAddress`).
    ///
    /// - Parameter host: as `WebURL.politenessHost` has it.
    /// - Returns: `.hostNotFound` for a name without an address, `.addressRefused` when none may be connected to,
    ///   `.lookUpFailed` and `.timedOut` when there was no answer.
    func addresses(of host: String) async -> Result<[NetworkAddress], FetchError>
}
