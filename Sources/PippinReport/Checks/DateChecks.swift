import Foundation
import PippinPage

// Checks of dates and times (S17): whether they can be read, have come, and fit each other. ExpiryChecks judges what is over.

extension StructuredDataChecks {
    /// Dates of what has happened: they cannot lie ahead.
    private static let pastDates = ["datePublished", "dateModified", "dateCreated", "uploadDate", "datePosted"]
    /// Dates that may lie ahead.
    private static let otherDates = [
        "startDate", "endDate", "previousStartDate", "validFrom", "validThrough", "priceValidUntil", "expires",
        "availabilityStarts", "availabilityEnds", "coverageStartTime", "coverageEndTime",
    ]
    /// The end of the first must not come before that of the second. A day of room where two programs write the dates.
    private static let order: [(first: String, second: String, room: TimeInterval)] = [
        ("datePublished", "dateModified", 86_400), ("dateCreated", "dateModified", 86_400),
        ("datePublished", "expires", 0), ("uploadDate", "expires", 0), ("startDate", "endDate", 0),
        ("doorTime", "startDate", 0), ("validFrom", "validThrough", 0), ("validFrom", "priceValidUntil", 0),
        ("datePosted", "validThrough", 0), ("availabilityStarts", "availabilityEnds", 0),
        ("coverageStartTime", "coverageEndTime", 0), ("departureTime", "arrivalTime", 0),
        ("pickupTime", "dropoffTime", 0), ("startTime", "endTime", 0), ("birthDate", "deathDate", 0),
        ("foundingDate", "dissolutionDate", 0),
    ]

    static let s17 = CheckJudge(
        .s17, .structuredData, .info, "Dates and times are plausible",
        problem: "Dates are not plausible",
        why:
            "Readers pass over a date that they cannot read or that has not come yet, and over times that contradict each other.",
        page: dates)

    private static func dates(_ page: PageExamination) -> [Verdict] {
        var judged = DateVerdicts(now: page.now, dayStyle: page.dayStyle)
        for item in page.structured.items.prefix(500) {
            judge(item, of: page, &judged)
        }
        judged.verdicts += openingTimes(page)
        judgeOpenGraph(page, &judged)
        return judged.verdicts.isEmpty && judged.count > 0
            ? [.pass("\(judged.count == 1 ? "The date is" : "All \(judged.count) dates are") plausible.")]
            : judged.verdicts.gravest(upTo: shownPerCheck)
    }

    /// What was found, and how many dates were looked at.
    private struct DateVerdicts {
        let now: Date
        let dayStyle: DayStyle
        var count = 0
        var verdicts: [Verdict] = []

        /// The moment a text names, where it can be read; a verdict where it cannot, or has not come yet and should have.
        mutating func read(
            _ name: String, _ text: String, mayBeFuture: Bool, at place: Finding.Place?, code: String
        ) -> SchemaOrg.Moment? {
            count += 1
            // As the record reads it.
            guard let moment = SchemaOrg.moment(text, as: dayStyle) else {
                verdicts.append(
                    .warning(
                        "\(name) \(Wording.quoted(text)) cannot be read as a date.", at: place,
                        Finding.Remedy("Write it as ISO 8601.", code: code)
                    ).inPlaceOf(note: .date(.impossible)))
                return nil
            }
            if StatedDate.isOfOtherCalendar(moment) {
                verdicts.append(
                    .warning(
                        "\(name) \(Wording.quoted(text)) is a year of the Middle Ages in the Gregorian calendar, and was left out.",
                        at: place, Finding.Remedy("Write the day of the Gregorian calendar, as ISO 8601.", code: code)
                    ).inPlaceOf(note: .date(.otherCalendar)))
                return nil
            }
            if SchemaOrg.moment(text) == nil {
                verdicts.append(
                    .info(
                        "\(name) \(Wording.quoted(text)) is not ISO 8601. It was read as \(moment.text). Other programs may read another day, or none.",
                        at: place, Finding.Remedy("Write it as ISO 8601.", code: code)))
            }
            if !mayBeFuture, moment.isFuture(at: now) {
                verdicts.append(
                    .info(
                        "\(name) \(Wording.quoted(text)) has not come yet.", at: place,
                        Finding.Remedy("Write the day it happened.")
                    ).inPlaceOf(note: .date(.future)))
            }
            return moment
        }

        mutating func compare(
            _ first: (name: String, text: String, moment: SchemaOrg.Moment),
            _ second: (name: String, text: String, moment: SchemaOrg.Moment), room: TimeInterval,
            at place: Finding.Place?
        ) {
            guard second.moment.isBefore(first.moment, room: room) else { return }
            let sentence =
                "\(second.name) \(Wording.quoted(second.text)) is before \(first.name) \(Wording.quoted(first.text))."
            // Publishing and changing are dated by programs; all other pairs are what people go by.
            verdicts.append(
                room > 0
                    ? .info(sentence, at: place, Finding.Remedy("Let both come from the same clock."))
                    : .warning(sentence, at: place, Finding.Remedy("Swap the two, or fix the one that is wrong.")))
        }
    }

    private static func judge(_ item: StructuredItem, of page: PageExamination, _ judged: inout DateVerdicts) {
        // Opening hours repeat each year: their days may have no year, and their times are looked at apart.
        guard !item.types.contains(where: { SchemaOrg.isKind($0, of: "OpeningHoursSpecification") }) else { return }
        let place = page.place(of: item)
        var moments: [String: (name: String, text: String, moment: SchemaOrg.Moment)] = [:]
        for (names, mayBeFuture) in [(pastDates, false), (otherDates, true)] {
            for name in names {
                guard let text = page.text(item, name) else { continue }
                let code = Markup.property(name, InternetTime.text(page.now), in: item.syntax)
                if let moment = judged.read(name, text, mayBeFuture: mayBeFuture, at: place, code: code) {
                    moments[name] = (name, text, moment)
                }
            }
        }
        func known(_ name: String) -> (name: String, text: String, moment: SchemaOrg.Moment)? {
            // The others may be times of a day, which are of no date.
            moments[name]
                ?? page.text(item, name).flatMap { text in
                    SchemaOrg.moment(text, as: judged.dayStyle).map { (name, text, $0) }
                }
        }
        for (first, second, room) in order {
            guard let from = known(first), let to = known(second) else { continue }
            judged.compare(from, to, room: room, at: place)
        }
        if let verdict = doorsAreLate(page, item) { judged.verdicts.append(verdict) }
    }

    /// Doors that open after the start, where they are a time of the day on which the event starts.
    private static func doorsAreLate(_ page: PageExamination, _ item: StructuredItem) -> Verdict? {
        guard let doors = page.text(item, "doorTime"), let opening = clockMinutes(doors),
            let start = page.text(item, "startDate"),
            let clock = start.utf8.split(whereSeparator: { $0 | 0x20 == UInt8(ascii: "t") || $0 == 0x20 }).dropFirst()
                .first,
            let beginning = clockMinutes(String(Substring(clock.prefix(5)))), opening > beginning
        else { return nil }
        return .warning(
            "doorTime \(Wording.quoted(doors)) is after startDate \(Wording.quoted(start)).", at: page.place(of: item),
            Finding.Remedy("Swap the two, or fix the one that is wrong."))
    }

    // MARK: Open Graph

    private static let openGraphPastDates = [
        "article:published_time", "article:modified_time", "og:updated_time", "og:published_time", "og:modified_time",
    ]
    private static let openGraphOtherDates = [
        "article:expiration_time", "video:release_date", "book:release_date", "music:release_date",
        "payment:expires_at", "product:sale_price_dates:start", "product:sale_price_dates:end", "event:start_time",
        "event:end_time",
    ]
    private static let openGraphOrder: [(first: String, second: String, room: TimeInterval)] = [
        ("article:published_time", "article:modified_time", 86_400),
        ("article:published_time", "og:updated_time", 86_400),
        ("article:published_time", "article:expiration_time", 0),
        ("product:sale_price_dates:start", "product:sale_price_dates:end", 0),
        ("event:start_time", "event:end_time", 0),
    ]

    private static func judgeOpenGraph(_ page: PageExamination, _ judged: inout DateVerdicts) {
        var moments: [String: (name: String, text: String, moment: SchemaOrg.Moment)] = [:]
        for (names, mayBeFuture) in [(openGraphPastDates, false), (openGraphOtherDates, true)] {
            for name in names {
                guard let text = page.meta.tags.lazy.filter({ $0.name == name }).compactMap(\.text).first else {
                    continue
                }
                let code = Markup.meta(property: name, content: InternetTime.text(page.now))
                let moment = judged.read(
                    name, text, mayBeFuture: mayBeFuture, at: page.place(ofMeta: name), code: code)
                if let moment { moments[name] = (name, text, moment) }
            }
        }
        for (first, second, room) in openGraphOrder {
            guard let from = moments[first], let to = moments[second] else { continue }
            judged.compare(from, to, room: room, at: page.place(ofMeta: second))
        }
    }

    // MARK: Opening hours

    /// Hours that end before they begin, and are no night.
    private static func openingTimes(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        for item in page.structured.items.prefix(1_000) {
            if let opens = page.text(item, "opens"), let closes = page.text(item, "closes"),
                let from = clockMinutes(opens), let to = clockMinutes(closes), !isOpening(from: from, to: to)
            {
                verdicts.append(verdict(opens, closes, page.place(of: item)))
            }
            for value in item.values("openingHours").prefix(20) {
                guard let text = page.structured.text(of: value) else { continue }
                for range in text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == ";" }).prefix(20) {
                    let ends = range.split(separator: "-", omittingEmptySubsequences: false)
                    guard ends.count == 2, let from = clockMinutes(String(ends[0])),
                        let to = clockMinutes(String(ends[1])), !isOpening(from: from, to: to)
                    else { continue }
                    verdicts.append(verdict(String(ends[0]), String(ends[1]), page.place(of: item)))
                }
            }
        }
        return verdicts
    }

    private static func verdict(_ opens: String, _ closes: String, _ place: Finding.Place) -> Verdict {
        .warning(
            "Opening hours end before they begin: \(Wording.quoted(opens)) to \(Wording.quoted(closes)).", at: place,
            Finding.Remedy("Write times of 24 hours, the opening first.", code: "09:00 to 17:00"))
    }

    /// Minutes since midnight of `09:30`, `9:30:00` and `24:00`.
    private static func clockMinutes(_ text: String) -> Int? {
        let parts = text.trimmingHTMLSpace().utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), (1...2).contains(parts[0].count), parts[1].count == 2,
            parts.prefix(2).allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }),
            let hours = Int(String(decoding: Array(parts[0]), as: UTF8.self)),
            let minutes = Int(String(decoding: Array(parts[1]), as: UTF8.self)), hours * 60 + minutes <= 1_440
        else { return nil }
        return hours * 60 + minutes
    }

    /// Whether two times may be an opening and a closing. A closing before the opening is a night's: until six in the morning
    /// after at most eighteen hours, or until ten from six in the evening on.
    private static func isOpening(from: Int, to: Int) -> Bool {
        if to >= from { return true }
        return to <= 6 * 60 && 1_440 - from + to <= 18 * 60 || from >= 18 * 60 && to <= 10 * 60
    }
}
