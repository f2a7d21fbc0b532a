import Foundation
import PippinCrawl
import PippinPage
import PippinReport
import PippinStore

/// What the operator has chosen for the server.
public struct WebSettings: Sendable {
    /// The folder of the job whose records are shown.
    public var storage: URL
    /// Whether the job's first run may begin while the server runs. Otherwise there must be a storage.
    public var awaitsStorage = false
    /// The settings of the job, for messages and for its site report.
    public var configuration = CrawlConfiguration()
    /// Whether that is the job's own, which says what the job takes.
    public var hasConfiguration = false
    /// Makes the report card of a URL, or throws `FetchRefusal`; nil if the server makes none. It is called again only when the
    /// last card is finished.
    public var makeCard: (@Sendable (WebURL) async throws -> ReportCard)?
    /// Fetches the robots.txt of a URL's host, or throws `FetchRefusal`; nil if the server asks no hosts. As cards, one is fetched after
    /// the other.
    public var fetchRobots: (@Sendable (WebURL) async throws -> RobotsLookUp)?
    /// Fetches the association files of a URL's host, as `fetchRobots` does.
    public var fetchAssociations: (@Sendable (WebURL) async throws -> HostAssociations)?
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 takes a free one.
    public var port = WebSettings.usualPort
    /// Further names that requests may have in `Host`.
    public var names: [String] = []
    /// Without it, everyone who reaches the server has access. Required for addresses beyond this machine.
    public var token: AccessToken?
    /// Who may only search.
    public var keys: OperatorFile<SearchKeys>?
    /// Whose pages may use the API in a browser; nobody's but this server's own if there is none.
    public var allowedOrigins = AllowedOrigins.none
    /// Fetches what is at the address of a record's picture, at most so many bytes, under the rules of a crawl; nil if it may not or
    /// cannot. Without it, pages show no pictures: the reader's browser never asks an address that a record names.
    public var fetchPicture: (@Sendable (WebURL, _ maximumBytes: Int) async -> [UInt8]?)?
    /// Makes a WebP of a picture that fills a square of so many pixels; nil if it cannot be read. Without it, pictures are passed on as
    /// they are, if they are small.
    public var scalePicture: (@Sendable ([UInt8], _ side: Int) async -> [UInt8]?)?
    /// The file of clicks; nil records none.
    public var clicks: URL?
    /// Texts that count as words of a query; nil if there are none.
    public var synonyms: OperatorFile<SearchSynonyms>?

    /// The IP addresses of proxies of the operator, which send the requests of many and say whose each is (`X-Forwarded-For`).
    public var proxies: [String] = []
    /// How many connections there may be. Each address of another machine, proxies apart, may have half of them.
    public var maximumConnections: Int {
        get { connections.connections }
        set { (connections.connections, connections.connectionsPerAddress) = (newValue, max(1, newValue / 2)) }
    }
    /// How many connections there may be, and how slow.
    var connections = ConnectionLimits()
    /// How many searches run and wait.
    var searches = SearchQueue.Limits()

    /// Receives pings, and nothing else; nil for a server of pages.
    public var pings: PingSettings?
    /// The command, for messages.
    var program: String { pings == nil ? "pippin serve" : "pippin notify" }

    /// Tells the operator of an error that a request has met.
    public var report: @Sendable (String) -> Void = { _ in }

    public static let usualPort = 8470

    public init(storage: URL) {
        self.storage = storage
    }
}
