import GRDB
import PippinPage

/// The words of an index as a query looks them up: in how many documents each is, and which begin with a text.
///
/// Its statements are prepared once for a query. It may only be used inside the access to the database that it was made in.
final class WordTable {
    typealias Entry = (term: String, documents: Int64)

    let database: Database
    private let count: StoreStatement
    private let beginnings: StoreStatement
    private let sums: StoreStatement
    private let following: StoreStatement

    init(_ database: Database) throws {
        self.database = database
        count = try StoreStatement(database, "SELECT documents FROM word WHERE term = ?")
        beginnings = try StoreStatement(
            database, "SELECT term, documents FROM word WHERE term > ? AND term < ? LIMIT ?")
        following = try StoreStatement(
            database, "SELECT term, documents FROM word WHERE term >= ? ORDER BY term LIMIT 1")
        sums = try StoreStatement(
            database,
            """
            SELECT count(*), coalesce(sum(documents), 0) FROM (
                SELECT documents FROM word WHERE term > ? AND term < ? LIMIT \(Self.maximumSummed + 1))
            """)
    }

    /// How many documents the index has.
    func documents() throws -> Int64 {
        try StoreStatement(database, "SELECT documents FROM state").first { $0.integer(0) } ?? 0
    }

    /// In how many documents a term is.
    func documents(of term: String) throws -> Int64 { try count.first(.text(term)) { $0.integer(0) } ?? 0 }

    /// In how many documents a phrase may be at most: it is as rare as its rarest term.
    func documents(ofAll terms: [String]) throws -> Int64 { try terms.map(documents).min() ?? 0 }

    /// The terms that begin with a text and are longer, in their order.
    func terms(beginningWith text: String, limit: Int) throws -> [Entry] {
        var found: [Entry] = []
        try beginnings.rows(.text(text), .text(Self.end(of: text)), .integer(Int64(limit))) {
            found.append(($0.text(0), $0.integer(1)))
        }
        return found
    }

    /// The first term in their order that is not before a text.
    func first(from text: String) throws -> Entry? {
        try following.first(.text(text)) { ($0.text(0), $0.integer(1)) }
    }

    private static func end(of text: String) -> String { text + "\u{10FFFF}" }

    /// In how many documents the words are that begin with a text and are longer, each word for itself; nil if they are too many to be
    /// looked up together.
    ///
    /// - Parameter own: in how many the text itself is a word: they are looked up, too.
    func documents(ofAllBeginningWith text: String, besides own: Int64) throws -> Int64? {
        guard own <= Self.maximumDocumentsSummed else { return nil }
        return try sums.first(.text(text), .text(Self.end(of: text))) { row -> Int64? in
            row.integer(0) <= Self.maximumSummed && row.integer(1) <= Self.maximumDocumentsSummed ? row.integer(1) : nil
        } ?? nil
    }

    private static let maximumSummed: Int64 = 2_000
    /// FTS5 joins the documents of all words that begin with a text before it looks for others.
    private static let maximumDocumentsSummed: Int64 = 20_000

    // MARK: Completions

    /// The words that begin with a text, most frequent first.
    func completions(of text: String, limit: Int) throws -> [Entry] {
        let length = text.unicodeScalars.count
        guard length > 0 else { return [] }
        var found = try terms(beginningWith: text, limit: Self.maximumCompared + 1)
        if found.count > Self.maximumCompared {
            // Indexes on the first characters have frequent words in order: a page full of made-up words hides no other.
            let start = min(length, SearchSchema.leastMagnitudes.count)
            let frequent = try StoreStatement(
                database,
                """
                SELECT term, documents FROM word INDEXED BY wordStart\(start)
                WHERE substr(term, 1, \(start)) = ? AND term > ? AND term < ?
                AND magnitude >= \(SearchSchema.leastMagnitudes[start - 1]) ORDER BY magnitude DESC LIMIT \(4 * limit)
                """)
            let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(start)))
            var some: [Entry] = []
            try frequent.rows(.text(beginning), .text(text), .text(Self.end(of: text))) {
                some.append(($0.text(0), $0.integer(1)))
            }
            // Where few of them are frequent, there are not many more.
            if some.count < limit { some = try terms(beginningWith: text, limit: Self.maximumRare) }
            found = some
        }
        found.removeAll { $0.term.hasPrefix(SearchSchema.stemMark) }
        return Self.mostFrequent(found, limit)
    }

    /// So many words that begin with a text are compared by how frequent they are.
    private static let maximumCompared = 500
    private static let maximumRare = 10_000

    private static func mostFrequent(_ entries: [Entry], _ limit: Int) -> [Entry] {
        Array(entries.sorted { ($1.documents, $0.term) < ($0.documents, $1.term) }.prefix(limit))
    }

    /// The words that an unfinished word with a slip may become, most frequent first.
    ///
    /// Those are looked at that begin with the same letters, and those that begin with the word without a letter or with two
    /// of them swapped.
    func nearCompletions(of form: String, limit: Int) throws -> [Entry] {
        let scalars = Array(form.unicodeScalars)
        guard Self.lettersOfNear.contains(scalars.count), scalars.allSatisfy(\.properties.isAlphabetic) else {
            return []
        }
        func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            return String(text)
        }
        var found = try completions(of: text(scalars.prefix(3)), limit: Self.maximumNear)
        found += try completions(of: text(scalars.prefix(1)), limit: Self.maximumNear)
        for place in scalars.indices.prefix(4) {
            found += try completions(of: text(scalars[..<place] + scalars[(place + 1)...]), limit: limit)
            guard place > 0 else { continue }
            var swapped = scalars
            swapped.swapAt(place - 1, place)
            found += try completions(of: text(swapped), limit: limit)
        }
        var seen: Set<String> = []
        found = found.filter { term, _ in
            guard seen.insert(term).inserted else { return false }
            let letters = Array(term.unicodeScalars)
            guard letters.allSatisfy(\.properties.isAlphabetic), letters.count >= scalars.count - 1 else {
                return false
            }
            return (scalars.count - 1...scalars.count + 1).contains { length in
                SpellingHelp.distance(scalars, Array(letters.prefix(length)), atMost: 1) != nil
            }
        }
        return Self.mostFrequent(found, limit)
    }

    private static let lettersOfNear = 4...20
    private static let maximumNear = 100
}
