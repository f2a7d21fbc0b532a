/// The Open Graph properties of a page (ogp.me), as written and as they are meant.
public struct OpenGraph: Sendable {
    public struct Property: Sendable {
        /// Lower case, without stray white space: `og:image:width`.
        public let name: String
        /// As written.
        public let written: String
        public let content: String
        /// Open Graph's own attribute is `property`; `name` and `itemprop` are often used in its place.
        public let carriers: MetaTag.Carriers
        /// The content stands in `value`, not in `content`.
        public let usesValueAttribute: Bool
        public let line: Int
        public let column: Int

        /// Written as Open Graph wants it: `property` and `content`.
        public var isStandard: Bool { carriers.contains(.property) && !usesValueAttribute }
    }

    /// An image, video or audio file.
    public struct Media: Sendable {
        /// As written, of `og:image` or `og:image:url`.
        public internal(set) var source: String?
        public internal(set) var url: WebURL?
        public internal(set) var secureURL: WebURL?
        public internal(set) var type: String?
        public internal(set) var width: Int?
        public internal(set) var height: Int?
        public internal(set) var alt: String?
        public internal(set) var line: Int?
        /// Begun by `og:image:url`: an `og:image` with the same address is the same image.
        var isFromStructured = false

        /// The address to fetch: the secure one where there are two.
        public var bestURL: WebURL? { secureURL ?? url }
    }

    /// All properties of the namespaces in use, in page order: `og:`, `article:`, `book:`, `profile:`, `music:`, `video:`,
    /// `product:`, `place:`, `business:`, `payment:`, `website:`, `fb:`.
    public internal(set) var properties: [Property] = []

    public internal(set) var title: String?
    /// Lower case: `article`, `video.movie`.
    public internal(set) var type: String?
    /// `og:url`: the canonical address and permanent identity.
    public internal(set) var url: WebURL?
    public internal(set) var description: String?
    public internal(set) var siteName: String?
    public internal(set) var determiner: String?
    /// As written: `en_US`.
    public internal(set) var locale: String?
    public internal(set) var alternateLocales: [String] = []
    public internal(set) var images: [Media] = []
    public internal(set) var videos: [Media] = []
    public internal(set) var audios: [Media] = []
    public internal(set) var notes: [ParseNote] = []

    /// The first value of a property (`article:published_time`) that is not empty, trimmed.
    public subscript(name: String) -> String? {
        for property in properties where property.name == name {
            let value = property.content.trimmingHTMLSpace()
            if !value.isEmpty { return value }
        }
        return nil
    }

    /// All values of a property that are not empty, trimmed, in page order.
    public func values(_ name: String) -> [String] {
        properties.filter { $0.name == name }.map { $0.content.trimmingHTMLSpace() }.filter { !$0.isEmpty }
    }
}
