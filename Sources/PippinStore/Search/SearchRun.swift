import Foundation
import GRDB
import PippinPage

/// One query against one state of the index.
struct SearchRun {
    struct Found {
        var hits: [SearchRanking.Ranked]
        var count: Int
        let isCountExact: Bool
        let correction: Correction?
        let notes: [String]
        let highlighter: MatchHighlighter
        let facets: SearchFacets
        /// Nil if all that matches is ranked.
        let rest: Rest?
    }

    /// What the words of the query may be meant to be.
    struct Correction {
        /// Terms in place of parts of the query's text, in bytes of UTF-8, in order.
        let changes: [(range: Range<Int>, terms: [String])]
        /// The record that has them.
        let number: Int64
        /// Whether the first hit has them.
        let isFirst: Bool
    }

    let database: Database
    private let table: WordTable
    let matches: MatchReader
    private let weights: SearchWeights
    let plan: SearchPlan
    private let ranking: SearchRanking
    let isExplained: Bool
    private let countsFacets: Bool
    private let now: Date
    /// The shards whose records are no hits.
    let missing: Set<Int>
    private let mostPages: Int
    private let deadline = ContinuousClock.now + SearchIndex.Limits.time

    init(
        _ query: SearchQuery, weights: SearchWeights, now: Date, clicks: ClickLog?, synonyms: SearchSynonyms? = nil,
        isExplained: Bool, countsFacets: Bool = false, missing: Set<Int> = [],
        mostPages: Int = SearchIndex.Limits.pages, _ database: Database
    ) throws {
        self.database = database
        self.weights = weights
        self.isExplained = isExplained
        self.countsFacets = countsFacets
        self.now = now
        self.missing = missing
        self.mostPages = mostPages
        table = try WordTable(database)
        matches = try MatchReader(database)
        plan = try SearchPlan(query, weights: weights, synonyms: synonyms, table)
        var means = [Double](repeating: 1, count: SearchField.allCases.count)
        let documents = Double(max(1, plan.documents))
        try StoreStatement(database, "SELECT field, words FROM length").rows { row in
            let field = Int(row.integer(0))
            if means.indices.contains(field) { means[field] = max(1, Double(row.integer(1)) / documents) }
        }
        ranking = SearchRanking(plan, weights: weights, meanLengths: means, now: now, clicks: clicks)
    }

    func found() throws -> Found {
        var gathered = Gathered()
        if plan.query.order == .relevance {
            try gatherStrict(
                plan, withPrefixes: false, limit: SearchIndex.Limits.strict, inTitles: SearchIndex.Limits.inTitles,
                &gathered)
        } else {
            try gatherInOrder(&gathered)
        }
        let isFull = gathered.isCut
        if plan.query.order == .relevance {
            try gatherStrict(
                plan, withPrefixes: true, limit: SearchIndex.Limits.prefix, inTitles: SearchIndex.Limits.prefix,
                &gathered)
        }
        let asWritten = gathered.candidates.count
        let corrected = try gatherCorrected(&gathered)
        let isCorrected = gathered.candidates.count > asWritten
        // What has all words when some are corrected is compared by the corrected words, and so is all else then.
        let shown = isCorrected ? corrected ?? plan : plan
        let ranking = isCorrected ? self.ranking.with(shown) : self.ranking
        let strictHits = gathered.candidates.count
        let takesSome = plan.query.order == .relevance || strictHits == 0
        let others = (asWritten: asWritten > 0, corrected: isCorrected)
        var rest: Rest?
        // In another order, nobody knows what comes behind the hits that were read.
        if plan.query.order == .relevance, gathered.isCut || isFull || gathered.isOutOfTime {
            rest = try restOfMatches(isCorrected ? shown : nil).map { Rest(pass: $0, ranking: ranking, others: others) }
        }
        if strictHits < SearchIndex.Limits.fewHits, takesSome, !plan.words.isEmpty {
            for step in (corrected ?? plan).relaxedPasses(limit: SearchIndex.Limits.relaxed)
            where gathered.candidates.count < SearchIndex.Limits.fewHits {
                try gather(step, &gathered)
            }
        }
        var hits: [SearchRanking.Ranked] = []
        hits.reserveCapacity(gathered.candidates.count)
        for (candidate, signals) in gathered.candidates {
            hits.append(
                ranking.rank(candidate, signals, besides: others, isExplained: false))
        }
        if let address = plan.query.address, let own = try byAddress(address) {
            hits.removeAll { $0.number == own.number }
            hits.append(own)
        }
        var notes: [String] = []
        if strictHits < hits.count, plan.words.count > 1 {
            notes.append(
                strictHits == 0
                    ? "No record has all words; these have some."
                    : "\(Wording.count(strictHits, "record")) with all words; the others have some of them.")
        }
        if gathered.isOutOfTime {
            notes.append("The search was ended early, as it took long; there may be better hits.")
        }
        let isExact = !gathered.isCut && !isFull && !gathered.isOutOfTime
        var ordered = plan.query.order.ordered(ranking.order(hits, isExplained: isExplained))
        if plan.query.order == .price, case let currencies = SearchOrder.currencies(of: ordered), currencies.count > 1 {
            notes.append("Prices are in \(currencies.count) currencies; those in \(currencies[0]) come first.")
        }
        if plan.query.order != .relevance, !isExact { ordered = Array(ordered.prefix(SearchIndex.Limits.hits)) }
        if isExplained { explain(&ordered, gathered, ranking, besides: others) }
        return Found(
            hits: ordered, count: ordered.count, isCountExact: isExact,
            correction: correction(ordered, gathered), notes: notes, highlighter: MatchHighlighter(shown),
            facets: try facets(of: ordered, isExact: isExact), rest: rest)
    }

    /// All matches with all words, of which the ranked hits are some.
    private func restOfMatches(_ corrected: SearchPlan?) throws -> SearchPlan.Pass? {
        if let corrected { return corrected.strictPass(inTitles: false, withPrefixes: false, limit: .max) }
        // With the words that begin like the last one are those with the last one itself.
        return plan.strictPass(inTitles: false, withPrefixes: true, limit: .max)
            ?? plan.strictPass(inTitles: false, withPrefixes: false, limit: .max)
    }

    private func facets(of hits: [SearchRanking.Ranked], isExact: Bool) throws -> SearchFacets {
        guard countsFacets else { return .none }
        let document = try StoreStatement(database, "SELECT types, site, apps FROM document WHERE id = ?")
        let year = SearchDocument.year(ofDay: Int((now.timeIntervalSince1970 / 86_400).rounded(.down)))
        return try SearchFacets(
            of: hits.lazy.map { ($0.number, $0.signals) }, isExact: isExact, year: year, in: document)
    }

    // MARK: Candidates

    private struct Gathered {
        var candidates: [(SearchRanking.Candidate, SearchSignals)] = []
        var seen: Set<Int64> = []
        /// Whether a pass had more rows than its limit.
        var isCut = false
        var isOutOfTime = false
        var hasPasses = false
    }

    /// Adds matches with all words. If there are more than the limit, those in titles are read too, which may be further back.
    private func gatherStrict(
        _ plan: SearchPlan, withPrefixes: Bool, limit: Int, inTitles titleLimit: Int, _ gathered: inout Gathered
    ) throws {
        let wasCut = gathered.isCut
        gathered.isCut = false
        try gather([plan.strictPass(inTitles: false, withPrefixes: withPrefixes, limit: limit)], &gathered)
        if gathered.isCut {
            try gather([plan.strictPass(inTitles: true, withPrefixes: withPrefixes, limit: titleLimit)], &gathered)
        }
        if wasCut { gathered.isCut = true }
    }

    /// Adds matches with all words, those first that come first in the query's order.
    private func gatherInOrder(_ gathered: inout Gathered) throws {
        func gatherPart(_ facet: String) throws {
            let plan = plan.narrowed(to: facet)
            for withPrefixes in [false, true] {
                try gather(
                    [plan.strictPass(inTitles: false, withPrefixes: withPrefixes, limit: SearchIndex.Limits.strict)],
                    &gathered)
            }
        }
        var isCut = false
        for part in plan.query.order.parts where !gathered.isOutOfTime {
            guard gathered.candidates.count < SearchIndex.Limits.hits else {
                gathered.isCut = true
                return
            }
            gathered.isCut = false
            try gatherPart(part)
            guard gathered.isCut else { continue }
            isCut = true
            // Those that were read are the best of it, but perhaps not the first ones.
            let before = gathered.candidates.count
            for part in plan.query.order.parts(of: part)
            where gathered.candidates.count < before + SearchIndex.Limits.hits && !gathered.isOutOfTime {
                try gatherPart(part)
            }
        }
        gathered.isCut = isCut
    }

    private func gather(_ passes: [SearchPlan.Pass?], _ gathered: inout Gathered) throws {
        for case let pass? in passes {
            guard !gathered.isOutOfTime, ContinuousClock.now < deadline else {
                gathered.isOutOfTime = true
                return
            }
            try gather(pass, &gathered)
        }
    }

    private func gather(_ pass: SearchPlan.Pass, _ gathered: inout Gathered) throws {
        let isExact = plan.comparesExactly || !missing.isEmpty
        let mostRows = isExact ? SearchIndex.Limits.filtered : pass.limit
        // In another order, the first hits may be anywhere. Titles have what people look for: the first pass leaves them half.
        let mostPages =
            plan.query.order != .relevance ? .max : gathered.hasPasses ? self.mostPages : self.mostPages / 2
        gathered.hasPasses = true
        func hasEnough(_ gathered: Gathered) -> Bool {
            gathered.candidates.count >= SearchIndex.Limits.fewHits && matches.scannedPages > mostPages
        }
        guard !hasEnough(gathered) else {
            gathered.isCut = true
            return
        }
        var rows = 0
        // Of an exact filter, only what passes it counts: what is best may be just what the filter leaves out.
        var taken = 0
        try matches.rows(of: pass, from: 0) { number, places in
            rows += 1
            guard rows <= mostRows, taken < pass.limit, !hasEnough(gathered) else {
                gathered.isCut = true
                return false
            }
            guard ContinuousClock.now < deadline else {
                gathered.isOutOfTime = true
                return false
            }
            if !isExact { taken += 1 }
            guard gathered.seen.insert(number).inserted, let found = try signals(of: number) else { return true }
            if isExact { taken += 1 }
            gathered.candidates.append(
                (ranking.candidate(number, places, pass.owners, isStrict: pass.isStrict), found))
            return true
        }
    }

    /// What is known of a document; nil if it is no hit.
    func signals(of number: Int64) throws -> SearchSignals? {
        guard let signals = try matches.signals(of: number), plan.passes(signals),
            !(signals.shard.map(missing.contains) ?? false)
        else { return nil }
        return signals
    }

    /// The record with an address, before all others.
    private func byAddress(_ address: String) throws -> SearchRanking.Ranked? {
        let plain = address.firstIndex(of: "#").map { String(address[..<$0]) } ?? address
        let statement = try StoreStatement(
            database, "SELECT \(SearchSignals.columns), id FROM document WHERE key = ? AND identifier = ?")
        return try statement.first(.integer(SearchDocument.key(of: plain)), .text(plain)) { row in
            SearchRanking.Ranked(
                number: row.integer(SearchSignals.columnCount), signals: SearchSignals(row), score: 100,
                parts: isExplained ? [SearchScorePart(name: "has this address", value: 100, detail: nil)] : [])
        }
    }

    /// Adds the parts of the scores. Only who asks for them waits for it.
    private func explain(
        _ hits: inout [SearchRanking.Ranked], _ gathered: Gathered, _ ranking: SearchRanking,
        besides others: (asWritten: Bool, corrected: Bool)
    ) {
        let byNumber = Dictionary(
            gathered.candidates.map { ($0.0.number, $0) }, uniquingKeysWith: { first, _ in first })
        for index in hits.indices {
            guard let (candidate, signals) = byNumber[hits[index].number],
                hits[index].parts.first?.name != "has this address"
            else { continue }
            hits[index].parts =
                ranking.rank(candidate, signals, besides: others, isExplained: true).parts + hits[index].parts
        }
    }

    // MARK: Help

    /// Adds records that have all words when misspelled ones are corrected, if hardly any has them as they are written. Which of the
    /// words near a misspelled one is meant, these records tell.
    ///
    /// - Returns: the plan with the corrections; if they bring nothing, one that corrects the words that no record has.
    private func gatherCorrected(_ gathered: inout Gathered) throws -> SearchPlan? {
        let asWritten = gathered.candidates.count
        guard asWritten < SearchIndex.Limits.fewHits, !plan.query.isExact, !plan.words.isEmpty else { return nil }
        let correctable = plan.correctable
        let unknown = plan.unknown.filter(correctable.contains)
        var corrected: SearchPlan?
        // A word that no record has is misspelled; only if correcting it does not help, others may be, too.
        for places in asWritten == 0 ? [unknown, correctable] : [correctable] {
            if places.isEmpty || (corrected != nil && places.count == unknown.count) { continue }
            let plan = try plan.corrected(at: places, weights: weights, table) { word, candidate in
                // A word that exists is a mistake where another one is far more frequent, or where no record has all words.
                if asWritten == 0, self.plan.words.count > 1 { return true }
                return candidate.documents > SearchIndex.Limits.moreFrequent * word.exactDocuments
            }
            guard let plan else { continue }
            if places == unknown { corrected = plan }
            try gatherStrict(
                plan, withPrefixes: false, limit: SearchIndex.Limits.relaxed, inTitles: SearchIndex.Limits.relaxed,
                &gathered)
            if gathered.candidates.count > asWritten { return plan }
        }
        return corrected
    }

    /// What the words are corrected to in the first hit, or else in the best one of those that need it.
    private func correction(_ hits: [SearchRanking.Ranked], _ gathered: Gathered) -> Correction? {
        var byNumber: [Int64: [Int: [String]]] = [:]
        for (candidate, _) in gathered.candidates where candidate.isStrict && !candidate.corrections.isEmpty {
            byNumber[candidate.number] = candidate.corrections
        }
        guard let place = hits.firstIndex(where: { byNumber[$0.number] != nil }),
            let corrections = byNumber[hits[place].number]
        else { return nil }
        let changes = corrections.map { (range: plan.words[$0.key].term.range, terms: $0.value) }
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
        return Correction(changes: changes, number: hits[place].number, isFirst: place == 0)
    }

    // MARK: While it is typed

    /// What the index has for a text whose last word may be unfinished.
    func typed(_ lastForm: String, limit: Int) throws -> TypedText {
        var titles = try recordsOfTitles(plan, limit: Self.titlesOfSuggestions)
        // The words of the index are also those of records that somebody may not see.
        let isAlone = plan.query.terms.count == 1 && plan.query.restriction == nil
        var completions = isAlone ? try table.completions(of: lastForm, limit: limit) : []
        var near: [(term: String, documents: Int64)] = []
        let isForgiving = titles.isEmpty && completions.isEmpty
        if isForgiving {
            near = try table.nearCompletions(of: lastForm, limit: SearchPlan.maximumPrefixes)
            let unknown = plan.unknown.filter(plan.correctable.contains)
            let corrected = try plan.corrected(at: unknown, weights: weights, table) ?? plan
            titles = try recordsOfTitles(
                corrected.completed(by: near.map(\.term), weights: weights), limit: Self.titlesOfSuggestions)
            if isAlone { completions = Array(near.prefix(limit)) }
        }
        let number = try StoreStatement(
            database, "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid LIMIT 1")
        let places = try completions.map { term, documents in
            let number = try number.first(.text(SearchPlan.quoted([term]))) { $0.integer(0) }
            return (term: term, documents: documents, record: try number.flatMap(place))
        }
        return TypedText(
            titles: titles, completions: places, near: Set(near.map(\.term)), isForgiving: isForgiving)
    }

    private static let titlesOfSuggestions = 60

    private func place(_ number: Int64) throws -> TypedText.Place? {
        try StoreStatement(database, "SELECT identifier, shard FROM document WHERE id = ?")
            .first(.integer(number)) { (identifier: $0.text(0), shard: $0.optionalInteger(1).map(Int.init)) }
    }

    /// The records with all words in title or names, best first.
    private func recordsOfTitles(_ plan: SearchPlan, limit: Int) throws -> [TypedText.Place] {
        var records: [TypedText.Place] = []
        let words = try StoreStatement(
            database, "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid LIMIT ?")
        for withPrefixes in [false, true] {
            guard let pass = plan.strictPass(inTitles: true, withPrefixes: withPrefixes, limit: limit) else { continue }
            var numbers: [Int64] = []
            try words.rows(.text(pass.expression), .integer(Int64(limit))) { numbers.append($0.integer(0)) }
            if plan.comparesExactly { numbers = try numbers.filter { try signals(of: $0) != nil } }
            for case let found? in try numbers.map(place)
            where !records.contains(where: { $0.identifier == found.identifier }) {
                records.append(found)
            }
        }
        return records
    }
}
