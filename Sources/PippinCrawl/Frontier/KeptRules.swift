import Foundation
import PippinPage

/// A robots.txt that one run leaves to the next, so that a job of every hour does not ask for it every hour.
public struct KeptRules: Sendable, Equatable {
    /// Scheme, host and port that the rules bind.
    public var origin: String
    /// The origin's host, as `CrawlRequest.host` has it.
    public var host: String
    /// Nil where there is no such file (4xx), and everything is allowed.
    public var text: String?
    /// RFC 9309 §2.4: 24 hours after it was fetched at the latest.
    public var until: Date

    public init(origin: String, host: String, text: String?, until: Date) {
        self.origin = origin
        self.host = host
        self.text = text
        self.until = until
    }

    /// What the robots.txt of an origin says, nil for an origin that is none.
    var rules: RobotsFile? {
        guard let text else { return .allowAll }
        return WebURL(origin + "/robots.txt").map { RobotsFile(bytes: Array(text.utf8), url: $0) }
    }
}
