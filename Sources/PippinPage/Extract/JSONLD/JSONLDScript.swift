/// The text of one JSON-LD script, read as JSON and mended where it is not.
///
/// In this order: as JSON, else mended (`JSONRepair`), else mended after its character references are decoded, else left
/// out. Every step but the first leaves notes.
struct JSONLDScript {
    private let text: ArraySlice<UInt8>
    private let start: (line: Int, column: Int)
    private let limits: ReadingLimits
    private var lines = LineCounter()
    private var notes: [ParseNote] = []

    private init(_ text: ArraySlice<UInt8>, startingAt start: (line: Int, column: Int), limits: ReadingLimits) {
        self.text = text
        self.start = start
        self.limits = limits
    }

    /// - Parameter start: where the start tag ends; the text begins one column further right.
    static func read(
        _ text: ArraySlice<UInt8>, startingAt start: (line: Int, column: Int), limits: ReadingLimits
    ) -> (values: [JSONValue], notes: [ParseNote]) {
        var script = JSONLDScript(text, startingAt: start, limits: limits)
        let values = script.values()
        return (values, script.notes)
    }

    private mutating func values() -> [JSONValue] {
        var parser = JSONParser(limits: limits)
        let failure: JSONSyntaxError
        do throws(JSONSyntaxError) {
            let value = try parser.parse(text)
            for found in parser.notes { note(found.code, found.message, line: found.line, column: found.column) }
            noteTemplates()
            return kept([value])
        } catch {
            failure = error
        }
        if firstOffset == text.count {
            note(.jsonLD(.empty), "A JSON-LD script is empty.", at: 0)
            return []
        }
        if failure.isLimit { return reject(failure) }
        let mended = JSONRepair.parse(text, limits: limits)
        if case .success(let values) = mended.result {
            noteInvalid(failure)
            note(mended.found)
            if values.isEmpty { note(.jsonLD(.empty), "A JSON-LD script holds no value.", at: firstOffset) }
            return kept(values)
        }
        if case .failure(let error) = mended.result, error.isLimit { return reject(error) }
        if let decoded = CharacterReferences.decoded(text) {
            let mended = JSONRepair.parse(decoded.bytes[...], limits: limits)
            if case .success(let values) = mended.result, !values.isEmpty {
                noteInvalid(failure)
                note(
                    .jsonLD(.htmlEntities), "The JSON is written with HTML character references.",
                    at: decoded.firstOffset)
                note(mended.found.map { .init(repair: $0.repair, offset: decoded.writtenOffset(of: $0.offset)) })
                return kept(values)
            }
        }
        note(mended.found.filter { $0.repair == .unescapedQuote })
        return reject(failure)
    }

    /// Only objects and arrays say something; a string may hold JSON once more.
    private mutating func kept(_ values: [JSONValue]) -> [JSONValue] {
        var says = true
        let kept = values.compactMap { value -> JSONValue? in
            if case .object = value { return value }
            if case .array = value { return value }
            if let inner = value.string.flatMap({ inString($0) }) { return inner }
            says = false
            return nil
        }
        if !says {
            note(.jsonLD(.withoutObject), "A JSON-LD script is neither an object nor an array.", at: firstOffset)
        }
        return kept
    }

    private mutating func inString(_ text: String) -> JSONValue? {
        let mended = JSONRepair.parse(Array(text.utf8)[...], limits: limits)
        guard case .success(let inner) = mended.result, inner.count == 1, let value = inner.first,
            value.object != nil || value.array != nil
        else { return nil }
        note(.jsonLD(.inString), "The JSON stands in a JSON string once more.", at: firstOffset)
        // Escapes hide where in the string it was.
        note(mended.found.map { .init(repair: $0.repair, offset: firstOffset) })
        return value
    }

    private mutating func reject(_ error: JSONSyntaxError) -> [JSONValue] {
        note(
            error.isLimit ? .jsonLD(.tooLarge) : .jsonLD(.rejected),
            "A JSON-LD script could not be read: \(error.message).", line: error.line, column: error.column)
        return []
    }

    // MARK: Notes

    private mutating func noteInvalid(_ error: JSONSyntaxError) {
        note(
            .jsonLD(.invalid), "A JSON-LD script is not JSON: \(error.message).", line: error.line,
            column: error.column)
    }

    private mutating func note(_ found: [JSONRepair.Found]) {
        for found in found { note(.jsonRepair(found.repair), found.repair.message, at: found.offset) }
        noteTemplates()
    }

    /// A placeholder in a string leaves the JSON whole, and still says nothing.
    private mutating func noteTemplates() {
        if notes.contains(where: { $0.code == .jsonRepair(.template) }) { return }
        let offset = text.withUnsafeBufferPointer { JSONRepair.firstPlaceholder(in: $0) }
        if let offset { note(.jsonRepair(.template), JSONRepair.Repair.template.message, at: offset) }
    }

    /// Bytes of white space before the first other one.
    private var firstOffset: Int { text.prefix { $0 <= 0x20 }.count }

    private mutating func note(_ code: ParseNote.Code, _ message: String, at offset: Int) {
        let place = text.withUnsafeBufferPointer { lines.place(of: offset, in: $0) }
        note(code, message, line: place.line, column: place.column)
    }

    /// Places in the script's text are moved to where they are in the page.
    private mutating func note(_ code: ParseNote.Code, _ message: String, line: Int?, column: Int?) {
        guard notes.count < limits.maximumNotes else { return }
        let line = line ?? 1
        let column = line == 1 ? start.column + (column ?? 1) : column
        notes.append(ParseNote(code, message, line: start.line + line - 1, column: column))
    }
}
