/// Character references to C1 controls, which mean the windows-1252 character of that byte: `&#146;` is U+2019
/// (WHATWG HTML §13.2.5.80, "numeric character reference end state"). libxml2 takes them by their number.
enum ControlReferences {
    /// U+0080 … U+009F as the standard's table has them; five stay as they are.
    private static let replacements: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}",
        "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8D}", "\u{17D}", "\u{8F}",
        "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
    ]

    /// What a numeric reference stands for; U+FFFD for what is no character.
    static func scalar(of value: UInt32) -> Unicode.Scalar {
        if (0x80...0x9F).contains(value) { return replacements[Int(value - 0x80)] }
        return value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    /// Whether there is a C1 control (C2 80 … C2 9F) at a place of UTF-8 text.
    private static func isControl(in text: UnsafeBufferPointer<UInt8>, at i: Int) -> Bool {
        text[i] == 0xC2 && i + 1 < text.count && text[i + 1] >= 0x80 && text[i + 1] <= 0x9F
    }

    /// Whether a text is one C1 control and nothing else, which is how libxml2 hands over a reference to one.
    static func isReference(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.count == 2 && isControl(in: text, at: 0)
    }

    /// Appends text, each C1 control in it as the character it stands for. In an attribute's value a reference cannot be
    /// told from the control itself, which no page means.
    static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        var copied = 0
        var i = 0
        while i < text.count {
            guard isControl(in: text, at: i) else {
                i += 1
                continue
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[copied..<i]))
            bytes.append(contentsOf: String(replacements[Int(text[i + 1] - 0x80)]).utf8)
            i += 2
            copied = i
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[copied...]))
    }
}
