/// Turns the bytes of a robots.txt into UTF-8 text: applies the size limit, and handles byte order marks, UTF-16, and HTML in
/// place of text.
enum RobotsDecoding {
    /// The text as UTF-8 octets. They may be invalid UTF-8, since patterns are compared as octets.
    static func text(of bytes: [UInt8], notes: inout BoundedNotes) -> [UInt8] {
        var text = decoded(cut(bytes, notes: &notes), notes: &notes)
        if looksLikeHTML(text) {
            if contains(text, "user-agent") {
                text = strippingTags(text)
                notes.add(.robots(.html), "The file is HTML; its text is read, because it holds a user-agent line.")
            } else {
                text = []
                notes.add(.robots(.html), "The file is an HTML page and holds no rules.")
            }
        }
        return text
    }

    /// The first 512,000 bytes, without the line at the limit.
    private static func cut(_ bytes: [UInt8], notes: inout BoundedNotes) -> ArraySlice<UInt8> {
        let maximum = RobotsFile.maximumBytes
        guard bytes.count > maximum else { return bytes[...] }
        notes.add(.robots(.tooLong), "The file has more than \(maximum) bytes; the first \(maximum) are read.")
        if isLineEnd(bytes[maximum]) { return bytes[..<maximum] }
        let lastEnd = bytes[..<maximum].lastIndex(where: isLineEnd)
        return bytes[..<(lastEnd ?? 0)]
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>, notes: inout BoundedNotes) -> [UInt8] {
        if bytes.starts(with: [0xFF, 0xFE]) {
            notes.add(.robots(.utf16), "The file is UTF-16, it should be UTF-8 (RFC 9309 §2.3).")
            return CharacterEncoding.utf16LE.decode(wholeUnits(bytes)).utf8
        }
        if bytes.starts(with: [0xFE, 0xFF]) {
            notes.add(.robots(.utf16), "The file is UTF-16, it should be UTF-8 (RFC 9309 §2.3).")
            return CharacterEncoding.utf16BE.decode(wholeUnits(bytes)).utf8
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        // An incomplete byte order mark does not belong to the first key either (google/robotstxt).
        let length = zip(bytes, mark).prefix { $0 == $1 }.count
        if length == 3 {
            notes.add(
                .robots(.byteOrderMark), "The file begins with a byte order mark, which some crawlers stumble over.")
        } else if length > 0 {
            notes.add(.robots(.byteOrderMark), "The file begins with a part of a byte order mark.")
        }
        return Array(bytes.dropFirst(length))
    }

    /// The bytes without an odd last byte, which would become part of the last rule.
    private static func wholeUnits(_ bytes: ArraySlice<UInt8>) -> [UInt8] { Array(bytes.prefix(bytes.count & ~1)) }

    private static func looksLikeHTML(_ text: [UInt8]) -> Bool {
        guard let first = text.firstIndex(where: { $0 > 0x20 }), text[first] == UInt8(ascii: "<"),
            first + 1 < text.count
        else { return false }
        let next = text[first + 1]
        return next == UInt8(ascii: "!") || next == UInt8(ascii: "?") || (0x61...0x7A).contains(next | 0x20)
    }

    private static func contains(_ text: [UInt8], _ word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            guard let first = word.first, text.count >= word.count else { return false }
            return (0...(text.count - word.count)).contains { start in
                text[start] | 0x20 == first && word.indices.allSatisfy { text[start + $0].asciiLowercased == word[$0] }
            }
        }
    }

    /// The text between tags. A tag that begins a new line on the page begins a new line here.
    private static func strippingTags(_ text: [UInt8]) -> [UInt8] {
        let blocks: Set<String> = ["br", "p", "div", "li", "pre", "tr", "body", "title", "h1", "h2"]
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "<"), let end = text[index...].firstIndex(of: UInt8(ascii: ">")) else {
                // There is no further `>`, so the rest is text and need not be searched again.
                if text[index] == UInt8(ascii: "<") { return result + text[index...] }
                result.append(text[index])
                index += 1
                continue
            }
            let name = text[(index + 1)..<end].drop { $0 == UInt8(ascii: "/") }.prefix(8)
                .prefix { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) }
            if blocks.contains(String(decoding: name.map(\.asciiLowercased), as: UTF8.self)) { result.append(0x0A) }
            index = end + 1
        }
        return result
    }

    static func isLineEnd(_ byte: UInt8) -> Bool {
        byte == 0x0A || byte == 0x0D
    }
}
