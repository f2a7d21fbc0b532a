/// The platform of an app. `web` is the page itself, without an app.
public enum Platform: String, Sendable, CaseIterable {
    case iOS = "ios"
    case iPadOS = "ipados"
    case android, windows, web

    /// Whether its apps come from the App Store.
    public var isApple: Bool { self == .iOS || self == .iPadOS }
}

/// One statement of a page's markup about one app: which app, the URL that opens it, and its place in the page.
public struct AppClaim: Sendable, Hashable {
    /// Nil for an address with an app's custom scheme, because such markup does not name the platform.
    public let platform: Platform?
    /// The markup that the claim comes from.
    public let source: DeepLinkRecord.DeepLink.Source
    /// Distinguishes the claims of one source: `iphone` in `al:iphone:url` and `twitter:app:url:iphone`, `JSON-LD installUrl`.
    public let key: String
    /// The line in the page, 1-based; nil if unknown.
    public let line: Int?
    /// The column in the page, 1-based; nil if unknown.
    public let column: Int?

    /// App Store ID, or product ID of the Microsoft Store.
    public var storeIdentifier: String?
    /// The country of the store, two lower-case letters, if the address has one.
    var storeCountry: String?
    var bundleIdentifier: String?
    var appClipBundleIdentifier: String?
    /// Android package name, or package family name of a Windows app.
    public var packageName: String?
    /// The app's name as written.
    public var appName: String?
    var minimumVersion: String?
    /// The arguments that a Windows app receives instead of a URL.
    var launchArguments: String?
    /// The address that opens the app, as written.
    public var address: String?

    /// Whether it may be about anybody's app: everybody links to apps, and describes them. Such a claim shows the site's app only with
    /// a second witness (`RecordDraft`). What the owner of a page writes into its head, or as an action, is a witness.
    var needsWitness: Bool {
        switch source {
        case .intentLink, .pageLink, .script, .storeLink: true
        case .schemaOrg: address == nil
        default: false
        }
    }

    /// The limit of claims per source. App Links allow any number of targets.
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
