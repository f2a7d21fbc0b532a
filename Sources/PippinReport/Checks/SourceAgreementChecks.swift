// Checks whether the sources of a page agree about its topic, and whether people can see the same (S16).

import PippinPage

extension Presentation {
    static let s16 = CheckJudge(
        .s16, .structuredData, .warning, "All markup says the same",
        problem: "Sources contradict each other",
        why: "Where sources differ each reader shows something else.",
        page: valuesAgree)

    private static func valuesAgree(_ page: PageExamination) -> [Verdict] {
        guard page.refusal == nil else { return [] }
        var verdicts: [Verdict] = []
        var compared = 0
        if let title = page.facts.metadata.title, let other = page.facts.openGraph?.title {
            compared += 1
            if shareNoWord(title, other) {
                verdicts.append(
                    .info(
                        "The title is \(Wording.quoted(title)), og:title \(Wording.quoted(other)): they share no word.",
                        at: page.place(ofMeta: "og:title"), Finding.Remedy("Let both name the same thing.")))
            }
        }
        if let name = page.structured.mainText("name") ?? page.structured.mainText("headline"),
            page.structured.mainRank < ItemKind.Rank.page, let title = page.facts.metadata.title
        {
            compared += 1
            if shareNoWord(title, name) {
                verdicts.append(
                    .info(
                        "The title is \(Wording.quoted(title)), the name in the structured data \(Wording.quoted(name)): they share no word.",
                        at: page.structured.mainItem.map(page.place), Finding.Remedy("Let both name the same thing.")))
            }
        }
        let claims = Claim.all(of: page)
        let title = page.facts.metadata.title ?? page.facts.openGraph?.title ?? ""
        for answer in [names(claims), prices(claims, title), availabilities(claims, title), ratings(claims, title)] {
            compared += answer.compared
            if let verdict = answer.verdict { verdicts.append(verdict) }
        }
        let visible = visibleValues(page)
        verdicts += visible.verdicts
        if verdicts.isEmpty, compared > 0 || !visible.found.isEmpty {
            let found = visible.found.isEmpty ? "" : " People see \(Wording.list(visible.found)) on the page too."
            return [.pass("What the sources say agrees.\(found)")]
        }
        return verdicts
    }

    /// What one source says about the page's topic.
    private struct Claim {
        var source: String
        var name: String?
        var offers: [DeepLinkRecord.Offer] = []
        /// Members of schema.org's ItemAvailability.
        var availabilities: [String] = []
        var rating: SchemaOrg.Rating?
        var place: Finding.Place?

        /// The claims of a page. Each syntax contributes its main item, if the main items are of the same kind. Open Graph
        /// and the Twitter card contribute what they say about a product.
        static func all(of page: PageExamination) -> [Claim] {
            let facts = page.facts
            var claims: [Claim] = []
            let written: [StructuredData] = [
                facts.jsonLD.structuredData, facts.microdata.structuredData, facts.rdfa.structuredData,
            ].filter { !$0.items.isEmpty }
            let pages = written.count == 1 ? [page.structured] : written.map(facts.structuredPage)
            let best = pages.map(\.mainRank).min() ?? .max
            for structured in pages where structured.mainRank == best && best < ItemKind.Rank.page {
                guard let item = structured.mainItem else { continue }
                let offers = structured.offers()
                claims.append(
                    Claim(
                        source: item.syntax.label, name: structured.mainText("name") ?? structured.mainText("headline"),
                        offers: offers, availabilities: offers.compactMap(\.availability), rating: structured.rating(),
                        place: page.place(of: item)))
            }
            if let graph = facts.openGraph {
                claims.append(
                    Claim(
                        source: "Open Graph", offers: [graph.offer].compactMap { $0 },
                        availabilities: [graph.availability].compactMap { $0 },
                        place: page.place(ofMeta: "product:price:amount") ?? page.place(ofMeta: "og:price:amount")
                            ?? page.place(ofMeta: "product:availability") ?? page.place(ofMeta: "og:availability")))
            }
            for label in facts.twitterCard?.labels.prefix(4) ?? [] {
                guard label.label?.asciiLowercased.trimmingHTMLSpace() == "price",
                    let price = label.data.flatMap({ SchemaOrg.price($0) })
                else { continue }
                let name = "twitter:data\(label.number)"
                claims.append(
                    Claim(source: name, offers: [DeepLinkRecord.Offer(price)], place: page.place(ofMeta: name)))
            }
            return claims
        }
    }

    private typealias Answer = (verdict: Verdict?, compared: Int)

    /// One verdict about all claims that have a value, if any value differs from the first.
    private static func compare<Value>(
        _ claims: [Claim], _ what: String, outcome: Finding.Outcome, value: (Claim) -> Value?,
        agree: (Value, Value) -> Bool, text: (Value) -> String
    ) -> Answer {
        let told = claims.compactMap { claim in value(claim).map { (claim: claim, value: $0) } }
        guard told.count > 1, let first = told.first else { return (nil, 0) }
        guard let other = told.dropFirst().first(where: { !agree(first.value, $0.value) }) else {
            return (nil, told.count - 1)
        }
        let values = told.map { "\(text($0.value)) in \($0.claim.source)" }
        return (
            Verdict(
                outcome, "\(what) \(Wording.list(values, shown: 5)).", at: other.claim.place,
                Finding.Remedy("Write the same in all of them.")), told.count - 1
        )
    }

    private static func names(_ claims: [Claim]) -> Answer {
        compare(
            claims, "The name is", outcome: .info, value: \.name, agree: areOneName,
            text: { Wording.quoted($0, to: 80) }
        )
    }

    /// The claims that are about the same thing as the first. If the title contains only the first name, claims with quite
    /// another name are left out.
    private static func ofOneThing(_ claims: [Claim], _ title: String) -> [Claim] {
        guard let first = claims.first?.name, isNamed(first, by: title) else { return claims }
        return claims.filter { claim in
            guard let name = claim.name else { return true }
            return !shareNoWord(first, name) || isNamed(name, by: title)
        }
    }

    private static func isNamed(_ name: String, by title: String) -> Bool {
        let name = squeezed(name)
        return !name.isEmpty && squeezed(title).contains(name)
    }

    private static func prices(_ claims: [Claim], _ title: String) -> Answer {
        compare(
            ofOneThing(claims, title), "The price is", outcome: .warning,
            value: { claim in claim.offers.contains { range(of: $0) != nil } ? claim.offers : nil },
            agree: pricesAgree,
            text: { offers in
                Wording.list(Array(offers.compactMap(priceText).prefix(2)))
            })
    }

    private static func range(of offer: DeepLinkRecord.Offer) -> ClosedRange<Double>? {
        let ends = [offer.price, offer.lowPrice, offer.highPrice].compactMap { $0.flatMap(Double.init) }
        guard let low = ends.min(), let high = ends.max() else { return nil }
        return low...high
    }

    private static func priceText(_ offer: DeepLinkRecord.Offer) -> String? {
        guard let amount = offer.price ?? offer.highPrice else { return nil }
        return offer.currency.map { "\(amount) \($0)" } ?? amount
    }

    /// Whether the prices of two sources are compatible. One may give one of several prices and the other all variants, so it
    /// is enough that their ranges overlap.
    private static func pricesAgree(_ a: [DeepLinkRecord.Offer], _ b: [DeepLinkRecord.Offer]) -> Bool {
        let currencies = (Set(a.compactMap(\.currency)), Set(b.compactMap(\.currency)))
        let shared = currencies.0.intersection(currencies.1)
        if !currencies.0.isEmpty, !currencies.1.isEmpty, shared.isEmpty { return false }
        func span(_ offers: [DeepLinkRecord.Offer]) -> ClosedRange<Double>? {
            let ranges = offers.filter { $0.currency == nil || shared.isEmpty || shared.contains($0.currency ?? "") }
                .compactMap(range)
            guard let low = ranges.map(\.lowerBound).min(), let high = ranges.map(\.upperBound).max() else {
                return nil
            }
            return low...high
        }
        guard let one = span(a), let other = span(b) else { return true }
        return one.lowerBound < other.upperBound + 0.005 && other.lowerBound < one.upperBound + 0.005
    }

    /// What an availability means for a buyer.
    private enum Supply { case now, later, gone }

    private static func supply(_ availability: String) -> Supply {
        switch availability {
        case "OutOfStock", "SoldOut", "Discontinued", "Reserved": .gone
        case "PreOrder", "PreSale", "BackOrder": .later
        default: .now
        }
    }

    private static func availabilities(_ claims: [Claim], _ title: String) -> Answer {
        compare(
            ofOneThing(claims, title), "The availability is", outcome: .warning,
            value: { $0.availabilities.isEmpty ? nil : $0.availabilities },
            agree: { !Set($0.map(supply)).isDisjoint(with: $1.map(supply)) },
            text: { members in
                var seen: [String] = []
                for member in members where !seen.contains(member) { seen.append(member) }
                return Wording.list(Array(seen.prefix(2)))
            })
    }

    private static func ratings(_ claims: [Claim], _ title: String) -> Answer {
        compare(
            ofOneThing(claims, title), "The rating is", outcome: .warning, value: \.rating,
            // A difference of about a tenth of a star comes from rounding.
            agree: { abs($0.normalized - $1.normalized) < 0.03 },
            text: { "\(plain($0.value)) of \(plain($0.best))" })
    }

    private static func plain(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
    }

    // MARK: Words

    /// The text's letters and digits in lower case, without anything else.
    private static func squeezed(_ text: String) -> String {
        String(text.lowercased().prefix(300).filter { $0.isLetter || $0.isNumber })
    }

    private static func words(_ text: String) -> Set<String> {
        Set(
            text.prefix(300).lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
                .filter { $0.count >= 2 })
    }

    /// Whether one name is the other with a few more words, such as a brand, a size or the shop.
    private static func areOneName(_ a: String, _ b: String) -> Bool {
        let (first, second) = (squeezed(a), squeezed(b))
        if first.isEmpty || second.isEmpty || first.contains(second) || second.contains(first) { return true }
        return words(a).isSubset(of: words(b)) || words(b).isSubset(of: words(a))
    }

    /// Whether two texts have no word in common. Languages without spaces between words are not compared.
    private static func shareNoWord(_ a: String, _ b: String) -> Bool {
        let isLatin = (a + b).unicodeScalars.allSatisfy { $0.value < 0x2E80 }
        let first = words(a)
        let second = words(b)
        return isLatin && first.count >= 2 && second.count >= 2 && first.isDisjoint(with: second)
    }
}

// MARK: Visible text

// People distrust a result if its page shows something else.
extension Presentation {
    /// Findings about values that do not occur in the page's text, and the names of those that do.
    static func visibleValues(_ page: PageExamination) -> (verdicts: [Verdict], found: [String]) {
        let text = page.shownText
        // A page with so little text is filled in by scripts, or is hardly a page. There is nothing to compare with.
        guard text.utf8.count >= 300 else { return ([], []) }
        var verdicts: [Verdict] = []
        var found: [String] = []
        if let title = page.record?.title {
            if isShown(title, in: text) {
                found.append("the title")
            } else if title.unicodeScalars.allSatisfy({ $0.value < 0x2E80 }) {
                verdicts.append(
                    .info(
                        "No word of the title \(Wording.quoted(title)) stands in the text that people see.",
                        at: page.place(ofElement: .title),
                        Finding.Remedy("Let the heading say what the title says.")))
            }
        }
        let item = page.structured.mainItem
        let numbers = ShownNumbers(text)
        if let offer = page.record?.offers.first, let price = offer.price, let value = Double(price),
            value > 0
        {
            if numbers.contains(value) {
                found.append("the price")
            } else {
                verdicts.append(
                    .info(
                        "The price \(price)\(offer.currency.map { " " + $0 } ?? "") of the markup stands nowhere in the text that people see.",
                        at: item.map(page.place),
                        Finding.Remedy("Show the price that the markup says, or say the one that is shown.")))
            }
        }
        if let rating = page.record?.rating {
            let count = rating.count ?? rating.reviewCount
            let isShown =
                numbers.contains(rating.value) || numbers.contains((rating.value * 10).rounded() / 10)
                || count.map { numbers.contains(Double($0)) } ?? false
            if isShown {
                found.append("the rating")
            } else {
                let votes = count.map { " of \($0) votes" } ?? ""
                verdicts.append(
                    .info(
                        "The rating \(rating.value)\(votes) stands nowhere in the text that people see.",
                        at: item.map(page.place),
                        Finding.Remedy("Show the rating on the page, or leave it out of the markup.")))
            }
        }
        return (verdicts, found)
    }

    /// Whether the text contains any meaningful word of a title.
    private static func isShown(_ title: String, in text: String) -> Bool {
        let words = title.lowercased().split { !$0.isLetter && !$0.isNumber }.filter { $0.count >= 3 }.prefix(40)
        return words.isEmpty || words.contains { text.contains($0) }
    }
}

/// The numbers in a text, whatever separates their digits: `1,299.00`, `1.299,00`, `1 299`.
struct ShownNumbers {
    private var hundredths: Set<Int> = []

    /// The most numbers that are kept. This is enough for a page's prices and counts, but not for a table of data.
    private static let maximumNumbers = 20_000

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var position = 0
        while position < bytes.count, hundredths.count < Self.maximumNumbers {
            guard bytes[position].isASCIIDigit else {
                position += 1
                continue
            }
            var end = position
            // A separator between two digits belongs to the number, and so does a space before exactly three digits.
            while end < bytes.count, end - position < 24 {
                if bytes[end].isASCIIDigit {
                    end += 1
                } else if let width = Self.separator(bytes, at: end) {
                    end += width
                } else {
                    break
                }
            }
            add(bytes[position..<end])
            position = max(end, position + 1)
        }
    }

    func contains(_ value: Double) -> Bool {
        guard value >= 0, value < 1e12 else { return false }
        return hundredths.contains(Int((value * 100).rounded()))
    }

    /// The length in bytes of a separator that digits follow; nil if there is none.
    private static func separator(_ bytes: [UInt8], at index: Int) -> Int? {
        func isDigit(_ offset: Int) -> Bool { offset < bytes.count && bytes[offset].isASCIIDigit }
        switch bytes[index] {
        case UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: "'"): return isDigit(index + 1) ? 1 : nil
        case UInt8(ascii: " "):
            return isDigit(index + 1) && isDigit(index + 2) && isDigit(index + 3) && !isDigit(index + 4) ? 1 : nil
        case 0xC2 where index + 1 < bytes.count && bytes[index + 1] == 0xA0:
            return isDigit(index + 2) && isDigit(index + 3) && isDigit(index + 4) && !isDigit(index + 5) ? 2 : nil
        default: return nil
        }
    }

    /// Adds every value that a number may mean: with the last separator as the decimal one, without decimals, and each run of
    /// digits by itself.
    private mutating func add(_ bytes: ArraySlice<UInt8>) {
        let runs = bytes.split { !$0.isASCIIDigit }
        for run in runs { insert(run, decimals: []) }
        guard runs.count > 1, let last = runs.last else { return }
        let whole = Array(runs.dropLast().joined())
        insert(whole[...], decimals: last)
        insert((whole + last)[...], decimals: [])
    }

    private mutating func insert(_ whole: ArraySlice<UInt8>, decimals: ArraySlice<UInt8>) {
        guard whole.count <= 12 else { return }
        var value = whole.reduce(0) { $0 &* 10 &+ Int($1 &- 0x30) } &* 100
        // Values are cut to hundredths. 4.56 is added as 4.5 and 4.6 too: markup may cut or round what the page shows.
        if let tenths = decimals.first { value &+= Int(tenths &- 0x30) &* 10 }
        hundredths.insert(value)
        if let rest = decimals.dropFirst().first {
            hundredths.insert(value &+ Int(rest &- 0x30))
            hundredths.insert(value &+ 10)
        }
    }
}
