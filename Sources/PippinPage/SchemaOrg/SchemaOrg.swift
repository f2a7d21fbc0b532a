/// Values of the schema.org vocabulary as pages really write them.
///
/// schema.org asks for `1299.00`, `InStock` and `PT1H30M`; pages write `1.299,00 €`, `in stock` and `1 h 30 min`. Each reader
/// takes a text and returns its value, or nil if the text has none. Nothing is guessed. Readers work on bytes, look at a
/// bounded prefix, and never trap.
///
///     +Numbers   4,5  1.2K  1 299,00; 4.5/5  90%      +Date          2015-10-31T19:00  20151031  1446318000
///     +Price     $10 - $20  1.299,00 €  ISO 4217       +Duration      PT1H30M  00:35:00  35 min
///     +Places    40.7128° N, telephone numbers         +Enumerations  https://schema.org/InStock  in stock  True
///     +Types     types and their supertypes, and the   +OpeningHours  Mo-Fr 9-17
///                properties of each
public enum SchemaOrg {
    /// The number of bytes of a value that are read. The longest values, prices with words around them, have fewer than 100.
    static let maximumValueBytes = 200

    /// The first bytes of a value, without white space at its ends. Digits of other scripts become ASCII digits.
    static func bytes(of text: String) -> [UInt8] {
        DecimalDigit.folding(Array(text.utf8.prefix(maximumValueBytes).trimmingHTMLSpace()))
    }
}
