import Foundation
import GRDB
import GRDBSQLite
import Glibc
import PippinCrawl
import PippinPage
import Synchronization

/// The search index of a job: search.sqlite in the folder of its storage, or in that of its shards' storages. Built from their change feeds;
/// may be deleted at any time and is built again.
///
/// A query reads a bounded number of candidates, in the order of their quality: those with all words, and if there are more than
/// that, those with all words in the title. These are ranked (`SearchRanking`). So the time of a query depends little on the number of records.
public final class SearchIndex: Sendable {
    /// An open file, and which one it is: another process may build the index anew under the same name.
    private struct Opened: Sendable {
        let pool: DatabasePool
        let identity: FileIdentity
    }

    private struct State {
        var opened: Opened?
        var clicks: ClickLog?
        var synonyms: SearchSynonyms?
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
        /// A word that records have is taken for a misspelling of one that so many times as many have.
        static let moreFrequent: Int64 = 20
        /// The pages of the index that a query reads to find matches, as soon as it has more than few hits: 1,000 take some 2 ms. What is
        /// left out then are matches of less quality than those that were read.
        static let pages = 12_000
        /// A query that takes longer ends with what it has.
        static let time = Duration.milliseconds(400)
        /// Hits beyond are shown to those only who come with a cursor.
        static let hits = 1_000
    }

    private let path: String
    private let storages: OpenStorages
    private let weights: SearchWeights
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    /// Opens the index of a job for reading; a job without index has an empty one.
    ///
    /// - Parameter folder: as `JobStorages` takes it.
    /// - Throws: `StorageError` if there is no storage.
    public init(
        folder: URL, weights: SearchWeights = .standard, now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        storages = try OpenStorages(folder)
        path = storages.job.folder.appending(path: SearchSchema.fileName).path
        self.weights = weights
        self.now = now
    }

    /// Lets a click log take part in the order of results; nil lets none.
    public func use(_ clicks: ClickLog?) { state.withLock { $0.clicks = clicks } }

    /// Lets texts that mean the same as words of a query count as these; nil lets none.
    public func use(_ synonyms: SearchSynonyms?) { state.withLock { $0.synonyms = synonyms } }

    // MARK: The file

    /// The open index; nil if there is none.
    private func pool() throws -> DatabasePool? {
        guard let identity = FileIdentity(of: path) else {
            state.withLock { $0.opened = nil }
            return nil
        }
        if let opened = state.withLock({ $0.opened }), opened.identity == identity { return opened.pool }
        let pool: DatabasePool
        do {
            pool = try DatabasePool(path: path, configuration: SearchSchema.configuration(isReader: true))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
            // It was removed at this moment.
            return nil
        }
        state.withLock { $0.opened = Opened(pool: pool, identity: identity) }
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
                    throw StorageError.unusable(
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
    ///   - countsFacets: whether it is counted which values of filters the hits have.
    ///   - cursor: goes on behind the hits of an earlier answer to this query, in place of the offset.
    public func search(
        _ query: SearchQuery, offset: Int, limit: Int, isExplained: Bool, countsFacets: Bool = false,
        cursor: SearchCursor? = nil
    ) throws -> SearchResults {
        precondition(cursor?.continues(query) ?? true, "the cursor is that of another query")
        guard !query.isEmpty else {
            return .none(query.notes, isExact: true, isIndexComplete: try standing().isComplete)
        }
        try storages.lookAgain()
        let job = storages.job
        func results(in job: JobStorages) throws -> SearchResults {
            try self.results(
                of: query, in: job, offset: offset, limit: limit, isExplained: isExplained, countsFacets: countsFacets,
                cursor: cursor)
        }
        let found = try results(in: job)
        guard storages.job.missing != job.missing else { return found }
        // Where records were to be read, a storage was gone.
        return try results(in: storages.job)
    }

    private func results(
        of query: SearchQuery, in job: JobStorages, offset: Int, limit: Int, isExplained: Bool, countsFacets: Bool,
        cursor: SearchCursor?
    ) throws -> SearchResults {
        var notes = query.notes
        let missing = Set(job.missing)
        let (start, limit) =
            cursor.map { ($0.place, max(0, limit)) }
            ?? (.ranked(max(0, offset)), max(0, min(limit, Limits.hits - max(0, offset))))
        let moment = cursor?.moment ?? hour
        let answer = try found(
            query, isExplained: isExplained, countsFacets: countsFacets, missing, at: moment, from: start, limit: limit)
        guard let answer else {
            return .none(
                notes + ["There is no search index yet; pippin index update makes it."], isExact: false,
                isIndexComplete: false)
        }
        let (found, isComplete) = (answer.found, answer.isComplete)
        if !isComplete { notes.append("The index is still being made: there may be more hits, and better ones.") }
        notes += found.notes
        if let absence = job.absence { notes.append(absence) }
        let isOrderChanged = cursor.map { $0.state != answer.state }
        if isOrderChanged == true {
            notes.append("The order has changed since the first page: hits may come twice, and others not at all.")
        }
        let hits = try records(of: answer.shown, found.highlighter)
        // A page that nobody asked for has none behind it.
        let next = answer.next.flatMap { place in
            limit == 0
                ? nil
                : SearchCursor(
                    query: query, moment: moment, state: cursor?.state ?? answer.state, place: place,
                    offset: (cursor?.offset ?? max(0, offset)) + answer.shown.count)
        }
        let correction = try found.correction.map { try corrected(query, $0, found) }
        let isFirst = found.correction?.isFirst ?? false
        return SearchResults(
            hits: hits, count: found.count, isCountExact: found.isCountExact && isComplete, isIndexComplete: isComplete,
            correctedQuery: isFirst ? correction : nil,
            didYouMean: isFirst ? nil : correction, facets: found.facets, next: next,
            isOrderChanged: isOrderChanged, notes: notes)
    }

    /// The present hour, in seconds since 1970: whoever asks again gets the same answer, and freshness changes over months.
    private var hour: Int64 { Int64((now().timeIntervalSince1970 / 3_600).rounded(.down)) * 3_600 }

    /// What filters all records have.
    public func facets() throws -> SearchFacets {
        try storages.lookAgain()
        let missing = Set(storages.job.missing)
        return try found(
            SearchQuery(""), isExplained: false, countsFacets: true, missing, at: hour,
            from: .ranked(0), limit: 0)?.found.facets ?? .none
    }

    /// The query with corrected words as the record that has them writes them.
    private func corrected(
        _ query: SearchQuery, _ correction: SearchRun.Correction, _ found: SearchRun.Found
    ) throws -> String {
        let record = try records(of: found.hits.filter { $0.number == correction.number }, found.highlighter).first?
            .record
        func spelled(_ term: String) -> String { record.map { SearchSuggestions.spelling(of: term, in: $0) } ?? term }
        let utf8 = Array(query.text.utf8)
        var text: [UInt8] = []
        var place = 0
        for change in correction.changes where change.range.lowerBound >= place {
            text += utf8[place..<change.range.lowerBound]
            text += change.terms.map(spelled).joined(separator: " ").utf8
            place = change.range.upperBound
        }
        return String(decoding: text + utf8[place...], as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// What one state of the index answers.
    private struct Answer {
        let found: SearchRun.Found
        let isComplete: Bool
        let shown: [SearchRanking.Ranked]
        let next: SearchCursor.Place?
        let state: UInt64
    }

    /// - Parameters:
    ///   - missing: the shards whose records are no hits.
    ///   - moment: now, in seconds since 1970.
    private func found(
        _ query: SearchQuery, isExplained: Bool, countsFacets: Bool, _ missing: Set<Int>, at moment: Int64,
        from start: SearchCursor.Place, limit: Int
    ) throws -> Answer? {
        let (clicks, synonyms) = state.withLock { ($0.clicks, $0.synonyms) }
        return try read { database in
            let run = try SearchRun(
                query, weights: weights, now: Date(timeIntervalSince1970: Double(moment)), clicks: clicks,
                synonyms: synonyms, isExplained: isExplained, countsFacets: countsFacets, missing: missing, database)
            let found = try run.found()
            let page = try run.page(of: found, from: start, limit: limit)
            return Answer(
                found: found, isComplete: try Self.standing(database).isComplete, shown: page.hits, next: page.next,
                state: try run.state(of: found.hits))
        }
    }

    /// Reads the records of hits from the storages. What was deleted there meanwhile is left out.
    private func records(
        of hits: some Sequence<SearchRanking.Ranked>, _ highlighter: MatchHighlighter
    ) throws -> [SearchHit] {
        var highlighter = highlighter
        var records: [String: JSONValue] = [:]
        var texts: [String: SearchedText] = [:]
        for (shard, hits) in Dictionary(grouping: hits, by: \.signals.shard) {
            try storages.read(shard) { database in
                let text = try PageTextTable.reading(database)
                let statement = try StoreStatement(
                    database,
                    """
                    SELECT record.sequence, identifier, state, document, value
                    FROM record LEFT JOIN popularity ON popularity.record = record.id WHERE identifier = ? AND state = 0
                    """)
                for identifier in hits.map(\.signals.identifier) {
                    let document = try statement.first(.text(identifier)) { ChangeFeed.change($0).document }
                    var parser = JSONParser(limits: .ownText)
                    records[identifier] = document.flatMap { try? parser.parse($0) }
                    texts[identifier] = try text.first(.text(identifier)) { SearchedText(kept: $0.text(0)) }
                }
            }
        }
        return hits.compactMap { hit in
            guard let record = records[hit.signals.identifier] else { return nil }
            return SearchHit(
                identifier: hit.signals.identifier, record: record,
                title: highlighter.highlighted(record["title"]?.string ?? ""),
                snippet: highlighter.snippet(
                    record["snippet"]?.string ?? "", title: record["title"]?.string ?? "",
                    description: record["contentDescription"]?.string ?? "",
                    text: texts[hit.signals.identifier]?.quotable ?? ""),
                score: hit.score, parts: hit.parts, furtherOfHost: hit.furtherOfHost)
        }
    }

    /// How many records the index has, and whether it has ever reached the end of each feed.
    public func standing() throws -> (documents: Int, isComplete: Bool) {
        try read { try Self.standing($0) } ?? (0, false)
    }

    private static func standing(_ database: Database) throws -> (documents: Int, isComplete: Bool) {
        try StoreStatement(
            database, "SELECT documents, NOT EXISTS (SELECT 1 FROM source WHERE sequence < target) FROM state"
        ).first {
            (Int($0.integer(0)), $0.integer(1) != 0)
        } ?? (0, false)
    }

    // MARK: Suggestions

    /// Completions of a text while it is typed: titles that begin with it, then its last word completed. If nothing begins
    /// like this, one slip is forgiven in each word.
    public func suggestions(
        for text: String, limit: Int, restriction: SearchRestriction? = nil
    ) throws -> [SearchSuggestion] {
        let query = SearchQuery(text, restriction: restriction)
        guard limit > 0, query.endsOpen, query.filters.isEmpty, query.excluded.isEmpty, let last = query.terms.last,
            let lastForm = last.forms.last
        else { return [] }
        let typed = try read { database in
            try SearchRun(query, weights: weights, now: now(), clicks: nil, isExplained: false, database)
                .typed(lastForm, limit: limit)
        }
        guard let typed else { return [] }
        var records: [String: JSONValue] = [:]
        let places = typed.titles + typed.completions.compactMap(\.record)
        for (shard, places) in Dictionary(grouping: places, by: \.shard) {
            try storages.read(shard) { database in
                let statement = try StoreStatement(
                    database, "SELECT document FROM record WHERE identifier = ? AND state = 0")
                for place in places where records[place.identifier] == nil {
                    let document = try statement.first(.text(place.identifier)) { $0.blob(0) }
                    var parser = JSONParser(limits: .ownText)
                    records[place.identifier] = document.flatMap { try? parser.parse($0) }
                }
            }
        }
        return SearchSuggestions(query, lastForm: lastForm, typed, records).texts(limit: limit)
    }
}

extension SearchIndex {
    /// How many bytes the index in a folder (`JobStorages.folder`) takes on the disk, with its log.
    public static func bytes(in folder: URL) -> Int {
        ["", "-wal"].reduce(0) { sum, suffix in
            var status = stat()
            let path = folder.appending(path: SearchSchema.fileName + suffix).path
            return stat(path, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }
}
