/// The reason why a document is not valid JSON-LD or cannot be processed (JSON-LD 1.1 API §10.4 `JsonLdErrorCode`).
public struct JSONLDError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The standard's error codes.
    public enum Code: String, Sendable, CaseIterable, Codable {
        case collidingKeywords = "colliding keywords"
        case conflictingIndexes = "conflicting indexes"
        case contextOverflow = "context overflow"
        case cyclicIRIMapping = "cyclic IRI mapping"
        case invalidIDValue = "invalid @id value"
        case invalidImportValue = "invalid @import value"
        case invalidIncludedValue = "invalid @included value"
        case invalidIndexValue = "invalid @index value"
        case invalidNestValue = "invalid @nest value"
        case invalidPrefixValue = "invalid @prefix value"
        case invalidPropagateValue = "invalid @propagate value"
        case invalidProtectedValue = "invalid @protected value"
        case invalidReverseValue = "invalid @reverse value"
        case invalidVersionValue = "invalid @version value"
        case invalidBaseDirection = "invalid base direction"
        case invalidBaseIRI = "invalid base IRI"
        case invalidContainerMapping = "invalid container mapping"
        case invalidContextEntry = "invalid context entry"
        case invalidContextNullification = "invalid context nullification"
        case invalidDefaultLanguage = "invalid default language"
        case invalidIRIMapping = "invalid IRI mapping"
        case invalidJSONLiteral = "invalid JSON literal"
        case invalidKeywordAlias = "invalid keyword alias"
        case invalidLanguageMapValue = "invalid language map value"
        case invalidLanguageMapping = "invalid language mapping"
        case invalidLanguageTaggedString = "invalid language-tagged string"
        case invalidLanguageTaggedValue = "invalid language-tagged value"
        case invalidLocalContext = "invalid local context"
        case invalidRemoteContext = "invalid remote context"
        case invalidReverseProperty = "invalid reverse property"
        case invalidReversePropertyMap = "invalid reverse property map"
        case invalidReversePropertyValue = "invalid reverse property value"
        case invalidScopedContext = "invalid scoped context"
        case invalidScriptElement = "invalid script element"
        case invalidSetOrListObject = "invalid set or list object"
        case invalidTermDefinition = "invalid term definition"
        case invalidTypeMapping = "invalid type mapping"
        case invalidTypeValue = "invalid type value"
        case invalidTypedValue = "invalid typed value"
        case invalidValueObject = "invalid value object"
        case invalidValueObjectValue = "invalid value object value"
        case invalidVocabMapping = "invalid vocab mapping"
        case iriConfusedWithPrefix = "IRI confused with prefix"
        case keywordRedefinition = "keyword redefinition"
        case loadingDocumentFailed = "loading document failed"
        case loadingRemoteContextFailed = "loading remote context failed"
        case multipleContextLinkHeaders = "multiple context link headers"
        case processingModeConflict = "processing mode conflict"
        case protectedTermRedefinition = "protected term redefinition"

        /// The code of the note for a page: `json-ld-invalid-id-value` for «invalid @id value».
        var noteCode: String {
            "json-ld-" + String(rawValue.lowercased().compactMap { $0 == " " ? "-" : $0 == "@" ? nil : $0 })
        }
    }

    /// The standard's error code.
    public let code: Code
    /// One sentence with the value.
    public let message: String
    /// JSON Pointer (RFC 6901) to the object or value; empty for the whole document.
    public let pointer: String

    init(_ code: Code, _ message: String, pointer: String = "") {
        self.code = code
        self.message = message
        self.pointer = pointer
    }

    public var description: String {
        "\(code.rawValue): \(message)" + (pointer.isEmpty ? "" : " At \(pointer).")
    }
}
