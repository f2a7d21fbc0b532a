extension AssociationRemark {
    /// An association file is JSON, and its author is told of the oddities in it.
    init(_ oddity: JSONOddity) {
        switch oddity {
        case .duplicateKey: self = .duplicateKey
        case .loneSurrogate: self = .loneSurrogate
        }
    }
}

extension ParseNote {
    init(_ remark: AssociationRemark, _ message: String, at place: TextPlace? = nil) {
        self.init(.association(remark), message, line: place?.line, column: place?.column)
    }

    /// How bad it is; nil for notes of other things than association files.
    public var associationSeverity: AssociationRemark.Severity? { associationRemark?.severity }

    /// Nil for notes of other things than association files.
    public var associationRemark: AssociationRemark? {
        if case .association(let remark) = code { remark } else { nil }
    }
}

/// Notes of one association file, up to a limit, with the gravest first.
struct AssociationNotes {
    private var notes: BoundedNotes
    /// Of the file's text.
    var lines = SourceLines([])

    init(limits: ReadingLimits) {
        notes = BoundedNotes(
            maximum: limits.maximumNotes, leftOut: .association(.notesLeftOut), gravity: \.associationGravity)
    }

    /// - Parameter offset: bytes before the place.
    func place(at offset: Int) -> TextPlace {
        let place = lines.place(at: offset)
        return TextPlace(line: place.line, column: place.column)
    }

    /// The message is built only while there is room for it.
    mutating func add(_ remark: AssociationRemark, _ message: @autoclosure () -> String, at place: TextPlace? = nil) {
        notes.add(.association(remark), message(), line: place?.line, column: place?.column)
    }

    /// Adds what a JSON parser noted, as remarks on the file.
    mutating func add(oddities: [ParseNote]) {
        notes.add(
            oddities.map { note in
                if case .json(let oddity) = note.code {
                    note.filed(under: .association(AssociationRemark(oddity)))
                } else {
                    note
                }
            })
    }

    /// A key that devices do not know: one of theirs misspelled, or another.
    mutating func add(unknown member: JSONObject.Member, among known: [String], in container: String) {
        let key = member.key
        let place = place(at: member.keyOffset)
        // A character that nobody sees is noted as such. Comments are for people.
        if ForeignCharacter(in: key) != nil || key.lowercased().hasPrefix("comment") { return }
        let meant = Self.signs[key.asciiLowercased].flatMap { known.contains($0) ? $0 : nil }
        if let near = meant ?? NearestName.of(key, in: known.filter { $0.utf8.count > 1 }) {
            add(
                .misspelledKey,
                "\(key.quotedBriefly) means nothing in \(container.quotedBriefly); it is spelled “\(near)”.", at: place)
        } else {
            add(.unknownKey, "\(key.quotedBriefly) means nothing in \(container.quotedBriefly).", at: place)
        }
    }

    /// What people call the parts of a URL.
    private static let signs = [
        "path": "/", "paths": "/", "pathname": "/", "query": "?", "querystring": "?", "search": "?", "params": "?",
        "fragment": "#", "hash": "#", "anchor": "#",
    ]

    /// What makes the file unusable has its note, however many others there are.
    mutating func add(_ trouble: AssociationTrouble) {
        notes.add(
            .association(trouble.remark), trouble.sentence, line: trouble.place?.line, column: trouble.place?.column,
            endsReading: true)
    }

    /// The gravest first, then in the order of the file; what has no place comes before what has one.
    func finished() -> [ParseNote] {
        notes.finished().enumerated().sorted { a, b in rank(a) < rank(b) }.map(\.element)
    }

    private func rank(_ note: (offset: Int, element: ParseNote)) -> (Int, Int, Int, Int, Int) {
        let isCount = note.element.associationRemark == .notesLeftOut
        return (
            isCount ? 1 : 0, note.element.code.associationGravity, note.element.line ?? 0, note.element.column ?? 0,
            note.offset
        )
    }
}

extension ParseNote.Code {
    /// For sorting: 0 is the gravest.
    fileprivate var associationGravity: Int {
        guard case .association(let remark) = self else { return AssociationRemark.Severity.allCases.count }
        return AssociationRemark.Severity.allCases.firstIndex(of: remark.severity) ?? 0
    }
}

extension String {
    /// A value as it is quoted in a message: short, in one line, and with nothing that cannot be seen.
    var quotedBriefly: String {
        let scalars = unicodeScalars.prefix(81)
        var text = ""
        for scalar in scalars.prefix(80) { text += ForeignCharacter.visible(scalar) }
        if scalars.count > 80 { text += "…" }
        return "“\(text)”"
    }
}

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
