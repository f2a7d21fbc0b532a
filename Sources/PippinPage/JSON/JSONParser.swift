/// Why a text is not JSON, and where.
public struct JSONSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was expected and what stands there: `expected ',' or '}', found '"'`.
    public let message: String
    /// Bytes before the place.
    public let offset: Int
    /// 1-based; a column is a Unicode scalar.
    public let line: Int
    public let column: Int
    /// Whether the text is too deep or too large rather than malformed.
    public let isLimit: Bool

    public var description: String { "\(message) at line \(line), column \(column)" }
}

/// What RFC 8259 allows and readers take differently; the raw value is the note's code.
public enum JSONOddity: String, Sendable, CaseIterable, Codable {
    case duplicateKey = "json-duplicate-key"
    case loneSurrogate = "json-lone-surrogate"

    struct Found: Sendable {
        let oddity: JSONOddity
        let message: String
        let place: TextPlace
    }
}

/// Reads JSON exactly as RFC 8259 has it; repairs are `JSONRepair`'s business.
///
/// Bytes that are not UTF-8 become U+FFFD. Of equal keys the last counts, an escaped lone surrogate becomes U+FFFD; both
/// leave a note.
public struct JSONParser: Sendable {
    private let maximumDepth: Int
    private let maximumValues: Int
    private let maximumNotes: Int
    private let interruption: Interruption?
    /// What was odd in the texts read so far.
    private(set) var oddities: [JSONOddity.Found] = []

    public var notes: [ParseNote] {
        oddities.map { ParseNote(.json($0.oddity), $0.message, line: $0.place.line, column: $0.place.column) }
    }

    public init(limits: ReadingLimits = .standard) {
        // The parser recurses once a level; the cap keeps a generous setting from exhausting a thread's stack.
        maximumDepth = min(limits.maximumJSONDepth, 512)
        maximumValues = limits.maximumJSONValues
        maximumNotes = limits.maximumNotes
        interruption = limits.interruption
    }

    /// Reads a text that is one value with nothing but white space around it.
    public mutating func parse(_ bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) -> JSONValue {
        try read(bytes) { (scanner) throws(JSONSyntaxError) in
            let value = try scanner.value(depth: 0)
            scanner.skipSpace()
            if scanner.position < scanner.bytes.count { throw scanner.expected("the end of the text") }
            return value
        }
    }

    public mutating func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        try parse(bytes[...])
    }

    public mutating func parse(_ text: String) throws(JSONSyntaxError) -> JSONValue {
        try parse(Array(text.utf8)[...])
    }

    /// Reads one value from the start and says how many bytes it took, so that what follows can be read next.
    mutating func parsePrefix(_ bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) -> (value: JSONValue, count: Int) {
        try read(bytes) { (scanner) throws(JSONSyntaxError) in
            (try scanner.value(depth: 0), scanner.position)
        }
    }

    private mutating func read<T>(
        _ bytes: ArraySlice<UInt8>, _ body: (inout JSONScanner) throws(JSONSyntaxError) -> T
    ) throws(JSONSyntaxError) -> T {
        var result: Result<T, JSONSyntaxError>?
        bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(
                bytes: buffer, maximumDepth: maximumDepth, maximumValues: maximumValues,
                maximumNotes: maximumNotes - oddities.count, interruption: interruption)
            do throws(JSONSyntaxError) {
                result = .success(try body(&scanner))
            } catch {
                result = .failure(error)
            }
            oddities += scanner.oddities()
        }
        switch result {
        case .success(let value): return value
        case .failure(let error): throw error
        case nil: throw JSONSyntaxError(message: "nothing was read", offset: 0, line: 1, column: 1, isLimit: false)
        }
    }
}

/// One pass over the bytes of a JSON text.
private struct JSONScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    let maximumDepth: Int
    let maximumValues: Int
    let maximumNotes: Int
    let interruption: Interruption?
    var position = 0
    var valueCount = 0
    private var found: [(offset: Int, oddity: JSONOddity, message: String)] = []
    private var lines = LineCounter()

    init(
        bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int, maximumValues: Int, maximumNotes: Int,
        interruption: Interruption?
    ) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.maximumValues = maximumValues
        self.maximumNotes = maximumNotes
        self.interruption = interruption
    }

    /// NUL stands for the end too: no production of JSON's grammar has it.
    private var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    // MARK: Values

    mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        skipSpace()
        valueCount += 1
        if valueCount > maximumValues { throw limit("more than \(maximumValues) values") }
        if valueCount & 63 == 0, interruption?.isSet == true { throw limit("the reading was interrupted") }
        switch current {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default: throw expected("a value")
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONObject {
        if depth > maximumDepth { throw limit("values nested deeper than \(maximumDepth)") }
        var object = JSONObject()
        position += 1
        skipSpace()
        if current == UInt8(ascii: "}") {
            position += 1
            return object
        }
        while true {
            skipSpace()
            let start = position
            guard current == UInt8(ascii: "\"") else {
                throw expected(object.isEmpty ? "a key in double quotes or '}'" : "a key in double quotes")
            }
            let key = try string()
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw expected("':'") }
            position += 1
            if !object.set(key, try value(depth: depth)) {
                note(.duplicateKey, "The key \"\(key)\" stands more than once; its last value counts.", start)
            }
            skipSpace()
            switch current {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"):
                position += 1
                return object
            default: throw expected("',' or '}'")
            }
        }
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> [JSONValue] {
        if depth > maximumDepth { throw limit("values nested deeper than \(maximumDepth)") }
        var elements: [JSONValue] = []
        position += 1
        skipSpace()
        if current == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            elements.append(try value(depth: depth))
            skipSpace()
            switch current {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"):
                position += 1
                return elements
            default: throw expected("',' or ']'")
            }
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { throw expected("a value") }
        for i in 0..<count where bytes[position + i] != text.utf8Start[i] { throw expected("a value") }
        position += count
        return value
    }

    /// RFC 8259 §6: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
    private mutating func number() throws(JSONSyntaxError) -> String {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if current == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    }

    private mutating func digits() throws(JSONSyntaxError) {
        let start = position
        while current >= UInt8(ascii: "0") && current <= UInt8(ascii: "9") { position += 1 }
        if position == start { throw expected("a digit") }
    }

    // MARK: Strings

    private mutating func string() throws(JSONSyntaxError) -> String {
        position += 1
        let start = position
        try skipPlain()
        if current == UInt8(ascii: "\"") {
            position += 1
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position - 1]), as: UTF8.self)
        }
        var text = Array(bytes[start..<position])
        while current == UInt8(ascii: "\\") {
            try escape(into: &text)
            let plain = position
            try skipPlain()
            text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[plain..<position]))
        }
        position += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// Stops at a quote or a backslash.
    private mutating func skipPlain() throws(JSONSyntaxError) {
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            if byte < 0x20 { throw expected("no control character in a string") }
            position += 1
        }
        throw expected("'\"' at the end of the string")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONSyntaxError) {
        let start = position
        position += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(bytes[position])
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            var unit = try hexadecimal()
            if unit & 0xFC00 == 0xD800, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            {
                let afterHigh = position
                position += 2
                let low = try hexadecimal()
                if low & 0xFC00 == 0xDC00 {
                    unit = 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
                } else {
                    position = afterHigh
                }
            }
            if let scalar = Unicode.Scalar(unit) {
                text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            } else {
                note(.loneSurrogate, "Half of a surrogate pair is written as \\u escape.", start)
                text.append(contentsOf: UTF8.encodedReplacementCharacter)
            }
            return
        default: throw expected("one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")
        }
        position += 1
    }

    private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            switch current {
            case let byte where byte >= 0x30 && byte <= 0x39: unit = unit << 4 | UInt32(byte - 0x30)
            case let byte where byte | 0x20 >= 0x61 && byte | 0x20 <= 0x66:
                unit = unit << 4 | UInt32(byte | 0x20 - 0x61 + 10)
            default: throw expected("four hexadecimal digits after \\u")
            }
            position += 1
        }
        return unit
    }

    // MARK: Places

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
        guard position < bytes.count else { return "the end of the text" }
        let byte = bytes[position]
        if byte < 0x20 { return "control character \(byte)" }
        var end = position + 1
        while end < bytes.count && bytes[end] & 0xC0 == 0x80 && end - position < 4 { end += 1 }
        return "'" + String(decoding: bytes[position..<end], as: UTF8.self) + "'"
    }

    private mutating func note(_ oddity: JSONOddity, _ message: String, _ offset: Int) {
        if found.count < maximumNotes { found.append((offset, oddity, message)) }
    }

    /// In the order of the text, so that the lines are counted once.
    mutating func oddities() -> [JSONOddity.Found] {
        found.sort { $0.offset < $1.offset }
        return found.map { odd in
            let place = lines.place(of: odd.offset, in: bytes)
            return JSONOddity.Found(
                oddity: odd.oddity, message: odd.message, place: TextPlace(line: place.line, column: place.column))
        }
    }
}
