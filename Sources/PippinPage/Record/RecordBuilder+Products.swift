// What a product costs, whether it can be had, in which forms it is sold, and what its page shows of that.

extension RecordBuilder {
    mutating func takeOffers() {
        record.offers = page.offers()
        if !record.offers.isEmpty {
            took("offers", from: .schemaOrg)
        } else if let offer = facts.openGraph?.offer {
            record.offers = [offer]
            took("offers", from: .openGraph)
        }
    }

    // MARK: Variants

    private static let maximumVariants = 50

    /// By what variants of a product may differ (Google Search Central, "Product variant structured data").
    static let variantProperties = ["color", "size", "material", "pattern", "suggestedAge", "suggestedGender"]

    /// Of the group of products that the page is about, or that its product is a variant of.
    mutating func takeVariants() {
        var values = page.mainValues("hasVariant")
        if values.isEmpty, let group = page.items(page.mainValues("isVariantOf")).first {
            values = group.values("hasVariant")
        }
        for item in page.items(Array(values.prefix(Self.maximumVariants))) {
            let variant = variant(item)
            // A reference to a page that is not described here says too little of it.
            guard variant.name != nil || variant.url != nil, !record.variants.contains(variant) else { continue }
            record.variants.append(variant)
        }
        if !record.variants.isEmpty { took("variants", from: .schemaOrg) }
    }

    private func variant(_ item: StructuredItem) -> DeepLinkRecord.Variant {
        func line(_ text: String?) -> String? { CleanText.line(text, to: 200) }
        var variant = DeepLinkRecord.Variant()
        let offer = page.items(item.values("offers")).first
        variant.name = line(page.text(item, "name"))
        variant.url = (page.text(item, "url") ?? offer.flatMap { page.text($0, "url") }).flatMap(webAddress)
        var numbers = numbers(of: item)
        if let offer { numbers.fill(in: self.numbers(of: offer)) }
        variant.sku = numbers.sku.first
        variant.gtin = numbers.gtin.first
        for name in Self.variantProperties {
            for value in item.values(name).prefix(3) where variant.properties[name] == nil {
                // A size or an age may have a type, and may be a member of an enumeration.
                guard let text = line(page.text(of: value)) else { continue }
                variant.properties[name] = .string(text.hasPrefix("http") ? SchemaOrg.bareName(text) : text)
            }
        }
        if let offer = page.offer(offer) {
            (variant.price, variant.currency) = (offer.price, offer.currency)
            variant.availability = offer.availability
        }
        return variant
    }

    // MARK: What a product's page shows

    /// More prices than a product's page has.
    private static let mostVisiblePrices = 20

    /// Of a page about a product that does not state its price, whether it can be bought, its brand or its number; of anything else
    /// that is sold, as tickets and courses are, whether it can be bought.
    mutating func takeVisibleProduct() {
        let saysProduct = page.mainIs(.product) || facts.openGraph?.type?.asciiLowercased.hasPrefix("product") == true
        let isStated = record.offers.contains { $0.price != nil }
        let isSold = saysProduct || isStated && !page.mainIs(.article) && !page.mainIs(.recipe)
        guard !onlyStated, isSold || mayBeAboutProduct else { return }
        let headline = VisibleProduct.headline(of: facts.document, title: record.title)
        guard isSold || headline != nil else { return }
        var visible = VisibleProduct(
            facts.document, behind: headline,
            elements: isSold ? VisibleProduct.elementsOfProduct : VisibleProduct.elementsOfOthers,
            needsPrice: !isSold, visible: facts.visibleText, limits: facts.limits)
        // A page that does not say so must show a price and a way to buy.
        guard isSold || visible.price != nil && !visible.isListed && visible.availability != nil else { return }
        if !isStated, let price = visible.price, visible.prices <= Self.mostVisiblePrices {
            var offer = DeepLinkRecord.Offer(price)
            let stated = record.offers.first?.availability
            offer.availability = stated ?? visible.availability
            record.offers = [offer]
            took("offers", from: .visibleText)
        } else if let availability = visible.availability, record.offers.count == 1,
            record.offers[0].availability == nil
        {
            record.offers[0].availability = availability
            took("availability", from: .visibleText)
        }
        guard !record.offers.isEmpty, saysProduct || !isStated else { return }
        visible.readLabels(facts.visibleText, limits: facts.limits)
        if record.brand == nil, let brand = visibleBrand(visible) {
            record.brand = Snippet.cut(brand, to: 100)
            took("brand", from: .visibleText)
        }
        let isKnown = !record.identifiers.isEmpty
        for number in visible.numbers { record.identifiers.add(number.text, as: number.kind) }
        if !isKnown, !record.identifiers.isEmpty { took("identifiers", from: .visibleText) }
        if record.identifiers.isEmpty, let number = numberInAddress() {
            record.identifiers.add(number, as: "sku")
            took("identifiers", from: .pageURL)
        }
    }

    /// What has a label; else what an element is named after that the page's title names too.
    private func visibleBrand(_ visible: VisibleProduct) -> String? {
        if let brand = visible.labelledBrand, let line = CleanText.line(brand), !line.has("://") { return line }
        let titles = [record.title, facts.metadata.title].compactMap(\.self).map(FoldedName.init)
        return visible.brands.lazy.compactMap(CleanText.line).first { brand in
            let name = FoldedName(brand)
            return name.count > 1 && titles.contains { $0.contains(name) }
        }
    }

    /// `987929` of `/BabyBjorn_One-987929.html`, if the page's picture is filed under it too.
    private func numberInAddress() -> String? {
        guard let url = WebURL(record.uniqueIdentifier) else { return nil }
        func numbers(_ text: String) -> [Substring] {
            text.split { !$0.isASCII || !$0.isLetter && !$0.isNumber }.filter {
                (5...20).contains($0.utf8.count) && $0.utf8.count(where: \.isASCIIDigit) >= 4
            }
        }
        let pictures = Set(record.images.prefix(5).flatMap { numbers($0.url).map(String.init) })
        let own = numbers(url.href).filter { pictures.contains(String($0)) && $0.utf8.allSatisfy(\.isASCIIDigit) }
        return own.last.map(String.init)
    }

    /// A page whose markup names no other topic.
    private var mayBeAboutProduct: Bool {
        guard page.mainRank >= ItemKind.Rank.page else { return false }
        let type = facts.openGraph?.type?.asciiLowercased ?? ""
        return type.isEmpty || type == "website"
    }

    mutating func takePriceRange() {
        let text =
            page.mainText("priceRange")
            ?? (page.mainRank > 9 ? page.firstItem(of: .localBusiness).flatMap { page.text($0, "priceRange") } : nil)
            ?? page.looseText("priceRange")
        guard let range = CleanText.line(text) else { return }
        record.priceRange = Snippet.cut(range, to: 100)
        took("priceRange", from: .schemaOrg)
    }
}
