/// The text under a result: the page's description, else the beginning of its main text.
public enum Snippet {
    /// Apple's advice for descriptions (App Search Programming Guide).
    public static let maximumCharacters = 300

    /// Cuts a text to so many Unicode scalars: after a sentence when that keeps half of them, else after a word with an
    /// ellipsis, and between characters where a script has no spaces.
    public static func cut(_ text: String, to maximum: Int = maximumCharacters) -> String {
        guard maximum > 0 else { return "" }
        guard text.utf8.count > maximum else { return text }
        var text = text
        return text.withUTF8 { cut($0, to: maximum) }
    }

    private static func cut(_ bytes: UnsafeBufferPointer<UInt8>, to maximum: Int) -> String {
        var scalars = 0
        var i = 0
        /// Byte offsets: past the last sentence that fits, past the last word that fits with an ellipsis, and past the
        /// last character that does.
        var sentenceEnd = 0
        var wordEnd = 0
        var hardEnd = 0
        while i < bytes.count {
            if bytes[i] & 0xC0 != 0x80 {
                if scalars == maximum { break }
                if scalars == maximum - 1 { hardEnd = i }
                if bytes[i] == 0x20 && scalars < maximum { wordEnd = i }
                scalars += 1
            }
            i += 1
            if endsSentence(bytes, at: i), scalars * 2 >= maximum { sentenceEnd = i }
        }
        if i == bytes.count { return String(decoding: bytes, as: UTF8.self) }
        if sentenceEnd > 0 { return String(decoding: bytes[..<sentenceEnd], as: UTF8.self) }
        let end = wordEnd * 2 >= hardEnd && wordEnd > 0 ? wordEnd : hardEnd
        guard end > 0 else { return "" }
        return String(decoding: bytes[..<trimmed(bytes, end)], as: UTF8.self) + "…"
    }

    /// Whether a sentence ends before `i`: a full stop, question or exclamation mark, then a space and no small letter,
    /// which would speak for an abbreviation; or one of their full-width forms.
    private static func endsSentence(_ bytes: UnsafeBufferPointer<UInt8>, at i: Int) -> Bool {
        let last = bytes[i - 1]
        if last == UInt8(ascii: ".") || last == UInt8(ascii: "!") || last == UInt8(ascii: "?") {
            guard i < bytes.count, bytes[i] == 0x20 else { return false }
            // `14. September`, not `in 2020. Then`.
            if last == UInt8(ascii: "."), i >= 2, bytes[i - 2].isASCIIDigit,
                i < 4 || !bytes[i - 3].isASCIIDigit || !bytes[i - 4].isASCIIDigit
            {
                return false
            }
            return i + 1 >= bytes.count || !(bytes[i + 1].isASCIILetter && bytes[i + 1] >= 0x60)
        }
        guard i >= 3 else { return false }
        switch (bytes[i - 3], bytes[i - 2], last) {
        case (0xE3, 0x80, 0x82), (0xEF, 0xBC, 0x81), (0xEF, 0xBC, 0x9F): return true  // 。！？
        default: return false
        }
    }

    /// Without spaces, commas and dashes before the ellipsis.
    private static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>, _ end: Int) -> Int {
        var end = end
        while end > 0, [0x20, 0x2C, 0x3B, 0x3A, 0x2D].contains(bytes[end - 1]) { end -= 1 }
        return end
    }
}
