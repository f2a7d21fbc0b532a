/// The words that start with `@` (JSON-LD 1.1 §1.7).
enum JSONLDKeyword {
    static func isKeyword(_ text: String) -> Bool {
        guard text.utf8.first == UInt8(ascii: "@") else { return false }
        switch text {
        case "@base", "@container", "@context", "@direction", "@graph", "@id", "@import", "@included", "@index",
            "@json",
            "@language", "@list", "@nest", "@none", "@prefix", "@propagate", "@protected", "@reverse", "@set", "@type",
            "@value", "@version", "@vocab":
            return true
        default: return false
        }
    }

    /// Whether a text has the form `"@"1*ALPHA`, which is reserved for future keywords.
    static func hasForm(_ text: String) -> Bool {
        var utf8 = text.utf8.makeIterator()
        guard utf8.next() == UInt8(ascii: "@") else { return false }
        var count = 0
        while let byte = utf8.next() {
            guard byte.isASCIILetter else { return false }
            count += 1
        }
        return count > 0
    }
}
