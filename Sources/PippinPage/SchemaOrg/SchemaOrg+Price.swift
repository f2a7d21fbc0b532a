extension SchemaOrg {
    /// A price in computable form and as written.
    public struct Price: Sendable, Hashable {
        /// A decimal number with `.` as mark and no other: `1299.00`. Nil for a range.
        public var amount: String?
        /// The lower end of a range. `From $12` has no upper end.
        public var low: String?
        /// The upper end of a range.
        public var high: String?
        /// ISO 4217 code; nil if neither the page nor an unmistakable sign in the text gives it.
        public var currency: String?
        /// The price as written.
        public var raw: String
    }

    /// Reads `$1,299.00`, `1.299,00 €`, `USD 12`, `From $12`, `$10 - $20`, `Free`; nil if the text has no number.
    ///
    /// - Parameter currency: the value of `priceCurrency` as written. It overrides signs in the text.
    public static func price(_ text: String, currency declared: String? = nil) -> Price? {
        price(StructuredItem.Literal(text), currency: declared)
    }

    /// Reads a price that structured data states; nil also for a number below zero, which is no price: a minus sign beside the
    /// digits, or beside a sign or code of currency before them. Other minus signs are dashes of the layout (`kr 12,-`).
    public static func price(_ literal: StructuredItem.Literal, currency declared: String? = nil) -> Price? {
        let text = literal.text
        let bytes = bytes(of: text)
        guard !bytes.isEmpty else { return nil }
        let code = declared.flatMap(currency) ?? currency(in: bytes)
        var price = Price(currency: code, raw: text.trimmingHTMLSpace())
        let mark: SingleMark =
            literal.isNumber || code.map(currenciesOfThreeDecimals.contains) == true ? .decimal : .thousands
        guard let first = amount(in: bytes, from: 0, mark) else {
            guard freeWords.contains(where: { beginsWithWord(bytes, $0) }) else { return nil }
            price.amount = "0"
            return price
        }
        if isNegative(first, in: bytes) { return nil }
        let next = amount(in: bytes, from: first.range.upperBound, mark)
        if let next, isRange(bytes[first.range.upperBound..<next.range.lowerBound]) {
            if first.value == next.value {
                price.amount = first.text
            } else {
                (price.low, price.high) =
                    first.value < next.value ? (first.text, next.text) : (next.text, first.text)
            }
        } else if fromWords.contains(where: { beginsWithWord(bytes, $0) }) {
            price.low = first.text
        } else {
            price.amount = first.text
        }
        return price
    }

    /// Whether a text is read as no price because it is below zero.
    public static func isNegativePrice(_ literal: StructuredItem.Literal) -> Bool {
        let bytes = bytes(of: literal.text)
        return amount(in: bytes, from: 0, .decimal).map { isNegative($0, in: bytes) } ?? false
    }

    /// Whether nothing but a minus sign, and perhaps a currency, stands before a number other than 0: `-5`, `-$5`, `USD -5`.
    private static func isNegative(_ number: FoundNumber, in bytes: [UInt8]) -> Bool {
        let before = bytes[..<number.range.lowerBound]
        guard number.value != 0, let minus = before.firstIndex(of: UInt8(ascii: "-")),
            minus + 1 == before.endIndex || before[minus + 1] > 0x20
        else { return false }
        let rest = String(decoding: before[..<minus] + before[(minus + 1)...], as: UTF8.self)
        return currency(rest) != nil
            || rest.unicodeScalars.allSatisfy {
                $0 == " " || $0 == "\u{A0}" || $0.properties.generalCategory == .currencySymbol
            }
    }

    /// A number with its suffix: the cents after a sign (`12€50`), the thousands of `$1.2M`.
    private static func amount(in bytes: [UInt8], from start: Int, _ mark: SingleMark) -> FoundNumber? {
        guard var found = number(in: bytes, from: start, singleMark: mark) else { return nil }
        let end = found.range.upperBound
        if end < bytes.count, bytes[end].isASCIILetter {
            // The letter must touch the digits; `12 m` may mean metres.
            let word = bytes[end...].prefix { $0.isASCIILetter }
            guard word.count == 1, let scale = scale(behind: end, in: bytes), scale > 0,
                let scaled = number(in: bytes, from: start, singleMark: .decimal), scaled.value * scale < 1e15
            else { return found }
            found.text = String(Int((scaled.value * scale).rounded()))
            found.range = found.range.lowerBound..<word.endIndex
        } else if !found.hasFraction,
            let sign = ["€", "£", "$"].first(where: { bytes[end...].starts(with: $0.utf8) })
        {
            let cents = bytes[(end + sign.utf8.count)...].prefix(while: \.isASCIIDigit)
            guard cents.count == 2 else { return found }
            found.text += "." + String(decoding: cents, as: UTF8.self)
            found.range = found.range.lowerBound..<cents.endIndex
        }
        return found
    }

    private static let freeWords = ["free", "gratis", "gratuit", "kostenlos", "無料", "免费"]
    private static let fromWords = ["from", "starting", "ab", "desde", "da", "à partir", "dès", "vanaf", "od"]
    private static let rangeWords = ["to", "bis", "a", "à", "til", "t/m"]

    /// Whether the bytes begin with a word, in any ASCII letter case. The word must end there.
    private static func beginsWithWord(_ bytes: [UInt8], _ word: String) -> Bool {
        let count = word.utf8.count
        guard bytes.count >= count, zip(bytes, word.utf8).allSatisfy({ $0.asciiLowercased == $1 }) else { return false }
        return count == bytes.count || !bytes[count].isASCIILetter
    }

    /// Whether the text between two numbers makes them a range: a dash, a tilde, or a word for "to".
    private static func isRange(_ between: ArraySlice<UInt8>) -> Bool {
        guard between.count <= 24 else { return false }
        let text = String(decoding: between, as: UTF8.self)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "-", "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "~", "\u{301C}", "\u{FF5E}", "…":
                return true
            default: continue
            }
        }
        return text.utf8.split(separator: 0x20).contains { word in
            rangeWords.contains { $0.utf8.elementsEqual(word.map(\.asciiLowercased)) }
        }
    }
}

extension SchemaOrg {
    /// The ISO 4217 code of a currency as pages write it: `usd`, `€`, `US$`; nil for signs that several currencies share.
    public static func currency(_ text: String) -> String? {
        let bytes = bytes(of: text)
        if bytes.count == 3, bytes.allSatisfy(\.isASCIILetter) {
            let code = String(decoding: bytes.map(\.asciiUppercased), as: UTF8.self)
            return currencyCodes.contains(code) ? code : nil
        }
        return currencySign(in: bytes)
    }

    /// The currency named in the text around a price: a code as a separate word, or a sign.
    static func currency(in bytes: [UInt8]) -> String? {
        var i = 0
        while i < bytes.count {
            guard bytes[i].isASCIILetter else {
                i += 1
                continue
            }
            let word = bytes[i...].prefix { $0.isASCIILetter }
            if word.count == 3, word.allSatisfy({ $0 < 0x60 }) {
                let code = String(decoding: word, as: UTF8.self)
                if currencyCodes.contains(code) { return code }
            }
            i = word.endIndex
        }
        return currencySign(in: bytes)
    }

    private static func currencySign(in bytes: [UInt8]) -> String? {
        guard bytes.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "$") }) else { return nil }
        return currencySigns.first { sign in
            guard let place = bytes.position(of: sign.bytes) else { return false }
            // `JA$` is Jamaica's dollar, not Australia's `A$`.
            return place == bytes.startIndex || !sign.bytes[0].isASCIILetter || !bytes[place - 1].isASCIILetter
        }?.code
    }

    /// Signs with one meaning, the longest first: CLDR's that mean the same everywhere (`€`, `US$`), and those that a single
    /// currency has (`zł`). A lone `$`, `¥` or `kr` may be several currencies, and letters of ASCII may be words.
    private static let currencySigns: [(bytes: [UInt8], code: String)] = {
        let narrow = Dictionary(grouping: CLDR.currencies, by: \.narrowSign).compactMapValues { currencies in
            currencies.count == 1 ? currencies[0].code : nil
        }
        var codes = Dictionary(CLDR.currencies.map { ($0.sign, $0.code) }) { first, _ in first }
        codes.merge(narrow) { sign, _ in sign }
        // Pages write these, too.
        codes.merge(["AU$": "AUD", "лв": "BGN"]) { $1 }
        // Most who write it mean the dollar of Canada, and not Nicaragua's córdoba.
        codes["C$"] = nil
        return codes.filter { sign, _ in sign.contains { !$0.isASCII || $0 == "$" } }
            .sorted { ($1.key.count, $0.value) < ($0.key.count, $1.value) }
            .map { (Array($0.key.utf8), $0.value) }
    }()

    /// Currencies with three digits after the decimal mark.
    static let currenciesOfThreeDecimals = Set(CLDR.currencies.lazy.filter { $0.decimals == 3 }.map(\.code))

    /// ISO 4217: codes of circulating currencies; those that ICU 72 leaves out or does not know yet; and those replaced since 2011,
    /// which old pages still have.
    public static let currencyCodes = Set(CLDR.currencies.map(\.code))
        .union(["CLF", "SVC", "VED", "XCG", "ZWG"])
        .union(["BYR", "CUC", "EEK", "HRK", "LTL", "LVL", "MRO", "SLL", "STD", "VEF", "ZWL"])
}
