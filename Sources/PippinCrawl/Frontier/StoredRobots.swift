import Foundation
import PippinPage

/// A robots.txt that is kept for later runs, so that an hourly job does not request it every hour.
public struct StoredRobots: Sendable, Equatable {
    /// The scheme, host and port that the rules apply to.
    public var origin: String
    /// The origin's host, in the form of `CrawlRequest.host`.
    public var host: String
    /// The file, deflated (`DeflatedBytes`), so that it takes about as many bytes as the host sent. Nil if there is no such
    /// file (4xx) and everything is allowed.
    public var packed: [UInt8]?
    /// The end of its validity, at most 24 hours after the fetch (RFC 9309 §2.4).
    public var until: Date

    /// Packs a file's text.
    public init(origin: String, host: String, text: String?, until: Date) {
        self.init(
            origin: origin, host: host, packed: text.flatMap { DeflatedBytes.pack(Array($0.utf8), level: 1) },
            until: until)
    }

    /// Creates an entry from packed bytes.
    public init(origin: String, host: String, packed: [UInt8]?, until: Date) {
        self.origin = origin
        self.host = host
        self.packed = packed
        self.until = until
    }

    /// The parsed file; nil if `origin` is not an origin or the bytes cannot be unpacked.
    func file() -> RobotsFile? {
        guard let packed else { return .allowAll }
        guard let url = WebURL(origin + "/robots.txt"), let text = DeflatedBytes.unpack(packed) else { return nil }
        return RobotsFile(bytes: text, url: url)
    }
}
