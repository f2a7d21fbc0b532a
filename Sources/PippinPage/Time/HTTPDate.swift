import Foundation

/// Dates of HTTP headers and RSS: the three forms of RFC 9110 §5.6.7 (IMF-fixdate, RFC 850, asctime) and RFC 822/5322
/// as feeds write it, with names of months in full, without seconds, zone or weekday.
public enum HTTPDate {
    /// nil where the text names no day of the calendar. A missing or unknown zone is UTC (RFC 5322 §4.3).
    public static func date(from text: some StringProtocol) -> Date? {
        var civil = CivilTime(year: -1)
        var day: Int?
        var year: (value: Int, digits: Int)?
        var month: Int?
        var hasTime = false
        // The longest legitimate date has 33 octets; more fields than these are no date.
        for token in text.utf8.prefix(80).split(whereSeparator: { $0 <= 0x20 || $0 == UInt8(ascii: ",") }) {
            let token = Array(token)
            if !hasTime, token.contains(UInt8(ascii: ":")) {
                guard let (hour, minute, second) = clock(token) else { return nil }
                (civil.hour, civil.minute, civil.second) = (hour, minute, second)
                hasTime = true
            } else if hasTime, let offset = zone(token) {
                civil.offset = offset
            } else {
                for part in token.split(separator: UInt8(ascii: "-")) {
                    if let number = number(part) {
                        // The day comes first, except where the month does and the year is told by its digits.
                        if day == nil, part.count <= 2, number <= 31 {
                            day = number
                        } else if year == nil {
                            year = (number, part.count)
                        } else {
                            return nil
                        }
                    } else if let named = monthNumber(part), month == nil {
                        month = named
                    } else if hasTime || isWeekday(part) {
                        continue  // an unknown zone
                    } else {
                        return nil
                    }
                }
            }
        }
        guard let day, let year, let month else { return nil }
        switch year.digits {
        case 4...: civil.year = year.value
        case 3: civil.year = year.value + 1_900  // RFC 5322 §4.3: years of three digits count from 1900
        default: civil.year = year.value + (year.value < 70 ? 2_000 : 1_900)  // RFC 6265 §5.1.1
        }
        (civil.month, civil.day) = (month, day)
        return civil.date
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard (1...4).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func clock(_ token: [UInt8]) -> (Int, Int, Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { number($0) }
        guard (2...3).contains(parts.count), let hour = parts[0], let minute = parts[1] else { return nil }
        guard parts.count == 3 else { return (hour, minute, 0) }
        return parts[2].map { (hour, minute, $0) }
    }

    /// Seconds east of Greenwich; nil for what is no zone.
    private static func zone(_ token: [UInt8]) -> Int? {
        if let sign = token.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), token.count == 5,
            let hour = number(token[1...2]), let minute = number(token[3...4])
        {
            return (hour * 3_600 + minute * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
        }
        return zones[String(decoding: token.prefix(8), as: UTF8.self).uppercased()].map { $0 * 3_600 }
    }

    private static let zones = [
        "GMT": 0, "UTC": 0, "UT": 0, "Z": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6,
        "PST": -8,
        "PDT": -7,
    ]

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// The full name, or its first three letters or more (`Sept`).
    private static func monthNumber(_ word: some Sequence<UInt8>) -> Int? {
        abbreviated(word, months).map { $0 + 1 }
    }

    private static func isWeekday(_ word: some Sequence<UInt8>) -> Bool {
        abbreviated(word, weekdays) != nil
    }

    private static func abbreviated(_ word: some Sequence<UInt8>, _ names: [String]) -> Int? {
        var text = String(decoding: Array(word.prefix(12)), as: UTF8.self).asciiLowercased
        if text.hasSuffix(".") { text.removeLast() }
        return text.utf8.count < 3 ? nil : names.firstIndex { $0.hasPrefix(text) }
    }
}
