/// Values of the schema.org vocabulary as pages really write them.
///
/// schema.org asks for `1299.00`, `InStock` and `PT1H30M`; pages write `1.299,00 €`, `in stock` and `1 h 30 min`. Each reader
/// takes a text and returns its value, or nil if the text has none. Nothing is guessed. Readers work on bytes, look at a
/// bounded prefix, and never trap.
///
///     +Numbers   4,5  1.2K  1 299,00; 4.5/5  90%      +Date          2015-10-31T19:00  20151031  1446318000
///     +Price     $10 - $20  1.299,00 €  ISO 4217       +Duration      PT1H30M  00:35:00  35 min
///     +Places    40.7128° N, telephone numbers         +Enumerations  https://schema.org/InStock  in stock  True
///     +Types     types and their supertypes, and the   +Language      en_US  English
///                properties of each
public enum SchemaOrg {
    /// The number of bytes of a value that are read. The longest values, prices with words around them, have fewer than 100.
    static let maximumValueBytes = 200

    /// The first bytes of a value, without white space at its ends. Digits of other scripts become ASCII digits.
    static func bytes(of text: String) -> [UInt8] {
        var bytes = Array(text.utf8.prefix(maximumValueBytes).trimmingHTMLSpace())
        if bytes.contains(where: { $0 >= 0x80 }) { bytes = foldingDigits(bytes) }
        return bytes
    }

    /// Replaces digits of other scripts by ASCII digits, and also the Arabic decimal and thousands marks, the full-width comma
    /// and full stop, and minus signs (U+2212, and the small and the full-width one).
    private static func foldingDigits(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if let digit = DecimalDigit.value(of: scalar) {
                result.append(0x30 + UInt8(digit))
                continue
            }
            switch scalar.value {
            case 0x66B, 0xFF0E: result.append(UInt8(ascii: "."))
            case 0x66C, 0xFF0C: result.append(UInt8(ascii: ","))
            case 0x2212, 0xFE63, 0xFF0D: result.append(UInt8(ascii: "-"))
            default: result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        return result
    }
}

extension UInt8 {
    var asciiUppercased: UInt8 { self >= 0x61 && self <= 0x7A ? self & 0xDF : self }
}
