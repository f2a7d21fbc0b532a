/// What a page says of itself in a few sentences, and what is shown under its title.
struct Description {
    typealias Source = DeepLinkRecord.Source

    let text: String
    let source: Source

    /// A description that is shorter says too little to be shown; a character of Chinese, Japanese or Korean counts twice.
    private static let minimumWidth = 40
    /// One that is shorter describes nothing.
    private static let leastWidth = 20
    /// Of the main text, where it stands in for a description.
    private static let maximumCharacters = 300

    /// The first description that says enough to be shown, else the first of some words. Where the page has one that is cut off,
    /// damaged or a word, the main text; nil where it has none.
    static func choose(_ facts: PageFacts, _ page: StructuredPage, title: String?, mainText: MainText) -> Description? {
        var stated: [Description] = []
        func add(_ text: String?, _ source: Source, _ tag: String? = nil) {
            guard let line = CleanText.line(text.map(CleanText.withoutTags)), !CleanText.isDamaged(line),
                !isByline(line),
                !(tag.map { isCutAtQuote($0, facts) } ?? false)
            else { return }
            stated.append(Description(text: withoutTorso(line, mainText), source: source))
        }
        add(metaDescription(facts), .metaDescription, "description")
        add(facts.openGraph?.description, .openGraph, "og:description")
        add(page.mainText("description"), .schemaOrg)
        add(facts.twitterCard?.description, .twitterCard, "twitter:description")
        for text in facts.dublinCore.values("description").prefix(1) { add(text, .dublinCore) }
        if !facts.microformats.isEmpty { add(facts.microformatsPage.mainText("description"), .microformats) }
        if let site = descriptionOfSite(facts, page), stated.contains(where: { $0.text != site }) {
            stated.removeAll { $0.text == site }
        }
        let enough = stated.filter { saysEnough($0.text) }
        if let first = enough.first {
            // One for all pages of a site shares no word with this page's title; another one may.
            let words = FoldedName.words(of: title ?? "")
            func isOfPage(_ text: String) -> Bool { !words.isDisjoint(with: FoldedName.words(of: text)) }
            guard enough.count > 1, first.source == .metaDescription, !isOfPage(first.text) else { return first }
            return enough.first { isOfPage($0.text) } ?? first
        }
        let isStated = !stated.isEmpty || facts.metadata.description != nil || facts.openGraph?.description != nil
        if let short = stated.first(where: { saysEnough($0.text, width: leastWidth) }) { return short }
        if isStated, mainText.hasProse {
            return Description(text: Snippet.cut(mainText.prose, to: maximumCharacters), source: .mainText)
        }
        return stated.first
    }

    /// The text under a result: the description, unless it says too little or repeats the title; else the main text.
    static func shown(_ description: Description?, title: String?, mainText: MainText) -> Description? {
        let prose = behind(title ?? "", in: mainText.prose)
        let main = prose.isEmpty ? nil : Description(text: prose, source: .mainText)
        guard let description else { return main }
        // A description that repeats the title says nothing under it.
        if FoldedName(description.text) == FoldedName(title ?? "") { return main }
        return saysEnough(description.text) || !mainText.hasProse ? description : main
    }

    // MARK: Which one

    /// `meta name=description`; of several, one that the page shows: systems and themes add one each.
    private static func metaDescription(_ facts: PageFacts) -> String? {
        let first = facts.metadata.description
        let all = facts.metaTags.tags.lazy.filter { $0.name == "description" }.compactMap(\.text).prefix(maximumRepeats)
        guard let first, all.contains(where: { $0 != first }) else { return first }
        return all.first(where: { text in
            guard let line = CleanText.line(text), saysEnough(line) else { return false }
            return position(of: Array(line.utf8.prefix(maximumComparedBytes)), in: facts.visibleText.bytes) != nil
        }) ?? first
    }

    /// What structured data gives as the description of the site. A template may write it as that of each page.
    private static func descriptionOfSite(_ facts: PageFacts, _ page: StructuredPage) -> String? {
        guard !facts.source.url.isHomePage, !page.mainIs(.webSite) else { return nil }
        return page.firstItem(of: .webSite).flatMap { CleanText.line(page.text($0, "description")) }
    }

    /// `Written by Jane Doe`.
    private static func isByline(_ text: String) -> Bool {
        !saysEnough(text) && AuthorLabels.labelEnd(in: Array(text.utf8)[...]) != nil
    }

    // MARK: Their text

    /// A description that stops within a sentence of the main text is cut behind a sentence or a word.
    private static func withoutTorso(_ text: String, _ mainText: MainText) -> String {
        guard text.utf8.count >= minimumTorsoBytes, let last = text.unicodeScalars.last,
            last.properties.isAlphabetic || last == ","
        else { return text }
        var tail = text.utf8.suffix(tornBytes)
        while let first = tail.first, first & 0xC0 == 0x80 { tail.removeFirst() }
        let body = mainText.bytes
        guard let found = position(of: Array(tail), in: body) else { return text }
        let next = body[(found + tail.count)...].prefix(2)
        guard let first = next.first else { return text }
        let count = text.unicodeScalars.count
        // Within a word; or before one that begins no sentence, here "a".
        if first.isASCIILetter || (0xC3...0xDF).contains(first) { return Snippet.cut(text, to: count - 1) }
        let isWithin = first == 0x20 && next.last.map { $0.isASCIILetter && !$0.isASCIIUppercase } == true
        return isWithin ? Snippet.cut(text + " a.", to: count + 1) : text
    }

    /// The main text behind the page's title, where a block begins with it or with what stands above it.
    private static func behind(_ title: String, in prose: String) -> String {
        guard title.utf8.count >= minimumTitleBytes, title.split(separator: " ").count >= minimumTitleWords else {
            return prose
        }
        let bytes = Array(prose.utf8.prefix(maximumBytesBefore + title.utf8.count + 2))
        guard let found = position(of: Array(title.utf8), in: bytes) else { return prose }
        let end = found + title.utf8.count
        // Within a sentence the title is no heading.
        guard end + 1 < bytes.count, bytes[end] == 0x20, bytes[end + 1].isASCIIUppercase || bytes[end + 1] >= 0xC3
        else {
            return prose
        }
        let rest = String(prose.utf8.dropFirst(end + 1)) ?? prose
        return saysEnough(rest) ? rest : prose
    }

    /// Of one kind, that are looked at.
    private static let maximumRepeats = 5
    /// Of a description, that are looked for in the page's text.
    private static let maximumComparedBytes = 100
    /// Shorter descriptions are phrases, and not cut.
    private static let minimumTorsoBytes = 100
    private static let tornBytes = 32
    /// Shorter titles are phrases that a sentence may have.
    private static let minimumTitleBytes = 20
    private static let minimumTitleWords = 4
    private static let maximumBytesBefore = 300

    private static func saysEnough(_ text: String, width minimum: Int = minimumWidth) -> Bool {
        var width = 0
        var hasSpace = false
        for scalar in text.unicodeScalars {
            width += scalar.value >= 0x1100 ? 2 : 1
            hasSpace = hasSpace || scalar == " " || scalar.value >= 0x1100
            if width >= minimum && hasSpace { return true }
        }
        return false
    }

    /// Whether a quotation mark ended the value too early: `content="He said "no" and"` has attributes `no"` and `and"`.
    private static func isCutAtQuote(_ name: String, _ facts: PageFacts) -> Bool {
        guard let tag = facts.metaTags.tags.first(where: { $0.name == name && $0.text != nil }) else { return false }
        return facts.document.writtenAttributes(of: tag.element).contains { attribute in
            let name = facts.document.lines.text[attribute.name]
            return name.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
                && name.contains { $0.isASCIIAlphanumeric || $0 >= 0x80 }
        }
    }

    /// How much of a page is searched.
    private static let maximumSearchedBytes = 200_000

    /// Where some hundred bytes at most first stand in a page's text.
    private static func position(of text: [UInt8], in bytes: [UInt8]) -> Int? {
        let searched = bytes.count > maximumSearchedBytes ? Array(bytes.prefix(maximumSearchedBytes)) : bytes
        return searched.position(of: text)
    }
}
