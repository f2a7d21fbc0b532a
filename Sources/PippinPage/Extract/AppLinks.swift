/// The App Links of a page (`al:` properties): on which platforms it opens in which apps, best first.
public struct AppLinks: Sendable {
    public enum Platform: String, Sendable, CaseIterable {
        case iOS = "ios"
        case iPhone = "iphone"
        case iPad = "ipad"
        case android
        case windowsPhone = "windows_phone"
        case windows
        case windowsUniversal = "windows_universal"
    }

    public struct Target: Sendable {
        public let platform: Platform
        /// The deep link, as written.
        public internal(set) var url: String?
        public internal(set) var appName: String?
        /// `app_store_id` of the Apple platforms.
        public internal(set) var appStoreID: String?
        /// `package` of Android.
        public internal(set) var packageName: String?
        /// `class` of Android.
        public internal(set) var className: String?
        /// `app_id` of the Windows platforms.
        public internal(set) var appID: String?
        public internal(set) var line: Int?
        public internal(set) var column: Int?
    }

    /// Platforms in the order they first appear; a platform's targets in order of preference.
    public internal(set) var targets: [Target] = []
    /// `al:web:url`, resolved; nil means the page itself.
    public internal(set) var webURL: WebURL?
    /// Whether the web may be used when no app is there.
    public internal(set) var allowsWebFallback = true
    public internal(set) var notes: [ParseNote] = []

    public func targets(for platform: Platform) -> [Target] {
        targets.filter { $0.platform == platform }
    }
}
