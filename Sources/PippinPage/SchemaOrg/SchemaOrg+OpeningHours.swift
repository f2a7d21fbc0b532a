extension SchemaOrg {
    /// When a place is open in a usual week, by its own clock.
    ///
    /// Takes schema.org's text form (`Mo-Fr 09:00-17:00`), the days of an OpeningHoursSpecification, and what people write
    /// instead: `Monday - Friday: 9am - 5pm, Sat 10:00-14:00`.
    struct OpeningHours: Hashable {
        /// Minutes since midnight; an end before the start is on the next day.
        private struct Span: Hashable {
            var opens: Int
            var closes: Int
        }

        /// Days as bits, Monday first, for each span in the order of their first day.
        private var days: [Span: UInt8] = [:]
        private var order: [Span] = []

        /// A week has no more different hours than these.
        private static let maximumSpans = 21

        /// One text for each span: `Mo-Fr 09:00-17:00`, `Sa,Su 10:00-14:00`.
        var texts: [String] {
            order.map { span in
                Self.text(ofDays: days[span] ?? 0) + " " + Self.clock(span.opens) + "-" + Self.clock(span.closes)
            }
        }

        private mutating func add(_ span: Span, on newDays: UInt8) {
            // Equal times mean closed, or a whole day: who writes them does not say which, but for midnight.
            guard span.opens != span.closes, newDays != 0 else { return }
            let span = span.opens == 0 && span.closes == 1_439 ? Span(opens: 0, closes: 1_440) : span
            if let known = days[span] {
                days[span] = known | newDays
            } else if order.count < Self.maximumSpans {
                days[span] = newDays
                order.append(span)
            }
        }

        /// Adds the hours of some days. Nothing if a day or a time cannot be read.
        mutating func add(days names: [String], opens: String, closes: String) {
            var newDays: UInt8 = 0
            for name in names {
                guard let day = Self.day(Array(bareName(name).utf8.map(\.asciiLowercased))) else { continue }
                newDays |= 1 << day
            }
            guard let start = Self.minutes(opens), let end = Self.minutes(closes) else { return }
            add(Span(opens: start, closes: end), on: newDays)
        }

        /// Adds what a text says.
        ///
        /// - Returns: false if some of it cannot be read; then nothing was added.
        mutating func add(_ text: String) -> Bool {
            var reader = Reader(SchemaOrg.bytes(of: text).map(\.asciiLowercased))
            var read = self
            var newDays: UInt8 = 0
            var hasHours = true
            while !reader.isAtEnd {
                if let found = reader.days() {
                    if !hasHours { read.add(Span(opens: 0, closes: 1_440), on: newDays) }
                    newDays = found
                    hasHours = false
                } else if newDays != 0, let hours = reader.hours() {
                    read.add(Span(opens: hours.opens, closes: hours.closes), on: newDays)
                    hasHours = true
                } else if newDays != 0, reader.skip(word: "closed") {
                    hasHours = true
                } else {
                    return false
                }
                reader.skipMarks()
            }
            guard newDays != 0 else { return false }
            // `Mo-Su`: all day.
            if !hasHours { read.add(Span(opens: 0, closes: 1_440), on: newDays) }
            self = read
            return true
        }

        // MARK: Texts

        private static let names = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]

        private static func text(ofDays days: UInt8) -> String {
            var parts: [String] = []
            var day = 0
            while day < 7 {
                guard days & (1 << day) != 0 else {
                    day += 1
                    continue
                }
                var last = day
                while last < 6, days & (1 << (last + 1)) != 0 { last += 1 }
                if last - day >= 2 {
                    parts.append(names[day] + "-" + names[last])
                } else {
                    parts += names[day...last]
                }
                day = last + 1
            }
            return parts.joined(separator: ",")
        }

        private static func clock(_ minutes: Int) -> String {
            let (hours, rest) = (minutes / 60, minutes % 60)
            return (hours < 10 ? "0" : "") + String(hours) + ":" + (rest < 10 ? "0" : "") + String(rest)
        }

        /// Monday is 0.
        private static func day(_ word: [UInt8]) -> Int? {
            guard (2...9).contains(word.count) else { return nil }
            let full = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
            // `Mon`, `Tues`, `Thurs`.
            return full.firstIndex { $0.utf8.starts(with: word) }
        }

        /// The time of day in `09:00`, `9 am`, `09:00:00`, `2026-01-01T09:00:00+01:00`.
        private static func minutes(_ text: String) -> Int? {
            var bytes = SchemaOrg.bytes(of: text).map(\.asciiLowercased)
            if bytes.count > 11, bytes[10] == UInt8(ascii: "t") { bytes.removeFirst(11) }
            var reader = Reader(bytes)
            return reader.time()
        }

        /// Reads days and times from lower-case text.
        private struct Reader {
            private let bytes: [UInt8]
            private var i = 0

            init(_ bytes: [UInt8]) {
                self.bytes = bytes
                skipMarks()
            }

            var isAtEnd: Bool { i >= bytes.count }

            mutating func skipMarks() {
                while i < bytes.count, [0x20, 0x2C, 0x3B, 0x3A, 0x7C, 0x0A, 0x09, 0x26].contains(bytes[i]) { i += 1 }
            }

            private mutating func skipSpaces() {
                while i < bytes.count, bytes[i] <= 0x20 { i += 1 }
            }

            mutating func skip(word: String) -> Bool {
                guard bytes[i...].starts(with: word.utf8) else { return false }
                i += word.utf8.count
                return true
            }

            /// `mo-fr`, `mo,tu,we`, `monday to friday`; nil if no day begins here.
            mutating func days() -> UInt8? {
                guard var last = singleDay() else { return nil }
                var days: UInt8 = 1 << last
                while true {
                    let before = i
                    let isRange = dash()
                    if !isRange { skipMarks() }
                    guard let next = singleDay() else {
                        i = before
                        return days
                    }
                    var day = last
                    while isRange, day != next {
                        days |= 1 << day
                        day = (day + 1) % 7
                    }
                    days |= 1 << next
                    last = next
                }
            }

            private mutating func singleDay() -> Int? {
                let word = bytes[min(i, bytes.count)...].prefix(while: \.isASCIILetter)
                guard let day = OpeningHours.day(Array(word)) else { return nil }
                i = word.endIndex
                if i < bytes.count, bytes[i] == UInt8(ascii: ".") { i += 1 }
                return day
            }

            /// A hyphen, a dash, `to`, with the spaces around it.
            private mutating func dash() -> Bool {
                let before = i
                skipSpaces()
                for mark in ["-", "–", "—", "to "] where bytes[min(i, bytes.count)...].starts(with: mark.utf8) {
                    i += mark.utf8.count
                    skipSpaces()
                    return true
                }
                i = before
                return false
            }

            mutating func hours() -> (opens: Int, closes: Int)? {
                let before = i
                if skip(word: "24 hours") || skip(word: "24h") { return (0, 1_440) }
                let start = i
                guard let opens = time(), dash(), let closes = time() else {
                    i = before
                    return nil
                }
                // `9 - 5` may mean anything; `9 - 5 pm` begins in the morning.
                guard bytes[start..<i].contains(where: { $0 == 0x3A || $0 == 0x2E || $0 == 0x6D }) else {
                    i = before
                    return nil
                }
                return (opens, closes)
            }

            /// Minutes since midnight: `9:00`, `09.00`, `9 am`, `24:00`.
            mutating func time() -> Int? {
                guard let hour = number() else { return nil }
                var minutes = hour * 60
                if let minute = behindMark() {
                    guard minute < 60 else { return nil }
                    minutes += minute
                    // Seconds do not count.
                    _ = behindMark()
                }
                let before = i
                skipSpaces()
                let word = bytes[min(i, bytes.count)...].prefix { $0.isASCIILetter || $0 == 0x2E }
                    .filter(\.isASCIILetter)
                if word.elementsEqual("am".utf8) || word.elementsEqual("pm".utf8) {
                    while i < bytes.count, bytes[i].isASCIILetter || bytes[i] == 0x2E { i += 1 }
                    guard minutes < 780 else { return nil }
                    minutes = minutes % 720 + (word.first == 0x70 ? 720 : 0)
                } else {
                    i = before
                }
                return minutes <= 1_440 ? minutes : nil
            }

            /// One or two digits.
            private mutating func number() -> Int? {
                let digits = bytes[min(i, bytes.count)...].prefix(while: \.isASCIIDigit)
                guard (1...2).contains(digits.count) else { return nil }
                i = digits.endIndex
                return digits.reduce(0) { $0 * 10 + Int($1 & 0xF) }
            }

            /// Two digits behind a colon or a full stop.
            private mutating func behindMark() -> Int? {
                guard i + 2 < bytes.count, bytes[i] == 0x3A || bytes[i] == 0x2E, bytes[i + 1].isASCIIDigit,
                    bytes[i + 2].isASCIIDigit
                else { return nil }
                i += 1
                return number()
            }
        }
    }
}
