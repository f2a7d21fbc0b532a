import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// Holds the JSON forms of report cards against `Docs/card.schema.json`.
@Suite struct ReportSchemaTests {
    private static func lines(_ values: [JSONValue]) -> [UInt8] { values.flatMap { $0.bytes() + [0x0A] } }

    /// A page with as many parts of a card as it can have.
    private static let rich = ReportPage(
        """
        <title>Mug</title><meta name="apple-itunes-app" content="app-id=123456789, app-argument=mug">
        <meta property="og:title" content="Mug"><meta property="og:image" content="https://shop.example/a.jpg">
        <script type="application/ld+json">{"@context":"https://schema.org","@id":"#a","@type":"Product","name":"Mug",
        "brand":{"@id":"#b"},"offers":[{"@type":"Offer","price":"12","seller":{"@id":"#b"}},{"@type":"Offer","seller":{"@id":"#a"}}]}</script>
        """
    ).with {
        $0.options = ReportCard.Options(
            appIdentifier: "ABCDE12345.org.example.app", appStoreIdentifier: "123456789", isMobile: true)
        let facts = ReportPage("<title>App</title>").facts
        let made = ReportPage("<title>Mug</title>").with { $0.body = "<h1>Mug</h1><a href=\"/cup\">Cup</a>" }.facts
        $0.probe = {
            $0.rendering = .made(
                RenderingEvidence(raw: facts, rendered: made, verdict: .broughtNothing, missing: [], fileCount: 2))
        }
    }.associated(
        apple: .fetched(
            bytes: Array(
                #"{"applinks":{"details":[{"appIDs":["ABCDE12345.org.example.app"],"components":[{"/":"/no/*","exclude":true},{"/":"/m?g","?":{"a":"b"},"comment":"c"},{"/":"/mug"}]}]}}"#
                    .utf8), mediaType: "application/json"))

    private static var cards: [ReportCard] {
        ReportCheckCase.all.flatMap { [$0.failing.card, $0.passing.card] } + [
            rich.card, ReportPage().with { $0.ending = .noAnswer(.disallowed("Line 2.")) }.cardWithoutPage,
            ReportPage().with { $0.isOffline = true }.card,
            ReportPage("<meta name=robots content=noindex>").with { $0.url = UnknownAddress.url.href }.card,
        ]
    }

    @Test(.slow) func `every card keeps to the schema`() throws {
        let verdict = try ReportSchema.card.verdict(of: Self.lines(Self.cards.map(\.json)))
        #expect(verdict.status == 0, "\(verdict.output.prefix(4_000))")
    }

    @Test
    func `the report of many pages keeps to the schema, with settings, a baseline and pages that could not be fetched`()
        throws
    {
        var tuning = CardTuning()
        (tuning.ignored, tuning.only) = ([.s14], Set(Check.all.map(\.code)).subtracting([.t01]))
        let card = Self.rich.card.tuned(by: tuning)
        var baseline = FindingBaseline()
        baseline.accept(ReportPage().card, page: "a")
        let pages = [
            NamedCard(name: "a", isFile: true, card: baseline.marked(card, page: "a").card),
            NamedCard(name: "https://gone.example/", isFile: false, card: nil, trouble: "nothing listens there"),
            NamedCard(name: "https://shop.example/", isFile: false, card: Self.rich.cardWithoutPage, trouble: "no"),
        ]
        for pages in [pages, []] {
            var index = CardIndex(failingFrom: .error)
            for (position, page) in pages.enumerated() { index.add(page, at: position) }
            let series = CardSeries(.json, failingFrom: .error)
            let text =
                series.beginning + pages.map(series.piece).joined(separator: series.separator) + series.end(index)
            let verdict = try ReportSchema.card.verdict(of: Array(text.replacing("\n", with: "").utf8))
            #expect(verdict.status == 0, "\(verdict.output.prefix(4_000))")
        }
    }

    @Test(.slow) func `the schema refuses keys that it does not know, at every depth`() throws {
        let verdict = try ReportSchema.card.verdict(of: Self.lines([Self.rich.card.json]), isStrict: true)
        #expect(verdict.status == 0, "\(verdict.output.prefix(4_000))")
        let keys = Self.rich.card.json.object?.members.map(\.key) ?? []
        for key in ["record", "rendering", "traces", "previews", "items"] { #expect(keys.contains(key), "\(key)") }
        let wrong = try ReportSchema.card.verdict(of: Self.lines([["schemaVersion": 1, "url": "https://a.example/"]]))
        #expect(wrong.status == 1)
    }
}
