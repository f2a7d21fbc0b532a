/// Why an association file as a whole says nothing: devices do not use such a file.
public enum AssociationTrouble: Error, Sendable, Hashable {
    /// Bytes, and how many a file may have.
    case tooLarge(bytes: Int, limit: Int)
    case notJSON(JSONSyntaxError)
    /// The place of the first byte that is not UTF-8.
    case notUTF8(line: Int, column: Int)
    case utf16
    /// Nothing but white space.
    case empty
    /// JSON, but not the array or object that the file must be.
    case wrongShape(String, TextPlace)
    /// A CMS envelope without readable content.
    case badEnvelope(String)
    /// PEM or MIME, where DER is asked for.
    case wrongEnvelopeForm(String)

    public var remark: AssociationRemark {
        switch self {
        case .tooLarge: .tooLarge
        case .notJSON(let error): error.isLimit ? .tooComplex : .notJSON
        case .notUTF8, .utf16: .notUTF8
        case .empty: .notJSON
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
        case .utf16: "The file is UTF-16, which devices do not read: save it as UTF-8."
        case .empty: "The file is empty: devices have no app for the host."
        case .wrongShape(let seen, _): seen
        case .badEnvelope(let reason): "The signed file cannot be read: \(reason)."
        case .wrongEnvelopeForm(let form): "The signed file is \(form); devices read DER only (openssl … -outform DER)."
        }
    }

    public var place: TextPlace? {
        switch self {
        case .notJSON(let error): TextPlace(line: error.line, column: error.column)
        case .notUTF8(let line, let column): TextPlace(line: line, column: column)
        case .wrongShape(_, let place): place
        case .utf16, .empty: TextPlace(line: 1, column: 1)
        case .tooLarge, .badEnvelope, .wrongEnvelopeForm: nil
        }
    }
}
