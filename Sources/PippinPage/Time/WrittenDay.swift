/// A day of the calendar as people write it in a text: `14. Dezember 2015`, `December 14th, 2015`, `14/12/2015`,
/// `2015年12月14日`, `令和8年9月9日`. Months and the words around them are those of `MonthNames`; days of other calendars
/// become days of the Gregorian one.
struct WrittenDay: Hashable {
    var year: Int
    var month: Int
    var day: Int
    /// Where it stands in the text, in bytes.
    var range: Range<Int>

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
    static func all(in text: [UInt8], as style: DayStyle, maximum: Int = 8) -> [WrittenDay] {
        guard mayStand(in: text) else { return [] }
        let reader = WrittenDayReader(text, style)
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
            let isDigit = DecimalDigit(in: text, at: i) != nil
            if isDigit, !wasDigit || byte >= 0x80 {
                numbers += 1
                if numbers == 2 { return true }
            }
            wasDigit = isDigit
        }
        return false
    }

    /// The first day that a text names.
    static func first(in text: String, as style: DayStyle) -> WrittenDay? {
        all(in: Array(text.utf8.prefix(200)), as: style, maximum: 1).first
    }
}

// MARK: Reading

private struct WrittenDayReader {
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
    let style: DayStyle
    private let names = MonthNames.all
    private(set) var tokens: [Token] = []

    init(_ text: [UInt8], _ style: DayStyle) {
        self.text = text
        self.style = style
        tokens.reserveCapacity(min(64, text.count / 2))
        var i = 0
        while i < text.count {
            if DecimalDigit(in: text, at: i) != nil {
                var token = Token(kind: .number, range: i..<i)
                while let digit = DecimalDigit(in: text, at: i) {
                    if token.digits < 9 { token.value = token.value * 10 + digit.value }
                    token.digits += 1
                    i += digit.length
                }
                token.range = token.range.lowerBound..<i
                tokens.append(token)
                continue
            }
            let part = Self.part(of: text, at: i)
            switch part.kind {
            case .letter:
                let end = Self.endOfWord(in: text, from: i)
                tokens.append(Token(kind: .word, range: i..<end))
                i = end
                continue
            case .mark(let byte): tokens.append(Token(kind: .mark, range: i..<i + part.length, byte: byte))
            case .space, .unseen: break
            }
            i += part.length
        }
    }

    private static func endOfWord(in text: [UInt8], from start: Int) -> Int {
        var i = start
        var end = start
        while i < text.count, DecimalDigit(in: text, at: i) == nil {
            let part = part(of: text, at: i)
            // What joins letters is in the word only between them.
            guard part.kind == .letter || part.kind == .unseen else { break }
            i += part.length
            if part.kind == .letter { end = i }
        }
        return end
    }

    private enum Part: Equatable {
        case letter, space, unseen
        /// As the mark of ASCII that means the same, if there is one.
        case mark(UInt8)
    }

    /// The character at a byte that begins no digit.
    private static func part(of text: [UInt8], at i: Int) -> (kind: Part, length: Int) {
        let lead = text[i]
        if lead < 0x80 { return (lead.isASCIILetter ? .letter : lead > 0x20 ? .mark(lead) : .space, 1) }
        let length = min(lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4, text.count - i)
        var value = UInt32(lead) & (0x7F >> UInt32(length))
        for offset in 1..<max(length, 1) { value = value << 6 | UInt32(text[i + offset] & 0x3F) }
        switch value {
        case 0xA0, 0x1361, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: return (.space, length)
        case 0xAD, 0x61C, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2069, 0xFEFF: return (.unseen, length)
        case 0x55D, 0x60C, 0x104A, 0x1363, 0x2E41, 0x3001, 0xFF0C: return (.mark(UInt8(ascii: ",")), length)
        case 0x3002, 0xFF0E, 0x6D4, 0x5F3, 0x970, 0xAF0: return (.mark(UInt8(ascii: ".")), length)
        case 0xFF0F, 0x2044, 0x2215: return (.mark(UInt8(ascii: "/")), length)
        case 0x2010...0x2013, 0x2212, 0xFF0D: return (.mark(UInt8(ascii: "-")), length)
        case 0x2019, 0x2BC: return (.mark(UInt8(ascii: "'")), length)
        // `1° maggio`
        case 0xB0: return (.letter, length)
        default: break
        }
        if case .separator = LetterFolding.single(value) { return (.mark(0xFF), length) }
        return (.letter, length)
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

    private func name(_ i: Int, through last: Int) -> FoldedName {
        let written = text[tokens[i].range.lowerBound..<tokens[last].range.upperBound]
        return written.allSatisfy { $0 < 0x80 }
            ? FoldedName(ascii: written) : FoldedName(String(decoding: written, as: UTF8.self))
    }

    private func isWord(_ i: Int, _ words: Set<String>) -> Bool {
        guard let word = word(i), word.count <= 12 else { return false }
        return words.contains(String(decoding: word, as: UTF8.self).lowercased())
    }

    private func isWord(_ i: Int, _ words: Set<FoldedName>) -> Bool {
        guard let word = word(i), word.count <= 36 else { return false }
        return words.contains(name(i, through: i))
    }

    private struct Month {
        var months: [MonthNames.Month]
        var followsYear: Bool
        /// The token behind its name and its point.
        var next: Int
    }

    /// The month that begins at a token.
    private func month(_ i: Int) -> Month? {
        if number(i, digits: 1...2) != nil {
            // `12月`, `12-р сарын`
            let start = mark(i + 1) == 0x2D ? i + 2 : i + 1
            for last in [start + 1, start] where word(start) != nil && word(last) != nil {
                guard names.afterNumbers.contains(name(start, through: last)) else { continue }
                return Month(months: [.init(number: tokens[i].value)], followsYear: true, next: last + 1)
            }
            return nil
        }
        guard let word = word(i), word.count <= 48 else { return nil }
        let first = name(i, through: i)
        // `كانون الثاني`, `ธ.ค.`: months of several words, the longest first.
        for count in (1...names.wordCount(from: first)).reversed() {
            var last = i
            for _ in 1..<count {
                last += 1
                while mark(last) != nil { last += 1 }
            }
            guard last == i || self.word(last) != nil, last - i < 12 else { continue }
            if let meaning = names.meaning(of: last == i ? first : name(i, through: last), in: style) {
                return Month(
                    months: meaning.months, followsYear: meaning.followsYear || !isSmall(word),
                    next: mark(last + 1) == UInt8(ascii: ".") ? last + 2 : last + 1)
            }
        }
        // `tháng 12`, and `تشرين ٢`.
        guard number(i + 1, digits: 1...2) != nil else { return nil }
        if names.beforeNumbers.contains(first) {
            return Month(months: [.init(number: tokens[i + 1].value)], followsYear: true, next: i + 2)
        }
        return names.meaning(of: name(i, through: i + 1), in: style).map {
            Month(months: $0.months, followsYear: true, next: i + 2)
        }
    }

    /// Whether a word begins with a small letter of ASCII, where names of months in English do not.
    private func isSmall(_ word: ArraySlice<UInt8>) -> Bool { word.first.map { $0 | 0x20 == $0 && $0 < 0x80 } ?? false }

    /// The token behind words and marks between two parts of a date, of which there are few.
    private func gap(_ i: Int) -> Int {
        var next = i
        while next < i + 5, isMarkOfDates(next) || isWord(next, names.connecting) { next += 1 }
        return next
    }

    /// The token behind the day of the week, if one begins here: `5 March, Tuesday, 2013`.
    private func behindWeekday(_ i: Int) -> Int { isWord(i, names.weekdays) ? gap(i + 1) : i }

    private func isMarkOfDates(_ i: Int) -> Bool {
        switch mark(i) {
        case 0x2E, 0x2D, 0x2F, 0x2C, 0x27, 0x28, 0x29: true
        default: false
        }
    }

    private static let ordinals: Set<String> = ["st", "nd", "rd", "th", "er", "re", "º", "ª", "°", "го", "e", "o", "a"]

    // MARK: Days

    /// The day that begins at a token, and the token behind it.
    func day(at i: Int) -> (WrittenDay, next: Int)? {
        if tokens[i].kind == .word { return monthFirst(i) ?? eraFirst(i) }
        if let year = number(i, digits: 4...4) {
            // `978-3-2015-12-1`
            return mark(i - 1) != 0x2C && followsNumber(i) ? nil : yearFirst(i, year.value, behind: i + 1)
        }
        guard number(i, digits: 1...2) != nil, !followsNumber(i) else { return nil }
        return numeric(i) ?? wordedMonth(i) ?? numberedMonth(i)
    }

    /// Part of a longer number: `192.168.1.20`, `1.2.3`.
    private func followsNumber(_ i: Int) -> Bool {
        guard let mark = mark(i - 1), mark == 0x2E || mark == 0x2F || mark == 0x2D || mark == 0x2C, i >= 2 else {
            return false
        }
        return tokens[i - 2].kind == .number && tokens[i - 2].range.upperBound + 1 == tokens[i].range.lowerBound
    }

    private func made(
        _ year: Int, _ months: [MonthNames.Month], _ day: Int, _ first: Int, _ last: Int
    ) -> (WrittenDay, Int)? {
        let range = tokens[first].range.lowerBound..<tokens[last].range.upperBound
        let isOfOther = months.first {
            $0.calendar.map { $0.years.contains(year) && !Self.yearsOfPages.contains(year) } ?? false
        }
        guard let month = isOfOther ?? months.first else { return nil }
        if let calendar = month.calendar {
            guard let date = calendar.gregorian(year: year, month: month.number, day: day) else { return nil }
            return (WrittenDay(year: date.year, month: date.month, day: date.day, range: range), last + 1)
        }
        let year = CivilTime.yearsOfThailand.contains(year) ? year - 543 : year
        guard (1_000...2_999).contains(year), CivilTime(year: year, month: month.number, day: day).date != nil else {
            return nil
        }
        return (WrittenDay(year: year, month: month.number, day: day, range: range), last + 1)
    }

    /// Gregorian years of which a year of another calendar is not told by its number.
    private static let yearsOfPages = 1_991...2_100

    /// A month by its number. A year as no page's Gregorian years are is of the page's other calendar.
    private func month(numbered number: Int, of year: Int) -> [MonthNames.Month] {
        [.init(number: number)] + (style.calendar.map { [.init(calendar: $0, number: number)] } ?? [])
    }

    /// `2015-12-14`, `2015. 12. 14.`, `2015年12月14日`, `2015. december 14.`, `2015 ж. 14 желтоқсан`
    private func yearFirst(_ i: Int, _ year: Int, behind: Int) -> (WrittenDay, Int)? {
        if let first = mark(behind), first == 0x2D || first == 0x2F || first == 0x2E,
            let month = number(behind + 1, digits: 1...2), mark(behind + 2) == first,
            let day = number(behind + 3, digits: 1...2)
        {
            return made(year, self.month(numbered: month.value, of: year), day.value, i, behind + 3)
        }
        let next = gap(behind)
        if let found = month(next) {
            // `in 2019 may 12 of them`
            guard found.followsYear || next > behind else { return nil }
            let place = gap(found.next)
            guard let day = number(place, digits: 1...2) else { return nil }
            return made(year, found.months, day.value, i, place)
        }
        guard next > behind, let day = number(next, digits: 1...2), mark(behind) != 0x2C else { return nil }
        let place = gap(next + 1)
        // In English, `in 2019, 12 March` is of any year.
        guard let found = month(place), found.followsYear else { return nil }
        return made(year, found.months, day.value, i, found.next - 1)
    }

    /// `令和8年9月9日`, `民國115年9月9日`
    private func eraFirst(_ i: Int) -> (WrittenDay, Int)? {
        guard let word = word(i), word.count <= 48, word.contains(where: { $0 >= 0x80 }) else { return nil }
        // The first year of an era has a name.
        let isFirst = word.suffix(6).elementsEqual("元年".utf8)
        guard isFirst || number(i + 1, digits: 1...3) != nil else { return nil }
        let name = FoldedName(String(decoding: isFirst ? word.dropLast(6) : word, as: UTF8.self))
        guard let era = names.eras.first(where: { name.ends(with: $0.name) }) else { return nil }
        return isFirst
            ? yearFirst(i, era.yearBefore + 1, behind: i + 1)
            : yearFirst(i, era.yearBefore + tokens[i + 1].value, behind: i + 2)
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
        let order: DayStyle.Order? =
            a > 12 || a == b ? .dayFirst : b > 12 ? .monthFirst : first == 0x2E ? .dayFirst : style.order
        guard let order else { return nil }
        let (day, month) = order == .dayFirst ? (a, b) : (b, a)
        return made(value, self.month(numbered: month, of: value), day, i, i + 4)
    }

    /// `14. Dezember 2015`, `14th of December 2015`, `14 de diciembre de 2015`, `14-Dec-15`.
    private func wordedMonth(_ i: Int) -> (WrittenDay, Int)? {
        let day = tokens[i]
        guard (1...31).contains(day.value) else { return nil }
        var next = i + 1
        while next < i + 6, month(next) == nil {
            guard isMarkOfDates(next) || isWord(next, Self.ordinals) || isWord(next, names.connecting) else {
                return nil
            }
            next += 1
        }
        guard let found = month(next) else { return nil }
        next = behindWeekday(gap(found.next))
        let last = mark(next - 1)
        if let year = number(next, digits: 4...4) { return made(year.value, found.months, day.value, i, next) }
        // `14 January 20` is a day, `14 January, 20 people` is none.
        guard last != 0x2C, let year = number(next, digits: 2...2), last != nil || word(next + 1) == nil,
            found.months.contains(where: { $0.calendar == nil })
        else { return nil }
        return made(
            (year.value < 70 ? 2_000 : 1_900) + year.value, found.months, day.value, i, next)
    }

    /// `3月5週二2013`, `3月5日 2013年`
    private func numberedMonth(_ i: Int) -> (WrittenDay, Int)? {
        guard let found = month(i), let day = number(found.next, digits: 1...2) else { return nil }
        let next = behindWeekday(gap(found.next + 1))
        // `12月5日、2013年に` may be two.
        guard mark(next - 1) != 0x2C, let year = number(next, digits: 4...4) else { return nil }
        return made(year.value, found.months, day.value, i, next)
    }

    /// `December 14th, 2015`, `Dec. 14 2015`.
    private func monthFirst(_ i: Int) -> (WrittenDay, Int)? {
        // Most words are no months. The day stands behind three words more, their points and a dash at most.
        guard (i + 1...i + 7).contains(where: { number($0, digits: 1...2) != nil }), let found = month(i) else {
            return nil
        }
        var next = found.next
        if mark(next) == 0x2D || mark(next) == 0x2F || isWord(next, names.connecting) { next += 1 }
        guard let day = number(next, digits: 1...2) else { return nil }
        next += 1
        if isWord(next, Self.ordinals) { next += 1 }
        next = behindWeekday(gap(next))
        guard let year = number(next, digits: 4...4) else { return nil }
        return made(year.value, found.months, day.value, i, next)
    }
}
