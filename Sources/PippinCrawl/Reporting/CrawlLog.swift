import Foundation
import PippinPage
import Synchronization

/// The log of a crawl: one JSON object per line for every visit and every file of a site, written when it ends.
/// Docs/CrawlLog.md has the fields and codes.
///
/// Each line is appended in one write, so a reader never sees a part of one. The path is checked before each line: if another
/// program has moved the file away, a new file is started, so that log rotation needs no signal.
public final class CrawlLog: Sendable {
    private struct File {
        var descriptor: Int32
        var identity: FileIdentity
        var failure: OutputError?
    }

    private static let what = "the crawl log"

    /// The path of the file.
    public let path: String
    private let file: Mutex<File>

    /// Opens a file for appending. Creates it and the folders above it if they are missing.
    ///
    /// - Throws: `OutputError`.
    public init(path: String) throws(OutputError) {
        self.path = path
        file = Mutex(try Self.open(path))
    }

    deinit {
        file.withLock { _ = close($0.descriptor) }
    }

    /// The error of the first line that could not be written; nil if there was none. It ends the crawl.
    var failure: OutputError? { file.withLock { $0.failure } }

    func write(_ entry: CrawlLogEntry) {
        file.withLock { file in
            guard file.failure == nil else { return }
            do throws(OutputError) {
                try beginAnewIfMoved(&file)
                try WholeFile.append(
                    UserInformation.hidden(in: entry.line), to: file.descriptor, path: path, what: Self.what)
            } catch {
                file.failure = error
            }
        }
    }

    private func beginAnewIfMoved(_ file: inout File) throws(OutputError) {
        guard FileIdentity(of: path) != file.identity else { return }
        let fresh = try Self.open(path)
        close(file.descriptor)
        file = fresh
    }

    private static func open(_ path: String) throws(OutputError) -> File {
        let descriptor = try WholeFile.opened(path, flags: O_WRONLY | O_CREAT | O_APPEND, what: what)
        guard let identity = FileIdentity(of: descriptor) else {
            let number = errno
            close(descriptor)
            throw OutputError(path: path, what: what, errorNumber: number)
        }
        return File(descriptor: descriptor, identity: identity)
    }
}

/// One line of the crawl log: the end of a visit or of a request for a site's file.
struct CrawlLogEntry: Sendable {
    /// The time of the end.
    let time: Date
    /// `page`, `sitemap`, or the kind of a site's file.
    let kind: String
    let url: WebURL
    let host: String
    let seed: Seed
    /// The number of links from a seed; nil for files of sites.
    var depth: Int?
    var discovery: CrawlRequest.Discovery?
    let attempt: Int
    /// The stable code; Docs/CrawlLog.md has all of them.
    let outcome: String
    /// A detail that the code does not contain: a content type, the words of a failure.
    var detail: String?
    /// Sentences about a failure: what happened, and which option changes it. Nil without a failure.
    var reason: String?
    /// The HTTP exchange; nil if no request was made.
    var exchange: Exchange?
    /// The start of the exchange; nil without an exchange.
    var start: Date?
    /// The time in the crawl's queue until the host's turn came.
    var waited: Duration?
    /// The other URL that it leads to: a redirect's target, the canonical page.
    var target: String?
    var recordIdentifier: String?
    /// The decision of robots.txt; only set if it forbids the visit.
    var robots: RobotsDecision?
    /// The time until the next try in the same run; nil if there is none.
    var triedAgainIn: Duration?

    /// The limit of texts from servers and libraries, in bytes.
    private static let longestText = 2_100

    /// The line as JSON, with its line feed.
    var line: [UInt8] {
        var writer = JSONWriter(reservingBytes: 640)
        writer.beginObject()
        writer.member("time", Self.text(of: time))
        writer.member("kind", kind)
        writer.member("url", url.href)
        writer.member("host", host)
        writer.member("seed", seed.url.href)
        if let depth { writer.member("depth", depth) }
        if let discovery { writer.member("discovery", discovery.rawValue) }
        writer.member("attempt", attempt)
        writer.member("outcome", outcome)
        if let detail { writer.member("detail", String(detail.prefix(Self.longestText))) }
        if let reason { writer.member("reason", String(reason.prefix(Self.longestText))) }
        if let target { writer.member("target", String(target.prefix(Self.longestText))) }
        if let recordIdentifier { writer.member("record", recordIdentifier) }
        if let robots {
            writer.key("robots")
            writer.beginObject()
            if let agent = robots.agent { writer.member("agent", agent) }
            if let rule = robots.rule {
                writer.member("line", rule.line)
                writer.member(
                    "rule", "\(rule.kind == .allow ? "Allow" : "Disallow"): \(rule.pattern.prefix(Self.longestText))")
            }
            writer.endObject()
        }
        if let exchange {
            if let start { writer.member("start", Self.text(of: start)) }
            if let status = exchange.status { writer.member("status", status) }
            writer.member("wireBytes", exchange.wireBytes)
            writer.member("bytes", exchange.bodyBytes)
            writer.key("seconds")
            writer.beginObject()
            if let waited { writer.member("queued", Self.seconds(waited)) }
            if let time = exchange.timeToFirstByte { writer.member("firstByte", Self.seconds(time)) }
            writer.member("total", Self.seconds(exchange.duration))
            writer.endObject()
            if let address = exchange.remoteAddress { writer.member("address", address) }
        }
        if let triedAgainIn { writer.member("againIn", Self.seconds(triedAgainIn)) }
        writer.endObject()
        writer.endLine()
        return writer.bytes
    }

    /// The duration in seconds, rounded to microseconds.
    static func seconds(_ duration: Duration) -> Double {
        (duration / .microseconds(1)).rounded() / 1_000_000
    }

    /// The time as text: `2026-11-21T08:06:26.123Z`
    static func text(of date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        let milliseconds = Int(((seconds - seconds.rounded(.down)) * 1000).rounded(.down))
        let digits = String(1000 + min(max(milliseconds, 0), 999)).dropFirst()
        return InternetTime.text(date).dropLast() + "." + digits + "Z"
    }
}

extension CrawlLogEntry {
    /// The code if the run was stopped before an answer.
    static let stopped = "stopped"

    /// The fields that all visits have, whatever their outcome.
    init(_ request: CrawlRequest, outcome: String, clock: CrawlClock) {
        self.init(
            time: clock.date(), kind: request.isPage ? "page" : "sitemap", url: request.url, host: request.host,
            seed: request.seed, depth: request.depth, discovery: request.discovery, attempt: request.attempt,
            outcome: outcome)
    }

    init(_ request: SiteFileRequest, outcome: String, clock: CrawlClock) {
        self.init(
            time: clock.date(), kind: request.kind.rawValue, url: request.url, host: request.url.politenessHost,
            seed: request.seed, attempt: request.attempt, outcome: outcome)
    }

    /// The entry for a site's file that is not available and was not requested. Nil if it was requested, because the request
    /// has its own line.
    init?(
        unasked request: SiteFileRequest, _ outcome: SiteFileOutcome, clock: CrawlClock, _ spelling: Setting.Spelling
    ) {
        guard let cause = outcome.cause, !cause.wasAsked else { return nil }
        self.init(request, outcome: outcome.code, clock: clock)
        if case .robotsUnreachable(let robots) = cause {
            detail = robots.detail
            reason = robots.explanation(spelling) + "."
        }
    }

    mutating func add(_ exchange: Exchange?, waitsSince: Duration?, _ clock: CrawlClock) {
        guard let exchange else { return }
        self.exchange = exchange
        let age = clock.now() - exchange.start
        start = time.addingTimeInterval(-(age / .seconds(1)))
        if let waitsSince { waited = max(exchange.start - waitsSince, .zero) }
    }
}
