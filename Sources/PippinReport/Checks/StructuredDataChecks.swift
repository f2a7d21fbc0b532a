// Checks of structured data (S05…S09, S19), in the order of their codes.

import PippinPage

enum StructuredDataChecks {
    static let shownPerCheck = 5

    // MARK: Syntax

    static let s05 = Check(
        .s05, .structuredData, .warning, "JSON-LD is well formed",
        problem: "JSON-LD has mistakes",
        why: "A wrong character can lose the whole script to readers, a wrong name what stands under it.",
        page: jsonLD,
        noteRemedy: { note, _ in
            switch note.code {
            case .jsonLD(.contextMissing), .jsonLD(.contextUnknown), .jsonLDError(.contextOverflow):
                Finding.Remedy("Name schema.org as the context.", code: "\"@context\": \"https://schema.org\"")
            default:
                Finding.Remedy(
                    "Let the program that makes the page write the JSON, so that quotes, commas and line breaks come out right."
                )
            }
        })

    private static func jsonLD(_ page: PageExamination) -> [Verdict] {
        syntax(page, [.jsonLD])
    }

    static let s06 = Check(
        .s06, .structuredData, .warning, "Microdata and RDFa are well formed",
        problem: "Microdata or RDFa has mistakes",
        why: "Properties outside an item, and types nobody knows, say nothing.",
        page: microdataAndRDFa,
        noteRemedy: { _, _ in
            Finding.Remedy("Put every itemprop inside an element with itemscope and an itemtype of schema.org.")
        })

    private static func microdataAndRDFa(_ page: PageExamination) -> [Verdict] {
        syntax(page, [.microdata, .rdfa])
    }

    private static func syntax(_ page: PageExamination, _ syntaxes: Set<StructuredItem.Syntax>) -> [Verdict] {
        let items = page.structured.items.filter { syntaxes.contains($0.syntax) }
        guard !items.isEmpty else { return [] }
        let verdicts = names(page, syntaxes)
        if !verdicts.isEmpty { return verdicts }
        let types = orderedTypes(items)
        return [
            .pass(
                "\(Wording.count(items.count, "item"))" + (types.isEmpty ? "." : ": \(Wording.list(types, shown: 4))."),
                at: items.first.map(page.place))
        ]
    }

    private static func orderedTypes(_ items: [StructuredItem]) -> [String] {
        var seen: [String] = []
        for type in items.flatMap(\.types) where !seen.contains(type) && seen.count < 50 { seen.append(type) }
        return seen
    }

    // MARK: Values

    static let s07 = Check(
        .s07, .structuredData, .warning, "Ratings have a value and a count",
        problem: "Ratings are incomplete or make no sense",
        why: "Stars are shown only where both are known and make sense.",
        page: ratings)

    private static func ratings(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        var good: (String, StructuredItem)?
        for item in page.items("AggregateRating").prefix(50) {
            guard verdicts.count < shownPerCheck else { break }
            let value = page.text(item, "ratingValue")
            let count = page.text(item, "ratingCount") ?? page.text(item, "reviewCount")
            let place = page.place(of: item)
            let remedy = Finding.Remedy(
                "Say value, best and count.",
                code: Markup.properties(
                    [
                        ("ratingValue", value.flatMap(SchemaOrg.decimal).map(text) ?? "4.5"),
                        ("bestRating", page.text(item, "bestRating") ?? "5"),
                        ("ratingCount", count.flatMap(SchemaOrg.count).map(String.init) ?? "12"),
                    ], of: "AggregateRating", in: item.syntax))
            guard let value else {
                verdicts.append(.warning("A rating has no ratingValue.", at: place, remedy))
                continue
            }
            guard let count else {
                verdicts.append(
                    .warning(
                        "The rating \(Wording.quoted(value)) has neither ratingCount nor reviewCount.", at: place,
                        remedy
                    ))
                continue
            }
            guard let number = SchemaOrg.decimal(value) else {
                verdicts.append(
                    .warning(
                        "ratingValue \(Wording.quoted(value)) is no number.",
                        at: page.place(of: item, property: "ratingValue"), remedy))
                continue
            }
            let best = page.text(item, "bestRating").flatMap(SchemaOrg.decimal) ?? 5
            let worst = page.text(item, "worstRating").flatMap(SchemaOrg.decimal) ?? min(1, best)
            if let total = SchemaOrg.count(count), total == 0 {
                verdicts.append(
                    .info(
                        "The rating counts no votes.", at: place,
                        Finding.Remedy("Leave the rating out until there is one.")))
            } else if SchemaOrg.count(count) == nil {
                let name = page.text(item, "ratingCount") == nil ? "reviewCount" : "ratingCount"
                verdicts.append(
                    .warning(
                        "The count \(Wording.quoted(count)) is no number.", at: page.place(of: item, property: name),
                        remedy))
            } else if number > best || (number < worst && number != 0) {
                verdicts.append(
                    .warning(
                        "ratingValue \(Wording.quoted(value)) is not between \(text(worst)) and \(text(best))."
                            + (page.text(item, "bestRating") == nil ? " Without bestRating, 5 is the best." : ""),
                        at: page.place(of: item, property: "ratingValue"), remedy))
            } else if good == nil {
                good = ("\(text(number)) of \(text(best)), \(count) votes.", item)
            }
        }
        if verdicts.isEmpty, let good { return [.pass(good.0, at: page.place(of: good.1))] }
        return verdicts
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
    }

    static let s08 = Check(
        .s08, .structuredData, .warning, "Offers have a price and a currency",
        problem: "Offers lack a usable price or currency",
        why: "A price without a currency cannot be shown.",
        page: offers)

    private static func offers(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        var good: (String, StructuredItem)?
        for (index, item) in offerItems(page) {
            guard verdicts.count < shownPerCheck else { break }
            // S21 reports what an offer of the page's product or app lacks.
            let isAskedElsewhere = page.completeness.judgedOffers.contains(index)
            let place = page.place(of: item)
            let specification = page.structured.items(item.values("priceSpecification")).first
            let price =
                page.text(item, "price") ?? page.text(item, "lowPrice")
                ?? specification.flatMap { page.text($0, "price") ?? page.text($0, "minPrice") }
            let currency = page.text(item, "priceCurrency") ?? specification.flatMap { page.text($0, "priceCurrency") }
            let known = price.flatMap { SchemaOrg.price($0, currency: currency) }
            let code = Markup.properties(
                [
                    ("price", known?.amount ?? "12.00"),
                    ("priceCurrency", currency.flatMap(SchemaOrg.currency) ?? known?.currency ?? "USD"),
                    ("availability", "https://schema.org/InStock"),
                ], of: "Offer", in: item.syntax)
            guard let price else {
                // Offers of places and tickets often have an address with a list of prices instead. That is enough.
                if !isAskedElsewhere, page.text(item, "url") == nil,
                    item.properties.contains(where: { $0.name == "availability" || $0.name == "priceCurrency" })
                {
                    verdicts.append(
                        .warning("An offer has no price.", at: place, Finding.Remedy("Say the price.", code: code)))
                }
                continue
            }
            let priceName = page.text(item, "price") == nil ? "lowPrice" : "price"
            guard let read = SchemaOrg.price(price, currency: currency), read.amount != nil || read.low != nil else {
                verdicts.append(
                    .warning(
                        "The price \(Wording.quoted(price)) is no number.",
                        at: page.place(of: item, property: priceName),
                        Finding.Remedy("Write digits with a dot; the currency stands beside.", code: code)))
                continue
            }
            if !isPlainNumber(price) {
                verdicts.append(
                    .warning(
                        "The price is written \(Wording.quoted(price)); it was read as \(read.amount ?? read.low ?? "")\(read.high.map { " to \($0)" } ?? "").",
                        at: page.place(of: item, property: priceName),
                        Finding.Remedy("Write digits with a dot and nothing else.", code: code)))
                continue
            }
            guard let currency else {
                if !isAskedElsewhere, read.currency == nil, Double(price) != 0 {
                    verdicts.append(
                        .warning(
                            "The price \(Wording.quoted(price)) has no currency.", at: place,
                            Finding.Remedy("Add priceCurrency.", code: code)))
                }
                continue
            }
            if !SchemaOrg.currencyCodes.contains(currency) {
                verdicts.append(
                    .warning(
                        "priceCurrency \(Wording.quoted(currency)) is no code of ISO 4217.",
                        at: page.place(of: item, property: "priceCurrency"),
                        Finding.Remedy(
                            "Write its three capitals.",
                            code: Markup.property(
                                "priceCurrency", SchemaOrg.currency(currency) ?? "USD", in: item.syntax))))
                continue
            }
            if let availability = page.text(item, "availability"), SchemaOrg.availability(availability) == nil {
                verdicts.append(
                    .warning(
                        "availability \(Wording.quoted(availability)) is not one of schema.org's.",
                        at: page.place(of: item, property: "availability"),
                        Finding.Remedy(
                            "Name a member of ItemAvailability.",
                            code: Markup.property("availability", "https://schema.org/InStock", in: item.syntax))))
                continue
            }
            func amount(_ name: String) -> Double? {
                page.text(item, name).flatMap { SchemaOrg.price($0, currency: currency)?.amount }.flatMap(Double.init)
            }
            if let low = amount("lowPrice"), let high = amount("highPrice"), low > high {
                verdicts.append(
                    .warning(
                        "lowPrice \(text(low)) is above highPrice \(text(high)).",
                        at: page.place(of: item, property: "lowPrice"),
                        Finding.Remedy("Swap them.")))
                continue
            }
            if good == nil {
                let availability = page.text(item, "availability").flatMap(SchemaOrg.availability)
                good = (
                    "\(read.amount ?? read.low ?? price) \(currency)"
                        + (availability.map { ", " + SchemaOrg.words(ofMember: $0).lowercased() } ?? ""), item
                )
            }
        }
        if verdicts.isEmpty, let good { return [.pass("The offer is \(good.0).", at: page.place(of: good.1))] }
        return verdicts
    }

    private static func offerItems(_ page: PageExamination) -> [(Int, StructuredItem)] {
        var offers: [(Int, StructuredItem)] = []
        for (index, item) in page.structured.items.enumerated() where offers.count < 100 {
            if item.types.contains(where: { SchemaOrg.isKind($0, of: "Offer") }) { offers.append((index, item)) }
        }
        return offers
    }

    private static func isPlainNumber(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.first.map { $0.isASCIIDigit || $0 == 0x2E } == true
            && bytes.allSatisfy { $0.isASCIIDigit || $0 == 0x2E }
            && bytes.count { $0 == 0x2E } <= 1
    }

    static let s09 = Check(
        .s09, .structuredData, .info, "Interactions are counted the new way",
        problem: "Interactions are counted the old way",
        why: "interactionCount gave way to interactionStatistic.",
        page: interactions)

    private static func interactions(_ page: PageExamination) -> [Verdict] {
        for item in page.structured.items.prefix(1_000) {
            guard let old = page.text(item, "interactionCount") else { continue }
            return [
                .info(
                    "interactionCount \(Wording.quoted(old)) is the old form.", at: page.place(of: item),
                    Finding.Remedy(
                        "Write it as interactionStatistic.",
                        code: "\"interactionStatistic\": "
                            + Markup.json([
                                "@type": "InteractionCounter", "interactionType": "https://schema.org/LikeAction",
                                "userInteractionCount": .integer(
                                    SchemaOrg.count(String(old.split(separator: ":").last ?? "")) ?? 0),
                            ])))
            ]
        }
        let counters = page.items("InteractionCounter")
        return counters.isEmpty
            ? []
            : [.pass("\(Wording.count(counters.count, "InteractionCounter")).", at: counters.first.map(page.place))]
    }

    // MARK: Vocabulary

    static let s19 = Check(
        .s19, .structuredData, .warning, "No dead vocabulary",
        problem: "Dead vocabulary is in use",
        why: "data-vocabulary.org ended in 2020; schema.org took its place.",
        page: vocabulary)

    private static func vocabulary(_ page: PageExamination) -> [Verdict] {
        for item in page.structured.items {
            guard let dead = item.types.first(where: { $0.contains("data-vocabulary.org") }) else { continue }
            return [
                .warning(
                    "\(Wording.quoted(dead)) is of a vocabulary that ended.", at: page.place(of: item),
                    Finding.Remedy(
                        "Use schema.org's type.",
                        code: "itemtype=\"https://schema.org/\(SchemaOrg.type(dead) ?? "Thing")\"")
                ).inPlaceOf(note: .rdfa(.dataVocabulary))
            ]
        }
        return page.structured.items.isEmpty ? [] : [.pass("All types are of vocabularies in use.")]
    }
}
