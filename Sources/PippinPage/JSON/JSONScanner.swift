/// One pass over the bytes of a JSON text, strict or with repairs.
///
/// The grammar is RFC 8259's. At a deviation, `leave` throws in a strict reading. A reading with repairs keeps the first fault,
/// notes the repair and continues. This file has the structure; strings, numbers and words are in `JSONScanner+Scalars.swift`.
struct JSONScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    /// Whether repairs are allowed.
    let repairs: Bool
    private let maximumDepth: Int
    private let maximumValues: Int
    private let interruption: Interruption?
    var position = 0
    /// The end of the last string that was read with repairs.
    var stringEnd = -1
    private var valueCount = 0
    private var lastComma = 0
    /// The first deviation from the grammar.
    private(set) var fault: JSONSyntaxError?
    private(set) var found: [JSONRepair.Found] = []
    private var used: Set<JSONRepair> = []
    /// Whether the text ends too early. Everything that is open is then closed.
    private var isTruncated = false
    private var odd: BoundedNotes
    private var lines = LineCounter()

    init(bytes: UnsafeBufferPointer<UInt8>, limits: ReadingLimits, repairs: Bool) {
        self.bytes = bytes
        self.repairs = repairs
        // The scanner recurses once per level. The cap protects the thread's stack from a larger setting.
        maximumDepth = min(limits.maximumJSONDepth, 512)
        maximumValues = limits.maximumJSONValues
        odd = BoundedNotes(maximum: limits.maximumNotes)
        interruption = limits.interruption
    }

    // MARK: Texts

    /// Reads the first value, strictly.
    mutating func firstValue() throws(JSONSyntaxError) -> JSONValue {
        guard let value = try value(depth: 0, in: 0) else { throw expected(Self.aValue) }
        return value
    }

    /// Reads the only value of a text, strictly.
    mutating func onlyValue() throws(JSONSyntaxError) -> JSONValue {
        let value = try firstValue()
        try skip(Self.theEnd)
        if position < bytes.count { throw expected(Self.theEnd) }
        return value
    }

    /// Reads all values, one after the other, with repairs.
    mutating func values() throws(JSONSyntaxError) -> [JSONValue] {
        var values: [JSONValue] = []
        do throws(JSONSyntaxError) {
            try readAll(into: &values)
        } catch {
            if error.isLimit { throw error }
            throw fault ?? error
        }
        return values
    }

    private mutating func readAll(into values: inout [JSONValue]) throws(JSONSyntaxError) {
        if current == 0xEF, byte(1) == 0xBB, byte(2) == 0xBF {
            try fix(.byteOrderMark, expected: Self.aValue)
            position += 3
        }
        while true {
            let what = values.isEmpty ? Self.aValue : Self.theEnd
            try skip(what)
            if isAtEnd {
                // An empty text is not JSON, but needs no repair.
                return values.isEmpty ? try leave(what) : ()
            }
            if !values.isEmpty || current == UInt8(ascii: ";") { try leave(what) }
            if current == UInt8(ascii: ";") {
                note(.semicolon)
                position += 1
            } else if current == UInt8(ascii: ","), !values.isEmpty {
                position += 1
            } else if !values.isEmpty, current != UInt8(ascii: "{"), current != UInt8(ascii: "[") {
                // A scalar after a value is probably the rest of something else.
                return note(.surplusText)
            } else {
                let start = position
                do throws(JSONSyntaxError) {
                    guard let value = try value(depth: 0, in: 0) else { throw expected(Self.aValue) }
                    if !values.isEmpty { note(.concatenated, at: start) }
                    values.append(value)
                } catch {
                    if values.isEmpty || error.isLimit { throw error }
                    return note(.surplusText, at: start)
                }
            }
        }
    }

    // MARK: Values

    /// A value with its offset. Nil if the text ends within it and no part can be kept (only with repairs).
    ///
    /// - Parameter close: the byte that closes the object or array around the value; 0 at the top level.
    private mutating func value(depth: Int, in close: UInt8) throws(JSONSyntaxError) -> JSONValue? {
        try skip(Self.aValue)
        valueCount += 1
        if valueCount > maximumValues { throw limit("more than \(maximumValues) values") }
        if valueCount & 63 == 0, interruption?.isSet == true { throw limit("the reading was interrupted") }
        let start = position
        if repairs, mayBePlaceholder {
            let isPlaceholder = try takePlaceholder(asValue: true, Self.aValue)
            if isPlaceholder { return JSONValue(.null, at: start) }
        }
        switch current {
        case UInt8(ascii: "{"): return JSONValue(.object(try object(depth: depth + 1)), at: start)
        case UInt8(ascii: "["): return JSONValue(.array(try array(depth: depth + 1)), at: start)
        case UInt8(ascii: "\""):
            guard let text = try string(Self.aValue) else { return nil }
            return JSONValue(.string(text), at: start)
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            return try word(in: close).map { JSONValue($0, at: start) }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try number(in: close).map { JSONValue($0, at: start) }
        default:
            guard repairs else { throw expected(Self.aValue) }
            return try foreignValue(in: close).map { JSONValue($0, at: start) }
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONObject {
        if depth > maximumDepth { throw limit("values nested deeper than \(maximumDepth)") }
        var object = JSONObject()
        position += 1
        var separation = Separation.opening
        while try hasNext(before: UInt8(ascii: "}"), &separation) {
            let start = position
            guard let key = try key(separation.before(UInt8(ascii: "}"))) else { break }
            try skip("':'")
            if isAtEnd, repairs {
                try truncate("':'")
                break
            }
            guard current == UInt8(ascii: ":") else { throw expected("':'") }
            position += 1
            let value: JSONValue?
            var isMissing = false
            if repairs { isMissing = try lacksValue() }
            if isMissing {
                value = JSONValue(.null, at: position)
            } else {
                value = try self.value(depth: depth, in: UInt8(ascii: "}"))
            }
            if let value, !object.set(key, value, keyOffset: start) { noteDuplicate(key, at: start) }
            separation = .value
        }
        return object
    }

    private mutating func lacksValue() throws(JSONSyntaxError) -> Bool {
        try skip(Self.aValue)
        guard current == UInt8(ascii: ",") || current == UInt8(ascii: "}") else { return false }
        try fix(.missingValue, expected: Self.aValue)
        return true
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> [JSONValue] {
        if depth > maximumDepth { throw limit("values nested deeper than \(maximumDepth)") }
        var elements: [JSONValue] = []
        position += 1
        var separation = Separation.opening
        while try hasNext(before: UInt8(ascii: "]"), &separation) {
            if let value = try value(depth: depth, in: UInt8(ascii: "]")) { elements.append(value) }
            separation = .value
        }
        return elements
    }

    /// The last token in an object or array.
    private enum Separation {
        case opening, value, comma

        /// The tokens that may come next, for the error.
        func before(_ close: UInt8) -> String {
            let isObject = close == UInt8(ascii: "}")
            return switch self {
            case .opening: isObject ? "a key in double quotes or '}'" : JSONScanner.aValue
            case .value: JSONScanner.after(in: close)
            case .comma: isObject ? "a key in double quotes" : JSONScanner.aValue
            }
        }
    }

    /// Advances to the next member or element; false after the closing brace or bracket.
    private mutating func hasNext(
        before close: UInt8, _ separation: inout Separation
    ) throws(JSONSyntaxError) -> Bool {
        while !isTruncated {
            let end = position
            try skip(separation.before(close))
            switch current {
            case close:
                if separation == .comma { try fix(.trailingComma, at: lastComma, expected: separation.before(close)) }
                position += 1
                return false
            case UInt8(ascii: ","):
                if separation != .value { try fix(.surplusComma, expected: separation.before(close)) }
                separation = .comma
                lastComma = position
                position += 1
            case UInt8(ascii: ";") where repairs:
                try fix(.semicolon, expected: separation.before(close))
                if separation != .value { note(.surplusComma) }
                separation = .comma
                lastComma = position
                position += 1
            default:
                if repairs {
                    if isAtEnd {
                        try truncate(separation.before(close))
                        return false
                    }
                    // A placeholder between members does not belong to any of them.
                    if close == UInt8(ascii: "}"), mayBePlaceholder {
                        let isPlaceholder = try takePlaceholder(asValue: false, separation.before(close))
                        if isPlaceholder { continue }
                    }
                }
                if separation == .value { try missComma(before: close, behind: end) }
                return true
            }
        }
        return false
    }

    /// Repairs a missing comma if the next value or key clearly begins here. Two strings without space between them are one string
    /// with quotes in it: `"6"" wide"`, `"the ""best"" one"`.
    private mutating func missComma(before close: UInt8, behind end: Int) throws(JSONSyntaxError) {
        guard repairs else { throw expected(Self.after(in: close)) }
        let isArray = close == UInt8(ascii: "]")
        let begins = startsString ? position > end || stringEnd != end : isArray && (current == 0x7B || current == 0x5B)
        guard begins || startsPlaceholder else {
            if stringEnd == end { note(.unescapedQuote, at: end - 1) }
            throw expected(Self.after(in: close))
        }
        try fix(.missingComma, expected: Self.after(in: close))
    }

    // MARK: Between values

    /// Skips white space; with repairs also comments, wrappers and the like.
    ///
    /// - Parameter what: what is expected afterwards, for the error.
    @inline(__always) mutating func skip(_ what: @autoclosure () -> String) throws(JSONSyntaxError) {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            case let byte:
                if repairs, Self.mayBeForeign(byte) { try skipForeign(what()) }
                return
            }
        }
    }

    /// Whether this byte may begin something that only repairs skip.
    @inline(__always) private static func mayBeForeign(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x1F, UInt8(ascii: "#"), UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "<"), UInt8(ascii: "]"),
            0x7F...0xFF:
            true
        default: false
        }
    }

    /// Skips white space that JSON does not allow, comments of JavaScript, C and shell, and wrappers that hid scripts from old
    /// browsers.
    private mutating func skipForeign(_ what: String) throws(JSONSyntaxError) {
        while !isAtEnd {
            switch current {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            case 0x00...0x1F, 0x7F:
                try fix(.foreignSpace, expected: what)
                position += 1
            case 0xC2 where byte(1) == 0xA0:
                try fix(.foreignSpace, expected: what)
                position += 2
            case 0xEF where byte(1) == 0xBB && byte(2) == 0xBF,
                0xE2 where byte(1) == 0x80 && (byte(2) >= 0x8B && byte(2) <= 0x8F || byte(2) & 0xFE == 0xA8):
                try fix(.foreignSpace, expected: what)
                position += 3
            case UInt8(ascii: "#"):
                try fix(.comment, expected: what)
                skipLine()
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
                try leave(what)
                let start = position
                position += 2
                while current == 0x20 || current == 0x09 { position += 1 }
                if try !skipWrapper(what) {
                    note(.comment, at: start)
                    skipLine()
                }
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
                try fix(.comment, expected: what)
                position += 2
                while !isAtEnd && (current != UInt8(ascii: "*") || byte(1) != UInt8(ascii: "/")) { position += 1 }
                position = min(position + 2, bytes.count)
            case UInt8(ascii: "<"), UInt8(ascii: "-"), UInt8(ascii: "]"):
                guard try skipWrapper(what) else { return }
            default: return
            }
        }
    }

    private mutating func skipLine() {
        while !isAtEnd && current != 0x0A && current != 0x0D { position += 1 }
    }

    /// Skips `<!--`, `-->`, `<![CDATA[`, `]]>`. A comment that does not contain the JSON is skipped as a whole. False if
    /// nothing was skipped.
    private mutating func skipWrapper(_ what: String) throws(JSONSyntaxError) -> Bool {
        if starts(with: "<![CDATA[") {
            try fix(.cdata, expected: what)
            position += 9
        } else if starts(with: "]]>") {
            try fix(.cdata, expected: what)
            position += 3
        } else if starts(with: "-->") {
            note(.htmlComment)
            // If a value may be here, the first hyphen is the sign of a number.
            let isSign = what == Self.aValue
            position += isSign ? 1 : 0
            try leave(isSign ? "a digit" : what)
            position += isSign ? 2 : 3
        } else if starts(with: "<!--") {
            try fix(.htmlComment, expected: what)
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

    func starts(with text: StaticString) -> Bool {
        for i in 0..<text.utf8CodeUnitCount where byte(i) != text.utf8Start[i] { return false }
        return true
    }

    // MARK: Places

    /// The current byte; 0 at the end, because NUL is not in JSON's grammar.
    @inline(__always) var current: UInt8 { position < bytes.count ? bytes[position] : 0 }
    @inline(__always) var isAtEnd: Bool { position >= bytes.count }

    func byte(_ ahead: Int) -> UInt8 {
        position + ahead < bytes.count ? bytes[position + ahead] : 0
    }

    // MARK: Faults and notes

    static var aValue: String { "a value" }
    static var theEnd: String { "the end of the text" }

    /// The tokens that may follow a value, for the error.
    static func after(in close: UInt8) -> String {
        switch close {
        case UInt8(ascii: "}"): "',' or '}'"
        case UInt8(ascii: "]"): "',' or ']'"
        default: theEnd
        }
    }

    /// Records a deviation from the grammar; throws in a strict reading.
    mutating func leave(_ what: String) throws(JSONSyntaxError) {
        guard fault == nil else { return }
        let error = expected(what)
        guard repairs else { throw error }
        fault = error
    }

    mutating func fix(_ repair: JSONRepair, at offset: Int? = nil, expected what: String) throws(JSONSyntaxError) {
        try leave(what)
        note(repair, at: offset)
    }

    mutating func truncate(_ what: String) throws(JSONSyntaxError) {
        guard !isTruncated else { return }
        isTruncated = true
        try fix(.truncated, expected: what)
    }

    mutating func note(_ repair: JSONRepair, at offset: Int? = nil) {
        guard used.insert(repair).inserted else { return }
        found.append(JSONRepair.Found(repair: repair, offset: offset ?? position))
    }

    private mutating func noteDuplicate(_ key: String, at offset: Int) {
        note(.duplicateKey, "The key \"\(key)\" stands more than once; its last value counts.", offset)
        if repairs { note(.duplicateKey, at: offset) }
    }

    mutating func note(_ oddity: JSONOddity, _ message: @autoclosure () -> String, _ offset: Int) {
        odd.add(.json(oddity), message(), offset: offset)
    }

    mutating func expected(_ what: String) -> JSONSyntaxError {
        error("expected \(what), found \(currentCharacter)", isLimit: false)
    }

    private mutating func limit(_ what: String) -> JSONSyntaxError {
        error(what, isLimit: true)
    }

    private mutating func error(_ message: String, isLimit: Bool) -> JSONSyntaxError {
        let place = lines.place(of: min(position, bytes.count), in: bytes)
        return JSONSyntaxError(
            message: message, offset: position, line: place.line, column: place.column, isLimit: isLimit)
    }

    private var currentCharacter: String {
        guard position < bytes.count else { return Self.theEnd }
        let byte = bytes[position]
        if byte < 0x20 { return "control character \(byte)" }
        var end = position + 1
        while end < bytes.count && bytes[end] & 0xC0 == 0x80 && end - position < 4 { end += 1 }
        return "'" + String(decoding: bytes[position..<end], as: UTF8.self) + "'"
    }

    /// Notes on the oddities, in the order of the text.
    func oddities() -> [ParseNote] {
        var lines = LineCounter()
        return odd.finished { lines.place(of: $0, in: bytes) }
    }
}
