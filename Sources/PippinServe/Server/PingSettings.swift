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

    /// Fetches a key file under the rules of a crawl. It is called again only when the last file is there.
    public var fetchKey: @Sendable (WebURL) async -> KeyAnswer
    /// The reason why the job does not visit a page; nil if it does.
    public var refusal: @Sendable (WebURL) -> CrawlScope.Refusal?
    /// Where pages wait for the job's next run.
    public var inbox: PingInbox
    /// How many pings of one client may come at once; one comes back every second.
    var pingsAtOnce = 60

    public init(
        inbox: PingInbox, refusal: @escaping @Sendable (WebURL) -> CrawlScope.Refusal?,
        fetchKey: @escaping @Sendable (WebURL) async -> KeyAnswer
    ) {
        self.inbox = inbox
        self.refusal = refusal
        self.fetchKey = fetchKey
    }
}
