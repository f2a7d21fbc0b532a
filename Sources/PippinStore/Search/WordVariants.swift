import PippinPage

/// Other ways to write a word of a query, as far as the index has them.
enum WordVariants {
    /// Where the index has a word as the query writes it, or with accents if the query has none.
    struct Writing {
        let forms: [SearchPlan.Form]
        /// What the word counts elsewhere.
        let weightOfWord: Double
    }

    /// - Returns: nil if all records write the word as the query does, or none does.
    static func writing(of term: SearchQuery.Term, _ weights: SearchWeights, _ table: WordTable) throws -> Writing? {
        guard !term.isPhrase, !term.isDense, term.forms.count == 1, let form = term.forms.first else { return nil }
        guard let written = term.written else {
            let forms = try writings(of: form, table).prefix(maximumWritingsOfWord).map { written, _ in
                SearchPlan.Form(
                    terms: [SearchSchema.writtenTerm(form, written)], kind: .writing,
                    weight: weights.writtenWithAccents - 1)
            }
            return forms.isEmpty ? nil : Writing(forms: forms, weightOfWord: 1)
        }
        let own = SearchSchema.writtenTerm(form, written)
        guard try table.documents(of: own) > 0 else { return nil }
        let writing = SearchPlan.Form(terms: [own], kind: .writing, weight: 1 - weights.writtenOtherwise)
        return Writing(forms: [writing], weightOfWord: weights.writtenOtherwise)
    }

    /// The word with two letters for an umlaut or a Nordic letter, or the other way round.
    static func spellings(of form: String, written: String?, _ table: WordTable) throws -> [String] {
        if let written { return WrittenWord.spelledOut(written).map { $0 == form ? [] : [$0] } ?? [] }
        return try WrittenWord.contractions(of: form).filter { contraction in
            try writings(of: contraction, table).contains { WrittenWord.spelledOut($0.written) == form }
        }
    }

    /// A Hebrew word with and without prefixes, as far as both are words of the index; and with the other form of its last letter.
    static func hebrew(_ form: String, _ table: WordTable) throws -> [String] {
        var found: [(word: String, documents: Int64)] = []
        for word in HebrewPrefix.stripped(form) + [HebrewPrefix.withOtherEnd(form)].compactMap({ $0 }) {
            found.append((word, try table.documents(of: word)))
        }
        if case let prefixed = HebrewPrefix.prefixed(form), !prefixed.isEmpty, try table.documents(of: form) > 0 {
            for word in prefixed { found.append((word, try table.documents(of: word))) }
        }
        found.removeAll { $0.documents == 0 }
        found.sort { ($1.documents, $0.word) < ($0.documents, $1.word) }
        return found.prefix(maximumPrefixed).map(\.word)
    }

    private static let maximumPrefixed = 8

    /// How the index's texts write a folded word, if they have other letters in it: a few of these ways, most frequent first.
    private static func writings(
        of form: String, _ table: WordTable
    ) throws -> [(written: String, documents: Int64)] {
        let start = SearchSchema.writtenTerm(form, "")
        return try table.terms(beginningWith: start, limit: maximumWritings)
            .map { (String($0.term.unicodeScalars.dropFirst(start.unicodeScalars.count)), $0.documents) }
            .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// Each is a further phrase for FTS5.
    private static let maximumWritingsOfWord = 3

    /// Hostile pages can accent a word in thousands of ways.
    private static let maximumWritings = 20
}
