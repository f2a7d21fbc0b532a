import Foundation

/// Writes moments in the Internet date and time format (RFC 3339).
public enum InternetTime {
    /// The day in UTC: `2026-11-20`.
    public static func day(_ date: Date) -> String { String(text(date).prefix(10)) }

    /// RFC 3339 in UTC and whole seconds: `2026-11-20T20:00:00Z`. Moments outside the years 0…9999 take the nearest.
    public static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        let clamped = Int(min(max(seconds.isNaN ? 0 : seconds, -62_167_219_200), 253_402_300_799))
        let days = clamped >= 0 ? clamped / 86_400 : (clamped - 86_399) / 86_400
        let time = clamped - days * 86_400
        let (year, month, day) = CivilTime.day(since1970: days)

        var text: [UInt8] = []
        text.reserveCapacity(20)
        func append(_ value: Int, digits: Int, then mark: Unicode.Scalar) {
            var divisor = digits == 4 ? 1_000 : 10
            while divisor > 0 {
                text.append(0x30 + UInt8(truncatingIfNeeded: value / divisor % 10))
                divisor /= 10
            }
            text.append(UInt8(ascii: mark))
        }
        append(year, digits: 4, then: "-")
        append(month, digits: 2, then: "-")
        append(day, digits: 2, then: "T")
        append(time / 3_600, digits: 2, then: ":")
        append(time / 60 % 60, digits: 2, then: ":")
        append(time % 60, digits: 2, then: "Z")
        return String(decoding: text, as: UTF8.self)
    }
}
