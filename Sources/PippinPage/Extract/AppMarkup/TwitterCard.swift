/// The `twitter:` properties of a page: its card, and the apps that open it.
public struct TwitterCard: Sendable {
    /// The platform words in the tags, in the order of `apps`.
    private static let platforms: [(word: String, platform: Platform)] = [
        ("iphone", .iOS), ("ipad", .iPadOS), ("googleplay", .android),
    ]

    /// The platform's word in the tags: `iphone`, `ipad` or `googleplay`.
    public static func word(for platform: Platform) -> String {
        platforms.first { $0.platform == platform }?.word ?? platform.rawValue
    }

    /// The card's app on one platform.
    public struct App: Sendable {
        /// The platform that the app runs on.
        public let platform: Platform
        /// The app's name.
        public fileprivate(set) var name: String?
        /// App Store ID (digits), or Google Play's package name.
        public fileprivate(set) var id: String?
        /// The deep link, as written.
        public fileprivate(set) var url: String?
        /// The line in the page, 1-based; nil if unknown.
        public fileprivate(set) var line: Int?
        /// The column in the page, 1-based; nil if unknown.
        public fileprivate(set) var column: Int?
    }

    /// A picture of the card.
    public struct Image: Sendable {
        /// The address as written.
        public fileprivate(set) var source: String
        /// The address, resolved; nil if it is not a URL.
        public fileprivate(set) var url: WebURL?
        /// The description of the image.
        public fileprivate(set) var alt: String?
    }

    /// The player of a player card.
    public struct Player: Sendable {
        /// The address of the player's page, as written.
        public fileprivate(set) var url: String?
        /// Width in pixels.
        public fileprivate(set) var width: Int?
        /// Height in pixels.
        public fileprivate(set) var height: Int?
        /// The address of the raw stream, as written.
        public fileprivate(set) var stream: String?
        /// Media type of the stream.
        public fileprivate(set) var streamContentType: String?
    }

    /// `twitter:label1` and `twitter:data1`.
    public struct Label: Sendable {
        /// The number in the names: 1 or 2.
        public let number: Int
        /// The label: `Reading time`.
        public fileprivate(set) var label: String?
        /// The value of the label: `5 minutes`.
        public fileprivate(set) var data: String?
    }

    /// Lower case: `summary`, `summary_large_image`, `app`, `player`, or another value.
    public fileprivate(set) var card: String?
    /// Whether X still shows cards of this name.
    public var isShownCard: Bool { card.map(Self.currentCards.contains) ?? false }
    /// The card's title.
    public fileprivate(set) var title: String?
    /// The card's description.
    public fileprivate(set) var description: String?
    /// The account of the site: `@example`.
    public fileprivate(set) var site: String?
    fileprivate(set) var siteID: String?
    fileprivate(set) var creator: String?
    fileprivate(set) var creatorID: String?
    /// The page's address in `twitter:url`, as written.
    public fileprivate(set) var url: String?
    /// The site's domain in `twitter:domain`.
    public fileprivate(set) var domain: String?
    /// The pictures, in page order, each once.
    public fileprivate(set) var images: [Image] = []
    /// The player of a player card.
    public fileprivate(set) var player: Player?
    /// In the order iPhone, iPad, Google Play; only those in the page.
    public fileprivate(set) var apps: [App] = []
    /// The country of the App Store if it is not the US: two upper-case letters.
    fileprivate(set) var appCountry: String?
    /// The labels and values of `twitter:label1` and so on.
    public fileprivate(set) var labels: [Label] = []
    /// Leniencies used and limits reached while reading.
    public fileprivate(set) var notes: [ParseNote] = []
}

extension TwitterCard {
    private static let currentCards: Set<String> = ["summary", "summary_large_image", "app", "player"]
    private static let retiredCards: Set<String> = ["photo", "gallery", "product"]
    /// The limit of pictures; only the retired gallery card has several.
    private static let maximumImages = 20
    private static let maximumLabels = 10

    /// Nil if the page has no `twitter:` property.
    public init?(_ document: HTMLDocument, meta: MetaTags, baseURL: WebURL) {
        let tags = meta.tags(withPrefix: "twitter:")
        guard let first = tags.first else { return nil }
        self.init()
        if tags.contains(where: \.usesValueAttribute) {
            notes.append(first.note(.twitter(.valueAttribute), "The content stands in value attributes."))
        }
        if let tag = tags.first(where: { $0.carriers.isDisjoint(with: [.name, .property]) }) {
            notes.append(tag.note(.twitter(.attribute), "\(tag.name) is named by another attribute than name."))
        }
        var seen: [String: String] = [:]
        for tag in tags {
            let written = Self.wrappedNote(tag.name).map { tag.address($0, &notes) } ?? tag.text
            guard let value = written else {
                notes.append(tag.note(.twitter(.empty), "\(tag.name) is empty."))
                continue
            }
            if let earlier = seen[tag.name], !tag.name.hasPrefix("twitter:image") {
                if earlier != value {
                    notes.append(tag.note(.twitter(.repeated), "\(tag.name) is given again; the first counts."))
                }
                continue
            }
            seen[tag.name] = value
            take(String(tag.name.dropFirst(8)), value, tag, baseURL: baseURL)
        }
        apps = Self.platforms.compactMap { known in apps.first { $0.platform == known.platform } }
    }

    /// The code of the note on an address that is wrapped over lines; nil for properties without an address.
    private static func wrappedNote(_ name: String) -> ParseNote.Code? {
        switch name {
        case "twitter:url", "twitter:player", "twitter:player:stream": .twitter(.urlWrapped)
        case "twitter:image:alt", "twitter:image:width", "twitter:image:height": nil
        case _ where name.hasPrefix("twitter:image"): .twitter(.urlWrapped)
        case _ where name.hasPrefix("twitter:app:url:"): .twitter(.appURLWrapped)
        case _ where name.hasPrefix("twitter:app:") && name.hasSuffix(":url"): .twitter(.appURLWrapped)
        default: nil
        }
    }

    private mutating func take(_ name: String, _ value: String, _ tag: MetaTag, baseURL: WebURL) {
        switch name {
        case "card": takeCard(value, tag)
        case "title": title = value.collapsingHTMLSpace()
        case "description": description = value.collapsingHTMLSpace()
        case "site": site = value
        case "site:id": siteID = value
        case "creator": creator = value
        case "creator:id": creatorID = value
        case "url": url = value
        case "domain": domain = value
        case "image:alt": takeImageText(value)
        case "image:width", "image:height": break
        case "app:country": takeCountry(value, tag)
        case _ where name.hasPrefix("image"): takeImage(name, value, tag, baseURL: baseURL)
        case _ where name.hasPrefix("app:"): takeApp(name, value, tag)
        case _ where name.hasPrefix("player"): takePlayer(name, value, tag)
        case _ where name.hasPrefix("label"): takeLabel(name.dropFirst(5)) { $0.label = value.collapsingHTMLSpace() }
        case _ where name.hasPrefix("data"): takeLabel(name.dropFirst(4)) { $0.data = value.collapsingHTMLSpace() }
        default: notes.append(tag.note(.twitter(.unknown), "\(tag.name.prefix(100)) is not a property of cards."))
        }
    }

    private mutating func takeCard(_ value: String, _ tag: MetaTag) {
        let card = value.asciiLowercased
        self.card = card
        if Self.retiredCards.contains(card) {
            notes.append(tag.note(.twitter(.cardRetired), "The card “\(card)” is shown no longer."))
        } else if !Self.currentCards.contains(card) {
            notes.append(tag.note(.twitter(.cardUnknown), "There is no card “\(value.prefix(100))”."))
        }
    }

    private mutating func takeCountry(_ value: String, _ tag: MetaTag) {
        if value.utf8.count == 2 && value.utf8.allSatisfy(\.isASCIILetter) {
            appCountry = value.uppercased()
        } else {
            notes.append(
                tag.note(.twitter(.countryMalformed), "“\(value.prefix(100))” is not a country's two letters."))
        }
    }

    // MARK: Images

    /// `twitter:image`, the older `twitter:image:src`, and `twitter:image0` to `3` of galleries.
    private mutating func takeImage(_ name: String, _ value: String, _ tag: MetaTag, baseURL: WebURL) {
        let rest = name.dropFirst(5)
        guard rest.isEmpty || rest == ":src" || rest == ":url" || rest.utf8.count == 1 && ASCIIText.isNumber(rest.utf8)
        else {
            return notes.append(tag.note(.twitter(.unknown), "\(tag.name.prefix(100)) is not a property of cards."))
        }
        // The same picture in old and new spelling is one picture.
        guard images.count < Self.maximumImages, !images.contains(where: { $0.source == value }) else { return }
        let url = WebURL(value, base: baseURL)
        if url == nil {
            notes.append(tag.note(.twitter(.imageMalformed), "“\(value.prefix(200))” is not a URL."))
        } else if !hasWebScheme(value) {
            notes.append(tag.note(.twitter(.imageRelative), "“\(value.prefix(200))” is not an absolute URL."))
        }
        images.append(Image(source: value, url: url))
    }

    private func hasWebScheme(_ value: String) -> Bool {
        let scheme = ASCIIText.scheme(of: value.utf8)
        return scheme == "http" || scheme == "https"
    }

    private mutating func takeImageText(_ value: String) {
        if images.isEmpty { images.append(Image(source: "")) }
        if images[images.count - 1].alt == nil { images[images.count - 1].alt = value.collapsingHTMLSpace() }
    }

    // MARK: Apps

    /// Reads `app:name:iphone`, also with the last two words swapped.
    private mutating func takeApp(_ name: String, _ value: String, _ tag: MetaTag) {
        var words = name.split(separator: ":", omittingEmptySubsequences: false).dropFirst().map(String.init)
        guard words.count == 2 else {
            return notes.append(tag.note(.twitter(.appUnknown), "\(tag.name.prefix(100)) names no app's property."))
        }
        func named(_ word: String) -> Platform? { Self.platforms.first { $0.word == word }?.platform }
        if named(words[0]) != nil {
            words.swapAt(0, 1)
            notes.append(tag.note(.twitter(.appOrder), "\(tag.name): the platform comes last."))
        }
        guard let platform = named(words[1]), ["name", "id", "url"].contains(words[0]) else {
            return notes.append(
                tag.note(.twitter(.appUnknown), "\(tag.name.prefix(100)) names none of iphone, ipad, googleplay."))
        }
        let index = apps.firstIndex { $0.platform == platform } ?? apps.count
        if index == apps.count { apps.append(App(platform: platform, line: tag.line, column: tag.column)) }
        switch words[0] {
        case "name": apps[index].name = value.collapsingHTMLSpace()
        case "id": apps[index].id = appID(value, platform, tag)
        default:
            apps[index].url = value
            if ASCIIText.hasTemplateMark(value) {
                notes.append(
                    tag.note(.twitter(.appPlaceholder), "\(tag.name) is a placeholder: “\(value.prefix(200))”."))
            } else if ASCIIText.isBareScheme(value) {
                notes.append(
                    tag.note(
                        .twitter(.appBareScheme), "\(tag.name) opens the app but no content: “\(value.prefix(200))”."))
            } else if ASCIIText.scheme(of: value.utf8) == nil {
                notes.append(
                    tag.note(.twitter(.appURLMalformed), "\(tag.name) is no absolute URL: “\(value.prefix(200))”."))
            }
        }
    }

    private mutating func appID(_ value: String, _ platform: Platform, _ tag: MetaTag) -> String? {
        if platform == .android {
            guard let reading = AndroidPackage.reading(value) else {
                notes.append(
                    tag.note(.twitter(.appIDMalformed), "\(tag.name) is not a package name: “\(value.prefix(200))”."))
                return nil
            }
            if !reading.wasPlain {
                notes.append(
                    tag.note(
                        .twitter(.appIDPrefix),
                        "\(tag.name) is “\(value.prefix(200))”; the package name \(reading.name) is meant."))
            }
            return reading.name
        }
        guard let reading = AppStoreID.reading(value) else {
            notes.append(
                tag.note(
                    .twitter(.appIDMalformed), "\(tag.name) is not the App Store's number: “\(value.prefix(200))”."))
            return nil
        }
        if !reading.wasPlain {
            notes.append(
                tag.note(.twitter(.appIDPrefix), "\(tag.name) is “\(value.prefix(200))”; the number alone is meant."))
        }
        return reading.id
    }

    // MARK: Player and labels

    private mutating func takePlayer(_ name: String, _ value: String, _ tag: MetaTag) {
        var player = player ?? Player()
        switch name {
        case "player": player.url = value
        case "player:width": player.width = ASCIIText.leadingNumber(value)
        case "player:height": player.height = ASCIIText.leadingNumber(value)
        case "player:stream": player.stream = value
        case "player:stream:content_type": player.streamContentType = value
        default:
            return notes.append(tag.note(.twitter(.unknown), "\(tag.name.prefix(100)) is not a property of cards."))
        }
        self.player = player
    }

    private mutating func takeLabel(_ digits: Substring, _ change: (inout Label) -> Void) {
        guard let number = Int(digits), labels.count < Self.maximumLabels else { return }
        let index = labels.firstIndex { $0.number == number } ?? labels.count
        if index == labels.count { labels.append(Label(number: number)) }
        change(&labels[index])
    }
}

extension TwitterCard {
    var appClaims: [AppClaim] {
        apps.map { app in
            var claim = AppClaim(
                app.platform, .twitterCard, TwitterCard.word(for: app.platform), line: app.line, column: app.column)
            if app.platform == .android {
                claim.packageName = app.id
            } else {
                claim.storeIdentifier = app.id
                claim.storeCountry = app.id == nil ? nil : appCountry
            }
            claim.appName = app.name
            claim.address = app.url
            return claim
        }
    }
}

extension TwitterCard {
    /// The JSON form.
    public var json: JSONValue {
        JSONObject.with {
            $0.put("card", card)
            $0.put("title", title)
            $0.put("description", description)
            $0.put("site", site)
            $0.put("siteID", siteID)
            $0.put("creator", creator)
            $0.put("creatorID", creatorID)
            $0.put("url", url)
            $0.put("domain", domain)
            $0.put("images", images) { $0.json }
            if let player { $0["player"] = player.json }
            $0.put("apps", apps) { $0.json }
            $0.put("appCountry", appCountry)
            $0.put("labels", labels) { label in
                JSONObject.with {
                    $0.put("label", label.label)
                    $0.put("data", label.data)
                }
            }
            $0.put(notes)
        }
    }
}

extension TwitterCard.Image {
    var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            if url == nil && !source.isEmpty { $0.put("source", source) }
            $0.put("alt", alt)
        }
    }
}

extension TwitterCard.Player {
    var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.put("width", width)
            $0.put("height", height)
            $0.put("stream", stream)
            $0.put("streamContentType", streamContentType)
        }
    }
}

extension TwitterCard.App {
    var json: JSONValue {
        JSONObject.with {
            $0.put("platform", TwitterCard.word(for: platform))
            $0.put("name", name)
            $0.put("id", id)
            $0.put("url", url)
        }
    }
}
