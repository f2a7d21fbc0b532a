/// Tags of languages (BCP 47, RFC 5646) as pages write them.
public enum LanguageTag {
    /// What is read of a text.
    private static let maximumBytes = 200

    /// The language tag of a text, spelled as in BCP 47 (RFC 5646 §2.1.1): `en_US` becomes `en-US`, `ZH-hant-tw` `zh-Hant-TW`,
    /// `eng` `en`, `iw` `he`, `English` `en`. Nil for text that names no language: `und`, `x-default`, `C`.
    public static func normalized(_ text: String) -> String? {
        let text = DecimalDigit.folding(Array(text.utf8.prefix(maximumBytes).trimmingHTMLSpace()))
        guard text.count >= 2, text.count <= 40 else { return nil }
        // A POSIX locale has its encoding after the language: `de_DE.UTF-8@euro`.
        let bytes = text.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "@") }
        let parts = bytes.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        guard let first = parts.first, first.allSatisfy(\.isASCIILetter) else { return nil }
        var language = String(decoding: first.map(\.asciiLowercased), as: UTF8.self)
        if parts.count == 1, let code = languageCode(named: language) { return code }
        language = replacement(for: language) ?? language
        guard (2...3).contains(language.utf8.count), !["und", "mul", "zxx", "mis"].contains(language) else {
            return nil
        }
        var tag = language
        var isFirstSubtag = true
        for part in parts.dropFirst() {
            guard (1...8).contains(part.count), part.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) else { break }
            let isAlphabetic = part.allSatisfy(\.isASCIILetter)
            let lower = part.map(\.asciiLowercased)
            // Extensions and private parts do not affect the language itself.
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

    /// Whether two tags are of one language: `no` and `nb_NO`, `iw` and `he`, `zh-CN` and `zh-Hans`, `fil` and `tl`. True if one
    /// of them names no language.
    public static func isSameLanguage(_ a: String, _ b: String) -> Bool {
        guard let a = normalized(a), let b = normalized(b) else { return true }
        return TextLanguage.primary(a) == TextLanguage.primary(b)
    }

    /// The reason why a text is not a language tag by BCP 47, as a clause, and the intended tag if it is known. Nil for a valid
    /// tag.
    ///
    /// Checks the grammar (RFC 5646 §2.1) and, from the registry, only the languages with two letters. An underscore counts as
    /// a hyphen here, because it is a mistake with its own note.
    public static func flaw(of text: String) -> (reason: String, instead: String?)? {
        let bytes = Array(text.utf8.prefix(maximumBytes)).map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
        let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            .map { String(decoding: $0.map(\.asciiLowercased), as: UTF8.self) }
        guard let first = parts.first, !first.isEmpty else { return ("it is empty", nil) }
        let rest = parts.dropFirst()
        func tag(with language: String) -> String? { normalized(([language] + rest).joined(separator: "-")) }
        if first == "x" || first == "i" { return nil }
        if let code = languageCode(named: first) {
            return ("a language is named by its code, \(code)", rest.isEmpty ? code : tag(with: code))
        }
        guard first.utf8.allSatisfy(\.isASCIILetter), (2...3).contains(first.utf8.count) else {
            return ("a language has two or three letters", nil)
        }
        if let shorter = replacement(for: first) {
            let reason = first.utf8.count == 3 ? "this language has a code of two letters" : "this code was withdrawn"
            return (reason, tag(with: shorter))
        }
        if first.utf8.count == 2, !twoLetterCodes.contains(first) {
            let meant = languagesOfCountries[first]
            return (
                meant == nil ? "no language has the code \(first)" : "\(first) is a country, not a language",
                meant.flatMap(tag)
            )
        }
        return flaw(ofSubtags: rest, tag: tag, language: first)
    }

    /// Checks the extended languages, script, region and variants, which must come in this order. The rest after a single
    /// letter is free.
    private static func flaw(
        ofSubtags rest: ArraySlice<String>, tag: (String) -> String?, language: String
    ) -> (reason: String, instead: String?)? {
        /// The subtags that may come next: 0 extended languages, 1 a script, 2 a region, 3 variants.
        var stage = 0
        for part in rest {
            let isAlphabetic = part.utf8.allSatisfy(\.isASCIILetter)
            let isNumber = part.utf8.allSatisfy(\.isASCIIDigit)
            switch part.utf8.count {
            case 1 where isAlphabetic || isNumber: return nil
            case 3 where isAlphabetic && stage == 0 && extendableLanguages.contains(language): continue
            case 4 where isAlphabetic && stage < 2: stage = 2
            case 2 where isAlphabetic && stage < 3, 3 where isNumber && stage < 3:
                if part == "uk" { return ("the United Kingdom is GB", normalized(language + "-GB")) }
                stage = 3
            case 5...8 where part.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }): stage = 3
            case 4 where part.utf8.first?.isASCIIDigit == true: stage = 3
            default:
                return (part.isEmpty ? "a hyphen too many" : "“\(part.prefix(20))” is no part of a tag there", language)
            }
        }
        return nil
    }

    /// Languages with extended languages in the registry: `zh-yue`.
    private static let extendableLanguages: Set<String> = ["ar", "kok", "lv", "ms", "sgn", "sw", "uz", "zh"]

    /// The codes of ISO 639-1, and three that the registry of BCP 47 has besides.
    private static let twoLetterCodes = Set(CLDR.twoLetterLanguages).union(["bh", "sh", "tl"])

    /// Country codes that authors use in place of the country's language, and that are no language codes.
    private static let languagesOfCountries = pairs(
        "at de cn zh cz cs dk da gb en gr el ir fa jp ja mx es pk ur tz sw ua uk us en vn vi")

    /// The code that BCP 47 requires in place of a language: of two letters, if there is one, and none that was withdrawn.
    private static func replacement(for language: String) -> String? {
        language.utf8.count == 3 ? CLDR.twoLetterCode(for: language) : withdrawnLanguages[language]
    }

    private static let withdrawnLanguages = pairs("iw he in id ji yi mo ro jw jv")

    /// The language of a name, because schema.org's `inLanguage` often has one: in English or in the language itself, in lower
    /// case, without accents.
    private static func languageCode(named name: String) -> String? {
        name.utf8.count > 3 ? languageNames[name] : nil
    }

    private static let languageNames: [String: String] = {
        var codes: [String: String] = [:]
        for code in CLDR.twoLetterLanguages {
            for other in ["en", code] {
                guard let name = CLDR.name(of: code, in: other) else { continue }
                codes[LetterFolding.folded(name.unicodeScalars)] = code
            }
        }
        return codes
    }()

    private static func pairs(_ text: String) -> [String: String] {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        var result: [String: String] = [:]
        for i in stride(from: 0, to: words.count - 1, by: 2) { result[words[i]] = words[i + 1] }
        return result
    }
}

// MARK: Tags in RDF

extension LanguageTag {
    /// The declared language as a tag for RDF: `en_US` becomes `en-US`. Nil if it is not a tag.
    static func wellFormed(_ declared: String) -> String? {
        let tag = declared.trimmingHTMLSpace()
        // BCP 47 §4.4.1: registered tags have fewer than 35 characters. A long tag would be repeated after every text.
        guard tag.utf8.count <= 100 else { return nil }
        if isNQuadsTag(tag) { return tag }
        let fixed = String(tag.map { $0 == "_" ? "-" : $0 })
        return isNQuadsTag(fixed) ? fixed : nil
    }

    /// Whether a tag matches `LANGTAG ::= '@' [a-zA-Z]+ ('-' [a-zA-Z0-9]+)*` (N-Quads), without the `@`.
    static func isNQuadsTag(_ tag: String) -> Bool {
        var isFirst = true
        var length = 0
        for byte in tag.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): length += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst: length += 1
            case UInt8(ascii: "-") where length > 0:
                isFirst = false
                length = 0
            default: return false
            }
        }
        return length > 0
    }

    /// Whether a tag has the general form of BCP 47 §2.1: subtags of one to eight letters or digits, the first of letters only.
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
