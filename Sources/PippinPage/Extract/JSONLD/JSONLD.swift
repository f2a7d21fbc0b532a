/// The JSON-LD scripts of a page.
///
/// Each script is read on its own, so that a broken one spoils nothing: as JSON, else mended (`JSONRepair`), else mended
/// after its character references are decoded, else left out. Every step but the first leaves notes.
public struct JSONLD: Sendable {
    /// One value a script as it was written; several where a script holds several without an array around them.
    public private(set) var documents: [JSONValue] = []
    /// The nodes of all scripts, joined by `@id`.
    public private(set) var structuredData = StructuredData()
    public private(set) var notes: [ParseNote] = []
    private let baseURL: String
    private let limits: ReadingLimits

    /// Reads all scripts of the type `application/ld+json`, wherever they stand.
    ///
    /// - Parameter baseURL: what relative identifiers start from.
    public init(_ document: HTMLDocument, baseURL: WebURL, limits: ReadingLimits = .standard) {
        self.init(document, baseURL: baseURL, limits: limits, expandsAll: false)
    }

    /// - Parameter expandsAll: expands plain documents too, whose items then must be those of the fast lane.
    init(_ document: HTMLDocument, baseURL: WebURL, limits: ReadingLimits = .standard, expandsAll: Bool) {
        self.baseURL = baseURL.href
        self.limits = limits
        var reader: JSONLDReader?
        for element in document.elements(named: .script) where Self.isJSONLD(document.bytes(of: .type, on: element)) {
            let script = document.elements[element]
            let place = (line: Int(script.line), column: Int(script.column))
            let text = document.textBytes(of: element)
            for value in read(text, startingAt: place, limits: limits) {
                documents.append(value)
                var current =
                    reader ?? JSONLDReader(baseURL: baseURL.href, limits: limits, expandsAll: expandsAll)
                reader = nil
                current.read(value, JSONLDScriptText(text: text, place: place))
                reader = current
            }
        }
        if var reader {
            structuredData = reader.finish()
            notes += reader.notes
        }
    }

    /// The statements of all scripts (Deserialize JSON-LD to RDF). Each script is a document of its own; one that is no
    /// JSON-LD says nothing.
    public var dataset: RDFDataset {
        var conversion = JSONLDToRDF()
        for document in documents {
            let processor = JSONLDProcessor(baseURL: baseURL, lenientWithin: limits)
            do throws(JSONLDError) {
                try conversion.add(processor.expandedScript(document))
            } catch {
                // What is wrong with it is among the notes.
                continue
            }
        }
        return conversion.dataset
    }

    /// The dataset as N-Quads in UTF-8.
    public var nquads: [UInt8] { dataset.nquads }

    /// What `extract` prints: one parsed document a script.
    public var json: JSONValue { .array(documents) }

    /// The essence of the media type decides; parameters (`charset`, `profile`) do not matter.
    static func isJSONLD(_ type: ArraySlice<UInt8>?) -> Bool {
        guard let type, type.count >= 19 else { return false }
        let essence = type.prefix { $0 != UInt8(ascii: ";") }
        return essence.trimmingHTMLSpace().equalsIgnoringCase("application/ld+json")
    }

    // MARK: One script

    private mutating func read(
        _ text: ArraySlice<UInt8>, startingAt place: (line: Int, column: Int), limits: ReadingLimits
    ) -> [JSONValue] {
        var parser = JSONParser(limits: limits)
        let failure: JSONSyntaxError
        do throws(JSONSyntaxError) {
            let value = try parser.parse(text)
            add(parser.notes, startingAt: place)
            return kept([value], startingAt: place, limits: limits)
        } catch {
            failure = error
        }
        if text.trimmingHTMLSpace().isEmpty {
            add([ParseNote("json-ld-empty", "A JSON-LD script is empty.", line: 1, column: 1)], startingAt: place)
            return []
        }
        let invalid = ParseNote(
            "json-ld-invalid", "A JSON-LD script is not JSON: \(failure.message).", line: failure.line,
            column: failure.column)
        if !failure.isLimit {
            let mended = JSONRepair.parse(text, limits: limits)
            if case .success(let values) = mended.result {
                add([invalid] + mended.notes, startingAt: place)
                return kept(values, startingAt: place, limits: limits)
            }
            if let decoded = CharacterReferences.decoded(text) {
                let mended = JSONRepair.parse(decoded[...], limits: limits)
                if case .success(let values) = mended.result {
                    let note = ParseNote(
                        "json-html-entities", "The JSON is written with HTML character references.", line: 1, column: 1)
                    add([invalid, note] + mended.notes, startingAt: place)
                    return kept(values, startingAt: place, limits: limits)
                }
            }
        }
        let rejected = ParseNote(
            failure.isLimit ? "json-ld-too-large" : "json-ld-rejected",
            "A JSON-LD script could not be read: \(failure.message).", line: failure.line, column: failure.column)
        add([rejected], startingAt: place)
        return []
    }

    /// Only objects and arrays say something; a string may hold JSON once more.
    private mutating func kept(
        _ values: [JSONValue], startingAt place: (line: Int, column: Int), limits: ReadingLimits
    ) -> [JSONValue] {
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
                    add([note], startingAt: place)
                    return value
                }
                fallthrough
            default:
                let note = ParseNote(
                    "json-ld-without-object", "A JSON-LD script is neither an object nor an array.", line: 1, column: 1)
                add([note], startingAt: place)
                return nil
            }
        }
    }

    /// Notes on a script's text, moved to where they are in the page.
    private mutating func add(_ found: [ParseNote], startingAt place: (line: Int, column: Int)) {
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
