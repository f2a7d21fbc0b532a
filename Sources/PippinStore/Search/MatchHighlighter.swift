import PippinPage

/// Marks the words of a query in texts, by the rules with which the index finds them.
struct MatchHighlighter {
    private var exact: Set<String> = []
    private var stems: Set<String> = []
    private var dense: [String] = []
    private var prefix: String?
    private let languages: [String]

    init(_ plan: SearchPlan) {
        languages = plan.languages
        for term in plan.query.terms.flatMap(\.all)
        where term.isPhrase || !term.forms.allSatisfy(StopWords.contains)
            || plan.query.words.allSatisfy(StopWords.contains)
        {
            exact.formUnion(term.forms)
            if term.forms.count > 1, !term.isPhrase { exact.insert(term.forms.joined()) }
            if term.isDense { dense += term.forms }
            guard !term.isPhrase else { continue }
            SearchText.with { text in
                for form in term.forms {
                    for language in plan.languages { stems.insert(text.stem(of: form, language: language) ?? form) }
                }
            }
        }
        for word in plan.words {
            for form in word.forms where form.kind == .spelling { exact.formUnion(form.terms) }
        }
        // A single letter marks too much.
        if plan.query.endsOpen, let last = plan.query.terms.last?.forms.last, last.utf8.count > 1 { prefix = last }
    }

    private func isMatch(_ word: SearchText.Word, _ text: SearchText) -> Bool {
        if exact.contains(word.form) { return true }
        if let prefix, word.form.hasPrefix(prefix) { return true }
        if word.isDense {
            return dense.contains { $0.contains(word.form) || word.form.contains($0) }
        }
        return languages.contains { stems.contains(text.stem(of: word.form, language: $0) ?? word.form) }
    }

    /// The places of words that match, neighbors joined.
    private func matches(in source: String) -> [Range<Int>] {
        SearchText.with { text in
            var ranges: [Range<Int>] = []
            for word in text.words(of: source) where isMatch(word, text) {
                if let last = ranges.last, word.range.lowerBound - last.upperBound <= 1,
                    source.utf8[source.utf8.index(source.utf8.startIndex, offsetBy: last.upperBound)...].first
                        .map({ $0 == 0x20 || $0 == 0x2D }) ?? true || word.range.lowerBound == last.upperBound
                {
                    ranges[ranges.count - 1] = last.lowerBound..<word.range.upperBound
                } else {
                    ranges.append(word.range)
                }
            }
            return ranges
        }
    }

    func highlighted(_ text: String) -> HighlightedText { Self.pieces(of: text, matches(in: text)) }

    private static func pieces(of text: String, _ matches: [Range<Int>]) -> HighlightedText {
        let utf8 = Array(text.utf8)
        var pieces: [HighlightedText.Piece] = []
        var place = 0
        func add(_ range: Range<Int>, _ isMatch: Bool) {
            guard !range.isEmpty else { return }
            pieces.append(HighlightedText.Piece(text: String(decoding: utf8[range], as: UTF8.self), isMatch: isMatch))
        }
        for match in matches where match.lowerBound >= place {
            add(place..<match.lowerBound, false)
            add(match, true)
            place = match.upperBound
        }
        add(place..<utf8.count, false)
        return HighlightedText(pieces: pieces)
    }

    /// Characters of a passage.
    private static let passage = 260

    /// The text under a hit: the record's snippet; if it has no word of the query, the passage of the description with most.
    func snippet(_ snippet: String, description: String) -> HighlightedText {
        let inSnippet = matches(in: snippet)
        guard inSnippet.isEmpty, !description.isEmpty else { return Self.pieces(of: snippet, inSnippet) }
        let found = matches(in: description)
        guard let first = found.first else { return Self.pieces(of: snippet, inSnippet) }
        // The window that holds most of the matches, beginning a few words before its first.
        var best = (count: 0, start: first.lowerBound)
        for (index, match) in found.enumerated() {
            let count = found[index...].prefix { $0.upperBound - match.lowerBound < Self.passage }.count
            if count > best.count { best = (count, match.lowerBound) }
        }
        let utf8 = Array(description.utf8)
        let start = Self.wordStart(utf8, atMost: max(0, best.start - 60))
        let end = Self.wordEnd(utf8, atLeast: min(utf8.count, start + Self.passage))
        let text =
            (start > 0 ? "…" : "") + String(decoding: utf8[start..<end], as: UTF8.self) + (end < utf8.count ? "…" : "")
        return highlighted(text)
    }

    private static func wordStart(_ utf8: [UInt8], atMost place: Int) -> Int {
        var place = place
        while place > 0, place < utf8.count, utf8[place] & 0xC0 == 0x80 { place -= 1 }
        guard place > 0 else { return 0 }
        let space = utf8[place...].prefix(40).firstIndex(of: 0x20)
        return space.map { $0 + 1 } ?? place
    }

    private static func wordEnd(_ utf8: [UInt8], atLeast place: Int) -> Int {
        var place = place
        if let space = utf8[place...].prefix(40).firstIndex(of: 0x20) { return space }
        if utf8.count - place <= 40 { return utf8.count }
        while place < utf8.count, utf8[place] & 0xC0 == 0x80 { place += 1 }
        return place
    }
}
