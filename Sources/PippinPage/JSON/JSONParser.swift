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
    let isLimit: Bool

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

/// Reads JSON: strictly as RFC 8259 has it (`parse`), or with repairs as people really publish it (`parseRepairing`).
///
/// There is one reader for both. Strict means that no repair is allowed: the first one that a text needs is the error.
/// Every value keeps the offset of its first byte in the text. Bytes that are not UTF-8 become U+FFFD. Of equal keys the last
/// counts, an escaped lone surrogate becomes U+FFFD; both leave a note.
public struct JSONParser: Sendable {
    private let limits: ReadingLimits
    /// What was odd in the texts read so far.
    private(set) var oddities: [JSONOddity.Found] = []

    public var notes: [ParseNote] { oddities.map(\.note) }

    public init(limits: ReadingLimits = .standard) {
        self.limits = limits
    }

    /// Reads a text that is one value with nothing but white space around it.
    public mutating func parse(_ bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) -> JSONValue {
        try strictly(bytes) { (scanner) throws(JSONSyntaxError) in
            try scanner.onlyValue()
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
        try strictly(bytes) { (scanner) throws(JSONSyntaxError) in
            (try scanner.firstValue(), scanner.position)
        }
    }

    private mutating func strictly<T>(
        _ bytes: ArraySlice<UInt8>, _ body: (inout JSONScanner) throws(JSONSyntaxError) -> T
    ) throws(JSONSyntaxError) -> T {
        let room = limits.maximumNotes - oddities.count
        var found: [JSONOddity.Found] = []
        let result = bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(bytes: buffer, limits: limits, maximumOddities: room, repairs: false)
            let result = Result { () throws(JSONSyntaxError) in try body(&scanner) }
            found = scanner.oddities()
            return result
        }
        oddities += found
        return try result.get()
    }

    /// Reads a text with repairs: all its values, one after another, and what was mended.
    static func parseRepairing(_ bytes: ArraySlice<UInt8>, limits: ReadingLimits) -> RepairedJSON {
        bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(
                bytes: buffer, limits: limits, maximumOddities: limits.maximumNotes, repairs: true)
            let values = Result { () throws(JSONSyntaxError) in try scanner.values() }
            return RepairedJSON(
                values: values, fault: scanner.fault, repairs: scanner.found.sorted { $0.offset < $1.offset },
                oddities: scanner.fault == nil ? scanner.oddities() : [])
        }
    }
}

/// What became of a text that was read with repairs.
struct RepairedJSON {
    /// None where nothing but comments and wrappers stands. An error where the text cannot be mended: then the first fault, or
    /// the limit that the text exceeds.
    let values: Result<[JSONValue], JSONSyntaxError>
    /// Where the text first leaves RFC 8259; nil for JSON.
    let fault: JSONSyntaxError?
    /// In the order of the text.
    let repairs: [JSONRepair.Found]
    /// What is odd in a text without a fault.
    let oddities: [JSONOddity.Found]
}

extension JSONOddity.Found {
    var note: ParseNote { ParseNote(.json(oddity), message, line: place.line, column: place.column) }
}
