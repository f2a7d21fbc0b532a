// Strings, numbers, words, and placeholders that a template left in the text.

extension JSONScanner {
    // MARK: Strings

    /// A string in double quotes; with repairs, in any quotes. Nil if the text ends within it (only with repairs).
    ///
    /// - Parameter what: what is expected here, for the error.
    mutating func string(_ what: @autoclosure () -> String) throws(JSONSyntaxError) -> String? {
        guard current == UInt8(ascii: "\"") else { return try foreignString(what()) }
        position += 1
        let start = position
        try skipPlain()
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
            position += 1
            stringEnd = position
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position - 1]), as: UTF8.self)
        }
        var text = Array(bytes[start..<position])
        while !isAtEnd {
            if current == UInt8(ascii: "\"") {
                position += 1
                stringEnd = position
                return String(decoding: text, as: UTF8.self)
            }
            if current == UInt8(ascii: "\\") { try escape(into: &text) }
            let plain = position
            try skipPlain()
            text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[plain..<position]))
        }
        try truncate(Self.endOfString)
        return nil
    }

    private static var endOfString: String { "'\"' at the end of the string" }

    /// Advances to the next quote or backslash, or to the end.
    private mutating func skipPlain() throws(JSONSyntaxError) {
        var end = skippingPlainWords(from: position)
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            if byte < 0x20 {
                position = end
                try fix(.controlCharacter, expected: "no control character in a string")
            }
            end += 1
        }
        position = end
    }

    /// Skips eight bytes at a time while none of them is a quote, a backslash or a control character. Most of a text is plain.
    @inline(__always) private func skippingPlainWords(from start: Int) -> Int {
        let each: UInt64 = 0x0101_0101_0101_0101
        let raw = UnsafeRawBufferPointer(bytes)
        var end = start
        while end + 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: end, as: UInt64.self)
            let quote = word ^ (each &* 0x22)
            let backslash = word ^ (each &* 0x5C)
            // The highest bit of a byte is set if subtracting from it borrows: if it was zero, or below 0x20.
            let special =
                (quote &- each) & ~quote | (backslash &- each) & ~backslash | (word &- each &* 0x20) & ~word
            if special & (each &* 0x80) != 0 { break }
            end += 8
        }
        return end
    }

    /// Reads an escape. With repairs, JavaScript's escapes are read too (`\'`, `\x27`, an escaped line end), and any other
    /// escaped character stands for itself.
    private mutating func escape(into text: inout [UInt8]) throws(JSONSyntaxError) {
        let start = position
        position += 1
        let letter = current
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            guard let unit = hexadecimal(digits: 4) else {
                return try badEscape(at: start, letter, "four hexadecimal digits after \\u", into: &text)
            }
            return append(character(unit, writtenAt: start), to: &text)
        default:
            try leave("one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")
            guard !isAtEnd else { return }
            return try badEscape(at: start, letter, "", into: &text)
        }
        position += 1
    }

    /// Continues after a backslash and a letter that are not an escape.
    private mutating func badEscape(
        at start: Int, _ letter: UInt8, _ what: String, into text: inout [UInt8]
    ) throws(JSONSyntaxError) {
        try fix(.badEscape, at: start, expected: what)
        position = start + 2
        switch letter {
        case UInt8(ascii: "x"):
            if let unit = hexadecimal(digits: 2) {
                append(Unicode.Scalar(unit), to: &text)
            } else {
                text.append(letter)
            }
        case 0x0A: break
        case 0x0D: if current == 0x0A { position += 1 }
        default: text.append(letter)
        }
    }

    /// The character of an escaped UTF-16 unit, with the low surrogate after a high one; nil for half of a pair.
    private mutating func character(_ unit: UInt32, writtenAt start: Int) -> Unicode.Scalar? {
        if unit & 0xFC00 == 0xD800, current == UInt8(ascii: "\\"), byte(1) == UInt8(ascii: "u") {
            let afterHigh = position
            position += 2
            if let low = hexadecimal(digits: 4), low & 0xFC00 == 0xDC00 {
                return Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF)
            }
            position = afterHigh
        }
        let scalar = Unicode.Scalar(unit)
        if scalar == nil { note(.loneSurrogate, "Half of a surrogate pair is written as \\u escape.", start) }
        return scalar
    }

    private func append(_ scalar: Unicode.Scalar?, to text: inout [UInt8]) {
        text.append(contentsOf: scalar.flatMap { UTF8.encode($0) } ?? UTF8.encodedReplacementCharacter)
    }

    /// Reads up to `digits` hexadecimal digits; nil if a byte is not a digit.
    private mutating func hexadecimal(digits: Int) -> UInt32? {
        var unit: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = current.hexDigitValue else { return nil }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    // MARK: Strings in other quotes

    /// Whether a quote of any kind is at the position.
    var startsString: Bool {
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): true
        case 0xE2: smartQuote != nil
        default: false
        }
    }

    /// The plain quote, single or double, for `‘ ’ ‚ ‛ “ ” „ ‟` (U+2018 … U+201F).
    private var smartQuote: UInt8? {
        guard byte(1) == 0x80, byte(2) >= 0x98, byte(2) <= 0x9F else { return nil }
        return byte(2) < 0x9C ? UInt8(ascii: "'") : UInt8(ascii: "\"")
    }

    private mutating func foreignString(_ what: String) throws(JSONSyntaxError) -> String? {
        guard repairs, startsString else { throw expected(what) }
        let smart = current == 0xE2 ? smartQuote : nil
        let quote = smart ?? current
        try fix(smart == nil ? .singleQuotes : .smartQuotes, expected: what)
        position += smart == nil ? 1 : 3
        var text: [UInt8] = []
        while !isAtEnd {
            let byte = current
            let isSmartEnd = smart != nil && byte == 0xE2 && smartQuote == quote
            if byte == quote || isSmartEnd {
                position += isSmartEnd ? 3 : 1
                stringEnd = position
                return String(decoding: text, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                try escape(into: &text)
                continue
            }
            if byte < 0x20 { note(.controlCharacter) }
            text.append(byte)
            position += 1
        }
        try truncate(what)
        return nil
    }

    /// A key; with repairs also in other quotes or without quotes. Nil if the text ends within it (only with repairs).
    mutating func key(_ what: @autoclosure () -> String) throws(JSONSyntaxError) -> String? {
        if current == UInt8(ascii: "\"") || repairs && startsString { return try string(what()) }
        guard repairs, isNameByte(current) else { throw expected(what()) }
        try fix(.unquotedKey, expected: what())
        let start = position
        while isNameByte(current) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "@")
            || byte == UInt8(ascii: "-")
    }

    // MARK: Words

    private static let trueWords: Set<String> = ["true", "True", "TRUE"]
    private static let falseWords: Set<String> = ["false", "False", "FALSE"]
    private static let nullWords: Set<String> = [
        "null", "Null", "NULL", "None", "nil", "undefined", "NaN", "Infinity",
    ]
    /// The length of the longest word, plus one.
    private static let maximumWordLength = 10

    /// Reads `true`, `false` or `null`; with repairs also such words of other languages. Nil if the end of the text may have
    /// cut the word (only with repairs).
    mutating func word(in close: UInt8) throws(JSONSyntaxError) -> JSONValue.Content? {
        let content: JSONValue.Content
        let length: Int
        if starts(with: "true") {
            (content, length) = (.bool(true), 4)
        } else if starts(with: "false") {
            (content, length) = (.bool(false), 5)
        } else if starts(with: "null") {
            (content, length) = (.null, 4)
        } else {
            guard repairs else { throw expected(Self.aValue) }
            return try foreignWord(from: position, in: close)
        }
        position += length
        guard repairs else { return content }
        if isAtEnd, close != 0 {
            try truncate(Self.after(in: close))
            return nil
        }
        if current.isASCIILetter { throw expected(Self.after(in: close)) }
        return content
    }

    /// Reads a word that is not JSON's.
    ///
    /// - Parameter start: the start of the value; a sign may precede the word.
    private mutating func foreignWord(from start: Int, in close: UInt8) throws(JSONSyntaxError) -> JSONValue.Content? {
        var end = position
        while end < bytes.count, end - position < Self.maximumWordLength, bytes[end].isASCIILetter { end += 1 }
        let word = String(decoding: UnsafeBufferPointer(rebasing: bytes[position..<end]), as: UTF8.self)
        if close != 0, end == bytes.count, !word.isEmpty {
            let words = Self.trueWords.union(Self.falseWords).union(Self.nullWords)
            if words.contains(where: { $0.hasPrefix(word) }) {
                try leave(Self.aValue)
                position = end
                try truncate(Self.aValue)
                return nil
            }
        }
        let content: JSONValue.Content
        if Self.trueWords.contains(word) {
            content = .bool(true)
        } else if Self.falseWords.contains(word) {
            content = .bool(false)
        } else if Self.nullWords.contains(word) {
            content = .null
        } else {
            position = start
            throw expected(Self.aValue)
        }
        try fix(.foreignLiteral, at: start, expected: Self.aValue)
        position = end
        return content
    }

    /// Reads a value that does not begin like any JSON value.
    mutating func foreignValue(in close: UInt8) throws(JSONSyntaxError) -> JSONValue.Content? {
        if isAtEnd {
            try truncate(Self.aValue)
            return nil
        }
        if startsString { return try foreignString(Self.aValue).map { .string($0) } }
        if current == UInt8(ascii: "+") || current == UInt8(ascii: ".") {
            try leave(Self.aValue)
            return try foreignNumber(in: close)
        }
        return try foreignWord(from: position, in: close)
    }

    // MARK: Numbers

    /// Reads a number (RFC 8259 §6): `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`. Nil if the end of the text may
    /// have cut the number (only with repairs).
    mutating func number(in close: UInt8) throws(JSONSyntaxError) -> JSONValue.Content? {
        let start = position
        var isWhole = true
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") { position += 1 } else { isWhole = takeDigits() }
        if isWhole, current == UInt8(ascii: ".") {
            position += 1
            isWhole = takeDigits()
        }
        if isWhole, current | 0x20 == UInt8(ascii: "e") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            isWhole = takeDigits()
        }
        if !isWhole {
            try leave("a digit")
        } else if !repairs || !goesOn(from: start) {
            if repairs, isAtEnd, close != 0 {
                try truncate(Self.after(in: close))
                return nil
            }
            return .number(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self))
        } else {
            try leave(Self.after(in: close))
        }
        position = start
        return try foreignNumber(in: close)
    }

    /// Advances over digits; false if there are none.
    private mutating func takeDigits() -> Bool {
        let start = position
        while current.isASCIIDigit { position += 1 }
        return position > start
    }

    /// Whether a longer number or text begins with the zero at `start`: `007`, `0x1F`.
    private func goesOn(from start: Int) -> Bool {
        guard position - start <= 2, bytes[position - 1] == UInt8(ascii: "0") else { return false }
        guard position == start + 1 || bytes[start] == UInt8(ascii: "-") else { return false }
        return current.isASCIIDigit || current | 0x20 == UInt8(ascii: "x") && byte(1).hexDigitValue != nil
    }

    /// Repairs a number: `+.50` becomes `0.50`, `0x1F` becomes `31`. Codes become strings: a postal code with a leading zero
    /// (`01234`), a telephone number with a plus.
    private mutating func foreignNumber(in close: UInt8) throws(JSONSyntaxError) -> JSONValue.Content? {
        let isInside = close != 0
        let start = position
        let sign = current
        if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { position += 1 }
        if current.isASCIILetter { return try foreignWord(from: start, in: close) }
        if current == UInt8(ascii: "0"), byte(1) | 0x20 == UInt8(ascii: "x"), byte(2).hexDigitValue != nil {
            return try hexadecimalNumber(from: start, isNegative: sign == UInt8(ascii: "-"), isInside: isInside)
        }
        let whole = digits()
        let significant = whole.drop { $0 == "0" }
        var text = sign == UInt8(ascii: "-") ? "-" : ""
        text += significant.isEmpty ? "0" : String(significant)
        var fraction = ""
        if current == UInt8(ascii: ".") {
            position += 1
            fraction = digits()
            if !fraction.isEmpty { text += "." + fraction }
        }
        if whole.isEmpty && fraction.isEmpty && !isAtEnd {
            position = start
            throw expected(Self.aValue)
        }
        var power: String?
        if current | 0x20 == UInt8(ascii: "e") {
            position += 1
            var exponent = "e"
            if current == UInt8(ascii: "-") || current == UInt8(ascii: "+") {
                exponent += current == UInt8(ascii: "-") ? "-" : "+"
                position += 1
            }
            let digits = digits()
            if digits.isEmpty && !isAtEnd { throw expected("a digit") }
            power = exponent + digits
        }
        if isInside && isAtEnd {
            try truncate(Self.after(in: close))
            return nil
        }
        if whole.isEmpty && fraction.isEmpty || power?.utf8.last?.isASCIIDigit == false { throw expected("a digit") }
        text += power ?? ""
        note(.malformedNumber, at: start)
        let isPlain = position == start + whole.utf8.count + (sign.isASCIIDigit ? 0 : 1)
        let isTelephone = sign == UInt8(ascii: "+") && whole.utf8.count >= 7
        if isPlain, whole.utf8.count > 1, whole.utf8.first == UInt8(ascii: "0") || isTelephone {
            return .string(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self))
        }
        return .number(text)
    }

    private mutating func hexadecimalNumber(
        from start: Int, isNegative: Bool, isInside: Bool
    ) throws(JSONSyntaxError) -> JSONValue.Content? {
        position += 2
        var value: UInt64 = 0
        var count = 0
        while let digit = current.hexDigitValue {
            value = value << 4 | UInt64(digit)
            count += 1
            position += 1
        }
        if isInside && isAtEnd {
            try truncate(Self.aValue)
            return nil
        }
        note(.malformedNumber, at: start)
        // All JSON readers keep twelve digits exactly. A longer number is probably an identifier.
        if count > 12 {
            return .string(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self))
        }
        return .number((isNegative ? "-" : "") + String(value))
    }

    private mutating func digits() -> String {
        let start = position
        _ = takeDigits()
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    }

    // MARK: Placeholders

    /// A cheap test that excludes most values before the search for a placeholder.
    @inline(__always) var mayBePlaceholder: Bool {
        switch current {
        case UInt8(ascii: "{"): byte(1) == UInt8(ascii: "{") || byte(1) == UInt8(ascii: "%")
        case UInt8(ascii: "$"), UInt8(ascii: "<"): true
        default: false
        }
    }

    var startsPlaceholder: Bool { Self.placeholderEnd(in: bytes, at: position) != nil }

    /// Skips `{{ title }}`, `<%= title %>`, `${title}` and the like outside of strings. False if there is none here.
    mutating func takePlaceholder(asValue isValue: Bool, _ what: String) throws(JSONSyntaxError) -> Bool {
        guard let end = Self.placeholderEnd(in: bytes, at: position) else { return false }
        let start = position
        if isValue, current == UInt8(ascii: "{") {
            // JSON requires a key after `{`.
            position += 1
            try leave("a key in double quotes or '}'")
        } else {
            try leave(what)
        }
        note(.template, at: start)
        position = end
        return true
    }

    /// The start of the first placeholder of a text, in a string or not.
    static func firstPlaceholder(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var attempts = 0
        for i in bytes.indices where isPlaceholderStart(bytes, at: i) {
            if placeholderEnd(in: bytes, at: i) != nil { return i }
            // Each attempt reads a few hundred bytes. The number of attempts is limited, because a text may have many starts
            // without ends.
            attempts += 1
            if attempts == 1_000 { return nil }
        }
        return nil
    }

    private static func isPlaceholderStart(_ bytes: UnsafeBufferPointer<UInt8>, at i: Int) -> Bool {
        guard i + 1 < bytes.count else { return false }
        switch bytes[i] {
        case UInt8(ascii: "{"): return bytes[i + 1] == UInt8(ascii: "{") || bytes[i + 1] == UInt8(ascii: "%")
        case UInt8(ascii: "$"): return bytes[i + 1] == UInt8(ascii: "{")
        case UInt8(ascii: "<"): return bytes[i + 1] == UInt8(ascii: "%") || bytes[i + 1] == UInt8(ascii: "?")
        default: return false
        }
    }

    /// The end of the placeholder at `start`: `{{ }}`, `{% %}`, `${ }`, `<% %>`, `<?php ?>`. Nil if none starts there. A
    /// placeholder has a few words in one line; `{{"a": 1}}` is an object with one brace too many.
    private static func placeholderEnd(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
        guard isPlaceholderStart(bytes, at: start) else { return nil }
        let close: (first: UInt8, second: UInt8?) =
            switch (bytes[start], bytes[start + 1]) {
            case (UInt8(ascii: "$"), _): (UInt8(ascii: "}"), nil)
            case (UInt8(ascii: "{"), UInt8(ascii: "{")): (UInt8(ascii: "}"), UInt8(ascii: "}"))
            case (UInt8(ascii: "{"), _): (UInt8(ascii: "%"), UInt8(ascii: "}"))
            case (_, let mark): (mark, UInt8(ascii: ">"))
            }
        var end = start + 2
        while end < bytes.count, end - start <= 200, bytes[end] >= 0x20 {
            if bytes[end] == UInt8(ascii: "\""), end + 1 < bytes.count, bytes[end + 1] == UInt8(ascii: ":") {
                return nil
            }
            if bytes[end] == close.first {
                guard let second = close.second else { return end + 1 }
                if end + 1 < bytes.count, bytes[end + 1] == second {
                    end += 2
                    // The form `{{{ }}}` of Mustache.
                    if bytes[start + 1] == UInt8(ascii: "{"), bytes[start + 2] == UInt8(ascii: "{"), end < bytes.count,
                        bytes[end] == UInt8(ascii: "}")
                    {
                        end += 1
                    }
                    return end
                }
            }
            end += 1
        }
        return nil
    }
}
