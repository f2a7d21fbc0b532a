import Glibc

/// HTML's named character references, all 2,231 (WHATWG HTML §13.5): what `&quest;`, `&nvlt;` or `&copy` stand for.
enum NamedReferences {
    /// One or two characters: `&nvlt;` is `<` with U+20D2.
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
        /// Whether the name counts without a semicolon too.
        let isLegacy: Bool
        let value: Value
    }

    /// Letters and digits of the longest name, `CounterClockwiseContourIntegral`.
    static let longestName = 31
    /// Of those that need no semicolon: `Aacute`.
    private static let longestLegacyName = 6

    /// The value of a name that is followed by a semicolon.
    static func value(of name: UnsafeBufferPointer<UInt8>) -> Value? {
        entry(of: name)?.value
    }

    /// The longest beginning of a word that needs no semicolon to be a reference: `not` in `notit`.
    static func legacyPrefix(of word: UnsafeBufferPointer<UInt8>) -> (value: Value, length: Int)? {
        var length = min(word.count, longestLegacyName)
        // The shortest are `lt` and `gt`.
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

    /// The table taken apart, when it is first asked. It is our own, so that an entry that cannot be read is a mistake of ours.
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
