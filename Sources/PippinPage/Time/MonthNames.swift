/// Names of the months, in full and short, in the languages that most pages are in and in the cases that dates use.
///
/// They come from Unicode's CLDR (UTS #35, part 4), and from a short list of what pages write besides.
struct MonthNames: Sendable {
    static let all = MonthNames()

    private var months: [FoldedName: Int] = [:]
    /// A bit for each name by its length, its first and its last byte. Most words have none and need not be looked up.
    private var bits = [UInt64](repeating: 0, count: 64)
    /// In lower case, with accents.
    private var written: Set<String> = []

    /// The month of a name, whatever its case and accents.
    subscript(name: FoldedName) -> Int? {
        let bit = Self.bit(of: name)
        return bits[bit >> 6] & 1 << UInt64(bit & 63) == 0 ? nil : months[name]
    }

    private static func bit(of name: FoldedName) -> Int {
        guard let first = name.bytes.first, let last = name.bytes.last else { return 0 }
        return (Int(first) &* 31 &+ Int(last) &* 257 &+ name.count &* 131) & 4_095
    }

    /// Whether a word names a month. Accents count, because `Marc` is a name and `març` a month.
    func has(_ word: String) -> Bool { written.contains(word.lowercased()) }

    /// Words before the number of a month: `tháng 12`, and `تشرين ٢`.
    static let beforeNumbers: Set<FoldedName> = Set(["tháng", "thg", "تشرين", "كانون"].map { FoldedName($0) })

    private init() {
        for language in Self.languages.split(separator: " ") {
            for form in ["format", "stand-alone"] {
                for width in ["wide", "abbreviated"] {
                    let path = ["calendar", "gregorian", "monthNames", form, width]
                    for (index, name) in CLDR.texts(of: String(language), at: path).enumerated() {
                        add(name, month: index + 1)
                    }
                }
            }
        }
        for (index, names) in Self.otherNames.enumerated() {
            for name in names.split(separator: " ") { add(String(name), month: index + 1) }
        }
    }

    /// The first language that has a name decides which month it means.
    private mutating func add(_ name: String, month: Int) {
        // `janv.`, `जन॰`: the mark of a short form is no part of it.
        var name = name.lowercased()
        while let last = name.last, last == "." || last == "॰" { name.removeLast() }
        // Catalan has `d’abril` and `de març`; a preposition is read as one.
        if name.hasPrefix("de ") { name.removeFirst(3) }
        let folded = FoldedName(name)
        guard name.contains(where: \.isLetter), !name.hasPrefix("m0"), months[folded, default: month] == month
        else { return }
        months[folded] = month
        bits[Self.bit(of: folded) >> 6] |= 1 << UInt64(Self.bit(of: folded) & 63)
        written.insert(name)
    }

    /// Croatian comes last: its `listopad` (October), `lip` and `srp` are other months in Czech and Polish.
    private static let languages = """
        en de fr it es pt nl da no sv is pl cs sk hu ro ru uk be bg mk sr sr_Latn sl bs tr az el fi et lv lt ca gl eu ar ar_DZ \
        ar_IQ ar_MA fa he hi ur bn mr gu pa ta te kn ml th vi id ms fil af sq hy ka kk uz hr
        """

    /// What CLDR leaves out: spellings without accents or with others, short forms of earlier versions, and cases that other
    /// words of a date ask for: `в` is a word in Russian, `ב` a letter in Hebrew.
    private static let otherNames = [
        "jänner jän januarja јануара janvāra janvārī בינואר كانون\u{A0}٢ جنو जन જાન",
        "feber fév fevrier subat februarja фебруара februāra februārī फरवरी בפברואר فرو फ़र ફેબ",
        "mrz maerz marco martā במרץ מרס مار",
        "aprila априла aprīļa aprīlī ابريل إبريل באפריל اپر",
        "mayis маја μαίου μαϊ maija maijā במאי",
        "čer junija јуна jūnija jūnijā يونيه ביוני",
        "julija јула jūlija jūlijā يوليه ביולי جول जुल",
        "aout agustos avgusta augustā اغسطس באוגוסט اگس अग ઑગ",
        "сен setiembre eylul септембра septembrī सितम्बर בספטמבר ستم सित સપ્ટ",
        "oktobra октобра oktobrī اكتوبر अक्टूबर באוקטובר تشرين\u{A0}١ اکت अक्तू ઑક્ટ",
        "ноя kasim studenog новембра novembrī नवम्बर בנובמבר تشرين\u{A0}٢ نوم नव નવ",
        "decembre aralik децембра decembrī दिसम्बर בדצמבר كانون\u{A0}١ دسم दिस ડિસ",
    ]
}
