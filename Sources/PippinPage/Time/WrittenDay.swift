/// A day of the calendar as people write it in a text: `14. Dezember 2015`, `December 14th, 2015`, `14/12/2015`,
/// `2015年12月14日`. Months are read in the languages of `months`.
struct WrittenDay: Hashable {
    var year: Int
    var month: Int
    var day: Int
    /// Where it stands in the text, in bytes.
    var range: Range<Int>
    /// A year of two digits is a guess: `12.01.17`.
    var hasShortYear = false

    /// ISO 8601.
    var text: String {
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
    }

    /// The days that a text names, in order. Time and memory grow with the text alone.
    ///
    /// - Parameter dayFirst: whether `5/6/2015` is in June.
    static func all(in text: [UInt8], dayFirst: Bool, maximum: Int = 8) -> [WrittenDay] {
        guard mayStand(in: text) else { return [] }
        let reader = Reader(text, dayFirst: dayFirst)
        var days: [WrittenDay] = []
        var i = 0
        while i < reader.tokens.count, days.count < maximum {
            guard let (day, next) = reader.day(at: i) else {
                i += 1
                continue
            }
            days.append(day)
            i = next
        }
        return days
    }

    /// Whether a text has two numbers: a year, and a day of the month.
    private static func mayStand(in text: [UInt8]) -> Bool {
        var numbers = 0
        var wasDigit = false
        for (i, byte) in text.enumerated() {
            // The last bytes of a digit beyond ASCII are no digits, so each such digit counts as a number of its own.
            let isDigit = byte.isASCIIDigit || byte >= 0xD9 && Reader.digit(text, i) != nil
            if isDigit, !wasDigit || byte >= 0x80 {
                numbers += 1
                if numbers == 2 { return true }
            }
            wasDigit = isDigit
        }
        return false
    }

    /// The first day that a text names.
    static func first(in text: String, dayFirst: Bool) -> WrittenDay? {
        all(in: Array(text.utf8.prefix(200)), dayFirst: dayFirst, maximum: 1).first
    }
}

// MARK: Reading

private struct Reader {
    enum Kind { case number, word, mark }

    struct Token {
        var kind: Kind
        var range: Range<Int>
        /// Of a number.
        var value = 0
        var digits = 0
        /// Of a mark.
        var byte: UInt8 = 0
    }

    let text: [UInt8]
    let dayFirst: Bool
    private(set) var tokens: [Token] = []

    init(_ text: [UInt8], dayFirst: Bool) {
        self.text = text
        self.dayFirst = dayFirst
        var i = 0
        while i < text.count {
            let byte = text[i]
            if Self.digit(text, i) != nil {
                var token = Token(kind: .number, range: i..<i)
                while let (digit, length) = Self.digit(text, i) {
                    if token.digits < 9 { token.value = token.value * 10 + digit }
                    token.digits += 1
                    i += length
                }
                token.range = token.range.lowerBound..<i
                tokens.append(token)
            } else if byte == 0xC2, i + 1 < text.count, text[i + 1] == 0xA0 {
                // A space that keeps words together.
                i += 2
            } else if byte.isASCIILetter || byte >= 0x80 {
                let start = i
                while i < text.count, text[i].isASCIILetter || text[i] >= 0x80 && Self.digit(text, i) == nil {
                    if text[i] == 0xC2, i + 1 < text.count, text[i + 1] == 0xA0 { break }
                    i += 1
                }
                tokens.append(Token(kind: .word, range: start..<i))
            } else {
                if byte > 0x20 { tokens.append(Token(kind: .mark, range: i..<i + 1, byte: byte)) }
                i += 1
            }
        }
    }

    /// A decimal digit of ASCII, Arabic, Persian, Devanagari or in full width, and how many bytes it has.
    static func digit(_ text: [UInt8], _ i: Int) -> (value: Int, length: Int)? {
        guard i < text.count else { return nil }
        let byte = text[i]
        if byte.isASCIIDigit { return (Int(byte & 0xF), 1) }
        guard byte >= 0x80 else { return nil }
        if i + 1 < text.count {
            let next = Int(text[i + 1])
            if byte == 0xD9, (0xA0...0xA9).contains(next) { return (next - 0xA0, 2) }
            if byte == 0xDB, (0xB0...0xB9).contains(next) { return (next - 0xB0, 2) }
        }
        if i + 2 < text.count {
            let last = Int(text[i + 2])
            if byte == 0xE0, text[i + 1] == 0xA5, (0xA6...0xAF).contains(last) { return (last - 0xA6, 3) }
            if byte == 0xEF, text[i + 1] == 0xBC, (0x90...0x99).contains(last) { return (last - 0x90, 3) }
        }
        return nil
    }

    // MARK: Tokens

    private func number(_ i: Int, digits: ClosedRange<Int>) -> Token? {
        guard i < tokens.count, tokens[i].kind == .number, digits.contains(tokens[i].digits) else { return nil }
        return tokens[i]
    }

    private func mark(_ i: Int) -> UInt8? {
        i >= 0 && i < tokens.count && tokens[i].kind == .mark ? tokens[i].byte : nil
    }

    private func word(_ i: Int) -> ArraySlice<UInt8>? {
        i >= 0 && i < tokens.count && tokens[i].kind == .word ? text[tokens[i].range] : nil
    }

    private func isWord(_ i: Int, _ words: Set<String>) -> Bool {
        guard let word = word(i), word.count <= 12 else { return false }
        return words.contains(String(decoding: word, as: UTF8.self).lowercased())
    }

    /// The month that begins at a token, and the token behind its name and its point.
    private func month(_ i: Int) -> (month: Int, next: Int)? {
        guard let word = word(i), word.count <= 36 else { return nil }
        func found(through last: Int) -> (month: Int, next: Int)? {
            let name = FoldedName(
                String(decoding: text[tokens[i].range.lowerBound..<tokens[last].range.upperBound], as: UTF8.self))
            return WrittenDay.months[name].map { ($0, mark(last + 1) == UInt8(ascii: ".") ? last + 2 : last + 1) }
        }
        if let found = found(through: i) { return found }
        // `كانون الثاني`, `ธ.ค.`, `tháng 12`: months of two words.
        let second = mark(i + 1) == UInt8(ascii: ".") ? i + 2 : i + 1
        if let next = self.word(second), next.count <= 24, next.first.map({ $0 >= 0x80 }) == true {
            return found(through: second)
        }
        guard number(i + 1, digits: 1...2) != nil,
            WrittenDay.beforeNumbers.contains(FoldedName(String(decoding: word, as: UTF8.self)))
        else { return nil }
        return found(through: i + 1)
    }

    private static let connecting: Set<String> = ["de", "del", "of", "di", "d", "năm"]
    private static let ordinals: Set<String> = ["st", "nd", "rd", "th", "er", "re", "º", "ª", "°", "го", "e", "o", "a"]

    // MARK: Days

    /// The day that begins at a token, and the token behind it.
    func day(at i: Int) -> (WrittenDay, next: Int)? {
        if tokens[i].kind == .word { return monthFirst(i) }
        if let year = number(i, digits: 4...4) { return yearFirst(i, year) }
        guard number(i, digits: 1...2) != nil, !followsNumber(i) else { return nil }
        return numeric(i) ?? wordedMonth(i)
    }

    /// Part of a longer number: `192.168.1.20`, `1.2.3`.
    private func followsNumber(_ i: Int) -> Bool {
        guard let mark = mark(i - 1), mark == 0x2E || mark == 0x2F || mark == 0x2D || mark == 0x2C, i >= 2 else {
            return false
        }
        return tokens[i - 2].kind == .number && tokens[i - 2].range.upperBound + 1 == tokens[i].range.lowerBound
    }

    private func made(_ year: Int, _ month: Int, _ day: Int, _ first: Int, _ last: Int, shortYear: Bool = false) -> (
        WrittenDay, Int
    )? {
        let year = SchemaOrg.yearsOfThailand.contains(year) ? year - 543 : year
        guard (1_000...2_999).contains(year), CivilTime(year: year, month: month, day: day).date != nil else {
            return nil
        }
        let range = tokens[first].range.lowerBound..<tokens[last].range.upperBound
        return (WrittenDay(year: year, month: month, day: day, range: range, hasShortYear: shortYear), last + 1)
    }

    /// `2015-12-14`, `2015. 12. 14.`, `2015年12月14日`, `2015. december 14.`
    private func yearFirst(_ i: Int, _ year: Token) -> (WrittenDay, Int)? {
        var next = i + 1
        if let first = mark(next), first == 0x2D || first == 0x2F || first == 0x2E {
            if let month = number(next + 1, digits: 1...2), mark(next + 2) == first,
                let day = number(next + 3, digits: 1...2)
            {
                return made(year.value, month.value, day.value, i, next + 3)
            }
            guard first == 0x2E else { return nil }
            next += 1
        } else if isWord(next, ["年", "년"]) {
            guard let month = number(next + 1, digits: 1...2), isWord(next + 2, ["月", "월"]),
                let day = number(next + 3, digits: 1...2)
            else { return nil }
            return made(year.value, month.value, day.value, i, next + 3)
        } else if isWord(next, ["m", "року", "год"]), mark(next + 1) == 0x2E {
            next += 2
        }
        guard let (month, place) = month(next), let day = number(place, digits: 1...2) else { return nil }
        return made(year.value, month, day.value, i, place)
    }

    /// `14.12.2015`, `14/12/15`, `12-14-2015`.
    private func numeric(_ i: Int) -> (WrittenDay, Int)? {
        guard let first = mark(i + 1), first == 0x2E || first == 0x2F || first == 0x2D,
            let second = number(i + 2, digits: 1...2), mark(i + 3) == first, let year = number(i + 4, digits: 2...4),
            year.digits != 3
        else { return nil }
        // A version or an address goes on.
        if let after = mark(i + 5), after == first, after != 0x2D, number(i + 6, digits: 1...9) != nil,
            tokens[i + 6].range.lowerBound == tokens[i + 4].range.upperBound + 1
        {
            return nil
        }
        let short = year.digits == 2
        if short, tokens[i].digits == 1, first == 0x2D { return nil }
        let value = short ? (year.value < 70 ? 2_000 : 1_900) + year.value : year.value
        let (a, b) = (tokens[i].value, second.value)
        let isDayFirst = first == 0x2E || a > 12 || b <= 12 && dayFirst
        return made(value, isDayFirst ? b : a, isDayFirst ? a : b, i, i + 4, shortYear: short)
    }

    /// `14. Dezember 2015`, `14th of December 2015`, `14 de diciembre de 2015`, `14-Dec-15`.
    private func wordedMonth(_ i: Int) -> (WrittenDay, Int)? {
        let day = tokens[i]
        guard (1...31).contains(day.value) else { return nil }
        var next = i + 1
        while next < i + 5, month(next) == nil {
            if let mark = mark(next) {
                guard mark == 0x2E || mark == 0x2D || mark == 0x2F || mark == 0x27 || mark == 0x2C else { return nil }
            } else if !isWord(next, Self.ordinals), !isWord(next, Self.connecting) {
                return nil
            }
            next += 1
        }
        guard let (month, place) = month(next) else { return nil }
        next = place
        var last: UInt8 = 0
        let limit = next + 3
        while next < limit, next < tokens.count, tokens[next].kind != .number {
            if let mark = mark(next) {
                guard mark == 0x2E || mark == 0x2D || mark == 0x2F || mark == 0x2C || mark == 0x27 else { return nil }
                last = mark
            } else if !isWord(next, Self.connecting) {
                return nil
            }
            next += 1
        }
        if let year = number(next, digits: 4...4) { return made(year.value, month, day.value, i, next) }
        // `14 January 20` is a day, `14 January, 20 people` is none.
        guard last != 0x2C, let year = number(next, digits: 2...2), last != 0 || word(next + 1) == nil else {
            return nil
        }
        return made(
            (year.value < 70 ? 2_000 : 1_900) + year.value, month, day.value, i, next, shortYear: true)
    }

    /// `December 14th, 2015`, `Dec. 14 2015`.
    private func monthFirst(_ i: Int) -> (WrittenDay, Int)? {
        // Most words are no months. The day stands behind a second word, a point and a dash at most.
        guard (i + 1...i + 4).contains(where: { number($0, digits: 1...2) != nil }), let (month, place) = month(i)
        else {
            return nil
        }
        var next = place
        if mark(next) == 0x2D || mark(next) == 0x2F { next += 1 }
        guard let day = number(next, digits: 1...2) else { return nil }
        next += 1
        if isWord(next, Self.ordinals) { next += 1 }
        if let mark = mark(next) {
            guard mark == 0x2C || mark == 0x2E || mark == 0x2D || mark == 0x2F else { return nil }
            next += 1
        } else if isWord(next, Self.connecting) {
            next += 1
        }
        guard let year = number(next, digits: 4...4) else { return nil }
        return made(year.value, month, day.value, i, next)
    }
}

// MARK: Months

extension WrittenDay {
    /// Names of months in lower case, in the languages that most pages are in: in full and short, in the cases that stand in
    /// dates, and without the dots of Turkish. Those of Unicode's CLDR are all here, but for Croatian's `listopad`, October, `lipanj`
    /// and `srpanj` in short: these are left to Czech and Polish, where they are other months.
    private static let monthNames: [(name: Substring, month: Int)] = {
        let names = [
            """
            january jan januar jänner jän janvier janv enero ene gennaio gen janeiro januari januára január stycznia
            styczeń sty ledna leden led ianuarie ian января январь янв січня січень січ студзеня ocak oca siječnja siječanj
            januarja јануар јануара януари яну ιανουαρίου ιανουάριος ιαν tammikuuta tammikuu jaanuar janvāris janvāra
            janvārī sausio sausis gener xaneiro يناير جانفي ژانویه जनवरी ינואר בינואר มกราคม janúar كانون\u{A0}الثاني
            студзень сту sij јан јануари tammi jaan saus xan urtarrila urt كانون\u{A0}٢ جنوری جنو जन জানুয়ারী জানু ינו׳
            ม.ค tháng\u{A0}1 thg\u{A0}1 januarie janar հունվարի հունվար հնվ იანვარი იან yanvar yan қаңтар қаң जानेवारी जाने
            જાન્યુઆરી જાન ஜனவரி ஜன జనవరి జన ಜನವರಿ ಜನ ജനുവരി ജനു ਜਨਵਰੀ ਜਨ
            """,
            """
            february feb februar febr feber février févr fév fevrier febrero febbraio fevereiro fev februari februára
            február lutego luty lut února únor úno februarie февраля февраль фев февр лютого лютий лют şubat subat şub
            veljače veljača februarja фебруар фебруара февруари φεβρουαρίου φεβρουάριος φεβ helmikuuta helmikuu veebruar
            februāris februāra februārī vasario vasaris febrer febreiro فبراير فيفري فوریه फ़रवरी फरवरी פברואר בפברואר
            กุมภาพันธ์ febrúar лютага люты velj феб helmi veebr vas otsaila ots شباط فروری فرو फ़र ফেব্রুয়ারী ফেব פבר׳ ก.พ
            tháng\u{A0}2 thg\u{A0}2 shkurt shk փետրվարի փետրվար փտվ თებერვალი თებ fevral ақпан ақп pebrero peb फेब्रुवारी
            फेब्रु ફેબ્રુઆરી ફેબ பிப்ரவரி பிப் ఫిబ్రవరి ఫిబ్ర ಫೆಬ್ರವರಿ ಫೆಬ್ರ ഫെബ്രുവരി ഫെബ്രു ਫ਼ਰਵਰੀ ਫ਼ਰ
            """,
            """
            march mar märz mrz mär maerz mars marzo março marco maart mrt marca marzec března březen bře martie mart марта
            март мар березня березень бер сакавіка ožujka ožujak března marec marts марта μαρτίου μάρτιος μαρ maaliskuuta
            maaliskuu märts martā kovo kovas març مارس مارچ मार्च מרץ במרץ מרס มีนาคม március márc сакавік сак ožu maalis
            kov martxoa آذار مار মার্চ มี.ค maret mac tháng\u{A0}3 thg\u{A0}3 մարտի մարտ մրտ მარტი მარ наурыз нау marso
            માર્ચ மார்ச் மார் మార్చి ಮಾರ್ಚ್ മാർച്ച് മാർ ਮਾਰਚ
            """,
            """
            april apr avril avr abril abr aprile kwietnia kwiecień kwi dubna duben dub aprilie апреля апрель апр квітня
            квітень кві красавіка nisan nis travnja travanj aprila апреля април априла απριλίου απρίλιος απρ huhtikuuta
            huhtikuu aprill aprīlis aprīļa aprīlī balandžio balandis أبريل ابريل إبريل نيسان أفريل آوریل अप्रैल אפריל
            באפריל เมษายน április ápr apríl apríla квіт красавік кра tra huhti bal d’abril apirila api اپریل اپر এপ্রিল
            এপ্রি אפר׳ เม.ย tháng\u{A0}4 thg\u{A0}4 prill pri ապրիլի ապրիլ ապր აპრილი აპრ aprel сәуір сәу एप्रिल एप्रि
            એપ્રિલ ஏப்ரல் ஏப் ఏప్రిల్ ఏప్రి ಏಪ್ರಿಲ್ ಏಪ್ರಿ ഏപ്രിൽ ഏപ്രി ਅਪ੍ਰੈਲ ਅਪ੍ਰੈ
            """,
            """
            may mai mayo maggio mag maio mei maja maj května květen kvě mája máj мая май травня травень тра мая mayıs mayis
            svibnja svibanj maja мај маја μαΐου μαίου μάιος μαϊ toukokuuta toukokuu maijs maija maijā gegužės gegužė maig
            maí مايو ماي أيار مه मई מאי במאי พฤษภาคม május трав svi touko geg maiatza مئی মে พ.ค tháng\u{A0}5 thg\u{A0}5
            մայիսի մայիս մյս მაისი მაი мамыр мам मे મે மே మే ಮೇ മേയ് ਮਈ
            """,
            """
            june jun juni juin junio giugno giu junho czerwca czerwiec cze června červen čer iunie iun июня июнь июн червня
            червень чер чэрвеня haziran haz lipnja lipanj junija јун јуна юни ιουνίου ιούνιος ιουν kesäkuuta kesäkuu juuni
            jūnijs jūnija jūnijā birželio birželis juny xuño يونيو يونيه جوان حزيران ژوئن जून יוני ביוני มิถุนายน június
            júní júna jún čvn черв чэрвень чэр junij јуни kesä birž ekaina eka جون জুন มิ.ย tháng\u{A0}6 thg\u{A0}6 junie
            qershor qer հունիսի հունիս հնս ივნისი ივნ iyun iyn маусым мау hunyo hun જૂન ஜூன் జూన్ ಜೂನ್ ജൂൺ ਜੂਨ
            """,
            """
            july jul juli juillet juil julio luglio lug julho lipca lipiec lip července červenec čvc iulie iul июля июль
            июл липня липень ліпеня temmuz tem srpnja srpanj julija јул јула юли ιουλίου ιούλιος ιουλ heinäkuuta heinäkuu
            juuli jūlijs jūlija jūlijā liepos liepa juliol xullo يوليو يوليه جويلية تموز ژوئیه जुलाई יולי ביולי กรกฎาคม
            július júl júla лип ліпень ліп julij јули heinä liep xul uztaila uzt يوليوز جولائی جول जुल জুলাই জুল ก.ค julai
            tháng\u{A0}7 thg\u{A0}7 julie korrik korr հուլիսի հուլիս հլս ივლისი ივლ iyul iyl шілде шіл hulyo hul जुलै જુલાઈ
            ஜூலை జులై ಜುಲೈ ജൂലൈ ਜੁਲਾਈ ਜੁਲਾ
            """,
            """
            august aug août aout agosto ago augustus augusti sierpnia sierpień sie srpna srpen srp августа август авг
            серпня серпень жніўня ağustos agustos ağu kolovoza kolovoz avgust avgusta август августа αυγούστου αύγουστος
            αυγ elokuuta elokuu augusts augusta augustā rugpjūčio rugpjūtis agost أغسطس اغسطس أوت آب اوت अगस्त אוגוסט
            באוגוסט สิงหาคม augusztus ágúst серп жнівень жні kol avg elo rugp d’agost ag abuztua abu غشت اگست اگس अग আগস্ট
            আগ אוג׳ ส.ค agustus ogos ogo tháng\u{A0}8 thg\u{A0}8 gusht gush օգոստոսի օգոստոս օգս აგვისტო აგვ avqust avq
            тамыз там ऑगस्ट ऑग ઑગસ્ટ ઑગ ஆகஸ்ட் ஆக ఆగస్టు ఆగ ಆಗಸ್ಟ್ ಆಗ ഓഗസ്റ്റ് ഓഗ ਅਗਸਤ ਅਗ
            """,
            """
            september sept sep septembre septiembre setiembre settembre set setembro września wrzesień wrz září zář
            septembrie сентября сентябрь сен сент вересня вересень вер верасня eylül eylul eyl rujna rujan septembra
            септембар септембра септември σεπτεμβρίου σεπτέμβριος σεπ syyskuuta syyskuu septembris septembrī rugsėjo
            rugsėjis setembre سبتمبر أيلول سپتامبر सितंबर सितम्बर ספטמבר בספטמבר กันยายน szeptember szept верасень ruj сеп
            septembar syys rugs iraila ira شتنبر ستمبر ستم सित সেপ্টেম্বর সেপ ספט׳ ก.ย tháng\u{A0}9 thg\u{A0}9 shtator sht
            սեպտեմբերի սեպտեմբեր սեպ სექტემბერი სექ sentyabr sen қыркүйек қыр sentabr setyembre सप्टेंबर सप्टें સપ્ટેમ્બર
            સપ્ટ செப்டம்பர் செப் సెప్టెంబర్ సెప్టెం ಸೆಪ್ಟೆಂಬರ್ ಸೆಪ್ಟೆಂ സെപ്റ്റംബർ സെപ്റ്റം ਸਤੰਬਰ ਸਤੰ
            """,
            """
            october oct oktober okt octobre octubre ottobre ott outubro out października październik paź října říjen říj
            octombrie oktobra октября октябрь окт жовтня жовтень жов кастрычніка ekim eki oktobar октобар октобра октомври
            οκτωβρίου οκτώβριος οκτ lokakuuta lokakuu oktoober oktobris oktobrī spalio spalis أكتوبر اكتوبر اکتبر अक्टूबर
            אוקטובר באוקטובר ตุลาคม október októbra تشرين\u{A0}الأول жовт кастрычнік кас loka spal d’octubre urria urr
            تشرين\u{A0}١ اکتوبر اکت अक्तूबर अक्तू অক্টোবর অক্টো אוק׳ ต.ค tháng\u{A0}10 thg\u{A0}10 tetor tet հոկտեմբերի
            հոկտեմբեր հոկ ოქტომბერი ოქტ oktyabr қазан қаз oktabr oktubre ऑक्टोबर ऑक्टो ઑક્ટોબર ઑક્ટ அக்டோபர் அக் అక్టోబర్
            అక్టో ಅಕ್ಟೋಬರ್ ಅಕ್ಟೋ ഒക്\u{200C}ടോബർ ഒക്ടോ ਅਕਤੂਬਰ ਅਕਤੂ
            """,
            """
            november nov novembre noviembre novembro listopada listopad lis noiembrie ноября ноябрь ноя нояб листопада
            листопад лис лістапада kasım kasim kas studenoga studenog studeni novembra новембар новембра ноември νοεμβρίου
            νοέμβριος νοε marraskuuta marraskuu novembris novembrī lapkričio lapkritis نوفمبر نوامبر नवंबर नवम्बर נובמבר
            בנובמבר พฤศจิกายน nóvember تشرين\u{A0}الثاني listopadu лист лістапад ліс stu нов novembar ное marras lapkr
            azaroa aza نونبر تشرين\u{A0}٢ نومبر نوم नव নভেম্বর নভে נוב׳ พ.ย tháng\u{A0}11 thg\u{A0}11 nëntor nën նոյեմբերի
            նոյեմբեր նոյ ნოემბერი ნოე noyabr noy қараша қар nobyembre nob नोव्हेंबर नोव्हें નવેમ્બર નવ நவம்பர் நவ నవంబర్
            నవం ನವೆಂಬರ್ ನವೆಂ നവംബർ നവം ਨਵੰਬਰ ਨਵੰ
            """,
            """
            december dec dezember dez décembre déc decembre diciembre dic dicembre dezembro grudnia grudzień gru prosince
            prosinec pro decembrie декабря декабрь дек грудня грудень гру снежня aralık aralik ara prosinca prosinac
            decembra desember des децембар децембра декември δεκεμβρίου δεκέμβριος δεκ joulukuuta joulukuu detsember
            decembris decembrī gruodžio gruodis desembre decembro ديسمبر دسامبر दिसंबर दिसम्बर דצמבר בדצמבר ธันวาคม
            كانون\u{A0}الأول груд снежань сне дец decembar joulu dets gruod abendua abe دجنبر كانون\u{A0}١ دسمبر دسم दिस
            ডিসেম্বর ডিসে דצמ׳ ธ.ค disember dis tháng\u{A0}12 thg\u{A0}12 dhjetor dhj դեկտեմբերի դեկտեմբեր դեկ დეკემბერი
            დეკ dekabr dek желтоқсан жел disyembre डिसेंबर डिसें ડિસેમ્બર ડિસ டிசம்பர் டிச డిసెంబర్ డిసెం ಡಿಸೆಂಬರ್ ಡಿಸೆಂ
            ഡിസംബർ ഡിസം ਦਸੰਬਰ ਦਸੰ
            """,
        ]
        return names.enumerated().flatMap { index, text in
            text.split { $0 == " " || $0 == "\n" }.map { (name: $0, month: index + 1) }
        }
    }()

    /// The month that a name or its short form is of, whatever its case and accents.
    fileprivate static let months: [FoldedName: Int] = {
        var months: [FoldedName: Int] = [:]
        for (name, month) in monthNames { months[FoldedName(name)] = month }
        return months
    }()

    private static let writtenMonths = Set(monthNames.lazy.map { String($0.name) })

    /// Whether a word names a month. Accents count, because `Marc` is a name and `març` a month.
    static func isMonth(_ word: String) -> Bool { writtenMonths.contains(word.lowercased()) }

    /// Words before the number of a month: `tháng 12`, and `تشرين ٢`.
    fileprivate static let beforeNumbers: Set<FoldedName> = Set(
        ["tháng", "thg", "تشرين", "كانون"].map { FoldedName($0) })
}
