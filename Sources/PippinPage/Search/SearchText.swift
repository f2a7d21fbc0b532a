/// Splits text into the words that a search index holds, and a query asks for.
///
/// A word is a run of letters, marks and digits; ICU's dictionaries split runs of scripts without spaces. Words that a sign joins
/// (`wi-fi`, `AT&T`, `don't`) are one group, and also found without the sign. `c++` and `c#` are words.
///
/// An object serves one thread at a time: `with` lends one.
public final class SearchText {
    /// A word and its place.
    public struct Word: Sendable, Hashable {
        /// The word as it is compared (`FoldedWord`).
        public let form: String
        /// The word in small letters as it is written, if it has Latin letters that `form` writes otherwise: `müller`,
        /// `straße`.
        public let written: String?
        /// Its place in the text, in bytes of UTF-8.
        public let range: Range<Int>
        /// Whether a sign without space ties it to the word before it.
        let isJoined: Bool
        /// Whether it comes from a script without spaces, or with particles tied to words (Korean): it is also found by pairs of
        /// its characters.
        public let isDense: Bool
    }

    /// No text of a record has more words.
    public static let maximumWords = 20_000
    /// A run of a script without spaces is cut here, so that one run costs little.
    private static let maximumRun = 2_000

    private let boundaries = WordBoundaries()
    private let stems = WordStem()

    init() {}

    /// Lends an object to `body`.
    public static func with<Value>(_ body: (SearchText) throws -> Value) rethrows -> Value {
        try objects.with(body)
    }

    private static let objects = LentObjects { SearchText() }

    // MARK: Stems

    /// The languages with stems, by the primary subtag of BCP 47.
    public static var stemmedLanguages: Set<String> { WordStem.languages }

    /// The primary subtag of a tag, as stems and filters compare languages: `nb` is `no`.
    public static func primaryLanguage(of tag: String) -> String { TextLanguage.primary(tag.lowercased()) }

    /// Those of the languages with stems whose script a word is written in: no other has a stem for it.
    public static func stemmedLanguages(among languages: [String], for form: String) -> [String] {
        let script = WordStem.Script(of: form)
        return languages.filter { WordStem.script(of: $0) == script }
    }

    /// The stem of a word; nil if it is the word itself, or the language has none.
    public func stem(of form: String, language: String) -> String? { stems.of(form, language: language) }

    /// The stem of a word as an index has it.
    public func stem(of word: Word, language: String) -> String? {
        stems.of(word.form, written: word.written, language: language)
    }

    /// The stems that a word of a query may have, the most probable first: those who ask leave accents out, and an Arabic word may
    /// begin with `و` or have it before itself.
    public func stems(of form: String, written: String?, language: String) -> [String] {
        stems.all(of: form, written: written, language: language)
    }

    // MARK: Words

    /// The words of a text in order.
    public func words(of text: String, limit: Int = SearchText.maximumWords) -> [Word] {
        var words: [Word] = []
        let utf8 = Array(text.utf8)
        let scalars = text.unicodeScalars
        var offset = 0
        // The end of the last word, if only a joining sign follows it.
        var joinedFrom: Int?
        while offset < utf8.count, words.count < limit {
            if utf8[offset] < 0x80, joinedFrom != offset {
                // Most words are of ASCII alone, between signs of ASCII.
                var end = offset
                while end < utf8.count, utf8[end].isASCIIAlphanumeric { end += 1 }
                let isPlainEnd = end == utf8.count || (utf8[end] < 0x80 && utf8[end] != 0x2B && utf8[end] != 0x23)
                if end > offset, isPlainEnd {
                    let bytes = utf8[offset..<min(end, offset + FoldedWord.maximumBytes)]
                    let form = String(decoding: bytes.lazy.map(\.asciiLowercased), as: UTF8.self)
                    if end - offset <= Self.maximumRun {
                        words.append(
                            Word(form: form, written: nil, range: offset..<end, isJoined: false, isDense: false))
                        offset = end
                        continue
                    }
                }
            }
            let place = text.utf8.index(text.startIndex, offsetBy: offset)
            let scalar = scalars[place]
            let kind = Kind(scalar)
            guard kind != .other else {
                let width = UTF8.width(scalar)
                let isDirect = words.last?.range.upperBound == offset
                joinedFrom = isDirect && Self.joins(scalar) ? offset + width : nil
                offset += width
                continue
            }
            var end = place
            var length = 0
            var count = 0
            // Marks belong to what is before them.
            while end < scalars.endIndex, count < Self.maximumRun, case let next = Kind(scalars[end]),
                next == kind || next == .mark || (kind == .mark && next != .other)
            {
                length += UTF8.width(scalars[end])
                end = scalars.index(after: end)
                count += 1
            }
            if kind == .word {
                // c++, c#, f#
                var signs = end
                while signs < scalars.endIndex, scalars[signs] == "+" || scalars[signs] == "#" {
                    signs = scalars.index(after: signs)
                }
                let signCount = scalars.distance(from: end, to: signs)
                if (1...2).contains(signCount), count <= 3, signs == scalars.endIndex || Kind(scalars[signs]) == .other,
                    scalars[end] == "#" ? signCount == 1 : signCount == 2
                {
                    end = signs
                    length += signCount
                }
            }
            let range = offset..<offset + length
            let isJoined = joinedFrom == offset
            joinedFrom = nil
            if kind == .dense {
                append(scalars[place..<end], at: range, to: &words, limit: limit)
            } else {
                add(scalars[place..<end], range, isJoined, to: &words)
            }
            offset += length
        }
        return words
    }

    private func add(
        _ scalars: Substring.UnicodeScalarView, _ range: Range<Int>, _ isJoined: Bool, to words: inout [Word]
    ) {
        let form = FoldedWord.of(scalars)
        guard !form.isEmpty else { return }
        // `Apple's` is `Apple`.
        if isJoined, form == "s", isApostrophe(before: scalars) { return }
        var isJoined = isJoined
        // `l'été`, `d'Artagnan`: an article is a word of its own; but `O'Reilly`, `don't`.
        if isJoined, let last = words.last, last.form.utf8.count <= 2, last.form != "o", form.utf8.count > 2,
            isApostrophe(before: scalars)
        {
            isJoined = false
        }
        let isKorean = scalars.first.map { (0xAC00...0xD7A3).contains($0.value) } ?? false
        let written = WrittenWord.of(scalars, folded: form)
        words.append(Word(form: form, written: written, range: range, isJoined: isJoined, isDense: isKorean))
    }

    private func isApostrophe(before scalars: Substring.UnicodeScalarView) -> Bool {
        let whole = Substring(scalars).base.unicodeScalars
        guard scalars.startIndex > whole.startIndex else { return false }
        let sign = whole[whole.index(before: scalars.startIndex)]
        return sign == "'" || sign == "’" || sign == "ʼ" || sign == "＇"
    }

    /// Splits a run of a script without spaces.
    private func append(
        _ scalars: Substring.UnicodeScalarView, at range: Range<Int>, to words: inout [Word], limit: Int
    ) {
        let units = Array(Substring(scalars).utf16)
        var place = scalars.startIndex
        var offset = range.lowerBound
        var unit = 0
        for end in boundaries.ends(in: units) where words.count < limit {
            let start = place
            let startOffset = offset
            while place < scalars.endIndex, unit < end {
                unit += UTF16.width(scalars[place])
                offset += UTF8.width(scalars[place])
                place = scalars.index(after: place)
            }
            let form = FoldedWord.of(scalars[start..<place])
            guard !form.isEmpty else { continue }
            words.append(
                Word(form: form, written: nil, range: startOffset..<offset, isJoined: false, isDense: true))
        }
    }

    private enum Kind {
        case word, dense, mark, other

        init(_ scalar: Unicode.Scalar) {
            switch scalar.value {
            case 0..<0x80: self = UInt8(scalar.value).isASCIIAlphanumeric ? .word : .other
            case 0xC0...0x24F: self = scalar.value == 0xD7 || scalar.value == 0xF7 ? .other : .word
            case 0x300...0x36F: self = .mark
            case 0xFE20...0xFE2F: self = .mark
            case _ where WordBoundaries.areNeeded(for: scalar): self = Self.isWord(scalar) ? .dense : .other
            default: self = Self.isWord(scalar) ? .word : .other
            }
        }

        private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
            let properties = scalar.properties
            if properties.isAlphabetic || properties.numericType != nil { return true }
            switch properties.generalCategory {
            case .nonspacingMark, .spacingMark: return !properties.isDefaultIgnorableCodePoint
            default: return false
            }
        }
    }

    /// Signs that tie two words without a space.
    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "-", "'", "’", "ʼ", "＇", ".", "_", "&", "·", "‐", "‑", "\u{AD}", "\u{200C}": true
        default: false
        }
    }

    // MARK: Further forms

    /// The longest group of joined words that is also one word.
    private static let maximumGroup = 6

    /// The groups of joined words: for each, where it begins and ends in `words`. A word that nothing joins is a group of one.
    public static func groups(in words: [Word]) -> [Range<Int>] {
        var groups: [Range<Int>] = []
        for (index, word) in words.enumerated() {
            if word.isJoined, let last = groups.last, last.upperBound == index, last.count < maximumGroup {
                groups[groups.count - 1] = last.lowerBound..<index + 1
            } else {
                groups.append(index..<index + 1)
            }
        }
        return groups
    }

    /// The pairs of neighboring characters of a dense word: `東京都` has `東京` and `京都`.
    public static func pairs(of form: String) -> [String] {
        let scalars = Array(form.unicodeScalars)
        guard scalars.count > 1 else { return [] }
        return (1..<scalars.count).map { index in
            var pair = String.UnicodeScalarView()
            pair.append(scalars[index - 1])
            pair.append(scalars[index])
            return String(pair)
        }
    }
}

/// Words as a search index compares them: folded by `LetterFolding`, so that `Café`, `CAFÉ` and `ｃａｆｅ` are one word.
///
/// `ü` is `u`, but `ue` stays `ue`: an index of all words cannot know which of them write an umlaut, and `blue` is no
/// `blu`. A query tries both (`WrittenWord`).
enum FoldedWord {
    /// No word has more. What is longer is cut, so that a run of marks or digits costs little.
    static let maximumBytes = 64
    private static let maximumScalars = 64

    /// The folded word. It holds no space and no ASCII but digits, small letters, `+` and `#`.
    static func of(_ word: Substring.UnicodeScalarView) -> String {
        if word.utf8Bytes.allSatisfy({ $0 < 0x80 }) {
            return String(decoding: word.utf8Bytes.prefix(maximumBytes).map(\.asciiLowercased), as: UTF8.self)
        }
        var folded = LetterFolding.folded(word.prefix(maximumScalars))
        // A compatibility form may hold spaces and signs.
        folded.unicodeScalars.removeAll { scalar in
            guard scalar.isASCII else { return false }
            let byte = UInt8(scalar.value)
            return !byte.isASCIIAlphanumeric && byte != UInt8(ascii: "+") && byte != UInt8(ascii: "#")
        }
        guard folded.utf8.count > maximumBytes else { return folded }
        var cut = String.UnicodeScalarView()
        var count = 0
        for scalar in folded.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= maximumBytes else { break }
            cut.append(scalar)
        }
        return String(cut)
    }
}

extension Substring.UnicodeScalarView {
    fileprivate var utf8Bytes: Substring.UTF8View { Substring(self).utf8 }
}
