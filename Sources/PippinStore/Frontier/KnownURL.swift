import Foundation
import PippinCrawl
import PippinPage

/// A URL of a frontier with what is known of it, as one line of `pippin export --frontier` (Docs/Operations.md).
public struct KnownURL: Sendable, Equatable {
    /// The last visit.
    public struct Visit: Sendable, Equatable {
        public let at: Date
        /// The code of its outcome (`VisitOutcome.code`).
        public let outcome: String
        /// When it is visited again.
        public let due: Date?
        /// The usual time between visits.
        public let interval: Duration?
        /// How many visits there were.
        public let count: Int
        /// How many of them in a row failed, up to the last.
        public let failures: Int
        public let entityTag: String?
        public let lastModified: String?
    }

    /// The URL that is fetched.
    public let url: String
    public let isPage: Bool
    /// The number of links from the seed.
    public let depth: Int
    public let discovery: CrawlRequest.Discovery
    /// The URL of the seed that led to it.
    public let seed: String?
    /// nil if it was not visited.
    public let visit: Visit?

    /// `known` if it was not visited.
    public var state: String {
        guard let visit else { return "known" }
        return (VisitOutcome.standing(ofCode: visit.outcome) ?? .visited).rawValue
    }

    /// Its line. Keys are sorted, and numbers and strings written as RFC 8785 has them: URLs and what is kept of header fields are ASCII.
    public func line() -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 300)
        writer.object { writer in
            writer.member("depth", depth)
            writer.member("discovery", discovery.rawValue)
            writer.optional("due", visit?.due.map(InternetTime.text))
            writer.optional("etag", visit?.entityTag.flatMap(Self.plain))
            if let visit, visit.failures > 0 { writer.member("failures", visit.failures) }
            if let interval = visit?.interval { writer.member("interval", Int(interval.components.seconds)) }
            writer.member("kind", isPage ? "page" : "sitemap")
            writer.optional("lastModified", visit?.lastModified.flatMap(Self.plain))
            writer.optional("lastVisit", visit.map { InternetTime.text($0.at) })
            writer.optional("outcome", visit?.outcome)
            writer.optional("seed", seed)
            writer.member("state", state)
            writer.member("url", url)
            if let visit { writer.member("visits", visit.count) }
        }
        writer.endLine()
        return writer.bytes
    }

    /// The text of a header field; nil if it has anything but visible ASCII and spaces, which no proper one has.
    private static func plain(_ text: String) -> String? {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? text : nil
    }
}
