import Foundation

/// What a date means that markup states. The record and the checks of dates read it here, so that no check reports what the
/// record has.
public enum StatedDate: Sendable {
    case moment(SchemaOrg.Moment)
    /// A day that is over once it has come, and has not.
    case future(SchemaOrg.Moment)
    /// Years like 0001 and 1970, which software writes for “never”.
    case never
    /// A year between 1300 and 1460, which is also the present one of another calendar: of Iran (1404 is 2025) or of Islam (1446 is
    /// 2024 and 2025). Which of the two it is, and which day, is not certain, and nothing on the web is that old but a few prints.
    case ofOtherCalendar
    case unreadable

    /// - Parameters:
    ///   - dayFirst: whether `5/6/2015` is in June.
    ///   - mayBeFuture: true for ends, false for what has happened.
    public init(_ text: String, dayFirst: Bool, now: Date, mayBeFuture: Bool = false) {
        guard let moment = SchemaOrg.moment(text, dayFirst: dayFirst) else {
            self = .unreadable
            return
        }
        if !mayBeFuture, moment.isFuture(at: now) {
            self = .future(moment)
        } else if moment.date >= SchemaOrg.firstWebPage {
            self = .moment(moment)
        } else if Self.isOfOtherCalendar(moment) {
            self = .ofOtherCalendar
        } else if moment.date < Self.firstComputer, moment.date >= Self.firstPrint {
            self = .moment(moment)
        } else {
            self = .never
        }
    }

    /// Whether a moment is of a year that Iran's calendar or that of Islam has today or had since there is a web.
    public static func isOfOtherCalendar(_ moment: SchemaOrg.Moment) -> Bool {
        (firstOther..<lastOther).contains(moment.date)
    }

    /// 1 January 1300 and 1460.
    private static let firstOther = Date(timeIntervalSince1970: -21_143_116_800)
    private static let lastOther = Date(timeIntervalSince1970: -16_094_073_600)
    /// Software counts from 1970, 1904, 1900 or 0001; what was printed before is dated by people. Printing began about 1450.
    private static let firstComputer = Date(timeIntervalSince1970: 0)
    private static let firstPrint = lastOther
}
