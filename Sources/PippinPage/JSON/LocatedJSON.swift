/// A JSON value that knows where it stands, for files whose authors are told what to mend.
///
/// Made from text that `JSONParser` accepts; objects keep every member as written, also those of equal keys.
struct LocatedJSON: Sendable {
    enum Content: Sendable {
        case null
        case bool(Bool)
        case number(String)
        case string(String)
        case array([LocatedJSON])
        case object([Member])
    }

    struct Member: Sendable {
        let key: String
        /// Where the key's opening quote stands.
        let place: TextPlace
        let value: LocatedJSON
    }

    let content: Content
    let place: TextPlace

    /// Reads a text strictly (RFC 8259), positions and all.
    ///
    /// - Parameter oddities: takes what `JSONParser` found odd in a valid text, such as keys that stand twice.
    static func read(
        _ bytes: [UInt8], limits: ReadingLimits, oddities: inout [JSONOddity.Found]
    ) throws(JSONSyntaxError) -> LocatedJSON {
        var parser = JSONParser(limits: limits)
        _ = try parser.parse(bytes)
        oddities += parser.oddities
        return bytes.withUnsafeBufferPointer { buffer in
            var walk = Walk(bytes: buffer)
            return walk.value()
        }
    }

    var string: String? { if case .string(let text) = content { text } else { nil } }
    var array: [LocatedJSON]? { if case .array(let elements) = content { elements } else { nil } }
    var members: [Member]? { if case .object(let members) = content { members } else { nil } }
    var bool: Bool? { if case .bool(let flag) = content { flag } else { nil } }

    /// Members with each key once, as a reader of JSON sees them: the last value counts and keeps the first one's turn.
    var uniqueMembers: [Member]? {
        guard let members else { return nil }
        var turns: [String: Int] = [:]
        var unique: [Member] = []
        for member in members {
            if let turn = turns[member.key] {
                unique[turn] = member
            } else {
                turns[member.key] = unique.count
                unique.append(member)
            }
        }
        return unique
    }

    /// What the value is, as a noun in a sentence.
    var kind: String {
        switch content {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// A place in a text, 1-based; a column is a Unicode scalar.
public struct TextPlace: Sendable, Hashable {
    public let line: Int
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// One pass over a text that is known to be JSON of bounded depth, so it checks nothing again; it still never leaves the bytes.
private struct Walk {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    var lines = LineCounter()

    init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    private var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func skipSpace() {
        while current == 0x20 || current == 0x0A || current == 0x0D || current == 0x09 { position += 1 }
    }

    private mutating func here() -> TextPlace {
        let place = lines.place(of: position, in: bytes)
        return TextPlace(line: place.line, column: place.column)
    }

    mutating func value() -> LocatedJSON {
        skipSpace()
        let place = here()
        switch current {
        case UInt8(ascii: "{"): return LocatedJSON(content: .object(members()), place: place)
        case UInt8(ascii: "["): return LocatedJSON(content: .array(elements()), place: place)
        case UInt8(ascii: "\""): return LocatedJSON(content: .string(string()), place: place)
        case UInt8(ascii: "t"):
            position += 4
            return LocatedJSON(content: .bool(true), place: place)
        case UInt8(ascii: "f"):
            position += 5
            return LocatedJSON(content: .bool(false), place: place)
        case UInt8(ascii: "n"):
            position += 4
            return LocatedJSON(content: .null, place: place)
        default:
            let start = position
            while current.isASCIIDigit || current == 0x2B || current == 0x2D || current == 0x2E
                || current | 0x20 == 0x65
            {
                position += 1
            }
            return LocatedJSON(content: .number(text(start..<position)), place: place)
        }
    }

    private mutating func members() -> [LocatedJSON.Member] {
        position += 1
        var members: [LocatedJSON.Member] = []
        skipSpace()
        while current == UInt8(ascii: "\"") {
            let place = here()
            let key = string()
            skipSpace()
            position += 1  // the colon
            members.append(LocatedJSON.Member(key: key, place: place, value: value()))
            skipSpace()
            guard current == UInt8(ascii: ",") else { break }
            position += 1
            skipSpace()
        }
        position += 1
        return members
    }

    private mutating func elements() -> [LocatedJSON] {
        position += 1
        var elements: [LocatedJSON] = []
        skipSpace()
        while position < bytes.count, current != UInt8(ascii: "]") {
            elements.append(value())
            skipSpace()
            guard current == UInt8(ascii: ",") else { break }
            position += 1
            skipSpace()
        }
        position += 1
        return elements
    }

    private mutating func string() -> String {
        let start = position
        position += 1
        var hasEscape = false
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] == UInt8(ascii: "\\") {
                hasEscape = true
                position += 1
            }
            position += 1
        }
        position = min(position + 1, bytes.count)
        guard hasEscape else { return text(start + 1..<max(position - 1, start + 1)) }
        // Escapes are the parser's business; the text is a JSON string, so it does not fail.
        var parser = JSONParser()
        switch Result(catching: { () throws(JSONSyntaxError) in try parser.parse(Array(bytes[start..<position])) }) {
        case .success(.string(let text)): return text
        case .success, .failure: return text(start..<position)
        }
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range.clamped(to: bytes.indices)]), as: UTF8.self)
    }
}
