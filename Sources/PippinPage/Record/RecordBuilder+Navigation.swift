// Where the page stands in its site, its versions in other languages, and the feeds that it links to.

extension RecordBuilder {
    private static let maximumBreadcrumbs = 20
    private static let maximumBreadcrumbCharacters = 200

    // MARK: Breadcrumbs

    /// From the home page down: what structured data says, else what the page shows. A template that states the home page alone says
    /// nothing.
    mutating func takeBreadcrumbs() {
        record.breadcrumbs = statedBreadcrumbs()
        if record.breadcrumbs.count < 2, !onlyStated {
            let shown = shownBreadcrumbs()
            if !shown.isEmpty {
                record.breadcrumbs = shown
                return took("breadcrumbs", from: .visibleText)
            }
        }
        if !record.breadcrumbs.isEmpty { took("breadcrumbs", from: .schemaOrg) }
    }

    /// Those that the page's own WebPage has, else the first list; of equal lists, as a shop has one for each category, only the first.
    private func statedBreadcrumbs() -> [DeepLinkRecord.Breadcrumb] {
        let ofPages = page.items.lazy.filter { [page] in page.isItem($0, .webPage) }.prefix(Self.maximumBreadcrumbs)
        let linked = page.items(ofPages.flatMap { $0.values("breadcrumb").prefix(Self.maximumBreadcrumbs) })
        let all = page.items.lazy.filter { [page] in page.isItem($0, .breadcrumbList) }
        for list in linked.prefix(Self.maximumBreadcrumbs) + Array(all.prefix(Self.maximumBreadcrumbs)) {
            let breadcrumbs = breadcrumbs(of: list)
            if !breadcrumbs.isEmpty { return breadcrumbs }
        }
        // data-vocabulary.org, the old one of Google's, has an item for each.
        return all.prefix(Self.maximumBreadcrumbs).compactMap { item in
            page.text(item, "title").flatMap { breadcrumb($0, address: page.text(item, "url")) }
        }
    }

    /// The elements of a list by their position, as far as all have one.
    private func breadcrumbs(of list: StructuredItem) -> [DeepLinkRecord.Breadcrumb] {
        let elements = page.items(Array(list.values("itemListElement").prefix(2 * Self.maximumBreadcrumbs)))
        let positions = elements.map { page.literal($0, "position").flatMap { SchemaOrg.count($0) } }
        var ordered = Array(elements.indices)
        if !positions.contains(nil) {
            ordered.sort { (positions[$0] ?? 0, $0) < (positions[$1] ?? 0, $1) }
        }
        var found: [DeepLinkRecord.Breadcrumb] = []
        for element in ordered.map({ elements[$0] }) where found.count < Self.maximumBreadcrumbs {
            let thing = page.items(element.values("item")).first
            // The item of a list is its address, or a thing that has one.
            let address =
                thing.map { page.text($0, "url") ?? $0.id } ?? page.text(element, "item") ?? page.text(element, "url")
            guard let name = page.text(element, "name") ?? thing.flatMap({ page.text($0, "name") }),
                let breadcrumb = breadcrumb(name, address: address), !found.contains(breadcrumb)
            else { continue }
            found.append(breadcrumb)
        }
        return found
    }

    private func breadcrumb(_ name: String, address: String?) -> DeepLinkRecord.Breadcrumb? {
        guard let line = CleanText.line(name, to: Self.maximumBreadcrumbCharacters), !line.hasPrefix("http") else {
            return nil
        }
        return DeepLinkRecord.Breadcrumb(name: line, url: address.flatMap(webAddress))
    }

    /// The links of the first element that is named `breadcrumb` or labelled so (ARIA Authoring Practices, "Breadcrumb Pattern"), and
    /// the page itself where it stands behind them. One link is none: it only leads back.
    private func shownBreadcrumbs() -> [DeepLinkRecord.Breadcrumb] {
        let document = facts.document
        guard let element = document.breadcrumbElement(facts.names) else { return [] }
        var found: [DeepLinkRecord.Breadcrumb] = []
        var lastLink = element
        for link in document.descendants(of: element).prefix(2_000) {
            guard document.elements[link].name == .a, let address = document.value(of: .href, on: link) else {
                continue
            }
            // Behind the link to the page itself stand its tools: mail, print, share.
            if !found.isEmpty, isPage(address) { break }
            // More links than a path has are a menu.
            guard found.count < Self.maximumBreadcrumbs else { return [] }
            if document.bytes(of: .rel, on: link).map({ !LinkRelations($0).trust.isEmpty }) == true { continue }
            guard let breadcrumb = breadcrumb(document.visibleText(of: link, maximumBytes: 1_000), address: address),
                breadcrumb.url != nil, !found.contains(breadcrumb)
            else { continue }
            found.append(breadcrumb)
            lastLink = link
        }
        guard found.count >= 2 || found.first?.url.map({ WebURL($0)?.path == "/" }) == true else { return [] }
        if let last = ownBreadcrumb(behind: lastLink, in: element) { found.append(last) }
        return found.count >= 2 ? found : []
    }

    /// Whether an address leads to this page, whatever its query and fragment.
    private func isPage(_ address: String) -> Bool {
        guard let url = WebURL(written: address, base: facts.baseURL) else { return false }
        let own = facts.source.url
        return url.host == own.host && url.path == own.path && own.path != "/"
    }

    /// The text behind the last link, if it is what the page is called.
    private func ownBreadcrumb(behind link: HTMLDocument.Index, in element: HTMLDocument.Index)
        -> DeepLinkRecord.Breadcrumb?
    {
        let document = facts.document
        let text = document.text[
            Int(document.elements[link].textEnd)..<Int(document.elements[element].textEnd)
        ].prefix(1_000)
        let line = String(decoding: text, as: UTF8.self).collapsingHTMLSpace()
        let name = line.drop { !$0.isLetter && !$0.isNumber }
        let folded = FoldedName(String(name))
        let titles = [record.title, facts.metadata.title].compactMap(\.self).map(FoldedName.init)
        guard !folded.isEmpty, titles.contains(where: { $0.contains(folded) || folded.contains($0) }) else {
            return nil
        }
        return breadcrumb(String(name), address: nil)
    }

    // MARK: Languages

    /// Sites in all languages of Europe have about 40 versions.
    private static let maximumLanguageAlternates = 100

    /// Versions of the page in other languages or for other countries, and the one for everybody else (`x-default`).
    mutating func takeLanguageAlternates() {
        var seen: Set<String> = []
        for alternate in facts.metadata.languageAlternates {
            guard record.languageAlternates.count < Self.maximumLanguageAlternates else { break }
            let address = alternate.url.removingFragment().href
            guard let language = Self.languageTag(alternate.language), address != record.uniqueIdentifier,
                address != record.url, address.utf8.count <= WrittenAddress.maximumBytes, seen.insert(language).inserted
            else { continue }
            record.languageAlternates.append(.init(language: language, url: address))
        }
        if !record.languageAlternates.isEmpty { took("languageAlternates", from: .alternateLink) }
    }

    private static func languageTag(_ written: String) -> String? {
        let tag = written.trimmingHTMLSpace()
        return tag.asciiLowercased == "x-default" ? "x-default" : LanguageTag.normalized(tag)
    }

    // MARK: Feeds

    private static let maximumFeeds = 10

    mutating func takeFeeds() {
        for feed in facts.metadata.feeds {
            guard record.feeds.count < Self.maximumFeeds else { break }
            let address = feed.url.removingFragment().href
            guard address.utf8.count <= WrittenAddress.maximumBytes,
                !record.feeds.contains(where: { $0.url == address })
            else { continue }
            record.feeds.append(
                .init(url: address, type: feed.type, title: CleanText.line(feed.title, to: 200))
            )
        }
        if !record.feeds.isEmpty { took("feeds", from: .alternateLink) }
    }
}

extension HTMLDocument {
    /// The bytes of the longest text that is a path: names of 20 steps.
    private static let longestPath = 4_000
    private static let breadcrumbWords = NameWords("breadcrumb breadcrumbs breadcrumblist")

    /// The first element whose `class`, `id` or `aria-label` says that it is the path to the page.
    fileprivate func breadcrumbElement(_ names: ElementNames) -> Index? {
        for place in names.possiblePaths {
            let element = place.element
            let names = value(of: attributes[place.attribute]).prefix(ElementNames.maximumPathBytes)
            // A style sheet may have the name, too, and what is around the page: `body class="has-breadcrumbs"` is no path.
            let length = elements[element].textEnd - elements[element].textStart
            guard length > 0, length <= Self.longestPath, elements[element].name != .body,
                elements[element].name != .html
            else { continue }
            // `BreadCrumb` is one word, though its capitals make it two.
            if Self.saysPath(names) || Self.saysPath(names.map(\.asciiLowercased)[...]) { return element }
        }
        return nil
    }

    private static func saysPath(_ names: ArraySlice<UInt8>) -> Bool {
        var isPath = false
        NameWords.forEachWord(in: names) { hash, _ in
            isPath = breadcrumbWords.meaning(of: hash) != 0
            return !isPath
        }
        return isPath
    }
}
