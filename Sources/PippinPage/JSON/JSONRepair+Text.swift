// The parts of a broken JSON text between and inside its values: white space with comments and wrappers, keys, strings.

extension JSONRepair {
    // MARK: Between values

    mutating func skipByteOrderMark() {
        guard current == 0xEF, byte(1) == 0xBB, byte(2) == 0xBF else { return }
        note(.byteOrderMark)
        position += 3
    }

    /// Skips white space, comments of JavaScript, C and shell, and the wrappers that once hid scripts from old browsers.
    mutating func skip() throws(JSONSyntaxError) {
        while !isAtEnd {
            switch current {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            case 0x00...0x1F, 0x7F:
                note(.foreignSpace)
                position += 1
            case 0xC2 where byte(1) == 0xA0:
                note(.foreignSpace)
                position += 2
            case 0xEF where byte(1) == 0xBB && byte(2) == 0xBF,
                0xE2 where byte(1) == 0x80 && (byte(2) >= 0x8B && byte(2) <= 0x8F || byte(2) & 0xFE == 0xA8):
                note(.foreignSpace)
                position += 3
            case UInt8(ascii: "#"):
                note(.comment)
                skipLine()
            case UInt8(ascii: "/"):
                guard try skipSlash() else { return }
            case UInt8(ascii: "<"), UInt8(ascii: "-"), UInt8(ascii: "]"):
                guard skipWrapper() else { return }
            default: return
            }
        }
    }

    private mutating func skipLine() {
        while !isAtEnd && current != 0x0A && current != 0x0D { position += 1 }
    }

    private mutating func skipSlash() throws(JSONSyntaxError) -> Bool {
        switch byte(1) {
        case UInt8(ascii: "/"):
            var next = 2
            while byte(next) == 0x20 || byte(next) == 0x09 { next += 1 }
            position += next
            if !skipWrapper() {
                position -= next
                note(.comment)
                skipLine()
            }
            return true
        case UInt8(ascii: "*"):
            note(.comment)
            position += 2
            while !isAtEnd && (current != UInt8(ascii: "*") || byte(1) != UInt8(ascii: "/")) { position += 1 }
            position = min(position + 2, bytes.count)
            return true
        default: return false
        }
    }

    /// `<!--`, `-->`, `<![CDATA[`, `]]>`; a comment that does not hold the JSON is skipped as a whole.
    private mutating func skipWrapper() -> Bool {
        if starts(with: "<![CDATA[") {
            note(.cdata)
            position += 9
        } else if starts(with: "]]>") {
            note(.cdata)
            position += 3
        } else if starts(with: "-->") {
            note(.htmlComment)
            position += 3
        } else if starts(with: "<!--") {
            note(.htmlComment)
            position += 4
            while current == 0x20 || current == 0x0A || current == 0x0D || current == 0x09 { position += 1 }
            if current == UInt8(ascii: "{") || current == UInt8(ascii: "[") || current == UInt8(ascii: "/") {
                return true
            }
            while !isAtEnd && !starts(with: "-->") { position += 1 }
            position = min(position + 3, bytes.count)
        } else {
            return false
        }
        return true
    }

    private func starts(with text: StaticString) -> Bool {
        for i in 0..<text.utf8CodeUnitCount where byte(i) != text.utf8Start[i] { return false }
        return true
    }

    // MARK: Strings

    /// Whether a quote of any kind stands here.
    var startsString: Bool {
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): true
        case 0xE2: smartQuote != nil
        default: false
        }
    }

    /// Single or double for `‘ ’ ‚ ‛ “ ” „ ‟` (U+2018 … U+201F).
    private var smartQuote: UInt8? {
        guard byte(1) == 0x80, byte(2) >= 0x98, byte(2) <= 0x9F else { return nil }
        return byte(2) < 0x9C ? UInt8(ascii: "'") : UInt8(ascii: "\"")
    }

    /// Nil when the text ends first.
    mutating func key() throws(JSONSyntaxError) -> String? {
        if startsString { return try string() }
        let start = position
        while isNameByte(current) { position += 1 }
        guard position > start else { throw expected("a key in double quotes or '}'") }
        note(.unquotedKey, at: start)
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "@"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Nil when the text ends first.
    mutating func string() throws(JSONSyntaxError) -> String? {
        let smart = current == 0xE2 ? smartQuote : nil
        let quote = smart ?? current
        if smart != nil {
            note(.smartQuotes)
        } else if quote == UInt8(ascii: "'") {
            note(.singleQuotes)
        }
        position += smart == nil ? 1 : 3
        var text: [UInt8] = []
        while !isAtEnd {
            let byte = current
            if byte == quote {
                position += 1
                stringEnd = position
                return String(decoding: text, as: UTF8.self)
            }
            if smart != nil, byte == 0xE2, smartQuote == quote {
                position += 3
                stringEnd = position
                return String(decoding: text, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                escape(into: &text)
                continue
            }
            if byte < 0x20 { note(.controlCharacter) }
            text.append(byte)
            position += 1
        }
        truncate()
        return nil
    }

    /// JSON's escapes, those of JavaScript (`\'`, `\x27`, a line continued), and any other character for itself.
    private mutating func escape(into text: inout [UInt8]) {
        let start = position
        position += 1
        guard !isAtEnd else { return }
        let letter = current
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard var unit = hexadecimal(digits: 4) else { fallthrough }
            if unit & 0xFC00 == 0xD800, current == UInt8(ascii: "\\"), byte(1) == UInt8(ascii: "u") {
                let afterHigh = position
                position += 2
                if let low = hexadecimal(digits: 4), low & 0xFC00 == 0xDC00 {
                    unit = 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
                } else {
                    position = afterHigh
                }
            }
            append(unit, to: &text)
        case UInt8(ascii: "x"):
            note(.badEscape, at: start)
            if letter == UInt8(ascii: "x"), let unit = hexadecimal(digits: 2) {
                append(unit, to: &text)
            } else {
                text.append(letter)
            }
        case 0x0A: note(.badEscape, at: start)
        case 0x0D:
            note(.badEscape, at: start)
            if current == 0x0A { position += 1 }
        default:
            note(.badEscape, at: start)
            text.append(letter)
        }
    }

    private func append(_ unit: UInt32, to text: inout [UInt8]) {
        let scalar = Unicode.Scalar(unit) ?? "\u{FFFD}"
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    private mutating func hexadecimal(digits: Int) -> UInt32? {
        var unit: UInt32 = 0
        for i in 0..<digits {
            guard let digit = byte(i).hexDigitValue else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        position += digits
        return unit
    }
}
