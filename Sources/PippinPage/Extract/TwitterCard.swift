/// The `twitter:` properties of a page: its card, and the apps that open it.
public struct TwitterCard: Sendable {
    public enum Platform: String, Sendable, CaseIterable {
        case iPhone = "iphone"
        case iPad = "ipad"
        case googlePlay = "googleplay"
    }

    /// What the card says of one platform's app.
    public struct App: Sendable {
        public let platform: Platform
        public internal(set) var name: String?
        /// App Store ID (digits), or Google Play's package name.
        public internal(set) var id: String?
        /// The deep link, as written.
        public internal(set) var url: String?
        public internal(set) var line: Int?
        public internal(set) var column: Int?
    }

    public struct Image: Sendable {
        /// As written.
        public internal(set) var source: String
        public internal(set) var url: WebURL?
        public internal(set) var alt: String?
    }

    public struct Player: Sendable {
        public internal(set) var url: String?
        public internal(set) var width: Int?
        public internal(set) var height: Int?
        public internal(set) var stream: String?
        public internal(set) var streamContentType: String?
    }

    /// `twitter:label1` and `twitter:data1`.
    public struct Label: Sendable {
        public let number: Int
        public internal(set) var label: String?
        public internal(set) var data: String?
    }

    /// Lower case: `summary`, `summary_large_image`, `app`, `player`, or what else the page says.
    public internal(set) var card: String?
    public internal(set) var title: String?
    public internal(set) var description: String?
    public internal(set) var site: String?
    public internal(set) var siteID: String?
    public internal(set) var creator: String?
    public internal(set) var creatorID: String?
    public internal(set) var url: String?
    public internal(set) var domain: String?
    public internal(set) var images: [Image] = []
    public internal(set) var player: Player?
    /// In the order iPhone, iPad, Google Play; only those the page names.
    public internal(set) var apps: [App] = []
    /// Two letters, upper case: the App Store the apps are in when it is not that of the US.
    public internal(set) var appCountry: String?
    public internal(set) var labels: [Label] = []
    public internal(set) var notes: [ParseNote] = []

    public func app(_ platform: Platform) -> App? {
        apps.first { $0.platform == platform }
    }
}
