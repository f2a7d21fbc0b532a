import CStemmer

/// Reduces words to stems with Snowball: `recipes` and `recipe` have one. An object serves one thread at a time.
final class WordStem {
    /// The languages with a stemmer, by the primary subtag: English and the larger European ones.
    static let languages: Set<String> = Set(algorithms.keys)

    private static let algorithms = [
        "en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian", "pt": "portuguese",
        "nl": "dutch", "sv": "swedish", "da": "danish", "no": "norwegian", "fi": "finnish", "ru": "russian",
        "ro": "romanian", "hu": "hungarian", "ca": "catalan",
    ]

    private var stemmers: [String: OpaquePointer] = [:]

    deinit {
        for stemmer in stemmers.values { sb_stemmer_delete(stemmer) }
    }

    /// The stem of a folded word; nil for a language without stemmer, for short words, and if the word is its own stem.
    ///
    /// Folded words have no accents, in texts and in queries alike. That costs some stems, and finds the words of people who
    /// type without accents.
    func of(_ word: String, language: String) -> String? {
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
