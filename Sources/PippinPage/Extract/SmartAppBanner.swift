/// What `<meta name="apple-itunes-app">` says: the app to offer for the page, and what to hand to it.
///
/// Apple documents a list of `key=value` pairs; pages hold a great deal else. Every leniency used leaves a note.
public struct SmartAppBanner: Sendable {
    /// A `key=value` that Apple does not document.
    public struct Parameter: Sendable, Hashable {
        public let key: String
        public let value: String
    }

    /// App Store ID: digits only.
    public internal(set) var appID: String?
    /// What the app is handed, as written; see `appArgumentURL`.
    public internal(set) var appArgument: String?
    public internal(set) var affiliateData: String?
    public internal(set) var appClipBundleID: String?
    public internal(set) var appClipDisplay: String?
    public internal(set) var extras: [Parameter] = []
    /// The tag's content as written.
    public internal(set) var content = ""
    public internal(set) var line: Int?
    public internal(set) var column: Int?
    /// Contents of the page's other banner tags: the first valid one counts.
    public internal(set) var otherContents: [String] = []
    public internal(set) var notes: [ParseNote] = []

    /// Whether the page has a tag of the right name; without one there are only notes on tags that are to be banners.
    public internal(set) var hasTag = false

    /// Whether it names an app or an App Clip; what only notes came of is not valid.
    public var isValid: Bool { appID != nil || appClipBundleID != nil }

    /// The argument as a URL; nil where there is none or it is not one, a bare scheme (`app://`) included.
    public internal(set) var appArgumentURL: WebURL?
}
