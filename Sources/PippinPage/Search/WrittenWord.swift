/// Words with Latin letters that folding gives up: `ü`, `ß`, `å`, `ø`, `ı`.
///
/// An index finds a word by its folded form (`FoldedWord`). The written form tells which of the records that have it
/// write it as the query does. Those who have no such letters on their keyboards write two others for one: `mueller`,
/// `smoerrebroed`.
public enum WrittenWord {
    /// The word in small letters; nil if that is its folded form, or if other scripts are in it.
    static func of(_ word: Substring.UnicodeScalarView, folded: String) -> String? {
        var text = String.UnicodeScalarView()
        var hasMarks = false
        var isFolded = true
        for scalar in word {
            switch scalar.value {
            case 0..<0x80: text.append(scalar)
            case 0xC0..<0x250, 0x1E00..<0x1F00:
                text.append(scalar)
                isFolded = false
            case 0x300..<0x370:
                text.append(scalar)
                (hasMarks, isFolded) = (true, false)
            default: return nil
            }
        }
        guard !isFolded else { return nil }
        let composed = hasMarks ? LetterFolding.composed(String(text)) : String(text)
        var written = String.UnicodeScalarView()
        for scalar in composed.unicodeScalars {
            // The capital of Turkish `i`; that of `ı` is `I`, as in all other languages that of `i`.
            if scalar == "İ" {
                written.append("i")
            } else {
                written.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
            }
        }
        let result = String(written)
        return result.utf8.count <= FoldedWord.maximumBytes && !result.utf8.elementsEqual(folded.utf8) ? result : nil
    }

    /// The folded word with two letters for each umlaut and each Nordic letter: `müller` → `mueller`, `ålesund` →
    /// `aalesund`. Nil if it has none of them.
    public static func spelledOut(_ written: String) -> String? {
        var text = String.UnicodeScalarView()
        var hasLetter = false
        for scalar in written.unicodeScalars {
            guard let pair = pairs[scalar] else {
                text.append(scalar)
                continue
            }
            text.append(contentsOf: pair.unicodeScalars)
            hasLetter = true
        }
        return hasLetter ? FoldedWord.of(Substring(String(text)).unicodeScalars) : nil
    }

    /// What a folded word may be if some of its pairs of letters stand for one: `mueller` → `muller`. A word of the
    /// index is meant only if it is spelled out like this (`spelledOut`).
    public static func contractions(of form: String) -> [String] {
        let letters = Array(form.utf8)
        guard letters.count <= FoldedWord.maximumBytes else { return [] }
        var places: [Int] = []
        var place = 1
        while place < letters.count, places.count < maximumPairs {
            if pairsOfFolded.contains([letters[place - 1], letters[place]]) {
                places.append(place)
                place += 1
            }
            place += 1
        }
        guard !places.isEmpty else { return [] }
        return (1..<1 << places.count).map { chosen in
            let left = Set(places.indices.filter { chosen >> $0 & 1 == 1 }.map { places[$0] })
            return String(decoding: letters.indices.filter { !left.contains($0) }.map { letters[$0] }, as: UTF8.self)
        }
    }

    /// More pairs in one word are not tried: each doubles the number of words that may be meant.
    private static let maximumPairs = 3
    /// As German (DIN 5007-2), Danish, Norwegian, Swedish and Finnish do it. `æ` and `œ` are folded to two letters
    /// anyway.
    private static let pairs: [Unicode.Scalar: String] = ["ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"]
    private static let pairsOfFolded: Set<[UInt8]> = Set(pairs.values.map { Array($0.utf8) })
}
