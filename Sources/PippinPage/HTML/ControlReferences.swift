/// Numeric character references. Those to C1 controls mean the windows-1252 character of that byte: `&#146;` is U+2019
/// (WHATWG HTML §13.2.5.80, "numeric character reference end state").
enum ControlReferences {
    /// The characters for U+0080 … U+009F in the standard's table; five stay unchanged.
    private static let replacements: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}",
        "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8D}", "\u{17D}", "\u{8F}",
        "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
    ]

    /// The character of a numeric reference; U+FFFD for numbers that are no character.
    static func scalar(of value: UInt32) -> Unicode.Scalar {
        if (0x80...0x9F).contains(value) { return replacements[Int(value - 0x80)] }
        return value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}
