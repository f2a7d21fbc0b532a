import GRDB
import Testing

@testable import PippinStore

/// The words that a misspelling is looked up to, against a comparison with every word.
@Suite struct SpellingHelpTests {
    /// Words of few letters, so that most have neighbors; of some beginnings more than are compared one by one.
    private static func words(_ letters: [Character], _ numbers: inout SystemRandomNumberGenerator) -> Set<String> {
        var words: Set<String> = []
        for _ in 0..<3_000 {
            let length = Int.random(in: 3...9, using: &numbers)
            words.insert(String((0..<length).map { _ in letters.randomElement(using: &numbers) ?? "a" }))
        }
        return words
    }

    /// Insertions, deletions, replacements and swaps of neighbors, by the textbook's table.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var rows = [Array(0...b.count)]
        for i in 1...a.count {
            rows.append([i] + [Int](repeating: 0, count: b.count))
            for j in 1...b.count {
                var best = min(
                    rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, rows[i - 2][j - 2] + 1) }
                rows[i][j] = best
            }
        }
        return rows[a.count][b.count]
    }

    @Test(arguments: ["abc", "abcdez", "абвгд", "añøz", "אבגד"])
    func `every word of the index that one slip makes is found`(letters: String) throws {
        var numbers = SystemRandomNumberGenerator()
        let words = Self.words(Array(letters), &numbers)
        let found = try DatabaseQueue().write { database in
            try database.execute(sql: SearchSchema.tables)
            for word in words {
                try database.execute(sql: "INSERT INTO word VALUES (?, 1, 1)", arguments: [word])
                // Stems and written forms are no words.
                try database.execute(sql: "INSERT INTO word VALUES (?, 1, 1)", arguments: ["~" + word])
            }
            let table = try WordTable(database)
            return try words.shuffled().prefix(60).map { word -> (typed: String, terms: [String]) in
                var typed = Array(word)
                switch Int.random(in: 0...3) {
                case 0: typed.remove(at: Int.random(in: typed.indices))
                case 1: typed.insert(typed[0], at: Int.random(in: typed.indices))
                case 2: typed.swapAt(0, Int.random(in: typed.indices))
                default: break
                }
                let text = String(typed)
                return (text, try SpellingHelp.candidates(for: text, limit: .max, of: 100, table).map { $0.terms[0] })
            }
        }
        #expect(found.contains { $0.terms.count > 1 })
        for (typed, terms) in found where typed.count >= 3 {
            let near = words.filter { word in
                word.count >= 4 && word != typed && Self.distance(Array(typed), Array(word)) == 1
            }
            let given = Set(terms)
            #expect(near.subtracting(given).isEmpty, "\(typed)")
            // Two slips are forgiven in long words only.
            for term in given.subtracting(near) {
                #expect(typed.count >= 7 && Self.distance(Array(typed), Array(term)) == 2, "\(typed) \(term)")
            }
            #expect(terms.count == given.count)
        }
    }
}
