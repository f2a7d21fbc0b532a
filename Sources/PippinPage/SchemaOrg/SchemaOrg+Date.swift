import Foundation

extension SchemaOrg {
    /// The moment a date names; without a zone it is UTC, without a time midnight.
    ///
    /// Reads ISO 8601 (`2015-10-31`, `2015-10-31T19:00`, `20151031`, `20151031T190000Z`, `20151031190000`, `2015-W44-6`), RFC 822
    /// and HTTP dates, months in words (`October 31st, 2015`), numbers (`2015/1/5`, `31.10.2015`, `2015年10月31日`), and Unix
    /// time in seconds or milliseconds. `0000-00-00` and other days that no calendar has give nil, and so does `5/6/2015`,
    /// which is one day in America and another in Europe. Years of Thailand's calendar, 2534 to 2585, are those 543 before.
    public static func date(_ text: String) -> Date? { moment(text)?.date }

    /// Three numbers with the same mark between, and a time behind them if there is one.
    private static func numericDate(_ bytes: [UInt8]) -> Date? {
        var numbers: [ArraySlice<UInt8>] = []
        var marks: [ArraySlice<UInt8>] = []
        var i = 0
        while numbers.count < 3, i < bytes.count, bytes[i].isASCIIDigit {
            let digits = bytes[i...].prefix(while: \.isASCIIDigit)
            let mark = bytes[digits.endIndex...].prefix { !$0.isASCIIDigit && $0 != 0x20 && $0 | 0x20 != 0x74 }
            guard digits.count <= 4, mark.count <= 3 else { return nil }
            numbers.append(digits)
            marks.append(mark)
            i = mark.endIndex
        }
        guard numbers.count == 3 else { return nil }
        let (first, second, third) = (number(numbers[0]), number(numbers[1]), number(numbers[2]))
        let isChinese = marks[0].elementsEqual("年".utf8) && marks[1].elementsEqual("月".utf8)
        let mark = marks[0].count == 1 ? marks[0].first : nil
        guard isChinese || mark != nil && marks[0] == marks[1] && marks[2].isEmpty else { return nil }
        let day: CivilTime
        if numbers[0].count == 4, numbers[2].count <= 2 {
            guard isChinese || mark == 0x2F || mark == 0x2D || mark == 0x2E else { return nil }
            day = CivilTime(year: first, month: second, day: third)
        } else if numbers[2].count == 4, !isChinese {
            // Points are European. Slashes are told apart by a number that no month has.
            if mark == 0x2E || (mark == 0x2F || mark == 0x2D) && first > 12 {
                day = CivilTime(year: third, month: second, day: first)
            } else if mark == 0x2F && second > 12 || mark == 0x2F && first == second {
                day = CivilTime(year: third, month: first, day: second)
            } else {
                return nil
            }
        } else {
            return nil
        }
        guard i < bytes.count, !isChinese else { return day.date }
        // The time and zone are those of a whole date in the usual order.
        var text = Array("0000-00-00".utf8)
        for (value, place) in [(day.year, 0...3), (day.month, 5...6), (day.day, 8...9)] {
            guard value < (place.count == 4 ? 10_000 : 100) else { return nil }
            var rest = value
            for digit in place.reversed() {
                text[digit] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
        return W3CDateTime.date(from: String(decoding: text + bytes[i...], as: UTF8.self))
    }

    /// `31st` as `31`, and JavaScript's `GMT+0100 (CET)` as `+0100`.
    private static func inPlainWords(_ bytes: [UInt8]) -> String {
        var bytes = bytes
        if let parenthesis = bytes.firstIndex(of: UInt8(ascii: "(")) { bytes.removeSubrange(parenthesis...) }
        for zone in ["GMT+", "GMT-", "UTC+", "UTC-"] {
            if let found = bytes.position(of: Array(zone.utf8)) { bytes.removeSubrange(found..<found + 3) }
        }
        var result: [UInt8] = []
        var i = 0
        while i < bytes.count {
            result.append(bytes[i])
            i += 1
            guard bytes[i - 1].isASCIIDigit, i < bytes.count, bytes[i].isASCIILetter else { continue }
            let word = bytes[i...].prefix { $0.isASCIILetter }
            if ["st", "nd", "rd", "th"].contains(String(decoding: word.prefix(3).map(\.asciiLowercased), as: UTF8.self))
            {
                i = word.endIndex
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int {
        digits.reduce(0) { $0 &* 10 &+ Int($1 & 0xF) }
    }

    /// Four digits are a year, eight a day, fourteen a day and a time, ten seconds and thirteen milliseconds since 1970.
    private static func momentOfDigits(_ bytes: [UInt8]) -> Moment? {
        let value = number(bytes[...])
        func day() -> Date? { CivilTime(year: value / 10_000, month: value / 100 % 100, day: value % 100).date }
        switch bytes.count {
        case 4: return CivilTime(year: value).date.map { Moment(date: $0, span: 366 * 86_400, hasZone: false) }
        case 8: return day().map { Moment(date: $0, span: 86_400, hasZone: false) }
        case 9, 10: return Moment(date: Date(timeIntervalSince1970: Double(value)), span: 0, hasZone: true)
        case 12 where !(190_000_000_000..<210_000_000_000).contains(value), 13:
            return Moment(date: Date(timeIntervalSince1970: Double(value) / 1_000), span: 0, hasZone: true)
        // As milliseconds, twelve digits that begin with 19 or 20 would be in 1976.
        case 12, 14: return ISO8601Date(bytes).map { Moment(date: $0.date, span: 0, hasZone: false) }
        default: return nil
        }
    }
}

extension SchemaOrg {
    /// A date with what its text leaves open: the time of day, and the zone of the clock.
    ///
    /// `2015-10-31` is a whole day somewhere on Earth. Two dates contradict each other only where no reading of the two puts
    /// them right, and a date has not come yet only where it has come nowhere.
    public struct Moment: Sendable {
        /// The first moment of what the text names; without a zone, in UTC.
        let date: Date
        /// How long that lasts: a day, a month, a year; 0 with a time of day.
        let span: TimeInterval
        let hasZone: Bool
        /// Seconds that the text's clock is ahead of UTC.
        var offset = 0

        /// ISO 8601 as exact as what was read: `2015`, `2015-10-31`, `2015-10-31T19:00:00`, `2015-10-31T19:00:00+01:00`.
        public var text: String {
            let local = String(InternetTime.text(date.addingTimeInterval(Double(offset))).dropLast())
            guard span == 0 else { return String(local.prefix(span > 40 * 86_400 ? 4 : span > 86_400 ? 7 : 10)) }
            guard hasZone else { return local }
            guard offset != 0 else { return local + "Z" }
            let minutes = abs(offset) / 60
            func digits(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }
            return local + (offset < 0 ? "-" : "+") + digits(minutes / 60) + ":" + digits(minutes % 60)
        }

        /// Clocks on Earth are at most 14 hours ahead of UTC and 12 behind.
        private static let zoneRoom: TimeInterval = 14 * 3_600
        /// Two servers' clocks that are both right.
        private static let clockRoom: TimeInterval = 600

        /// Whether this is over before the other begins, by more than `room` seconds.
        public func isBefore(_ other: Moment, room: TimeInterval = 0) -> Bool {
            // Two texts without a zone are of one clock.
            let zones = hasZone == other.hasZone ? 0 : Self.zoneRoom
            let gap = other.date.timeIntervalSince(date) - span - zones - room
            return span > 0 && room == 0 ? gap >= 0 : gap > 0
        }

        /// Whether it has come nowhere on Earth yet.
        public func isFuture(at now: Date) -> Bool {
            date.timeIntervalSince(now) > (hasZone ? Self.clockRoom : Self.zoneRoom)
        }

        /// Whether it is over everywhere on Earth.
        public func isPast(at now: Date) -> Bool {
            now.timeIntervalSince(date) > span + (hasZone ? Self.clockRoom : Self.zoneRoom)
        }
    }

    /// What `date` reads, and how exactly it is said.
    public static func moment(_ text: String) -> Moment? {
        let bytes = bytes(of: text)
        guard let moment = gregorianMoment(bytes) else { return nil }
        guard moment.date >= firstOfThailand else { return moment }
        let written = moment.text
        guard let year = Int(written.prefix(4)), CivilTime.yearsOfThailand.contains(year) else { return moment }
        return gregorianMoment(Array(String(year - 543).utf8) + written.utf8.dropFirst(4))
    }

    /// A date, or the first day that the text names in words of any language: `14. Dezember 2015`, `14 Desember 2015`.
    ///
    public static func moment(_ text: String, as style: DayStyle) -> Moment? {
        moment(text) ?? WrittenDay.first(in: text, as: style).flatMap { moment($0.text) }
    }

    private static func gregorianMoment(_ bytes: [UInt8]) -> Moment? {
        guard bytes.count >= 4, bytes.count <= 60 else { return nil }
        if bytes.allSatisfy(\.isASCIIDigit) { return momentOfDigits(bytes) }
        let text = String(decoding: bytes, as: UTF8.self)
        if W3CDateTime.date(from: text) == nil, let other = ISO8601Date(bytes) {
            return Moment(
                date: other.date, span: other.hasTime ? 0 : 86_400, hasZone: other.offset != nil,
                offset: other.offset ?? 0)
        }
        guard let date = W3CDateTime.date(from: text) ?? numericDate(bytes) ?? HTTPDate.date(from: inPlainWords(bytes))
        else { return nil }
        guard let zone = textBehindClock(bytes) else {
            let isYear = bytes.count == 4
            let isMonth = bytes.count == 7 && bytes[4] == UInt8(ascii: "-")
            let days = isYear ? 366.0 : isMonth ? 31.0 : 1.0
            return Moment(date: date, span: days * 86_400, hasZone: false)
        }
        return Moment(date: date, span: 0, hasZone: !zone.isEmpty, offset: offset(of: zone))
    }

    private static let firstOfThailand = Date(timeIntervalSince1970: 17_798_000_000)

    /// `+01:00`, `+0100`, `-05`, `GMT+0100 (CET)` in seconds; 0 for names of zones, whose moments are written in UTC.
    private static func offset(of zone: ArraySlice<UInt8>) -> Int {
        guard let sign = zone.firstIndex(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }) else {
            return 0
        }
        let digits = zone[(sign + 1)...].prefix { $0.isASCIIDigit || $0 == UInt8(ascii: ":") }.filter(\.isASCIIDigit)
        guard digits.count == 2 || digits.count == 4 else { return 0 }
        let seconds = number(digits[..<2]) * 3_600 + number(digits[2...]) * 60
        guard seconds <= 14 * 3_600 else { return 0 }
        return zone[sign] == UInt8(ascii: "-") ? -seconds : seconds
    }

    /// What follows the time of day: a zone, or nothing. nil without a time, and with one that needs `pm` to be known.
    private static func textBehindClock(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let isClock: (UInt8) -> Bool = { $0.isASCIIDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
        guard let clock = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = bytes[clock...].drop(while: isClock).drop { $0 == 0x20 }
        let word = rest.prefix(4).filter(\.isASCIILetter).map(\.asciiLowercased)
        return word == Array("am".utf8) || word == Array("pm".utf8) ? nil : rest
    }

    /// Nothing on the web was changed before there was one; years like 0001 and 1970 are what software writes for “never”.
    static let firstWebPage = Date(timeIntervalSince1970: 662_688_000)
}
