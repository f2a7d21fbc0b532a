/// Dates and times of microformats, as far as they are put together from parts
/// (https://microformats.org/wiki/value-class-pattern, "date and time parsing").
struct MicroformatsTime {
    /// `2009-06-26` or `2009-177`, as written.
    private(set) var date: String?
    /// `19:00`, with the precision that is written, on a clock of 24 hours.
    private(set) var time: String?
    /// `Z`, `-0800`.
    private(set) var zone: String?
    /// What the time was read from, with its zone.
    private var written = ""
    /// `T` or a space, as written between a date and a time.
    private var separator = " "

    init() {}

    /// A text that is a date, a time, a zone, or a date with a time; nil for any other.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        var reader = Reader(bytes: Array(text.utf8))
        if let date = reader.date() {
            self.date = date
            guard !reader.isAtEnd else { return }
            guard reader.take(UInt8(ascii: "T")) || reader.take(UInt8(ascii: " ")) else { return nil }
            separator = reader.bytes[reader.position - 1] == UInt8(ascii: "T") ? "T" : " "
            guard let time = reader.time() else { return nil }
            self.time = time
            _ = reader.isAtEnd ? false : reader.take(UInt8(ascii: " "))
            zone = reader.zone()
        } else if let zone = reader.zone() {
            self.zone = zone
        } else if let time = reader.time() {
            self.time = time
            _ = reader.isAtEnd ? false : reader.take(UInt8(ascii: " "))
            zone = reader.zone()
        } else {
            return nil
        }
        guard reader.isAtEnd else { return nil }
        written = text
    }

    /// Takes what another part says, where no part before it has said it.
    mutating func add(_ other: MicroformatsTime) {
        if date == nil, other.date != nil { (date, separator) = (other.date, other.separator) }
        if time == nil, other.time != nil { (time, written) = (other.time, other.written) }
        if zone == nil, other.zone != nil {
            if other.time == nil { written += other.written }
            zone = other.zone
        }
    }

    /// A time without a day is of the day before it in its item.
    mutating func complete(with day: String?) {
        if date == nil, time != nil { date = day }
    }

    /// The parts, together; nil without a date and a time. A time without a day is as it was written.
    var text: String? {
        guard let time else { return date }
        guard let date else { return written }
        return Self.calendarDay(date) + separator + time + (zone ?? "")
    }

    /// Longest are two dozen.
    private static let maximumBytes = 50

    /// The 177th day of a year as a day of a month.
    private static func calendarDay(_ date: String) -> String {
        let parts = date.split(separator: "-")
        guard parts.count == 2, let year = Int(parts[0]), var day = Int(parts[1]), day > 0 else { return date }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        for (month, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
            if day <= length { return parts[0] + "-" + twoDigits(month + 1) + "-" + twoDigits(day) }
            day -= length
        }
        return date
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ byte: UInt8) -> Bool {
            guard position < bytes.count, bytes[position] == byte else { return false }
            position += 1
            return true
        }

        /// A number of so many digits, and no more.
        private mutating func digits(_ count: ClosedRange<Int>) -> String? {
            var end = position
            while end < bytes.count, bytes[end].isASCIIDigit { end += 1 }
            guard count.contains(end - position) else { return nil }
            defer { position = end }
            return String(decoding: bytes[position..<end], as: UTF8.self)
        }

        mutating func date() -> String? {
            let start = position
            if let year = digits(4...4), take(UInt8(ascii: "-")) {
                if let day = digits(3...3) { return year + "-" + day }
                if let month = digits(2...2), take(UInt8(ascii: "-")), let day = digits(2...2) {
                    return year + "-" + month + "-" + day
                }
            }
            position = start
            return nil
        }

        mutating func time() -> String? {
            let start = position
            guard let hour = digits(1...2), var number = Int(hour), number < 25 else {
                position = start
                return nil
            }
            var rest = ":00"
            let isWithoutMinutes = position == bytes.count || bytes[position] != UInt8(ascii: ":")
            if take(UInt8(ascii: ":")) {
                guard let minute = digits(2...2) else {
                    position = start
                    return nil
                }
                rest = ":" + minute
                if take(UInt8(ascii: ":")) {
                    guard let second = digits(2...2) else {
                        position = start
                        return nil
                    }
                    rest += ":" + second
                    if take(UInt8(ascii: ".")) {
                        guard let fraction = digits(1...20) else {
                            position = start
                            return nil
                        }
                        rest += "." + fraction
                    }
                }
            }
            let end = position
            _ = take(UInt8(ascii: " "))
            switch half() {
            case "am": if number == 12 { number = 0 }
            case "pm": if number < 12 { number += 12 }
            // `30` is a length.
            case nil where isWithoutMinutes:
                position = start
                return nil
            default: position = end
            }
            return MicroformatsTime.twoDigits(number) + rest
        }

        /// `am`, `p.m.`, in any case.
        private mutating func half() -> String? {
            let start = position
            guard position < bytes.count else { return nil }
            let first = bytes[position].asciiLowercased
            guard first == UInt8(ascii: "a") || first == UInt8(ascii: "p") else { return nil }
            position += 1
            let isDotted = take(UInt8(ascii: "."))
            guard position < bytes.count, bytes[position].asciiLowercased == UInt8(ascii: "m") else {
                position = start
                return nil
            }
            position += 1
            if isDotted { _ = take(UInt8(ascii: ".")) }
            return first == UInt8(ascii: "a") ? "am" : "pm"
        }

        mutating func zone() -> String? {
            if take(UInt8(ascii: "Z")) { return "Z" }
            let start = position
            let isWest = take(UInt8(ascii: "-"))
            guard isWest || take(UInt8(ascii: "+")) else { return nil }
            let sign = isWest ? "-" : "+"
            if let both = digits(4...4) { return sign + both }
            guard let hour = digits(1...2) else {
                position = start
                return nil
            }
            // Without a colon: with one, the offset could be read as a time.
            let hours = hour.utf8.count == 1 ? "0" + hour : hour
            guard take(UInt8(ascii: ":")) else { return sign + hours }
            guard let minute = digits(2...2) else {
                position = start
                return nil
            }
            return sign + hours + minute
        }
    }
}
