/// What an app runs on; the web stands beside.
public enum Platform: String, Sendable, CaseIterable {
    case iOS = "ios"
    case iPadOS = "ipados"
    case android, windows, web

    /// Whether its apps come from the App Store.
    public var isApple: Bool { self == .iOS || self == .iPadOS }
}

/// What one piece of a page's markup says of one app: which app, what it is opened with, and where that stands.
///
/// Each reader of markup that can name an app hands over claims, with values as the page has them. `PageFacts.appClaims` is the
/// one list of a page; a web manifest and the sitemaps add theirs. `RecordBuilder` joins claims to deep links.
public struct AppClaim: Sendable, Hashable {
    /// Nil for an address of an app's own scheme, where the markup does not name the platform.
    public let platform: Platform?
    public let source: DeepLinkRecord.DeepLink.Source
    /// Tells apart the claims of one source: `iphone` in `al:iphone:url` and `twitter:app:url:iphone`, `JSON-LD installUrl`.
    public let key: String
    public let line: Int?
    let column: Int?

    /// App Store ID, or the Microsoft Store's.
    public var storeIdentifier: String?
    /// The country whose store has the app.
    var storeCountry: String?
    var bundleIdentifier: String?
    var appClipBundleIdentifier: String?
    /// Android's, or the package family of a Windows app.
    public var packageName: String?
    public var appName: String?
    var minimumVersion: String?
    /// What a Windows app is handed instead of a URL.
    var launchArguments: String?
    /// What the app is said to be opened with, as written.
    public var address: String?

    /// Claims of one source that are kept; App Links allow any number of targets.
    static let maximumOfSource = 200

    init(
        _ platform: Platform?, _ source: DeepLinkRecord.DeepLink.Source, _ key: String, line: Int? = nil,
        column: Int? = nil
    ) {
        self.platform = platform
        self.source = source
        self.key = key
        self.line = line
        self.column = column
    }
}
