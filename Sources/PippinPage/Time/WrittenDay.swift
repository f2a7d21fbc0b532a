/// A day of the calendar as people write it in a text: `14. Dezember 2015`, `December 14th, 2015`, `14/12/2015`,
/// `2015年12月14日`. Months are read in the languages of `MonthNames`.
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
        let reader = WrittenDayReader(text, dayFirst: dayFirst)
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
    static func first(in text: String, dayFirst: Bool) -> WrittenDay? {
        all(in: Array(text.utf8.prefix(200)), dayFirst: dayFirst, maximum: 1).first
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
    let dayFirst: Bool
    private(set) var tokens: [Token] = []

    init(_ text: [UInt8], dayFirst: Bool) {
        self.text = text
        self.dayFirst = dayFirst
        var i = 0
        while i < text.count {
            let byte = text[i]
            if DecimalDigit(in: text, at: i) != nil {
                var token = Token(kind: .number, range: i..<i)
                while let digit = DecimalDigit(in: text, at: i) {
                    if token.digits < 9 { token.value = token.value * 10 + digit.value }
                    token.digits += 1
                    i += digit.length
                }
                token.range = token.range.lowerBound..<i
                tokens.append(token)
            } else if byte == 0xC2, i + 1 < text.count, text[i + 1] == 0xA0 {
                // A space that keeps words together.
                i += 2
            } else if byte.isASCIILetter || byte >= 0x80 {
                let start = i
                while i < text.count, text[i].isASCIILetter || text[i] >= 0x80 && DecimalDigit(in: text, at: i) == nil {
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
            let written = text[tokens[i].range.lowerBound..<tokens[last].range.upperBound]
            let name =
                written.allSatisfy { $0 < 0x80 }
                ? FoldedName(ascii: written) : FoldedName(String(decoding: written, as: UTF8.self))
            return MonthNames.all[name].map { ($0, mark(last + 1) == UInt8(ascii: ".") ? last + 2 : last + 1) }
        }
        if let found = found(through: i) { return found }
        // `كانون الثاني`, `ธ.ค.`, `tháng 12`: months of two words.
        let second = mark(i + 1) == UInt8(ascii: ".") ? i + 2 : i + 1
        if let next = self.word(second), next.count <= 24, next.first.map({ $0 >= 0x80 }) == true {
            return found(through: second)
        }
        guard number(i + 1, digits: 1...2) != nil,
            MonthNames.beforeNumbers.contains(FoldedName(String(decoding: word, as: UTF8.self)))
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
        let year = CivilTime.yearsOfThailand.contains(year) ? year - 543 : year
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
