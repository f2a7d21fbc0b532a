extension SchemaOrg {
    /// A duration in seconds; nil if the text is none. A day has 24 hours, a month 30 days, a year 365 days. Recipes and videos
    /// are too short for the difference to matter.
    ///
    /// Reads ISO 8601 (`PT1H30M`, `P0Y0M0DT0H35M0S`, `P1W`, in any letter case, also with `P` or `PT` missing), clock times
    /// (`01:30:00`) and words (`1 hour 30 min`, `35 Min.`, `1h30`). A bare number has no unit and gives nil.
    ///
    /// - Parameter hoursFirst: whether `1:30` is one hour and thirty minutes (recipes) or ninety seconds (players).
    public static func duration(_ text: String, hoursFirst: Bool = false) -> Int? {
        let bytes = bytes(of: text).map(\.asciiLowercased)
        guard let first = bytes.first else { return nil }
        let seconds: Double?
        if bytes.contains(UInt8(ascii: ":")) {
            seconds = clock(bytes, hoursFirst: hoursFirst)
        } else if first == UInt8(ascii: "p") || first == UInt8(ascii: "t") {
            seconds = designated(bytes)
        } else {
            seconds = worded(bytes)
        }
        // The limit is a hundred years. A larger number is not a duration.
        guard let seconds, seconds >= 0, seconds < 3_155_760_000 else { return nil }
        return Int(seconds.rounded())
    }

    /// ISO 8601 with hours, minutes and seconds: `PT1H30M`; zero is `PT0S`.
    public static func durationText(seconds: Int) -> String {
        let seconds = max(seconds, 0)
        let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60)
        var text = "PT"
        if hours > 0 { text += "\(hours)H" }
        if minutes > 0 { text += "\(minutes)M" }
        if rest > 0 || seconds == 0 { text += "\(rest)S" }
        return text
    }

    private static func clock(_ bytes: [UInt8], hoursFirst: Bool) -> Double? {
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        var numbers: [Double] = []
        for part in parts {
            let digits = part.trimmingHTMLSpace()
            guard !digits.isEmpty, digits.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") }),
                let value = Double(String(decoding: digits, as: UTF8.self))
            else { return nil }
            numbers.append(value)
        }
        if numbers.count == 3 { return numbers[0] * 3_600 + numbers[1] * 60 + numbers[2] }
        return hoursFirst ? numbers[0] * 3_600 + numbers[1] * 60 : numbers[0] * 60 + numbers[1]
    }

    /// Reads numbers, each before its designator. `m` is a month before the `t` and a minute after it.
    private static func designated(_ bytes: [UInt8]) -> Double? {
        var isTime = false
        var total = 0.0
        var hasValue = false
        var months = 0.0
        var i = bytes.first == UInt8(ascii: "p") ? 1 : 0
        while i < bytes.count {
            if bytes[i] == UInt8(ascii: "t") {
                isTime = true
                i += 1
                continue
            }
            if bytes[i] == 0x20 {
                i += 1
                continue
            }
            let digits = bytes[i...].prefix { $0.isASCIIDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
            let designator = bytes[digits.endIndex...].drop { $0 == 0x20 }.startIndex
            guard !digits.isEmpty, designator < bytes.count,
                let value = Double(String(decoding: digits.map { $0 == 0x2C ? 0x2E : $0 }, as: UTF8.self)),
                let unit = unit(bytes[designator], isTime: isTime)
            else { return nil }
            total += value * unit
            if unit == monthSeconds { months += value }
            hasValue = true
            i = designator + 1
        }
        // `P30M` is thirty months by the standard but half an hour in every recipe that uses it, so it is ambiguous.
        if months > 0 && !isTime { return nil }
        return hasValue ? total : nil
    }

    private static let monthSeconds = 2_592_000.0

    private static func unit(_ designator: UInt8, isTime: Bool) -> Double? {
        switch designator {
        case UInt8(ascii: "y"): 31_536_000
        case UInt8(ascii: "w"): 604_800
        case UInt8(ascii: "d"): 86_400
        case UInt8(ascii: "h"): 3_600
        case UInt8(ascii: "m"): isTime ? 60 : monthSeconds
        case UInt8(ascii: "s"): 1
        default: nil
        }
    }

    private static func worded(_ bytes: [UInt8]) -> Double? {
        var total: Double?
        var i = 0
        var lastUnit = 0.0
        while let found = number(in: bytes, from: i, singleMark: .decimal) {
            var wordStart = found.range.upperBound
            while wordStart < bytes.count && bytes[wordStart] == 0x20 { wordStart += 1 }
            let word = bytes[wordStart...].prefix { $0.isASCIILetter }
            var wordEnd = word.endIndex
            var unit = wordUnit(String(decoding: word.prefix(8), as: UTF8.self))
            if unit == nil, let foreign = foreignUnits.first(where: { bytes[wordStart...].starts(with: $0.word.utf8) })
            {
                unit = foreign.unit
                wordEnd += foreign.word.utf8.count
            }
            // `1h30`: a number at the end of the text, after hours and without a unit, counts minutes.
            if unit == nil, word.isEmpty, lastUnit == 3_600, wordStart == bytes.count { unit = 60 }
            guard let unit else { return nil }
            total = (total ?? 0) + found.value * unit
            lastUnit = unit
            i = max(wordEnd, found.range.upperBound)
        }
        return total
    }

    /// Unit words of other languages. If a word begins with another one, the longer comes first.
    private static let foreignUnits: [(word: String, unit: Double)] = [
        ("時間", 3_600), ("小時", 3_600), ("小时", 3_600), ("시간", 3_600), ("час", 3_600), ("ч", 3_600), ("分鐘", 60),
        ("分钟", 60),
        ("分", 60), ("분", 60), ("мин", 60), ("秒", 1), ("초", 1), ("сек", 1),
    ]

    private static func wordUnit(_ word: String) -> Double? {
        switch word {
        case "s", "sec", "secs", "second", "seconds", "sek", "sekunde", "sekunden", "segundos": 1
        case "m", "mn", "min", "mins", "minute", "minutes", "minuten", "minuto", "minutos", "minuti": 60
        case "h", "hr", "hrs", "hour", "hours", "godz", "std", "stunde", "stunden", "heure", "heures", "hora", "horas",
            "ora",
            "ore":
            3_600
        case "d", "day", "days", "tag", "tage", "jour", "jours": 86_400
        default: nil
        }
    }
}
