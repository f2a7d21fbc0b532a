import Foundation
import PippinCrawl
import PippinPage
import PippinStore

/// Receives pings: whose key is known to be right, their pages wait for the job; whose key is not known yet, they wait until its
/// file was fetched.
///
///     ping ─► of the job? ─► key: right ──────────────► inbox   200
///                              │    wrong ────────────────────── 403
///                              └─── unknown: waits ──► file?     202
///
/// A host is asked for few files in an hour, whoever pings with whatever keys.
actor PingDesk {
    /// What became of a ping.
    struct Receipt: Sendable, Equatable {
        /// Whether the key must be fetched first.
        var isPending = false
        var accepted = 0
        /// Pages that the job does not visit.
        var refused = 0
    }

    /// A key, in the file that proves it.
    struct Key: Hashable {
        let file: String
        let key: String
    }

    private enum Standing {
        case right
        case wrong(String)
        case unreachable(String)

        var isRight: Bool { if case .right = self { true } else { false } }

        /// How long it holds.
        var time: Duration {
            switch self {
            case .right: .seconds(86_400)
            case .wrong: .seconds(3_600)
            case .unreachable: .seconds(300)
            }
        }
    }

    /// A ping whose key is being fetched, with the pages of later ones.
    private struct Waiting {
        let ping: IndexNowPing
        var urls: [WebURL]
    }

    /// The limits of what is remembered and of what waits.
    static let maximumKeys = 10_000
    static let maximumWaitingKeys = 100
    static let maximumWaitingURLs = 50_000
    static let maximumClients = 10_000
    static let maximumHosts = 10_000
    /// The limit of pages of one host that wait for the job.
    static let maximumPagesPerHost = 50_000
    /// The limit of key files that a host is asked for at once; one comes back every twelve minutes.
    static let keyFilesPerHost = 5

    private let executor = BlockingExecutor("pippin.serve.pings")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let settings: PingSettings
    private let report: @Sendable (String) -> Void
    private var standings: [Key: (standing: Standing, until: ContinuousClock.Instant)] = [:]
    private var waiting: [Key: Waiting] = [:]
    private var waitingURLs = 0
    /// Hashes of the pages in the inbox, by host. A page waits once, however often its site tells of it.
    private var inInbox: [String: Set<UInt64>] = [:]
    private var clients: RateLimits
    private var hosts = RateLimits(
        most: PingDesk.maximumHosts, size: PingDesk.keyFilesPerHost, interval: .seconds(720))
    private let orders = AsyncStream<Key>.makeStream()

    init(_ settings: PingSettings, report: @escaping @Sendable (String) -> Void) {
        (self.settings, self.report) = (settings, report)
        clients = RateLimits(most: Self.maximumClients, size: settings.pingsAtOnce, interval: .seconds(1))
    }

    /// Takes a ping.
    ///
    /// - Throws: `WebRefusal`, and the errors of the inbox.
    func receive(_ ping: IndexNowPing) throws -> Receipt {
        let now = ContinuousClock.now
        let urls = ping.urls.filter { settings.refusal($0) == nil }
        var receipt = Receipt(accepted: urls.count, refused: ping.urls.count - urls.count)
        guard let first = urls.first else {
            throw WebRefusal(.unprocessableContent, "This crawl does not visit such pages.")
        }
        let key = Key(file: ping.keyFile.href, key: ping.key)
        if let known = standings[key], known.until > now {
            switch known.standing {
            case .right: try add(urls, of: first.politenessHost)
            case .wrong(let reason): throw WebRefusal(.forbidden, "The key is not proved: \(reason)")
            case .unreachable(let reason):
                throw WebRefusal(
                    .forbidden, "The key could not be fetched: \(reason)", fields: [(.retryAfter, "300")])
            }
            return receipt
        }
        guard waitingURLs + urls.count <= Self.maximumWaitingURLs else { throw Self.full }
        if waiting[key] == nil {
            guard waiting.count < Self.maximumWaitingKeys else { throw Self.full }
            // One that was right before is asked for again, whatever strangers have tried meanwhile.
            if standings[key]?.standing.isRight != true {
                try hosts.pass("Keys of a host", for: first.politenessHost, now: now)
            }
            waiting[key] = Waiting(ping: ping, urls: [])
            orders.continuation.yield(key)
        }
        waiting[key]?.urls += urls
        waitingURLs += urls.count
        receipt.isPending = true
        return receipt
    }

    /// Lets a client pass who does not ping too often. It comes before anything of the ping is read.
    ///
    /// - Throws: `WebRefusal` if it does.
    func admit(_ client: String) throws(WebRefusal) { try clients.pass("Pings", for: client, now: .now) }

    private static let full = WebRefusal(
        .tooManyRequests, "Too many pings wait. Try again in a minute.", fields: [(.retryAfter, "60")])

    private func add(_ urls: [WebURL], of host: String) throws {
        let full = WebRefusal(
            .tooManyRequests, "Too many pages wait for the next crawl. Try again in an hour.",
            fields: [(.retryAfter, "3600")])
        // A run has taken them.
        if settings.inbox.isEmpty { inInbox = [:] }
        var known = inInbox[host, default: []]
        let new = urls.filter { known.insert(FNV1a.hash(Array($0.href.utf8))).inserted }
        guard !new.isEmpty else { return }
        guard known.count <= Self.maximumPagesPerHost, try settings.inbox.add(new, at: Date()) else { throw full }
        inInbox[host] = known
    }

    /// Fetches the key files that pings wait for, until the task is cancelled.
    func run() async {
        for await key in orders.stream {
            guard let waits = waiting[key] else { continue }
            let standing: Standing
            switch await settings.fetchKey(waits.ping.keyFile) {
            case .file(let bytes):
                standing =
                    waits.ping.isProved(by: bytes)
                    ? .right : .wrong("\(waits.ping.keyFile.href) does not have it.")
            case .missing(let reason): standing = .wrong(reason)
            case .unreachable(let reason): standing = .unreachable(reason)
            }
            finish(key, standing)
        }
    }

    private func finish(_ key: Key, _ standing: Standing) {
        let now = ContinuousClock.now
        if standings.count >= Self.maximumKeys { standings = standings.filter { $0.value.until > now } }
        if standings.count >= Self.maximumKeys { standings = standings.filter { $0.value.standing.isRight } }
        if standings.count >= Self.maximumKeys { standings = [:] }
        standings[key] = (standing, now + standing.time)
        guard let waits = waiting.removeValue(forKey: key) else { return }
        waitingURLs -= waits.urls.count
        let host = waits.ping.keyFile.politenessHost
        switch standing {
        case .right:
            do {
                try add(waits.urls, of: host)
            } catch let refusal as WebRefusal {
                report("\(host): \(Wording.count(waits.urls.count, "URL")) dropped: \(refusal.sentence)")
            } catch {
                report("\(host): \(Wording.count(waits.urls.count, "URL")) dropped: \(error)")
            }
        case .wrong(let reason), .unreachable(let reason):
            report("\(host): \(Wording.count(waits.urls.count, "URL")) dropped, as the key is not proved: \(reason)")
        }
    }
}
