/// What a page says of itself in plain HTML and HTTP: title, description, canonical link, language, icons and the like.
public struct HTMLMetadata: Sendable {
    /// A canonical link as it was found (RFC 6596).
    public struct CanonicalLink: Sendable {
        public let url: WebURL
        public let isFromHeader: Bool
        /// Google ignores canonical links in the body.
        public let isInBody: Bool
        public let line: Int?
    }

    public struct Icon: Sendable {
        public enum Kind: String, Sendable {
            case icon
            case appleTouchIcon = "apple-touch-icon"
            case maskIcon = "mask-icon"
        }
        public struct Size: Sendable, Hashable {
            /// Pixels.
            public let width: Int
            public let height: Int
        }

        public let kind: Kind
        public let url: WebURL
        public let sizes: [Size]
        /// `sizes="any"`: scalable.
        public let isAnySize: Bool
        public let type: String?
        public let line: Int?
    }

    /// The page in another language (`hreflang`).
    public struct LanguageAlternate: Sendable {
        /// As written: `de-CH`, `x-default`.
        public let language: String
        public let url: WebURL
        public let isFromHeader: Bool
        public let line: Int?
    }

    public struct Feed: Sendable {
        public let url: WebURL
        /// Media type, lower case, without parameters.
        public let type: String
        public let title: String?
        public let line: Int?
    }

    /// A `robots` or crawler-specific `meta`, not yet interpreted.
    public struct RobotsTag: Sendable {
        /// Lower case: `robots`, `applebot`, `googlebot`.
        public let name: String
        public let content: String
        public let line: Int
    }

    public enum LanguageSource: String, Sendable {
        case html
        case metaContentLanguage = "meta"
        case header
    }

    /// `apple-mobile-web-app-…`: how the page behaves as an app on the Home Screen.
    public struct WebApp: Sendable {
        public internal(set) var isCapable: Bool?
        public internal(set) var title: String?
        public internal(set) var statusBarStyle: String?
    }

    /// `msApplication-…`: the page's app on Windows.
    public struct WindowsApp: Sendable {
        public internal(set) var id: String?
        public internal(set) var packageFamilyName: String?
        public internal(set) var arguments: String?
        public internal(set) var minimumVersion: String?
        public internal(set) var optOut: String?
        public internal(set) var phonePackageURL: String?
        public internal(set) var tileImage: WebURL?
        public internal(set) var tileColor: String?
        /// Where the first of these properties that names the app stands.
        public internal(set) var line: Int?
        public internal(set) var column: Int?
    }

    /// `branch:deeplink:$ios_deeplink_path` and others.
    public struct BranchParameter: Sendable, Hashable {
        public let key: String
        public let value: String
        public let line: Int
        public let column: Int
    }

    /// Text of the first `title` that is not of an SVG image, collapsed.
    public internal(set) var title: String?
    /// Collapsed.
    public internal(set) var description: String?
    /// The page's canonical URL: nil also where several different ones are given.
    public internal(set) var canonical: WebURL?
    public internal(set) var canonicalLinks: [CanonicalLink] = []
    /// BCP 47 tag as written; of a list the first.
    public internal(set) var language: String?
    public internal(set) var languageSource: LanguageSource?
    public internal(set) var icons: [Icon] = []
    public internal(set) var languageAlternates: [LanguageAlternate] = []
    public internal(set) var feeds: [Feed] = []
    public internal(set) var keywords: [String] = []
    public internal(set) var manifest: WebURL?
    public internal(set) var amp: WebURL?
    public internal(set) var next: WebURL?
    public internal(set) var previous: WebURL?
    /// `<link rel=search>`: an OpenSearch description.
    public internal(set) var openSearch: WebURL?
    /// `<link rel=image_src>`, the page's picture before Open Graph.
    public internal(set) var imageSource: WebURL?
    public internal(set) var applicationName: String?
    public internal(set) var author: String?
    public internal(set) var viewport: String?
    public internal(set) var generator: String?
    public internal(set) var themeColor: String?
    public internal(set) var webApp: WebApp?
    public internal(set) var windowsApp: WindowsApp?
    /// `google-play-app`, a convention of banner libraries: the package name.
    public internal(set) var googlePlayPackage: String?
    /// `fb:app_id`: an app registered with Facebook, not a store's.
    public internal(set) var facebookAppID: String?
    public internal(set) var branchParameters: [BranchParameter] = []
    /// The first `Refresh` of the header, else of a `meta` outside `noscript`.
    public internal(set) var refresh: Refresh?
    public internal(set) var robots: [RobotsTag] = []
    public internal(set) var notes: [ParseNote] = []
}
