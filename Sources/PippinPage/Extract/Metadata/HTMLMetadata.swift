/// The metadata of a page in HTML and HTTP: title, description, canonical link, language, icons and the like.
public struct HTMLMetadata: Sendable {
    /// The page in another language (`hreflang`).
    public struct LanguageAlternate: Sendable {
        /// As written: `de-CH`, `x-default`.
        public let language: String
        /// The address of the alternate, resolved.
        public let url: WebURL
        /// Whether the address is written with scheme and host.
        public let isWhole: Bool
        /// Whether it is in a header of the response, not in the page.
        public let isFromHeader: Bool
        let place: SourcePlace?

        /// The line in the page, 1-based; nil if unknown.
        public var line: Int? { place?.line }
        /// The column in the page, 1-based; nil if unknown.
        public var column: Int? { place?.column }
    }

    /// A feed that the page links to.
    public struct Feed: Sendable {
        /// The feed's address, resolved.
        public let url: WebURL
        /// Media type, lower case, without parameters.
        public let type: String
        /// The `title` attribute of the link.
        public let title: String?
        let place: SourcePlace?

        /// The line in the page, 1-based; nil if unknown.
        public var line: Int? { place?.line }
    }

    /// A `robots` or crawler-specific `meta`, not yet interpreted.
    public struct RobotsTag: Sendable {
        /// Lower case: `robots`, `applebot`, `googlebot`.
        public let name: String
        /// The directives as written.
        public let content: String
        let place: SourcePlace

        /// Line and column in the page, 1-based.
        public var line: Int { place.line }
        public var column: Int { place.column }
    }

    /// The origin of the page's language.
    public enum LanguageSource: String, Sendable {
        case html
        case metaContentLanguage = "meta"
        case header
    }

    /// `branch:deeplink:$ios_deeplink_path` and others.
    struct BranchParameter: Sendable, Hashable {
        let key: String
        let value: String
        let line: Int
        let column: Int
    }

    /// Text of the first `title` outside of SVG, white space collapsed.
    public fileprivate(set) var title: String?
    /// The `meta` description, white space collapsed.
    public fileprivate(set) var description: String?
    /// The canonical URL; nil if the page has none, or several different ones.
    public fileprivate(set) var canonical: WebURL?
    /// All canonical links, the header's first.
    public fileprivate(set) var canonicalLinks: [CanonicalLink] = []
    /// BCP 47 tag as written; the first tag of a list.
    public fileprivate(set) var language: String?
    /// The origin of `language`; nil without a language.
    public fileprivate(set) var languageSource: LanguageSource?
    /// The icons, in page order.
    public fileprivate(set) var icons: [Icon] = []
    /// The alternates in other languages.
    public fileprivate(set) var languageAlternates: [LanguageAlternate] = []
    /// The feeds, in page order.
    public fileprivate(set) var feeds: [Feed] = []
    /// The keywords of `meta`, in order.
    public fileprivate(set) var keywords: [String] = []
    /// The address of the web application manifest, resolved.
    public fileprivate(set) var manifest: WebURL?
    /// The address of the page's AMP version, resolved.
    public fileprivate(set) var amp: WebURL?
    /// The address of the next page of a series, resolved.
    public fileprivate(set) var next: WebURL?
    /// The address of the previous page of a series, resolved.
    public fileprivate(set) var previous: WebURL?
    /// `<link rel=search>`: an OpenSearch description.
    public fileprivate(set) var openSearch: WebURL?
    /// `<link rel=image_src>`: the page's picture, a convention from before Open Graph.
    fileprivate(set) var imageSource: WebURL?
    /// `<link rel=license>`, and the header's: the licence of the page's main content (WHATWG HTML §4.6.7.11).
    fileprivate(set) var license: WebURL?
    /// The same with `type="application/rsl+xml"` (RSL 1.0): a licence for machines.
    struct MachineLicense: Sendable, Hashable {
        let url: WebURL
        let isFromHeader: Bool
    }
    /// In the order of the page, the header's first; at most `maximumMachineLicenses`.
    fileprivate(set) var machineLicenses: [MachineLicense] = []
    private static let maximumMachineLicenses = 20
    fileprivate(set) var applicationName: String?
    /// The `meta` author.
    public fileprivate(set) var author: String?
    /// The content of the `viewport` element.
    public fileprivate(set) var viewport: String?
    fileprivate(set) var generator: String?
    fileprivate(set) var themeColor: String?
    fileprivate(set) var webApp: WebApp?
    fileprivate(set) var windowsApp: WindowsApp?
    /// The package name in `google-play-app`, a convention of banner libraries.
    public fileprivate(set) var googlePlayPackage: String?
    /// `fb:app_id`: the ID of an app registered with Facebook. It is not an app of a store.
    fileprivate(set) var facebookAppID: String?
    fileprivate(set) var branchParameters: [BranchParameter] = []
    /// The `Refresh` of the header, or else the first one of a `meta` outside `noscript`.
    public fileprivate(set) var refresh: Refresh?
    /// All robots elements, in page order.
    public fileprivate(set) var robots: [RobotsTag] = []
    /// Leniencies used and limits reached while reading.
    public fileprivate(set) var notes: [ParseNote] = []
}

extension HTMLMetadata {
    /// The limit of a title or description, in bytes. Search results show about 300.
    private static let maximumTextBytes = 4_096
    /// The limit of keywords per page. The usual advice is three to five.
    private static let maximumKeywords = 100

    /// Reads the metadata of a page.
    ///
    /// - Parameter baseURL: the base of relative addresses in elements; see `HTMLDocument.baseURL(pageURL:)`.
    public init(
        _ document: HTMLDocument, meta: MetaTags, links: LinkTags, headers: HTTPHeaders = HTTPHeaders(),
        pageURL: WebURL,
        baseURL: WebURL
    ) {
        takeTitle(document)
        takeLanguage(document, meta: meta, headers: headers)
        if let value = headers["Refresh"] { refresh = Refresh(value, baseURL: pageURL, isFromHeader: true) }
        // Most meta elements belong to other extractors, and are not even copied.
        for index in meta.tags.indices
        where !meta.tags[index].name.hasPrefix("og:") && !meta.tags[index].name.hasPrefix("twitter:") {
            take(meta.tags[index], document, baseURL: baseURL)
        }
        for tag in links.tags { take(tag) }
        (canonicalLinks, canonical) = CanonicalLink.read(links, &notes)
        notes += meta.notes + links.notes
    }

    // MARK: Title and language

    private mutating func takeTitle(_ document: HTMLDocument) {
        var found: HTMLDocument.Index?
        for element in document.elements(named: .title) {
            if found == nil {
                found = element
                let text = document.collapsedText(of: element, maximumBytes: Self.maximumTextBytes)
                title = text.isEmpty ? nil : text
            } else {
                let place = document.place(of: element)
                notes.append(
                    ParseNote(
                        .head(.titleRepeated), "Another title element; the first counts.", line: place.line,
                        column: place.column))
                break
            }
        }
    }

    private mutating func takeLanguage(_ document: HTMLDocument, meta: MetaTags, headers: HTTPHeaders) {
        if let html = document.elements(named: .html).first,
            let written = document.value(of: .lang, on: html) ?? document.value(of: .xmlLang, on: html)
        {
            let place = document.place(of: html)
            takeLanguage(written, .html, line: place.line, column: place.column)
        }
        for tag in meta.tags where language == nil && tag.name == "content-language" {
            takeLanguage(tag.content ?? "", .metaContentLanguage, line: tag.line, column: tag.column)
        }
        if language == nil, let header = headers["Content-Language"] { takeLanguage(header, .header) }
    }

    private mutating func takeLanguage(
        _ written: String, _ source: LanguageSource, line: Int? = nil, column: Int? = nil
    ) {
        let list = written.split(separator: ",", maxSplits: 1)
        guard let first = list.first.map({ String($0).trimmingHTMLSpace() }), !first.isEmpty else { return }
        let isTag =
            first.utf8.count <= 35 && (first.utf8.first ?? 0).isASCIILetter
            && first.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x5F }
        guard isTag else {
            return notes.append(
                ParseNote(
                    .head(.languageMalformed), "“\(first.prefix(100))” is not a language tag.", line: line,
                    column: column))
        }
        if first.utf8.has(0x5F) {
            notes.append(
                ParseNote(
                    .head(.languageUnderscore), "“\(first)”: parts of a language tag are joined by hyphens.",
                    line: line,
                    column: column))
        }
        language = first
        languageSource = source
    }

    // MARK: Meta elements

    private mutating func take(_ tag: MetaTag, _ document: HTMLDocument, baseURL: WebURL) {
        if tag.carriers.contains(.httpEquiv) && tag.name == "refresh" {
            return takeRefresh(tag, document, baseURL: baseURL)
        }
        guard let text = tag.text else {
            if tag.name == "description" {
                notes.append(tag.note(.head(.descriptionEmpty), "The description is empty."))
            }
            return
        }
        switch tag.name {
        case "description": takeDescription(text, tag)
        case "keywords", "news_keywords": takeKeywords(text, tag)
        case "application-name": Self.first(&applicationName, text)
        case "author": Self.first(&author, text)
        case "viewport": Self.first(&viewport, text)
        case "generator": Self.first(&generator, text)
        case "theme-color": Self.first(&themeColor, text)
        case "fb:app_id": Self.first(&facebookAppID, text)
        case "google-play-app": takeGooglePlay(text, tag)
        case "google-play-app-tab", "custom-google-play-app":
            notes.append(
                tag.note(
                    .googlePlay(.lookalike),
                    "A tag named “\(tag.written.prefix(100))” is not read; banner libraries look for google-play-app."))
        case _ where tag.name.hasPrefix("apple-mobile-web-app-"): takeWebApp(tag.name.dropFirst(21), text)
        case "mobile-web-app-capable": takeWebApp("capable", text)
        case _ where tag.name.hasPrefix("msapplication-"):
            takeWindowsApp(tag.name.dropFirst(14), text, tag, baseURL: baseURL)
        case _ where tag.name.hasPrefix("branch:deeplink:"):
            takeBranch(text, tag)
        case _ where tag.isForRobots:
            robots.append(RobotsTag(name: tag.name, content: text, place: tag.place))
        case _ where tag.seemsForRobots && RobotsDirectives.asksAnything(text): noteUnreadDirectives(text, tag)
        default: break
        }
    }

    private mutating func noteUnreadDirectives(_ text: String, _ tag: MetaTag) {
        let attribute = tag.carriers.contains(.httpEquiv) ? "http-equiv" : "name"
        notes.append(
            tag.note(
                .robotsDirective(.unread),
                "No crawler reads directives in a meta element with the \(attribute) “\(tag.written.prefix(100))”: “\(text.prefix(100))” has no effect."
            ))
    }

    static func first(_ value: inout String?, _ text: String) {
        if value == nil { value = text.collapsingHTMLSpace() }
    }

    private mutating func takeDescription(_ text: String, _ tag: MetaTag) {
        var collector = CollapsingText(maximumBytes: Self.maximumTextBytes)
        var copy = text
        copy.withUTF8 { collector.append($0) }
        let value = collector.string
        guard let earlier = description else {
            description = value
            if !tag.carriers.contains(.name) {
                notes.append(
                    tag.note(.head(.descriptionAttribute), "The description is named by another attribute than name."))
            }
            return
        }
        if earlier != value {
            notes.append(tag.note(.head(.descriptionRepeated), "Another description; the first counts."))
        }
    }

    /// The keywords of a text, with repetitions. They are separated by commas; without any comma, by semicolons or by the
    /// commas of Chinese and Japanese.
    public static func keywords(in text: String) -> some Sequence<String> {
        let hasComma = text.utf8.has(0x2C)
        let parts: [Substring]
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            parts = text.utf8.split(separator: hasComma ? 0x2C : 0x3B).map { Substring($0) }
        } else {
            let separators: Set<Character> = hasComma ? [","] : [";", "，", "、", "；"]
            parts = text.split(whereSeparator: separators.contains)
        }
        return parts.lazy.map { String($0).collapsingHTMLSpace() }.filter { !$0.isEmpty }
    }

    private mutating func takeKeywords(_ text: String, _ tag: MetaTag) {
        var seen = Set(keywords)
        for keyword in Self.keywords(in: text) {
            guard keyword.utf8.count <= 200, seen.insert(keyword).inserted else { continue }
            guard keywords.count < Self.maximumKeywords else {
                notes.append(tag.note(.head(.tooManyKeywords), "Only \(Self.maximumKeywords) keywords are read."))
                return
            }
            keywords.append(keyword)
        }
    }

    private mutating func takeRefresh(_ tag: MetaTag, _ document: HTMLDocument, baseURL: WebURL) {
        // A refresh inside `noscript` is for browsers without scripts.
        guard refresh == nil, !document.hasAncestor(tag.element, named: .noscript) else { return }
        guard let value = Refresh(tag.content ?? "", baseURL: baseURL, place: tag.place, element: tag.element)
        else {
            return notes.append(
                tag.note(.head(.refreshMalformed), "“\((tag.content ?? "").prefix(200))” is not a time and an address.")
            )
        }
        if value.isWrapped {
            notes.append(
                tag.note(
                    .head(.refreshURLWrapped),
                    "The address of the refresh is wrapped over lines; it is read as “\((value.url?.href ?? "").prefix(200))”."
                ))
        }
        refresh = value
    }

    /// Reads the package name in `app-id=com.example.app`. Parameters behind it are no mistake: banner libraries append the
    /// value to the store's address (`app-id=com.example.app&hl=fr`).
    private mutating func takeGooglePlay(_ text: String, _ tag: MetaTag) {
        let first = text.split(separator: ",").first.map { String($0).trimmingHTMLSpace() } ?? ""
        let lower = first.asciiLowercased
        let value = lower.hasPrefix("app-id=") ? String(first.dropFirst(7)).trimmingHTMLSpace() : first
        guard let package = AndroidPackage.reading(value)?.name else {
            return notes.append(tag.note(.googlePlay(.malformed), "“\(text.prefix(200))” names no package."))
        }
        if googlePlayPackage == nil { googlePlayPackage = package }
    }

    /// The limit of Branch parameters. Sites have about ten.
    private static let maximumBranchParameters = 100

    private mutating func takeBranch(_ text: String, _ tag: MetaTag) {
        guard branchParameters.count < Self.maximumBranchParameters else { return }
        branchParameters.append(
            BranchParameter(
                key: String(tag.written.dropFirst(16)), value: text, line: tag.line, column: tag.column))
    }

    private mutating func takeWebApp(_ name: Substring, _ text: String) {
        var app = webApp ?? WebApp()
        if app.take(name, text) { webApp = app }
    }

    private mutating func takeWindowsApp(_ name: Substring, _ text: String, _ tag: MetaTag, baseURL: WebURL) {
        var app = windowsApp ?? WindowsApp()
        if app.take(name, text, tag, baseURL: baseURL) { windowsApp = app }
    }

    // MARK: Links

    private mutating func take(_ tag: LinkTag) {
        guard let url = tag.url, url.isHTTP || url.scheme == "data" else { return }
        let relations = tag.relations
        if !relations.isDisjoint(with: [.icon, .appleTouchIcon, .maskIcon]) { icons.append(Icon(tag, url)) }
        guard url.isHTTP else { return }
        if relations.contains(.alternate) { takeAlternate(tag, url) }
        if relations.contains(.manifest), manifest == nil { manifest = url }
        if relations.contains(.amp), amp == nil { amp = url }
        if relations.contains(.next), next == nil { next = url }
        if relations.contains(.previous), previous == nil { previous = url }
        if relations.contains(.search), openSearch == nil { openSearch = url }
        if relations.contains(.imageSource), imageSource == nil { imageSource = url }
        if relations.contains(.license) { takeLicense(tag, url) }
    }

    private mutating func takeLicense(_ tag: LinkTag, _ url: WebURL) {
        // RSL's are terms for machines, of the whole site.
        guard tag.mediaType == "application/rsl+xml" else {
            if license == nil { license = url }
            return
        }
        if machineLicenses.count < Self.maximumMachineLicenses {
            machineLicenses.append(MachineLicense(url: url, isFromHeader: tag.isFromHeader))
        }
    }

    private mutating func takeAlternate(_ tag: LinkTag, _ url: WebURL) {
        if let type = tag.mediaType, LinkTag.feedTypes.contains(type) {
            // The hreflang of a feed is the feed's language.
            feeds.append(Feed(url: url, type: type, title: tag.title, place: tag.place))
        } else if let language = tag.hreflang {
            let scheme = String(tag.href.prefix(8)).asciiLowercased
            languageAlternates.append(
                LanguageAlternate(
                    language: language, url: url, isWhole: scheme == "https://" || scheme.hasPrefix("http://"),
                    isFromHeader: tag.isFromHeader, place: tag.place))
        }
    }
}

extension LinkTag {
    static let feedTypes: Set<String> = [
        "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json",
    ]

    /// The declared media type in lower case, without parameters.
    var mediaType: String? {
        type.map { type in
            String(type.prefix { $0 != ";" }).trimmingHTMLSpace().asciiLowercased
        }
    }
}

extension HTMLDocument {
    func hasAncestor(_ element: Index, named name: HTMLName) -> Bool {
        var current = element
        while let parent = parent(of: current) {
            if elements[parent].nameNumber == name.rawValue { return true }
            current = parent
        }
        return false
    }
}

extension HTMLMetadata {
    /// The JSON form, as `extract` prints it.
    ///
    /// - Parameter charset: WHATWG name of the page's encoding.
    public func json(charset: String? = nil) -> JSONValue {
        JSONObject.with {
            $0.put("title", title)
            $0.put("description", description)
            $0.put("canonical", canonical)
            $0.put("canonicalLinks", canonicalLinks) { $0.json }
            $0.put("language", language)
            $0.put("languageSource", languageSource?.rawValue)
            $0.put("charset", charset)
            $0.put("icons", icons) { $0.json }
            $0.put("languageAlternates", languageAlternates) { $0.json }
            $0.put("feeds", feeds) { $0.json }
            $0.put("keywords", keywords)
            $0.put("manifest", manifest)
            $0.put("amp", amp)
            $0.put("next", next)
            $0.put("previous", previous)
            $0.put("openSearch", openSearch)
            $0.put("imageSource", imageSource)
            $0.put("applicationName", applicationName)
            $0.put("author", author)
            $0.put("viewport", viewport)
            $0.put("generator", generator)
            $0.put("themeColor", themeColor)
            if let webApp { $0["webApp"] = webApp.json }
            if let windowsApp { $0["windowsApp"] = windowsApp.json }
            $0.put("googlePlayPackage", googlePlayPackage)
            $0.put("facebookAppID", facebookAppID)
            $0.put("branchParameters", branchParameters) { parameter in
                JSONObject.with {
                    $0.put("key", parameter.key)
                    $0.put("value", parameter.value)
                }
            }
            if let refresh { $0["refresh"] = refresh.json }
            $0.put("robots", robots) { tag in
                JSONObject.with {
                    $0.put("name", tag.name)
                    $0.put("content", tag.content)
                    $0.put("line", tag.line)
                }
            }
            $0.put(notes)
        }
    }
}

extension HTMLMetadata.LanguageAlternate {
    var json: JSONValue {
        JSONObject.with {
            $0.put("language", language)
            $0.put("url", url)
            $0.putFlag("isFromHeader", isFromHeader)
        }
    }
}

extension HTMLMetadata.Feed {
    var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.put("type", type)
            $0.put("title", title)
        }
    }
}
