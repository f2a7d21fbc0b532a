/// The words that CLDR (`listPattern`, UTS #35, part 2) puts between the last two of a list.
struct ListWords: Sendable {
    static let all = ListWords()

    /// With spaces around them: `and`, `และ`.
    private(set) var between: Set<String> = []
    /// Without spaces: `和` of `甲和乙`.
    private(set) var unspaced: [String] = []
    /// Letters that are written with the next word: `ו`.
    private(set) var attached: Set<Character> = []

    private init() {
        for locale in CLDR.locales where !locale.contains("_") || locale.count > 5 {
            guard let bundle = CLDR.Bundle(locale) else { continue }
            for key in ["2", "end"] {
                guard let pattern = bundle.text(key, at: ["listPattern", "standard"]),
                    let start = pattern.range(of: "{0}"),
                    let end = pattern.range(of: "{1}"), start.upperBound < end.lowerBound
                else { continue }
                add(pattern[start.upperBound..<end.lowerBound])
            }
        }
    }

    private mutating func add(_ text: Substring) {
        let words = text.split { !$0.isLetter }
        guard words.count == 1, let word = words.first else { return }
        if text.last == " " {
            if text.first == " " || text.first == "," { between.insert(String(word)) }
        } else if text.first == " " {
            if word.count == 1, let letter = word.first { attached.insert(letter) }
        } else if !unspaced.contains(String(word)) {
            unspaced.append(String(word))
        }
    }
}
