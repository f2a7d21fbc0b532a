import Foundation
import PippinPage

/// A robots.txt that one run leaves to the next, so that a job of every hour does not ask for it every hour.
public struct StoredRobots: Sendable, Equatable {
    /// Scheme, host and port that the rules bind.
    public var origin: String
    /// The origin's host, as `CrawlRequest.host` has it.
    public var host: String
    /// The file, deflated (`DeflatedBytes`), so that it costs about what the host sent. Nil where there is no such file (4xx), and
    /// everything is allowed.
    public var packed: [UInt8]?
    /// RFC 9309 §2.4: 24 hours after it was fetched at the latest.
    public var until: Date

    public init(origin: String, host: String, text: String?, until: Date) {
        self.init(
            origin: origin, host: host, packed: text.flatMap { DeflatedBytes.pack(Array($0.utf8), level: 1) },
            until: until)
    }

    public init(origin: String, host: String, packed: [UInt8]?, until: Date) {
        self.origin = origin
        self.host = host
        self.packed = packed
        self.until = until
    }

    /// What the robots.txt of an origin says; nil for an origin that is none, and for what cannot be unpacked.
    func file() -> RobotsFile? {
        guard let packed else { return .allowAll }
        guard let url = WebURL(origin + "/robots.txt"), let text = DeflatedBytes.unpack(packed) else { return nil }
        return RobotsFile(bytes: text, url: url)
    }
}
