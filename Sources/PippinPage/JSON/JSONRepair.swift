/// Reads JSON as people really publish it: comments, trailing commas, single quotes, a missing end …
///
/// Every kind of repair leaves one note, at the first place where it was needed. What would be guesswork is not repaired:
/// a quote inside a string that is not escaped ends the reading with an error.
struct JSONRepair {
    /// What may be mended; the raw value is the note's code.
    enum Repair: String {
        case foreignSpace = "json-foreign-space"
        case comment = "json-comment"
        case htmlComment = "json-html-comment"
        case cdata = "json-cdata-wrapper"
        case surplusComma = "json-surplus-comma"
        case missingComma = "json-missing-comma"
        case semicolon = "json-semicolon"
        case singleQuotes = "json-single-quotes"
        case smartQuotes = "json-smart-quotes"
        case unquotedKey = "json-unquoted-key"
        case controlCharacter = "json-control-character"
        case badEscape = "json-bad-escape"
        case duplicateKey = "json-duplicate-key"
        case foreignLiteral = "json-foreign-literal"
        case malformedNumber = "json-malformed-number"
        case template = "json-template-leftover"
        case truncated = "json-truncated"
        case concatenated = "json-concatenated-values"
        case surplusText = "json-surplus-text"

        var message: String {
            switch self {
            case .foreignSpace: "Invisible characters that JSON does not count as white space were skipped."
            case .comment: "JSON has no comments; they were skipped."
            case .htmlComment: "An HTML comment around or in the JSON was skipped."
            case .cdata: "A CDATA wrapper around the JSON was skipped."
            case .surplusComma: "A comma that separates nothing was skipped."
            case .missingComma: "A comma is missing between two values."
            case .semicolon: "A semicolon stands where JSON has a comma or nothing."
            case .singleQuotes: "A string stands in single quotes."
            case .smartQuotes: "A string stands in typographic quotes."
            case .unquotedKey: "A key stands without quotes."
            case .controlCharacter: "A string holds a line break, tab or other control character as it is."
            case .badEscape: "A string holds an escape that JSON does not have."
            case .duplicateKey: "A key stands more than once in its object; its last value counts."
            case .foreignLiteral: "A literal that JSON does not have was read as its nearest value."
            case .malformedNumber: "A number is not written as JSON has it."
            case .template: "A placeholder of a template was never filled in; it was read as null."
            case .truncated: "The JSON ends early; what is complete was kept."
            case .concatenated: "Several values stand in a row without an array around them."
            case .surplusText: "What follows the value is not JSON and was left out."
            }
        }
    }

    let bytes: UnsafeBufferPointer<UInt8>
    private let maximumDepth: Int
    private let maximumValues: Int
    var position = 0
    private var valueCount = 0
    private(set) var notes: [ParseNote] = []
    private var used: Set<Repair> = []
    private var lines = LineCounter()
    private var isTruncated = false

    private init(bytes: UnsafeBufferPointer<UInt8>, limits: ReadingLimits) {
        self.bytes = bytes
        maximumDepth = min(limits.maximumJSONDepth, 512)
        maximumValues = limits.maximumJSONValues
    }

    /// All values of the text, one after the other, and what was mended.
    static func parse(
        _ text: ArraySlice<UInt8>, limits: ReadingLimits
    ) -> (result: Result<[JSONValue], JSONSyntaxError>, notes: [ParseNote]) {
        text.withUnsafeBufferPointer { buffer in
            var repair = JSONRepair(bytes: buffer, limits: limits)
            do throws(JSONSyntaxError) {
                return (.success(try repair.values()), repair.notes)
            } catch {
                return (.failure(error), repair.notes)
            }
        }
    }

    private mutating func values() throws(JSONSyntaxError) -> [JSONValue] {
        var values: [JSONValue] = []
        while true {
            try skip()
            if isAtEnd { break }
            if current == UInt8(ascii: ";") {
                note(.semicolon)
                position += 1
            } else if current == UInt8(ascii: ","), !values.isEmpty {
                position += 1
            } else {
                let start = position
                do throws(JSONSyntaxError) {
                    guard let value = try value(depth: 0) else { break }
                    if !values.isEmpty { note(.concatenated, at: start) }
                    values.append(value)
                } catch {
                    if values.isEmpty || error.isLimit { throw error }
                    note(.surplusText, at: start)
                    break
                }
            }
        }
        if values.isEmpty { throw expected("a value") }
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
        if depth >= maximumDepth { throw error("values nested deeper than \(maximumDepth)", isLimit: true) }
        switch current {
        case UInt8(ascii: "{"):
            if byte(1) == UInt8(ascii: "{") { return try placeholder() }
            return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try number())
        default:
            if startsString { return try string().map { .string($0) } }
            return try literal()
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONObject {
        var object = JSONObject()
        position += 1
        var commaExpected = false
        var commaSeen = false
        while true {
            try skip()
            if isAtEnd {
                truncate()
                return object
            }
            switch current {
            case UInt8(ascii: "}"):
                if commaSeen { note(.surplusComma) }
                position += 1
                return object
            case UInt8(ascii: ","), UInt8(ascii: ";"):
                if current == UInt8(ascii: ";") { note(.semicolon) }
                if !commaExpected { note(.surplusComma) }
                commaExpected = false
                commaSeen = true
                position += 1
            default:
                if commaExpected {
                    guard startsString else { throw expected("',' or '}'") }
                    note(.missingComma)
                }
                let start = position
                guard let key = try key() else { return object }
                try skip()
                if isAtEnd {
                    truncate()
                    return object
                }
                guard current == UInt8(ascii: ":") else { throw expected("':'") }
                position += 1
                guard let value = try value(depth: depth) else { return object }
                if !object.set(key, value) { note(.duplicateKey, at: start) }
                if isTruncated { return object }
                commaExpected = true
                commaSeen = false
            }
        }
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> [JSONValue] {
        var elements: [JSONValue] = []
        position += 1
        var commaExpected = false
        var commaSeen = false
        while true {
            try skip()
            if isAtEnd {
                truncate()
                return elements
            }
            switch current {
            case UInt8(ascii: "]"):
                if commaSeen { note(.surplusComma) }
                position += 1
                return elements
            case UInt8(ascii: ","), UInt8(ascii: ";"):
                if current == UInt8(ascii: ";") { note(.semicolon) }
                if !commaExpected { note(.surplusComma) }
                commaExpected = false
                commaSeen = true
                position += 1
            default:
                if commaExpected {
                    guard startsString || current == UInt8(ascii: "{") || current == UInt8(ascii: "[") else {
                        throw expected("',' or ']'")
                    }
                    note(.missingComma)
                }
                guard let value = try value(depth: depth) else { return elements }
                elements.append(value)
                if isTruncated { return elements }
                commaExpected = true
                commaSeen = false
            }
        }
    }

    private mutating func placeholder() throws(JSONSyntaxError) -> JSONValue {
        let start = position
        var end = position + 2
        while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "}") || bytes[end + 1] != UInt8(ascii: "}") {
            // A placeholder is a few words; anything else is no placeholder.
            if bytes[end] == 0x0A || end - start > 200 { throw expected("a key or '}'") }
            end += 1
        }
        guard end + 1 < bytes.count else { throw expected("a key or '}'") }
        position = end + 2
        note(.template, at: start)
        return .null
    }

    private mutating func literal() throws(JSONSyntaxError) -> JSONValue {
        let start = position
        var word: [UInt8] = []
        while word.count < 10, current | 0x20 >= UInt8(ascii: "a"), current | 0x20 <= UInt8(ascii: "z") {
            word.append(current)
            position += 1
        }
        let value: JSONValue
        switch String(decoding: word, as: UTF8.self) {
        case "true": return true
        case "false": return false
        case "null": return nil
        case "True", "TRUE": value = true
        case "False", "FALSE": value = false
        case "Null", "NULL", "None", "nil", "undefined", "NaN", "Infinity": value = nil
        default:
            position = start
            throw expected("a value")
        }
        note(.foreignLiteral, at: start)
        return value
    }

    /// Keeps the digits that JSON would have too: `+.50` becomes `0.50`, `007` becomes `7`.
    private mutating func number() throws(JSONSyntaxError) -> String {
        let start = position
        var text = ""
        if current == UInt8(ascii: "-") || current == UInt8(ascii: "+") {
            if current == UInt8(ascii: "-") { text = "-" }
            position += 1
        }
        let whole = digits()
        let significant = whole.drop { $0 == "0" }
        text += significant.isEmpty ? "0" : String(significant)
        var fraction = ""
        if current == UInt8(ascii: ".") {
            position += 1
            fraction = digits()
            if !fraction.isEmpty { text += "." + fraction }
        }
        if whole.isEmpty && fraction.isEmpty {
            position = start
            throw expected("a value")
        }
        if current | 0x20 == UInt8(ascii: "e") {
            position += 1
            var exponent = "e"
            if current == UInt8(ascii: "-") || current == UInt8(ascii: "+") {
                exponent += current == UInt8(ascii: "-") ? "-" : "+"
                position += 1
            }
            let power = digits()
            if power.isEmpty { throw expected("a digit") }
            text += exponent + power
        }
        let written = UnsafeBufferPointer(rebasing: bytes[start..<position])
        if text.utf8.elementsEqual(written) { return text }
        if text.lowercased() != String(decoding: written, as: UTF8.self).lowercased() {
            note(.malformedNumber, at: start)
        }
        return text
    }

    private mutating func digits() -> String {
        let start = position
        while current >= UInt8(ascii: "0") && current <= UInt8(ascii: "9") { position += 1 }
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
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
        let place = lines.place(of: offset ?? position, in: bytes)
        notes.append(ParseNote(repair.rawValue, repair.message, line: place.line, column: place.column))
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
