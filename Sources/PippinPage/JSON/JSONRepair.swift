/// Reads JSON as people really publish it: comments, trailing commas, single quotes, a missing end …
///
/// Every kind of repair leaves one note, at the first place where it was needed. What would be guesswork is not repaired:
/// a quote inside a string that is not escaped ends the reading with an error.
public struct JSONRepair {
    let bytes: UnsafeBufferPointer<UInt8>
    private let maximumDepth: Int
    private let maximumValues: Int
    private let interruption: Interruption?
    var position = 0
    /// One past the string read last.
    var stringEnd = -1
    private var valueCount = 0
    private var found: [Found] = []
    private var used: Set<Repair> = []
    private var lines = LineCounter()
    private(set) var isTruncated = false

    private init(bytes: UnsafeBufferPointer<UInt8>, limits: ReadingLimits) {
        self.bytes = bytes
        maximumDepth = min(limits.maximumJSONDepth, 512)
        maximumValues = limits.maximumJSONValues
        interruption = limits.interruption
    }

    /// All values of the text, one after the other, and what was mended, in the order of the text. No value where
    /// nothing but comments and wrappers stands.
    static func parse(
        _ text: ArraySlice<UInt8>, limits: ReadingLimits
    ) -> (result: Result<[JSONValue], JSONSyntaxError>, found: [Found]) {
        text.withUnsafeBufferPointer { buffer in
            var repair = JSONRepair(bytes: buffer, limits: limits)
            let result: Result<[JSONValue], JSONSyntaxError>
            do throws(JSONSyntaxError) {
                result = .success(try repair.values())
            } catch {
                result = .failure(error)
            }
            return (result, repair.found.sorted { $0.offset < $1.offset })
        }
    }

    private mutating func values() throws(JSONSyntaxError) -> [JSONValue] {
        var values: [JSONValue] = []
        skipByteOrderMark()
        while true {
            try skip()
            if isAtEnd { break }
            if current == UInt8(ascii: ";") {
                note(.semicolon)
                position += 1
            } else if current == UInt8(ascii: ","), !values.isEmpty {
                position += 1
            } else if !values.isEmpty, current != UInt8(ascii: "{"), current != UInt8(ascii: "[") {
                // A scalar behind a value is what is left of something else.
                note(.surplusText)
                break
            } else {
                let start = position
                do throws(JSONSyntaxError) {
                    guard let value = try value(depth: 0) else { throw expected("a value") }
                    if !values.isEmpty { note(.concatenated, at: start) }
                    values.append(value)
                } catch {
                    if values.isEmpty || error.isLimit { throw error }
                    note(.surplusText, at: start)
                    break
                }
            }
        }
        return values
    }

    // MARK: Values

    /// Nil when the text ends before the value does and nothing of it can be kept.
    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue? {
        try skip()
        if isAtEnd {
            truncate()
            return nil
        }
        valueCount += 1
        if valueCount > maximumValues { throw error("more than \(maximumValues) values", isLimit: true) }
        if valueCount & 63 == 0, interruption?.isSet == true {
            throw error("the reading was interrupted", isLimit: true)
        }
        if depth >= maximumDepth { throw error("values nested deeper than \(maximumDepth)", isLimit: true) }
        if takePlaceholder() { return .null }
        switch current {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try number(isInside: depth > 0)
        default:
            if startsString { return try string().map { .string($0) } }
            return try literal(from: position, isInside: depth > 0)
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONObject {
        var object = JSONObject()
        try elements(until: UInt8(ascii: "}")) { (repair) throws(JSONSyntaxError) in
            let start = repair.position
            guard let key = try repair.key() else { return }
            try repair.skip()
            if repair.isAtEnd { return repair.truncate() }
            guard repair.current == UInt8(ascii: ":") else { throw repair.expected("':'") }
            repair.position += 1
            try repair.skip()
            let value: JSONValue?
            if repair.current == UInt8(ascii: ",") || repair.current == UInt8(ascii: "}") {
                repair.note(.missingValue)
                value = .null
            } else {
                value = try repair.value(depth: depth)
            }
            if let value, !object.set(key, value) { repair.note(.duplicateKey, at: start) }
        }
        return object
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> [JSONValue] {
        var elements: [JSONValue] = []
        try self.elements(until: UInt8(ascii: "]")) { (repair) throws(JSONSyntaxError) in
            if let value = try repair.value(depth: depth) { elements.append(value) }
        }
        return elements
    }

    /// What stands between an opening brace or bracket and its closing one, or the end of a text that is cut off.
    private mutating func elements(
        until close: UInt8, _ element: (inout JSONRepair) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        position += 1
        var commaExpected = false
        var comma: Int?
        while !isTruncated {
            let end = position
            try skip()
            if isAtEnd { return truncate() }
            switch current {
            case close:
                if let comma { note(.trailingComma, at: comma) }
                position += 1
                return
            case UInt8(ascii: ","), UInt8(ascii: ";"):
                if current == UInt8(ascii: ";") { note(.semicolon) }
                if !commaExpected { note(.surplusComma) }
                commaExpected = false
                comma = position
                position += 1
            default:
                // What a template left between members belongs to none of them.
                if close == UInt8(ascii: "}"), takePlaceholder() { continue }
                if commaExpected { try missComma(before: close, behind: end) }
                try element(&self)
                commaExpected = true
                comma = nil
            }
        }
    }

    /// A comma was forgotten where the next value or key plainly begins. Two strings without space between are one
    /// string with quotes in it: `"6"" wide"`, `"the ""best"" one"`.
    private mutating func missComma(before close: UInt8, behind end: Int) throws(JSONSyntaxError) {
        let isArray = close == UInt8(ascii: "]")
        let begins = startsString ? position > end || stringEnd != end : isArray && (current == 0x7B || current == 0x5B)
        guard begins || startsPlaceholder else {
            if stringEnd == end { note(.unescapedQuote, at: end - 1) }
            throw expected(isArray ? "',' or ']'" : "',' or '}'")
        }
        note(.missingComma)
    }

    // MARK: Places

    /// NUL stands for the end too.
    var current: UInt8 { byte(0) }
    var isAtEnd: Bool { position >= bytes.count }

    func byte(_ ahead: Int) -> UInt8 {
        position + ahead < bytes.count ? bytes[position + ahead] : 0
    }

    mutating func truncate() {
        guard !isTruncated else { return }
        isTruncated = true
        note(.truncated)
    }

    mutating func note(_ repair: Repair, at offset: Int? = nil) {
        guard used.insert(repair).inserted else { return }
        found.append(Found(repair: repair, offset: offset ?? position))
    }

    mutating func expected(_ what: String) -> JSONSyntaxError {
        guard !isAtEnd else { return error("expected \(what), found the end of the text", isLimit: false) }
        var end = position + 1
        while end < bytes.count && bytes[end] & 0xC0 == 0x80 { end += 1 }
        let found = String(decoding: bytes[position..<end], as: UTF8.self)
        return error("expected \(what), found '\(found)'", isLimit: false)
    }

    private mutating func error(_ message: String, isLimit: Bool) -> JSONSyntaxError {
        let place = lines.place(of: position, in: bytes)
        return JSONSyntaxError(
            message: message, offset: position, line: place.line, column: place.column, isLimit: isLimit)
    }
}
