/// What may be said of an association file: a stable code, and how bad it is.
///
/// The notes of association files have these codes (`ParseNote.Code.association`).
public enum AssociationRemark: String, Sendable, CaseIterable, Codable {
    /// How much a remark matters, the gravest first.
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
    case misspelledKey = "association-misspelled-key"
    case foreignCharacter = "association-foreign-character"
    case matchesEverything = "association-matches-everything"
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
    case patternInDefaults = "aasa-pattern-in-defaults"
    case unencodedPattern = "aasa-unencoded-pattern"
    case opensNothing = "aasa-opens-nothing"
    case sectionWithoutApps = "aasa-section-without-apps"
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
    case noStatements = "assetlinks-no-statements"
    case unreachableRule = "assetlinks-unreachable-rule"
    case rulesOpenNothing = "assetlinks-rules-open-nothing"
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
            .repeatedDynamicRules, .noStatements, .unreachableRule, .rulesOpenNothing, .opensNothing,
            .sectionWithoutApps, .includeNotFollowed, .includeFailed, .contentType, .rootCopyDiffers, .rootOnly,
            .disallowed, .unreachableHost, .serverTrouble:
            .warning
        case .signed, .notesLeftOut, .appsMissing, .historicKey, .patternInDefaults, .unknownRelation,
            .questionMarkInPath:
            .info
        case .notJSON, .notUTF8, .wrongShape, .tooLarge, .tooComplex, .wrongType, .badEnvelope, .wrongEnvelopeForm,
            .entryWithoutApp, .undefinedVariable, .badVariable, .delimiterInPattern, .hostInPattern,
            .malformedStatement, .malformedInclude, .insecureInclude, .malformedDynamicRules, .redirected, .missing,
            .refused, .notSecure, .bundleIDForAppID, .queryInPath, .misnamed, .misspelledKey, .foreignCharacter,
            .matchesEverything:
            .error
        }
    }
}
