/// The reason why a text is not JSON, and its place.
public struct JSONSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The expected and the found text: `expected ',' or '}', found '"'`.
    public let message: String
    /// The offset of the fault in bytes.
    public let offset: Int
    /// Line of the fault, 1-based.
    public let line: Int
    /// Column of the fault, 1-based, in Unicode scalars.
    public let column: Int
    /// Whether a limit was reached. In that case the text may be well formed.
    let isLimit: Bool

    public var description: String { "\(message) at line \(line), column \(column)" }
}

/// Reads JSON: strictly by RFC 8259 (`parse`), or with repairs for JSON on real pages (`parseRepairing`).
///
/// Both use the same scanner; `parse` stops at the first place that needs a repair. Every value keeps the offset of its first
/// byte. Invalid UTF-8 becomes U+FFFD. If a key is repeated, the last value counts, and an escaped lone surrogate becomes
/// U+FFFD; both leave a note. Depth and number of values are limited by `ReadingLimits`.
public struct JSONParser: Sendable {
    private let limits: ReadingLimits
    private var oddities: BoundedNotes

    /// Oddities in the texts read so far.
    public var notes: [ParseNote] { oddities.finished() }

    /// Creates a parser.
    ///
    /// - Parameter limits: the limits of depth and number of values.
    public init(limits: ReadingLimits = .standard) {
        self.limits = limits
        oddities = BoundedNotes(maximum: limits.maximumNotes)
    }

    /// Reads a text that is one value, with only white space around it.
    public mutating func parse(_ bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) -> JSONValue {
        try strictly(bytes) { (scanner) throws(JSONSyntaxError) in
            try scanner.onlyValue()
        }
    }

    /// Reads a text that is one value.
    public mutating func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        try parse(bytes[...])
    }

    /// Reads a text that is one value.
    public mutating func parse(_ text: String) throws(JSONSyntaxError) -> JSONValue {
        try parse(Array(text.utf8)[...])
    }

    /// Reads one value from the start of the bytes and returns its length, so that the caller can continue after it.
    mutating func parsePrefix(_ bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) -> (value: JSONValue, count: Int) {
        try strictly(bytes) { (scanner) throws(JSONSyntaxError) in
            (try scanner.firstValue(), scanner.position)
        }
    }

    private mutating func strictly<T>(
        _ bytes: ArraySlice<UInt8>, _ body: (inout JSONScanner) throws(JSONSyntaxError) -> T
    ) throws(JSONSyntaxError) -> T {
        var found: [ParseNote] = []
        let result = bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(bytes: buffer, limits: limits, repairs: false)
            let result = Result { () throws(JSONSyntaxError) in try body(&scanner) }
            found = scanner.oddities()
            return result
        }
        oddities.add(found)
        return try result.get()
    }

    /// Reads all values of a text, with repairs.
    static func parseRepairing(_ bytes: ArraySlice<UInt8>, limits: ReadingLimits) -> RepairedJSON {
        bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(bytes: buffer, limits: limits, repairs: true)
            let values = Result { () throws(JSONSyntaxError) in try scanner.values() }
            return RepairedJSON(
                values: values, fault: scanner.fault, repairs: scanner.found.sorted { $0.offset < $1.offset },
                oddities: scanner.fault == nil ? scanner.oddities() : [])
        }
    }
}

/// The result of reading a text with repairs.
struct RepairedJSON {
    /// The values; empty if the text has only comments and wrappers. If the text cannot be repaired: the first fault, or the
    /// limit that was reached.
    let values: Result<[JSONValue], JSONSyntaxError>
    /// The first deviation from RFC 8259; nil if the text is JSON.
    let fault: JSONSyntaxError?
    /// The repairs in the order of the text.
    let repairs: [JSONRepair.Found]
    /// Notes on the oddities of a text without a fault.
    let oddities: [ParseNote]
}

// MARK: Repairs

extension JSONRepair {
    /// A repair, at the first place where it was needed. Each kind is noted once.
    struct Found {
        let repair: JSONRepair
        /// The offset in bytes.
        let offset: Int
    }
}

extension [JSONRepair.Found] {
    /// The repairs as notes with places in the text.
    func notes(in text: ArraySlice<UInt8>) -> [ParseNote] {
        var lines = LineCounter()
        return map { found in
            let place = text.withUnsafeBufferPointer { lines.place(of: found.offset, in: $0) }
            return ParseNote(.jsonRepair(found.repair), found.repair.message, line: place.line, column: place.column)
        }
    }
}
