import Foundation
import PippinPage

/// One text query, parsed. Any text is a query; what cannot be used is told in `notes`. `Docs/Search.md` has the language.
///
/// The text never reaches SQLite: only words that `SearchText` has made, and facets.
public struct SearchQuery: Sendable, Hashable {
    /// The query as it was given, cut if it is too long.
    public let text: String
    /// Whether its words are searched for as they are written, and none is corrected.
    public let isExact: Bool
    public let order: SearchOrder
    /// What holds for hits beside the text; nil if nothing does.
    public let restriction: SearchRestriction?
    /// What of the text is not used, and why, as sentences.
    public var notes: [String] = []

    /// Words that a hit has: a word, a group of joined words (`wi-fi`), or a phrase in quotes.
    struct Term: Sendable, Hashable {
        /// Folded, in order.
        let forms: [String]
        let isPhrase: Bool
        /// Whether the words are from a script without spaces.
        let isDense: Bool
        /// Where it stands in the text, in bytes of UTF-8.
        let range: Range<Int>
        /// Of one word: how it is written, if that is not its folded form (`WrittenWord`).
        var written: String?
        /// Terms of which a hit may have any in its place: `pie OR cake`.
        var alternatives: [Term] = []

        var all: [Term] { [self] + alternatives }
    }

    enum Comparison: String, Sendable, Hashable {
        case above = ">"
        case atLeast = ">="
        case below = "<"
        case atMost = "<="
        case equal = "="
    }

    enum Filter: Sendable, Hashable {
        case site(String)
        case type(String)
        case app(String)
        case language(String)
        case has(String)
        /// Words of the names of authors, and words of the title one behind the other; folded.
        case author([String])
        case title([String])
        case rating(Comparison, Double)
        /// Days since 1970; the first day that passes, and the first that does not.
        case after(Int)
        case before(Int)
        /// Those of which one must hold: `site:a.example OR site:b.example`.
        indirect case any([Filter])
    }

    /// A filter or an exclusion as it stands in the text.
    public struct FilterPart: Sendable, Hashable {
        /// `site`, also where the text has `host:`; empty for an exclusion.
        public let key: String
        /// As written; of a filter without quotes, of an exclusion with the sign before it.
        public let value: String
        fileprivate let range: Range<String.Index>
    }

    /// The filters that are used, in the order of the text.
    public private(set) var filterParts: [FilterPart] = []
    /// What no hit may have, in the order of the text.
    public private(set) var exclusionParts: [FilterPart] = []
    private(set) var terms: [Term] = []
    private(set) var excluded: [Term] = []
    private(set) var filters: [Filter] = []
    /// All filters that a hit passes.
    var required: [Filter] { filters + (restriction?.filters ?? []) }
    /// Whether the last term may be the beginning of a word that is being typed.
    private(set) var endsOpen = false
    /// The address that the whole text is; nil if it is none.
    private(set) var address: String?

    /// Longer texts are no queries: 1,000 characters and these numbers of parts.
    static let maximumCharacters = 1_000
    static let maximumTerms = 16
    /// Words of a part without spaces. More than are searched, so that a note can say that some are not.
    private static let maximumWordsOfPart = 2 * maximumTerms
    static let maximumExcluded = 10
    static let maximumFilters = 10

    /// Whether it asks for nothing at all.
    public var isEmpty: Bool { terms.isEmpty && excluded.isEmpty && filters.isEmpty && address == nil }

    /// The text without some of its filters and exclusions, for links that leave them out.
    public func text(without parts: [FilterPart]) -> String {
        var rest = ""
        var place = text.startIndex
        for part in parts.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            rest += text[place..<part.range.lowerBound]
            place = part.range.upperBound
        }
        return (rest + text[place...]).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The words that are searched for, folded.
    public var words: [String] { terms.flatMap { $0.all.flatMap(\.forms) } }

    var isOneSite: Bool {
        required.contains {
            if case .site = $0 { true } else { false }
        }
    }

    /// Parses a text.
    public init(
        _ text: String, isExact: Bool = false, order: SearchOrder = .relevance, restriction: SearchRestriction? = nil
    ) {
        self.isExact = isExact
        self.order = order
        self.restriction = restriction
        if text.count > Self.maximumCharacters {
            self.text = String(text.prefix(Self.maximumCharacters))
            notes.append("The query is cut after \(Self.maximumCharacters) characters.")
        } else {
            self.text = text
        }
        if let scheme = self.text.range(of: "://"),
            ["http", "https"].contains(self.text[..<scheme.lowerBound].lowercased()),
            !self.text.contains(" "), restriction == nil
        {
            // It comes first, whatever filters say.
            address = WebURL(self.text)?.href
        }
        parse()
        endsOpen = terms.last.map { !$0.isPhrase && $0.range.upperBound == self.text.utf8.count } ?? false
        let written = terms.last
        terms = Self.withoutRepetitions(terms)
        if terms.last != written { endsOpen = false }
        if let end = Self.end(of: terms, mostTerms: Self.maximumTerms) {
            notes.append("Only the first \(Self.maximumTerms) words are searched.")
            terms.removeSubrange(end...)
            endsOpen = false
        }
        excluded = Self.withoutRepetitions(excluded)
        if let end = Self.end(of: excluded, mostTerms: Self.maximumExcluded) {
            notes.append("Only the first \(Self.maximumExcluded) exclusions count.")
            excluded.removeSubrange(end...)
        }
        if filters.count > Self.maximumFilters {
            notes.append("Only the first \(Self.maximumFilters) filters count.")
            filters.removeSubrange(Self.maximumFilters...)
        }
        if isEmpty, !self.text.allSatisfy(\.isWhitespace), notes.isEmpty {
            notes.append("There is no word to search for.")
        }
    }

    /// Each term once: a word that is written again asks for nothing else, and costs as much as the first time.
    private static func withoutRepetitions(_ terms: [Term]) -> [Term] {
        struct Meaning: Hashable {
            let forms: [String]
            let isPhrase: Bool
        }
        var seen: Set<[Meaning]> = []
        return terms.filter { term in
            seen.insert(term.all.map { Meaning(forms: $0.forms, isPhrase: $0.isPhrase) }).inserted
        }
    }

    /// The first term that is too much, alone or with its words; nil if all are searched. A group of joined words and a phrase
    /// cost as much as their words do, so it is words that are limited.
    private static func end(of terms: [Term], mostTerms: Int) -> Int? {
        var words = 0
        for (index, term) in terms.enumerated() {
            words += term.all.reduce(0) { $0 + $1.forms.count }
            if index == mostTerms || (words > maximumTerms && index > 0) { return index }
        }
        return nil
    }

    // MARK: Parts

    private static let quotes: Set<Unicode.Scalar> = ["\"", "“", "”", "„", "«", "»", "‟", "＂"]
    private static let minus: Set<Unicode.Scalar> = ["-", "−", "–"]

    private mutating func parse() {
        let text = self.text
        let scalars = text.unicodeScalars
        var place = scalars.startIndex
        // Of `OR`: how many terms and filters there were, and whether the one before it is a term.
        var joint: (terms: Int, filters: Int, isTerm: Bool)?
        var lastIsTerm: Bool?
        func offset(_ index: String.Index) -> Int { text.utf8.distance(from: text.startIndex, to: index) }
        while place < scalars.endIndex {
            let scalar = scalars[place]
            if scalar.properties.isWhitespace {
                place = scalars.index(after: place)
                continue
            }
            if let isTerm = lastIsTerm, let end = Self.endOfOr(in: scalars, from: place) {
                joint = (terms.count, filters.count, isTerm)
                place = end
                continue
            }
            let (knownTerms, knownFilters, knownExcluded) = (terms.count, filters.count, excluded.count)
            let beginning = place
            defer {
                if excluded.count > knownExcluded {
                    exclusionParts.append(
                        FilterPart(key: "", value: String(text[beginning..<place]), range: beginning..<place))
                }
                if terms.count > knownTerms {
                    lastIsTerm = true
                } else if filters.count > knownFilters {
                    lastIsTerm = false
                }
                if let open = joint, terms.count > open.terms || filters.count > open.filters {
                    join(open)
                    joint = nil
                }
            }
            var isExcluded = false
            if Self.minus.contains(scalar), case let next = scalars.index(after: place), next < scalars.endIndex,
                !scalars[next].properties.isWhitespace
            {
                isExcluded = true
                place = next
            }
            if Self.quotes.contains(scalars[place]) {
                let start = scalars.index(after: place)
                // A phrase without end is being typed, and goes to the end.
                let end = scalars[start...].firstIndex { Self.quotes.contains($0) } ?? scalars.endIndex
                add(phrase: text[start..<end], at: offset(start), isExcluded)
                place = end < scalars.endIndex ? scalars.index(after: end) : end
                continue
            }
            let start = place
            while place < scalars.endIndex, !scalars[place].properties.isWhitespace,
                !Self.quotes.contains(scalars[place])
            {
                place = scalars.index(after: place)
            }
            let part = text[start..<place]
            if let colon = part.firstIndex(of: ":"), colon > part.startIndex {
                let key = part[..<colon].lowercased()
                var value = String(part[part.index(after: colon)...])
                var end = place
                // A value in quotes: app:"two words"
                if value.isEmpty, place < scalars.endIndex, Self.quotes.contains(scalars[place]) {
                    let from = scalars.index(after: place)
                    let to = scalars[from...].firstIndex { Self.quotes.contains($0) } ?? scalars.endIndex
                    value = String(text[from..<to])
                    end = to < scalars.endIndex ? scalars.index(after: to) : to
                }
                let known = filters.count
                if take(filter: key, value, isExcluded: isExcluded, in: part) {
                    if filters.count > known {
                        filterParts.append(FilterPart(key: Self.name(ofFilter: key), value: value, range: start..<end))
                    }
                    place = end
                    continue
                }
            }
            add(words: part, at: offset(start), isExcluded)
        }
    }

    /// Behind `OR`, which stands in capitals and alone; nil if there is none.
    private static func endOfOr(in scalars: String.UnicodeScalarView, from start: String.Index) -> String.Index? {
        guard scalars[start...].starts(with: "OR".unicodeScalars) else { return nil }
        let end = scalars.index(start, offsetBy: 2)
        return end < scalars.endIndex && scalars[end].properties.isWhitespace ? end : nil
    }

    /// Makes one of what stands before and behind an `OR`, if both are terms or filters that select by what the index has.
    private mutating func join(_ open: (terms: Int, filters: Int, isTerm: Bool)) {
        if open.isTerm, terms.count > open.terms, open.terms > 0 {
            let next = terms.remove(at: open.terms)
            let words = terms[open.terms - 1].all.reduce(next.forms.count) { $0 + $1.forms.count }
            if words <= Self.maximumTerms {
                terms[open.terms - 1].alternatives.append(next)
            } else {
                note("Only the first \(Self.maximumTerms) words that OR joins are searched.")
            }
        } else if !open.isTerm, filters.count > open.filters, open.filters > 0, filters[open.filters].isSelecting,
            filters[open.filters - 1].isSelecting
        {
            let next = filters.remove(at: open.filters)
            var all = [filters[open.filters - 1]]
            if case .any(let others) = all[0] { all = others }
            if all.count < Self.maximumFilters {
                filters[open.filters - 1] = .any(all + [next])
            } else {
                note("Only the first \(Self.maximumFilters) filters that OR joins count.")
            }
        } else {
            note("OR joins two words, or two filters; here it is left out.")
        }
    }

    private mutating func note(_ sentence: String) {
        if !notes.contains(sentence) { notes.append(sentence) }
    }

    private mutating func add(phrase: Substring, at offset: Int, _ isExcluded: Bool) {
        let words = SearchText.with { $0.words(of: String(phrase), limit: Self.maximumTerms) }
        guard !words.isEmpty else { return }
        let term = Term(
            forms: words.map(\.form), isPhrase: true, isDense: words.contains(where: \.isDense),
            range: offset..<offset + phrase.utf8.count)
        if isExcluded { excluded.append(term) } else { terms.append(term) }
    }

    private mutating func add(words part: Substring, at offset: Int, _ isExcluded: Bool) {
        let words = SearchText.with { $0.words(of: String(part), limit: Self.maximumWordsOfPart) }
        let found = SearchText.groups(in: words).map { group -> Term in
            let range = words[group.lowerBound].range.lowerBound..<words[group.upperBound - 1].range.upperBound
            return Term(
                forms: words[group].map(\.form), isPhrase: false, isDense: words[group].contains(where: \.isDense),
                range: offset + range.lowerBound..<offset + range.upperBound,
                written: group.count == 1 ? words[group.lowerBound].written : nil)
        }
        guard isExcluded else {
            terms += found
            return
        }
        // What is one text without a space is excluded as one.
        let forms = Array(found.flatMap(\.forms).prefix(Self.maximumTerms))
        guard let first = found.first, let last = found.last else { return }
        excluded.append(
            Term(
                forms: forms, isPhrase: forms.count > 1, isDense: found.contains(where: \.isDense),
                range: first.range.lowerBound..<last.range.upperBound))
    }

    // MARK: Filters

    private static let filterNames = [
        "site", "type", "title", "author", "app", "lang", "has", "rating", "after", "before",
    ]
    static let features = [
        "deeplink", "verified", "image", "audio", "video", "rating", "price", "event", "recipe", "author", "date",
        "call",
        "directions", "play", "search",
    ]
    /// Other words for the same, as people write them.
    private static let spellings = [
        "language": "lang", "host": "site", "since": "after", "until": "before", "is": "has",
        "deep-link": "deeplink", "deeplinks": "deeplink", "link": "deeplink", "picture": "image", "images": "image",
        "photo": "image", "stars": "rating", "ratings": "rating", "offer": "price", "offers": "price", "phone": "call",
        "telephone": "call", "address": "directions", "map": "directions", "music": "audio", "events": "event",
    ]

    private static func name(ofFilter written: String) -> String {
        filterNames.contains(written) ? written : spellings[written] ?? written
    }

    /// - Returns: whether the part is a filter, usable or not; false leaves it to be searched as words.
    private mutating func take(filter written: String, _ value: String, isExcluded: Bool, in part: Substring) -> Bool {
        let key = Self.name(ofFilter: written)
        guard Self.filterNames.contains(key) else {
            // `https://…` and `12:30` are no filters that somebody meant.
            let isWord = written.count > 1 && written.utf8.allSatisfy { (0x61...0x7A).contains($0) }
            if isWord, !value.isEmpty, !value.hasPrefix("//") {
                let meant =
                    NearestName.of(written, in: Self.filterNames, atMost: 2).map { " Did you mean \($0):?" } ?? ""
                notes.append("There is no filter \(written):, so its words are searched.\(meant)")
            }
            return false
        }
        let shown = Wording.quoted(String(part), to: 60)
        guard !isExcluded else {
            notes.append("The filter \(shown) cannot be excluded, and is left out.")
            return true
        }
        guard !value.isEmpty else {
            notes.append("The filter \(key): needs a value, such as \(Self.example(of: key)).")
            return true
        }
        guard let filter = Self.filter(key, value.lowercased()) else {
            notes.append("The filter \(shown) cannot be used: \(Self.advice(on: key))")
            return true
        }
        filters.append(filter)
        if filters.count <= Self.maximumFilters, let sentence = Self.note(on: key, value.lowercased()) {
            note(sentence)
        }
        return true
    }

    private static func note(on key: String, _ value: String) -> String? {
        switch key {
        case "type": FilterNames.type(typeName(value)).note
        case "lang": FilterNames.language(value)?.note
        default: nil
        }
    }

    private static func typeName(_ value: String) -> String { value.filter { $0.isLetter || $0.isNumber } }

    private static func filter(_ key: String, _ value: String) -> Filter? {
        switch key {
        case "site":
            // People paste addresses.
            let host = WebURL(value)?.host ?? WebURL("https://" + value)?.host
            return host.map { .site(SiteIdentity.withoutWWW($0)) }
        case "type":
            let name = typeName(value)
            return name.isEmpty ? nil : .type(FilterNames.type(name).value)
        case "app":
            return .app(value)
        case "lang":
            return FilterNames.language(value).map { .language($0.value) }
        case "author", "title":
            let words = SearchText.with { $0.words(of: value, limit: maximumTerms).map(\.form) }
            return words.isEmpty ? nil : key == "author" ? .author(words) : .title(words)
        case "has":
            let feature = features.contains(value) ? value : spellings[value] ?? value
            return features.contains(feature) ? .has(feature) : nil
        case "rating":
            let sign = [Comparison.atLeast, .atMost, .above, .below, .equal].first { value.hasPrefix($0.rawValue) }
            let number = Double(value.dropFirst(sign?.rawValue.count ?? 0).replacingOccurrences(of: ",", with: "."))
            guard let number, number >= 0, number <= 5 else { return nil }
            return .rating(sign ?? .atLeast, number)
        case "after", "before":
            guard let day = SearchDocument.day(of: value), value.count <= 10 else { return nil }
            return key == "after" ? .after(day) : .before(day)
        default:
            return nil
        }
    }

    private static func example(of key: String) -> String {
        switch key {
        case "site": "site:example.org"
        case "type": "type:recipe"
        case "title": "title:\"apple pie\""
        case "author": "author:lee"
        case "app": "app:com.example.shop"
        case "lang": "lang:de"
        case "has": "has:deeplink"
        case "rating": "rating:>4"
        case "after": "after:2026-01"
        default: "before:2026"
        }
    }

    private static func advice(on key: String) -> String {
        switch key {
        case "has": "has: is one of \(features.joined(separator: ", "))."
        case "rating": "rating: compares with 0 to 5, such as rating:>4."
        case "after", "before": "\(key): takes a day, a month or a year, such as \(key):2026-01."
        default: "write it like \(example(of: key))."
        }
    }
}

extension SearchQuery.Filter {
    /// Whether the index has what it asks for, and nothing is compared afterwards.
    var isSelecting: Bool {
        switch self {
        case .rating, .after, .before: false
        case .site, .type, .app, .language, .has, .author, .title, .any: true
        }
    }
}
