import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinStore

/// Pages that are stuffed in each way, a little and much, beside an honest page that matches as well; and ordinary pages that have a
/// little of what stuffing is made of.
@Suite struct StuffedPagesTests {
    /// A page about a cheap mug. What is not stuffed in it is as on the honest page.
    struct Page {
        var title = "Cheap mug"
        var keywords: [String] = []
        var description =
            "A mug of stoneware that is cheap and lasts, in blue or green, with a handle for large hands and a lid against flies."
        var hidden = ""

        var html: String {
            """
            <html lang=en><title>\(title)</title><meta name=keywords content="\(keywords.joined(separator: ","))">
            <meta name=description content="\(description)"><body><main><p>\(Self.text)</p>\(hidden)</main>
            """
        }

        /// 120 words.
        static let text = (1...10).map {
            "The potter of village number \($0) turns each vessel by hand and fires it twice."
        }.joined(separator: " ")
    }

    static let styles = [
        "position:absolute;left:-9999px", "text-indent:-9999px", "font-size:0", "clip:rect(0,0,0,0);position:absolute",
        "color:#fff;background:#ffffff", "opacity:0",
    ]

    enum Way: Sendable, Hashable {
        case titleThatRepeats
        case titleOfManyKinds
        case keywordsThatRepeat
        case keywordsOfOtherThings
        case textThatRepeats
        case textHidden(style: String)

        static let all: [Way] =
            [.titleThatRepeats, .titleOfManyKinds, .keywordsThatRepeat, .keywordsOfOtherThings, .textThatRepeats]
            + StuffedPagesTests.styles.map { .textHidden(style: $0) }

        /// - Parameter strength: from 1 to 4.
        fileprivate func stuff(_ page: inout Page, _ strength: Int) {
            let theme = "cheap mug"
            func repeated(_ count: Int) -> [String] { Array(repeating: theme, count: count) }
            switch self {
            case .titleThatRepeats:
                page.title = repeated(2 + strength).joined(separator: ", ")
            case .titleOfManyKinds:
                page.title = ([theme] + StuffedPagesTests.words(4 + 2 * strength, "kind")).joined(separator: ", ")
            case .keywordsThatRepeat:
                page.keywords = StuffedPagesTests.words(6 + 4 * strength, "kind").map { "\(theme) \($0)" }
            case .keywordsOfOtherThings:
                page.keywords = [theme] + StuffedPagesTests.words(15 + 3 * strength, "other")
            case .textThatRepeats:
                let text = repeated(8 + 8 * strength) + StuffedPagesTests.words(16 - 3 * strength, "kind")
                page.description = text.joined(separator: " ") + "."
            case .textHidden(let style):
                page.hidden = "<div style=\"\(style)\">\(repeated(80 * strength).joined(separator: " "))</div>"
            }
        }
    }

    static func words(_ count: Int, _ stem: String) -> [String] {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        return (0..<count).map { "\(stem)\(letters[$0 / 26])\(letters[$0 % 26])" }
    }

    private static func record(of page: Page, _ address: String, now: Date) throws -> DeepLinkRecord {
        let url = try #require(WebURL(address))
        let facts = PageFacts(PageSource(url: url, bytes: Array(page.html.utf8), fetchedAt: now))
        return RecordBuilder.draft(from: facts, keepsText: false, now: now).record(manifest: nil).record
    }

    @Test(arguments: Way.all, 1...4)
    func `a stuffed page stands below an honest one that matches as well`(way: Way, strength: Int) async throws {
        let search = try SearchUnderTest()
        var stuffed = Page()
        way.stuff(&stuffed, strength)
        // Of equals, the one that came first would be first.
        try await search.write(Self.record(of: stuffed, "https://a.example/stuffed", now: search.now))
        try await search.write(Self.record(of: Page(), "https://b.example/honest", now: search.now))
        try search.update()
        let hits = try search.results("cheap mug", isExplained: true).hits
        #expect(hits.map(\.identifier) == ["https://b.example/honest", "https://a.example/stuffed"])
        #expect(hits.last?.parts.contains { $0.name == "stuffing" && $0.value < 0 } == true)
    }

    /// What ordinary pages have, too (`make bench-stuffing`).
    enum Habit: CaseIterable, Sendable {
        case keywordsWithOneWord, titleWithDetails, textWithItsWord, linksOfSomebodyElse

        fileprivate func change(_ page: inout Page) {
            switch self {
            case .keywordsWithOneWord: page.keywords = StuffedPagesTests.words(12, "kind").map { "mug \($0)" }
            case .titleWithDetails: page.title = "Cheap mug, blue, green, red, with lid, 300 ml"
            case .textWithItsWord: page.description = "A mug. \(page.description) This mug is our best mug."
            case .linksOfSomebodyElse:
                page.hidden =
                    "<span style=\"\(StuffedPagesTests.styles[0])\">\(StuffedPagesTests.words(60, "casino").joined(separator: " "))</span>"
            }
        }
    }

    @Test(arguments: Habit.allCases) func `ordinary pages lose little`(habit: Habit) async throws {
        let search = try SearchUnderTest()
        var page = Page()
        habit.change(&page)
        try await search.write(Self.record(of: page, "https://a.example/page", now: search.now))
        try search.update()
        let hit = try #require(try search.results("cheap mug", isExplained: true).hits.first)
        let lost = hit.parts.first { $0.name == "stuffing" }?.value ?? 0
        #expect(lost >= -0.04 * hit.score, "\(lost) of \(hit.score)")
    }

    @Test(arguments: styles) func `hidden words find nothing`(style: String) async throws {
        let search = try SearchUnderTest()
        var page = Page()
        page.hidden = "<div style=\"\(style)\">\(Array(repeating: "roulette", count: 60).joined(separator: " "))</div>"
        try await search.write(Self.record(of: page, "https://a.example/page", now: search.now))
        try search.update()
        #expect(try search.found("roulette") == [])
    }
}
