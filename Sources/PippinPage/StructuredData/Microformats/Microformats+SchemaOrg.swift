// Microformats as items of schema.org, so that the record reads them as it reads those of other syntaxes.

extension Microformats {
    /// What microformats say of the page's topic. Comments, replies, likes and quotations are left out: what they say is not the
    /// page's.
    ///
    /// - Parameters:
    ///   - isForeign: whether visitors wrote an element.
    ///   - isBeside: whether an element stands beside the text: in a footer, a sidebar, a widget.
    func structuredData(
        leavingOut isForeign: (HTMLDocument.Index) -> Bool, isBeside: (HTMLDocument.Index) -> Bool = { _ in false }
    ) -> StructuredData {
        guard !isEmpty else { return StructuredData() }
        var translation = MicroformatsTranslation(self)
        translation.translate(leavingOut: isForeign, isBeside: isBeside)
        return StructuredData(items: translation.items)
    }
}

private struct MicroformatsTranslation {
    private let microformats: Microformats
    private var values: MicroformatsValues
    private(set) var items: [StructuredItem] = []
    /// The translations of items, so that each is made once.
    private var known: [Int: Int?] = [:]

    /// An event has a place, which has an address: three levels, with one for a review of it.
    private static let maximumDepth = 5

    init(_ microformats: Microformats) {
        self.microformats = microformats
        values = MicroformatsValues(microformats, collapsing: true)
    }

    // MARK: Topics

    /// An item that may be the page's topic.
    private struct Topic {
        let item: Int
        /// Of the feed that it is in.
        var author: Microformats.Property?
        /// Whether it is one of several in a feed: the page is about it only if it has the page's address.
        var isListed = false
    }

    mutating func translate(
        leavingOut isForeign: (HTMLDocument.Index) -> Bool, isBeside: (HTMLDocument.Index) -> Bool
    ) {
        var topics: [Topic] = []
        for index in microformats.items.indices where microformats.items[index].isTopLevel {
            if microformats.limits.isInterrupted { return }
            topics += self.topics(of: index)
        }
        topics.removeAll { topic in
            let element = microformats.items[topic.item].element
            // Names of reviews are those of visitors' texts too: what counts is what they stand in.
            return microformats.document.parent(of: element).map(isForeign) ?? false
        }
        removeCards(of: &topics, isBeside)
        let entries = topics.count { isEntry($0.item) }
        for topic in topics {
            let isNameless = !microformats.items[topic.item].properties.contains {
                $0.name == "name" && $0.kind != .impliedName
            }
            let isListed = topic.isListed || entries > 1 && isEntry(topic.item) && isNameless
            guard let index = translate(topic.item, as: nil, depth: 0) else { continue }
            items[index].isTopLevel = !isListed
            if let author = topic.author, items[index].values("author").isEmpty {
                var day: String?
                add(author, as: "author", to: index, depth: 1, &day)
            }
        }
    }

    /// The item itself; the entries of a feed; the entry of a news article.
    private func topics(of index: Int) -> [Topic] {
        let item = microformats.items[index]
        if item.types.contains("h-feed") {
            let author = item.properties.first { $0.name == "author" }
            let entries = item.children + item.properties.filter { $0.name == "entry" }.compactMap(\.item)
            return entries.map { Topic(item: $0, author: author, isListed: entries.count > 1) }
        }
        if item.types.contains("h-news") {
            let entries = item.properties.filter { $0.name == "entry" }.compactMap(\.item)
            return (entries + item.children).map { Topic(item: $0) }
        }
        // A quotation is another page's.
        return item.types.contains("h-cite") ? [] : [Topic(item: index)]
    }

    /// A card is the topic of a page about somebody. Beside another topic, an article or in a footer it says who made the page.
    private func removeCards(of topics: inout [Topic], _ isBeside: (HTMLDocument.Index) -> Bool) {
        let document = microformats.document
        let article = document.elements(named: .article).first
        let hasTopic = microformats.items.contains {
            !$0.types.contains("h-card") && !Self.parts.isSuperset(of: $0.types)
        }
        topics.removeAll { topic in
            guard microformats.items[topic.item].types == ["h-card"] else { return false }
            let element = microformats.items[topic.item].element
            let isOutside = article.map { !document.isElement(element, inside: $0) && $0 != element } ?? false
            return hasTopic || isOutside || isBeside(element)
        }
    }

    /// What a card may have in it.
    private static let parts: Set = ["h-adr", "h-geo", "h-item", "h-review-aggregate", "h-review"]

    private func isEntry(_ index: Int) -> Bool { microformats.items[index].types.contains("h-entry") }

    // MARK: Items

    /// What a root class name and the properties inside it are in schema.org. Properties that are not listed are not the topic's.
    private static let vocabularies: [String: (type: String, names: [String: String])] = {
        let rows: [(root: String, type: String, names: String)] = [
            (
                "h-entry", "CreativeWork",
                """
                name:headline summary:description published:datePublished updated:dateModified author:author
                category:keywords photo:image featured:image url:url
                """
            ),
            (
                "h-event", "Event",
                """
                name:name summary:description description:description start:startDate end:endDate location:location
                organizer:organizer category:keywords photo:image featured:image url:url
                """
            ),
            (
                "h-recipe", "Recipe",
                """
                name:name summary:description ingredient:recipeIngredient yield:recipeYield duration:totalTime author:author
                published:datePublished updated:dateModified category:keywords photo:image featured:image url:url
                review:aggregateRating
                """
            ),
            (
                "h-product", "Product",
                """
                name:name description:description brand:brand category:category photo:image featured:image url:url
                identifier:identifier price:offers review:aggregateRating
                """
            ),
            (
                "h-card", "Person",
                """
                name:name note:description url:url photo:image logo:logo tel:telephone email:email adr:address geo:geo
                street-address:streetAddress extended-address:extendedAddress post-office-box:postOfficeBoxNumber
                locality:addressLocality region:addressRegion postal-code:postalCode country-name:addressCountry
                latitude:latitude longitude:longitude
                """
            ),
            (
                "h-adr", "PostalAddress",
                """
                name:name street-address:streetAddress extended-address:extendedAddress
                post-office-box:postOfficeBoxNumber locality:addressLocality region:addressRegion postal-code:postalCode
                country-name:addressCountry
                """
            ),
            ("h-geo", "GeoCoordinates", "latitude:latitude longitude:longitude name:name"),
            ("h-item", "Thing", "name:name photo:image url:url"),
            (
                "h-review-aggregate", "AggregateRating",
                "average:ratingValue rating:ratingValue best:bestRating worst:worstRating count:reviewCount votes:ratingCount"
            ),
            ("h-review", "Review", "name:name rating:ratingValue best:bestRating worst:worstRating author:author"),
        ]
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let names = row.names.split(whereSeparator: \.isWhitespace).map { pair in
                    let parts = pair.split(separator: ":")
                    return (String(parts[0]), String(parts[1]))
                }
                return (row.root, (row.type, Dictionary(uniqueKeysWithValues: names)))
            })
    }()

    /// Properties of an hCard that belong to its address.
    private static let addressParts: Set = [
        "streetAddress", "extendedAddress", "postOfficeBoxNumber", "addressLocality", "addressRegion", "postalCode",
        "addressCountry",
    ]

    /// The translation of an item; nil for one that says nothing of a topic.
    ///
    /// - Parameter role: the property of schema.org that it is the value of.
    private mutating func translate(_ index: Int, as role: String?, depth: Int) -> Int? {
        if let done = known[index] { return done }
        let item = microformats.items[index]
        guard depth < Self.maximumDepth, !microformats.limits.isInterrupted,
            let root = item.types.first(where: { Self.vocabularies[$0] != nil }),
            let vocabulary = Self.vocabularies[root]
        else { return nil }
        let made = items.count
        known[index] = made
        items.append(
            StructuredItem(
                syntax: .microformats, types: [vocabulary.type], isTopLevel: false,
                place: microformats.document.place(of: item.element), element: item.element))
        var day: String?
        for property in item.properties {
            if let name = vocabulary.names[property.name] {
                add(property, as: name, to: made, depth: depth + 1, &day)
            }
        }
        if Self.rated.contains(root), items[made].values("aggregateRating").isEmpty {
            addRating(from: item.children, to: made, depth: depth + 1)
        }
        switch root {
        case "h-entry": if !items[made].values("datePublished").isEmpty { items[made].types = ["Article"] }
        case "h-card": finishCard(made, item, role)
        case "h-geo": finishPoint(made)
        case "h-review", "h-review-aggregate":
            let meant = finishReview(made, item, role, depth)
            // One visitor's rating is not the page's.
            if meant == nil { items[made].types = ["Review"] }
            known[index] = .some(meant)
            return meant
        default: break
        }
        return made
    }

    /// What has a rating inside of it.
    private static let rated: Set = ["h-product", "h-recipe", "h-event", "h-card"]

    /// Old vocabularies have no property for the rating of many.
    private mutating func addRating(from children: [Int], to index: Int, depth: Int) {
        guard let rating = children.first(where: { microformats.items[$0].types.contains("h-review-aggregate") }),
            let translated = translate(rating, as: "aggregateRating", depth: depth)
        else { return }
        items[index].properties.append(
            StructuredItem.Property(
                name: "aggregateRating", value: .item(translated), element: microformats.items[rating].element))
    }

    private mutating func add(
        _ property: Microformats.Property, as name: String, to index: Int, depth: Int, _ day: inout String?
    ) {
        func append(_ value: StructuredItem.Value) {
            items[index].properties.append(
                StructuredItem.Property(name: name, value: value, element: property.element))
        }
        if let item = property.item {
            // Who is meant is named, whatever the item says besides; all else is read by its vocabulary.
            if let translated = translate(item, as: name, depth: depth) { return append(.item(translated)) }
            if name == "aggregateRating" { return }
        }
        switch name {
        case "aggregateRating": return
        case "identifier":
            return append(identifier(property))
        case "offers":
            guard let price = values.value(of: property, day: &day) else { return }
            return append(.item(make("Offer", [("price", .text(price.text, language: nil))], at: property.element)))
        default: break
        }
        guard let value = values.value(of: property, day: &day), !value.text.isEmpty else { return }
        switch property.kind {
        case .url, .impliedPhoto, .impliedURL:
            // A part of a page is not the page.
            if name == "url", value.text.utf8.contains(UInt8(ascii: "#")) { return }
            append(.url(value.text))
        default: append(.text(value.text, language: nil))
        }
    }

    private mutating func make(
        _ type: String, _ properties: [(String, StructuredItem.Value)], at element: HTMLDocument.Index
    ) -> Int {
        items.append(
            StructuredItem(
                syntax: .microformats, types: [type],
                properties: properties.map { StructuredItem.Property(name: $0.0, value: $0.1, element: element) },
                isTopLevel: false, place: microformats.document.place(of: element), element: element))
        return items.count - 1
    }

    /// A number with its kind: `<span class="identifier"><b class="type">sku</b> <b class="value">A-1</b></span>`.
    private mutating func identifier(_ property: Microformats.Property) -> StructuredItem.Value {
        let document = microformats.document
        let number = StructuredItem.Value.text(values.writtenAddress(of: property.element), language: nil)
        let kind = document.children(of: property.element).lazy.prefix(Self.maximumParts).first { child in
            document.bytes(of: .class, on: child)?.splitOnHTMLSpace().contains { $0.elementsEqual("type".utf8) }
                ?? false
        }
        guard let kind else { return number }
        let name = values.text(of: kind)
        return .item(
            make(
                "PropertyValue", [("propertyID", .text(name, language: nil)), ("value", number)], at: property.element))
    }

    /// Children of an identifier that are looked at: it has a kind and a number.
    private static let maximumParts = 10

    /// A card is an organization's if its name is that of the organization (h-card, "organization"). Where something takes place is a
    /// place, whoever it belongs to.
    private mutating func finishCard(_ made: Int, _ item: Microformats.Item, _ role: String?) {
        var day: String?
        let organizations = item.properties.filter { $0.name == "org" }.prefix(Self.maximumParts).compactMap {
            values.value(of: $0, day: &day)?.text
        }
        let name = items[made].values("name").first?.literal?.text
        if role == "location" {
            items[made].types = ["Place"]
        } else if !organizations.isEmpty, name.map(organizations.contains) ?? true {
            items[made].types = ["Organization"]
        }
        if name == nil, let organization = organizations.first {
            items[made].properties.append(
                StructuredItem.Property(name: "name", value: .text(organization, language: nil)))
        }
        let parts = items[made].properties.filter { Self.addressParts.contains($0.name) }
        guard !parts.isEmpty else { return }
        items[made].properties.removeAll { Self.addressParts.contains($0.name) }
        if items[made].values("address").isEmpty {
            let address = make(
                "PostalAddress", parts.map { ($0.name, $0.value) }, at: item.element)
            items[made].properties.append(
                StructuredItem.Property(name: "address", value: .item(address), element: item.element))
        }
    }

    /// Both coordinates in one text: `37.77;-122.41`.
    private mutating func finishPoint(_ made: Int) {
        guard items[made].values("latitude").isEmpty, let text = items[made].values("name").first?.literal?.text else {
            return
        }
        let parts = text.split(separator: ";").map { String($0).trimmingHTMLSpace() }
        guard parts.count == 2 else { return }
        for (name, part) in zip(["latitude", "longitude"], parts) {
            items[made].properties.append(StructuredItem.Property(name: name, value: .text(part, language: nil)))
        }
    }

    /// A rating belongs to what it is of. A review inside of a product or a recipe is one visitor's.
    private mutating func finishReview(
        _ made: Int, _ item: Microformats.Item, _ role: String?, _ depth: Int
    ) -> Int? {
        let isAggregate = item.types.contains("h-review-aggregate")
        items[made].types = ["AggregateRating"]
        if role != nil { return isAggregate ? made : nil }
        guard let reviewed = item.properties.first(where: { $0.name == "item" }) else {
            return isAggregate ? made : nil
        }
        var subject = reviewed.item.flatMap { translate($0, as: "itemReviewed", depth: depth + 1) }
        if subject == nil {
            var day: String?
            let name = values.value(of: reviewed, day: &day)?.text ?? ""
            subject = make("Thing", [("name", .text(name, language: nil))], at: reviewed.element)
        }
        guard let subject else { return nil }
        items[subject].properties.append(
            StructuredItem.Property(name: "aggregateRating", value: .item(made), element: item.element))
        if !isAggregate, let author = items[made].properties.first(where: { $0.name == "author" }) {
            items[subject].properties.append(author)
        }
        return subject
    }
}
