import Foundation
import PippinPage

extension FetchResponse {
    /// How long the server asks to be left alone: seconds or an HTTP date (RFC 9110 §10.2.3). A date counts from the
    /// server's own `Date`, so that clocks need not agree.
    var retryAfter: Duration? {
        guard let text = headers["Retry-After"]?.trimmingPrefix(while: \.isWhitespace), !text.isEmpty else {
            return nil
        }
        let longest = 365.0 * 86_400
        if let seconds = Double(text), seconds.isFinite {
            return .milliseconds(Int64(min(max(seconds, 0), longest) * 1000))
        }
        guard let moment = HTTPDate.parse(text) else { return nil }
        let base = headers["Date"].flatMap { HTTPDate.parse($0) } ?? fetchedAt
        return .milliseconds(Int64(min(max(moment.timeIntervalSince(base), 0), longest) * 1000))
    }
}

/// Dates of HTTP header fields (RFC 9110 §5.6.7), in all three forms a recipient must accept.
enum HTTPDate {
    static func parse(_ text: some StringProtocol) -> Date? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" || $0 == ":" }
        // Sun, 06 Nov 1994 08:49:37 GMT · Sunday, 06-Nov-94 08:49:37 GMT · Sun Nov  6 08:49:37 1994
        guard words.count >= 7 else { return nil }
        let asctime = Int(words[1]) == nil
        let fields =
            asctime
            ? (words[2], words[1], words[6], words[3], words[4], words[5])
            : (words[1], words[2], words[3], words[4], words[5], words[6])
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        guard let day = Int(fields.0), let monthIndex = months.firstIndex(of: fields.1.lowercased()),
            var year = Int(fields.2), let hour = Int(fields.3), let minute = Int(fields.4), let second = Int(fields.5),
            1...31 ~= day, 0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second, 0...9999 ~= year
        else { return nil }
        // A two-digit year more than 50 years ahead is in the past; 70 stands for that without asking for today.
        if fields.2.count == 2 { year += year < 70 ? 2000 : 1900 }
        let days = daysSince1970(year: year, month: monthIndex + 1, day: day)
        return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
    }

    /// Days in the proleptic Gregorian calendar, counted in years that begin in March so that leap days come last.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
