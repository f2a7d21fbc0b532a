import Foundation

/// A moment as calendar and clock say it, in the proleptic Gregorian calendar; becomes a `Date` without a formatter.
struct CivilTime {
    var year: Int
    var month = 1
    var day = 1
    var hour = 0
    var minute = 0
    /// 60 is a leap second and the same moment as the next minute's 0.
    var second = 0
    var fraction = 0.0
    /// Seconds east of Greenwich.
    var offset = 0

    /// nil where a field is out of its range: February has no 30th.
    var date: Date? {
        guard (0...9999).contains(year), (1...12).contains(month),
            (1...Self.days(inMonth: month, of: year)).contains(day),
            (0...23).contains(hour) || (hour == 24 && minute == 0 && second == 0), (0...59).contains(minute),
            (0...60).contains(second), abs(offset) <= 86_400
        else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Years are counted from March, so that the leap day ends a year; 400 years have 146,097 days.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The day that is this many days behind 1 January 1970.
    static func day(since1970 days: Int) -> (year: Int, month: Int, day: Int) {
        // Years are counted from March, so that the leap day ends a year; 400 years have 146,097 days.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// Years since the death of the Buddha, of the Gregorian years 1991 to 2042: Thailand's calendar has the same months and
    /// days. Earlier ones are of before the web, and later ones are what software writes for “never”.
    static let yearsOfThailand = 2_534...2_585
}
