/// Words that are made of two, as German, Dutch, the Scandinavian languages and Finnish write them: `Kartoffelgulasch`. The
/// last part is what it is, the rest says which.
///
/// No dictionary: a word may be divided where both parts are words of the index that are not rarer than the whole
/// (Koehn and Knight, Empirical Methods for Compound Splitting, EACL 2003).
public enum CompoundWord {
    /// By primary subtag.
    public static let languages: Set<String> = ["de", "nl", "sv", "da", "no", "fi"]

    /// A last part, or its stem, that is shorter ends too many words that are no compounds.
    public static let leastLast = 4
    public static let leastFirst = 3
    private static let letters = leastFirst + leastLast...40

    /// What a compound is filed under, so that words with one end are neighbors: its letters from the last to the first. Of a
    /// word with a stem it is the stem that is filed. Nil for words that are too short or have other letters than folded Latin ones.
    public static func ending(of form: String, language: String, _ text: SearchText) -> String? {
        guard languages.contains(language), letters.contains(form.utf8.count),
            form.utf8.allSatisfy({ (0x61...0x7A).contains($0) })
        else { return nil }
        return reversed(text.stem(of: form, language: language) ?? form)
    }

    public static func reversed(_ form: String) -> String {
        String(String.UnicodeScalarView(form.unicodeScalars.reversed()))
    }

    /// The words that the first part of a compound may be: as it is, without a letter that joins it to the last part, or with the
    /// `e` that it has lost (`Schulbuch`).
    public static func words(ofFirst part: String) -> [String] {
        var words = [part]
        for joint in joints where part.hasSuffix(joint) && part.utf8.count - joint.utf8.count >= leastFirst {
            words.append(String(part.dropLast(joint.count)))
        }
        words.append(part + "e")
        return words.filter { $0.utf8.count >= leastFirst && !StopWords.contains($0) && !prefixes.contains($0) }
    }

    /// Prefixes of verbs and adverbs, of which texts have some as words.
    private static let prefixes: Set<String> = ["ver", "ent", "zer", "emp", "unt", "gegen", "inne", "selb", "dar"]

    /// What stands between parts, the longer one first: genitives and plurals of the first part.
    public static let joints = ["es", "en", "er", "s", "n", "e"]

    /// Where a word may be divided into two that are long enough.
    public static func divisions(of form: String) -> [(first: String, last: String)] {
        guard letters.contains(form.utf8.count), form.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else { return [] }
        return (leastFirst...form.utf8.count - leastLast).map { place in
            (String(form.prefix(place)), String(form.dropFirst(place)))
        }
    }

    /// Whether parts in so many records each may be those of a compound in so many: their geometric mean is not less.
    public static func isPlausible(first: Int64, last: Int64, compound: Int64) -> Bool {
        first > 0 && last > 0 && Double(first) * Double(last) >= Double(compound) * Double(compound)
    }
}
