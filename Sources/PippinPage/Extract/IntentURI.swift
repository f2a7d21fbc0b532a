/// An Android intent written as a link: `intent://host/path#Intent;scheme=app;package=com.example;end`.
public struct IntentURI: Sendable, Hashable {
    public struct Extra: Sendable, Hashable {
        public let key: String
        public let value: String
    }

    /// What stands between `intent:` and the fragment, as written: `//host/path`.
    public internal(set) var data = ""
    public internal(set) var scheme: String?
    public internal(set) var packageName: String?
    public internal(set) var action: String?
    public internal(set) var categories: [String] = []
    public internal(set) var component: String?
    /// `S.browser_fallback_url`, decoded.
    public internal(set) var fallbackURL: String?
    /// Typed extras (`S.key`, `i.key`, …), decoded, in order.
    public internal(set) var extras: [Extra] = []

    /// The URL the app is opened with; nil where no scheme is named.
    public var launchURL: String? { scheme.map { "\($0):\(data)" } }
}
