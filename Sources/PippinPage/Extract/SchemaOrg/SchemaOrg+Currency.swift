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

    /// The currency that a text around a price names: a code as a word of its own, or a sign.
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
        for (sign, code) in currencySigns where contains(sign, in: bytes) { return code }
        return nil
    }

    private static func contains(_ sign: String, in bytes: [UInt8]) -> Bool {
        let sign = Array(sign.utf8)
        guard bytes.count >= sign.count else { return false }
        return (0...(bytes.count - sign.count)).contains { bytes[$0...].starts(with: sign) }
    }

    /// Signs that mean one currency. A lone `$`, `¥` or `kr` stands for several, so that no code follows from it.
    private static let currencySigns: [(String, String)] = [
        ("US$", "USD"), ("CA$", "CAD"), ("AU$", "AUD"), ("NZ$", "NZD"), ("HK$", "HKD"), ("NT$", "TWD"), ("R$", "BRL"),
        ("MX$", "MXN"), ("€", "EUR"), ("£", "GBP"), ("₹", "INR"), ("₽", "RUB"), ("₩", "KRW"), ("₺", "TRY"),
        ("₫", "VND"), ("₪", "ILS"), ("฿", "THB"), ("₴", "UAH"), ("₦", "NGN"), ("₱", "PHP"), ("₸", "KZT"),
        ("₲", "PYG"), ("₡", "CRC"), ("₾", "GEL"), ("zł", "PLN"), ("Kč", "CZK"), ("лв", "BGN"), ("₼", "AZN"),
    ]

    /// Digits after the decimal mark, where they are three (ISO 4217, minor units).
    static let currenciesOfThreeDecimals: Set<String> = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]

    /// ISO 4217, active codes of circulating currencies, and those replaced since 2011 that old pages still carry.
    public static let currencyCodes = Set(
        """
        AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF
        CLF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL
        HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL
        MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON
        RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH
        UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
        BYR CUC EEK HRK LTL LVL MRO SLL STD VEF ZWL
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
