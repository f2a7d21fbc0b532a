// Numbers, literals and placeholders of a broken JSON text.

extension JSONRepair {
    // MARK: Literals

    private static let trueWords: Set<String> = ["true", "True", "TRUE"]
    private static let falseWords: Set<String> = ["false", "False", "FALSE"]
    private static let nullWords: Set<String> = [
        "null", "Null", "NULL", "None", "nil", "undefined", "NaN", "Infinity",
    ]
    /// One letter more than the longest word has.
    private static let maximumWordLength = 10

    /// - Parameters:
    ///   - start: where the value starts; a sign may stand before the word.
    ///   - isInside: whether an object or array is open, so that a word at the end of the text may be cut off.
    mutating func literal(from start: Int, isInside: Bool) throws(JSONSyntaxError) -> JSONValue? {
        var end = position
        while end < bytes.count, end - position < Self.maximumWordLength, bytes[end].isASCIILetter { end += 1 }
        let word = String(decoding: UnsafeBufferPointer(rebasing: bytes[position..<end]), as: UTF8.self)
        if isInside, end == bytes.count, !word.isEmpty {
            let words = Self.trueWords.union(Self.falseWords).union(Self.nullWords)
            if words.contains(where: { $0.hasPrefix(word) }) {
                position = end
                truncate()
                return nil
            }
        }
        let value: JSONValue
        if Self.trueWords.contains(word) {
            value = true
        } else if Self.falseWords.contains(word) {
            value = false
        } else if Self.nullWords.contains(word) {
            value = nil
        } else {
            position = start
            throw expected("a value")
        }
        position = end
        if start != end - word.utf8.count || !["true", "false", "null"].contains(word) {
            note(.foreignLiteral, at: start)
        }
        return value
    }

    // MARK: Numbers

    /// Keeps the number that was meant: `+.50` is `0.50`, `0x1F` is `31`. Digits that are more than their number stay
    /// text: the zero before a postal code (`01234`), the plus before a telephone number.
    mutating func number(isInside: Bool) throws(JSONSyntaxError) -> JSONValue? {
        let start = position
        let sign = current
        if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { position += 1 }
        if current.isASCIILetter { return try literal(from: start, isInside: isInside) }
        if current == UInt8(ascii: "0"), byte(1) | 0x20 == UInt8(ascii: "x"), byte(2).hexDigitValue != nil {
            return hexadecimalNumber(from: start, isNegative: sign == UInt8(ascii: "-"), isInside: isInside)
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
            throw expected("a value")
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
            truncate()
            return nil
        }
        if whole.isEmpty && fraction.isEmpty || power?.utf8.last?.isASCIIDigit == false { throw expected("a digit") }
        text += power ?? ""
        let written = UnsafeBufferPointer(rebasing: bytes[start..<position])
        if written.elementsEqual(text.utf8) || written.contains(UInt8(ascii: "E")) && isJSON(whole, sign: sign) {
            return .number(text)
        }
        note(.malformedNumber, at: start)
        let isPlain = position == start + whole.utf8.count + (sign.isASCIIDigit ? 0 : 1)
        if isPlain, whole.utf8.count > 1, whole.utf8.first == UInt8(ascii: "0") || isTelephone(whole, sign: sign) {
            return .string(String(decoding: written, as: UTF8.self))
        }
        return .number(text)
    }

    /// Whether all but the capital of the exponent is as JSON has it.
    private func isJSON(_ whole: String, sign: UInt8) -> Bool {
        sign != UInt8(ascii: "+") && !whole.isEmpty && (whole == "0" || whole.utf8.first != UInt8(ascii: "0"))
    }

    private func isTelephone(_ whole: String, sign: UInt8) -> Bool {
        sign == UInt8(ascii: "+") && whole.utf8.count >= 7
    }

    private mutating func hexadecimalNumber(from start: Int, isNegative: Bool, isInside: Bool) -> JSONValue? {
        position += 2
        var value: UInt64 = 0
        var count = 0
        while let digit = current.hexDigitValue, !isAtEnd {
            value = value << 4 | UInt64(digit)
            count += 1
            position += 1
        }
        if isInside && isAtEnd {
            truncate()
            return nil
        }
        note(.malformedNumber, at: start)
        // Twelve digits are exact in every reader of JSON; more are no number but an identifier.
        if count > 12 {
            return .string(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self))
        }
        return .number((isNegative ? "-" : "") + String(value))
    }

    private mutating func digits() -> String {
        let start = position
        while current.isASCIIDigit { position += 1 }
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    }

    // MARK: Placeholders

    var startsPlaceholder: Bool { Self.placeholderEnd(in: bytes, at: position) != nil }

    /// Takes `{{ title }}`, `<%= title %>`, `${title}` and the like where they stand outside of strings.
    mutating func takePlaceholder() -> Bool {
        guard let end = Self.placeholderEnd(in: bytes, at: position) else { return false }
        note(.template)
        position = end
        return true
    }

    /// Where the first placeholder of a text starts, in a string or not.
    static func firstPlaceholder(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var attempts = 0
        for i in bytes.indices where isPlaceholderStart(bytes, at: i) {
            if placeholderEnd(in: bytes, at: i) != nil { return i }
            // Each attempt looks at a few hundred bytes; a text full of starts without ends has no placeholder.
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

    /// One past the placeholder that starts at a place: `{{ }}`, `{% %}`, `${ }`, `<% %>`, `<?php ?>`. A placeholder is
    /// a few words in one line; `{{"a": 1}}` is an object with a brace too many.
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
                    // Mustache's `{{{ }}}`.
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
