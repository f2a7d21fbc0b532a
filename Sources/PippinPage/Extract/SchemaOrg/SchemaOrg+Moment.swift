import Foundation

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
        guard let date = date(text) else { return nil }
        let bytes = bytes(of: text)
        if bytes.allSatisfy(\.isASCIIDigit), bytes.count >= 9 { return Moment(date: date, span: 0, hasZone: true) }
        guard let zone = textBehindClock(bytes) else {
            let isYear = bytes.count == 4
            let isMonth = bytes.count == 7 && bytes[4] == UInt8(ascii: "-")
            let days = isYear ? 366.0 : isMonth ? 31.0 : 1.0
            return Moment(date: date, span: days * 86_400, hasZone: false)
        }
        return Moment(date: date, span: 0, hasZone: !zone.isEmpty)
    }

    /// What follows the time of day: a zone, or nothing. nil without a time, and with one that needs `pm` to be known.
    private static func textBehindClock(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let isClock: (UInt8) -> Bool = { $0.isASCIIDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
        var clock: Int?
        if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            clock = colon
        } else if bytes.count >= 13, bytes[8] | 0x20 == UInt8(ascii: "t") {
            clock = 9
        }
        guard let clock else { return nil }
        let rest = bytes[clock...].drop(while: isClock).drop { $0 == 0x20 }
        let word = rest.prefix(4).filter(\.isASCIILetter).map(\.asciiLowercased)
        return word == Array("am".utf8) || word == Array("pm".utf8) ? nil : rest
    }

    /// Nothing on the web was changed before there was one; years like 0001 and 1970 are what software writes for “never”.
    private static let firstWebPage = Date(timeIntervalSince1970: 662_688_000)

    /// When something was changed, as far as that can be: not before 1991, and not later than now.
    static func changeDate(_ text: String, now: Date) -> Date? {
        date(text).flatMap { isChangeDate($0, now: now) ? $0 : nil }
    }

    static func isChangeDate(_ date: Date, now: Date) -> Bool { date >= firstWebPage && date <= now }
}
