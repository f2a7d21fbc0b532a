import CLibXML2

/// Turns the elements of a sitemap or feed into entries. It is a class, because libxml2 passes one pointer to its callbacks.
///
/// Elements are recognized by local name and by a rough idea of their namespace: sitemaps are published under a dozen
/// namespaces, under none, and with undeclared prefixes. A field counts only directly inside the element it belongs to, so that
/// the `loc` of an image is not read as a page.
final class SitemapElements {
    /// A start tag as libxml2 gives it. libxml2 keeps one copy of every name for the whole document.
    struct Tag {
        let name: UnsafePointer<xmlChar>
        let prefix: UnsafePointer<xmlChar>?
        let namespace: UnsafePointer<xmlChar>?
        /// Prefix and URI of each namespace that the tag declares.
        let namespaces: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
        let namespaceCount: Int
        /// Five pointers per attribute: name, prefix, URI, value, end of the value.
        let attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
        let attributeCount: Int
    }

    var context: xmlParserCtxtPtr?
    private var entities: SitemapEntities
    private let limits: ReadingLimits

    private var reading: SitemapReading
    private let url: WebURL
    /// The base of relative links in a feed and in its open entry (`xml:base`).
    private var feedBase: WebURL
    private var entryBase: WebURL
    private let scope: SitemapScope
    private var open: [OpenElement] = []
    private var namespacesInForce = 0
    private var rootNamespace: String?
    private var entry = SitemapEntryFields()
    /// Who has written the entries of an Atom feed that do not say it themselves (RFC 4287 §4.2.1).
    private var feedAuthors: [String] = []
    /// The text of the open field, and the depth of the field. Texts of elements inside the field do not belong to it.
    private var text: [UInt8] = []
    private var fieldDepth: Int?
    private var hasNotedXMLProblem = false
    private var vocabularies: [UnsafePointer<xmlChar>: SitemapVocabulary] = [:]
    /// All names found so far, in lower case.
    private var names: [UnsafePointer<xmlChar>: String] = [:]
    /// The number of names that libxml2 found in broken markup. It does not report the names themselves.
    private var brokenNames = 0
    private var isStopped = false
    /// True after an entity was expanded. libxml2 then reports the entity as undeclared, because it was not given the
    /// declarations.
    private var wasExpanded = false

    private struct OpenElement {
        let name: String
        let vocabulary: SitemapVocabulary
        let namespaces: Int
    }

    /// The limit of one field, in octets. Addresses and titles have fewer than 2,048.
    static let maximumFieldBytes = 16_384
    /// The limit of alternates, images and videos per entry. Google allows 1,000 images.
    private static let maximumExtras = 1_000

    init(url: WebURL, limits: ReadingLimits, entities: SitemapEntities, notes: BoundedNotes) {
        self.url = url
        self.limits = limits
        self.entities = entities
        feedBase = url
        entryBase = url
        scope = SitemapScope(url)
        reading = SitemapReading(kind: .unknown, notes: notes)
    }

    func finished() -> SitemapReading {
        // An entry that is cut off by the end of the file is kept if its address is complete.
        flush()
        if !feedAuthors.isEmpty {
            for index in reading.entries.indices where reading.entries[index].authors.isEmpty {
                reading.entries[index].authors = feedAuthors
            }
        }
        if reading.kind == .unknown {
            reading.notes.add(.sitemap(.unknown), "The XML is neither a sitemap nor a feed.")
        }
        return reading
    }

    // MARK: Events

    func start(_ tag: Tag) {
        forgetMistake()
        let name = met(tag.name)
        meetOtherNames(of: tag)
        if isStopped || limits.isInterrupted { return stop() }
        namespacesInForce += tag.namespaceCount
        if namespacesInForce > SitemapXMLReader.maximumNamespaces {
            reading.notes.add(
                .sitemap(.tooManyNamespaces), "Too many namespaces are declared; the rest is not read.",
                endsReading: true)
            return stop()
        }
        if open.isEmpty { rootNamespace = tag.namespace.map { String(cString: $0) } }
        let vocabulary = vocabulary(prefix: tag.prefix, namespace: tag.namespace)
        let parent = open.last
        open.append(OpenElement(name: name, vocabulary: vocabulary, namespaces: tag.namespaceCount))
        if fieldDepth != nil {
            reading.notes.add(
                .sitemap(.elementInField), "The element “\(name.prefix(100))” stands where text belongs.")
            return
        }
        if reading.kind == .unknown {
            recognizeRoot(name)
            if reading.kind == .atom { feedBase = baseURL(attributeValues(of: tag), parent: url) }
        }

        switch (name, vocabulary) {
        case ("url", .core), ("sitemap", .core), ("item", .core), ("entry", .core):
            if opensEntry(name) {
                flush()
                if reading.isFull {
                    reading.noteFull()
                    return stop()
                }
                entry.isOpen = true
                if name == "entry" { entryBase = baseURL(attributeValues(of: tag), parent: feedBase) }
            }
        case ("link", .core) where reading.kind == .atom && parent?.name == "entry":
            readAtomLink(attributeValues(of: tag))
        case ("link", .core) where !entry.isOpen && reading.kind.isFeed:
            readFeedLink(attributeValues(of: tag))
        case ("link", .xhtml) where entry.isOpen && parent?.name == "url",
            ("link", .core) where entry.isOpen && parent?.name == "url":
            readAlternate(attributeValues(of: tag))
        case ("image", .image) where entry.isOpen:
            if entry.images.count < Self.maximumExtras { entry.images.append(SitemapEntry.Image()) }
        case ("video", .video) where entry.isOpen:
            if entry.videos.count < Self.maximumExtras { entry.videos.append(SitemapEntry.Video()) }
        case ("news", .news) where entry.isOpen:
            if entry.news == nil { entry.news = SitemapEntry.News() }
        default:
            guard let parent, entry.isOpen || reading.kind == .atom && parent.name == "author" else { return }
            if name == "guid", reading.kind == .rss {
                entry.guidIsPermalink = attributeValues(of: tag)["ispermalink"]?.asciiLowercased != "false"
            }
            if SitemapField.of(name, vocabulary, in: parent.name, parent.vocabulary, kind: reading.kind) != nil {
                text.removeAll(keepingCapacity: true)
                fieldDepth = open.count
            }
        }
    }

    func end() {
        forgetMistake()
        if limits.isInterrupted { return stop() }
        guard let element = open.last else { return }
        if fieldDepth == open.count {
            fieldDepth = nil
            let parent = open.dropLast().last
            if let parent,
                let field = SitemapField.of(
                    element.name, element.vocabulary, in: parent.name, parent.vocabulary, kind: reading.kind)
            {
                let line = context?.pointee.input.map { Int($0.pointee.line) }
                take(field, String(decoding: Self.trimmed(text), as: UTF8.self), line: line)
            }
        } else if fieldDepth == nil, element.vocabulary == .core, opensEntry(element.name) {
            flush()
        }
        open.removeLast()
        namespacesInForce -= element.namespaces
    }

    private func take(_ field: SitemapField, _ text: String, line: Int?) {
        guard field == .author, reading.kind == .atom else {
            return entry.take(field, text, line: line, notes: &reading.notes)
        }
        // Above the name and its author.
        switch open.dropLast(2).last?.name {
        case "entry" where entry.isOpen: FeedAuthor.add(text, to: &entry.authors)
        case "source" where entry.isOpen: FeedAuthor.add(text, to: &entry.sourceAuthors)
        case "feed": FeedAuthor.add(text, to: &feedAuthors)
        default: break
        }
    }

    func characters(_ octets: UnsafeBufferPointer<UInt8>) {
        forgetMistake()
        guard fieldDepth == open.count else { return }
        text.append(contentsOf: octets.prefix(max(0, Self.maximumFieldBytes - text.count)))
    }

    /// Handles a reference to an entity that is not one of XML's own five.
    func entity(named name: UnsafePointer<xmlChar>) {
        met(name)
        if isStopped || limits.isInterrupted { return stop() }
        let isInField = fieldDepth == open.count
        switch entities.expand(String(cString: name), room: isInField ? Self.maximumFieldBytes - text.count : 0) {
        case .text(let octets):
            wasExpanded = true
            octets.withUnsafeBufferPointer { characters($0) }
        case .ignored:
            reading.notes.add(
                .sitemap(.entityIgnored), "The entity “\(String(cString: name).prefix(100))” is not expanded.")
        case .spent:
            reading.notes.add(
                .sitemap(.tooManyEntities), "The entities of the document make too much text; the rest is not read.",
                endsReading: true)
            stop()
        }
    }

    func stop() {
        isStopped = true
        xmlStopParser(context)
    }

    func stopIfInterrupted() {
        if limits.isInterrupted { stop() }
    }

    // MARK: Names

    /// Counts a name of any kind, and returns it in lower case. Names are limited because libxml2 finds a name by walking lists
    /// that grow with their number.
    @discardableResult func met(_ name: UnsafePointer<xmlChar>) -> String {
        if let known = names[name] { return known }
        let spelling = String(cString: name).asciiLowercased
        guard names.count + brokenNames < limits.maximumNames else {
            stopForNames()
            return spelling
        }
        names[name] = spelling
        return spelling
    }

    private func meetOtherNames(of tag: Tag) {
        if let prefix = tag.prefix { met(prefix) }
        if let namespaces = tag.namespaces {
            for index in 0..<max(0, tag.namespaceCount * 2) { if let name = namespaces[index] { met(name) } }
        }
        guard let attributes = tag.attributes else { return }
        for index in 0..<max(0, tag.attributeCount) {
            if let name = attributes[index * 5] { met(name) }
            if let prefix = attributes[index * 5 + 1] { met(prefix) }
        }
    }

    private func stopForNames() {
        guard !isStopped else { return }
        reading.notes.add(
            .sitemap(.tooManyNames),
            "The document has more than \(limits.maximumNames) names of elements and attributes; the rest is not read.",
            endsReading: true)
        stop()
    }

    /// After the first mistake libxml2 drops every `&amp;` because it considers the document not well-formed. Addresses are
    /// full of `&amp;`, so the document is marked as well-formed again.
    private func forgetMistake() {
        context?.pointee.wellFormed = 1
    }

    /// Handles an error of libxml2. Only the first is noted, because later ones are mostly its consequences.
    func problem(_ error: xmlError) {
        let isOfEntity = [XML_ERR_UNDECLARED_ENTITY, XML_WAR_UNDECLARED_ENTITY].contains {
            Int32($0.rawValue) == error.code
        }
        if isOfEntity, wasExpanded {
            wasExpanded = false
            return
        }
        // Every broken tag may add a name that libxml2 keeps. Unknown entities and invalid characters add none.
        let isOfText = isOfEntity || Int32(XML_ERR_INVALID_CHAR.rawValue) == error.code
        if error.domain == Int32(XML_FROM_PARSER.rawValue), !isOfText {
            brokenNames += 1
            if names.count + brokenNames >= limits.maximumNames { stopForNames() }
        }
        guard !hasNotedXMLProblem else { return }
        hasNotedXMLProblem = true
        let message = error.message.map { String(cString: $0) } ?? ""
        let sentence = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? "unknown"
        reading.notes.add(.sitemap(.xmlBroken), "The XML is broken: \(sentence.prefix(200)).", line: Int(error.line))
    }

    // MARK: Elements

    private func recognizeRoot(_ name: String) {
        switch name {
        case "urlset": reading.kind = .urlset
        case "sitemapindex": reading.kind = .index
        case "rss", "rdf": reading.kind = .rss
        case "feed": reading.kind = .atom
        default: break
        }
    }

    /// Whether the element begins an entry. `url` and `sitemap` elements are interchangeable, because people mix them up; the
    /// root element decides.
    private func opensEntry(_ name: String) -> Bool {
        switch reading.kind {
        case .urlset, .index: name == "url" || name == "sitemap"
        case .rss: name == "item"
        case .atom: name == "entry"
        case .json, .text, .unknown: false
        }
    }

    private func flush() {
        defer { entry = SitemapEntryFields() }
        guard entry.isOpen else { return }
        if entry.locations.isEmpty, let guid = entry.guid, entry.guidIsPermalink { entry.locations = [guid] }
        if entry.locations.isEmpty {
            reading.notes.add(.sitemap(.locMissing), "An entry has no address.", line: entry.line)
        } else if entry.locations.count > 1 {
            reading.notes.add(.sitemap(.locRepeated), "An entry has several addresses; each is read.", line: entry.line)
        }
        for text in entry.locations {
            guard !reading.isFull else { return reading.noteFull() }
            // In RSS, as in Atom, relative links are allowed.
            let written = reading.kind == .rss ? WebURL(text, base: url)?.href ?? text : text
            guard let loc = reading.location(written, base: url, line: entry.line) else { continue }
            reading.entries.append(entry.entry(at: loc, scope: scope))
        }
    }

    private func readAlternate(_ attributes: [String: String]) {
        guard let href = attributes["href"], !href.isEmpty, entry.alternates.count < Self.maximumExtras else { return }
        let absolute = WebURL(href, base: url)
        entry.alternates.append(
            SitemapEntry.Alternate(
                href: absolute.flatMap { $0.isHTTP ? $0.href : nil } ?? href, rel: attributes["rel"],
                hreflang: attributes["hreflang"], media: attributes["media"]))
    }

    /// Reads an Atom link. The entry's page is its first alternate link, or its first link without a relation, which means the
    /// same (RFC 4287).
    private func readAtomLink(_ attributes: [String: String]) {
        guard entry.isOpen, entry.locations.isEmpty, let href = attributes["href"], !href.isEmpty else { return }
        guard attributes["rel"].map({ $0.asciiLowercased == "alternate" }) ?? true else { return }
        entry.locations.append(WebURL(href, base: entryBase)?.href ?? href)
        entry.line = context?.pointee.input.map { Int($0.pointee.line) }
    }

    /// Reads a link of the feed itself: `link` of Atom, and `atom:link` of RSS. That of RSS has neither attribute.
    private func readFeedLink(_ attributes: [String: String]) {
        guard let href = attributes["href"], !href.isEmpty else { return }
        if attributes["rel"]?.asciiLowercased == "next" { reading.takeNext(href, base: feedBase) }
    }

    private func baseURL(_ attributes: [String: String], parent: WebURL) -> WebURL {
        guard let base = attributes["base"], base.utf8.count <= limits.maximumBaseBytes,
            let url = WebURL(base, base: parent), url.href.utf8.count <= limits.maximumBaseBytes
        else { return parent }
        return url
    }

    /// The vocabulary of an element. An element without a prefix belongs to the sitemap, whatever its namespace.
    private func vocabulary(
        prefix: UnsafePointer<xmlChar>?, namespace: UnsafePointer<xmlChar>?
    ) -> SitemapVocabulary {
        guard let namespace else { return SitemapVocabulary(undeclaredPrefix: prefix.map { String(cString: $0) }) }
        // libxml2 keeps one copy of each name for the whole document, so the pointer identifies it.
        var vocabulary = vocabularies[namespace]
        if vocabulary == nil {
            let uri = String(cString: namespace)
            vocabulary = uri == rootNamespace ? .core : SitemapVocabulary(namespace: uri)
            if vocabularies.count < SitemapXMLReader.maximumNamespaces { vocabularies[namespace] = vocabulary }
        }
        return vocabulary == .foreign && prefix == nil ? .core : vocabulary ?? .foreign
    }

    /// The attribute values by local name in lower case.
    private func attributeValues(of tag: Tag) -> [String: String] {
        guard let attributes = tag.attributes else { return [:] }
        var values: [String: String] = [:]
        for index in 0..<max(0, tag.attributeCount) {
            guard let name = attributes[index * 5], let start = attributes[index * 5 + 3],
                let end = attributes[index * 5 + 4], end >= start
            else { continue }
            // Without XML_PARSE_NOENT, libxml2 keeps `&` in a value as `&#38;`.
            let octets = UnsafeBufferPointer(start: start, count: min(end - start, Self.maximumFieldBytes))
            let value = Self.withPlainAmpersands(Array(octets))
            values[met(name)] = String(decoding: Self.trimmed(value), as: UTF8.self)
        }
        return values
    }

    private static func withPlainAmpersands(_ octets: [UInt8]) -> [UInt8] {
        guard octets.contains(UInt8(ascii: "&")) else { return octets }
        var result: [UInt8] = []
        var index = 0
        while index < octets.count {
            result.append(octets[index])
            index += octets[index...].starts(with: "&#38;".utf8) ? 5 : 1
        }
        return result
    }

    private static func trimmed(_ octets: [UInt8]) -> ArraySlice<UInt8> {
        let slice = octets.drop { $0 <= 0x20 }
        guard let last = slice.lastIndex(where: { $0 > 0x20 }) else { return [] }
        return slice[...last]
    }
}
