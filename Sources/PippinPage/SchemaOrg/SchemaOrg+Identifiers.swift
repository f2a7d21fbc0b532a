// Numbers that name a product or a work in the whole world. Each is read only if it is whole: of a wrong digit nothing is left.

extension SchemaOrg {
    /// Characters of a shop's or a maker's own number; longer ones are texts.
    static let maximumPartNumberCharacters = 64

    /// A Global Trade Item Number of 8, 12, 13 or 14 digits, without spaces and hyphens (GS1 General Specifications §7.9: the last digit
    /// checks the others). EAN and UPC are other names for it.
    ///
    /// - Returns: nil if it is none, or if it is one of those that templates are filled with.
    public static func gtin(_ text: String) -> String? {
        guard let digits = digits(of: text), [8, 12, 13, 14].contains(digits.count), digits.contains(where: { $0 != 0 })
        else { return nil }
        // From the right, every second digit counts three times.
        let sum = digits.reversed().enumerated().reduce(0) { $0 + Int($1.element) * ($1.offset % 2 == 0 ? 1 : 3) }
        return sum % 10 == 0 ? String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self) : nil
    }

    /// An International Standard Book Number as 13 digits; one of 10 has the same book as `978…` (ISO 2108).
    public static func isbn(_ text: String) -> String? {
        var text = text.trimmingHTMLSpace()
        for prefix in ["urn:isbn", "isbn-13", "isbn-10", "isbn13", "isbn10", "isbn"]
        where text.utf8.prefix(prefix.utf8.count).map(\.asciiLowercased).elementsEqual(prefix.utf8) {
            text = String(text.dropFirst(prefix.count)).trimmingHTMLSpace()
            if text.hasPrefix(":") { text = String(text.dropFirst()) }
            break
        }
        if let number = gtin(text), number.utf8.count == 13 {
            return number.hasPrefix("978") || number.hasPrefix("979") ? number : nil
        }
        let isOpen = text.utf8.last.map { $0 | 0x20 } == UInt8(ascii: "x")
        guard var digits = digits(of: isOpen ? String(text.dropLast()) : text) else { return nil }
        if isOpen { digits.append(10) }
        guard digits.count == 10, digits.contains(where: { $0 != 0 }),
            digits.enumerated().reduce(0, { $0 + Int($1.element) * (10 - $1.offset) }) % 11 == 0
        else { return nil }
        let nine = [9, 7, 8] + digits.dropLast()
        let sum = nine.enumerated().reduce(0) { $0 + Int($1.element) * ($1.offset % 2 == 0 ? 1 : 3) }
        return String(decoding: (nine + [UInt8((10 - sum % 10) % 10)]).map { $0 + 0x30 }, as: UTF8.self)
    }

    /// A Digital Object Identifier, `10.1000/182`, also out of `doi:` and `https://doi.org/` (ISO 26324, DOI Handbook §2). Its letters are
    /// small ones, for it is the same in all cases.
    public static func doi(_ text: String) -> String? {
        var text = text.trimmingHTMLSpace().asciiLowercased
        for prefix in ["https://", "http://"] where text.hasPrefix(prefix) {
            text = String(text.dropFirst(prefix.count))
        }
        for prefix in ["dx.doi.org/", "www.doi.org/", "doi.org/", "doi:"] where text.hasPrefix(prefix) {
            text = String(text.dropFirst(prefix.count)).trimmingHTMLSpace()
        }
        guard text.hasPrefix("10."), text.utf8.count <= 300, let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")),
            !text.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "\"") })
        else { return nil }
        let registrant = text[..<slash].dropFirst(3)
        guard (4...9).contains(registrant.utf8.prefix { $0 != UInt8(ascii: ".") }.count),
            registrant.utf8.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") }),
            text.index(after: slash) != text.endIndex
        else { return nil }
        return text
    }

    /// The number that a shop or a maker has for a product, as written; nil for a text, a placeholder or an address.
    public static func partNumber(_ text: String) -> String? {
        guard let line = CleanText.line(text), line.count <= maximumPartNumberCharacters, !line.has("://") else {
            return nil
        }
        let word = line.asciiLowercased
        // What templates write where there is none.
        let placeholders: Set = [
            "null", "undefined", "none", "n/a", "na", "nan", "false", "true", "sku", "mpn", "-", "0", "unknown",
        ]
        guard !placeholders.contains(word), !word.has("{{"), !word.has("[object"),
            line.utf8.contains(where: { $0.isASCIIDigit || $0.isASCIILetter || $0 >= 0x80 })
        else { return nil }
        return line
    }

    /// The values of digits, past spaces and hyphens; nil if there is anything else.
    private static func digits(of text: String) -> [UInt8]? {
        var digits: [UInt8] = []
        for byte in text.utf8.prefix(40) {
            switch byte {
            case 0x30...0x39: digits.append(byte - 0x30)
            case 0x20, UInt8(ascii: "-"), 0x09, 0x0A, 0x0D: continue
            default: return nil
            }
        }
        return text.utf8.count <= 40 ? digits : nil
    }
}
