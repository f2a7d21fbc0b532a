import Foundation
import Testing

@testable import PippinPage
@testable import PippinReport

/// What the report card says of offers, events and postings that are over (S24), and of places without contact (S25). The
/// tests' now is 18 November 2026, 11:06 UTC.
@Suite struct ExpiryVerdictTests {
    private static func json(_ text: String) -> ReportPage {
        ReportPage("<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\(text)}</script>")
    }

    private static func told(_ page: ReportPage, _ check: String = "S24") -> String {
        page.card.findings(check).map { "\($0.outcome): \($0.sentence)" }.joined(separator: "\n")
    }

    private static func offer(_ members: String) -> ReportPage {
        json(
            "\"@type\":\"Product\",\"name\":\"Mug\",\"offers\":{\"@type\":\"Offer\",\"price\":\"12.50\",\"priceCurrency\":\"EUR\",\(members)}"
        )
    }

    private static func event(_ members: String) -> ReportPage {
        json("\"@type\":\"Event\",\"name\":\"Fair\",\(members)")
    }

    // MARK: Offers

    @Test(arguments: [
        "\"priceValidUntil\":\"2025-12-31\"", "\"validThrough\":\"2026-11-01T00:00:00Z\"",
        "\"availabilityEnds\":\"2020-01-01\"",
        "\"priceSpecification\":{\"@type\":\"PriceSpecification\",\"price\":\"12.50\",\"validThrough\":\"2024-01-01\"}",
    ])
    func `an offer that is over is found once, and is no mistake of its price`(members: String) {
        let card = Self.offer(members).card
        #expect(card.findings("S24").count == 1)
        #expect(Self.told(Self.offer(members)).contains("warning: "))
        #expect(Self.told(Self.offer(members)).contains("has passed: the offer says that it is over"))
        #expect(card.outcome("S08") == .pass)
    }

    @Test(arguments: ["\"priceValidUntil\":\"2026-11-18\"", "\"priceValidUntil\":\"2027-01-01\""])
    func `an offer that holds today passes`(members: String) {
        #expect(Self.told(Self.offer(members)).hasPrefix("pass: priceValidUntil is "))
    }

    @Test(arguments: ["OutOfStock", "SoldOut", "Discontinued"])
    func `what is out of stock is not over`(availability: String) {
        let page = Self.offer("\"availability\":\"https://schema.org/\(availability)\"")
        #expect(page.card.findings("S24").isEmpty)
    }

    @Test func `five offers that are over are enough`() {
        let offers = (1...40).map { "{\"@type\":\"Offer\",\"price\":\"\($0)\",\"priceValidUntil\":\"2020-01-01\"}" }
        let page = Self.json("\"@type\":\"Product\",\"name\":\"Mug\",\"offers\":[\(offers.joined(separator: ","))]")
        #expect(page.card.findings("S24").count == 5)
    }

    // MARK: Events

    @Test func `an event that is over is advice, a mistake where its tickets are still sold`() {
        let dates = "\"startDate\":\"2026-05-01T19:00\",\"endDate\":\"2026-05-01T22:00\""
        #expect(Self.told(Self.event(dates)) == "info: The event is over: endDate “2026-05-01T22:00” has passed.")
        func sold(_ availability: String) -> String {
            Self.told(
                Self.event(
                    "\(dates),\"offers\":{\"@type\":\"Offer\",\"price\":\"5\",\"priceCurrency\":\"EUR\",\"validThrough\":\"2026-05-01\",\"availability\":\"https://schema.org/\(availability)\"}"
                ))
        }
        #expect(sold("InStock").hasPrefix("warning: An event is over, endDate “2026-05-01T22:00”, and its tickets"))
        // Its offer ends with it, which needs no finding of its own.
        #expect(sold("SoldOut") == "info: The event is over: endDate “2026-05-01T22:00” has passed.")
    }

    @Test(arguments: [
        // Without an end it may go on for a day.
        "\"startDate\":\"2026-11-17T19:00:00Z\"", "\"startDate\":\"2026-11-17\"",
        "\"startDate\":\"2026-05-01\",\"endDate\":\"2026-12-01\"",
    ])
    func `an event that goes on or comes passes`(members: String) {
        #expect(Self.told(Self.event(members)).hasPrefix("pass: "))
    }

    @Test(arguments: [
        "\"startDate\":\"2026-05-01\",\"eventStatus\":\"https://schema.org/EventPostponed\"",
        "\"startDate\":\"2026-05-01\",\"eventSchedule\":{\"@type\":\"Schedule\",\"repeatFrequency\":\"P1W\"}",
        "\"startDate\":\"some day\"",
    ])
    func `a date that need not be the event's is left alone`(members: String) {
        #expect(Self.event(members).card.findings("S24").isEmpty)
    }

    @Test func `a list of events is judged as one`() {
        let events = ["2026-05-01", "2026-06-01", "2027-01-01"].map {
            "{\"@type\":\"Event\",\"name\":\"Fair\",\"startDate\":\"\($0)\"}"
        }
        #expect(
            Self.told(Self.json("\"@graph\":[\(events.joined(separator: ","))]"))
                == "info: 2 of 3 events are over, the first since startDate “2026-05-01”.")
    }

    // MARK: Postings, articles, Open Graph

    @Test func `a posting and an article say when they end`() {
        #expect(
            Self.told(Self.json("\"@type\":\"JobPosting\",\"title\":\"J\",\"validThrough\":\"2026-02-01\""))
                .hasPrefix("warning: The job posting ended"))
        #expect(
            Self.told(Self.json("\"@type\":\"Article\",\"headline\":\"A\",\"expires\":\"2026-02-01\""))
                .hasPrefix("info: expires “2026-02-01” has passed"))
    }

    @Test(arguments: ["article:expiration_time", "product:sale_price_dates:end", "event:end_time"])
    func `Open Graph's ends are judged`(property: String) {
        func told(_ date: String) -> String {
            Self.told(ReportPage("<meta property=\"\(property)\" content=\"\(date)\">"))
        }
        #expect(told("2020-01-01").hasPrefix("info: \(property) “2020-01-01” has passed"))
        #expect(told("2030-01-01").hasPrefix("pass: "))
        #expect(told("one day").isEmpty)
    }

    // MARK: Places (S25)

    @Test(arguments: [
        ("Restaurant", "\"address\":\"Way 1, 12345 Ulm\"", "no telephone."),
        ("Store", "\"address\":\"Way 1, 12345 Ulm\"", "no telephone."),
    ])
    func `a place without contact is found`(type: String, members: String, missing: String) {
        let told = Self.told(Self.json("\"@type\":\"\(type)\",\"name\":\"Mugs\",\(members)"), "S25")
        #expect(told == "warning: \(type) “Mugs” has \(missing)")
    }

    @Test(arguments: ["Hotel", "LocalBusiness"])
    func `an address that the type requires is missed once, by S21`(type: String) {
        let page = Self.json("\"@type\":\"\(type)\",\"name\":\"Mugs\",\"telephone\":\"+49 731 555 0100\"")
        #expect(Self.told(page, "S25").isEmpty)
        #expect(Self.told(page, "S21").contains("“Mugs” lacks: address"))
    }

    @Test func `coordinates and a contact point are enough`() {
        let page = Self.json(
            "\"@type\":\"Hotel\",\"name\":\"Mugs\",\"geo\":{\"@type\":\"GeoCoordinates\",\"latitude\":55.75,\"longitude\":12.55},\"contactPoint\":{\"@type\":\"ContactPoint\",\"telephone\":\"+49 731 555 0100\"}"
        )
        #expect(Self.told(page, "S25") == "pass: Hotel “Mugs” has a telephone and an address.")
    }

    @Test func `a number elsewhere on the page makes it advice`() {
        let page = Self.json("\"@type\":\"Hotel\",\"name\":\"Mugs\",\"address\":\"Way 1, 12345 Ulm\"")
            .with { $0.body += "<a href=\"tel:+497315550100\">Call</a>" }
        #expect(Self.told(page, "S25") == "info: Hotel “Mugs” has no telephone, which stands elsewhere on the page.")
    }

    @Test func `a restaurant in a list and a shop beside the topic are left alone`() {
        let list = Self.json(
            "\"@type\":\"ItemList\",\"itemListElement\":[{\"@type\":\"ListItem\",\"position\":1,\"item\":{\"@type\":\"Restaurant\",\"name\":\"Mugs\"}}]"
        )
        #expect(list.card.findings("S25").isEmpty, "\(Self.told(list, "S25"))")
        let article = Self.json(
            "\"@graph\":[{\"@type\":\"Article\",\"headline\":\"Mugs\",\"mainEntityOfPage\":\"https://shop.example/mug\"},{\"@type\":\"Store\",\"name\":\"Mugs\"}]"
        )
        #expect(article.card.findings("S25").isEmpty, "\(Self.told(article, "S25"))")
    }
}
