/// The schema.org types that the record asks for, as bits. The kinds of each type are computed once, not for every item.
public struct ItemKind: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `Place` or one of its subtypes. The other kinds are defined in the same way.
    public static let place = ItemKind(rawValue: 1 << 0)
    /// An `Organization`.
    public static let organization = ItemKind(rawValue: 1 << 1)
    static let postalAddress = ItemKind(rawValue: 1 << 2)
    static let virtualLocation = ItemKind(rawValue: 1 << 3)
    /// A `LocalBusiness`, which is both.
    public static let localBusiness = ItemKind(rawValue: 1 << 4)
    static let webSite = ItemKind(rawValue: 1 << 5)
    static let webPage = ItemKind(rawValue: 1 << 6)
    static let searchAction = ItemKind(rawValue: 1 << 7)
    static let softwareApplication = ItemKind(rawValue: 1 << 8)
    static let aggregateRating = ItemKind(rawValue: 1 << 9)
    static let offer = ItemKind(rawValue: 1 << 10)
    static let audioObject = ItemKind(rawValue: 1 << 11)
    static let videoObject = ItemKind(rawValue: 1 << 12)
    static let musicRecording = ItemKind(rawValue: 1 << 13)
    static let musicPlaylist = ItemKind(rawValue: 1 << 14)
    static let recipe = ItemKind(rawValue: 1 << 15)
    static let event = ItemKind(rawValue: 1 << 16)
    static let article = ItemKind(rawValue: 1 << 17)
    static let claimReview = ItemKind(rawValue: 1 << 18)
    static let blog = ItemKind(rawValue: 1 << 19)
    static let episode = ItemKind(rawValue: 1 << 20)
    /// Television, podcast and book series, periodicals.
    static let series = ItemKind(rawValue: 1 << 21)
    static let musicAlbum = ItemKind(rawValue: 1 << 22)
    static let book = ItemKind(rawValue: 1 << 23)
    static let broadcastChannel = ItemKind(rawValue: 1 << 24)
    static let product = ItemKind(rawValue: 1 << 25)
    static let breadcrumbList = ItemKind(rawValue: 1 << 26)

    private static let named: [(String, ItemKind)] = [
        ("Place", .place), ("Organization", .organization), ("PostalAddress", .postalAddress),
        ("VirtualLocation", .virtualLocation), ("LocalBusiness", .localBusiness), ("WebSite", .webSite),
        ("WebPage", .webPage), ("SearchAction", .searchAction), ("SoftwareApplication", .softwareApplication),
        ("AggregateRating", .aggregateRating), ("Offer", .offer), ("AudioObject", .audioObject),
        ("VideoObject", .videoObject), ("MusicRecording", .musicRecording), ("MusicPlaylist", .musicPlaylist),
        ("Recipe", .recipe), ("Event", .event), ("Article", .article), ("ClaimReview", .claimReview), ("Blog", .blog),
        ("Episode", .episode), ("CreativeWorkSeries", .series), ("MusicAlbum", .musicAlbum), ("Book", .book),
        ("BroadcastChannel", .broadcastChannel), ("BroadcastService", .broadcastChannel),
        ("Product", .product), ("BreadcrumbList", .breadcrumbList),
    ]

    /// The properties of a type: its kinds, and how likely it is the topic of a page.
    struct Traits: Sendable {
        var kinds: ItemKind
        /// A smaller rank means a more likely topic. Nil for types that are never the topic of a page.
        var rank: Int?
    }

    /// The traits of a type as written; nil for addresses of other vocabularies.
    static func traits(of written: String) -> Traits? {
        if let known = known[written] { return known }
        guard let type = SchemaOrg.type(written) else { return nil }
        return known[type] ?? Traits(kinds: [], rank: Rank.otherThing)
    }

    private static let known: [String: Traits] = Dictionary(
        uniqueKeysWithValues: SchemaOrg.knownTypes.map { type in
            let ancestors = SchemaOrg.ancestors(of: type)
            var kinds: ItemKind = []
            for (name, kind) in named where ancestors.contains(name) { kinds.insert(kind) }
            return (type, Traits(kinds: kinds, rank: rank(of: type, ancestors)))
        })

    // MARK: What a page is about

    /// Kinds, from the most to the least likely topic of a page. Things that a page shows beside its topic (publisher, site,
    /// breadcrumbs) come last or are missing.
    ///
    /// Articles stand beside the periodical or blog that they are in, and above a video that they have
    /// (`StructuredPage.chooseMain`).
    private static let ranks: [(kind: String, rank: Int)] = [
        ("Recipe", Rank.recipe), ("Product", 1), ("Event", 2), ("JobPosting", 2), ("SoftwareApplication", 3),
        ("Movie", 4),
        ("Book", 4), ("Episode", 4), ("Periodical", 9), ("CreativeWorkSeries", 5), ("TVSeries", 5),
        ("MusicRecording", 4), ("MusicPlaylist", 5), ("Course", 5), ("Game", 5), ("HowTo", 5),
        ("VideoObject", Rank.media), ("AudioObject", Rank.media), ("Article", Rank.article), ("ClaimReview", 8),
        ("LocalBusiness", 8), ("Accommodation", 8), ("Place", 9), ("Service", 9), ("Trip", 9), ("PerformingGroup", 9),
        ("Dataset", 9), ("Question", 9), ("Blog", 9),
    ]
    private static let excluded = [
        "BreadcrumbList", "ItemList", "ListItem", "WebPageElement", "ImageObject", "Action", "Offer", "Rating",
        "StructuredValue", "EntryPoint", "Review", "Comment", "VirtualLocation", "Brand", "DataDownload", "Audience",
        "AlignmentObject", "ActionAccessSpecification", "Enumeration", "Language", "ComputerLanguage",
        "MerchantReturnPolicy", "Quantity", "Role", "Schedule", "ServiceChannel", "SpeakableSpecification",
    ]

    /// Ranks that are asked for by name.
    public enum Rank {
        static let recipe = 0
        static let media = 6
        static let article = 7
        static let otherThing = 10
        /// Ranks from here on are weak topics: the page itself, an organization behind it, the site, an item without a type.
        public static let page = 20
        static let organization = 21
        static let site = 22
        static let untyped = 23
    }

    private static func rank(of type: String, _ ancestors: Set<String>) -> Int? {
        // A `Thing` is what a breadcrumb leads to.
        if type == "Thing" { return Rank.untyped }
        if type != "ClaimReview", excluded.contains(where: ancestors.contains) { return nil }
        if let match = ranks.first(where: { ancestors.contains($0.kind) }) { return match.rank }
        if type == "WebSite" { return Rank.site }
        if ancestors.contains("WebPage") { return Rank.page }
        return ancestors.contains("Organization") || type == "Person" ? Rank.organization : Rank.otherThing
    }
}
