import CStemmer

/// Reduces words to stems, most with Snowball: `recipes` and `recipe` have one. An object serves one thread at a time.
final class WordStem {
    /// The languages with a stemmer, by the primary subtag. Snowball has some more, which leave most inflected forms apart where
    /// words are folded: Armenian, Basque, Irish, Serbian, Tamil, Yiddish.
    static let languages: Set<String> = Set(algorithms.keys).union([arabic])

    private static let arabic = "ar"
    private static let turkish = "tr"

    private static let algorithms = [
        "en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian", "pt": "portuguese",
        "nl": "dutch", "sv": "swedish", "da": "danish", "no": "norwegian", "fi": "finnish", "ru": "russian",
        "ro": "romanian", "hu": "hungarian", "ca": "catalan", "tr": "turkish", "el": "greek", "hi": "hindi",
        "id": "indonesian", "lt": "lithuanian", "ne": "nepali",
    ]

    /// What a word is written in, as far as stems differ by it.
    enum Script {
        case latin, greek, cyrillic, arabic, devanagari, other

        init(of form: String) {
            switch form.unicodeScalars.first?.value ?? 0 {
            case 0..<0x250, 0x1E00..<0x1F00: self = .latin
            case 0x370..<0x400, 0x1F00..<0x2000: self = .greek
            case 0x400..<0x530: self = .cyrillic
            case 0x600..<0x700: self = .arabic
            case 0x900..<0x980: self = .devanagari
            default: self = .other
            }
        }
    }

    static func script(of language: String) -> Script {
        switch language {
        case "ru": .cyrillic
        case "el": .greek
        case "ar": .arabic
        case "hi", "ne": .devanagari
        default: .latin
        }
    }

    private var stemmers: [String: OpaquePointer] = [:]

    deinit {
        for stemmer in stemmers.values { sb_stemmer_delete(stemmer) }
    }

    /// The stem of a folded word; nil for a language without stemmer, for short words, and if the word is its own stem.
    ///
    /// Folded words have no accents, in texts and in queries alike. That costs some stems, and finds the words of people who
    /// type without accents. Turkish endings have the vowels of the word before them, so they are taken off the written word.
    func of(_ form: String, written: String? = nil, language: String) -> String? {
        let stem: String?
        switch language {
        case Self.arabic:
            guard Script(of: form) == .arabic else { return nil }
            stem = ArabicStem.of(form)
        case Self.turkish:
            stem = snowball(written ?? form, language).map { FoldedWord.of(Substring($0).unicodeScalars) }
        default:
            stem = snowball(form, language)
        }
        return stem == form ? nil : stem
    }

    /// What the stem of a word of a query may be, at most four.
    func all(of form: String, written: String?, language: String) -> [String] {
        var found = [of(form, written: written, language: language) ?? form]
        func add(_ stem: String) { if !found.contains(stem) { found.append(stem) } }
        switch language {
        case Self.arabic where Script(of: form) == .arabic:
            add(ArabicStem.of(form, keepsAnd: true))
            add(ArabicStem.of(found[0]))
        case Self.turkish where written == nil:
            // What the word is with the vowels that the alphabets of others do not have.
            for vowels: [Unicode.Scalar: Unicode.Scalar] in [["i": "ı"], ["o": "ö", "u": "ü"], ["u": "ü"]] {
                var word = String.UnicodeScalarView()
                word.append(contentsOf: form.unicodeScalars.map { vowels[$0] ?? $0 })
                if let stem = of(form, written: String(word), language: language) { add(stem) }
            }
        default: break
        }
        return found
    }

    private func snowball(_ word: String, _ language: String) -> String? {
        guard word.utf8.count > 2, word.utf8.allSatisfy({ $0 > 0x60 }), let stemmer = stemmer(of: language) else {
            return nil
        }
        let bytes = Array(word.utf8)
        return bytes.withUnsafeBufferPointer { buffer in
            guard let stem = sb_stemmer_stem(stemmer, buffer.baseAddress, Int32(buffer.count)) else { return nil }
            let count = Int(sb_stemmer_length(stemmer))
            let result = UnsafeBufferPointer(start: stem, count: count)
            guard count > 1, !result.elementsEqual(buffer) else { return nil }
            return String(decoding: result, as: UTF8.self)
        }
    }

    private func stemmer(of language: String) -> OpaquePointer? {
        if let known = stemmers[language] { return known }
        guard let name = Self.algorithms[language], let made = sb_stemmer_new(name, "UTF_8") else { return nil }
        stemmers[language] = made
        return made
    }
}
