import GRDB
import PippinPage

/// The counts that the search index keeps, and what a count over its documents gives. What a kept count must be is written here once.
enum SearchCounts {
    /// The counts that are wrong, as sentences without a point: at most one of each kind.
    ///
    /// - Parameter isFull: whether the documents of each word are counted, which reads the whole index.
    static func problems(_ database: Database, isFull: Bool) throws -> [String] {
        var problems: [String] = []
        func compare(_ name: String, _ kept: Int64, _ counted: Int64) {
            if kept != counted { problems.append("\(name) is \(kept), not \(counted)") }
        }
        var (documents, lengths): (Int64, [Int64]) = (0, Array(repeating: 0, count: SearchField.allCases.count))
        var languages: [String: Int64] = [:]
        try StoreStatement(database, "SELECT lengths, language FROM document").rows { row in
            documents += 1
            for (field, length) in SearchSignals.lengths(row.blob(0)).enumerated() { lengths[field] += Int64(length) }
            if let language = row.optionalText(1) { languages[language, default: 0] += 1 }
        }
        func number(_ sql: String) throws -> Int64 { try Int64.fetchOne(database, sql: sql) ?? 0 }
        compare("the number of documents", try number("SELECT documents FROM state"), documents)
        var kept: [String: Int64] = [:]
        try StoreStatement(database, "SELECT tag, documents FROM language WHERE documents <> 0").rows {
            kept[$0.text(0)] = $0.integer(1)
        }
        if kept != languages { problems.append("documents by language are \(kept), not \(languages)") }
        for (field, length) in lengths.enumerated() {
            compare(
                "the words of field \(field)", try number("SELECT sum(words) FROM length WHERE field = \(field)"),
                length)
        }
        guard isFull else { return problems }
        // FTS5 shows its own terms in a table of this kind, in order; both sides are read once.
        try database.execute(sql: "CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab(main, words, row)")
        let ours = "substr(term, 1, 1) <> '\(SearchSchema.facetMark)'"
        compare(
            "the number of words whose documents are counted wrongly",
            try number(
                "SELECT count(*) FROM temp.terms LEFT JOIN word USING (term) WHERE \(ours) AND doc IS NOT word.documents"
            ), 0)
        compare(
            "the number of words",
            try number("SELECT count(*) FROM word WHERE substr(term, 1, 1) <> '\(SearchSchema.endingMark)'"),
            try number("SELECT count(*) FROM temp.terms WHERE \(ours)"))
        var endings: Int64 = 0
        try SearchText.with { text in
            try StoreStatement(
                database,
                "SELECT language, terms FROM contents JOIN document USING (id)"
            ).rows { row in
                let language = row.optionalText(0)
                guard language.map(CompoundWord.languages.contains) ?? false else { return }
                let terms = DocumentTerms(packed: row.blob(1))?.ofFields ?? []
                endings += Int64(SearchDocument.endings(of: terms, language: language, text).count)
            }
        }
        compare(
            "the number of compounds' ends",
            try number(
                "SELECT coalesce(sum(documents), 0) FROM word WHERE substr(term, 1, 1) = '\(SearchSchema.endingMark)'"),
            endings)
        return problems
    }
}
