/// An app in a store, read from a store URL.
public struct StoreLink: Sendable, Hashable {
    /// The supported stores.
    public enum Store: String, Sendable {
        case appStore = "app-store"
        case googlePlay = "google-play"
    }

    /// The store.
    public let store: Store
    /// App Store ID (digits) or Google Play's package name.
    public let identifier: String
    /// The country of an App Store URL, two lower-case letters, if it has one.
    public let country: String?
}

extension StoreLink {
    /// The app of a store URL; nil for other URLs, also for a store's pages about developers, albums and the like, and for shortened
    /// ones (`apple.co`).
    ///
    /// Reads `https://apps.apple.com/us/app/name/id123`, `https://itunes.apple.com/app/id123`, `itms-apps://…/id123`,
    /// `https://play.google.com/store/apps/details?id=…`, `market://details?id=…`, and Android's `intent:` with a package.
    public init?(_ url: WebURL) {
        switch url.scheme {
        case "http", "https":
            guard let host = url.host else { return nil }
            switch host {
            case "apps.apple.com": self.init(appStorePath: url, isAppOnly: true)
            case "itunes.apple.com", "geo.itunes.apple.com", "phobos.apple.com":
                self.init(appStorePath: url, isAppOnly: false)
            case "play.google.com", "market.android.com":
                guard url.path.has("/details") else { return nil }
                self.init(packageOf: url)
            default: return nil
            }
        case "itms-apps", "itms-appss", "macappstore", "macappstores": self.init(appStorePath: url, isAppOnly: true)
        case "itms", "itmss": self.init(appStorePath: url, isAppOnly: false)
        case "market": self.init(packageOf: url)
        case "intent":
            guard let package = IntentURI(url.href)?.packageName, ASCIIText.isReverseDomain(package) else { return nil }
            self.init(store: .googlePlay, identifier: package, country: nil)
        default: return nil
        }
    }

    /// Like `init(_:)`, for a written address.
    public init?(href: String) {
        guard let url = WebURL(href) else { return nil }
        self.init(url)
    }

    /// The app as a claim of something that names it by its page in the store.
    func appClaim(
        _ source: AppClaim.Source, key: String, line: Int? = nil, column: Int? = nil
    ) -> AppClaim {
        var claim = AppClaim(store == .appStore ? .iOS : .android, source, key, line: line, column: column)
        if store == .appStore {
            claim.storeIdentifier = identifier
            claim.storeCountry = country
        } else {
            claim.packageName = identifier
        }
        return claim
    }

    /// Path words of App Store pages that are not apps but end in an ID too.
    private static let otherPages: Set<Substring> = [
        "developer", "artist", "story", "album", "podcast", "book", "audiobook", "movie", "tv-season", "music-video",
        "playlist", "author", "room", "genre", "curator", "app-bundle", "charts", "collection", "publisher",
    ]

    /// Reads the ID in the path's `/id123` or in the query's `id=123`.
    private init?(appStorePath url: WebURL, isAppOnly: Bool) {
        let segments = url.path.split(separator: "/").prefix(32)
        let isAboutApp = segments.contains { $0 == "app" || $0.lowercased() == "viewsoftware" }
        guard isAboutApp || isAppOnly && !segments.contains(where: Self.otherPages.contains) else { return nil }
        let inPath = segments.last { $0.hasPrefix("id") && ASCIIText.isNumber($0.utf8.dropFirst(2)) }
        guard let id = inPath.map({ String($0.dropFirst(2)) }) ?? Self.queryValue("id", of: url),
            ASCIIText.isNumber(id.utf8), id.utf8.count <= 20
        else { return nil }
        let country = segments.first.flatMap { segment -> String? in
            segment.utf8.count == 2 && segment.utf8.allSatisfy(\.isASCIILetter) ? segment.lowercased() : nil
        }
        self.init(store: .appStore, identifier: id, country: country)
    }

    private init?(packageOf url: WebURL) {
        guard let package = Self.queryValue("id", of: url), ASCIIText.isReverseDomain(package) else { return nil }
        self.init(store: .googlePlay, identifier: package, country: nil)
    }

    static func queryValue(_ name: String, of url: WebURL) -> String? {
        for pair in (url.query ?? "").split(separator: "&").prefix(100) where pair.hasPrefix(name + "=") {
            return pair.dropFirst(name.count + 1).percentDecoded.trimmingHTMLSpace()
        }
        return nil
    }
}

/// Reads App Store IDs in all spellings.
public enum AppStoreID {
    /// The digits of `123`, `id123`, `123&mt=8` or a store URL; nil for other texts, more than 20 digits, and only zeros.
    /// `wasPlain` is true for digits alone.
    public static func reading(_ text: String) -> (id: String, wasPlain: Bool)? {
        guard let reading = digits(text), reading.id.utf8.contains(where: { $0 != 0x30 }) else { return nil }
        return reading
    }

    private static func digits(_ text: String) -> (id: String, wasPlain: Bool)? {
        let bytes = text.utf8
        if ASCIIText.isNumber(bytes) { return bytes.count <= 20 ? (text, true) : nil }
        let rest = bytes.dropFirst(2)
        if text.asciiLowercased.hasPrefix("id"), ASCIIText.isNumber(rest), rest.count <= 20 {
            return (String(decoding: rest, as: UTF8.self), false)
        }
        if let url = WebURL(text), let store = StoreLink(url), store.store == .appStore {
            return (store.identifier, false)
        }
        let bare = ASCIIText.withoutParameters(text)
        return bare.utf8.count < bytes.count ? digits(bare).map { ($0.id, false) } : nil
    }
}

/// Reads Android package names in all spellings, as `AppStoreID` reads App Store IDs.
enum AndroidPackage {
    /// The package in `com.example.app`, `com.example.app&hl=fr`, `id=com.example.app` or a store URL; nil for other texts and
    /// more than 255 bytes. `wasPlain` is true for the name alone.
    static func reading(_ text: String) -> (name: String, wasPlain: Bool)? {
        guard text.utf8.count <= 4_096 else { return nil }
        if isName(text) { return (text, true) }
        if let url = WebURL(text), let store = StoreLink(url), store.store == .googlePlay {
            return (store.identifier, false)
        }
        var name = ASCIIText.withoutParameters(text)
        if name.prefix(3).lowercased() == "id=" { name = String(name.dropFirst(3)) }
        return isName(name) ? (name, false) : nil
    }

    private static func isName(_ text: String) -> Bool { text.utf8.count <= 255 && ASCIIText.isReverseDomain(text) }
}
