/// Filters that hold for every query of somebody, whatever the query says: `site:shop.example type:recipe`.
public struct SearchRestriction: Sendable, Hashable {
    /// Why a text is no restriction, as the end of a sentence.
    public struct Unusable: Error, Hashable {
        public let reason: String
    }

    public let text: String
    let filters: [SearchQuery.Filter]

    /// - Parameter text: filters of the search language and nothing else.
    /// - Throws: `Unusable` if it has words, or filters that are not used as written: less would hold than was meant.
    public init(_ text: String) throws(Unusable) {
        let query = SearchQuery(text)
        if let note = query.notes.first { throw Unusable(reason: note) }
        guard query.terms.isEmpty, query.excluded.isEmpty, query.address == nil else {
            throw Unusable(reason: "It has words; it may have filters only, such as site:shop.example.")
        }
        guard !query.filters.isEmpty else { throw Unusable(reason: "It has no filter.") }
        self.text = text
        filters = query.filters
    }
}
