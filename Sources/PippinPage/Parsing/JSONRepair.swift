/// The repairs that make JSON of other texts. The raw value is the note's code.
///
/// People publish JSON with comments, trailing commas, single quotes or a missing end. Nothing is guessed: an unescaped quote
/// inside a string is an error and ends the reading.
public enum JSONRepair: String, Sendable, CaseIterable, Codable {
    case byteOrderMark = "json-byte-order-mark"
    case foreignSpace = "json-foreign-space"
    case comment = "json-comment"
    case htmlComment = "json-html-comment"
    case cdata = "json-cdata-wrapper"
    case trailingComma = "json-trailing-comma"
    case surplusComma = "json-surplus-comma"
    case missingComma = "json-missing-comma"
    case missingValue = "json-missing-value"
    case semicolon = "json-semicolon"
    case singleQuotes = "json-single-quotes"
    case smartQuotes = "json-smart-quotes"
    case unescapedQuote = "json-unescaped-quote"
    case unquotedKey = "json-unquoted-key"
    case controlCharacter = "json-control-character"
    case badEscape = "json-bad-escape"
    case duplicateKey = "json-duplicate-key"
    case foreignLiteral = "json-foreign-literal"
    case malformedNumber = "json-malformed-number"
    case template = "json-template-leftover"
    case truncated = "json-truncated"
    case concatenated = "json-concatenated-values"
    case surplusText = "json-surplus-text"

    var message: String {
        switch self {
        case .byteOrderMark: "The JSON begins with a byte order mark; it was skipped."
        case .foreignSpace: "Invisible characters that JSON does not count as white space were skipped."
        case .comment: "JSON has no comments; they were skipped."
        case .htmlComment: "An HTML comment around or in the JSON was skipped."
        case .cdata: "A CDATA wrapper around the JSON was skipped."
        case .trailingComma: "A comma stands behind the last value; it was skipped."
        case .surplusComma: "A comma that separates nothing was skipped."
        case .missingComma: "A comma is missing between two values."
        case .missingValue: "A key has no value; it was read as null."
        case .semicolon: "A semicolon stands where JSON has a comma or nothing."
        case .singleQuotes: "A string stands in single quotes."
        case .smartQuotes: "A string stands in typographic quotes."
        case .unescapedQuote:
            "A quote inside a string is not escaped, so that nobody can tell where the string ends."
        case .unquotedKey: "A key stands without quotes."
        case .controlCharacter: "A string holds a line break, tab or other control character as it is."
        case .badEscape: "A string holds an escape that JSON does not have."
        case .duplicateKey: "A key stands more than once in its object; its last value counts."
        case .foreignLiteral: "A literal that JSON does not have was read as its nearest value."
        case .malformedNumber: "A number is not written as JSON has it."
        case .template: "A placeholder of a template was never filled in."
        case .truncated: "The JSON ends early; what is complete was kept."
        case .concatenated: "Several values stand in a row without an array around them."
        case .surplusText: "What follows the value is not JSON and was left out."
        }
    }
}

/// Constructs that RFC 8259 allows but readers treat differently. The raw value is the note's code.
public enum JSONOddity: String, Sendable, CaseIterable, Codable {
    case duplicateKey = "json-duplicate-key"
    case loneSurrogate = "json-lone-surrogate"
}
