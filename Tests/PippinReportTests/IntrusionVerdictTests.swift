import Foundation
import Testing

@testable import PippinPage
@testable import PippinReport

/// What the report card says of overlays (D18), and of text that is not for people (S23).
@Suite struct IntrusionVerdictTests {
    private static func told(_ page: ReportPage, _ check: String) -> String {
        page.card.findings(check).map { "\($0.outcome): \($0.sentence)" }.joined(separator: "\n")
    }

    private static let text = String(
        repeating: "<p>A mug for tea, thrown by hand and fired twice, in four glazes and two sizes.</p>\n", count: 6)

    // MARK: D18

    @Test func `an overlay is told with its place, its text and what to do instead`() throws {
        let page = ReportPage(
            body: Self.text + "<div style=\"position:fixed;inset:0\"><p>Our letter</p><button>Go</button></div>")
        let finding = try #require(page.card.findings("D18").first)
        #expect(
            finding.sentence
                == "A <div> that is fixed over the whole screen lies over the content when the page opens: “Our letter”."
        )
        #expect(finding.outcome == .warning && finding.place?.line == 10)
        let app = ReportPage(
            body: Self.text + "<dialog open><a href=\"https://apps.apple.com/app/id1\">Get the app</a></dialog>")
        #expect(app.card.findings("D18").first?.remedy?.code?.contains("apple-itunes-app") == true)
    }

    @Test func `a question about cookies covers nothing that matters`() {
        let page = ReportPage(
            body: Self.text + "<dialog open><p>May we store cookies?</p><button>Yes</button></dialog>")
        #expect(Self.told(page, "D18").hasPrefix("pass: "))
    }

    // MARK: S23

    @Test func `hidden text is told with its words and how it is hidden`() throws {
        let words = (1...40).map { "word\($0)" }.joined(separator: " ")
        let page = ReportPage(body: Self.text + "<div style=\"position:absolute;left:-9999px\">\(words)</div>")
        let finding = try #require(page.card.findings("S23").first)
        #expect(finding.outcome == .warning && finding.place?.name == "div")
        #expect(
            finding.sentence.hasPrefix(
                "Styles hide 40 words from people, the most in a <div> far off the screen: “word1"))
        let few = ReportPage(
            body: Self.text + "<div style=\"position:absolute;left:-9999px\">Skip to the content</div>")
        #expect(Self.told(few, "S23").hasPrefix("pass: "), "\(Self.told(few, "S23"))")
    }

    @Test(arguments: [
        "Best Large Exercise Mats and Yoga Mats for Your Home - Gorilla Mats", "Bora Bora: hotels on Bora Bora",
    ])
    func `a title may repeat the name of the site, and a doubled name`(title: String) {
        let page = ReportPage("<title>\(title)</title><meta property=\"og:site_name\" content=\"Gorilla Mats\">")
        #expect(Self.told(page, "S23").hasPrefix("pass: "), "\(Self.told(page, "S23"))")
    }

    @Test(arguments: ["Mug mug mug mug", "Gorilla mats, yoga mats, mats for kids, cheap mats - Gorilla Mats"])
    func `a title that repeats a word beyond that is stuffed`(title: String) {
        let page = ReportPage("<title>\(title)</title><meta property=\"og:site_name\" content=\"Gorilla Mats\">")
        #expect(Self.told(page, "S23").hasPrefix("warning: The title repeats a word."), "\(Self.told(page, "S23"))")
    }

    @Test func `a page most of which is hidden hides it, for the check and the record`() throws {
        let words = (1...400).map { "word\($0)" }.joined(separator: " ")
        for style in ["position:absolute;left:-9999px", "font-size:0", "color:#fff;background:#fff", "opacity:0"] {
            let card = ReportPage(body: Self.text + "<div style=\"\(style)\">\(words)</div>").card
            #expect(card.record?.hiddenWords == 400, "\(style)")
            #expect(card.outcome("S23") == .warning, "\(style)")
        }
    }

    @Test func `signs of stuffing are those that press a record down in search`() {
        let title = ReportPage("<title>Mug shop: mugs, mug, mug and mug</title>")
        #expect(Self.told(title, "S23").hasPrefix("warning: The title repeats a word."))
        let list = ReportPage("<title>Tea, coffee, milk, water, juice, wine</title>")
        #expect(Self.told(list, "S23").hasPrefix("info: The title is a list."))
    }
}
