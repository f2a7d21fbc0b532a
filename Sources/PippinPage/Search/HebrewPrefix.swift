/// Hebrew writes article, prepositions and conjunctions on to words: `הבית`, `ובבית`.
///
/// Any of these letters may be one of the word itself, so both the word with and the one without them must be words of the index.
public enum HebrewPrefix {
    private static let prefixes = [
        "ה", "ו", "ב", "ל", "מ", "ש", "כ", "וה", "וב", "ול", "ומ", "וש", "וכ", "שה", "שב", "של", "שמ", "מה", "כש",
        "וכש", "ושה",
        "כשה", "לכש", "מש",
    ]
    /// A shorter word is in too many others.
    private static let leastLetters = 3
    private static let finals: [Unicode.Scalar: Unicode.Scalar] = [
        "ך": "כ", "ם": "מ", "ן": "נ", "ף": "פ", "ץ": "צ", "כ": "ך", "מ": "ם", "נ": "ן", "פ": "ף", "צ": "ץ",
    ]

    private static func isHebrew(_ form: String) -> Bool {
        !form.isEmpty && form.unicodeScalars.allSatisfy { (0x5D0...0x5EA).contains($0.value) }
    }

    /// The word with each prefix.
    public static func prefixed(_ form: String) -> [String] {
        isHebrew(form) && form.unicodeScalars.count >= leastLetters ? prefixes.map { $0 + form } : []
    }

    /// The word without each prefix that it may have.
    public static func stripped(_ form: String) -> [String] {
        guard isHebrew(form) else { return [] }
        return prefixes.filter(form.hasPrefix).map { String(form.unicodeScalars.dropFirst($0.unicodeScalars.count)) }
            .filter { $0.unicodeScalars.count >= leastLetters }
    }

    /// The word with the other form of its last letter, as loan words and names vary: `קליפ` and `קליף`.
    public static func withOtherEnd(_ form: String) -> String? {
        guard isHebrew(form), let last = form.unicodeScalars.last, let other = finals[last] else { return nil }
        return String(form.unicodeScalars.dropLast()) + String(other)
    }
}
