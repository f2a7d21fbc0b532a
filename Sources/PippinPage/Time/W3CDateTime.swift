import Foundation

/// The profile of ISO 8601 that sitemaps and Atom use (W3C note "Date and Time Formats"): `1997`, `1997-07`,
/// `1997-07-16`, `1997-07-16T19:20+01:00`, with seconds and a fraction.
///
/// Also read, because people write it: a space or small letter for `T`, zones as `+0100`, `+01` or `z`, no zone (UTC).
public enum W3CDateTime {
    /// The first moment of what the text names; nil where it names nothing, or has anything after it.
    public static func date(from text: some StringProtocol) -> Date? {
        var scanner = Scanner(octets: Array(text.utf8.prefix(64)))
        guard let year = scanner.digits(4) else { return nil }
        var civil = CivilTime(year: year)
        if scanner.take("-") {
            guard let month = scanner.digits(2) else { return nil }
            civil.month = month
            if scanner.take("-") {
                guard let day = scanner.digits(2) else { return nil }
                civil.day = day
                if scanner.take("T") || scanner.take("t") || scanner.takeSpaceBeforeDigit() {
                    guard scanner.clock(into: &civil), scanner.zone(into: &civil) else { return nil }
                }
            }
        }
        return scanner.isAtEnd ? civil.date : nil
    }

    private struct Scanner {
        let octets: [UInt8]
        var index = 0

        var isAtEnd: Bool { index == octets.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard index < octets.count, octets[index] == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        mutating func takeSpaceBeforeDigit() -> Bool {
            guard index + 1 < octets.count, (0x30...0x39).contains(octets[index + 1]) else { return false }
            return take(" ")
        }

        /// Exactly this many digits.
        mutating func digits(_ count: Int) -> Int? {
            guard index + count <= octets.count else { return nil }
            var value = 0
            for octet in octets[index..<(index + count)] {
                guard (0x30...0x39).contains(octet) else { return nil }
                value = value * 10 + Int(octet - 0x30)
            }
            index += count
            return value
        }

        mutating func clock(into civil: inout CivilTime) -> Bool {
            guard let hour = digits(2), take(":"), let minute = digits(2) else { return false }
            (civil.hour, civil.minute) = (hour, minute)
            guard take(":") else { return true }
            guard let second = digits(2) else { return false }
            civil.second = second
            guard take(".") || take(",") else { return true }
            var unit = 0.1
            let start = index
            while let digit = digits(1) {
                civil.fraction += Double(digit) * unit
                unit /= 10
            }
            return index > start
        }

        /// A space before the zone is common: `2020-01-01 10:00:00 +0200`.
        mutating func zone(into civil: inout CivilTime) -> Bool {
            if isAtEnd { return true }
            _ = take(" ")
            if take("Z") || take("z") { return true }
            let isNegative = take("-")
            guard isNegative || take("+"), let hours = digits(2) else { return false }
            var minutes = 0
            if take(":") || !isAtEnd {
                guard let written = digits(2) else { return false }
                minutes = written
            }
            civil.offset = (hours * 3_600 + minutes * 60) * (isNegative ? -1 : 1)
            return true
        }
    }
}
