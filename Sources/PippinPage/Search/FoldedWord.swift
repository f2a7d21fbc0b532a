/// Words as a search index compares them: folded by `LetterFolding`, so that `Café`, `CAFÉ` and `ｃａｆｅ` are one word.
///
/// `ü` is `u`, but `ue` stays `ue`: an index of all words cannot know which of them write an umlaut, and `blue` is no `blu`.
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
