/// How the languages of CLDR (UTS #35, part 4) write a day: the names of months, in full and short and in the cases that dates use,
/// the words around day, month and year, the eras, and which number stands first.
///
/// A page is in one language or has the days of another: a theme's, a library's. So names of all languages are read on every page,
/// but its own language goes first, and very short names count in their own language and in English alone: `12 Mac 2019` is a day
/// in Malay only.
struct MonthNames: Sendable {
    static let all = MonthNames()

    /// A month of a calendar; nil for the Gregorian one.
    struct Month: Hashable {
        var calendar: WrittenCalendar?
        var number: Int
    }

    struct Meaning {
        /// The Gregorian month first. `أيلول` is one of the Hebrew calendar, too: the year tells them apart.
        fileprivate(set) var months: [Month]
        /// Whether the language of the page writes the year before it.
        fileprivate(set) var followsYear: Bool
    }

    /// What a name means in some languages, by their numbers.
    private struct Entry {
        var month: Month
        var languages: Set<UInt16>
    }

    private var entries: [FoldedName: [Entry]] = [:]
    private var yearFirst: Set<UInt16> = []
    /// A bit for each name by its length, its first and its last byte. Most words have none and need not be looked up.
    private var bits = [UInt64](repeating: 0, count: 64)
    /// The languages of each name, in lower case, with accents.
    private var written: [String: Set<UInt16>] = [:]
    /// The words of the longest name that begins with a word, where it has several: `كانون الثاني`.
    private var wordCounts: [FoldedName: Int] = [:]
    private var numbers: [String: UInt16] = [:]
    private var orders: [String: DayStyle.Order?] = [:]
    private var parents: [String: String] = [:]

    /// Words around the fields of a date: `de`, `năm`, `年`, `ж`, `พ`.
    private(set) var connecting: Set<FoldedName> = []
    /// Words before the number of a month, `tháng 12`, and behind it, `12月`.
    private(set) var beforeNumbers: Set<FoldedName> = []
    private(set) var afterNumbers: Set<FoldedName> = []
    /// Names of the days of the week.
    private(set) var weekdays: Set<FoldedName> = []
    /// Eras of Japan and of the Republic of China, and the year before their first one.
    private(set) var eras: [(name: FoldedName, yearBefore: Int)] = []

    // MARK: Questions

    /// The month of a name, whatever its case and accents.
    func meaning(of name: FoldedName, in style: DayStyle) -> Meaning? {
        let bit = Self.bit(of: name)
        guard bits[bit >> 6] & 1 << UInt64(bit & 63) != 0, let entries = entries[name] else { return nil }
        let own = entries.filter { !$0.languages.isDisjoint(with: style.languages) }
        if !own.isEmpty {
            return Meaning(
                months: own.map(\.month),
                followsYear: own.contains { !$0.languages.isDisjoint(with: yearFirst.intersection(style.languages)) })
        }
        func meaning(_ entry: Entry) -> Meaning {
            let followsYear = style.languages.isEmpty && !entry.languages.isDisjoint(with: yearFirst)
            return Meaning(months: [entry.month], followsYear: followsYear)
        }
        if name.count <= 3, name.bytes.allSatisfy({ $0 < 0x80 }) {
            return entries.first {
                $0.languages.contains(Self.everyLanguage) || $0.languages.contains(english)
                    || style.languages.isEmpty && $0.languages.count >= Self.languagesOfShortNames
            }.map(meaning)
        }
        // Where languages differ, most of them decide, or none.
        let isDecided = entries.count == 1 || entries[0].languages.count >= 3 * entries[1].languages.count
        return isDecided ? meaning(entries[0]) : nil
    }

    /// The words of the longest name that begins with this one; 1 for most.
    func wordCount(from first: FoldedName) -> Int { wordCounts[first] ?? 1 }

    /// Whether a word names a month: in English or several languages, or with an accent or another script. `Marc` is a name and `març`
    /// a month, and among hundreds of languages most short names of people are a month somewhere.
    func has(_ word: String) -> Bool {
        let word = word.lowercased()
        guard let languages = written[word] else { return false }
        return languages.count > 1 || languages.contains(english) || word.utf8.contains { $0 >= 0x80 }
    }

    /// The numbers of a language and of what it stands for: `nb` for `no`.
    func numbers(of language: String) -> Set<UInt16> {
        Set([numbers[language], parents[language].flatMap { numbers[$0] }].compactMap(\.self))
    }

    /// Which of day and month a language in a country writes first; nil where that is not known. `en_FR`, which CLDR does not have,
    /// is English as the world writes it.
    func order(of locale: String) -> DayStyle.Order? {
        var locale = locale
        for _ in 0..<5 {
            if let order = orders[locale] { return order }
            if let parent = parents[locale] {
                locale = parent
            } else if let mark = locale.lastIndex(of: "_") {
                let language = locale[..<mark]
                locale = language == "en" && numbers[locale] == nil ? "en_001" : String(language)
            } else {
                return nil
            }
        }
        return nil
    }

    // MARK: Reading

    /// Languages that must have a name of three letters, where the page's language is not known: `de` and `PM` are months somewhere.
    private static let languagesOfShortNames = 3
    /// The language of what is written in several, or in none that CLDR has.
    private static let everyLanguage: UInt16 = 0
    private var english: UInt16 = 0

    private init() {
        var (known, lastLanguage): (Set<String>, String) = ([], "")
        for (index, locale) in CLDR.locales.enumerated() {
            guard let bundle = CLDR.Bundle(locale) else { continue }
            numbers[locale] = UInt16(index + 1)
            parents[locale] = bundle.text("%%Parent")
            let language = String(locale.prefix { $0 != "_" })
            guard let number = numbers[language] else { continue }
            let patterns = readPatterns(bundle, locale, number)
            if language != lastLanguage { (lastLanguage, known) = (language, []) }
            for calendar in [nil] + WrittenCalendar.allCases {
                for name in Self.monthNames(bundle, calendar?.table ?? "gregorian") {
                    let month = Month(calendar: calendar, number: name.number)
                    // Full, short, alone and in another country, a name is often the same.
                    let isNew = known.insert("\(name.number) \(calendar?.table ?? "") \(name.text)").inserted
                    guard isNew || !patterns.isEmpty else { continue }
                    add(name.text, month, number)
                    // `בדצמבר`, `irailaren`: a letter before the name, an ending behind it.
                    for ends in patterns { add(ends.prefix + name.text + ends.suffix, month, number) }
                }
            }
            readEras(bundle)
            readWeekdays(bundle)
        }
        english = numbers["en"] ?? 0
        for (index, names) in Self.otherNames.enumerated() {
            for name in names.split(separator: " ") {
                add(String(name), Month(number: index + 1), Self.everyLanguage)
            }
        }
        for name in entries.keys where entries[name, default: []].count > 1 {
            entries[name]?.sort {
                ($0.month.calendar == nil ? 1 : 0, $0.languages.count) > (
                    $1.month.calendar == nil ? 1 : 0, $1.languages.count
                )
            }
        }
        for word in Self.otherConnecting.split(separator: " ") { connecting.insert(FoldedName(word)) }
    }

    private static func monthNames(_ bundle: borrowing CLDR.Bundle, _ calendar: String) -> [(
        text: String, number: Int
    )] {
        var names: [(String, Int)] = []
        for form in ["format", "stand-alone"] {
            for width in ["wide", "abbreviated"] {
                let texts = bundle.texts(at: ["calendar", calendar, "monthNames", form, width])
                for (index, text) in texts.enumerated() { names.append((text, index + 1)) }
            }
        }
        return names
    }

    /// What stands directly before and behind a month's name in a pattern.
    private struct Ends: Hashable {
        var prefix: String
        var suffix: String
    }

    private mutating func readPatterns(
        _ bundle: borrowing CLDR.Bundle, _ locale: String, _ number: UInt16
    ) -> Set<Ends> {
        let formats = ["calendar", "gregorian", "availableFormats"]
        let texts = bundle.texts(at: ["calendar", "gregorian", "DateTimePatterns"])
        // The full, long, medium and short form of a day stand behind those of the time.
        let numeric = [texts.dropFirst(7).first, bundle.text("yMd", at: formats)].compactMap(\.self)
        if !numeric.isEmpty {
            let written = Set(numeric.compactMap { DatePattern($0).order })
            orders[locale] = .some(written.count == 1 ? written.first : nil)
        }
        let patterns =
            (texts
            + ["yMMMd", "yMMMMd", "yMMMEd", "yMMMMEEEEd", "yMd"].compactMap { bundle.text($0, at: formats) })
            .map { DatePattern($0) }.filter(\.isOfDay)
        for pattern in patterns {
            for word in pattern.words { connecting.insert(FoldedName(word)) }
            if let word = pattern.wordBeforeNumber { beforeNumbers.insert(FoldedName(word)) }
            if let word = pattern.wordAfterNumber { afterNumbers.insert(FoldedName(word)) }
        }
        if patterns.contains(where: \.namesMonthBehindYear) { yearFirst.insert(number) }
        // The words for a year and a day, with which dates are written out: `năm 2026`, `4 ቀን`.
        for field in ["year", "year-short", "day"] {
            guard let name = bundle.text("dn", at: ["fields", field]) else { continue }
            for word in DatePattern.words(of: name) { connecting.insert(FoldedName(word)) }
        }
        return Set(patterns.map { Ends(prefix: $0.prefix, suffix: $0.suffix) }).filter {
            !($0.prefix + $0.suffix).isEmpty
        }
    }

    private mutating func readWeekdays(_ bundle: borrowing CLDR.Bundle) {
        for form in ["format", "stand-alone"] {
            for width in ["wide", "abbreviated"] {
                for text in bundle.texts(at: ["calendar", "gregorian", "dayNames", form, width]) {
                    weekdays.insert(FoldedName(text))
                }
            }
        }
    }

    private mutating func readEras(_ bundle: borrowing CLDR.Bundle) {
        for width in ["wide", "abbreviated"] {
            // Christ's and the Buddha's stand beside the year and change nothing.
            for (calendar, era) in [("gregorian", 1), ("buddhist", 0)] {
                let texts = bundle.texts(at: ["calendar", calendar, "eras", width])
                guard texts.indices.contains(era) else { continue }
                for word in DatePattern.words(of: texts[era]) { connecting.insert(FoldedName(word)) }
            }
            for (calendar, years) in [("japanese", Self.erasOfJapan), ("roc", Self.erasOfChina)] {
                let texts = bundle.texts(at: ["calendar", calendar, "eras", width])
                for (era, yearBefore) in years where texts.indices.contains(era) {
                    let name = FoldedName(texts[era])
                    if name.count > 1, !eras.contains(where: { $0.name == name }) { eras.append((name, yearBefore)) }
                }
            }
        }
    }

    /// From Meiji on.
    private static let erasOfJapan = yearsBefore(232..<240, "japanese")
    private static let erasOfChina = yearsBefore(1..<2, "roc")

    private static func yearsBefore(_ eras: Range<Int>, _ calendar: String) -> [(Int, Int)] {
        eras.compactMap { era in WrittenCalendar.firstYear(ofEra: era, of: calendar).map { (era, $0 - 1) } }
    }

    private static func bit(of name: FoldedName) -> Int {
        guard let first = name.bytes.first, let last = name.bytes.last else { return 0 }
        return (Int(first) &* 31 &+ Int(last) &* 257 &+ name.count &* 131) & 4_095
    }

    private mutating func add(_ name: String, _ month: Month, _ language: UInt16) {
        // `janv.`, `जन॰`: the mark of a short form is no part of it.
        var name = name.lowercased()
        while let last = name.unicodeScalars.last, !LetterFolding.isLetter(last) { name.unicodeScalars.removeLast() }
        // Catalan has `d’abril` and `de març`; a preposition is read as one.
        if name.hasPrefix("de ") { name.removeFirst(3) }
        let words = DatePattern.words(of: name)
        if name.unicodeScalars.contains(where: { DecimalDigit.value(of: $0) != nil }) {
            // `9月`, `tháng 9`
            guard month.calendar == nil, !words.isEmpty, let first = name.first else { return }
            let word = FoldedName(words.joined())
            if first.isNumber { afterNumbers.insert(word) } else { beforeNumbers.insert(word) }
            return
        }
        let folded = FoldedName(name)
        guard let first = words.first, folded.count > 1 else { return }
        if let index = entries[folded]?.firstIndex(where: { $0.month == month }) {
            entries[folded]?[index].languages.insert(language)
        } else {
            entries[folded, default: []].append(Entry(month: month, languages: [language]))
        }
        bits[Self.bit(of: folded) >> 6] |= 1 << UInt64(Self.bit(of: folded) & 63)
        written[name, default: []].insert(language)
        if words.count > 1 {
            let key = FoldedName(first)
            wordCounts[key] = min(6, max(words.count, wordCounts[key] ?? 1))
        }
    }

    /// What CLDR leaves out: spellings without accents or with others, short forms of earlier versions, and cases that other
    /// words of a date ask for.
    private static let otherNames = [
        "janvāra janvārī كانون\u{A0}٢ جنو जन જાન",
        "fév fevrier subat februāra februāri februārī फरवरी فرو फ़र ફેબ",
        "mrz maerz marta martā مرس مار",
        "aprīļa aprīlī ابريل إبريل اپر",
        "μαϊ maija maijā",
        "čer jūnija jūnijā يونيه",
        "jūlija jūlijā يوليه جول जुल",
        "aout agustos augustā اغسطس اگس अग ઑગ",
        "сен setiembre eylul septembrī सितम्बर ستم सित સપ્ટ",
        "oktobrī اكتوبر अक्टूबर تشرين\u{A0}١ اکت अक्तू ઑક્ટ",
        "ноя kasim novembrī नवम्बर تشرين\u{A0}٢ نوم नव નવ",
        "aralik decembrī दिसम्बर كانون\u{A0}١ دسم दिस ડિસ",
    ]

    /// Words of dates that no pattern of CLDR has: `16th of October`, `3 maggio del 2020`, `9 września 2026 roku`.
    private static let otherConnecting = "of del d року год"
}

// MARK: Patterns

/// A pattern of CLDR for a date: `d 'de' MMMM 'de' y`.
private struct DatePattern {
    /// `y`, `M` for a name, `n` for a month's number, `d`, in order; others are left out.
    private var fields: [Character] = []
    /// The texts before, between and behind the fields, of which there is one more.
    private var texts: [String] = [""]
    private var hasTime = false

    init(_ pattern: String) {
        var isQuoted = false
        var last: Character?
        var length = 0
        for character in pattern {
            if character == "'" {
                isQuoted.toggle()
                last = nil
                continue
            }
            guard !isQuoted, character.isASCII, character.isLetter else {
                texts[texts.count - 1].append(character)
                last = nil
                continue
            }
            length = character == last ? length + 1 : 1
            switch character {
            case "y", "u", "r", "d":
                if length == 1 { begin(character == "d" ? "d" : "y") }
            case "M", "L":
                if length == 1 { begin("n") } else if length == 3 { fields[fields.count - 1] = "M" }
            case "G", "E", "c", "e":
                // What stands around a weekday or an era is a text around the others.
                if length == 1 { texts[texts.count - 1].append(" ") }
            default: hasTime = true
            }
            last = character
        }
    }

    private mutating func begin(_ field: Character) {
        fields.append(field)
        texts.append("")
    }

    /// Whether it is of day, month and year, and nothing else.
    var isOfDay: Bool { !hasTime && fields.count == 3 && fields.contains("y") && fields.contains("d") }

    var order: DayStyle.Order? {
        switch String(fields) {
        case "dny": .dayFirst
        case "ndy": .monthFirst
        default: nil
        }
    }

    var namesMonthBehindYear: Bool { fields.first == "y" && fields.contains("M") }

    var words: [String] { texts.flatMap(Self.words) }

    static func words(of text: String) -> [String] {
        text.unicodeScalars.split { !LetterFolding.isLetter($0) || DecimalDigit.value(of: $0) != nil }.map {
            String($0)
        }
    }

    private func place(of field: Character) -> Int? { fields.firstIndex(of: field) }

    /// `月` of `y年M月d日`: letters directly behind the number.
    var wordAfterNumber: String? {
        guard let place = place(of: "n"), let first = texts[place + 1].unicodeScalars.first,
            LetterFolding.isLetter(first)
        else { return nil }
        return Self.words(of: texts[place + 1]).first
    }

    /// `tháng` of `'ngày' d 'tháng' M 'năm' y`.
    var wordBeforeNumber: String? {
        guard let place = place(of: "n"), place == 0 || fields[place - 1] == "d", wordAfterNumber == nil else {
            return nil
        }
        return Self.words(of: texts[place]).last
    }

    /// Letters directly before and behind the month's name.
    var prefix: String {
        guard let place = place(of: "M") else { return "" }
        return String(texts[place].reversed().prefix(while: Self.isLetter).reversed())
    }

    var suffix: String {
        guard let place = place(of: "M") else { return "" }
        return String(texts[place + 1].prefix(while: Self.isLetter))
    }

    private static func isLetter(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy(LetterFolding.isLetter)
    }
}
