import CICU

/// The characters that foreign text may not bring to a terminal or into a log, and the two ways of writing them.
///
/// They are the C0 controls, DEL and the C1 controls (ECMA-48: they move the cursor, color, rename the window), the marks that
/// turn the direction of writing (UAX #9), what takes no room (zero-width characters, tags, interlinear marks), and the line
/// and paragraph separators: with any of them a text can pass for something else.
public enum TerminalText {
    /// For people: each of them becomes `�`. Line feeds and tabs stay, as text is made of lines.
    ///
    /// - Parameter keepsColors: leaves the sequences with which `ReportCard.text(color:)` paints.
    public static func shown(_ text: String, keepsColors: Bool = false) -> String {
        replaced(text, keepsLines: true, keepsColors: keepsColors)
    }

    /// For readers of a page's text, people or programs: without them. Line feeds and tabs stay, and the joiners and marks
    /// that belong to the spelling of words: U+061C and U+200C to U+200F.
    public static func readable(_ text: String) -> String {
        func isLeftOut(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            case 0x09, 0x0A, 0x061C, 0x200C...0x200F: false
            default: isMark(scalar)
            }
        }
        guard text.unicodeScalars.contains(where: isLeftOut) else { return text }
        var readable = text.unicodeScalars
        readable.removeAll(where: isLeftOut)
        return String(readable)
    }

    /// For programs: JSON or N-Quads that means the same, with each of them in a string written as `\u001b`.
    ///
    /// Whoever writes JSON with `JSONWriter` has it so already. The tags, beyond U+FFFF, are a surrogate pair in JSON
    /// (RFC 8259 §7) and `\U000E0041` in N-Quads.
    public static func escaped(_ bytes: [UInt8], isNQuads: Bool = false) -> [UInt8] {
        bytes.withUnsafeBufferPointer { utf8 in
            var result: [UInt8] = []
            var start = 0
            var i = 0
            while i < utf8.count {
                let byte = utf8[i]
                let length = byte < 0x20 ? (byte == 0x0A || byte == 0x09 ? 0 : 1) : lengthOfMark(in: utf8, at: i)
                guard length > 0 else {
                    i += 1
                    continue
                }
                if result.isEmpty { result.reserveCapacity(utf8.count + 64) }
                result += utf8[start..<i]
                let scalar = utf8.character(at: i).value
                if scalar > 0xFFFF, isNQuads {
                    result += "\\U".utf8
                    appendHexadecimal(scalar, digits: 8, to: &result)
                } else {
                    appendEscape(scalar, to: &result)
                }
                i += length
                start = i
            }
            if start == 0 { return bytes }
            result += utf8[start...]
            return result
        }
    }

    /// How many bytes of UTF-8 at `i` are one of the characters beyond C0; 0 where there is none.
    @inline(__always)
    static func lengthOfMark(in utf8: UnsafeBufferPointer<UInt8>, at i: Int) -> Int {
        let byte = utf8[i]
        return byte < 0x7F ? 0 : lengthOfRareMark(byte, in: utf8, at: i)
    }

    private static func lengthOfRareMark(_ byte: UInt8, in utf8: UnsafeBufferPointer<UInt8>, at i: Int) -> Int {
        func next(_ offset: Int) -> UInt8 { i + offset < utf8.count ? utf8[i + offset] : 0 }
        switch byte {
        case 0x7F: return 1
        case 0xC2: return (0x80...0x9F).contains(next(1)) ? 2 : 0
        case 0xD8: return next(1) == 0x9C ? 2 : 0  // U+061C
        case 0xE1: return next(1) == 0xA0 && next(2) == 0x8E ? 3 : 0  // U+180E
        case 0xE2:
            let last = next(2)
            switch next(1) {
            case 0x80: return (0x8B...0x8F).contains(last) || (0xA8...0xAE).contains(last) ? 3 : 0  // U+200B, U+2028
            case 0x81: return (0xA0...0xAF).contains(last) ? 3 : 0  // U+2060
            default: return 0
            }
        case 0xEF:
            if next(1) == 0xBB { return next(2) == 0xBF ? 3 : 0 }  // U+FEFF
            return next(1) == 0xBF && (0xB9...0xBB).contains(next(2)) ? 3 : 0  // U+FFF9
        case 0xF3: return next(1) == 0xA0 && (0x80...0xBF).contains(next(3)) ? 4 : 0  // U+E0000
        default: return 0
        }
    }

    package static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F: false
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
            true
        default: false
        }
    }

    /// How many columns of a terminal a character takes: two for wide ones (UAX #11), none for marks that stand upon others.
    package static func cells(of scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return pippin_isWide(scalar.value) != 0 ? 2 : 1
        }
    }

    /// `\u001b`, or two of them for what is beyond U+FFFF.
    static func appendEscape(_ scalar: UInt32, to bytes: inout [UInt8]) {
        let units = scalar > 0xFFFF ? [0xD800 + (scalar - 0x10000) >> 10, 0xDC00 + scalar & 0x3FF] : [scalar]
        for unit in units {
            bytes += "\\u".utf8
            appendHexadecimal(unit, digits: 4, to: &bytes)
        }
    }

    private static func appendHexadecimal(_ number: UInt32, digits: Int, to bytes: inout [UInt8]) {
        for place in (0..<digits).reversed() {
            let digit = UInt8(number >> UInt32(4 * place) & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    fileprivate static func replaced(_ text: String, keepsLines: Bool, keepsColors: Bool) -> String {
        func isKept(_ scalar: Unicode.Scalar) -> Bool { keepsLines && (scalar == "\n" || scalar == "\t") }
        guard text.unicodeScalars.contains(where: { isMark($0) && !isKept($0) }) else { return text }
        var shown = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            if keepsColors, scalar == "\u{1B}",
                let color = colors.first(where: { rest.starts(with: $0.unicodeScalars) })
            {
                shown.append(contentsOf: color.unicodeScalars)
                rest = rest.dropFirst(color.unicodeScalars.count)
                continue
            }
            shown.append(isMark(scalar) && !isKept(scalar) ? "\u{FFFD}" : scalar)
            rest = rest.dropFirst()
        }
        return String(shown)
    }

    /// What reports and search results are painted with.
    private static let colors = ["0", "1", "2", "31", "32", "33", "36"].map { "\u{1B}[\($0)m" }
}

extension String {
    /// The text as one line of a terminal: `TerminalText.shown` without line feeds and tabs.
    public var safeForTerminal: String {
        TerminalText.replaced(self, keepsLines: false, keepsColors: false)
    }
}
