import GRDB
import PippinPage

/// Finds words of the index that a word may be meant to be.
///
/// A word is filed under itself and under itself without one of its letters. A misspelling is looked up in the same ways, so all words at
/// an edit distance of one are found, swaps of neighbors included, and some at two. A long word, as most are, is filed under its first and
/// its last letters only: one slip leaves one of them as it was. That is a fifth of the entries.
enum SpellingHelp {
    /// Words with other numbers of letters are not corrected to. Of a word that somebody typed, one may be missing.
    private static let letters = 4...40
    private static let lettersTyped = 3...41
    /// From here on, a word is filed under its ends.
    private static let long = 7

    /// In a large index, words that few documents have are often misspelled themselves.
    static func leastDocuments(of documents: Int64) -> Int64 { documents < 20_000 ? 1 : 3 }

    /// A word of the index that is near to a misspelled one.
    struct Candidate: Sendable {
        /// One word, or two if a space was missing.
        let terms: [String]
        let documents: Int64
        /// How far it is away: 1 for a slip, less for a frequent kind of slip, more if the first letter is another one.
        let cost: Double
    }

    // MARK: Filing

    /// The hashes that a word of the index is filed under. None for short words, numbers, stems and pairs.
    static func hashes(of term: String) -> [Int64] {
        let scalars = Array(term.unicodeScalars)
        guard letters.contains(scalars.count), scalars.allSatisfy(\.properties.isAlphabetic) else { return [] }
        return scalars.count < long ? hashes(ofShort: scalars) : ends(of: scalars, length: scalars.count)
    }

    private static func hashes(ofShort scalars: [Unicode.Scalar]) -> [Int64] {
        var hashes = [hash(scalars[...])]
        for index in scalars.indices { hashes.append(hash(scalars[..<index] + scalars[(index + 1)...])) }
        return hashes
    }

    /// Between both ends is a letter at least, so that a swap touches one of them only.
    private static func ends(of scalars: [Unicode.Scalar], length: Int) -> [Int64] {
        let half = (length - 1) / 2
        let number = Unicode.Scalar(UInt8(length))
        return [hash([number, "^"] + scalars.prefix(half)), hash([number, "$"] + scalars.suffix(half))]
    }

    private static func hash(_ scalars: some Sequence<Unicode.Scalar>) -> Int64 {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        // Four bytes in the index; candidates are compared letter by letter, so that what falls together does no harm.
        return Int64(UInt64.storeHash(String(text).utf8) & 0x7FFF_FFFF)
    }

    // MARK: Candidates

    /// Words that no letters tell apart from thousands of others cost no more than this.
    private static let maximumCandidates = 3_000
    private static let maximumOfHash = 1_000

    /// The words of the index that a word may be meant to be, nearest first; the more frequent one first of those that are as near.
    static func candidates(for word: String, limit: Int, _ database: Database) throws -> [Candidate] {
        let scalars = Array(word.unicodeScalars)
        guard lettersTyped.contains(scalars.count), scalars.allSatisfy(\.properties.isAlphabetic) else { return [] }
        let statement = try StoreStatement(
            database,
            """
            SELECT DISTINCT word.term, word.documents FROM spelling JOIN word ON word.term = spelling.term
            WHERE hash = ? LIMIT \(maximumOfHash)
            """)
        var hashes = scalars.count <= long + 1 ? hashes(ofShort: scalars) : []
        for length in scalars.count - 1...scalars.count + 1 where length >= long {
            hashes += ends(of: scalars, length: length)
        }
        let maximum = scalars.count >= 7 ? 2 : 1
        var found: [Candidate] = []
        var seen: Set<String> = [word]
        for hash in hashes where seen.count < maximumCandidates {
            try statement.rows(.integer(hash)) { row in
                let term = row.text(0)
                guard seen.insert(term).inserted else { return }
                let letters = Array(term.unicodeScalars)
                guard let distance = distance(scalars, letters, atMost: maximum) else { return }
                var cost = Double(distance)
                if letters.first != scalars.first { cost += 0.3 }
                if isFrequentSlip(from: letters, to: scalars) { cost -= 0.2 }
                found.append(Candidate(terms: [term], documents: row.integer(1), cost: cost))
            }
        }
        found.sort { ($0.cost, $1.documents, $0.terms[0]) < ($1.cost, $0.documents, $1.terms[0]) }
        return Array(found.prefix(limit))
    }

    /// Whether a word differs only by a doubled letter, or by two that changed places: fingers do that more often than others.
    private static func isFrequentSlip(from meant: [Unicode.Scalar], to typed: [Unicode.Scalar]) -> Bool {
        func single(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
            scalars.indices.filter { $0 == 0 || scalars[$0] != scalars[$0 - 1] }.map { scalars[$0] }
        }
        if meant.count != typed.count { return single(meant) == single(typed) }
        let places = meant.indices.filter { meant[$0] != typed[$0] }
        return places.count == 2 && places[1] == places[0] + 1 && meant[places[0]] == typed[places[1]]
            && meant[places[1]] == typed[places[0]]
    }

    /// The two words that a word without a space may be meant to be: the best ones, by the rarer of both.
    static func splits(
        of word: String, limit: Int, _ documents: (String) throws -> Int64
    ) rethrows -> [Candidate] {
        let scalars = Array(word.unicodeScalars)
        let least = 3
        guard (2 * least...lettersTyped.upperBound).contains(scalars.count) else { return [] }
        var found: [Candidate] = []
        for place in least...scalars.count - least {
            let parts = [scalars[..<place], scalars[place...]].map { part in
                var text = String.UnicodeScalarView()
                text.append(contentsOf: part)
                return String(text)
            }
            guard case let first = try documents(parts[0]), first > 0, case let last = try documents(parts[1]), last > 0
            else { continue }
            found.append(Candidate(terms: parts, documents: min(first, last), cost: 1))
        }
        found.sort { ($1.documents, $0.terms[0]) < ($0.documents, $1.terms[0]) }
        return Array(found.prefix(limit))
    }

    /// Insertions, deletions, replacements and swaps of neighbors; nil if there are more than `limit`.
    static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], atMost limit: Int) -> Int? {
        guard abs(a.count - b.count) <= limit else { return nil }
        // Candidates have the same letters at one end.
        let start = zip(a, b).prefix { $0 == $1 }.count
        let end = zip(a[start...].reversed(), b[start...].reversed()).prefix { $0 == $1 }.count
        if start + end > 0 {
            return distance(Array(a[start..<a.count - end]), Array(b[start..<b.count - end]), atMost: limit)
        }
        if a.isEmpty || b.isEmpty { return a.count + b.count }
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforeLast[j - 1] + 1) }
                row.append(best)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count] <= limit ? last[b.count] : nil
    }
}
