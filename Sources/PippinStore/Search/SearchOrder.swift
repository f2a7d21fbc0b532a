import PippinPage

/// What hits are ordered by. Those that say nothing of it come last, and those that say the same by relevance.
public enum SearchOrder: String, CaseIterable, Sendable {
    case relevance
    /// When it was published, else changed, else when the event begins; newest first.
    case date
    /// Stars out of 5, with one digit as people see them, best first; then those with more votes.
    case rating
    /// The lowest price, cheapest first, in the currency that most hits have; then the others, currency by currency.
    case price

    /// Facets that part the records in this order, so that the first ones are found among more matches than are read. Each is empty or
    /// one that a record has or lacks; the last part has the records that say nothing.
    var parts: [String] {
        switch self {
        case .relevance: [""]
        case .date: SearchDocument.facetYears.reversed().map { FacetWriter.facet(kind: "year", "\($0)") } + [""]
        case .rating: (0...10).reversed().map { FacetWriter.facet(kind: "stars", "\($0)") } + [""]
        case .price: [FacetWriter.facet(kind: "has", "price"), ""]
        }
    }

    /// Facets that part one of the parts, if it has more matches than are read; empty if none do.
    func parts(of part: String) -> [String] {
        let kind = FacetWriter.facet(kind: "year", "")
        guard self == .date, part.hasPrefix(kind), let year = Int(part.dropFirst(kind.count)),
            let first = SearchDocument.day(of: "\(year)"), let next = SearchDocument.day(of: "\(year + 1)")
        else { return [] }
        return (first..<next).reversed().map { FacetWriter.facet(kind: "day", "\($0)") }
    }

    /// Puts hits that are in the order of relevance into this one.
    func ordered(_ hits: [SearchRanking.Ranked]) -> [SearchRanking.Ranked] {
        switch self {
        case .relevance: hits
        case .date: Self.stable(hits) { $0.day.map { [-Double($0)] } }
        case .rating:
            Self.stable(hits) { signals in signals.stars.map { [-($0 * 10).rounded(), -(signals.rating ?? 0)] } }
        case .price:
            Self.stable(hits) { [first = Self.currencies(of: hits).first] signals in
                signals.price.map { price in
                    // Nobody knows what a price without a currency is.
                    let group = signals.currency.map { $0 == first ? 0 : Self.number(of: $0) } ?? .infinity
                    return [group, price]
                }
            }
        }
    }

    /// The currencies that hits have, most frequent first.
    static func currencies(of hits: [SearchRanking.Ranked]) -> [String] {
        var counts: [String: Int] = [:]
        for case let currency? in hits.map(\.signals.currency) { counts[currency, default: 0] += 1 }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }

    /// A number for a currency's code, by its letters.
    private static func number(of currency: String) -> Double {
        currency.utf8.prefix(3).reduce(1) { $0 * 256 + Double($1) }
    }

    private static func stable(
        _ hits: [SearchRanking.Ranked], by key: (SearchSignals) -> [Double]?
    ) -> [SearchRanking.Ranked] {
        let keyed = hits.enumerated().map { (place: $0, key: key($1.signals) ?? [.infinity, .infinity]) }
        return keyed.sorted { a, b in
            a.key == b.key ? a.place < b.place : a.key.lexicographicallyPrecedes(b.key)
        }.map { hits[$0.place] }
    }
}
