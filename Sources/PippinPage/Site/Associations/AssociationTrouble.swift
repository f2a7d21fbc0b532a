/// Why an association file as a whole says nothing: devices do not use such a file.
public enum AssociationTrouble: Error, Sendable, Hashable {
    /// Bytes, and how many a file may have.
    case tooLarge(bytes: Int, limit: Int)
    case notJSON(JSONSyntaxError)
    /// The place of the first byte that is not UTF-8.
    case notUTF8(line: Int, column: Int)
    /// JSON, but not the array or object that the file must be.
    case wrongShape(String)
    /// A CMS envelope without readable content.
    case badEnvelope(String)
    /// PEM or MIME, where DER is asked for.
    case wrongEnvelopeForm(String)

    public var remark: AssociationRemark {
        switch self {
        case .tooLarge: .tooLarge
        case .notJSON(let error): error.isLimit ? .tooComplex : .notJSON
        case .notUTF8: .notUTF8
        case .wrongShape: .wrongShape
        case .badEnvelope: .badEnvelope
        case .wrongEnvelopeForm: .wrongEnvelopeForm
        }
    }

    public var sentence: String {
        switch self {
        case .tooLarge(let bytes, let limit):
            "The file has \(bytes) bytes; devices refuse one of more than \(limit)."
        case .notJSON(let error): "The file is not valid JSON: \(error.message)."
        case .notUTF8: "The file is not UTF-8."
        case .wrongShape(let seen): seen
        case .badEnvelope(let reason): "The signed file cannot be read: \(reason)."
        case .wrongEnvelopeForm(let form): "The signed file is \(form); devices read DER only (openssl … -outform DER)."
        }
    }

    public var place: TextPlace? {
        switch self {
        case .notJSON(let error): TextPlace(line: error.line, column: error.column)
        case .notUTF8(let line, let column): TextPlace(line: line, column: column)
        default: nil
        }
    }

    var note: ParseNote { ParseNote(remark, sentence, at: place) }
}

/// The text of an association file: strict JSON in UTF-8.
enum AssociationText {
    static func json(
        _ bytes: ArraySlice<UInt8>, limits: ReadingLimits, notes: inout AssociationNotes
    ) -> Result<JSONValue, AssociationTrouble> {
        var text = Array(bytes)
        if text.starts(with: [0xEF, 0xBB, 0xBF]) {
            notes.add(
                .byteOrderMark, "The file begins with a byte order mark, which JSON does not have.",
                at: TextPlace(line: 1, column: 1))
            text.removeFirst(3)
        }
        notes.lines = SourceLines(text)
        if let offset = invalidUTF8(text) {
            let place = notes.place(at: offset)
            return .failure(.notUTF8(line: place.line, column: place.column))
        }
        var parser = JSONParser(limits: limits)
        do throws(JSONSyntaxError) {
            let value = try parser.parse(text)
            for odd in parser.oddities { notes.add(AssociationRemark(odd.oddity), odd.message, at: odd.place) }
            return .success(value)
        } catch {
            guard text.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else { return .failure(.notJSON(error)) }
            return .failure(
                .notJSON(
                    JSONSyntaxError(
                        message: error.message + "; it looks like an HTML page", offset: error.offset, line: error.line,
                        column: error.column, isLimit: false)))
        }
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
}
