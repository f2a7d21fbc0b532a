import Foundation

// How much the page says in structured form, and how much others say of it.

extension RecordBuilder {
    mutating func takeScores() {
        record.popularity = popularity()
        let hidden = facts.hiddenText
        if hidden.isTelling { record.hiddenWords = hidden.words }
    }

    /// Of ten things that an index wants to be told in structured form, how many the page tells: title, description,
    /// picture, something about the picture, a deep link to this page, a typed main item, a detail of its kind, an
    /// action, the language, a date.
    /// Here all of them but the deep link, which the draft adds.
    func structuredThings() -> Int {
        let openGraph = facts.openGraph
        let hasDate =
            page.mainText("datePublished") != nil || page.mainText("dateModified") != nil
            || page.mainText("startDate") != nil || openGraph?["article:published_time"] != nil
            || openGraph?["article:modified_time"] != nil
        let hasDetail =
            record.rating != nil || !record.offers.isEmpty || record.recipe != nil || !record.interactions.isEmpty
            || record.organization?.address != nil || record.priceRange != nil || record.event != nil
            || record.duration != nil || !record.openingHours.isEmpty
        let told = [
            openGraph?.title != nil || page.mainText("name") != nil || page.mainText("headline") != nil,
            openGraph?.description != nil || page.mainText("description") != nil,
            !record.images.isEmpty,
            record.images.contains { $0.width != nil || $0.alt != nil },
            page.mainRank < 20,
            hasDetail,
            !record.actions.isEmpty,
            !record.languages.isEmpty,
            hasDate,
        ]
        return told.count { $0 }
    }

    /// `0.6 · attention + 0.4 · esteem`, or attention alone where nobody rated.
    ///
    /// Attention is log10(1 + ratings and interactions) / 6, at most 1: a million is as many as ten million. Esteem is the
    /// normalized rating with ten votes of 0.5 added, so that one enthusiast moves little. Both are the page's own
    /// claims, so an index should weigh them with what it knows from elsewhere.
    private func popularity() -> Double? {
        let votes = max(record.rating?.count ?? 0, record.rating?.reviewCount ?? 0)
        guard record.rating != nil || !record.interactions.isEmpty else { return nil }
        // Counts are below 10^15 and few, so that the sum stays far from overflow.
        let total = record.interactions.reduce(Double(votes)) { $0 + Double($1.count) }
        let attention = min(1, log10(1 + total) / 6)
        var popularity = attention
        if let rating = record.rating {
            let esteem = (rating.normalized * Double(votes) + 0.5 * 10) / (Double(votes) + 10)
            popularity = 0.6 * attention + 0.4 * esteem
        }
        return (min(max(popularity, 0), 1) * 10_000).rounded() / 10_000
    }
}
