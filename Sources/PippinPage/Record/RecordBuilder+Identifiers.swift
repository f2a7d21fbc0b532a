// By which numbers shops, makers and libraries know the page's topic.

extension RecordBuilder {
    /// Variants and offers that are asked besides the main item.
    private static let maximumParts = 20
    /// Numbers of one kind that a record keeps.
    static let maximumNumbers = 20

    mutating func takeIdentifiers() {
        var identifiers = schemaOrgIdentifiers()
        if !identifiers.isEmpty {
            took("identifiers", from: .schemaOrg)
        } else {
            identifiers = openGraphIdentifiers()
            if !identifiers.isEmpty {
                took("identifiers", from: .openGraph)
            } else {
                let source: DeepLinkRecord.Source
                (identifiers, source) = metaIdentifiers()
                if !identifiers.isEmpty { took("identifiers", from: source) }
            }
        }
        record.identifiers = identifiers
    }

    // MARK: schema.org

    /// Of the main item; what it does not have, of its offers, and of the variants of a group of products.
    private func schemaOrgIdentifiers() -> DeepLinkRecord.Identifiers {
        var identifiers = DeepLinkRecord.Identifiers()
        for index in page.main { identifiers.fill(in: numbers(of: page.items[index])) }
        for name in ["offers", "hasVariant", "workExample"] {
            var parts = DeepLinkRecord.Identifiers()
            for item in page.items(page.mainValues(name)).prefix(Self.maximumParts) {
                parts.append(numbers(of: item))
                for offer in page.items(item.values("offers")).prefix(Self.maximumParts) {
                    parts.append(numbers(of: offer))
                }
            }
            identifiers.fill(in: parts)
        }
        for name in Self.properties where identifiers.isEmpty {
            for value in page.looseValues(name).prefix(Self.maximumParts) {
                if let text = page.text(of: value) { identifiers.add(text, as: name) }
            }
        }
        return identifiers
    }

    private static let properties = [
        "sku", "mpn", "gtin", "gtin13", "gtin14", "gtin12", "gtin8", "ean", "upc", "isbn", "productID",
    ]

    func numbers(of item: StructuredItem) -> DeepLinkRecord.Identifiers {
        var identifiers = DeepLinkRecord.Identifiers()
        for name in Self.properties {
            for value in item.values(name).prefix(Self.maximumParts) {
                if let text = page.text(of: value) { identifiers.add(text, as: name) }
            }
        }
        // `doi:10.1000/182`, or a PropertyValue that names its kind.
        for name in ["identifier", "sameAs"] {
            for value in item.values(name).prefix(Self.maximumParts) {
                if case .item(let index) = value, page.items.indices.contains(index) {
                    let property = page.items[index]
                    guard let text = page.text(property, "value") else { continue }
                    identifiers.add(text, as: page.text(property, "propertyID") ?? page.text(property, "name") ?? "")
                } else if let text = page.text(of: value) {
                    identifiers.add(text, as: "")
                }
            }
        }
        if let id = item.id { identifiers.add(id, as: "") }
        return identifiers
    }

    // MARK: Open Graph, meta elements

    /// Meta's catalogue properties, and those that shops write beside them.
    private func openGraphIdentifiers() -> DeepLinkRecord.Identifiers {
        var identifiers = DeepLinkRecord.Identifiers()
        guard let openGraph = facts.openGraph else { return identifiers }
        for (property, kind) in [
            ("product:retailer_item_id", "sku"), ("product:retailer_part_no", "sku"), ("product:sku", "sku"),
            ("product:mfr_part_no", "mpn"), ("product:mpn", "mpn"), ("product:gtin", "gtin"), ("product:ean", "gtin"),
            ("product:upc", "gtin"), ("product:isbn", "isbn"), ("book:isbn", "isbn"), ("books:isbn", "isbn"),
            ("og:isbn", "isbn"), ("og:upc", "gtin"), ("og:ean", "gtin"),
        ] {
            for text in openGraph.values(property).prefix(Self.maximumParts) { identifiers.add(text, as: kind) }
        }
        return identifiers
    }

    /// Highwire's and PRISM's names, and Dublin Core's identifier.
    private func metaIdentifiers() -> (DeepLinkRecord.Identifiers, DeepLinkRecord.Source) {
        var identifiers = DeepLinkRecord.Identifiers()
        var source: DeepLinkRecord.Source?
        for tag in facts.metaTags.tags {
            guard let text = tag.text else { continue }
            switch tag.name {
            case "citation_doi", "bepress_citation_doi", "prism.doi": identifiers.add(text, as: "doi")
            case "citation_isbn", "prism.isbn": identifiers.add(text, as: "isbn")
            case "dc.identifier", "dcterms.identifier", "dc.identifier.doi": identifiers.add(text, as: "")
            default: continue
            }
            if source == nil, !identifiers.isEmpty { source = tag.isDublinCore ? .dublinCore : .metaTag }
        }
        return (identifiers, source ?? .metaTag)
    }
}

extension DeepLinkRecord.Identifiers {
    private enum Kind: String, CaseIterable {
        case sku, mpn, gtin, ean, upc, isbn, doi
        case productID = "productid"

        /// `gtin13` and `ISBN-10` are kinds of GTIN and ISBN.
        init?(_ name: some StringProtocol) {
            let letters = name.utf8.prefix(40).filter(\.isASCIILetter).map(\.asciiLowercased)
            guard let kind = Kind(rawValue: String(decoding: letters, as: UTF8.self)) else { return nil }
            self = kind
        }
    }

    /// Adds a number if it is what its kind says.
    ///
    /// - Parameter kind: name of a property. Of another one, as of `identifier`, only what says itself what it is counts: `doi:10.1000/182`.
    mutating func add(_ text: String, as kind: String) {
        var (text, kind) = (text[...], Kind(kind))
        if kind == nil || kind == .productID, let colon = text.firstIndex(of: ":"), let stated = Kind(text[..<colon]) {
            (kind, text) = (stated, text[text.index(after: colon)...])
        }
        let number = String(text)
        switch kind {
        case .sku: insert(SchemaOrg.partNumber(number), \.sku)
        case .mpn: insert(SchemaOrg.partNumber(number), \.mpn)
        case .gtin, .ean, .upc:
            insert(SchemaOrg.gtin(number), \.gtin)
            insert(SchemaOrg.isbn(number), \.isbn)
        case .isbn: insert(SchemaOrg.isbn(number), \.isbn)
        case .doi: insert(SchemaOrg.doi(number), \.doi)
        case .productID: insert(SchemaOrg.partNumber(number), \.sku)
        case nil:
            insert(SchemaOrg.doi(number), \.doi)
            if number.utf8.prefix(4).map(\.asciiLowercased).elementsEqual("urn:".utf8) {
                insert(SchemaOrg.isbn(number), \.isbn)
            }
        }
    }

    private mutating func insert(_ number: String?, _ numbers: WritableKeyPath<Self, [String]>) {
        guard let number, self[keyPath: numbers].count < RecordBuilder.maximumNumbers else { return }
        if !self[keyPath: numbers].contains(number) { self[keyPath: numbers].append(number) }
    }

    /// Takes the numbers of kinds that are not known yet.
    mutating func fill(in other: Self) {
        if sku.isEmpty { sku = other.sku }
        if mpn.isEmpty { mpn = other.mpn }
        if gtin.isEmpty { gtin = other.gtin }
        if isbn.isEmpty { isbn = other.isbn }
        if doi.isEmpty { doi = other.doi }
    }

    /// Adds the numbers of a part.
    mutating func append(_ other: Self) {
        func join(_ numbers: inout [String], _ more: [String]) {
            for number in more where numbers.count < RecordBuilder.maximumNumbers && !numbers.contains(number) {
                numbers.append(number)
            }
        }
        join(&sku, other.sku)
        join(&mpn, other.mpn)
        join(&gtin, other.gtin)
        join(&isbn, other.isbn)
        join(&doi, other.doi)
    }
}
