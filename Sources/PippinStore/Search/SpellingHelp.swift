import GRDB
import PippinPage

/// Finds words of the index that a word without matches was meant to be.
///
/// Each word is filed under itself and under itself without one of its letters. A misspelling is looked up in the same ways, so
/// all words at an edit distance of one are found, swaps of neighbors included, and many at two.
enum SpellingHelp {
    private static let letters = 4...20

    /// In a large index, words that few documents have are often misspelled themselves.
    static func leastDocuments(of documents: Int64) -> Int64 { documents < 20_000 ? 1 : 3 }

    /// The hashes that a word is filed under. None for short words, numbers, stems and pairs.
    static func hashes(of term: String) -> [Int64] {
        let scalars = Array(term.unicodeScalars)
        guard letters.contains(scalars.count), scalars.allSatisfy(\.properties.isAlphabetic) else { return [] }
        var hashes = [hash(term)]
        for index in scalars.indices {
            var variant = String.UnicodeScalarView()
            variant.append(contentsOf: scalars[..<index])
            variant.append(contentsOf: scalars[(index + 1)...])
            hashes.append(hash(String(variant)))
        }
        return hashes
    }

    private static func hash(_ text: String) -> Int64 { Int64(bitPattern: UInt64.storeHash(text.utf8)) }

    /// Words that no letters tell apart from thousands of others cost no more than this.
    private static let maximumCandidates = 200

    /// The most probable word for a misspelling; nil if none is near.
    ///
    /// - Parameter documents: how many documents have the word as it was written.
    static func correction(of word: String, documents: Int64, _ database: Database) throws -> String? {
        let candidates = try StoreStatement(
            database,
            """
            SELECT DISTINCT word.term, word.documents FROM spelling JOIN word ON word.term = spelling.term
            WHERE hash = ? LIMIT 50
            """)
        var best: (distance: Int, documents: Int64, term: String)?
        var seen: Set<String> = [word]
        let maximum = word.unicodeScalars.count >= 7 ? 2 : 1
        for hash in hashes(of: word) where seen.count < maximumCandidates {
            try candidates.rows(.integer(hash)) { row in
                let term = row.text(0)
                guard seen.insert(term).inserted else { return }
                let count = row.integer(1)
                // A rare word that exists needs a much more frequent neighbor to be a mistake.
                guard count > 20 * documents else { return }
                guard let distance = distance(Array(word.unicodeScalars), Array(term.unicodeScalars), atMost: maximum)
                else { return }
                if let known = best, (known.distance, -known.documents, known.term) <= (distance, -count, term) {
                    return
                }
                best = (distance, count, term)
            }
        }
        return best?.term
    }

    /// Insertions, deletions, replacements and swaps of neighbors; nil if there are more than `limit`.
    static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], atMost limit: Int) -> Int? {
        guard abs(a.count - b.count) <= limit else { return nil }
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
