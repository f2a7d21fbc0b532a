import CICU

/// A calendar besides the Gregorian one that people date pages in. ICU knows its days.
enum WrittenCalendar: UInt8, CaseIterable {
    case persian, islamic, hebrew, ethiopic

    /// The table of its months in CLDR.
    var table: String {
        switch self {
        case .persian: "persian"
        case .islamic: "islamic"
        case .hebrew: "hebrew"
        case .ethiopic: "ethiopic"
        }
    }

    /// Of the calendars of Islam, the one that computers and Saudi Arabia use.
    private var keyword: String { self == .islamic ? "islamic-umalqura" : table }

    /// The calendar that a language's country prefers, by CLDR's name; nil for those that are read otherwise.
    init?(preference: String) {
        switch preference {
        case "persian": self = .persian
        case "islamic-umalqura", "islamic", "islamic-civil": self = .islamic
        default: return nil
        }
    }

    /// Its years from 1970 to 2069, in which pages are written.
    var years: Range<Int> { days.firstYear..<days.firstYear + Self.yearsKept }

    /// The day of the Gregorian calendar; nil for what is no day, or long before or after the web.
    func gregorian(year: Int, month: Int, day: Int) -> (year: Int, month: Int, day: Int)? {
        let (days, index) = (days, (year - days.firstYear) * Self.monthsKept + month - 1)
        guard years.contains(year), (1...Self.monthsKept).contains(month), days.starts.indices.contains(index),
            let start = days.starts[index],
            let end = days.starts[(index + 1)...].lazy.compactMap(\.self).first, day >= 1, day <= end - start
        else { return nil }
        return CivilTime.day(since1970: start + day - 1)
    }

    private struct Days {
        var firstYear: Int
        /// Days since 1970 of the first of each month, year by year; nil where a year has no such month.
        var starts: [Int?]
    }

    private static let yearsKept = 100
    /// Leap years have 13 in two of them.
    private static let monthsKept = 13

    private var days: Days { Self.allDays[Int(rawValue)] }
    private static let allDays = allCases.map(\.computedDays)

    private var computedDays: Days {
        // In 1970 the years were 1348, 1389, 5730 and 1962.
        let firstYear =
            switch self {
            case .persian: 1349
            case .islamic: 1390
            case .hebrew: 5731
            case .ethiopic: 1963
            }
        var status: Int32 = 0
        guard let calendar = pippin_ucal_open("@calendar=\(keyword)", &status) else {
            return Days(firstYear: firstYear, starts: [])
        }
        defer { pippin_ucal_close(calendar) }
        let starts = (firstYear...firstYear + Self.yearsKept).flatMap { year in
            (0..<Int32(Self.monthsKept)).map { month -> Int? in
                var status: Int32 = 0
                let millis = pippin_ucal_millis(calendar, -1, Int32(year), month, 1, &status)
                return status <= 0 ? Int((millis / 86_400_000).rounded(.down)) : nil
            }
        }
        return Days(firstYear: firstYear, starts: starts)
    }

    // MARK: Eras

    /// The year of the Gregorian calendar in which an era began: 2019 for number 236 of `japanese`.
    static func firstYear(ofEra era: Int, of table: String) -> Int? {
        var status: Int32 = 0
        guard let calendar = pippin_ucal_open("@calendar=\(table)", &status) else { return nil }
        defer { pippin_ucal_close(calendar) }
        // The last day of its first year is in it, whenever it began.
        let millis = pippin_ucal_millis(calendar, Int32(era), 1, 11, 31, &status)
        return status <= 0 ? CivilTime.day(since1970: Int((millis / 86_400_000).rounded(.down))).year : nil
    }
}
