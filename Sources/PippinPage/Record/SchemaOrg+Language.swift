extension SchemaOrg {
    /// A language tag in the spelling of BCP 47 (RFC 5646 §2.1.1): `en_US` is `en-US`, `ZH-hant-tw` is `zh-Hant-TW`,
    /// `eng` is `en`, `iw` is `he`, `English` is `en`. nil for what names no language: `und`, `x-default`, `C`.
    public static func languageTag(_ text: String) -> String? {
        let text = bytes(of: text)
        guard text.count >= 2, text.count <= 40 else { return nil }
        // A POSIX locale goes on with its encoding: `de_DE.UTF-8@euro`.
        let bytes = text.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "@") }
        let parts = bytes.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        guard let first = parts.first, first.allSatisfy(\.isASCIILetter) else { return nil }
        var language = String(decoding: first.map(\.asciiLowercased), as: UTF8.self)
        if parts.count == 1, let code = languageNames[language] { return code }
        language = replacedLanguages[language] ?? language
        guard (2...3).contains(language.utf8.count), !["und", "mul", "zxx", "mis"].contains(language) else {
            return nil
        }
        var tag = language
        var isFirstSubtag = true
        for part in parts.dropFirst() {
            guard (1...8).contains(part.count), part.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) else { break }
            let isAlphabetic = part.allSatisfy(\.isASCIILetter)
            let lower = part.map(\.asciiLowercased)
            // Extensions and private parts say nothing of the language itself.
            if part.count == 1 { break }
            tag += "-"
            if isFirstSubtag && part.count == 4 && isAlphabetic {
                tag += String(decoding: [lower[0].asciiUppercased] + lower[1...], as: UTF8.self)
            } else if part.count == 2 && isAlphabetic {
                tag += String(decoding: part.map(\.asciiUppercased), as: UTF8.self)
            } else {
                tag += String(decoding: lower, as: UTF8.self)
            }
            isFirstSubtag = false
        }
        return tag
    }

    /// Codes of ISO 639-2 that have one of two letters, which BCP 47 asks for, and codes that were withdrawn.
    private static let replacedLanguages = pairs(
        """
        eng en deu de ger de fra fr fre fr spa es ita it por pt nld nl dut nl rus ru jpn ja zho zh chi zh kor ko ara ar
        pol pl tur tr swe sv dan da nor no nob nb nno nn fin fi ces cs cze cs ell el gre el hun hu ron ro rum ro ukr uk
        heb he hin hi tha th vie vi ind id msa ms may ms bul bg hrv hr srp sr slk sk slo sk slv sl lit lt lav lv est et
        cat ca eus eu baq eu glg gl fas fa per fa urd ur ben bn tam ta tel te
        iw he in id ji yi mo ro jw jv
        """)

    /// schema.org's `inLanguage` often has the name; these are the ones met, in English and in themselves.
    private static let languageNames = pairs(
        """
        english en german de deutsch de french fr francais fr spanish es espanol es italian it italiano it portuguese pt
        portugues pt dutch nl nederlands nl russian ru japanese ja chinese zh korean ko arabic ar polish pl polski pl
        turkish tr swedish sv svenska sv danish da dansk da norwegian no finnish fi suomi fi czech cs greek el hungarian
        hu romanian ro ukrainian uk hebrew he hindi hi thai th vietnamese vi indonesian id
        """)

    private static func pairs(_ text: String) -> [String: String] {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        var result: [String: String] = [:]
        for i in stride(from: 0, to: words.count - 1, by: 2) { result[words[i]] = words[i + 1] }
        return result
    }
}
