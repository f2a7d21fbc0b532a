import GRDB
import PippinPage

/// Other ways to write a word of a query, as far as the index has them.
enum WordVariants {
    /// Where the index has a word as the query writes it, or with accents if the query has none.
    struct Writing {
        let form: SearchPlan.Form
        /// What the word counts elsewhere.
        let weightOfWord: Double
    }

    /// - Returns: nil if all records write the word as the query does, or none does.
    static func writing(of term: SearchQuery.Term, _ weights: SearchWeights, _ database: Database) throws -> Writing? {
        guard !term.isPhrase, !term.isDense, term.forms.count == 1, let form = term.forms.first else { return nil }
        guard let written = term.written else {
            guard try !self.written(form, database).isEmpty else { return nil }
            let all = SearchPlan.Form(
                terms: [SearchSchema.writtenTerm(form, "")], kind: .writing, weight: weights.writtenWithAccents - 1,
                isBeginning: true)
            return Writing(form: all, weightOfWord: 1)
        }
        let own = SearchSchema.writtenTerm(form, written)
        let statement = try StoreStatement(database, "SELECT 1 FROM word WHERE term = ?")
        guard try statement.first(.text(own), body: { $0.integer(0) }) != nil else { return nil }
        let writing = SearchPlan.Form(terms: [own], kind: .writing, weight: 1 - weights.writtenOtherwise)
        return Writing(form: writing, weightOfWord: weights.writtenOtherwise)
    }

    /// The word with two letters for an umlaut or a Nordic letter, or the other way round.
    static func spellings(of form: String, written: String?, _ database: Database) throws -> [String] {
        if let written { return WrittenWord.spelledOut(written).map { $0 == form ? [] : [$0] } ?? [] }
        return try WrittenWord.contractions(of: form).filter { contraction in
            try self.written(contraction, database).contains { WrittenWord.spelledOut($0) == form }
        }
    }

    /// A Hebrew word with and without prefixes, as far as both are words of the index; and with the other form of its last letter.
    static func hebrew(_ form: String, _ documents: (String) throws -> Int64) throws -> [String] {
        var found: [(word: String, documents: Int64)] = []
        for word in HebrewPrefix.stripped(form) + [HebrewPrefix.withOtherEnd(form)].compactMap({ $0 }) {
            found.append((word, try documents(word)))
        }
        if case let prefixed = HebrewPrefix.prefixed(form), !prefixed.isEmpty, try documents(form) > 0 {
            for word in prefixed { found.append((word, try documents(word))) }
        }
        found.removeAll { $0.documents == 0 }
        found.sort { ($1.documents, $0.word) < ($0.documents, $1.word) }
        return found.prefix(maximumPrefixed).map(\.word)
    }

    private static let maximumPrefixed = 8

    /// How the index's texts write a folded word, if they have other letters in it: a few of these ways.
    private static func written(_ form: String, _ database: Database) throws -> [String] {
        let start = SearchSchema.writtenTerm(form, "")
        let statement = try StoreStatement(
            database, "SELECT term FROM word WHERE term > ? AND term < ? LIMIT \(maximumWritings)")
        var found: [String] = []
        try statement.rows(.text(start), .text(start + "\u{10FFFF}")) {
            found.append(String($0.text(0).unicodeScalars.dropFirst(start.unicodeScalars.count)))
        }
        return found
    }

    /// Hostile pages can accent a word in thousands of ways.
    private static let maximumWritings = 20
}
