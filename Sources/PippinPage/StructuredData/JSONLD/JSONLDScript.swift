/// The text of one JSON-LD script, read as JSON.
///
/// The attempts are, in order: plain JSON, JSON with repairs (`JSONRepair`), and the same again after decoding character
/// references. A script that fails all of them is left out. Every attempt but plain JSON leaves notes.
struct JSONLDScript {
    private let text: ArraySlice<UInt8>
    private let element: SourcePlace
    private let start: SourcePlace
    private let source: (page: SourceLines, offset: Int)?
    private let limits: ReadingLimits
    private var lines = LineCounter()
    private var notes: BoundedNotes
    private var hasNotedTemplate = false

    private init(_ element: HTMLDocument.Index, of document: HTMLDocument, limits: ReadingLimits) {
        text = document.textBytes(of: element)
        self.element = document.place(of: element)
        start = document.tagEnd(of: element)
        // Nearly always the text is the page's own, so that places in it are places of the page.
        let offset = start.byteOffset + 1
        let page = document.sourceText
        source =
            offset + text.count <= page.text.count && page.text[offset..<offset + text.count].elementsEqual(text)
            ? (page, offset) : nil
        self.limits = limits
        notes = BoundedNotes(maximum: limits.maximumNotes)
    }

    /// Reads the text of a `script` element.
    static func read(
        _ element: HTMLDocument.Index, of document: HTMLDocument, limits: ReadingLimits
    ) -> (documents: [Document], notes: [ParseNote]) {
        var script = JSONLDScript(element, of: document, limits: limits)
        let documents = script.documents()
        return (documents, script.notes.finished())
    }

    /// A value of a script and the text that it was read from.
    typealias Document = (value: JSONValue, text: JSONLDScriptText)

    private mutating func documents() -> [Document] {
        let reading = JSONParser.parseRepairing(text, limits: limits)
        switch reading.values {
        case .success(let values):
            guard let fault = reading.fault else {
                notes.add(
                    reading.oddities.map { odd in
                        let place = inPage(line: odd.line, column: odd.column)
                        return odd.placed(line: place.line, column: place.column)
                    })
                noteTemplates()
                return kept(values, .asWritten)
            }
            if isBlank { return noteEmpty() }
            noteInvalid(fault)
            note(reading.repairs)
            if values.isEmpty { note(.jsonLD(.empty), "A JSON-LD script holds no value.", at: firstOffset) }
            return kept(values, .asWritten)
        case .failure(let failure):
            if isBlank { return noteEmpty() }
            if failure.isLimit { return reject(failure) }
            if let decoded = CharacterReferences.decoded(text) {
                let again = JSONParser.parseRepairing(decoded.bytes[...], limits: limits)
                if case .success(let values) = again.values, !values.isEmpty {
                    noteInvalid(failure)
                    note(
                        .jsonLD(.htmlEntities), "The JSON is written with HTML character references.",
                        at: decoded.firstOffset)
                    note(again.repairs.map { .init(repair: $0.repair, offset: decoded.writtenOffset(of: $0.offset)) })
                    return kept(values, .decoded(decoded))
                }
            }
            note(reading.repairs.filter { $0.repair == .unescapedQuote })
            return reject(failure)
        }
    }

    private var isBlank: Bool { firstOffset == text.count }

    private mutating func noteEmpty() -> [Document] {
        note(.jsonLD(.empty), "A JSON-LD script is empty.", at: 0)
        return []
    }

    /// Keeps objects and arrays. A string may itself contain JSON, which is parsed.
    private mutating func kept(_ values: [JSONValue], _ reading: JSONLDScriptText.Reading) -> [Document] {
        var says = true
        let kept = values.compactMap { value -> Document? in
            if value.object != nil || value.array != nil {
                return (value, scriptText(reading))
            }
            if let inner = value.string.flatMap({ inString($0) }) {
                return (inner, scriptText(.inString))
            }
            says = false
            return nil
        }
        if !says {
            note(.jsonLD(.withoutObject), "A JSON-LD script is neither an object nor an array.", at: firstOffset)
        }
        return kept
    }

    private func scriptText(_ reading: JSONLDScriptText.Reading) -> JSONLDScriptText {
        JSONLDScriptText(text: text, element: element, start: start, source: source, reading: reading)
    }

    private mutating func inString(_ text: String) -> JSONValue? {
        let reading = JSONParser.parseRepairing(Array(text.utf8)[...], limits: limits)
        guard case .success(let inner) = reading.values, inner.count == 1, let value = inner.first,
            value.object != nil || value.array != nil
        else { return nil }
        note(.jsonLD(.inString), "The JSON stands in a JSON string once more.", at: firstOffset)
        // Escapes in the string make exact places unknown, so the repairs are noted at its start.
        note(reading.repairs.map { .init(repair: $0.repair, offset: firstOffset) })
        return value
    }

    private mutating func reject(_ error: JSONSyntaxError) -> [Document] {
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

    /// Notes placeholders in strings, which leave the JSON valid.
    private mutating func noteTemplates() {
        if hasNotedTemplate { return }
        let offset = text.withUnsafeBufferPointer { JSONScanner.firstPlaceholder(in: $0) }
        if let offset { note(.jsonRepair(.template), JSONRepair.template.message, at: offset) }
    }

    /// The number of white space bytes at the start.
    private var firstOffset: Int { text.prefix { $0 <= 0x20 }.count }

    private mutating func note(_ code: ParseNote.Code, _ message: String, at offset: Int) {
        let place = text.withUnsafeBufferPointer { lines.place(of: offset, in: $0) }
        note(code, message, line: place.line, column: place.column)
    }

    /// Adds a note.
    ///
    /// - Parameters:
    ///   - line: the line in the script's text.
    ///   - column: the column there.
    private mutating func note(_ code: ParseNote.Code, _ message: String, line: Int?, column: Int?) {
        if code == .jsonRepair(.template) { hasNotedTemplate = true }
        let place = inPage(line: line, column: column)
        notes.add(code, message, line: place.line, column: place.column)
    }

    /// The place in the page of a place in the script's text.
    private func inPage(line: Int?, column: Int?) -> (line: Int, column: Int?) {
        let line = line ?? 1
        let start = start.lineAndColumn
        return (start.line + line - 1, line == 1 ? start.column + (column ?? 1) : column)
    }
}
