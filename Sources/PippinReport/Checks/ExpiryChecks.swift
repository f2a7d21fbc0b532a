// Check of offers, events, postings and articles whose own dates say that they are over (S24).

import Foundation
import PippinPage

extension StructuredDataChecks {
    static let s24 = CheckJudge(
        .s24, .structuredData, .warning, "Offers and events are not over",
        problem: "Offers or events are over",
        why: "Search leaves out prices that have expired, and shows what is over last.",
        page: expiry)

    private static func expiry(_ page: PageExamination) -> [Verdict] {
        var dates = EndDates(page)
        let hasPastEvent = dates.judgeEvents()
        // An offer for an event ends with the event.
        if !hasPastEvent { dates.judgeOffers() }
        dates.judgePostings()
        dates.judgeOpenGraph()
        if dates.verdicts.isEmpty, let (sentence, place) = dates.ahead { return [.pass(sentence, at: place)] }
        return dates.verdicts.gravest(upTo: shownPerCheck)
    }

    /// The end dates of a page, and what is wrong with those that have passed.
    private struct EndDates {
        let page: PageExamination
        var verdicts: [Verdict] = []
        /// The first date that has not passed.
        var ahead: (sentence: String, place: Finding.Place?)?

        init(_ page: PageExamination) { self.page = page }

        /// Whether the date that a text names is over everywhere; nil if it cannot be read, which S17 reports.
        private mutating func isOver(
            _ name: String, _ text: String, at place: Finding.Place?, room: TimeInterval = 0
        ) -> Bool? {
            guard let moment = SchemaOrg.moment(text, as: page.dayStyle),
                !StatedDate.isOfOtherCalendar(moment)
            else { return nil }
            if moment.isPast(at: page.now.addingTimeInterval(-room)) { return true }
            if ahead == nil { ahead = ("\(name) is \(Wording.quoted(text)), which has not passed.", place) }
            return false
        }

        // MARK: Offers

        /// Dates after which an offer does not hold. That something is out of stock is no expiry: it may come back.
        private static let offerEnds = ["priceValidUntil", "validThrough", "availabilityEnds"]

        mutating func judgeOffers() {
            for item in page.items("Offer", "AggregateOffer").prefix(100) {
                offer: for part in [item, page.structured.priceSpecification(of: item)].compactMap(\.self) {
                    for name in Self.offerEnds {
                        guard let text = page.text(part, name) else { continue }
                        let place = page.place(of: part)
                        guard isOver(name, text, at: place) == true else { continue }
                        verdicts.append(
                            .warning(
                                "\(name) \(Wording.quoted(text)) has passed: the offer says that it is over.",
                                at: place,
                                Finding.Remedy("Write until when the price holds, or leave \(name) out.")))
                        break offer
                    }
                }
            }
        }

        // MARK: Events

        /// The longest time for which an event without an end counts as going on.
        private static let usualLength: TimeInterval = 86_400

        /// - Returns: whether any event is over.
        mutating func judgeEvents() -> Bool {
            var over: [(item: StructuredItem, name: String, date: String)] = []
            var count = 0
            for event in page.items("Event").prefix(100) {
                // A postponed event keeps the date for which it was planned (schema.org's EventPostponed).
                let status = page.text(event, "eventStatus") ?? ""
                guard !status.hasSuffix("EventPostponed"), !status.hasSuffix("EventCancelled"),
                    event.values("eventSchedule").isEmpty
                else { continue }
                let end = page.text(event, "endDate")
                guard let date = end ?? page.text(event, "startDate") else { continue }
                let name = end == nil ? "startDate" : "endDate"
                let room = end == nil ? Self.usualLength : 0
                guard let isOver = isOver(name, date, at: page.place(of: event), room: room) else { continue }
                count += 1
                if isOver { over.append((event, name, date)) }
            }
            guard let first = over.first else { return false }
            let place = page.place(of: first.item)
            let date = "\(first.name) \(Wording.quoted(first.date))"
            if let sold = over.first(where: { isStillSold($0.item) }) {
                verdicts.append(
                    .warning(
                        "An event is over, \(sold.name) \(Wording.quoted(sold.date)), and its tickets are still InStock.",
                        at: page.place(of: sold.item),
                        Finding.Remedy(
                            "Say that the tickets are gone, and link to the next date.",
                            code: Markup.property("availability", "https://schema.org/SoldOut", in: sold.item.syntax))))
            } else {
                verdicts.append(
                    .info(
                        count == 1
                            ? "The event is over: \(date) has passed."
                            : "\(over.count) of \(count) events are over, the first since \(date).",
                        at: place,
                        Finding.Remedy("Keep the page as an archive and link to the next date, or take it down.")))
            }
            return true
        }

        private func isStillSold(_ event: StructuredItem) -> Bool {
            page.structured.items(event.values("offers")).prefix(20).contains {
                page.text($0, "availability").flatMap(SchemaOrg.availability) == "InStock"
            }
        }

        // MARK: Postings and articles

        mutating func judgePostings() {
            for item in page.structured.items.prefix(500) {
                let place = page.place(of: item)
                if item.types.contains(where: { SchemaOrg.isKind($0, of: "JobPosting") }),
                    let text = page.text(item, "validThrough"), isOver("validThrough", text, at: place) == true
                {
                    verdicts.append(
                        .warning(
                            "The job posting ended: validThrough is \(Wording.quoted(text)).", at: place,
                            Finding.Remedy("Take the posting down, or write how long it is open.")))
                }
                if let text = page.text(item, "expires"), isOver("expires", text, at: place) == true {
                    verdicts.append(
                        .info(
                            "expires \(Wording.quoted(text)) has passed: readers may take the content for outdated.",
                            at: place, Finding.Remedy("Leave it out where the content still holds.")))
                }
            }
        }

        // MARK: Open Graph

        private static let openGraphEnds = [
            ("article:expiration_time", "readers may take the article for outdated."),
            ("product:sale_price_dates:end", "the sale price says that it is over."),
            ("event:end_time", "the event is over."),
        ]

        mutating func judgeOpenGraph() {
            for (name, meaning) in Self.openGraphEnds {
                guard let text = page.meta.tags.lazy.filter({ $0.name == name }).compactMap(\.text).first else {
                    continue
                }
                let place = page.place(ofMeta: name)
                guard isOver(name, text, at: place) == true else { continue }
                verdicts.append(
                    .info(
                        "\(name) \(Wording.quoted(text)) has passed: \(meaning)", at: place,
                        Finding.Remedy("Leave it out where the content still holds.")))
            }
        }
    }
}
