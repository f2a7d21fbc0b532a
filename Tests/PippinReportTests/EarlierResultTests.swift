import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinReport

/// A run beside an earlier one.
@Suite struct EarlierResultTests {
    private static let mug = ReportPage(
        "<title>Mug</title><meta name=\"apple-itunes-app\" content=\"app-id=123456789, app-argument=mug\">")
    /// The same with a mistake more, and further down.
    private static let worse = mug.with {
        $0.head = "\n\n" + $0.head + "<meta name=\"twitter:app:id:iphone\" content=\"none\">"
    }

    private static func report(_ pages: [(name: String, card: ReportCard)], after earlier: EarlierResult? = nil)
        -> (text: String, json: String, index: CardIndex)
    {
        var index = CardIndex(failingFrom: .error)
        if earlier != nil { index.compare() }
        let named = pages.map { page in
            NamedCard(
                name: page.name, isFile: true, card: earlier?.compared(page.card, named: page.name) ?? page.card)
        }
        for (position, page) in named.enumerated().reversed() { index.add(page, at: position) }
        if let earlier { index.finish(earlier) }
        func written(_ form: CardSeries.Form) -> String {
            let series = CardSeries(form, failingFrom: .error)
            return series.beginning
                + named.map(series.piece).filter { !$0.isEmpty }.joined(separator: series.separator) + series.end(index)
        }
        return (written(.text(extent: .init(), color: false)), written(.json), index)
    }

    @Test func `pages are worse, better, new and gone, and only what is new fails`() throws {
        let before = Self.report([
            ("same", Self.mug.card), ("worse", Self.mug.card), ("better", Self.worse.card), ("gone", Self.worse.card),
        ])
        let earlier = try EarlierResult(bytes: Array(before.json.utf8))
        #expect(earlier.pages == ["same", "worse", "better", "gone"])
        let now = Self.report(
            [
                ("new", Self.mug.card), ("same", Self.mug.with { $0.head = "\n\n" + $0.head }.card),
                ("worse", Self.worse.card), ("better", Self.mug.card),
            ], after: earlier)
        #expect(now.text.contains("1 worse, 1 better, 1 new, 1 gone."), "\(now.text)")
        #expect(now.text.contains("  worse  worse  ") && now.text.contains("  better better  "), "\(now.text)")
        #expect(now.text.contains("known from the earlier result"), "\(now.text)")
        #expect(now.index.failingCount == 1, "what is new on the worse page are warnings")
        var parser = JSONParser()
        let json = try parser.parse(now.json)
        let pages = json["pages"]?.array ?? []
        #expect(pages[0]["comparison"]?["newPage"]?.bool == true)
        #expect(pages[1]["baseline"]?["new"]?.integer == 0)
        #expect(pages[3]["comparison"]?["gone"]?.array?.compactMap { $0["check"]?.string }.contains("L18") == true)
        let summary = json["summary"]?["comparison"]
        #expect(summary?["gonePages"]?.array?.map(\.string) == ["gone"])
        let kept = try ReportSchema.card.verdict(of: Array(now.json.replacing("\n", with: "").utf8))
        #expect(kept.status == 0, "\(kept.output.prefix(4_000))")
    }

    @Test func `a card alone is compared with a card alone, also of another name`() throws {
        let earlier = try EarlierResult(bytes: Self.worse.card.json.bytes(pretty: true))
        let card = earlier.compared(Self.mug.card, named: "build-17/mug.html")
        #expect(!card.fails(from: .warning) && card.treatment.comparison?.goneCount == 2)
        #expect(card.text().contains("Gone since the earlier result") && card.text().contains("✓ L18"))
        let kept = try ReportSchema.card.verdict(of: card.json.bytes())
        #expect(kept.status == 0, "\(kept.output.prefix(4_000))")
    }

    @Test func `findings that are not listed are compared by their number`() throws {
        // S07: ratings out of their scale.
        let rating =
            #"{"@type": "AggregateRating", "ratingValue": 9, "ratingCount": 3, "itemReviewed": {"@type": "Book", "name": "B"}}"#
        func page(_ errors: Int) -> ReportCard {
            let items = Array(repeating: rating, count: errors).joined(separator: ",")
            return ReportPage(
                "<script type=\"application/ld+json\">{\"@context\": \"https://schema.org\", \"@graph\": [\(items)]}</script>"
            ).card
        }
        let many = page(30)
        let unlisted = many.findings.reduce(0) { $0 + $1.unlisted.error + $1.unlisted.warning }
        #expect(unlisted > 0)
        let earlier = try EarlierResult(bytes: many.json.bytes())
        #expect(!earlier.compared(many, named: "a").fails(from: .warning))
        #expect(earlier.compared(page(36), named: "a").fails(from: .warning))
        #expect((earlier.compared(page(25), named: "a").treatment.comparison?.goneCount ?? 0) > 0)
    }

    @Test(arguments: [
        ("", "not valid JSON"), ("{", "not valid JSON"), ("{}", "is no report"), ("{\"pages\":[{}]}", "is no report"),
        ("{\"url\":\"a\",\"findings\":[{\"outcome\":\"error\",\"check\":\"L01\"}]}", "without fingerprints"),
    ])
    func `a file that is no report is refused`(text: String, problem: String) {
        #expect {
            try EarlierResult(bytes: Array(text.utf8))
        } throws: {
            ($0 as? EarlierResult.Fault)?.problem.contains(problem) == true
        }
    }
}
