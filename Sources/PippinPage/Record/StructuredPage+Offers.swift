// What the page's topic costs, whether it can be had, and how it is rated. The record takes these values, and the report
// card holds those of one syntax against another's.

extension StructuredPage {
    private static let maximumOffers = 20
    /// Offers that are looked at for these.
    private static let maximumLooked = 200

    /// Offers of the main item; without any, the only offer of the page.
    public func offers() -> [DeepLinkRecord.Offer] {
        var offers: [DeepLinkRecord.Offer] = []
        var values = mainValues("offers")
        if values.isEmpty { values = mainValues("offer") }
        // A group of products has its offers on its variants.
        if values.isEmpty {
            values = self.values(of: items(mainValues("hasVariant")).prefix(Self.maximumOffers), "offers")
        }
        // What a business offers: a hotel its rooms.
        if values.isEmpty { values = mainValues("makesOffer") }
        var gathered: Set<Int> = []
        let shop = shop()
        for value in values.prefix(Self.maximumLooked) where offers.count < Self.maximumOffers {
            if limits.isInterrupted { return offers }
            if case .item(let index) = value, items.indices.contains(index) {
                add(offer: items[index], shop, to: &offers, depth: 0, &gathered)
            } else if let literal = value.literal, let price = SchemaOrg.price(literal) {
                add(DeepLinkRecord.Offer(price), to: &offers)
            }
        }
        // An offer beside a hotel is the hotel's; beside an article it is a partner's.
        if offers.isEmpty, !mainIs(.article), !mainIs(.recipe) {
            let all = items.filter { $0.isTopLevel && isItem($0, .offer) }
            if all.count == 1, let only = all.first { add(offer: only, shop, to: &offers, depth: 0, &gathered) }
        }
        if offers.isEmpty {
            // The price on the item itself, as microdata without the inner itemscope has it.
            for index in main where text(items[index], "price") != nil {
                add(offer: items[index], shop, to: &offers, depth: 1, &gathered)
                break
            }
        }
        return offers
    }

    /// - Parameter gathered: the offers that were read as part of another one. Many may gather the same.
    private func add(
        offer item: StructuredItem, _ shop: StructuredItem?, to offers: inout [DeepLinkRecord.Offer], depth: Int,
        _ gathered: inout Set<Int>
    ) {
        guard offers.count < Self.maximumOffers, !limits.isInterrupted else { return }
        let offer = stated(item)
        let saysPrice = offer.price != nil || offer.highPrice != nil
        if !saysPrice, depth == 0 {
            // An AggregateOffer that only gathers others.
            var gathersOthers = false
            for case .item(let other) in item.values("offers").prefix(Self.maximumLooked)
            where items.indices.contains(other) {
                gathersOthers = true
                guard gathered.insert(other).inserted else { continue }
                add(offer: items[other], shop, to: &offers, depth: 1, &gathered)
            }
            if gathersOthers { return }
        }
        guard saysPrice || offer.availability != nil else { return }
        var whole = offer
        takeTerms(of: item, shop, in: &whole)
        add(whole, to: &offers)
    }

    /// What an offer says itself, without its terms.
    func offer(_ item: StructuredItem?) -> DeepLinkRecord.Offer? {
        guard let item, !limits.isInterrupted else { return nil }
        return stated(item)
    }

    private func stated(_ item: StructuredItem) -> DeepLinkRecord.Offer {
        let stated = statedPrice(of: item)
        let currency = stated.currency?.text
        var offer = DeepLinkRecord.Offer()
        offer.currency = currency.flatMap(SchemaOrg.currency)
        offer.availability = text(item, "availability").flatMap(SchemaOrg.availability)
        if let price = stated.price.flatMap({ SchemaOrg.price($0.literal, currency: currency) }) {
            offer.price = price.amount
            offer.lowPrice = price.low
            offer.highPrice = price.high
            offer.currency = price.currency
            offer.raw = Snippet.cut(price.raw, to: 100)
        }
        if let low = stated.low.flatMap({ SchemaOrg.price($0.literal, currency: currency) }) {
            offer.lowPrice = low.amount ?? low.low
            offer.highPrice = low.high ?? offer.highPrice
            offer.currency = offer.currency ?? low.currency
            offer.raw = offer.raw ?? Snippet.cut(low.raw, to: 100)
        }
        if let high = stated.high.flatMap({ SchemaOrg.price($0.literal, currency: currency) }) {
            offer.highPrice = high.amount ?? high.high
            offer.currency = offer.currency ?? high.currency
        }
        offer.price = offer.price ?? offer.lowPrice
        return offer
    }

    /// In which state it is, until when the price holds, how it is sent, and whether it can be given back.
    private func takeTerms(of item: StructuredItem, _ shop: StructuredItem?, in offer: inout DeepLinkRecord.Offer) {
        offer.itemCondition = (text(item, "itemCondition") ?? mainText("itemCondition")).flatMap(
            SchemaOrg.itemCondition)
        offer.priceValidUntil = text(item, "priceValidUntil").flatMap { SchemaOrg.moment($0) }?.text
        offer.shipping = shipping(of: item)
        offer.returns = returns(of: item, shop)
    }

    // MARK: Shipping and returns

    /// Real offers state it for one to three regions.
    private static let maximumShipping = 10
    private static let maximumCountries = 50

    /// What the offer states, or refers to.
    private func shipping(of offer: StructuredItem) -> [DeepLinkRecord.Shipping] {
        var all: [DeepLinkRecord.Shipping] = []
        for item in items(Array(offer.values("shippingDetails").prefix(Self.maximumShipping))) {
            var shipping = DeepLinkRecord.Shipping()
            for region in items(Array(item.values("shippingDestination").prefix(Self.maximumShipping))) {
                add(region.values("addressCountry"), to: &shipping.countries)
            }
            if let rate = items(item.values("shippingRate")).first {
                let currency = text(rate, "currency") ?? text(offer, "priceCurrency")
                let price = (literal(rate, "value") ?? literal(rate, "maxValue"))
                    .flatMap { SchemaOrg.price($0, currency: currency) }
                (shipping.price, shipping.currency) = (price?.amount, price?.currency)
            }
            if let time = items(item.values("deliveryTime")).first {
                let parts = items(time.values("handlingTime")).prefix(1) + items(time.values("transitTime")).prefix(1)
                shipping.minimumDays = days(parts, "minValue")
                shipping.maximumDays = days(parts, "maxValue")
            }
            if text(item, "doesNotShip").flatMap(SchemaOrg.boolean) == true { shipping.isShipped = false }
            let saysMore = shipping.price != nil || shipping.maximumDays != nil || !shipping.isShipped
            if saysMore, !all.contains(shipping) { all.append(shipping) }
        }
        return all
    }

    /// Handling and transit together; nil unless each of them says it.
    private func days(_ parts: some Collection<StructuredItem>, _ name: String) -> Int? {
        var sum = 0
        for part in parts {
            // UN/CEFACT's code, as Google asks for it, or its name.
            let unit = (text(part, "unitCode") ?? text(part, "unitText") ?? "DAY").asciiLowercased
            guard ["day", "days", "d"].contains(unit),
                let days = (literal(part, name) ?? literal(part, "value")).flatMap({ SchemaOrg.count($0) }),
                days < 1_000
            else { return nil }
            sum += days
        }
        return parts.isEmpty ? nil : sum
    }

    /// The only organization of the page that has a policy.
    private func shop() -> StructuredItem? {
        var steps = InterruptibleSteps(limits)
        var found: StructuredItem?
        for item in items {
            if steps.isInterrupted() { return nil }
            guard isItem(item, .organization), !item.values("hasMerchantReturnPolicy").isEmpty else { continue }
            if found != nil { return nil }
            found = item
        }
        return found
    }

    /// The offer's own policy, else that of its seller, else that of the only organization of the page which has one.
    private func returns(of offer: StructuredItem, _ shop: StructuredItem?) -> DeepLinkRecord.ReturnPolicy? {
        let name = "hasMerchantReturnPolicy"
        var policies = items(offer.values(name))
        if policies.isEmpty { policies = items(of: items(offer.values("seller")).prefix(1), name) }
        if policies.isEmpty { policies = items(mainValues(name)) }
        if policies.isEmpty, let shop { policies = items(shop.values(name)) }
        guard let policy = policies.first else { return nil }
        var returns = DeepLinkRecord.ReturnPolicy()
        returns.category = text(policy, "returnPolicyCategory").flatMap {
            SchemaOrg.member($0, of: SchemaOrg.returnPolicyCategories)
        }
        returns.days = literal(policy, "merchantReturnDays").flatMap { SchemaOrg.count($0) }
        returns.fees = text(policy, "returnFees").flatMap { SchemaOrg.member($0, of: SchemaOrg.returnFees) }
        add(policy.values("applicableCountry"), to: &returns.countries)
        returns.url = (text(policy, "merchantReturnLink") ?? text(policy, "url"))
            .flatMap { WebURL(written: $0, base: nil) }.flatMap { $0.isHTTP ? $0.href : nil }
        return returns == DeepLinkRecord.ReturnPolicy() ? nil : returns
    }

    private func add(_ values: [StructuredItem.Value], to countries: inout [String]) {
        for value in values.prefix(Self.maximumCountries) where countries.count < Self.maximumCountries {
            guard let country = CleanText.line(text(of: value), to: 60),
                !countries.contains(country)
            else { continue }
            countries.append(country)
        }
    }

    private func add(
        _ offer: DeepLinkRecord.Offer, to offers: inout [DeepLinkRecord.Offer]
    ) {
        guard offers.count < Self.maximumOffers, !offers.contains(offer) else { return }
        offers.append(offer)
    }

    /// Where an offer says what it costs.
    public struct StatedPrice {
        public struct Part {
            public let literal: StructuredItem.Literal
            /// The property with the text, and the item that has it.
            public let property: String
            public let item: StructuredItem

            /// The literal as written.
            public var text: String { literal.text }
        }

        /// `price`.
        public let price: Part?
        /// `lowPrice` of an AggregateOffer, `minPrice` of a specification.
        public let low: Part?
        /// `highPrice`, `maxPrice`.
        public let high: Part?
        public let currency: Part?

        /// The part that an offer has at least; nil without any price.
        public var any: Part? { price ?? low ?? high }
    }

    /// Each part from the offer itself, else from its price specification.
    public func statedPrice(of offer: StructuredItem) -> StatedPrice {
        let items = [offer] + [priceSpecification(of: offer)].compactMap(\.self)
        func part(_ names: String...) -> StatedPrice.Part? {
            for name in names {
                for item in items {
                    if let literal = literal(item, name) {
                        return StatedPrice.Part(literal: literal, property: name, item: item)
                    }
                }
            }
            return nil
        }
        return StatedPrice(
            price: part("price"), low: part("lowPrice", "minPrice"), high: part("highPrice", "maxPrice"),
            currency: part("priceCurrency"))
    }

    /// The `priceSpecification` of what is paid, not of what is struck through beside it: `priceType` names list prices and the like.
    public func priceSpecification(of offer: StructuredItem) -> StructuredItem? {
        let specifications = items(offer.values("priceSpecification"))
        return specifications.first { text($0, "priceType").map(SchemaOrg.isPaidPrice) ?? true }
            ?? specifications.first
    }

    /// The rating of the main item, or the page's only one.
    public func rating() -> SchemaOrg.Rating? {
        var candidates = items(mainValues("aggregateRating"))
        // Values written straight on the item, as microdata without the inner itemscope has them.
        candidates += main.map { items[$0] }
        if main.isEmpty || candidates.count == main.count {
            let all = items.filter { isItem($0, .aggregateRating) }
            // The only one of the page can be about nothing else.
            if all.count == 1 { candidates += all }
        }
        for item in candidates {
            guard let value = text(item, "ratingValue"),
                let rating = SchemaOrg.rating(
                    value: value, best: text(item, "bestRating"), worst: text(item, "worstRating"),
                    count: literal(item, "ratingCount"), reviewCount: literal(item, "reviewCount"))
            else { continue }
            return rating
        }
        return nil
    }
}

extension OpenGraph {
    /// What `product:price` and `product:availability` say.
    public var offer: DeepLinkRecord.Offer? {
        guard let amount = self["product:price:amount"] ?? self["og:price:amount"],
            let price = SchemaOrg.price(
                amount, currency: self["product:price:currency"] ?? self["og:price:currency"])
        else { return nil }
        var offer = DeepLinkRecord.Offer(price)
        offer.availability = availability
        return offer
    }

    /// A member of schema.org's ItemAvailability.
    public var availability: String? {
        (self["product:availability"] ?? self["og:availability"]).flatMap(SchemaOrg.availability)
    }
}

extension DeepLinkRecord.Offer {
    /// An offer at a price.
    public init(_ price: SchemaOrg.Price) {
        self.init(
            price: price.amount, lowPrice: price.low, highPrice: price.high, currency: price.currency,
            raw: Snippet.cut(price.raw, to: 100))
    }
}
