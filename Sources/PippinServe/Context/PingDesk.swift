import Foundation
import PippinCrawl
import PippinPage
import PippinStore

/// Receives pings: whose key is known to be right, their pages wait for the job; whose key is not known yet, they wait until its
/// file was fetched.
///
///     ping ─► limits ─► key: right ───► of the job? ──► inbox   200
///                        │    wrong ──────────────────────────── 403
///                        └─── unknown ► of the job? ──► file?   202
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

        init(_ ping: IndexNowPing) { (file, key) = (ping.keyFile.href, ping.key) }
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
    static let keyFilesPerHost = 4
    /// More of them, for keys at the root alone.
    static let rootKeyFilesPerHost = 1
    /// How many of them one client may order. So a stranger's wrong keys leave some to the host's owner.
    static let keyFilesPerClient = 2
    /// How many hosts are asked side by side, so that one that is slow keeps few others waiting.
    static let maximumHostsAsked = 4
    private static let keyFileInterval = Duration.seconds(720)

    private let executor = BlockingExecutor("pippin.serve.pings")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let settings: PingSettings
    private let report: @Sendable (String) -> Void
    private var standings: [Key: (standing: Standing, until: ContinuousClock.Instant)] = [:]
    private var waiting: [Key: Waiting] = [:]
    private var waitingURLs = 0
    /// Hashes of the pages in a file of the inbox, by host. A page waits once, however often its site tells of it.
    private var inInbox: (file: PingInbox.ChangeFile, pages: [String: Set<UInt64>])?
    private var clients: RateLimits
    private var keysOfClients = RateLimits(
        most: PingDesk.maximumClients, size: PingDesk.keyFilesPerClient, interval: PingDesk.keyFileInterval)
    private var hosts = RateLimits(
        most: PingDesk.maximumHosts, size: PingDesk.keyFilesPerHost, interval: PingDesk.keyFileInterval)
    private var hostsForRoots = RateLimits(
        most: PingDesk.maximumHosts, size: PingDesk.rootKeyFilesPerHost, interval: PingDesk.keyFileInterval)
    /// Keys whose files are to be fetched, and the hosts that are being asked.
    private var toFetch: [Key] = []
    private var askedHosts: Set<String> = []
    /// Says that there may be a file to fetch.
    private let signal = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    init(_ settings: PingSettings, report: @escaping @Sendable (String) -> Void) {
        (self.settings, self.report) = (settings, report)
        clients = RateLimits(most: Self.maximumClients, size: settings.pingsAtOnce, interval: .seconds(1))
    }

    /// Takes a ping. The scope is asked on a thread of the server's: of a ping of many pages it takes a while, and others are answered
    /// meanwhile.
    ///
    /// - Throws: `WebRefusal`, and the errors of the inbox.
    nonisolated func receive(_ ping: IndexNowPing, from client: String, _ context: WebContext) async throws -> Receipt {
        try await checkLimits(of: ping, from: client)
        let urls = try await context.blocking { try self.pagesOfJob(in: ping) }
        var receipt = Receipt(accepted: urls.count, refused: ping.urls.count - urls.count)
        receipt.isPending = try await !take(urls, of: ping, from: client)
        return receipt
    }

    /// - Throws: `WebRefusal` if the ping has none, or its key file is not to be asked for.
    private nonisolated func pagesOfJob(in ping: IndexNowPing) throws -> [WebURL] {
        guard PingSettings.allows(ping.keyFile, of: ping, refusal: settings.refusal) else {
            throw WebRefusal(.unprocessableContent, "This crawl does not visit the address of keyLocation.")
        }
        let urls = try ping.urls.filter { url in
            try Task.checkCancellation()
            return settings.refusal(url) == nil
        }
        guard !urls.isEmpty else {
            throw WebRefusal(.unprocessableContent, "This crawl does not visit such pages.")
        }
        return urls
    }

    /// Whether a key is known to be right. If it is not known, it must be asked for.
    ///
    /// - Throws: `WebRefusal` if it is known not to be.
    private func isRight(_ key: Key, now: ContinuousClock.Instant) throws(WebRefusal) -> Bool {
        guard let known = standings[key], known.until > now else { return false }
        switch known.standing {
        case .right: return true
        case .wrong(let reason): throw WebRefusal(.forbidden, "The key is not proved: \(reason)")
        case .unreachable(let reason):
            throw WebRefusal(.forbidden, "The key could not be fetched: \(reason)", fields: [(.retryAfter, "300")])
        }
    }

    /// Refuses a ping that would be refused whatever its pages are.
    private func checkLimits(of ping: IndexNowPing, from client: String) throws(WebRefusal) {
        let now = ContinuousClock.now
        let key = Key(ping)
        guard try !isRight(key, now: now), waiting[key] == nil else { return }
        try order(key, of: ping, from: client, now: now, leaving: true)
    }

    /// Takes pages of the job.
    ///
    /// - Returns: whether the key is right; if not, they wait for it.
    private func take(_ urls: [WebURL], of ping: IndexNowPing, from client: String) throws -> Bool {
        let now = ContinuousClock.now
        let key = Key(ping)
        if try isRight(key, now: now) {
            try add(urls, of: ping.keyFile.politenessHost)
            return true
        }
        guard waitingURLs + urls.count <= Self.maximumWaitingURLs else { throw Self.full }
        if waiting[key] == nil {
            try order(key, of: ping, from: client, now: now, leaving: false)
            waiting[key] = Waiting(ping: ping, urls: [])
            toFetch.append(key)
            signal.continuation.yield()
        }
        waiting[key]?.urls += urls
        waitingURLs += urls.count
        return false
    }

    /// Takes what one fetch of a key file costs of the limits.
    ///
    /// - Parameter leaving: whether it is only looked for.
    private func order(
        _ key: Key, of ping: IndexNowPing, from client: String, now: ContinuousClock.Instant, leaving: Bool
    ) throws(WebRefusal) {
        guard waiting.count < Self.maximumWaitingKeys else { throw Self.full }
        // One that was right before is asked for again, whatever strangers have tried meanwhile.
        if standings[key]?.standing.isRight == true { return }
        let host = ping.keyFile.politenessHost
        try keysOfClients.pass("Keys of a host from one client", for: "\(host) \(client)", now: now, leaving: leaving)
        do {
            try hosts.pass("Keys of a host", for: host, now: now, leaving: leaving)
        } catch {
            guard ping.isRootKeyFile(ping.keyFile) else { throw error }
            try hostsForRoots.pass("Keys of a host", for: host, now: now, leaving: leaving)
        }
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
        // A run has taken them, and perhaps another program has begun a new file.
        if let known = inInbox, !settings.inbox.holds(known.file) { inInbox = nil }
        var known = inInbox?.pages[host] ?? []
        var added: Set<UInt64> = []
        let new = urls.filter { url in
            let hash = FNV1a.hash(Array(url.href.utf8))
            guard known.insert(hash).inserted else { return false }
            added.insert(hash)
            return true
        }
        guard !new.isEmpty else { return }
        guard known.count <= Self.maximumPagesPerHost, let file = try settings.inbox.add(new, at: Date()) else {
            throw full
        }
        if inInbox?.file.isSame(as: file) == true {
            inInbox?.pages[host] = known
        } else {
            inInbox = (file, [host: added])
        }
    }

    /// Fetches the key files that pings wait for, until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await _ in signal.stream {
                while let (key, ping) = nextToFetch() {
                    group.addTask { await self.fetch(key, of: ping) }
                }
            }
        }
    }

    /// The next key whose host may be asked now. The host is being asked from here on.
    private func nextToFetch() -> (Key, IndexNowPing)? {
        guard askedHosts.count < Self.maximumHostsAsked else { return nil }
        for (index, key) in toFetch.enumerated() {
            guard let ping = waiting[key]?.ping, !askedHosts.contains(ping.keyFile.politenessHost) else { continue }
            toFetch.remove(at: index)
            askedHosts.insert(ping.keyFile.politenessHost)
            return (key, ping)
        }
        return nil
    }

    private func fetch(_ key: Key, of ping: IndexNowPing) async {
        let standing: Standing
        switch await settings.fetchKey(ping) {
        case .file(let bytes):
            standing = ping.isProved(by: bytes) ? .right : .wrong("\(ping.keyFile.href) does not have it.")
        case .missing(let reason): standing = .wrong(reason)
        case .unreachable(let reason): standing = .unreachable(reason)
        }
        finish(key, standing)
        askedHosts.remove(ping.keyFile.politenessHost)
        signal.continuation.yield()
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
