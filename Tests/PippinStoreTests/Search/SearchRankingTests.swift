import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinStore

/// What moves a hit: each signal alone.
@Suite struct SearchRankingTests {
    /// Two records that differ in one thing only; the one at `/b` has it. Without it `/a` would be first.
    private func order(
        clicks: ClickLog? = nil, _ change: (inout DeepLinkRecord) -> Void
    ) async throws -> [String] {
        let search = try SearchUnderTest()
        for path in ["a", "b"] {
            try await search.write("https://\(path).example/\(path)", "Blue mug") {
                $0.snippet = "It holds tea."
                if path == "b" { change(&$0) }
            }
        }
        try search.update()
        return try search.found("blue mug", clicks: clicks)
    }

    private static func linkPopularity(_ value: Double) -> (inout DeepLinkRecord) -> Void {
        { record in
            record.popularity = value
            record.provenance = [.init(field: "popularity", source: .linkGraph)]
        }
    }

    @Test func `equals are in the order in which they came`() async throws {
        #expect(try await order { _ in } == ["/a", "/b"])
    }

    @Test func `links from other pages raise a hit, a claim of popularity does not`() async throws {
        #expect(try await order(Self.linkPopularity(0.8)) == ["/b", "/a"])
        #expect(try await order { $0.popularity = 0.9 } == ["/a", "/b"])
    }

    @Test func `good ratings of many raise a hit, bad ones press it down, one enthusiast moves little`() async throws {
        func rated(_ value: Double, _ count: Int) -> (inout DeepLinkRecord) -> Void {
            { $0.rating = .init(value: value, best: 5, worst: 1, count: count, reviewCount: nil) }
        }
        #expect(try await order(rated(4.8, 900)) == ["/b", "/a"])
        #expect(try await order(rated(1.5, 900)) == ["/a", "/b"])
        let search = try SearchUnderTest()
        for (path, value, count) in [("one", 5.0, 1), ("many", 4.6, 400)] {
            try await search.write("https://\(path).example/\(path)", "Blue mug", rated(value, count))
        }
        try search.update()
        #expect(try search.found("mug") == ["/many", "/one"])
    }

    @Test func `interactions, structured data, a verified deep link and freshness raise a hit`() async throws {
        #expect(try await order { $0.interactions = [.init(type: "LikeAction", count: 50_000)] } == ["/b", "/a"])
        #expect(try await order { $0.structuredDataScore = 0.9 } == ["/b", "/a"])
        func link(_ status: DeepLinkRecord.Verification.Status) -> (inout DeepLinkRecord) -> Void {
            { record in
                var link = DeepLinkRecord.DeepLink(platform: .iOS, sources: [.smartAppBanner])
                link.verification = .init(status: status)
                record.deepLinks = [link]
            }
        }
        #expect(try await order(link(.verified)) == ["/b", "/a"])
        #expect(try await order(link(.blocked)) == ["/a", "/b"])
        let today = String(InternetTime.text(MadeUpTime.start).prefix(10))
        #expect(try await order { $0.publishedAt = today } == ["/b", "/a"])
        // What a page claims of the future gains nothing.
        #expect(try await order { $0.publishedAt = "9999-01-01" } == ["/a", "/b"])
    }

    @Test func `what is over goes down`() async throws {
        #expect(try await order { $0.expiresAt = "2001-01-01" } == ["/a", "/b"])
        let search = try SearchUnderTest()
        for (path, date) in [("past", "2001-01-01"), ("coming", "2090-01-01")] {
            try await search.write("https://\(path).example/\(path)", "Blue mug fair") {
                $0.event = .init(startDate: date)
            }
        }
        try search.update()
        #expect(try search.found("mug fair") == ["/coming", "/past"])
    }

    @Test func `the title counts more than the snippet, and the snippet more than the text`() async throws {
        let search = try SearchUnderTest()
        try await search.write("https://c.example/text", "Kitchen") {
            $0.snippet = "Things."
            $0.contentDescription = "There is also a platypus in this place."
        }
        try await search.write("https://b.example/snippet", "Kitchen") {
            $0.snippet = "There is also a platypus in this place."
        }
        try await search.write("https://a.example/title", "Platypus") { $0.snippet = "Things." }
        try search.update()
        #expect(try search.found("platypus") == ["/title", "/snippet", "/text"])
    }

    @Test func `the word itself counts more than another form, and that more than a longer word`() async throws {
        let search = try SearchUnderTest()
        for (path, title) in [("longer", "Recipebook"), ("stem", "Recipes"), ("exact", "Recipe")] {
            try await search.write("https://\(path).example/\(path)", title)
        }
        try search.update()
        #expect(try search.found("recipe") == ["/exact", "/stem", "/longer"])
    }

    @Test func `words that stand together count more than words apart`() async throws {
        let search = try SearchUnderTest()
        try await search.write("https://a.example/apart", "Mug") {
            $0.snippet = "Blue things, and far away from them a mug of tea."
        }
        try await search.write("https://b.example/together", "Mug") {
            $0.snippet = "Things of tea, and far away from them a blue mug."
        }
        try search.update()
        #expect(try search.found("blue mug") == ["/together", "/apart"])
    }

    @Test func `of one host two hits keep their place among the first ten`() async throws {
        let search = try SearchUnderTest()
        for number in 0..<8 {
            try await search.write("https://big.example/big\(number)", "Blue mug") { Self.linkPopularity(0.3)(&$0) }
        }
        for number in 0..<8 { try await search.write("https://s\(number).example/small", "Blue mug") }
        try search.update()
        let first = try search.found("blue mug").prefix(10)
        #expect(first.count { $0.hasPrefix("/big") } == 2)
        #expect(try search.found("blue mug site:big.example").count == 8)
        #expect(try search.found("blue mug").count == 16)
    }

    @Test func `stuffing presses down, and is told`() async throws {
        func isPressed(_ change: (inout DeepLinkRecord) -> Void, _ words: String) async throws {
            let search = try SearchUnderTest()
            try await search.write("https://b.example/stuffed", "Cheap mug", change)
            try await search.write("https://a.example/honest", "A mug that is cheap") {
                $0.snippet = "Blue, with a handle."
            }
            try search.update()
            let hits = try search.results("cheap mug", isExplained: true).hits
            #expect(hits.map { WebURL($0.identifier)?.path ?? "" } == ["/honest", "/stuffed"], "\(words)")
            let part = hits.last?.parts.first { $0.name == "stuffing" }
            #expect(part?.detail?.contains(words) == true && (part?.value ?? 0) < 0)
        }
        try await isPressed({ $0.title = "Cheap mug, cheap mugs, cheap cheap mug" }, "the title repeats a word")
        try await isPressed(
            {
                $0.keywords = [
                    "mug", "cheap mug", "mug sale", "best mug", "mug shop", "mug online", "buy mug", "mug now",
                ]
                $0.snippet = String(repeating: "Cheap mug here. ", count: 12)
            }, "the text repeats a word")
        try await isPressed({ $0.hiddenWords = 80 }, "the page hides text from people")
    }

    @Test func `keywords for search engines take little from a page, and bring it little`() async throws {
        let search = try SearchUnderTest()
        try await search.write("https://a.example/creami", "Ninja Creami ice cream") {
            $0.keywords = [
                "ninja creami", "ice creami", "creami recipes", "best creami", "creami maker", "creami mixer",
                "creami vanilla", "creami sorbet",
            ]
            $0.snippet = "Blend milk, sugar and vanilla."
        }
        try await search.write("https://b.example/other", "Ice cream with a Ninja Creami and cherries") {
            $0.snippet = "Blend milk and cherries."
        }
        try await search.write("https://c.example/sorbet", "A sorbet of cherries") { $0.snippet = "No milk at all." }
        try search.update()
        let hits = try search.results("ninja creami ice cream", isExplained: true).hits
        #expect(hits.first?.identifier == "https://a.example/creami")
        let part = try #require(hits.first?.parts.first { $0.name == "stuffing" })
        #expect(part.value < 0 && part.value > -0.05 * (hits.first?.score ?? 0))
        #expect(try search.found("sorbet") == ["/sorbet", "/creami"])
        #expect(!StuffingSigns.keywordsRepeat.areTelling && StuffingSigns([.keywordsRepeat, .titleLists]).areTelling)
        #expect(StuffingSigns.textRepeats.areTelling)
    }

    /// One of sixteen may be another one; 99.5 % of real pages have less that share a word.
    @Test(arguments: [
        (16, 1, true, true), (16, 2, false, true), (16, 8, false, true), (16, 9, false, false), (6, 0, true, true),
        (5, 0, false, false),
    ])
    func `keywords press a page down when nearly all share a word, and tell little of it when half of them do`(
        count: Int, others: Int, isSign: Bool, isMadeUp: Bool
    ) {
        let keywords = (0..<count).map { $0 < others ? ["other\($0)"] : ["mug", "kind\($0)"] }
        let measures = StuffingMeasures(
            title: "Mug", titleWords: ["mug"], siteWords: [], keywords: keywords, text: ["mug"])
        let signs = StuffingSigns(measures)
        #expect(signs.contains(.keywordsRepeat) == isSign && (signs.weight > 0) == isSign)
        #expect(signs.hasMadeUpKeywords == isMadeUp && !signs.areTelling)
    }

    @Test(arguments: [(6, 23, true), (6, 25, false), (5, 15, false)])
    func `a text is stuffed when a word is a quarter of it`(times: Int, words: Int, isStuffed: Bool) {
        let text = Array(repeating: "mug", count: times) + (times..<words).map { "word\($0)" }
        let signs = StuffingSigns(
            StuffingMeasures(title: "Mug", titleWords: ["mug"], siteWords: [], keywords: [], text: text))
        #expect(signs.contains(.textRepeats) == isStuffed)
    }

    @Test func `honest records have no signs of stuffing`() {
        let words = ["the", "beatles", "the", "beatles", "album"]
        let text =
            "a recipe for apple pie with apples from the garden and a crust that the whole family likes to eat on sundays"
        let measures = StuffingMeasures(
            title: "The Beatles: The Beatles (album)", titleWords: words, siteWords: [],
            keywords: [["pie"], ["apple", "pie"], ["baking"]], text: text.split(separator: " ").map(String.init))
        let signs = StuffingSigns(measures)
        #expect(signs == [])
    }

    @Test func `what people choose for a query rises, what they pass over sinks`() async throws {
        func log(_ clicked: String, _ times: Int) -> ClickLog {
            let shown =
                #"{"query":"mug blue","shown":["https://a.example/a","https://b.example/b"],"at":"2026-11-01T00:00:00Z"}"#
            let click =
                #"{"query":"Blue  MUG","identifier":"https://\#(clicked).example/\#(clicked)","at":"2026-11-01T00:00:01Z"}"#
            return ClickLog(
                lines: Array(Array(repeating: shown + "\n" + click, count: times).joined(separator: "\n").utf8))
        }
        #expect(try await order(clicks: log("b", 30)) { _ in } == ["/b", "/a"])
        #expect(try await order(clicks: log("a", 30)) { $0.structuredDataScore = 0.9 } == ["/a", "/b"])
        let other = ClickLog(lines: Array(#"{"query":"teapot","identifier":"https://c.example/"}"#.utf8))
        #expect(try await order(clicks: other) { _ in } == ["/a", "/b"])
    }

    @Test func `lines that are no click are counted and do no harm`() {
        let log = ClickLog(
            lines: Array(
                "nonsense\n{}\n[1]\n{\"query\":1}\n{\"query\":\"x\"}\n\n{\"query\":\"x\",\"identifier\":\"y\"}\n".utf8))
        #expect(log.unreadLines == 5)
        #expect(log.engagement(of: "y", for: SearchQuery("x"), weights: .standard) != nil)
    }

    @Test func `the parts of a score add up to it`() async throws {
        let search = try SearchUnderTest()
        for number in 0..<6 {
            try await search.write("https://big.example/\(number)", number == 3 ? "Mug mug mug" : "Blue mug") {
                $0.snippet = "A mug, blue."
                $0.rating = .init(value: Double(number), best: 5, worst: 0, count: 50, reviewCount: nil)
                $0.structuredDataScore = 0.5
                Self.linkPopularity(0.1 * Double(number))(&$0)
            }
        }
        try search.update()
        let explained = try search.results("blue mug", isExplained: true)
        #expect(explained.hits.count >= 5)
        for hit in explained.hits {
            #expect(!hit.parts.isEmpty)
            #expect(abs(hit.parts.reduce(0) { $0 + $1.value } - hit.score) < 0.001)
        }
        let plain = try search.results("blue mug")
        #expect(plain.hits.map(\.score) == explained.hits.map(\.score))
        #expect(plain.hits.map(\.parts.count) == plain.hits.map { _ in 0 })
    }

    @Test func `the best of a frequent word are found though not all are read`() async throws {
        var weights = SearchWeights.standard
        weights.freshness = 0
        let search = try SearchUnderTest()
        for number in 0..<60 {
            try await search.write("https://h\(number).example/\(number)", "Other") {
                $0.snippet = "A mug."
                Self.linkPopularity(number == 57 ? 0.9 : 0.1)(&$0)
            }
        }
        try await search.write("https://last.example/title", "Mug")
        try search.update()
        let found = try search.found("mug")
        #expect(found.first == "/title" && found.dropFirst().first == "/57")
    }
}
