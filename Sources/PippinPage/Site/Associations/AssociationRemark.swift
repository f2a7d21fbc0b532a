/// What may be said of an association file: a stable code, and how bad it is.
///
/// The notes of association files have these codes (`ParseNote.Code.association`).
public enum AssociationRemark: String, Sendable, CaseIterable, Codable {
    public enum Severity: String, Sendable, CaseIterable {
        /// The file, or the part that is named, does not do what it was written for.
        case error
        /// It works by leniency, or not everywhere.
        case warning
        case info
    }

    // The file
    case notJSON = "association-not-json"
    case notUTF8 = "association-not-utf8"
    case wrongShape = "association-wrong-shape"
    case tooLarge = "association-too-large"
    case tooComplex = "association-too-complex"
    case byteOrderMark = "association-byte-order-mark"
    case duplicateKey = "json-duplicate-key"
    case loneSurrogate = "json-lone-surrogate"
    case unknownKey = "association-unknown-key"
    case wrongType = "association-wrong-type"
    case signed = "association-signed"
    case notesLeftOut = "notes-left-out"
    case badEnvelope = "association-bad-envelope"
    case wrongEnvelopeForm = "association-wrong-envelope-form"

    // apple-app-site-association
    case noAppLinks = "aasa-no-applinks"
    case noEntries = "aasa-no-details"
    case appsNotEmpty = "aasa-apps-not-empty"
    case appsMissing = "aasa-apps-missing"
    case dictionaryForm = "aasa-details-dictionary"
    case entryWithoutApp = "aasa-entry-without-app"
    case appIDIgnored = "aasa-appid-ignored"
    case malformedAppID = "aasa-malformed-app-id"
    case bundleIDForAppID = "aasa-bundle-id-for-app-id"
    case repeatedApp = "aasa-repeated-app"
    case mixedFormats = "aasa-components-and-paths"
    case entryWithoutRules = "aasa-entry-without-patterns"
    case unreachable = "aasa-unreachable-pattern"
    case undefinedVariable = "aasa-undefined-variable"
    case openVariable = "aasa-open-variable"
    case badVariable = "aasa-bad-variable"
    case variableInPaths = "aasa-variable-in-paths"
    case missingSlash = "aasa-missing-leading-slash"
    case badNot = "aasa-bad-not"
    case unencodedPattern = "aasa-unencoded-pattern"
    case lowercaseEscape = "aasa-lowercase-escape"
    case delimiterInPattern = "aasa-delimiter-in-pattern"
    case hostInPattern = "aasa-host-in-pattern"
    case queryInPath = "aasa-query-in-path"
    case questionMarkInPath = "aasa-question-mark-in-path"
    case historicKey = "aasa-historic-key"

    // assetlinks.json
    case malformedStatement = "assetlinks-malformed-statement"
    case malformedInclude = "assetlinks-malformed-include"
    case insecureInclude = "assetlinks-insecure-include"
    case includeNotFollowed = "assetlinks-include-not-followed"
    case includeFailed = "assetlinks-include-failed"
    case malformedDynamicRules = "assetlinks-malformed-dynamic-rules"
    case repeatedDynamicRules = "assetlinks-repeated-dynamic-rules"
    case unknownRelation = "assetlinks-unknown-relation"

    // How the file is served
    case redirected = "association-redirected"
    case missing = "association-missing"
    case refused = "association-refused"
    case serverTrouble = "association-server-error"
    case notSecure = "association-no-tls"
    case unreachableHost = "association-unreachable"
    case disallowed = "association-disallowed"
    case contentType = "association-content-type"
    case rootCopyDiffers = "aasa-root-copy-differs"
    case rootOnly = "aasa-root-only"
    case misnamed = "aasa-json-extension"

    public var severity: Severity {
        switch self {
        case .byteOrderMark, .duplicateKey, .loneSurrogate, .unknownKey, .appsNotEmpty, .dictionaryForm, .appIDIgnored,
            .repeatedApp, .mixedFormats, .entryWithoutRules, .unreachable, .openVariable, .missingSlash, .badNot,
            .unencodedPattern, .lowercaseEscape, .noAppLinks, .noEntries, .variableInPaths, .malformedAppID,
            .repeatedDynamicRules, .includeNotFollowed, .includeFailed, .contentType, .rootCopyDiffers, .rootOnly,
            .disallowed, .unreachableHost, .serverTrouble:
            .warning
        case .signed, .notesLeftOut, .appsMissing, .historicKey, .unknownRelation, .questionMarkInPath: .info
        case .notJSON, .notUTF8, .wrongShape, .tooLarge, .tooComplex, .wrongType, .badEnvelope, .wrongEnvelopeForm,
            .entryWithoutApp, .undefinedVariable, .badVariable, .delimiterInPattern, .hostInPattern,
            .malformedStatement, .malformedInclude, .insecureInclude, .malformedDynamicRules, .redirected, .missing,
            .refused, .notSecure, .bundleIDForAppID, .queryInPath, .misnamed:
            .error
        }
    }
}

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

/// Notes of one association file, up to a limit.
struct AssociationNotes {
    private var notes: [ParseNote] = []
    private var dropped = 0
    private let maximum: Int
    /// Of the file's text.
    var lines = SourceLines([])

    init(limits: ReadingLimits) {
        maximum = limits.maximumNotes
    }

    /// - Parameter offset: bytes before the place.
    func place(at offset: Int) -> TextPlace {
        let place = lines.place(at: offset)
        return TextPlace(line: place.line, column: place.column)
    }

    /// The message is built only while there is room for it.
    mutating func add(_ remark: AssociationRemark, _ message: @autoclosure () -> String, at place: TextPlace? = nil) {
        guard notes.count < maximum else {
            dropped &+= 1
            return
        }
        notes.append(ParseNote(remark, message(), at: place))
    }

    /// What makes the file unusable has its note, however many others there are.
    mutating func add(_ trouble: AssociationTrouble) {
        notes.append(ParseNote(trouble.remark, trouble.sentence, at: trouble.place))
    }

    /// In the order of the file; what has no place comes first.
    func finished() -> [ParseNote] {
        let sorted = notes.enumerated().sorted { a, b in
            (a.element.line ?? 0, a.element.column ?? 0, a.offset) < (
                b.element.line ?? 0, b.element.column ?? 0, b.offset
            )
        }.map(\.element)
        return dropped == 0 ? sorted : sorted + [ParseNote(.notesLeftOut, "\(dropped) further notes were left out.")]
    }
}

extension String {
    /// A value as it is quoted in a message: short, and in one line.
    var quotedBriefly: String {
        let scalars = unicodeScalars.prefix(81)
        var text = String(
            String.UnicodeScalarView(scalars.prefix(80).map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
        if scalars.count > 80 { text += "…" }
        return "“\(text)”"
    }
}
