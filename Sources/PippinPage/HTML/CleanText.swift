/// Texts of a page as people are shown them: titles, descriptions, keywords, names.
enum CleanText {
    /// Longer texts are no titles, names or descriptions.
    private static let maximumBytes = 20_000

    /// A text in one line: white space collapsed, without invisible characters at its ends and inside its words, character
    /// references that were escaped twice decoded once more. nil when nothing is left.
    static func line(_ text: String?) -> String? {
        guard var text else { return nil }
        // `&amp;quot;` in the page: a template escaped what was escaped.
        if text.utf8.count <= maximumBytes, let decoded = CharacterReferences.decoded(text) { text = decoded }
        if !isPlain(text), text.unicodeScalars.contains(where: isInvisible) {
            text = withoutInvisible(text)
        }
        let collapsed = text.collapsingHTMLSpace()
        return collapsed.isEmpty ? nil : collapsed
    }

    /// The same of the beginning of a text, cut to so many characters. Many items may share one long text, so that it is cut first.
    static func line(_ text: String?, to maximum: Int) -> String? {
        guard let text else { return nil }
        // References and tags take more bytes than what they leave.
        let bytes = 16 * maximum + 1_000
        let beginning = text.utf8.count <= bytes ? text : String(decoding: text.utf8.prefix(bytes), as: UTF8.self)
        return line(beginning).map { Snippet.cut($0, to: maximum) }
    }

    /// Whether a text has no character beyond those of ASCII that are seen.
    private static func isPlain(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in bytes.allSatisfy { $0 < 0x7F } }
    }

    /// Whether some character of a text was lost: it came in another encoding than it says.
    static func isDamaged(_ text: String) -> Bool {
        text.utf8.has(0xEF) && text.unicodeScalars.contains("\u{FFFD}")
    }

    /// Without the tags that systems leave in an excerpt: `<p>`, `<a class="more" href="…`.
    static func withoutTags(_ text: String) -> String {
        guard text.utf8.has(UInt8(ascii: "<")), isMarkup(text) else { return text }
        var result: [UInt8] = []
        var isInTag = false
        let bytes = Array(text.utf8)
        for (i, byte) in bytes.enumerated() {
            if isInTag {
                isInTag = byte != UInt8(ascii: ">")
            } else if byte == UInt8(ascii: "<"), i + 1 < bytes.count,
                bytes[i + 1].isASCIILetter || bytes[i + 1] == UInt8(ascii: "/")
            {
                isInTag = true
                // `<br>` and `</p>` keep words apart; an end tag before a comma does not.
                if i + 1 < bytes.count,
                    bytes[i + 1] != UInt8(ascii: "/") || i + 2 < bytes.count && bytes[i + 2] == UInt8(ascii: "p")
                {
                    result.append(0x20)
                }
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// A text about markup names tags: `The <video> element`. An excerpt begins with one, ends one or has attributes.
    private static func isMarkup(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "<") || text.has("</") || text.has("<br") || text.has("<a ")
    }

    static func withoutDamage(_ text: String) -> String {
        guard isDamaged(text) else { return text }
        var scalars = text.unicodeScalars
        scalars.removeAll { $0 == "\u{FFFD}" }
        return String(scalars).collapsingHTMLSpace()
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x7F && TerminalText.isMark(scalar) || scalar == "\u{AD}"
    }

    /// Marks of direction and joiners mean something between letters, and nothing at the ends.
    private static func withoutInvisible(_ text: String) -> String {
        func isOuter(_ scalar: Unicode.Scalar) -> Bool {
            isInvisible(scalar) || scalar == "\u{A0}" || scalar.value <= 0x20
        }
        var scalars = Array(text.unicodeScalars)
        let start = scalars.firstIndex { !isOuter($0) } ?? scalars.count
        let end = scalars.lastIndex { !isOuter($0) }.map { $0 + 1 } ?? start
        scalars = scalars[start..<end].filter { scalar in
            switch scalar.value {
            case 0xAD, 0x200B, 0x2060, 0xFEFF: false
            default: !((0x7F...0x9F).contains(scalar.value))
            }
        }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: scalars.map { (0x2028...0x2029).contains($0.value) ? " " : $0 })
        return String(result)
    }
}
