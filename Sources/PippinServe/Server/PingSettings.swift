import PippinCrawl
import PippinPage
import PippinStore

/// How pings are received, for `WebSettings.pings`.
public struct PingSettings: Sendable {
    /// What a host says when it is asked for a key file.
    public enum KeyAnswer: Sendable {
        case file([UInt8])
        /// It has no such file, or robots.txt forbids it; with a sentence.
        case missing(String)
        /// It could not be asked now; with a sentence.
        case unreachable(String)
    }

    /// Fetches the key file of a ping under the rules of a crawl. Several hosts are asked side by side, each for one file at a time.
    public var fetchKey: @Sendable (IndexNowPing) async -> KeyAnswer
    /// The reason why the job does not visit a page; nil if it does.
    public var refusal: @Sendable (WebURL) -> CrawlScope.Refusal?
    /// Where pages wait for the job's next run.
    public var inbox: PingInbox
    /// How many pings of one client may come at once; one comes back every second.
    var pingsAtOnce = 60

    public init(
        inbox: PingInbox, refusal: @escaping @Sendable (WebURL) -> CrawlScope.Refusal?,
        fetchKey: @escaping @Sendable (IndexNowPing) async -> KeyAnswer
    ) {
        self.inbox = inbox
        self.refusal = refusal
        self.fetchKey = fetchKey
    }

    /// Whether a ping may have a key file asked for. `/KEY.txt` is where the protocol has it; at any other address it must be a page of
    /// the job, or strangers could order requests that its configuration refuses.
    public static func allows(
        _ file: WebURL, of ping: IndexNowPing, refusal: (WebURL) -> CrawlScope.Refusal?
    ) -> Bool {
        ping.isRootKeyFile(file) || refusal(file) == nil
    }
}

extension IndexNowPing {
    /// Whether an address is that of `/KEY.txt` at the root of its host, where a key is unless the ping says otherwise.
    func isRootKeyFile(_ url: WebURL) -> Bool { url.path == "/\(key).txt" && url.query == nil }
}
