import Glibc

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
