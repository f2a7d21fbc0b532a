import Glibc

/// Decodes HTML character references, also in texts where HTML does not (`&quot;` in a script, `&amp;` in a JSON string).
///
/// In such texts they are decoded once and need their semicolon: `&amp;amp;` becomes `&amp;`, and `?a=1&copy=2` stays.
enum CharacterReferences {
    /// A text with decoded references, and the place of each byte in the original.
    struct Decoded {
        fileprivate(set) var bytes: [UInt8] = []
        /// The end of each reference, in the decoded and in the written text. Between two references the texts are equal.
        fileprivate var ends: [(decoded: Int, written: Int)] = []
        /// Offset of the first reference.
        fileprivate(set) var firstOffset = 0

        /// The offset in the written text for one in the decoded text.
        func writtenOffset(of offset: Int) -> Int {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if ends[middle].decoded <= offset { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? offset : ends[low - 1].written + offset - ends[low - 1].decoded
        }
    }

    /// Decodes the references of a text; nil if it has none.
    static func decoded(_ text: ArraySlice<UInt8>) -> Decoded? {
        var result = Decoded()
        var copied = text.startIndex
        var i = text.startIndex
        while let ampersand = text[i...].firstIndex(of: UInt8(ascii: "&")) {
            guard let (value, end) = reference(in: text, at: ampersand) else {
                i = ampersand + 1
                continue
            }
            if result.ends.isEmpty { result.firstOffset = ampersand - text.startIndex }
            result.bytes.append(contentsOf: text[copied..<ampersand])
            value.append(to: &result.bytes)
            result.ends.append((result.bytes.count, end - text.startIndex))
            copied = end
            i = end
        }
        if result.ends.isEmpty { return nil }
        result.bytes.append(contentsOf: text[copied...])
        return result
    }

    /// Decodes the references of a text; nil if it has none.
    static func decoded(_ text: String) -> String? {
        guard text.utf8.has(UInt8(ascii: "&")) else { return nil }
        return decoded(Array(text.utf8)[...]).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Decodes all references of a text of HTML; nil if there is none.
    static func decodedAsHTML(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard let base = text.baseAddress, memchr(base, 0x26, text.count) != nil else { return nil }
        var bytes: [UInt8] = []
        return append(text, isAttribute: false, to: &bytes) ? bytes : nil
    }

    /// Appends an attribute's value of HTML with all references decoded. If it has none, appends nothing and returns false.
    static func append(attributeValue value: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) -> Bool {
        append(value, isAttribute: true, to: &bytes)
    }

    /// Appends a text with all references decoded. If it has none, appends nothing and returns false.
    private static func append(
        _ text: UnsafeBufferPointer<UInt8>, isAttribute: Bool, to bytes: inout [UInt8]
    ) -> Bool {
        guard let base = text.baseAddress else { return false }
        var copied = 0
        var i = 0
        while i < text.count, let found = memchr(base + i, 0x26, text.count - i) {
            let ampersand = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
            i = ampersand + 1
            guard let (value, end) = reference(in: text, at: ampersand, isAttribute: isAttribute) else { continue }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[copied..<ampersand]))
            value.append(to: &bytes)
            copied = end
            i = end
        }
        // The end of the last reference; no reference is empty.
        guard copied > 0 else { return false }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[copied...]))
        return true
    }

    /// A reference in JSON or a script; it needs its semicolon.
    private static func reference(in text: ArraySlice<UInt8>, at start: Int) -> (NamedReferences.Value, end: Int)? {
        text.withUnsafeBufferPointer { bytes in
            guard let (value, end) = reference(in: bytes, at: start - text.startIndex, isAttribute: false),
                bytes[end - 1] == UInt8(ascii: ";")
            else { return nil }
            return (value, end + text.startIndex)
        }
    }

    /// The value and end of the reference at an ampersand (WHATWG HTML §13.2.5.72, "character reference state"). Nil if the
    /// ampersand begins no reference.
    ///
    /// - Parameter isAttribute: in an attribute value, `&copy=2` and `&copyright` are not references.
    static func reference(
        in text: UnsafeBufferPointer<UInt8>, at ampersand: Int, isAttribute: Bool
    ) -> (value: NamedReferences.Value, end: Int)? {
        let start = ampersand + 1
        guard start < text.count else { return nil }
        if text[start] == UInt8(ascii: "#") { return numericReference(in: text, at: start + 1) }
        // Nearly all references of a page are this one, in the addresses of its links.
        if start + 3 < text.count, text[start] == UInt8(ascii: "a"), text[start + 1] == UInt8(ascii: "m"),
            text[start + 2] == UInt8(ascii: "p"), text[start + 3] == UInt8(ascii: ";")
        {
            return (NamedReferences.Value(first: "&", second: nil), start + 4)
        }
        var end = start
        while end < text.count, end - start <= NamedReferences.longestName, text[end].isASCIIAlphanumeric { end += 1 }
        guard end > start else { return nil }
        let word = UnsafeBufferPointer(rebasing: text[start..<end])
        if end < text.count, text[end] == UInt8(ascii: ";"), let value = NamedReferences.value(of: word) {
            return (value, end + 1)
        }
        guard let (value, length) = NamedReferences.legacyPrefix(of: word) else { return nil }
        end = start + length
        if isAttribute, end < text.count, text[end] == UInt8(ascii: "=") || text[end].isASCIIAlphanumeric { return nil }
        return (value, end)
    }

    /// Reads the number after `&#`. Any number of digits belongs to one reference.
    private static func numericReference(
        in text: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> (value: NamedReferences.Value, end: Int)? {
        var i = start
        let isHexadecimal = i < text.count && text[i] | 0x20 == UInt8(ascii: "x")
        if isHexadecimal { i += 1 }
        let firstDigit = i
        var value: UInt32 = 0
        while i < text.count, let digit = text[i].hexDigitValue, isHexadecimal || digit < 10 {
            // A value that is too large stops growing, so it cannot overflow.
            if value <= 0x10_FFFF { value = value * (isHexadecimal ? 16 : 10) + UInt32(digit) }
            i += 1
        }
        guard i > firstDigit else { return nil }
        if i < text.count, text[i] == UInt8(ascii: ";") { i += 1 }
        return (NamedReferences.Value(first: ControlReferences.scalar(of: value), second: nil), i)
    }
}

/// Numeric character references. References to C1 controls stand for the windows-1252 character of that byte: `&#146;` is
/// U+2019 (WHATWG HTML §13.2.5.80, "numeric character reference end state").
enum ControlReferences {
    /// The characters for U+0080 … U+009F in the standard's table; five stay unchanged.
    private static let replacements: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}",
        "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8D}", "\u{17D}", "\u{8F}",
        "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
    ]

    /// The character of a numeric reference; U+FFFD for numbers that are not a character.
    static func scalar(of value: UInt32) -> Unicode.Scalar {
        if (0x80...0x9F).contains(value) { return replacements[Int(value - 0x80)] }
        return value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}

// MARK: Names

/// HTML's 2,231 named character references (WHATWG HTML §13.5), such as `&quest;`, `&nvlt;` or `&copy`.
enum NamedReferences {
    /// The one or two characters of a reference: `&nvlt;` is `<` with U+20D2.
    struct Value {
        let first: Unicode.Scalar
        let second: Unicode.Scalar?

        func append(to bytes: inout [UInt8]) {
            bytes.append(contentsOf: UTF8.encode(first) ?? UTF8.encodedReplacementCharacter)
            if let second { bytes.append(contentsOf: UTF8.encode(second) ?? UTF8.encodedReplacementCharacter) }
        }
    }

    private struct Entry {
        let name: Range<Int>
        /// Whether the semicolon may be missing.
        let isLegacy: Bool
        let value: Value
    }

    /// The length of the longest name, `CounterClockwiseContourIntegral`.
    static let longestName = 31
    /// The length of the longest name that needs no semicolon, `Aacute`.
    private static let longestLegacyName = 6

    /// The value of a name that is followed by a semicolon.
    static func value(of name: UnsafeBufferPointer<UInt8>) -> Value? {
        entry(of: name)?.value
    }

    /// The longest reference without semicolon at the start of a word: `not` in `notit`.
    static func legacyPrefix(of word: UnsafeBufferPointer<UInt8>) -> (value: Value, length: Int)? {
        var length = min(word.count, longestLegacyName)
        // The shortest names are `lt` and `gt`.
        while length >= 2 {
            if let entry = entry(of: UnsafeBufferPointer(rebasing: word[..<length])), entry.isLegacy {
                return (entry.value, length)
            }
            length -= 1
        }
        return nil
    }

    private static func entry(of name: UnsafeBufferPointer<UInt8>) -> Entry? {
        guard let start = name.baseAddress, !name.isEmpty, name.count <= longestName else { return nil }
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            let entry = entries[middle]
            let order = memcmp(start, table.utf8Start + entry.name.lowerBound, min(name.count, entry.name.count))
            if order == 0 && name.count == entry.name.count { return entry }
            if order < 0 || order == 0 && name.count < entry.name.count { high = middle } else { low = middle + 1 }
        }
        return nil
    }

    /// The table, read at first use. It is part of the program, so an unreadable entry is a programming mistake.
    private static let entries: [Entry] = {
        let text = UnsafeBufferPointer(start: table.utf8Start, count: table.utf8CodeUnitCount)
        return text.split(whereSeparator: \.isHTMLSpace).map { entry in
            let parts = entry.split(separator: UInt8(ascii: "="))
            let points = parts[1].split(separator: UInt8(ascii: "+")).map { digits in
                digits.reduce(UInt32(0)) { $0 * 16 + UInt32($1.hexDigitValue ?? 0) }
            }
            guard let first = points.first.flatMap(Unicode.Scalar.init) else {
                preconditionFailure("The table of named references has an entry without a character.")
            }
            let isLegacy = parts[0].last == UInt8(ascii: "!")
            return Entry(
                name: parts[0].startIndex..<parts[0].endIndex - (isLegacy ? 1 : 0), isLegacy: isLegacy,
                value: Value(first: first, second: points.dropFirst().first.flatMap(Unicode.Scalar.init)))
        }
    }()
}
