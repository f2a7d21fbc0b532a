import Foundation

/// A day or a moment in the forms of ISO 8601:2004 that `W3CDateTime` does not read: basic ones (`20151031T190000Z`,
/// `20151031190000`), days of the year (`2015-304`, `2015304T19`), days of a week (`2015-W44-6`, `2015W446`), hours alone, and
/// fractions of hours and minutes. The two notations may be mixed.
///
/// Weeks without a day, and years and days without marks (`2015304`), are not read: the first are no day, the second may be any
/// number.
struct ISO8601Date {
    /// In UTC where no zone is written.
    let date: Date
    let hasTime: Bool
    /// Seconds that the clock is ahead of UTC; nil if no zone is written.
    let offset: Int?

    init?(_ text: [UInt8]) {
        var scanner = Scanner(text: text)
        guard let (day, isPlain) = scanner.day() else { return nil }
        if scanner.isAtEnd {
            guard !isPlain else { return nil }
            (date, hasTime, offset) = (day, false, nil)
            return
        }
        guard scanner.takeTimeMark(), let time = scanner.time(), let zone = scanner.zone(), scanner.isAtEnd else {
            return nil
        }
        date = day.addingTimeInterval(time - Double(zone.seconds ?? 0))
        hasTime = true
        offset = zone.seconds
    }

    private struct Scanner {
        let text: [UInt8]
        var i = 0

        var isAtEnd: Bool { i == text.count }

        private func byte(_ offset: Int = 0) -> UInt8? { i + offset < text.count ? text[i + offset] : nil }

        private func digitCount() -> Int { text[i...].prefix(while: \.isASCIIDigit).count }

        private mutating func take(_ mark: Unicode.Scalar) -> Bool {
            guard byte() == UInt8(ascii: mark) else { return false }
            i += 1
            return true
        }

        /// Exactly this many digits.
        private mutating func number(_ count: Int) -> Int? {
            guard i + count <= text.count, text[i..<i + count].allSatisfy(\.isASCIIDigit) else { return nil }
            defer { i += count }
            return text[i..<i + count].reduce(0) { $0 * 10 + Int($1 & 0xF) }
        }

        /// The first second of a day, and whether it is a year and a number without a mark.
        mutating func day() -> (Date, isPlain: Bool)? {
            guard let year = number(4) else { return nil }
            let isExtended = take("-")
            if take("W") || take("w") {
                guard let week = number(2), !isExtended || take("-"), let day = number(1) else { return nil }
                return Self.day(day, ofWeek: week, in: year).map { ($0, false) }
            }
            // `1900`, `190000` and the like may follow a day without a mark.
            switch digitCount() {
            case 3:
                guard let day = number(3), let first = CivilTime(year: year).date,
                    let next = CivilTime(year: year + 1).date
                else { return nil }
                let date = first.addingTimeInterval(Double(day - 1) * 86_400)
                return day >= 1 && date < next ? (date, !isExtended) : nil
            case 2 where isExtended:
                guard let month = number(2), take("-"), let day = number(2) else { return nil }
                return CivilTime(year: year, month: month, day: day).date.map { ($0, false) }
            case 4 where !isExtended, 8 where !isExtended, 10 where !isExtended:
                guard let month = number(2), let day = number(2) else { return nil }
                return CivilTime(year: year, month: month, day: day).date.map { ($0, false) }
            default: return nil
            }
        }

        /// Week 1 has the year's first Thursday; weeks begin on Monday (ISO 8601 §2.2.10).
        private static func day(_ day: Int, ofWeek week: Int, in year: Int) -> Date? {
            guard (1...53).contains(week), (1...7).contains(day),
                let fourth = CivilTime(year: year, month: 1, day: 4).date,
                let nextFourth = CivilTime(year: year + 1, month: 1, day: 4).date
            else { return nil }
            func monday(of date: Date) -> Date {
                // 1 January 1970 was a Thursday.
                let days = Int((date.timeIntervalSince1970 / 86_400).rounded(.down)) + 3
                return date.addingTimeInterval(-Double((days % 7 + 7) % 7) * 86_400)
            }
            let start = monday(of: fourth).addingTimeInterval(Double(week - 1) * 604_800)
            return start < monday(of: nextFourth) ? start.addingTimeInterval(Double(day - 1) * 86_400) : nil
        }

        /// `T`, a space, or nothing before a whole time of four or six digits.
        mutating func takeTimeMark() -> Bool {
            if take("T") || take("t") { return true }
            if byte() == 0x20, byte(1)?.isASCIIDigit == true { return take(" ") }
            return digitCount() == 4 || digitCount() == 6
        }

        /// Seconds since midnight. The last part may have a fraction.
        mutating func time() -> Double? {
            guard let hour = number(2) else { return nil }
            var (minute, second) = (0, 0)
            var unit = 3_600.0
            if take(":") || byte()?.isASCIIDigit == true {
                guard let written = number(2) else { return nil }
                minute = written
                unit = 60
                if take(":") || byte()?.isASCIIDigit == true {
                    guard let written = number(2) else { return nil }
                    second = written
                    unit = 1
                }
            }
            var fraction = 0.0
            if take(".") || take(",") {
                let start = i
                while let digit = number(1) {
                    unit /= 10
                    fraction += Double(digit) * unit
                }
                guard i > start else { return nil }
            }
            guard minute < 60, second <= 60,
                hour < 24 || hour == 24 && minute == 0 && second == 0 && fraction == 0
            else { return nil }
            return Double(hour * 3_600 + minute * 60 + second) + fraction
        }

        mutating func zone() -> (seconds: Int?, Void)? {
            if isAtEnd { return (nil, ()) }
            _ = take(" ")
            if take("Z") || take("z") { return (0, ()) }
            let isNegative = take("-")
            guard isNegative || take("+"), let hours = number(2) else { return nil }
            var minutes = 0
            if take(":") || !isAtEnd {
                guard let written = number(2) else { return nil }
                minutes = written
            }
            guard hours <= 23, minutes < 60 else { return nil }
            return ((hours * 3_600 + minutes * 60) * (isNegative ? -1 : 1), ())
        }
    }
}
