import Foundation

/// Hours of the week in which hosts are not asked, or less often: `22:00-06:00 Europe/Berlin`.
///
/// The hours are local times of the time zone, with daylight saving. A period belongs to the day on which it begins.
struct QuietHours: Sendable, Equatable {
    /// A period that begins on some days of the week.
    struct Period: Sendable, Equatable {
        /// The days as bits; bit 0 is Monday.
        var days: UInt8
        /// The start in minutes since midnight.
        var start: Int
        /// The end in minutes since the same midnight. A value above 1440 is on the next day.
        var end: Int
        var zone: TimeZone

        /// The period as it can be written in the configuration.
        var text: String {
            let names = QuietHours.dayNames.indices.filter { days & 1 << $0 != 0 }
                .map { QuietHours.dayNames[$0].capitalized }
            func clock(_ minutes: Int) -> String {
                let parts = [minutes / 60, minutes % 60].map { ($0 < 10 ? "0" : "") + String($0) }
                return parts.joined(separator: ":")
            }
            let hours = "\(clock(start))-\(clock(end > 1440 ? end - 1440 : end))"
            return (names.count == 7 ? "" : names.joined(separator: ",") + " ") + hours + " "
                + (zone.identifier == "GMT" ? "UTC" : zone.identifier)
        }
    }

    /// No quiet hours.
    static let none = QuietHours(periods: [])

    let periods: [Period]

    /// Whether there are no quiet hours.
    var isEmpty: Bool { periods.isEmpty }

    // MARK: Reading

    /// The result of reading a setting.
    enum Reading: Sendable, Equatable {
        case hours(QuietHours)
        /// The fault, for an error message.
        case malformed(String)
    }

    /// Reads periods of the form `[DAYS ]HH:MM-HH:MM[ ZONE]`. Days are `Mon`, `Mon-Fri` or `Sat,Sun`, by default every day. The
    /// zone is a name of the time zone database, by default UTC.
    static func parse(_ texts: [String]) -> Reading {
        var periods: [Period] = []
        for text in texts {
            switch period(text) {
            case .success(let period): periods.append(period)
            case .failure(let problem): return .malformed(problem.text)
            }
        }
        let hours = QuietHours(periods: periods)
        return hours.leavesTime ? .hours(hours) : .malformed("these hours leave no time to crawl")
    }

    private struct Problem: Error {
        let text: String
    }

    private static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    private static func period(_ text: String) -> Result<Period, Problem> {
        var words = text.split(separator: " ")
        var days: UInt8 = 0b111_1111
        if let first = words.first, first.utf8.first.map({ $0 > 0x39 }) == true {
            guard let named = self.days(first) else {
                return .failure(Problem(text: "\"\(first)\" are no days; write Mon, Mon-Fri or Sat,Sun"))
            }
            days = named
            words.removeFirst()
        }
        guard let hours = words.first, words.count <= 2 else {
            return .failure(Problem(text: "expected hours like 22:00-06:00 Europe/Berlin, found \"\(text)\""))
        }
        let ends = hours.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let start = minutes(ends[0]), var end = minutes(ends[1]), start < 1440 else {
            return .failure(Problem(text: "expected hours like 22:00-06:00, found \"\(hours)\""))
        }
        guard start != end else {
            return .failure(Problem(text: "\"\(hours)\" begins when it ends; a whole day is 00:00-24:00"))
        }
        if end < start { end += 1440 }
        let name = words.count == 2 ? String(words[1]) : "UTC"
        guard let zone = TimeZone(identifier: name) else {
            return .failure(Problem(text: "\"\(name)\" is no time zone; write a name like Europe/Berlin or UTC"))
        }
        return .success(Period(days: days, start: start, end: end, zone: zone))
    }

    private static func days(_ text: Substring) -> UInt8? {
        var days: UInt8 = 0
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
            guard let from = ends.first.flatMap({ dayNames.firstIndex(of: String($0)) }),
                let to = ends.last.flatMap({ dayNames.firstIndex(of: String($0)) }), ends.count <= 2
            else { return nil }
            for step in 0...((to - from + 7) % 7) { days |= 1 << ((from + step) % 7) }
        }
        return days
    }

    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { $0 &- 0x30 < 10 } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= 1440
        else { return nil }
        return hour * 60 + minute
    }

    /// Whether some minute of a week is not quiet, both in winter and in summer.
    private var leavesTime: Bool {
        // Two Mondays of 2026, far from any change of clocks.
        [1_768_176_000, 1_783_900_800].allSatisfy { monday in
            (0..<10_080).contains { !contains(Date(timeIntervalSince1970: Double(monday + $0 * 60))) }
        }
    }

    // MARK: Asking

    /// Whether a moment is quiet.
    func contains(_ date: Date) -> Bool {
        periods.contains { Self.minutesLeft(of: $0, at: date) != nil }
    }

    /// The end of the quiet time around a moment, with adjoining periods joined; nil if the moment is not quiet.
    func end(at date: Date) -> Date? {
        var moment = date
        // Periods may follow each other, and a change of clocks may cut one. The number of steps is a limit on what a week can
        // have.
        for _ in 0..<(64 + 16 * periods.count) {
            guard let end = periods.compactMap({ Self.end(of: $0, at: moment) }).max() else { break }
            moment = end
        }
        return moment > date ? moment : nil
    }

    private static func end(of period: Period, at date: Date) -> Date? {
        guard let minutesLeft = minutesLeft(of: period, at: date) else { return nil }
        let minute = (date.timeIntervalSince1970 / 60).rounded(.down)
        let end = Date(timeIntervalSince1970: (minute + Double(minutesLeft)) * 60)
        // If the clocks change before the end, the rest of the period is computed again for that moment.
        guard let change = period.zone.nextDaylightSavingTimeTransition(after: date), change > date else { return end }
        return min(end, change)
    }

    /// The minutes of local time until the period ends; nil outside of it.
    private static func minutesLeft(of period: Period, at date: Date) -> Int? {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard abs(seconds) < 1e12 else { return nil }
        let local = Int(seconds) + period.zone.secondsFromGMT(for: date)
        let day = Int((Double(local) / 86_400).rounded(.down))
        let minute = (local - day * 86_400) / 60
        // 1 January 1970 was a Thursday.
        let weekday = ((day + 3) % 7 + 7) % 7
        if period.days & (1 << weekday) != 0, minute >= period.start, minute < period.end {
            return period.end - minute
        }
        if period.days & (1 << ((weekday + 6) % 7)) != 0, minute < period.end - 1440 {
            return period.end - 1440 - minute
        }
        return nil
    }
}
