/// The text of one JSON-LD script, read as JSON and mended where it is not.
///
/// In this order: as JSON, else mended (`JSONRepair`), else mended after its character references are decoded, else left
/// out. Every step but the first leaves notes.
struct JSONLDScript {
    private let place: (line: Int, column: Int)
    private let limits: ReadingLimits
    private var notes: [ParseNote] = []

    private init(startingAt place: (line: Int, column: Int), limits: ReadingLimits) {
        self.place = place
        self.limits = limits
    }

    /// - Parameter place: where the start tag ends; the text begins one column further right.
    static func read(
        _ text: ArraySlice<UInt8>, startingAt place: (line: Int, column: Int), limits: ReadingLimits
    ) -> (values: [JSONValue], notes: [ParseNote]) {
        var script = JSONLDScript(startingAt: place, limits: limits)
        let values = script.values(of: text)
        return (values, script.notes)
    }

    private mutating func values(of text: ArraySlice<UInt8>) -> [JSONValue] {
        var parser = JSONParser(limits: limits)
        let failure: JSONSyntaxError
        do throws(JSONSyntaxError) {
            let value = try parser.parse(text)
            add(parser.notes)
            return kept([value])
        } catch {
            failure = error
        }
        if text.trimmingHTMLSpace().isEmpty {
            add([ParseNote("json-ld-empty", "A JSON-LD script is empty.", line: 1, column: 1)])
            return []
        }
        let invalid = ParseNote(
            "json-ld-invalid", "A JSON-LD script is not JSON: \(failure.message).", line: failure.line,
            column: failure.column)
        if !failure.isLimit {
            let mended = JSONRepair.parse(text, limits: limits)
            if case .success(let values) = mended.result {
                add([invalid] + mended.notes)
                return kept(values)
            }
            if let decoded = CharacterReferences.decoded(text) {
                let mended = JSONRepair.parse(decoded[...], limits: limits)
                if case .success(let values) = mended.result {
                    let note = ParseNote(
                        "json-html-entities", "The JSON is written with HTML character references.", line: 1, column: 1)
                    add([invalid, note] + mended.notes)
                    return kept(values)
                }
            }
        }
        let rejected = ParseNote(
            failure.isLimit ? "json-ld-too-large" : "json-ld-rejected",
            "A JSON-LD script could not be read: \(failure.message).", line: failure.line, column: failure.column)
        add([rejected])
        return []
    }

    /// Only objects and arrays say something; a string may hold JSON once more.
    private mutating func kept(_ values: [JSONValue]) -> [JSONValue] {
        values.compactMap { value in
            switch value {
            case .object, .array: return value
            case .string(let text):
                let mended = JSONRepair.parse(Array(text.utf8)[...], limits: limits)
                if case .success(let inner) = mended.result, let value = inner.first, inner.count == 1,
                    value.object != nil || value.array != nil
                {
                    let note = ParseNote(
                        "json-in-string", "The JSON stands in a JSON string once more.", line: 1, column: 1)
                    add([note])
                    return value
                }
                fallthrough
            default:
                let note = ParseNote(
                    "json-ld-without-object", "A JSON-LD script is neither an object nor an array.", line: 1, column: 1)
                add([note])
                return nil
            }
        }
    }

    /// Notes on a script's text, moved to where they are in the page.
    private mutating func add(_ found: [ParseNote]) {
        for note in found {
            let line = note.line ?? 1
            let column = line == 1 ? place.column + (note.column ?? 1) : note.column
            notes.append(ParseNote(note.code, note.message, line: place.line + line - 1, column: column))
        }
    }
}

/// The few HTML character references that JSON is escaped with by mistake.
enum CharacterReferences {
    /// Nil when there is none to decode.
    static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var found = false
        var i = text.startIndex
        while i < text.endIndex {
            if text[i] == UInt8(ascii: "&"), let (scalar, end) = reference(in: text, at: i) {
                if !found {
                    result = Array(text[text.startIndex..<i])
                    found = true
                }
                result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                i = end
            } else {
                if found { result.append(text[i]) }
                i += 1
            }
        }
        return found ? result : nil
    }

    private static func reference(in text: ArraySlice<UInt8>, at start: Int) -> (Unicode.Scalar, end: Int)? {
        // The longest reference looked for is `&#x10FFFF;`.
        guard let semicolon = text[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: text[start + 1..<semicolon], as: UTF8.self)
        let scalar: Unicode.Scalar?
        switch name {
        case "quot": scalar = "\""
        case "apos": scalar = "'"
        case "amp": scalar = "&"
        case "lt": scalar = "<"
        case "gt": scalar = ">"
        case "nbsp": scalar = "\u{A0}"
        default:
            if name.hasPrefix("#x") || name.hasPrefix("#X") {
                scalar = UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
            } else if name.hasPrefix("#") {
                scalar = UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
            } else {
                scalar = nil
            }
        }
        return scalar.map { ($0, semicolon + 1) }
    }
}
