import PippinPage
import Testing

/// The weights of guesses reach what guesses with them.
@Suite struct GuessWeightsTests {
    private static let html = """
        <title>High water in spring - Harbour News of the North</title><meta property=og:site_name content='The Harbour'>
        <body><h1>Water</h1><div class=meta><span>By Jane Doe</span> <span>4 May 2021</span></div>
        <p>The river rose by two metres in a night, and nobody in the harbour had seen that before, they said.</p>
        <p>It fell again within a week.</p><img src='/river.jpg' width=400 height=300></body>
        """

    private static func record(
        _ html: String = html, _ change: (inout GuessWeights) -> Void
    ) throws -> DeepLinkRecord {
        var weights = GuessWeights.fitted
        change(&weights)
        let facts = PageFacts(
            try RecordBuilderTests.facts(html, url: "https://example.org/page"), guessingWith: weights)
        return try #require(RecordBuilder.conclusion(from: facts, now: RecordBuilderTests.fetchedAt).record)
    }

    @Test func `the fitted weights are those of a page that was read`() throws {
        let read = try RecordBuilderTests.record(Self.html)
        var again = try Self.record { _ in }
        // The crawl knows them, not the page.
        again.seeds = read.seeds
        #expect(read == again)
        #expect(read.authors.map(\.name) == ["Jane Doe"])
        #expect(read.publishedAt == "2021-05-04")
        #expect(read.thumbnailURL == "https://example.org/river.jpg")
    }

    @Test func `other weights guess something else`() throws {
        #expect(try Self.record { $0.byline.writers.enough = 100 }.authors.isEmpty)
        #expect(try Self.record { $0.byline.days.enough = 100 }.publishedAt == nil)
        #expect(try Self.record { $0.picture.width = 500 }.thumbnailURL == nil)
        let text = try Self.record { _ in }.snippet
        #expect(text?.hasPrefix("The river") == true)
        #expect(try Self.record { $0.text.sentenceBytes = 1_000 }.snippet != text)
    }

    @Test func `a part of the site's name behind a title is left out, and no subject before it`() throws {
        func title(_ written: String, share: Int = GuessWeights.fitted.siteName.trailingShare) throws -> String? {
            let site = "<meta property=og:site_name content='Analyse Opinion Critique'><p>x"
            return try Self.record("<title>\(written)</title>\(site)") { $0.siteName.trailingShare = share }.title
        }
        #expect(try title("Pour les retraites - Analyse") == "Pour les retraites")
        #expect(try title("Pour les retraites - Analyse", share: 50) == "Pour les retraites - Analyse")
        #expect(try title("Analyse - Pour les retraites") == "Analyse - Pour les retraites")
        #expect(try title("Pour les retraites - Ana") == "Pour les retraites - Ana")
    }

    /// “By” has a byline's weight wherever it stands near the headline.
    @Test func `a name behind a label is taken without a name of its element`() throws {
        let filler = String(repeating: "The river rose again and again in these days. ", count: 18)
        let record = try RecordBuilderTests.record(
            "<title>High water</title><h1>High water</h1><p>\(filler)</p><p>By Jane Doe</p><p>\(filler)</p>")
        #expect(record.authors.map(\.name) == ["Jane Doe"])
    }
}
