/// Tests and conversions of short texts by their ASCII bytes, independent of language.
public enum ASCIIText {
    static func isNumber(_ text: some Collection<UInt8>) -> Bool {
        !text.isEmpty && text.allSatisfy(\.isASCIIDigit)
    }

    /// The whole number at the start of a text, as in `300px`; nil if there is none. Larger ones become `Int32.max`.
    static func leadingNumber(_ text: String) -> Int? {
        var value: Int?
        for byte in text.utf8 {
            guard byte.isASCIIDigit else { break }
            value = min((value ?? 0) * 10 + Int(byte - 0x30), Int(Int32.max))
        }
        return value
    }

    /// `com.example.app`: at least two names of letters, digits and underscores, each beginning with a letter.
    ///
    /// - Parameter allowsHyphens: true for Apple's bundle IDs, which may have hyphens and names that begin with digits; false
    ///   for Android's packages.
    static func isReverseDomain(_ text: String, allowsHyphens: Bool = false) -> Bool {
        var names = 1
        var isAtStart = true
        for byte in text.utf8 {
            if byte == 0x2E {
                if isAtStart { return false }
                names += 1
                isAtStart = true
            } else if byte.isASCIILetter || (!isAtStart && byte == 0x5F)
                || (byte.isASCIIDigit && (allowsHyphens || !isAtStart))
                || (allowsHyphens && byte == 0x2D)
            {
                isAtStart = false
            } else {
                return false
            }
        }
        return names > 1 && !isAtStart
    }

    /// Whether a text is a template's placeholder: `YOUR_APP_ID`, `${id}`, `{{id}}`, `<APP_ID>`, `myAppStoreID`, `000000000`.
    static func isPlaceholder(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, let last = bytes.last else { return false }
        let isBracketed =
            (first == 0x3C && last == 0x3E) || (first == 0x5B && last == 0x5D) || (first == 0x25 && last == 0x25)
        if isBracketed || hasTemplateMark(text) || bytes.allSatisfy({ $0 == 0x30 }) { return true }
        let lower = text.asciiLowercased
        return ["your", "my", "app", "insert", "todo", "xxx"].contains { lower.hasPrefix($0) }
            && bytes.allSatisfy { $0.isASCIILetter || $0 == 0x5F || $0 == 0x2D || $0 == 0x20 }
    }

    /// Whether a text contains `{{`, `${` or `<%`.
    public static func hasTemplateMark(_ text: String) -> Bool {
        var last: UInt8 = 0
        for byte in text.utf8 {
            if byte == 0x7B && (last == 0x7B || last == 0x24) || byte == 0x25 && last == 0x3C { return true }
            last = byte
        }
        return false
    }

    /// Whether nothing follows the `://`: `yfinance://` opens an app, but no content in it.
    static func isBareScheme(_ url: String) -> Bool {
        url.utf8.count > 3 && url.hasSuffix("://")
    }

    /// The scheme of a URL in lower case; nil if it has none.
    static func scheme(of url: some Collection<UInt8>) -> String? {
        guard let first = url.first, first.isASCIILetter else { return nil }
        for (offset, byte) in url.enumerated() {
            if byte == 0x3A { return String(decoding: url.prefix(offset).map(\.asciiLowercased), as: UTF8.self) }
            guard byte.isASCIILetter || byte.isASCIIDigit || byte == 0x2B || byte == 0x2D || byte == 0x2E else {
                return nil
            }
        }
        return nil
    }

    /// An identifier without the parameters that people leave behind it when they copy a store's address:
    /// `com.example.app&hl=fr`, `123?mt=8`.
    static func withoutParameters(_ identifier: String) -> String {
        String(identifier.prefix { !"&?#;".contains($0) && !$0.isWhitespace })
    }
}
