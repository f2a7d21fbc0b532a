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
