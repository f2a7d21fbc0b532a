// Checks of structured data (S05…S09, S19), in the order of their codes.

import PippinPage

enum StructuredDataChecks {
    /// How many findings most of these checks list, the gravest first. The others are counted (`Finding.unlisted`).
    static let shownPerCheck = 5

    // MARK: Syntax

    static let s05 = CheckJudge(
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

    static let s06 = CheckJudge(
        .s06, .structuredData, .warning, "Microdata, RDFa and microformats are well formed",
        problem: "Microdata, RDFa or microformats have mistakes",
        why: "Properties outside an item, and types nobody knows, say nothing.",
        page: microdataAndRDFa,
        noteRemedy: { note, _ in
            switch note.code {
            case .microformats(.eventWithoutStart):
                Finding.Remedy(
                    "Say when it starts.", code: "<time class=\"dt-start\" datetime=\"2026-12-06T19:30\">")
            case .microformats:
                Finding.Remedy(
                    "Write times for programs in the datetime attribute of a time element: 2026-12-06T19:30.")
            default:
                Finding.Remedy("Put every itemprop inside an element with itemscope and an itemtype of schema.org.")
            }
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

    static let s07 = CheckJudge(
        .s07, .structuredData, .warning, "Ratings have a value and a count",
        problem: "Ratings are incomplete or make no sense",
        why: "Stars are shown only where both are known and make sense.",
        page: ratings)

    private static func ratings(_ page: PageExamination) -> [Verdict] {
        // "Review snippet (Review, AggregateRating) structured data": ratingValue, and ratingCount or reviewCount, are required;
        // without bestRating and worstRating, 5 and 1 count.
        let isForGoogle = page.options.profile == .google
        let loss = isForGoogle ? " Google rejects the rating." : " Google shows no stars for it."
        func lack(_ sentence: String, at place: Finding.Place?, _ remedy: Finding.Remedy) -> Verdict {
            Verdict(
                isForGoogle ? .error : .warning, sentence + (page.options.profile == .apple ? "" : loss), at: place,
                remedy)
        }
        var verdicts: [Verdict] = []
        var good: (String, StructuredItem)?
        for item in page.items("AggregateRating").prefix(50) {
            let value = page.text(item, "ratingValue")
            let count = page.literal(item, "ratingCount") ?? page.literal(item, "reviewCount")
            let place = page.place(of: item)
            let remedy = Finding.Remedy(
                "Say value, best and count.",
                code: Markup.properties(
                    [
                        ("ratingValue", value.flatMap(SchemaOrg.decimal).map(text) ?? "4.5"),
                        ("bestRating", page.text(item, "bestRating") ?? "5"),
                        ("ratingCount", count.flatMap { SchemaOrg.count($0) }.map(String.init) ?? "12"),
                    ], of: "AggregateRating", in: item.syntax))
            guard let value else {
                verdicts.append(lack("A rating has no ratingValue.", at: place, remedy))
                continue
            }
            guard let count else {
                verdicts.append(
                    lack(
                        "The rating \(Wording.quoted(value)) has neither ratingCount nor reviewCount.", at: place,
                        remedy
                    ))
                continue
            }
            guard let number = SchemaOrg.decimal(value) else {
                verdicts.append(
                    lack(
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
                    lack(
                        "The count \(Wording.quoted(count.text)) is no whole number.",
                        at: page.place(of: item, property: name),
                        remedy))
            } else if number > best || (number < worst && number != 0) {
                verdicts.append(
                    lack(
                        "ratingValue \(Wording.quoted(value)) is not between \(text(worst)) and \(text(best))."
                            + (page.text(item, "bestRating") == nil ? " Without bestRating, 5 is the best." : ""),
                        at: page.place(of: item, property: "ratingValue"), remedy))
            } else if good == nil {
                good = ("\(text(number)) of \(text(best)), \(count.text) votes.", item)
            }
        }
        if verdicts.isEmpty, let good { return [.pass(good.0, at: page.place(of: good.1))] }
        return verdicts.gravest(upTo: shownPerCheck)
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
    }

    static let s08 = CheckJudge(
        .s08, .structuredData, .warning, "Offers have a price and a currency",
        problem: "Offers lack a usable price or currency",
        why: "A price without a currency cannot be shown.",
        page: offers)

    private static func offers(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        /// How many offers have each problem; what many offers share is one finding.
        var counts: [String: Int] = [:]
        var good: (String, StructuredItem)?
        for (index, item) in offerItems(page) {
            // S21 reports what an offer of the page's product or app lacks.
            let askedElsewhere = page.completeness.judgedOffers[index] ?? []
            let problems = problems(of: item, askedElsewhere: askedElsewhere, page)
            for problem in problems {
                counts[problem.sentence, default: 0] += 1
                if counts[problem.sentence] == 1 { verdicts.append(problem) }
            }
            let stated = page.structured.statedPrice(of: item)
            if problems.isEmpty, good == nil, let price = stated.any {
                let currency = stated.currency?.text
                let read = SchemaOrg.price(price.literal, currency: currency)
                let availability = page.text(item, "availability").flatMap(SchemaOrg.availability)
                good = (
                    [read?.amount ?? read?.low ?? price.text, currency].compactMap(\.self).joined(separator: " ")
                        + (availability.map { ", " + SchemaOrg.words(ofMember: $0).lowercased() } ?? ""), item
                )
            }
        }
        if verdicts.isEmpty, let good { return [.pass("The offer is \(good.0).", at: page.place(of: good.1))] }
        for index in verdicts.indices {
            let others = (counts[verdicts[index].sentence] ?? 1) - 1
            if others > 0 { verdicts[index].sentence += " (\(Wording.count(others, "more offer")) like this.)" }
        }
        return verdicts.gravest(upTo: shownPerCheck)
    }

    /// All that is wrong with one offer.
    private static func problems(
        of item: StructuredItem, askedElsewhere: Set<String>, _ page: PageExamination
    ) -> [Verdict] {
        var verdicts: [Verdict] = []
        let place = page.place(of: item)
        let stated = page.structured.statedPrice(of: item)
        let price = stated.any
        let currency = stated.currency?.text
        let read = price.flatMap { SchemaOrg.price($0.literal, currency: currency) }
        let code = Markup.properties(
            [
                ("price", read?.amount ?? "12.00"),
                ("priceCurrency", currency.flatMap(SchemaOrg.currency) ?? read?.currency ?? "USD"),
                ("availability", "https://schema.org/InStock"),
            ], of: "Offer", in: item.syntax)
        func negative(_ part: StructuredPage.StatedPrice.Part) -> Verdict {
            .warning(
                "\(part.property) \(Wording.quoted(part.text)) is below zero, which is no price.",
                at: page.place(of: part.item, property: part.property),
                Finding.Remedy("Write what is paid, without a sign; 0 if it is free.", code: code))
        }
        for part in [stated.low, stated.high].compactMap(\.self)
        where part.property != price?.property && SchemaOrg.isNegativePrice(part.literal) {
            verdicts.append(negative(part))
        }
        if let price {
            let pricePlace = page.place(of: price.item, property: price.property)
            if let read, let amount = read.amount ?? read.low {
                if !price.literal.isNumber, !isPlainNumber(price.text) {
                    verdicts.append(
                        .warning(
                            "The price is written \(Wording.quoted(price.text)); it was read as \(amount)\(read.high.map { " to \($0)" } ?? "").",
                            at: pricePlace, Finding.Remedy("Write digits with a dot and nothing else.", code: code)))
                }
                if currency == nil, !askedElsewhere.contains("priceCurrency"), read.currency == nil,
                    Double(amount) != 0
                {
                    verdicts.append(
                        .warning(
                            "The price \(Wording.quoted(price.text)) has no currency."
                                + (page.options.profile == .apple ? "" : " Google's merchant listings require one."),
                            at: place,
                            Finding.Remedy("Add priceCurrency.", code: code)))
                }
            } else if SchemaOrg.isNegativePrice(price.literal) {
                verdicts.append(negative(price))
            } else if price.literal.isNumber {
                verdicts.append(
                    .warning(
                        "The price \(Wording.quoted(price.text)) is too large to be one.", at: pricePlace,
                        Finding.Remedy("Write what is paid.", code: code)))
            } else {
                verdicts.append(
                    .warning(
                        "The price \(Wording.quoted(price.text)) is no number.", at: pricePlace,
                        Finding.Remedy("Write digits with a dot; the currency stands beside.", code: code)))
            }
        } else if askedElsewhere.isDisjoint(with: ["price", "lowPrice"]), page.text(item, "url") == nil,
            // Offers of places and tickets often have an address with a list of prices instead. That is enough.
            item.properties.contains(where: { $0.name == "availability" || $0.name == "priceCurrency" })
        {
            verdicts.append(.warning("An offer has no price.", at: place, Finding.Remedy("Say the price.", code: code)))
        }
        if let currency, !SchemaOrg.currencyCodes.contains(currency) {
            verdicts.append(
                .warning(
                    "priceCurrency \(Wording.quoted(currency)) is no code of ISO 4217.",
                    at: stated.currency.flatMap { page.place(of: $0.item, property: $0.property) },
                    Finding.Remedy(
                        "Write its three capitals.",
                        code: Markup.property("priceCurrency", SchemaOrg.currency(currency) ?? "USD", in: item.syntax)
                    )))
        }
        for property in ["availability", "itemCondition"] {
            if let verdict = member(of: property, of: item, page) { verdicts.append(verdict) }
        }
        func amount(_ part: StructuredPage.StatedPrice.Part) -> Double? {
            SchemaOrg.price(part.literal, currency: currency)?.amount.flatMap(Double.init)
        }
        if let low = stated.low, let high = stated.high, let least = amount(low), let most = amount(high), least > most
        {
            verdicts.append(
                .warning(
                    "\(low.property) \(text(least)) is above \(high.property) \(text(most)).",
                    at: page.place(of: low.item, property: low.property), Finding.Remedy("Swap them.")))
        }
        return verdicts
    }

    /// What is wrong with a value that should be a member of one of schema.org's enumerations; nil if nothing is. Other readers take
    /// the value as it is written, so a member that only lenient reading finds is reported too.
    static func member(of property: String, of item: StructuredItem, _ page: PageExamination) -> Verdict? {
        guard let enumeration = SchemaOrg.enumerations[property], let written = page.text(item, property),
            SchemaOrg.exactMember(written, of: enumeration.members) == nil
        else { return nil }
        let read =
            property == "availability"
            ? SchemaOrg.availability(written) : SchemaOrg.member(written, of: enumeration.members)
        let place = page.place(of: item, property: property)
        let code = Markup.property(
            property, "https://schema.org/" + (read ?? enumeration.members[0]), in: item.syntax)
        guard let read else {
            return .warning(
                "\(property) \(Wording.quoted(written)) is not one of schema.org's.", at: place,
                Finding.Remedy("Name a member of \(enumeration.name).", code: code))
        }
        return .warning(
            "\(property) is written \(Wording.quoted(written)); schema.org has \(read).", at: place,
            Finding.Remedy("Write the member of \(enumeration.name) as schema.org does.", code: code))
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

    static let s09 = CheckJudge(
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

    static let s19 = CheckJudge(
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
