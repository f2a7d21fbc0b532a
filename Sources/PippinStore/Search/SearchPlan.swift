import Foundation
import GRDB
import PippinPage

/// A query as the index is asked: for each of its words the forms that count as it, with how much, and how rare it is.
struct SearchPlan {
    /// A form of a word: a term or a phrase of terms in FTS5's language.
    struct Form: Sendable {
        /// `variant` is the word in other letters; `writing` is no further form, but tells where the word itself is written with
        /// accents, and changes what it counts there.
        enum Kind: Sendable { case exact, variant, writing, compound, synonym, stem, prefix, pairs, spelling }
        let terms: [String]
        let kind: Kind
        let weight: Double
        /// Whether it is every term that begins with the one here, itself included.
        var isBeginning = false

        /// Whether its places are those in the text: stems, pairs and other further terms stand behind it.
        var stands: Bool {
            switch kind {
            case .exact, .variant, .prefix, .spelling: true
            case .compound, .synonym: !(terms.first?.hasPrefix(SearchSchema.stemMark) ?? false)
            case .writing, .stem, .pairs: false
            }
        }

        /// The terms one after the other, anywhere.
        var expression: String { SearchPlan.quoted(terms) + (isBeginning ? " *" : "") }
        /// The terms in title or other names, in any order: a phrase for each.
        var inTitles: String {
            "("
                + terms.map { SearchPlan.quoted([SearchSchema.titleMark + $0]) + (isBeginning ? " *" : "") }
                .joined(separator: " AND ") + ")"
        }
    }

    struct Word: Sendable {
        let term: SearchQuery.Term
        /// What counts as the word; empty if the index has none of it.
        var forms: [Form]
        /// Words of the index that begin with it, for the last word while it is typed.
        var prefixes: [Form] = []
        /// How rare it is (BM25's inverse document frequency).
        var rarity = 0.0
        /// Documents that have it, counted for the most frequent form.
        var documents: Int64 = 0
        /// Of the form as it was written.
        var exactDocuments: Int64 = 0
        /// Of all words that begin with it.
        var prefixDocuments: Int64 = 0

        /// No more documents than these can match.
        func bound(withPrefixes: Bool) -> Int64 {
            documents * Int64(max(1, forms.count)) + (withPrefixes ? prefixDocuments : 0)
        }
    }

    /// One question to FTS5, and how many rows of it are taken.
    struct Pass {
        let expression: String
        /// For each phrase of the expression: the word and form that it is; nil for phrases that only select.
        let owners: [(word: Int, form: Form)?]
        let limit: Int
        /// Whether its rows have all words.
        let isStrict: Bool
    }

    let query: SearchQuery
    /// The words that count: without stop words, if there are others.
    private(set) var words: [Word] = []
    let documents: Int64
    /// The languages of the index that have stems, most frequent first.
    let languages: [String]
    private var facets: [String] = []
    private var exclusions: [String] = []

    /// The languages whose stems a word is tried with: the most frequent ones that write it in its script.
    static func languages(_ languages: [String], for form: String) -> [String] {
        Array(SearchText.stemmedLanguages(among: languages, for: form).prefix(maximumLanguages))
    }

    private static let maximumLanguages = 4
    /// The most words that an unfinished one may become.
    static let maximumPrefixes = 12

    init(
        _ query: SearchQuery, weights: SearchWeights, synonyms: SearchSynonyms? = nil, _ table: WordTable
    ) throws {
        self.query = query
        self.documents = try table.documents()
        let known = try String.fetchAll(
            table.database, sql: "SELECT tag FROM language WHERE documents > 0 ORDER BY documents DESC LIMIT 30")
        var languages = known.filter(SearchText.stemmedLanguages.contains)
        // Documents without a language are taken for English.
        if !languages.contains("en") { languages.insert("en", at: min(languages.count, Self.maximumLanguages - 1)) }
        self.languages = languages

        let strong = query.terms.filter { $0.isPhrase || !$0.forms.allSatisfy(StopWords.contains) }
        let isOpenWordStrong = query.endsOpen && query.terms.last == strong.last
        for (index, term) in (strong.isEmpty ? query.terms : strong).enumerated() {
            let isLast = index == (strong.isEmpty ? query.terms.count : strong.count) - 1
            words.append(
                try Self.word(
                    term, isOpen: isLast && query.endsOpen && (strong.isEmpty || isOpenWordStrong),
                    languages: self.languages, weights, table))
        }
        try addCompounds(
            CompoundForms(known, words: words.count, documents: documents, table), weights, table)
        if let synonyms { try addSynonyms(synonyms, weights, table) }
        for index in words.indices { weigh(index) }
        exclusions = query.excluded.map { Self.quoted($0.forms) }
        facets = try query.required.flatMap(Self.facets)
    }

    private mutating func addCompounds(
        _ compounds: CompoundForms, _ weights: SearchWeights, _ table: WordTable
    ) throws {
        func add(_ terms: [String], _ weight: Double, to index: Int) throws {
            let count = try table.documents(ofAll: terms)
            words[index].forms.append(Form(terms: terms, kind: .compound, weight: weight))
            if words[index].documents == 0 { words[index].documents = count }
        }
        var before: (index: Int, form: String, place: Int)?
        for index in words.indices {
            let term = words[index].term
            guard !term.isPhrase, !term.isDense, term.forms.count == 1, let form = term.forms.first else { continue }
            for compound in try compounds.compounds(of: form, isOpen: !words[index].prefixes.isEmpty) {
                let weight =
                    switch compound.kind {
                    case .last: weights.compound
                    case .first: weights.compoundByFirst
                    case .divided: weights.divided
                    }
                try add(compound.terms, weight, to: index)
            }
            let place = query.terms.firstIndex(of: term) ?? 0
            if let before, before.place + 1 == place {
                for word in try compounds.joined(before.form, form) {
                    for part in [before.index, index] {
                        words[part].forms.removeAll { $0.kind == .compound && $0.terms == [word] }
                        try add([word], weights.divided, to: part)
                    }
                }
            }
            before = (index, form, place)
        }
    }

    /// Lets texts that mean the same count as each of the words that they are in place of.
    private mutating func addSynonyms(
        _ synonyms: SearchSynonyms, _ weights: SearchWeights, _ table: WordTable
    ) throws {
        let forms = query.terms.map { $0.isPhrase || !$0.alternatives.isEmpty ? [] : $0.forms }
        var added = 0
        for start in forms.indices {
            var words: [String] = []
            for end in forms.indices[start...] {
                guard !forms[end].isEmpty, words.count + forms[end].count <= synonyms.longest else { break }
                words += forms[end]
                for other in synonyms.others(for: words) where added < Self.maximumSynonyms {
                    added += 1
                    for index in self.words.indices where query.terms[start...end].contains(self.words[index].term) {
                        try add(synonym: other, weights, table, to: index)
                    }
                }
            }
        }
    }

    /// All synonyms of a query. Each is a further phrase for FTS5, and another for its stem.
    private static let maximumSynonyms = 32

    private mutating func add(
        synonym: [String], _ weights: SearchWeights, _ table: WordTable, to index: Int
    ) throws {
        var all = [synonym]
        if synonym.count == 1, let word = synonym.first {
            let stems = SearchText.with { text in
                Set(Self.languages(languages, for: word).map { text.stem(of: word, language: $0) ?? word })
            }
            all += stems.subtracting([word]).sorted().map { [$0] }
            all += stems.sorted().map { [SearchSchema.stemMark + $0] }
        }
        for terms in all {
            let count = try table.documents(ofAll: terms)
            guard count > 0 else { continue }
            words[index].forms.append(Form(terms: terms, kind: .synonym, weight: weights.synonym))
            if words[index].documents == 0 { words[index].documents = count }
        }
    }

    private mutating func weigh(_ index: Int) {
        let (total, count) = (Double(documents), Double(min(words[index].documents, documents)))
        words[index].rarity = log(1 + max(0, (total - count + 0.5) / (count + 0.5)))
        if words[index].term.isPhrase { words[index].rarity *= Double(words[index].term.forms.count).squareRoot() }
    }

    // MARK: Corrections

    /// The words that may be corrected, by their places in `words`: one word each, as written, with letters only.
    var correctable: [Int] {
        words.indices.filter { !words[$0].term.isPhrase && !words[$0].term.isDense && words[$0].term.forms.count == 1 }
    }

    /// The words that the index has in no form.
    var unknown: [Int] { words.indices.filter { words[$0].forms.isEmpty && words[$0].prefixes.isEmpty } }

    /// The same query, in which the words at these places may also be others. Records that have all words tell which of them are meant.
    ///
    /// - Returns: nil if no word of the index is near to any of them.
    func corrected(
        at places: [Int], weights: SearchWeights, _ table: WordTable,
        where isProbable: (Word, SpellingHelp.Candidate) -> Bool = { _, _ in true }
    ) throws -> SearchPlan? {
        var plan = self
        var isChanged = false
        for place in places.prefix(Self.maximumCorrected) {
            guard let form = words[place].term.forms.first else { continue }
            let limit = words.count > 1 ? Self.maximumCandidates : Self.maximumCandidatesAlone
            var candidates = try SpellingHelp.candidates(for: form, limit: limit, of: documents, table)
            if words[place].forms.isEmpty {
                candidates += try SpellingHelp.splits(of: form, limit: 2, table.documents(of:))
            }
            candidates.removeAll { !isProbable(words[place], $0) }
            guard let least = candidates.map(\.cost).min() else { continue }
            isChanged = true
            for (number, candidate) in candidates.enumerated() {
                // Of one word alone nothing tells what is meant but how near and how frequent the others are.
                let isSecond = number > 0 && words.count == 1
                let weight = weights.correction / (1 + candidate.cost - least) * (isSecond ? 0.5 : 1)
                plan.words[place].forms.append(Form(terms: candidate.terms, kind: .spelling, weight: weight))
                plan.words[place].documents = max(plan.words[place].documents, candidate.documents)
            }
            plan.weigh(place)
        }
        return isChanged ? plan : nil
    }

    /// A query has so many words that are corrected at the same time, and a word so many others that it may be.
    private static let maximumCorrected = 6
    private static let maximumCandidates = 12
    private static let maximumCandidatesAlone = 4

    // MARK: Words

    /// A term with the others that may be in its place.
    private static func word(
        _ term: SearchQuery.Term, isOpen: Bool, languages: [String], _ weights: SearchWeights, _ table: WordTable
    ) throws -> Word {
        var word = try single(term, isOpen: isOpen, languages: languages, weights, table)
        for term in term.alternatives {
            let other = try single(term, isOpen: isOpen, languages: languages, weights, table)
            word.forms += other.forms
            word.prefixes += other.prefixes
            word.documents += other.documents
            word.exactDocuments += other.exactDocuments
            word.prefixDocuments += other.prefixDocuments
        }
        return word
    }

    private static func single(
        _ term: SearchQuery.Term, isOpen: Bool, languages: [String], _ weights: SearchWeights, _ table: WordTable
    ) throws -> Word {
        var word = Word(term: term, forms: [])
        func add(_ terms: [String], _ kind: Form.Kind, _ weight: Double) throws {
            let count = try table.documents(ofAll: terms)
            guard count > 0 else { return }
            word.forms.append(Form(terms: terms, kind: kind, weight: weight))
            if kind != .pairs || word.documents == 0 { word.documents = max(word.documents, count) }
            if kind == .exact { word.exactDocuments = max(word.exactDocuments, count) }
        }
        let writing = try WordVariants.writing(of: term, weights, table)
        try add(term.forms, .exact, writing?.weightOfWord ?? 1)
        guard !term.isPhrase else { return word }
        if term.forms.count > 1 { try add([term.forms.joined()], .exact, 0.95) }
        guard term.forms.count == 1, let form = term.forms.first else { return word }
        if term.isDense {
            let pairs = SearchText.pairs(of: form)
            if !pairs.isEmpty { try add(pairs.map { SearchSchema.stemMark + $0 }, .pairs, weights.pairs) }
        } else {
            if let writing, !word.forms.isEmpty { word.forms += writing.forms }
            var stems: Set<String> = []
            try SearchText.with { text in
                for language in Self.languages(languages, for: form) {
                    for stem in text.stems(of: form, written: term.written, language: language) {
                        if stem != form, stems.insert(stem).inserted { try add([stem], .stem, weights.stem) }
                        if stems.insert(SearchSchema.stemMark + stem).inserted {
                            try add([SearchSchema.stemMark + stem], .stem, weights.stem)
                        }
                    }
                }
            }
            for variant in try WordVariants.spellings(of: form, written: term.written, table) {
                let own = SearchText.with { text in
                    Set(
                        Self.languages(languages, for: variant).map {
                            SearchSchema.stemMark + (text.stem(of: variant, language: $0) ?? variant)
                        })
                }
                // What has the stem of the word counts by it.
                let counted = stems.isDisjoint(with: own) ? 0 : weights.stem
                try add([variant], .variant, weights.writtenOtherwise - counted)
            }
            for variant in try WordVariants.hebrew(form, table) { try add([variant], .variant, weights.stem) }
        }
        if isOpen {
            if let count = try table.documents(ofAllBeginningWith: form, besides: word.exactDocuments) {
                if count > 0 {
                    word.prefixes = [Form(terms: [form], kind: .prefix, weight: weights.prefix, isBeginning: true)]
                    word.prefixDocuments = count
                    if word.forms.isEmpty { word.documents = count }
                }
                return word
            }
            for (term, count) in try table.completions(of: form, limit: maximumPrefixes) {
                word.prefixes.append(Form(terms: [term], kind: .prefix, weight: weights.prefix))
                word.prefixDocuments += count
                if word.forms.isEmpty { word.documents += count }
            }
        }
        return word
    }

    /// The same plan with further words that the last one may become.
    func completed(by terms: [String], weights: SearchWeights) -> SearchPlan {
        var plan = self
        guard let last = words.indices.last else { return plan }
        plan.words[last].prefixes += terms.map { Form(terms: [$0], kind: .prefix, weight: weights.prefix) }
        return plan
    }

    /// Terms as one phrase. Terms hold no quotation mark; it is doubled nevertheless, because SQLite reads the result.
    static func quoted(_ terms: [String]) -> String {
        "\"" + terms.joined(separator: " ").replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }

    // MARK: Filters

    /// The facets that a filter selects by, one for each part that must hold.
    private static func facets(_ filter: SearchQuery.Filter) throws -> [String] {
        func facet(_ kind: String, _ value: String) -> String { quoted([FacetWriter.facet(kind: kind, value)]) }
        switch filter {
        case .site(let host): return [facet("site", host)]
        case .type(let type): return [facet("type", type)]
        case .language(let tag): return [facet("lang", tag)]
        case .has(let feature): return [facet("has", feature)]
        case .author(let words): return words.map { facet("author", $0) }
        case .title(let words): return ["\(SearchField.title) : " + quoted(words)]
        case .any(let filters):
            let parts = try filters.map { "(" + (try Self.facets($0)).joined(separator: " AND ") + ")" }
            return ["(" + parts.joined(separator: " OR ") + ")"]
        case .app(let value):
            // An identifier, a word of the name, or the whole name.
            let name = SearchText.with { $0.words(of: value, limit: 20).map(\.form).joined() }
            return ["(" + Set([value, name]).sorted().map { facet("app", $0) }.joined(separator: " OR ") + ")"]
        case .rating(let comparison, let value):
            switch comparison {
            case .above, .atLeast: return [facet("stars", "\(Int(value * 2))")]
            // With one digit: 3.97 is 4.
            case .equal: return [facet("stars", "\(Int(max(0, value - 0.05) * 2))")]
            case .below, .atMost: return [facet("has", "rating")]
            }
        case .after(let day): return years(from: SearchDocument.year(ofDay: day), through: .max)
        case .before(let day): return years(from: .min, through: SearchDocument.year(ofDay: day))
        }
    }

    /// The exact day is compared afterwards.
    private static func years(from first: Int, through last: Int) -> [String] {
        guard first <= last else { return [quoted([FacetWriter.facet(kind: "has", "date")])] }
        let years = (SearchDocument.facetYear(first)...SearchDocument.facetYear(last)).map {
            quoted([FacetWriter.facet(kind: "year", "\($0)")])
        }
        return ["(" + years.joined(separator: " OR ") + ")"]
    }

    /// Whether there is a filter that facets only narrow down, so that many documents of a pass may not pass it.
    var comparesExactly: Bool {
        query.required.contains { !$0.isSelecting }
    }

    /// Whether a document passes those filters that facets only narrow down.
    func passes(_ signals: SearchSignals) -> Bool {
        query.required.allSatisfy { filter in
            switch filter {
            case .rating(let comparison, let value):
                guard let stars = signals.stars else { return false }
                switch comparison {
                case .above: return stars > value
                case .atLeast: return stars >= value
                case .below: return stars < value
                case .atMost: return stars <= value
                // As people see it, with one digit.
                case .equal: return abs(stars - value) < 0.05
                }
            case .after(let day): return signals.day.map { $0 >= day } ?? false
            case .before(let day): return signals.day.map { $0 < day } ?? false
            case .site, .type, .app, .language, .has, .author, .title, .any: return true
            }
        }
    }

    /// The same plan for records that also have a facet; an empty one changes nothing.
    func narrowed(to facet: String) -> SearchPlan {
        guard !facet.isEmpty else { return self }
        var plan = self
        plan.facets.append(Self.quoted([facet]))
        return plan
    }

    // MARK: Passes

    /// Writes an expression and remembers whose phrases it has, in FTS5's order.
    private struct ExpressionWriter {
        var text = ""
        var owners: [(word: Int, form: Form)?] = []

        mutating func add(_ text: String, phrases: Int = 0) {
            self.text += text
            owners += Array(repeating: nil, count: phrases)
        }

        /// Adds what selects records with the word in their titles.
        mutating func add(inTitles word: Word, withPrefixes: Bool) {
            let forms = word.forms.filter { $0.kind != .writing } + (withPrefixes ? word.prefixes : [])
            add(
                "(" + forms.map(\.inTitles).joined(separator: " OR ") + ") AND ",
                phrases: forms.reduce(0) { $0 + $1.terms.count })
        }

        mutating func add(_ word: Word, _ index: Int, withPrefixes: Bool, counts: Bool) {
            text += "("
            for (number, form) in (word.forms + (withPrefixes ? word.prefixes : [])).enumerated() {
                text += (number == 0 ? "" : " OR ") + form.expression
                owners.append(counts ? (index, form) : nil)
            }
            text += ")"
        }
    }

    /// Matches with all words.
    ///
    /// - Parameters:
    ///   - inTitles: whether title or other names must have them.
    ///   - withPrefixes: whether the last word may be the beginning of another.
    func strictPass(inTitles: Bool, withPrefixes: Bool, limit: Int) -> Pass? {
        guard words.allSatisfy({ !$0.forms.isEmpty || (withPrefixes && !$0.prefixes.isEmpty) }) else { return nil }
        if withPrefixes, words.last?.prefixes.isEmpty ?? true { return nil }
        if inTitles, words.isEmpty { return nil }
        var writer = ExpressionWriter()
        if inTitles {
            for index in rarestFirst(words.indices, withPrefixes) {
                writer.add(inTitles: words[index], withPrefixes: withPrefixes)
            }
        }
        if !words.isEmpty { addAll(words.indices, withPrefixes, counts: true, to: &writer) }
        return finish(&writer, limit: limit, isStrict: true)
    }

    /// Matches with some of the words, in steps: with all but one of them, then with one. Each step is worth a look only if the
    /// one before did not bring enough. Empty for a single word.
    func relaxedPasses(limit: Int) -> [[Pass]] {
        // What the index does not have cannot be required; neither can be left out what people put in quotes.
        let known = words.indices.filter { !words[$0].forms.isEmpty || !words[$0].prefixes.isEmpty }
        let droppable = known.filter { !words[$0].term.isPhrase }.sorted {
            (words[$0].rarity, $0) < (words[$1].rarity, $1)
        }
        guard words.count > 1, !known.isEmpty, words.allSatisfy({ !$0.term.isPhrase || !$0.forms.isEmpty }) else {
            return []
        }
        var most: [[Int]] = known.count < words.count ? [known] : []
        if known.count > 2 { most += droppable.prefix(5).map { dropped in known.filter { $0 != dropped } } }
        let required = known.filter { words[$0].term.isPhrase }
        let single = droppable.reversed().prefix(5).map { (required + [$0]).sorted() }
        var seen: Set<[Int]> = []
        return [most, single].map { subsets in
            subsets.filter { !$0.isEmpty && $0.count < words.count && seen.insert($0).inserted }.map { subset in
                relaxedPass(subset, known, limit: limit)
            }
        }
    }

    /// - Parameters:
    ///   - subset: the words that a record must have.
    ///   - known: the words that count if it has them.
    private func relaxedPass(_ subset: [Int], _ known: [Int], limit: Int) -> Pass {
        var writer = ExpressionWriter()
        addAll(subset, true, counts: false, to: &writer)
        writer.add(" AND (")
        for (number, index) in known.enumerated() {
            if number > 0 { writer.add(" OR ") }
            writer.add(words[index], index, withPrefixes: true, counts: true)
        }
        writer.add(")")
        return finish(&writer, limit: limit, isStrict: false)
    }

    private func addAll(
        _ indices: some Collection<Int>, _ withPrefixes: Bool, counts: Bool, to writer: inout ExpressionWriter
    ) {
        for (number, index) in rarestFirst(indices, withPrefixes).enumerated() {
            if number > 0 { writer.add(" AND ") }
            writer.add(words[index], index, withPrefixes: withPrefixes, counts: counts)
        }
    }

    /// FTS5 looks for each document of the first word among those of the next one: the fewer the first has, the faster.
    private func rarestFirst(_ indices: some Collection<Int>, _ withPrefixes: Bool) -> [Int] {
        indices.sorted {
            (words[$0].bound(withPrefixes: withPrefixes), $0) < (words[$1].bound(withPrefixes: withPrefixes), $1)
        }
    }

    private func finish(_ writer: inout ExpressionWriter, limit: Int, isStrict: Bool) -> Pass {
        for facet in facets {
            writer.add(
                writer.text.isEmpty ? facet : " AND " + facet,
                // Each stands in two quotation marks.
                phrases: facet.count { $0 == "\"" } / 2)
        }
        if writer.text.isEmpty { writer.add(Self.quoted([SearchSchema.everyDocument]), phrases: 1) }
        if !exclusions.isEmpty {
            writer.text = "(\(writer.text)) NOT (\(exclusions.joined(separator: " OR ")))"
            writer.owners += Array(repeating: nil, count: exclusions.count)
        }
        return Pass(expression: writer.text, owners: writer.owners, limit: limit, isStrict: isStrict)
    }
}
