/// The calling code of a country, and how its telephone numbers are written without it.
struct CallingCode {
    /// ISO 3166-1, two letters.
    let country: String
    /// Without `+`.
    let code: String
    /// What is dialed before a number within the country, and not after the calling code.
    private let trunk: String
    /// Whether numbers are also written without the trunk prefix.
    private let isTrunkOptional: Bool
    /// Digits behind calling code and trunk prefix (E.164's national significant number).
    private let lengths: ClosedRange<Int>

    /// The number in international form, `+` and digits. Nil unless it is certain that a number of this country is meant.
    func complete(_ digits: String) -> String? {
        if digits.hasPrefix("+") { return digits }
        if digits.hasPrefix("00") || code == "1" && digits.hasPrefix("011") {
            let rest = digits.dropFirst(digits.hasPrefix("00") ? 2 : 3)
            return rest.hasPrefix(code) && lengths.contains(rest.utf8.count - code.utf8.count) ? "+" + rest : nil
        }
        var national = digits[...]
        if !trunk.isEmpty, digits.hasPrefix(trunk) {
            national = digits.dropFirst(trunk.utf8.count)
        } else if !trunk.isEmpty, !isTrunkOptional {
            return nil
        }
        guard lengths.contains(national.utf8.count), isPossible(Array(national.utf8)) else { return nil }
        return "+" + code + national
    }

    private func isPossible(_ national: [UInt8]) -> Bool {
        switch code {
        // Area code and exchange begin with 2 to 9.
        case "1": national[0] >= 0x32 && national[3] >= 0x32
        // The zero of Italian numbers is dialed from abroad, too.
        case "39": [0x30, 0x33, 0x38].contains(national[0])
        default: national[0] != 0x30
        }
    }

    /// Whether digits are grouped as in North America: `(707) 555-0100`, `707.555.0100`, `1-707-555-0100`.
    static func isNorthAmerican(_ written: String) -> Bool {
        var groups = written.utf8.prefix(SchemaOrg.maximumValueBytes).split { !$0.isASCIIDigit }.map(\.count)
        if groups.count == 4, groups[0] == 1 { groups.removeFirst() }
        return groups == [3, 3, 4]
    }

    // MARK: Countries

    /// The country that a text names: `US`, `usa`, `Deutschland`.
    static func country(named text: String) -> CallingCode? {
        guard text.utf8.count <= 60 else { return nil }
        return byName[text.lowercased().filter { $0 != "." }.trimmingHTMLSpace()]
    }

    /// The country of a language tag: its region, or the only country where the language is at home.
    static func country(ofLanguage tag: String) -> CallingCode? {
        let parts = tag.split(separator: "-")
        if let region = parts.dropFirst().first(where: { $0.utf8.count == 2 }) { return country(named: String(region)) }
        return parts.first.flatMap { homes[String($0)] }.flatMap { country(named: $0) }
    }

    /// The country of a host's top-level domain.
    static func country(ofHost host: String) -> CallingCode? {
        guard let domain = host.split(separator: ".").last, domain.utf8.count == 2 else { return nil }
        return country(named: domain == "uk" ? "gb" : String(domain))
    }

    private static let homes = [
        "ja": "jp", "ko": "kr", "pl": "pl", "cs": "cz", "sk": "sk", "hu": "hu", "fi": "fi", "da": "dk", "nb": "no",
        "no": "no", "nn": "no", "sv": "se", "he": "il", "th": "th", "vi": "vn", "bg": "bg", "uk": "ua", "tr": "tr",
        "el": "gr", "hr": "hr", "sl": "si", "id": "id", "lv": "lv", "et": "ee",
    ]

    private static let byName: [String: CallingCode] = {
        var codes: [String: CallingCode] = [:]
        for line in table.description.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 4)
            guard fields.count >= 4, let name = fields[0].split(separator: "/").first else { continue }
            let lengths = fields[3].split(separator: "-").compactMap { Int($0) }
            guard let least = lengths.first, let most = lengths.last, least <= most else { continue }
            let code = CallingCode(
                country: name.uppercased(), code: String(fields[1]),
                trunk: fields[2].filter(\.isNumber), isTrunkOptional: fields[2].hasSuffix("?"), lengths: least...most)
            for alias in fields[0].split(separator: "/") { codes[String(alias)] = code }
            for alias in fields.dropFirst(4).first?.split(separator: "/") ?? [] { codes[String(alias)] = code }
        }
        return codes
    }()

    /// ISO codes, calling code, trunk prefix (`-` none, `?` often left out), digits of a number, names. From the national
    /// numbering plans that the ITU publishes (E.164, E.129).
    private static let table: StaticString = """
        us/usa 1 1? 10-10 united states/united states of america/america/estados unidos/vereinigte staaten/états-unis
        ca/can 1 1? 10-10 canada/kanada
        pr/pri 1 1? 10-10 puerto rico
        gb/gbr/uk 44 0 9-10 united kingdom/great britain/england/scotland/wales/northern ireland
        ie/irl 353 0 7-9 ireland/éire
        de/deu/ger/d 49 0 6-11 germany/deutschland/alemania/allemagne/germania
        at/aut/a 43 0 4-12 austria/österreich/autriche
        ch/che 41 0 9-9 switzerland/schweiz/suisse/svizzera
        li/lie 423 - 7-7 liechtenstein
        fr/fra 33 0 9-9 france/frankreich/francia
        be/bel 32 0 8-9 belgium/belgië/belgique/belgien
        nl/nld 31 0 9-9 netherlands/the netherlands/nederland/niederlande/pays-bas
        lu/lux 352 - 5-9 luxembourg/luxemburg
        es/esp 34 - 9-9 spain/españa/spanien/espagne
        pt/prt 351 - 9-9 portugal
        it/ita 39 - 8-11 italy/italia/italien/italie
        dk/dnk 45 - 8-8 denmark/danmark/dänemark
        no/nor 47 - 8-8 norway/norge/norwegen
        se/swe 46 0 7-9 sweden/sverige/schweden
        fi/fin 358 0 5-11 finland/suomi/finnland
        is/isl 354 - 7-7 iceland/ísland
        pl/pol 48 - 9-9 poland/polska/polen
        cz/cze 420 - 9-9 czechia/czech republic/česko/česká republika/tschechien
        sk/svk 421 0 9-9 slovakia/slovensko
        hu/hun 36 06 8-9 hungary/magyarország/ungarn
        ro/rou 40 0 9-9 romania/românia
        bg/bgr 359 0 7-9 bulgaria/българия
        hr/hrv 385 0 8-9 croatia/hrvatska/kroatien
        si/svn 386 0 8-8 slovenia/slovenija
        rs/srb 381 0 8-9 serbia/србија/srbija
        gr/grc 30 - 10-10 greece/ελλάδα/griechenland
        cy/cyp 357 - 8-8 cyprus
        ee/est 372 - 7-8 estonia/eesti
        lv/lva 371 - 8-8 latvia/latvija
        lt/ltu 370 0 8-8 lithuania/lietuva
        ua/ukr 380 0 9-9 ukraine/україна
        ru/rus 7 8 10-10 russia/россия/russian federation
        tr/tur 90 0? 10-10 turkey/türkiye
        il/isr 972 0 8-9 israel/ישראל
        ae/are 971 0 8-9 united arab emirates/uae
        sa/sau 966 0 8-9 saudi arabia
        eg/egy 20 0 8-10 egypt
        za/zaf 27 0 9-9 south africa
        ng/nga 234 0 8-10 nigeria
        ke/ken 254 0 9-9 kenya
        ma/mar 212 0 9-9 morocco/maroc
        in/ind 91 0? 10-10 india/भारत
        pk/pak 92 0 9-10 pakistan
        jp/jpn 81 0 9-10 japan/日本
        kr/kor 82 0 8-10 south korea/korea/republic of korea/대한민국/한국
        cn/chn 86 0 9-12 china/中国
        tw/twn 886 0 8-9 taiwan/台灣/臺灣
        hk/hkg 852 - 8-8 hong kong/香港
        sg/sgp 65 - 8-8 singapore
        my/mys 60 0 8-10 malaysia
        th/tha 66 0 8-9 thailand/ประเทศไทย
        vn/vnm 84 0 9-10 vietnam/viet nam/việt nam
        id/idn 62 0 8-12 indonesia
        ph/phl 63 0 8-10 philippines
        au/aus 61 0 9-9 australia
        nz/nzl 64 0 8-10 new zealand
        br/bra 55 0? 10-11 brazil/brasil
        ar/arg 54 0 10-10 argentina
        cl/chl 56 - 9-9 chile
        co/col 57 - 10-10 colombia
        mx/mex 52 - 10-10 mexico/méxico
        pe/per 51 0 8-9 peru/perú
        """
}
