/// Takes article, conjunction and endings off Arabic words: light10 (Larkey, Ballesteros and Connell, Light Stemming for Arabic
/// Information Retrieval, 2007), which finds more than stemmers that look for roots.
///
/// Points, tatweel and the forms of alef and hamza are folded before (`LetterFolding`).
enum ArabicStem {
    private static let articles = ["وال", "بال", "كال", "فال", "ال", "لل"].map { Array($0.unicodeScalars) }
    private static let suffixes = ["ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي"].map { Array($0.unicodeScalars) }
    private static let and: Unicode.Scalar = "و"

    /// The stem of a folded word.
    ///
    /// - Parameter keepsAnd: whether a `و` at the beginning is taken for a letter of the word.
    static func of(_ word: String, keepsAnd: Bool = false) -> String {
        var letters = word.unicodeScalars.map { letter -> Unicode.Scalar in
            switch letter {
            case "ى": "ي"
            case "ة": "ه"
            default: letter
            }
        }
        if !keepsAnd, letters.first == and, letters.count > 3 { letters.removeFirst() }
        if let article = articles.first(where: { letters.starts(with: $0) }), letters.count >= article.count + 2 {
            letters.removeFirst(article.count)
        }
        for suffix in suffixes where letters.count >= suffix.count + 2 && letters.suffix(suffix.count) == suffix[...] {
            letters.removeLast(suffix.count)
        }
        var stem = String.UnicodeScalarView()
        stem.append(contentsOf: letters)
        return String(stem)
    }
}
