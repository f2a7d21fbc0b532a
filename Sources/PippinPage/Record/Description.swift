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
            guard let line = CleanText.line(text), !CleanText.isDamaged(line),
                !(tag.map { isCutAtQuote($0, facts) } ?? false)
            else { return }
            stated.append(Description(text: line, source: source))
        }
        add(facts.metadata.description, .metaDescription, "description")
        add(facts.openGraph?.description, .openGraph, "og:description")
        add(page.mainText("description"), .schemaOrg)
        add(facts.twitterCard?.description, .twitterCard, "twitter:description")
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
        let prose = mainText.prose
        let main = prose.isEmpty ? nil : Description(text: prose, source: .mainText)
        guard let description else { return main }
        // A description that repeats the title says nothing under it.
        if FoldedName(description.text) == FoldedName(title ?? "") { return main }
        return saysEnough(description.text) || !mainText.hasProse ? description : main
    }

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
        return facts.document.attributes(of: tag.element).contains { attribute in
            attribute.name.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
        }
    }
}
