// What else it is called, what kind of thing it is, by whom it is made, and for whom it is.

extension RecordBuilder {
    private static let maximumAlternateNames = 10
    private static let maximumCategories = 20

    mutating func takeAlternateNames() {
        var names: [String] = []
        var seen: Set<FoldedName> = [FoldedName(record.title ?? "")]
        for property in ["alternateName", "alternativeHeadline"] {
            for value in page.mainValues(property).prefix(Self.maximumAlternateNames * 2) {
                guard names.count < Self.maximumAlternateNames, let name = line(page.text(of: value), to: 200) else {
                    continue
                }
                let folded = FoldedName(name)
                // Newspapers keep a sentence as second headline.
                if property == "alternativeHeadline", name.utf8.count > 100 || name.hasSuffix(".") { continue }
                if !folded.isEmpty, seen.insert(folded).inserted { names.append(name) }
            }
        }
        record.alternateNames = names
        if !names.isEmpty { took("alternateNames", from: .schemaOrg) }
    }

    // MARK: Categories

    /// Properties that name kinds, and whether a text of them is a list with commas: a section or a shop's category may have
    /// one in its name.
    private static let categoryProperties = [
        ("genre", true), ("articleSection", false), ("recipeCategory", true), ("recipeCuisine", true),
        ("servesCuisine", true), ("category", false), ("applicationCategory", true), ("applicationSubCategory", true),
    ]

    mutating func takeCategories() {
        // What keywords leave out is no category either: identifiers, addresses, the title.
        var categories = Keywords(title: record.title)
        for (property, isList) in Self.categoryProperties {
            for value in page.mainValues(property).prefix(Self.maximumCategories) {
                if case .url = value { continue }
                guard let text = page.text(of: value) else { continue }
                // `https://schema.org/GameApplication`
                categories.add(SchemaOrg.type(text).flatMap(Self.applicationKind) ?? text, isList: isList)
            }
        }
        if !categories.all.isEmpty { took("categories", from: .schemaOrg) }
        if categories.all.isEmpty {
            for name in ["article:section", "og:section", "product:category", "og:product:category"] {
                for text in facts.openGraph?.values(name).prefix(Self.maximumCategories) ?? [] {
                    categories.add(text, isList: false)
                }
            }
            if !categories.all.isEmpty { took("categories", from: .openGraph) }
        }
        record.categories = Array(categories.all.prefix(Self.maximumCategories))
    }

    /// `Game` for the type `GameApplication`.
    private static func applicationKind(_ type: String) -> String? {
        guard type.hasSuffix("Application"), type.utf8.count > 11, !type.contains(" ") else { return nil }
        return SchemaOrg.words(ofMember: String(type.dropLast("Application".count)))
    }

    mutating func takeBrand() {
        let candidates: [(DeepLinkRecord.Source, () -> String?)] = [
            (.schemaOrg, { [page] in page.mainValues("brand").lazy.compactMap { page.text(of: $0) }.first }),
            (.openGraph, { [facts] in facts.openGraph?["product:brand"] ?? facts.openGraph?["og:brand"] }),
        ]
        record.brand = first(
            "brand",
            candidates.map { source, text in
                (
                    source,
                    {
                        guard let name = CleanText.line(text()), !name.has("://") else { return nil }
                        return Snippet.cut(VisibleProduct.withoutLabel(name), to: 100)
                    }
                )
            })
    }

    // MARK: For whom

    mutating func takeAudience() {
        for value in page.mainValues("contentRating").prefix(5) {
            guard let rating = contentRating(value) else { continue }
            record.contentRating = rating
            took("contentRating", from: .schemaOrg)
            break
        }
        if record.contentRating == nil, let age = line(facts.openGraph?["restrictions:age"], to: 100) {
            record.contentRating = age
            took("contentRating", from: .openGraph)
        }
        if record.contentRating == nil, let label = adultLabel() {
            record.contentRating = label
            took("contentRating", from: .metaTag)
        }
        if let text = page.mainText("isAccessibleForFree") ?? page.mainText("isAccessibleFree"),
            let isFree = SchemaOrg.boolean(text)
        {
            record.isAccessibleForFree = isFree
            took("isAccessibleForFree", from: .schemaOrg)
        } else if let tier = facts.openGraph?["article:content_tier"]?.asciiLowercased.trimmingHTMLSpace(),
            tier == "free" || tier == "locked"
        {
            record.isAccessibleForFree = tier == "free"
            took("isAccessibleForFree", from: .openGraph)
        }
    }

    /// `PG-13`; of a Rating, with its author: `FSK 12`.
    private func contentRating(_ value: StructuredItem.Value) -> String? {
        guard case .item(let index) = value, page.items.indices.contains(index) else {
            if case .url = value { return nil }
            return line(page.text(of: value), to: 100)
        }
        let item = page.items[index]
        guard let rating = line(page.text(item, "ratingValue") ?? page.text(item, "name"), to: 60) else { return nil }
        guard let author = line(page.text(item, "author"), to: 40), !rating.contains(author) else { return rating }
        return author + " " + rating
    }

    /// Labels that sites for adults put on their pages (`RTA-5042-1996-1400-1577-RTA`). `general` is written without thought.
    private func adultLabel() -> String? {
        for tag in facts.metaTags.tags where tag.name == "rating" {
            guard let label = tag.text?.asciiLowercased.trimmingHTMLSpace() else { continue }
            if label.hasPrefix("rta-5042") { return "adult" }
            if ["adult", "mature", "restricted"].contains(label) { return label }
        }
        return nil
    }

    private func line(_ text: String?, to maximum: Int) -> String? {
        CleanText.line(text).map { Snippet.cut($0, to: maximum) }
    }
}
