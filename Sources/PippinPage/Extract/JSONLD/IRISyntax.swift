/// Checks whether texts are IRIs and language tags for RDF.
enum IRISyntax {
    /// RFC 3987 §2.2: a scheme, and only allowed characters in each part.
    static func isWellFormed(_ iri: String) -> Bool {
        guard IRIReference.hasScheme(iri) else { return false }
        var hexDigitsDue = 0
        var hasFragment = false
        for byte in iri.utf8 {
            if hexDigitsDue > 0 {
                guard byte.isASCIIDigit || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x66) else { return false }
                hexDigitsDue -= 1
                continue
            }
            switch byte {
            case 0x00...0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "{"),
                UInt8(ascii: "}"), UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "\\"), 0x7F:
                return false
            case UInt8(ascii: "%"): hexDigitsDue = 2
            case UInt8(ascii: "#"):
                if hasFragment { return false }
                hasFragment = true
            default: break
            }
        }
        return hexDigitsDue == 0
    }
}

extension LanguageTag {
    /// The form of all tags in BCP 47 §2.1: subtags of one to eight letters or digits, the first of letters.
    static func isWellFormed(_ tag: String) -> Bool {
        var length = 0
        var isFirst = true
        for byte in tag.utf8 {
            switch byte {
            case _ where byte.isASCIILetter: length += 1
            case _ where byte.isASCIIDigit && !isFirst: length += 1
            case UInt8(ascii: "-") where length > 0:
                length = 0
                isFirst = false
            default: return false
            }
            if length > 8 { return false }
        }
        return length > 0
    }
}
