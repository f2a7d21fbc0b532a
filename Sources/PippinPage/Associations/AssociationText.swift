/// The text of an association file: strict JSON in UTF-8.
///
/// Devices do not repair anything. Repairs are only used to name the cause of a fault.
enum AssociationText {
    static func json(
        _ bytes: ArraySlice<UInt8>, limits: ReadingLimits, notes: inout AssociationNotes
    ) -> Result<JSONValue, AssociationTrouble> {
        var text = Array(bytes)
        if text.starts(with: byteOrderMark) {
            notes.add(
                .byteOrderMark, "The file begins with a byte order mark, which JSON does not have.",
                at: TextPlace(line: 1, column: 1))
            text.removeFirst(byteOrderMark.count)
        }
        notes.lines = SourceLines(text)
        if isUTF16(text) { return .failure(.utf16) }
        if let offset = invalidUTF8(text) {
            let place = notes.place(at: offset)
            return .failure(.notUTF8(line: place.line, column: place.column))
        }
        guard text.contains(where: { $0 > 0x20 }) else { return .failure(.empty) }
        var parser = JSONParser(limits: limits)
        do throws(JSONSyntaxError) {
            let value = try parser.parse(text)
            notes.add(oddities: parser.notes)
            noteForeignCharacters(in: value, notes: &notes)
            return .success(value)
        } catch {
            guard !error.isLimit, let cause = cause(of: error, in: text, limits) else {
                return .failure(.notJSON(error))
            }
            return .failure(
                .notJSON(
                    JSONSyntaxError(
                        message: "\(cause) (\(error.message))", offset: error.offset, line: error.line,
                        column: error.column, isLimit: false)))
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// By its byte order mark, or by the zero beside its first bracket.
    private static func isUTF16(_ text: [UInt8]) -> Bool {
        guard text.count >= 2 else { return false }
        let brackets: [UInt8] = [UInt8(ascii: "{"), UInt8(ascii: "[")]
        return text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF])
            || text[0] == 0 && brackets.contains(text[1]) || text[1] == 0 && brackets.contains(text[0])
    }

    /// Bytes before the first that is not UTF-8.
    private static func invalidUTF8(_ text: [UInt8]) -> Int? {
        text.withUnsafeBufferPointer { bytes in
            var start = 0
            var longer = 0
            // NUL is UTF-8; that JSON does not have it is the parser's to say.
            while true {
                let fault = UTF8Scan.faultOffset(in: bytes, from: start, multibyte: &longer)
                if fault >= bytes.count { return nil }
                if bytes[fault] != 0 { return fault }
                start = fault + 1
            }
        }
    }

    // MARK: Values

    /// Notes each key and string with a character that nobody meant. Comments may have any.
    private static func noteForeignCharacters(in root: JSONValue, notes: inout AssociationNotes) {
        // A worklist, since files may be deep. The order of notes is that of their places.
        var pending = [root]
        func note(_ text: String, _ what: String, at offset: Int) {
            guard let found = ForeignCharacter(in: text) else { return }
            notes.add(
                .foreignCharacter,
                "\(what) \(text.quotedBriefly) has \(found.name), and so is not what it seems to be: delete it.",
                at: notes.place(at: offset))
        }
        while let value = pending.popLast() {
            switch value.content {
            case .object(let members):
                for member in members where !member.key.hasPrefix("comment") {
                    note(member.key, "The key", at: member.keyOffset)
                    pending.append(member.value)
                }
            case .array(let elements): pending += elements
            case .string(let text): note(text, "The value", at: value.offset)
            case .null, .bool, .number: break
            }
        }
    }

    // MARK: Faults

    /// What is there at a fault of JSON, and what to do; nil where nothing more is known than the fault.
    private static func cause(of fault: JSONSyntaxError, in text: [UInt8], _ limits: ReadingLimits) -> String? {
        if text.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") { return "it looks like an HTML page" }
        if let foreign = foreignCharacter(at: fault.offset, in: text) {
            return foreign.kind == .invisible
                ? "there is \(foreign.name): delete it"
                : "there is \(foreign.name): JSON has straight ones, \""
        }
        let repairs = JSONParser.parseRepairing(text[...], limits: limits).repairs
        return repairs.first.flatMap { cause($0.repair) }
    }

    /// At the fault, or a curly quotation mark before it in its line, by which a string goes on too long.
    private static func foreignCharacter(at offset: Int, in text: [UInt8]) -> ForeignCharacter? {
        let behind = String(decoding: text[min(offset, text.count)...].prefix(4), as: UTF8.self)
        if let scalar = behind.unicodeScalars.first, scalar.value >= 0x7F, let found = ForeignCharacter(scalar) {
            return found
        }
        let line = text[..<min(offset, text.count)]
        let start = line.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return String(decoding: line[start...], as: UTF8.self).unicodeScalars.reversed().lazy
            .compactMap { ForeignCharacter($0) }.first { $0.kind == .quotationMark && $0.scalar.value >= 0x201C }
    }

    private static func cause(_ repair: JSONRepair) -> String? {
        switch repair {
        case .byteOrderMark, .foreignSpace: "there is an invisible character: delete it"
        case .comment: "there is a comment, which JSON does not have: delete it"
        case .htmlComment, .cdata: "there is markup of HTML or XML around the JSON: delete it"
        case .trailingComma: "there is a comma before this, after the last value: delete the comma"
        case .surplusComma: "there is a comma that separates nothing: delete it"
        case .missingComma: "a comma is missing before this"
        case .missingValue: "the key before this has no value"
        case .semicolon: "there is a semicolon, which JSON does not have"
        case .singleQuotes: "there are single quotation marks: JSON has double ones, \""
        case .smartQuotes: "there are curly quotation marks: JSON has straight ones, \""
        case .unescapedQuote: "there is a quotation mark in a string: write it \\\""
        case .unquotedKey: "there is a key without quotation marks: write it in double ones, \""
        case .controlCharacter: "a string goes on over the end of its line: close it with \""
        case .badEscape: "there is a backslash that begins no escape: write it \\\\"
        case .foreignLiteral: "there is a word that JSON does not have: it has true, false and null"
        case .malformedNumber: "there is a number that is not written as JSON has it"
        case .template: "there is a placeholder that nobody filled in"
        case .truncated: "the file ends too early: a bracket, brace or quotation mark is not closed"
        case .concatenated, .surplusText: "there is something behind the JSON's end: delete it"
        case .duplicateKey: nil
        }
    }
}
