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
    /// Where a page says so, in order of precedence.
    public enum Source: String, Sendable, CaseIterable {
        /// The page's own address: a store's page about the app.
        case pageURL = "page-url"
        case smartAppBanner = "smart-app-banner"
        case twitterCard = "twitter-card"
        case appLinks = "app-links"
        case alternate
        case schemaOrg = "schema-org"
        /// Meta tags that name an app: `google-play-app`, `msApplication-…`, `branch:deeplink:…`.
        case appMeta = "app-meta"
        case webManifest = "web-manifest"
        /// A link that starts an Android app: `intent://…`.
        case intentLink = "intent-link"
        /// A link with an app's own scheme: `clownapp://shows/1`.
        case pageLink = "page-link"
        /// Where the page's scripts wanted to go when it was rendered: an app's own scheme, an intent, a store.
        case script
        /// A link into an app store, in the page's markup.
        case storeLink = "store-link"
        case association

        /// Smaller goes first.
        var rank: Int {
            switch self {
            case .pageURL: 0
            case .smartAppBanner: 1
            case .twitterCard: 2
            case .appLinks: 3
            case .alternate: 4
            case .schemaOrg: 5
            case .appMeta: 6
            case .webManifest: 7
            case .intentLink: 8
            case .pageLink: 9
            case .script: 10
            case .storeLink: 11
            case .association: 12
            }
        }
    }

    /// Nil for an address with an app's custom scheme, because such markup does not name the platform.
    public let platform: Platform?
    /// The markup that the claim comes from.
    public let source: Source
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
        _ platform: Platform?, _ source: Source, _ key: String, line: Int? = nil,
        column: Int? = nil
    ) {
        self.platform = platform
        self.source = source
        self.key = key
        self.line = line
        self.column = column
    }
}
