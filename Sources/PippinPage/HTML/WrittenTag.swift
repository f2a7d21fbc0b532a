/// The attributes of a start tag as they are written, to say where one stands.
///
/// It follows HTML's tokenizer (WHATWG HTML §13.2.5.32 and the following states). The arena has the values themselves; a place
/// in them is asked for only when a report shows one.
struct WrittenTag: Sequence, IteratorProtocol {
    struct Attribute {
        let name: Range<Int>
        /// The value with its quotes; nil if there is none.
        let value: Range<Int>?
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// - Parameter bytes: the tag from its `<` to before its `>`.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
        skip { !$0.isHTMLSpace && $0 != UInt8(ascii: "/") }
    }

    mutating func next() -> Attribute? {
        skip { $0.isHTMLSpace || $0 == UInt8(ascii: "/") }
        guard position < bytes.endIndex else { return nil }
        let start = position
        position += 1
        skip { !$0.isHTMLSpace && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ">") }
        let name = start..<position
        skip { $0.isHTMLSpace }
        guard position < bytes.endIndex, bytes[position] == UInt8(ascii: "=") else {
            return Attribute(name: name, value: nil)
        }
        position += 1
        skip { $0.isHTMLSpace }
        guard position < bytes.endIndex else { return Attribute(name: name, value: nil) }
        let valueStart = position
        let first = bytes[position]
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            position += 1
            skip { $0 != first }
            position = Swift.min(position + 1, bytes.endIndex)
        } else {
            skip { !$0.isHTMLSpace && $0 != UInt8(ascii: ">") }
        }
        return Attribute(name: name, value: valueStart..<position)
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while position < bytes.endIndex, isSkipped(bytes[position]) { position += 1 }
    }
}

extension SourceLines {
    /// The end of what begins at an offset: a start tag, a quoted text, or a bare value; nil if it begins with none of these.
    ///
    /// - Parameter limit: how many bytes are searched. What is longer ends there.
    public func endOfToken(at start: Int, limit: Int = 20_000) -> Int? {
        guard text.indices.contains(start) else { return nil }
        let end = min(text.count, start + limit)
        switch text[start] {
        case UInt8(ascii: "<"):
            guard start + 1 < end, text[start + 1].isASCIILetter || text[start + 1] == UInt8(ascii: "/") else {
                return nil
            }
            return endOfTag(from: start + 1, before: end)
        case let quote where quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"):
            var i = start + 1
            while i < end, text[i] != quote {
                // Only JSON has escapes, and HTML's values seldom have a backslash before their last quote.
                i += text[i] == UInt8(ascii: "\\") && i + 1 < end && text[i + 1] == quote ? 2 : 1
            }
            return min(i + 1, end)
        case let byte where byte.isASCIIAlphanumeric || byte == UInt8(ascii: "/") || byte >= 0x80:
            var i = start + 1
            while i < end, !text[i].isHTMLSpace, !",\"<>{}[]".utf8.contains(text[i]) { i += 1 }
            return i
        default: return nil
        }
    }

    private func endOfTag(from start: Int, before end: Int) -> Int {
        var i = start
        while i < end, text[i] != UInt8(ascii: ">") {
            let byte = text[i]
            i += 1
            guard byte == UInt8(ascii: "=") else { continue }
            while i < end, text[i].isHTMLSpace { i += 1 }
            guard i < end, text[i] == UInt8(ascii: "\"") || text[i] == UInt8(ascii: "'") else { continue }
            let quote = text[i]
            i += 1
            while i < end, text[i] != quote { i += 1 }
            i = min(i + 1, end)
        }
        return min(i + 1, end)
    }
}
