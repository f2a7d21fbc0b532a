import PippinPage

/// Marks the words of a query in texts, by the rules with which the index finds them.
struct MatchHighlighter {
    /// Words of the query, a bit for each.
    private typealias Words = UInt32

    /// A place of a text, and what it matches.
    private struct Match {
        var range: Range<Int>
        var words: Words
    }

    private var exact: [String: Words] = [:]
    private var stems: [String: Words] = [:]
    private var dense: [(form: String, words: Words)] = []
    private var prefix: (form: String, words: Words)?
    private let languages: [String]
    /// All words of the query that are marked.
    private var all: Words = 0
    /// What words of texts are: texts repeat them.
    private var known: [String: Words] = [:]

    init(_ plan: SearchPlan) {
        languages = plan.languages
        let terms = plan.query.terms
        for (number, term) in terms.enumerated() {
            let word: Words = 1 << Words(min(number, Words.bitWidth - 1))
            for term in term.all
            where term.isPhrase || !term.forms.allSatisfy(StopWords.contains)
                || plan.query.words.allSatisfy(StopWords.contains)
            {
                all |= word
                for form in term.forms { exact[form, default: 0] |= word }
                if term.forms.count > 1, !term.isPhrase { exact[term.forms.joined(), default: 0] |= word }
                if term.isDense { dense += term.forms.map { ($0, word) } }
                guard !term.isPhrase else { continue }
                SearchText.with { text in
                    for form in term.forms {
                        for language in SearchPlan.languages(plan.languages, for: form) {
                            for stem in text.stems(of: form, written: term.written, language: language) {
                                stems[stem, default: 0] |= word
                            }
                        }
                    }
                }
            }
        }
        for word in plan.words {
            let bit: Words = 1 << Words(terms.firstIndex(of: word.term) ?? 0)
            for form in word.forms {
                switch form.kind {
                case .spelling, .variant:
                    for term in form.terms { exact[term, default: 0] |= bit }
                case .compound, .synonym:
                    for term in form.terms {
                        if term.hasPrefix(SearchSchema.stemMark) {
                            stems[String(term.dropFirst()), default: 0] |= bit
                        } else {
                            exact[term, default: 0] |= bit
                        }
                    }
                case .exact, .writing, .stem, .prefix, .pairs: break
                }
            }
        }
        // A single letter marks too much.
        if plan.query.endsOpen, let last = terms.last?.forms.last, last.utf8.count > 1 {
            prefix = (last, 1 << Words(terms.count - 1))
        }
    }

    /// The words of the query that a word of a text is; 0 for none.
    private func words(of word: SearchText.Word, _ text: SearchText) -> Words {
        if let words = exact[word.form] { return words }
        if let prefix, word.form.hasPrefix(prefix.form) { return prefix.words }
        if word.isDense {
            return dense.reduce(0) {
                $1.form.contains(word.form) || word.form.contains($1.form) ? $0 | $1.words : $0
            }
        }
        for language in SearchPlan.languages(languages, for: word.form) {
            if let words = stems[text.stem(of: word, language: language) ?? word.form] { return words }
        }
        return 0
    }

    /// The places of words that match, neighbors joined.
    private mutating func matches(in source: String) -> [Match] {
        guard all != 0, !source.isEmpty else { return [] }
        return SearchText.with { text in
            var matches: [Match] = []
            for word in text.words(of: source) {
                let words = known[word.form] ?? self.words(of: word, text)
                known[word.form] = words
                guard words != 0 else { continue }
                if let last = matches.last, word.range.lowerBound - last.range.upperBound <= 1,
                    source.utf8[source.utf8.index(source.utf8.startIndex, offsetBy: last.range.upperBound)...].first
                        .map({ $0 == 0x20 || $0 == 0x2D }) ?? true
                        || word.range.lowerBound == last.range.upperBound
                {
                    matches[matches.count - 1].range = last.range.lowerBound..<word.range.upperBound
                    matches[matches.count - 1].words |= words
                } else {
                    matches.append(Match(range: word.range, words: words))
                }
            }
            return matches
        }
    }

    mutating func highlighted(_ text: String) -> HighlightedText { Self.pieces(of: text, matches(in: text)) }

    private static func pieces(of text: String, _ matches: [Match]) -> HighlightedText {
        let utf8 = Array(text.utf8)
        var pieces: [HighlightedText.Piece] = []
        var place = 0
        func add(_ range: Range<Int>, _ isMatch: Bool) {
            guard !range.isEmpty else { return }
            pieces.append(HighlightedText.Piece(text: String(decoding: utf8[range], as: UTF8.self), isMatch: isMatch))
        }
        for match in matches where match.range.lowerBound >= place {
            add(place..<match.range.lowerBound, false)
            add(match.range, true)
            place = match.range.upperBound
        }
        add(place..<utf8.count, false)
        return HighlightedText(pieces: pieces)
    }

    // MARK: Passages

    /// Bytes of a passage, about.
    private static let passageBytes = 260
    /// Bytes before its first match, about; more if a block of the page begins there.
    private static let before = 60
    private static let beforeInBlock = 120

    /// The text under a hit: the record's snippet; or if title and snippet lack words of the query, the passage of the description
    /// or of the page's text that has more of them.
    ///
    /// - Parameter text: what results may quote; empty if there is none.
    mutating func snippet(_ snippet: String, title: String, description: String, text: String) -> HighlightedText {
        let inSnippet = matches(in: snippet)
        let inTitle = Self.words(of: matches(in: title))
        var most = (inTitle | Self.words(of: inSnippet)).nonzeroBitCount
        guard most < all.nonzeroBitCount else { return Self.pieces(of: snippet, inSnippet) }
        var best: (source: String, passage: Range<Int>)?
        for source in [description, text] {
            let found = matches(in: source)
            guard let (first, words) = Self.densest(found, besides: inTitle), words.nonzeroBitCount > most else {
                continue
            }
            most = words.nonzeroBitCount
            best = (source, Self.passage(of: source, from: first))
        }
        guard let best else { return Self.pieces(of: snippet, inSnippet) }
        let utf8 = Array(best.source.utf8)
        let passage = String(decoding: utf8[best.passage].map { $0 == 0x0A ? 0x20 : $0 }, as: UTF8.self)
        return highlighted(
            (best.passage.lowerBound > 0 ? "…" : "") + passage + (best.passage.upperBound < utf8.count ? "…" : ""))
    }

    private static func words(of matches: [Match]) -> Words { matches.reduce(0) { $0 | $1.words } }

    /// The first match of the window with most different words of the query, and then most matches; and which words window and title
    /// have.
    private static func densest(_ matches: [Match], besides title: Words) -> (start: Int, words: Words)? {
        var counts = [Int](repeating: 0, count: Words.bitWidth)
        var (end, inside): (Int, Words) = (0, 0)
        var best: (start: Int, words: Words, count: Int)?
        func bits(_ words: Words) -> some Sequence<Int> {
            (0..<Words.bitWidth).lazy.filter { words >> Words($0) & 1 == 1 }
        }
        for (index, match) in matches.enumerated() {
            while end < matches.count,
                end == index || matches[end].range.upperBound - match.range.lowerBound < passageBytes
            {
                for bit in bits(matches[end].words) { counts[bit] += 1 }
                inside |= matches[end].words
                end += 1
            }
            let words = inside | title
            if (words.nonzeroBitCount, end - index) > best.map({ ($0.words.nonzeroBitCount, $0.count) }) ?? (0, 0) {
                best = (match.range.lowerBound, words, end - index)
            }
            for bit in bits(match.words) {
                counts[bit] -= 1
                if counts[bit] == 0 { inside &= ~(1 << Words(bit)) }
            }
        }
        return best.map { ($0.start, $0.words) }
    }

    /// The bytes of a passage whose first match begins at `first`.
    private static func passage(of source: String, from first: Int) -> Range<Int> {
        let utf8 = Array(source.utf8)
        let block = utf8[max(0, first - beforeInBlock)..<first].lastIndex(of: 0x0A)
        let start = block.map { $0 + 1 } ?? wordStart(utf8, atMost: max(0, first - before))
        return start..<wordEnd(utf8, atLeast: min(utf8.count, start + passageBytes))
    }

    private static func wordStart(_ utf8: [UInt8], atMost place: Int) -> Int {
        var place = place
        while place > 0, place < utf8.count, utf8[place] & 0xC0 == 0x80 { place -= 1 }
        guard place > 0 else { return 0 }
        let space = utf8[place...].prefix(40).firstIndex { $0 == 0x20 || $0 == 0x0A }
        return space.map { $0 + 1 } ?? place
    }

    private static func wordEnd(_ utf8: [UInt8], atLeast place: Int) -> Int {
        var place = place
        if let space = utf8[place...].prefix(40).firstIndex { $0 == 0x20 || $0 == 0x0A } { return space }
        if utf8.count - place <= 40 { return utf8.count }
        while place < utf8.count, utf8[place] & 0xC0 == 0x80 { place += 1 }
        return place
    }
}
