import PippinPage

/// Finds the compounds of the index that a word of a query is a part of, and the parts of one that it is.
struct CompoundForms {
    /// The languages of the index that write compounds.
    private let languages: [String]
    /// How many compounds count as one word of the query.
    private let limit: Int
    private let leastDocuments: Int64
    private let table: WordTable

    /// Each compound is a further phrase for FTS5, so all words of a query share these.
    private static let maximumOfQuery = 48
    private static let maximumOfWord = 16
    /// Words with one end that are looked at, and those of them that are divided.
    private static let maximumRead = 400
    private static let maximumDivided = 80

    /// - Parameter languages: those of the index.
    init(_ languages: [String], words: Int, documents: Int64, _ table: WordTable) {
        leastDocuments = SpellingHelp.leastDocuments(of: documents)
        self.languages = Array(languages.filter(CompoundWord.languages.contains).prefix(3))
        limit = min(Self.maximumOfWord, Self.maximumOfQuery / max(1, words))
        self.table = table
    }

    struct Compound {
        let terms: [String]
        let kind: Kind

        enum Kind { case last, first, divided }
    }

    /// - Parameter isOpen: whether all words that begin with it count already.
    func compounds(of form: String, isOpen: Bool) throws -> [Compound] {
        guard !languages.isEmpty, form.utf8.count >= CompoundWord.leastLast, !StopWords.contains(form),
            form.utf8.allSatisfy({ (0x61...0x7A).contains($0) })
        else { return [] }
        var found = try ending(with: form).map { Compound(terms: [$0], kind: .last) }
        if !isOpen { found += try beginning(with: form).map { Compound(terms: [$0], kind: .first) } }
        return found + (try divided(form)).map { Compound(terms: $0, kind: .divided) }
    }

    private func documents(of term: String) throws -> Int64 { try table.documents(of: term) }

    /// In how many documents a word is, itself or by its stem.
    private func documents(ofWord form: String) throws -> Int64 {
        max(try documents(of: form), try documents(of: SearchSchema.stemMark + form))
    }

    /// The stems of a word. One that has lost more than an ending of a noun is that of another word.
    private func stems(of form: String) -> Set<String> {
        SearchText.with { text in
            Set(languages.map { text.stem(of: form, language: $0) ?? form })
                .filter { $0.utf8.count >= CompoundWord.leastLast && form.utf8.count - $0.utf8.count <= 2 }
        }
    }

    // MARK: The last part

    /// The terms of compounds whose last part is a word, most frequent first.
    private func ending(with form: String) throws -> [String] {
        let own = try documents(ofWord: form)
        var firsts: [String: Int64] = [:]
        var terms: [String] = []
        for stem in stems(of: form).sorted() {
            let end = SearchSchema.endingMark + CompoundWord.reversed(stem)
            var found = try table.terms(beginningWith: end, limit: Self.maximumRead).map {
                (stem: CompoundWord.reversed(String($0.term.dropFirst())), documents: $0.documents)
            }
            found.sort { ($1.documents, $0.stem) < ($0.documents, $1.stem) }
            let last = max(1, own, try documents(ofWord: stem))
            for (compound, documents) in found.prefix(Self.maximumDivided) where terms.count < limit {
                let first = String(compound.dropLast(stem.count))
                let known = try firsts[first] ?? self.documents(ofFirst: first)
                firsts[first] = known
                guard CompoundWord.isPlausible(first: known, last: last, compound: documents) else { continue }
                for term in [compound, SearchSchema.stemMark + compound]
                where try !terms.contains(term) && self.documents(of: term) > 0 { terms.append(term) }
            }
        }
        return terms
    }

    private func documents(ofFirst part: String) throws -> Int64 {
        guard part.utf8.count >= CompoundWord.leastFirst else { return 0 }
        let most = try CompoundWord.words(ofFirst: part).map(documents(ofWord:)).max() ?? 0
        // In a large index, rare words are often none.
        return most >= leastDocuments ? most : 0
    }

    // MARK: The first part

    /// The compounds whose first part is a word, most frequent first.
    private func beginning(with form: String) throws -> [String] {
        let own = try documents(ofWord: form)
        guard own > 0 else { return [] }
        var terms: [String] = []
        for (compound, documents) in try table.completions(of: form, limit: Self.maximumDivided)
        where terms.count < limit / 2 {
            let rest = String(compound.dropFirst(form.count))
            let lasts = [rest] + CompoundWord.joints.filter(rest.hasPrefix).map { String(rest.dropFirst($0.count)) }
            guard try isCompound(compound),
                try lasts.contains(where: { last in
                    guard last.utf8.count >= CompoundWord.leastLast, !StopWords.contains(last) else { return false }
                    let known = try stems(of: last).union([last]).map(self.documents(ofWord:)).max() ?? 0
                    return CompoundWord.isPlausible(first: own, last: known, compound: documents)
                })
            else { continue }
            terms.append(compound)
        }
        return terms
    }

    /// Whether a text in one of the languages has the word.
    private func isCompound(_ form: String) throws -> Bool {
        let endings = SearchText.with { text in
            Set(languages.compactMap { CompoundWord.ending(of: form, language: $0, text) })
        }
        return try endings.contains { try documents(of: SearchSchema.endingMark + $0) > 0 }
    }

    // MARK: Both parts

    /// The two words that a compound is made of, one behind the other: the best divisions.
    private func divided(_ form: String) throws -> [[String]] {
        var found: [(terms: [String], documents: Double)] = []
        for (first, last) in CompoundWord.divisions(of: form) {
            guard !StopWords.contains(last), case let documents = try self.documents(of: last), documents > 0 else {
                continue
            }
            for word in CompoundWord.words(ofFirst: first) {
                let known = try self.documents(of: word)
                if known > 0 { found.append(([word, last], Double(known) * Double(documents))) }
            }
        }
        found.sort { ($1.documents, $0.terms[0]) < ($0.documents, $1.terms[0]) }
        return found.prefix(2).map(\.terms)
    }

    /// The words that two neighbors of a query are when they are written together, also with a letter that joins them.
    func joined(_ first: String, _ last: String) throws -> [String] {
        guard first.utf8.count >= CompoundWord.leastFirst, last.utf8.count >= CompoundWord.leastFirst else { return [] }
        let joints = languages.isEmpty ? [""] : [""] + CompoundWord.joints
        return try joints.map { first + $0 + last }.filter { try documents(of: $0) > 0 }
    }
}
