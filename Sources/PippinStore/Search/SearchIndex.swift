import Foundation
import GRDB
import GRDBSQLite
import Glibc
import PippinCrawl
import PippinPage
import Synchronization

/// The search index beside a storage: FOLDER/search.sqlite. Built from the change feed; may be deleted at any time and is built
/// again.
///
/// A query reads a bounded number of candidates, in the order of their quality: those with all words, and if there are more than
/// that, those with all words in the title. These are ranked (`SearchRanking`). So the time of a query depends little on the number of records.
public final class SearchIndex: Sendable {
    /// An open file, and which one it is: another process may build the index anew under the same name.
    private struct Opened: Sendable {
        let pool: DatabasePool
        let device: UInt64
        let node: UInt64
    }

    private struct State {
        var opened: Opened?
        var clicks: ClickLog?
    }

    /// How many candidates a pass reads at most.
    enum Limits {
        static let inTitles = 600
        static let strict = 1_500
        static let prefix = 300
        static let relaxed = 200
        /// Rows that are read to find those that pass a filter of a number or a day.
        static let filtered = 8_000
        /// If fewer hits have all words, others are added.
        static let fewHits = 10
        /// Passes whose rarest word is in more documents are read in pieces, so that their time is checked.
        static let documentsOfPiece: Int64 = 50_000
        /// A query that takes longer ends with what it has. None of our benchmarks' does.
        static let time = Duration.milliseconds(400)
        /// Hits beyond are not shown.
        static let hits = 1_000
    }

    private let path: String
    private let storage: DatabaseQueue
    private let weights: SearchWeights
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    /// Opens the index of a storage folder for reading; a storage without index has an empty one.
    ///
    /// - Throws: `CrawlStorage.StorageError` if there is no storage.
    public convenience init(folder: URL) throws { try self.init(folder: folder, weights: .standard) }

    init(folder: URL, weights: SearchWeights, now: @escaping @Sendable () -> Date = { Date() }) throws {
        path = folder.appending(path: SearchSchema.fileName).path
        storage = try CrawlStorage.databaseToRead(in: folder)
        self.weights = weights
        self.now = now
    }

    /// Lets a click log take part in the order of results; nil lets none.
    public func use(_ clicks: ClickLog?) { state.withLock { $0.clicks = clicks } }

    // MARK: The file

    /// The open index; nil if there is none.
    private func pool() throws -> DatabasePool? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            state.withLock { $0.opened = nil }
            return nil
        }
        let (device, node) = (UInt64(status.st_dev), UInt64(status.st_ino))
        if let opened = state.withLock({ $0.opened }), opened.device == device, opened.node == node {
            return opened.pool
        }
        let pool: DatabasePool
        do {
            pool = try DatabasePool(path: path, configuration: SearchSchema.configuration(isReader: true))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
            // It was removed at this moment.
            return nil
        }
        state.withLock { $0.opened = Opened(pool: pool, device: device, node: node) }
        return pool
    }

    /// Reads the index; nil if there is none, or none of this version. A file that was exchanged while it was read is read again.
    private func read<Value>(_ body: (Database) throws -> Value?) throws -> Value? {
        for attempt in 0..<2 {
            do {
                guard let pool = try pool() else { return nil }
                return try pool.read { database in
                    guard try SearchSchema.version(of: database) == SearchSchema.version else { return nil }
                    return try body(database)
                }
            } catch let error as DatabaseError {
                state.withLock { $0.opened = nil }
                if attempt > 0 {
                    throw CrawlStorage.StorageError.unusable(
                        folder: path, reason: "\(error); pippin index rebuild makes it anew")
                }
            }
        }
        return nil
    }

    // MARK: Searching

    /// Answers a query.
    ///
    /// - Parameters:
    ///   - offset: how many hits to leave out.
    ///   - limit: how many to give.
    ///   - isExplained: whether each hit has the parts of its score.
    public func search(_ query: SearchQuery, offset: Int, limit: Int, isExplained: Bool) throws -> SearchResults {
        var notes = query.notes
        guard !query.isEmpty else { return .none(notes) }
        guard var found = try found(query, isExplained: isExplained) else {
            return .none(notes + ["There is no search index yet; pippin index update makes it."])
        }
        let didYouMean = found.didYouMean
        // Who mistypes a word wants what was meant, and not an empty page.
        if found.hits.isEmpty, let didYouMean,
            let corrected = try self.found(SearchQuery(didYouMean), isExplained: isExplained)
        {
            found = corrected
            notes.append("Nothing has “\(query.text)”. These are results for “\(didYouMean)”.")
        }
        notes += found.notes
        let shown = found.hits.prefix(Limits.hits).dropFirst(max(0, offset)).prefix(max(0, limit))
        let hits = try records(of: shown, found.highlighter)
        return SearchResults(
            hits: hits, count: found.count, isCountExact: found.isCountExact, didYouMean: didYouMean, notes: notes
        )
    }

    private func found(_ query: SearchQuery, isExplained: Bool) throws -> SearchRun.Found? {
        let clicks = state.withLock { $0.clicks }
        return try read { database in
            try SearchRun(
                query, weights: weights, now: now(), clicks: clicks, isExplained: isExplained, database
            ).found()
        }
    }

    /// Reads the records of hits from the storage. What was deleted there meanwhile is left out.
    private func records(
        of hits: some Sequence<SearchRanking.Ranked>, _ highlighter: MatchHighlighter
    ) throws -> [SearchHit] {
        do {
            return try storage.read { database in
                let statement = try StoreStatement(
                    database,
                    """
                    SELECT sequence, identifier, state, document, value
                    FROM record LEFT JOIN popularity ON popularity.record = record.id WHERE identifier = ? AND state = 0
                    """)
                return try hits.compactMap { hit in
                    guard
                        let change = try statement.first(.text(hit.signals.identifier), body: { ChangeFeed.change($0) })
                    else { return nil }
                    var parser = JSONParser()
                    guard let record = try? parser.parse(change.document) else { return nil }
                    return SearchHit(
                        identifier: change.identifier, record: record,
                        title: highlighter.highlighted(record["title"]?.string ?? ""),
                        snippet: highlighter.snippet(
                            record["snippet"]?.string ?? "", description: record["contentDescription"]?.string ?? ""),
                        score: hit.score, parts: hit.parts)
                }
            }
        } catch {
            throw CrawlStorage.StorageError(error, database: storage)
        }
    }

    /// How many records the index has, and whether it has ever reached the end of the feed.
    public func standing() throws -> (documents: Int, isComplete: Bool) {
        try read { database in
            try StoreStatement(database, "SELECT documents, sequence >= target FROM state").first {
                (Int($0.integer(0)), $0.integer(1) != 0)
            }
        } ?? (0, false)
    }

    // MARK: Suggestions

    /// Completions of a text while it is typed: titles that begin with it, then its last word completed.
    public func suggestions(for text: String, limit: Int) throws -> [String] {
        let query = SearchQuery(text)
        guard limit > 0, query.endsOpen, query.filters.isEmpty, query.excluded.isEmpty, let last = query.terms.last,
            let lastForm = last.forms.last
        else { return [] }
        let found = try read { database -> (identifiers: [String], completions: [String])? in
            let run = try SearchRun(query, weights: weights, now: now(), clicks: nil, isExplained: false, database)
            return (
                try run.identifiersOfTitles(limit: 60),
                try SearchPlan.completions(of: lastForm, database, limit: limit).map(\.term)
            )
        }
        guard let found else { return [] }
        var titles: [String] = []
        do {
            titles = try storage.read { database in
                let statement = try StoreStatement(
                    database, "SELECT document FROM record WHERE identifier = ? AND state = 0")
                return try found.identifiers.compactMap { identifier in
                    try statement.first(.text(identifier)) { row in
                        var parser = JSONParser()
                        return try? parser.parse(row.blob(0))["title"]?.string
                    } ?? nil
                }
            }
        } catch {
            throw CrawlStorage.StorageError(error, database: storage)
        }
        return SearchSuggestions(query, lastForm: lastForm).from(
            titles: titles, completions: query.terms.count == 1 ? found.completions : [], limit: limit)
    }
}

/// One query against one state of the index.
private struct SearchRun {
    struct Found {
        let hits: [SearchRanking.Ranked]
        let count: Int
        let isCountExact: Bool
        let didYouMean: String?
        let notes: [String]
        let highlighter: MatchHighlighter
    }

    private let database: Database
    private let weights: SearchWeights
    private let plan: SearchPlan
    private let ranking: SearchRanking
    private let isExplained: Bool
    private let deadline = ContinuousClock.now + SearchIndex.Limits.time

    init(
        _ query: SearchQuery, weights: SearchWeights, now: Date, clicks: ClickLog?, isExplained: Bool,
        _ database: Database
    ) throws {
        self.database = database
        self.weights = weights
        self.isExplained = isExplained
        plan = try SearchPlan(query, weights: weights, database)
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
        try gatherStrict(
            withPrefixes: false, limit: SearchIndex.Limits.strict, inTitles: SearchIndex.Limits.inTitles, &gathered)
        let isFull = gathered.isCut
        try gatherStrict(
            withPrefixes: true, limit: SearchIndex.Limits.prefix, inTitles: SearchIndex.Limits.prefix, &gathered)
        let strictCount = gathered.candidates.count
        var notes: [String] = []
        if strictCount < SearchIndex.Limits.fewHits, !plan.words.isEmpty {
            for step in plan.relaxedPasses(limit: SearchIndex.Limits.relaxed)
            where gathered.candidates.count < SearchIndex.Limits.fewHits {
                try gather(step, &gathered)
            }
        }
        var hits: [SearchRanking.Ranked] = []
        var strictHits = 0
        hits.reserveCapacity(gathered.candidates.count)
        for (candidate, signals) in gathered.candidates {
            hits.append(ranking.rank(candidate, signals, isExplained: false))
            if candidate.isStrict { strictHits += 1 }
        }
        if let address = plan.query.address, let own = try byAddress(address) {
            hits.removeAll { $0.number == own.number }
            hits.append(own)
        }
        if strictHits < hits.count, plan.words.count > 1 {
            notes.append(
                strictHits == 0
                    ? "No record has all words; these have some."
                    : "\(Wording.count(strictHits, "record")) with all words; the others have some of them.")
        }
        if gathered.isOutOfTime {
            notes.append("The search was ended early, as it took long; there may be better hits.")
        }
        var ordered = ranking.order(hits, isExplained: isExplained)
        if isExplained { explain(&ordered, gathered) }
        return Found(
            hits: ordered, count: ordered.count, isCountExact: !gathered.isCut && !isFull && !gathered.isOutOfTime,
            didYouMean: strictHits < 3 ? try didYouMean() : nil, notes: notes, highlighter: MatchHighlighter(plan))
    }

    // MARK: Candidates

    private struct Gathered {
        var candidates: [(SearchRanking.Candidate, SearchSignals)] = []
        var seen: Set<Int64> = []
        /// Whether a pass had more rows than its limit.
        var isCut = false
        var isOutOfTime = false
    }

    /// Adds matches with all words. If there are more than the limit, those in titles are read too, which may be further back.
    private func gatherStrict(
        withPrefixes: Bool, limit: Int, inTitles titleLimit: Int, _ gathered: inout Gathered
    ) throws {
        let wasCut = gathered.isCut
        gathered.isCut = false
        try gather([plan.strictPass(inTitles: false, withPrefixes: withPrefixes, limit: limit)], &gathered)
        if gathered.isCut {
            try gather([plan.strictPass(inTitles: true, withPrefixes: withPrefixes, limit: titleLimit)], &gathered)
        }
        if wasCut { gathered.isCut = true }
    }

    private func gather(_ passes: [SearchPlan.Pass?], _ gathered: inout Gathered) throws {
        for case let pass? in passes {
            guard !gathered.isOutOfTime else { return }
            try gather(pass, &gathered)
        }
    }

    private func gather(_ pass: SearchPlan.Pass, _ gathered: inout Gathered) throws {
        let words = try StoreStatement(
            database,
            "SELECT rowid, places(words) FROM words WHERE words MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid LIMIT ?"
        )
        let signals = try StoreStatement(database, "SELECT \(SearchSignals.columns) FROM document WHERE id = ?")
        let isExact = plan.comparesExactly
        let mostRows = isExact ? SearchIndex.Limits.filtered : pass.limit
        var rows = 0
        // Of an exact filter, only what passes it counts: what is best may be just what the filter leaves out.
        var taken = 0
        for piece in try pieces(pass) {
            guard rows < mostRows, taken < pass.limit else {
                gathered.isCut = true
                return
            }
            guard ContinuousClock.now < deadline else {
                gathered.isOutOfTime = true
                return
            }
            try words.rows(
                .text(pass.expression), .integer(piece.lowerBound), .integer(piece.upperBound),
                .integer(Int64(mostRows - rows + 1))
            ) { row in
                rows += 1
                guard rows <= mostRows, taken < pass.limit else {
                    gathered.isCut = true
                    return
                }
                if !isExact { taken += 1 }
                let number = row.integer(0)
                guard gathered.seen.insert(number).inserted else { return }
                var places: [MatchPlaces.Place] = []
                row.withBlob(1) { places = MatchPlaces.read($0) }
                guard let found = try signals.first(.integer(number), body: { SearchSignals($0) }), plan.passes(found)
                else { return }
                if isExact { taken += 1 }
                gathered.candidates.append(
                    (ranking.candidate(number, places, pass.owners, isStrict: pass.isStrict), found))
            }
        }
    }

    /// The numbers in which a pass is read: all at once, or pieces of about `documentsOfPiece` if its words are frequent.
    private func pieces(_ pass: SearchPlan.Pass) throws -> [Range<Int64>] {
        guard pass.bound > SearchIndex.Limits.documentsOfPiece, plan.documents > SearchIndex.Limits.documentsOfPiece
        else {
            return [0..<Int64.max]
        }
        let serial = try Int64.fetchOne(database, sql: "SELECT serial FROM state") ?? 0
        var pieces: [Range<Int64>] = []
        var start: Int64 = 0
        var count: Int64 = 0
        try StoreStatement(database, "SELECT step, documents FROM quality WHERE documents > 0 ORDER BY step DESC").rows
        { row in
            let (step, documents) = (row.integer(0), row.integer(1))
            let first = SearchSchema.number(quality: step, serial: 0)
            if documents > SearchIndex.Limits.documentsOfPiece {
                let parts = documents / SearchIndex.Limits.documentsOfPiece + 1
                for part in 0..<parts {
                    let end = first + serial / parts * (part + 1)
                    pieces.append(start..<end)
                    start = end
                }
                count = 0
            } else {
                count += documents
                if count > SearchIndex.Limits.documentsOfPiece {
                    pieces.append(start..<first)
                    start = first
                    count = documents
                }
            }
        }
        return pieces + [start..<Int64.max]
    }

    /// The record with an address, before all others.
    private func byAddress(_ address: String) throws -> SearchRanking.Ranked? {
        let plain = address.firstIndex(of: "#").map { String(address[..<$0]) } ?? address
        let statement = try StoreStatement(
            database, "SELECT \(SearchSignals.columns), id FROM document WHERE key = ? AND identifier = ?")
        return try statement.first(.integer(SearchDocument.key(of: plain)), .text(plain)) { row in
            SearchRanking.Ranked(
                number: row.integer(14), signals: SearchSignals(row), score: 100,
                parts: isExplained ? [SearchScorePart(name: "has this address", value: 100, detail: nil)] : [])
        }
    }

    /// Adds the parts of the scores to the hits that may be shown. Computing them for all candidates would take longer than
    /// the search.
    private func explain(_ hits: inout [SearchRanking.Ranked], _ gathered: Gathered) {
        let byNumber = Dictionary(
            gathered.candidates.map { ($0.0.number, $0) }, uniquingKeysWith: { first, _ in first })
        for index in hits.indices.prefix(SearchIndex.Limits.hits) {
            guard let (candidate, signals) = byNumber[hits[index].number],
                hits[index].parts.first?.name != "has this address"
            else { continue }
            hits[index].parts = ranking.rank(candidate, signals, isExplained: true).parts + hits[index].parts
        }
    }

    // MARK: Help

    /// The query with the most probable words in place of those that the index hardly has; nil without any.
    private func didYouMean() throws -> String? {
        let utf8 = Array(plan.query.text.utf8)
        var text: [UInt8] = []
        var place = 0
        var isChanged = false
        for word in plan.words where word.term.forms.count == 1 && !word.term.isDense {
            guard let form = word.term.forms.first, word.exactDocuments < 3,
                word.prefixes.isEmpty || word.forms.isEmpty,
                word.term.range.lowerBound >= place,
                let better = try SpellingHelp.correction(of: form, documents: word.exactDocuments, database)
            else { continue }
            text += utf8[place..<word.term.range.lowerBound]
            text += better.utf8
            place = word.term.range.upperBound
            isChanged = true
        }
        guard isChanged else { return nil }
        let better = String(decoding: text + utf8[place...], as: UTF8.self)
        // What finds nothing either helps nobody.
        let pass = try SearchPlan(SearchQuery(better), weights: weights, database)
            .strictPass(inTitles: false, withPrefixes: false, limit: 1)
        guard let pass else { return nil }
        let found = try StoreStatement(database, "SELECT rowid FROM words WHERE words MATCH ? LIMIT 1")
            .first(.text(pass.expression)) { $0.integer(0) }
        return found == nil ? nil : better
    }

    /// The records with all words in title or names, best first.
    func identifiersOfTitles(limit: Int) throws -> [String] {
        var identifiers: [String] = []
        let identifier = try StoreStatement(database, "SELECT identifier FROM document WHERE id = ?")
        let words = try StoreStatement(
            database, "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid LIMIT ?")
        for withPrefixes in [false, true] {
            guard let pass = plan.strictPass(inTitles: true, withPrefixes: withPrefixes, limit: limit) else { continue }
            try words.rows(.text(pass.expression), .integer(Int64(limit))) { row in
                if let found = try identifier.first(.integer(row.integer(0)), body: { $0.text(0) }),
                    !identifiers.contains(found)
                {
                    identifiers.append(found)
                }
            }
        }
        return identifiers
    }
}
