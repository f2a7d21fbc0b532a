import GRDB
import PippinPage

// Pages of hits behind each other, as far as there are hits.

extension SearchRun {
    /// What matches beside the ranked hits.
    struct Rest {
        let pass: SearchPlan.Pass
        let ranking: SearchRanking
        /// As `SearchRanking.rank` takes it.
        let others: (asWritten: Bool, corrected: Bool)
    }

    /// A page of hits, and the place behind it; nil behind the last hit. A page may have fewer hits than it could, also none, though
    /// there are more: it takes a bounded number of rows, and as long as a query may take.
    func page(
        of found: Found, from place: SearchCursor.Place, limit: Int
    ) throws -> (hits: [SearchRanking.Ranked], next: SearchCursor.Place?) {
        var hits: [SearchRanking.Ranked] = []
        var last: Int64 = -1
        switch place {
        case .ranked(let count):
            hits = Array(found.hits.dropFirst(count).prefix(limit))
            if count + hits.count < found.hits.count { return (hits, .ranked(count + hits.count)) }
        case .further(let number): last = number
        }
        guard let rest = found.rest else { return (hits, nil) }
        guard hits.count < limit else { return (hits, .further(last)) }
        let ranked = Set(found.hits.map(\.number))
        let deadline = ContinuousClock.now + SearchIndex.Limits.time
        var left = SearchIndex.Limits.filtered
        var isOver = true
        try matches.rows(of: rest.pass, from: last + 1) { number, places in
            guard left > 0, hits.count < limit, ContinuousClock.now < deadline else {
                isOver = false
                return false
            }
            left -= 1
            last = number
            guard !ranked.contains(number), let signals = try signals(of: number) else { return true }
            let candidate = rest.ranking.candidate(number, places, rest.pass.owners, isStrict: rest.pass.isStrict)
            hits.append(rest.ranking.rank(candidate, signals, besides: rest.others, isExplained: isExplained))
            return true
        }
        return (hits, isOver ? nil : .further(last))
    }

    /// A number for the order of ranked hits, and for the state of the index: if either changes, it is another.
    func state(of hits: [SearchRanking.Ranked]) throws -> UInt64 {
        var hash = FNV1a()
        try StoreStatement(database, "SELECT shard, identity, sequence FROM source ORDER BY shard").rows { row in
            hash.add("\(row.integer(0)) \(row.text(1)) \(row.integer(2))\n".utf8)
        }
        for hit in hits {
            for shift in stride(from: 0, to: 64, by: 8) { hash.add(UInt8(truncatingIfNeeded: hit.number >> shift)) }
        }
        return hash.value
    }
}
