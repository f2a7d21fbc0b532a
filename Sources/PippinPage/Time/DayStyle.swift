/// How the writers of a page write days: in which languages, and which number of `5/6/2015` is the month.
public struct DayStyle: Sendable {
    public enum Order: Sendable { case dayFirst, monthFirst }

    /// nil where the page does not say: then `5/6/2015` is not read.
    let order: Order?
    /// As `MonthNames` numbers them.
    let languages: Set<UInt16>
    /// The calendar of the page's country, where its years cannot be Gregorian ones: 1405.
    let calendar: WrittenCalendar?

    /// A page of which nothing is known.
    public static let unknown = DayStyle(languages: [], order: nil)

    /// - Parameters:
    ///   - languages: of the page, as BCP 47 writes them, the main one first.
    ///   - order: what is known better than by the language.
    init(languages: [String], order: Order?) {
        let locales = languages.prefix(4).map { $0.replacing("-", with: "_") }
        self.order = order
        self.languages = locales.reduce(into: []) { all, locale in
            all.formUnion(MonthNames.all.numbers(of: String(locale.prefix { $0 != "_" })))
        }
        calendar = locales.first.flatMap { Self.calendars[Self.country(of: $0)] }
    }

    private static func country(of locale: String) -> String {
        let written = locale.split(separator: "_").dropFirst().first { $0.utf8.count == 2 }
        return written?.uppercased() ?? countries[String(locale.prefix { $0 != "_" })] ?? ""
    }

    /// The countries of languages whose people count other years.
    private static let countries: [String: String] = {
        var countries: [String: String] = [:]
        for locale in CLDR.locales where !locale.contains("_") {
            if let country = CLDR.country(of: locale), calendars[country] != nil { countries[locale] = country }
        }
        return countries
    }()

    /// The first calendar of a country that numbers years as no page's Gregorian years are.
    private static let calendars: [String: WrittenCalendar] = {
        guard let bundle = CLDR.Bundle("supplementalData") else { return [:] }
        var calendars: [String: WrittenCalendar] = [:]
        for locale in CLDR.locales {
            guard let country = locale.split(separator: "_").dropFirst().first(where: { $0.utf8.count == 2 }) else {
                continue
            }
            let preferences = bundle.texts(at: ["calendarPreferenceData", String(country)])
            calendars[String(country)] = preferences.lazy.compactMap { WrittenCalendar(preference: $0) }.first
        }
        return calendars
    }()
}
