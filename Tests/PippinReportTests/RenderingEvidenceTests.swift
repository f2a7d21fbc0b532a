import Foundation
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// What a card says of a page with and without its scripts.
@Suite struct RenderingEvidenceTests {
    private static let shell = ReportPage(
        "<title>App</title>"
    ).with { $0.body = "<div id=\"root\"></div><script src=\"/app.js\"></script>" }
    private static let made = ReportPage(
        "<title>Mug</title><meta name=\"description\" content=\"A mug for tea.\">"
            + "<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"Mug\"}</script>"
    ).with { $0.body = "<h1>Mug</h1><p>A mug for tea.</p><a href=\"/cup\">Cup</a>" }

    private var evidence: RenderingEvidence {
        RenderingEvidence(
            raw: Self.shell.facts, rendered: Self.made.facts, verdict: .counts, missing: [], fileCount: 2)
    }

    private var card: ReportCard {
        let rendering = evidence
        return Self.made.with { $0.probe = { $0.rendering = .made(rendering) } }.card
    }

    @Test func `it tells which facts exist only after rendering`() {
        #expect(evidence.onlyRendered.map(\.name) == ["Description", "Structured data", "Text", "Links"])
        #expect(evidence.facts.first == RenderingEvidence.Fact(name: "Title", raw: "App", rendered: "Mug"))
        #expect(evidence.need?.sign == .emptyMount("#root"))
    }

    @Test func `the check of scripts judges the HTML before them, and names what they make`() throws {
        let finding = try #require(card.findings.first { $0.check.id == "T15" })
        #expect(finding.outcome == .warning)
        #expect(finding.sentence.hasSuffix("Only scripts make: description, structured data, text and links."))
    }

    @Test func `a page that needs no scripts passes`() throws {
        let facts = Self.made.facts
        let card = Self.made.with {
            $0.probe = {
                $0.rendering = .made(
                    RenderingEvidence(raw: facts, rendered: facts, verdict: .counts, missing: [], fileCount: 0))
            }
        }.card
        #expect(card.findings.first { $0.check.id == "T15" }?.outcome == .pass)
        #expect(!card.findings.contains { $0.check.id == "T16" })
    }

    @Test func `a rendering that does not count says why, and a limit is told by its check`() {
        let facts = (Self.shell.facts, Self.made.facts)
        let card = Self.shell.with {
            $0.probe = {
                $0.rendering = .made(
                    RenderingEvidence(
                        raw: facts.0, rendered: facts.1, verdict: .notSettled(.limited, refused: 3), missing: [],
                        fileCount: 200))
            }
        }.card
        #expect(
            card.findings.first { $0.check.id == "T16" }?.sentence.hasPrefix(
                "3 files that the page's scripts asked for were above the limit") == true)
        #expect(
            card.text().replacing(/\s+/, with: " ").contains(
                "The page is read as it was fetched: 3 files that its scripts asked for were above the limit."))
        #expect(card.json["rendering"]?["verdict"] == "limited")
    }

    @Test func `all forms list what scripts add and take away`() throws {
        let fetched = PageReading(
            Self.shell.with { $0.body += "<a href=\"/gone\">Gone</a>" }.facts.source, agents: ["pippin"])
        let made = Self.made.with { page in
            for number in 10..<40 { page.body += "<a href=\"/p/\(number)?<b>\">More</a>" }
        }
        let rendered = PageReading(made.facts.source, agents: ["pippin"])
        let rendering = RenderingEvidence(
            raw: fetched.facts, rendered: rendered.facts, verdict: .poorer(["links"]), missing: [], fileCount: 0,
            difference: RenderingDifference(of: fetched, with: rendered))
        let card = Self.made.with { $0.probe = { $0.rendering = .made(rendering) } }.card
        let text = card.text()
        #expect(
            text.contains(
                """
                  + Structured data
                      without: –
                      with: Product
                      + Product
                """), "\(text)")
        #expect(text.contains("  ≠ Links\n      without: 1 link\n      with: 31 links\n"))
        #expect(text.contains("      + https://shop.example/cup\n"))
        #expect(text.contains("      + 21 more\n      − https://shop.example/gone\n"))
        #expect(text.contains("  ≠ Record\n"))
        #expect(
            text.replacing(/\s+/, with: " ").contains(
                "The page is read as it was fetched: its rendering has lost links."))
        let facts = try #require(card.json["rendering"]?["facts"]?.array)
        let links = try #require(facts.first { $0["name"] == "Links" })
        #expect((links["addedCount"], links["lostCount"]) == (31, 1))
        #expect(links["lost"] == ["https://shop.example/gone"])
        #expect(card.html.contains("<li>− https://shop.example/gone</li>"))
        #expect(card.html.contains("<li class=\"dim\">+ 21 more</li>"))
        #expect(!card.html.contains("<b>"))
    }

    @Test func `screenshots are part of the card, if they are pictures`() throws {
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8)
        func html(_ screenshots: RenderedPage.Screenshots?) -> String {
            var rendering = evidence
            rendering.screenshots = screenshots
            let made = rendering
            return Self.made.with { $0.probe = { $0.rendering = .made(made) } }.card.html
        }
        let picture = "<img src=\"data:image/jpeg;base64,/9j/4AAQSkZJRg==\""
        let both = html(RenderedPage.Screenshots(before: jpeg, after: jpeg))
        #expect(both.components(separatedBy: picture).count == 3)
        #expect(both.contains("alt=\"The page on a phone, without scripts\""))
        let large = jpeg + [UInt8](repeating: 0, count: RenderedPage.Screenshots.maximumBytes)
        for other in [Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), Array("\" onload".utf8), large, []] {
            let one = html(RenderedPage.Screenshots(before: other, after: jpeg))
            #expect(one.components(separatedBy: picture).count == 2)
            #expect(one.contains("The browser took no picture of it."))
            #expect(!one.contains("svg+xml"))
        }
        #expect(!html(nil).contains("On a phone"))
    }

    // MARK: What its scripts did not get, and what they say

    private func card(
        missing: [(String, RequestFailure.Cause)] = [], errors: [RenderedPage.ScriptError] = [], errorCount: Int = 0
    ) throws -> ReportCard {
        let files = try missing.map { address, cause in
            let url = try #require(WebURL(address))
            return RenderingEvidence.Missing(url: address, failure: RequestFailure(cause, asking: url))
        }
        let rendering = RenderingEvidence(
            raw: Self.shell.facts, rendered: Self.made.facts, verdict: .counts, missing: files, fileCount: 2,
            errors: errors, errorCount: errorCount)
        return Self.made.with { $0.probe = { $0.rendering = .made(rendering) } }.card
    }

    @Test func `files that scripts did not get are grouped by their reason, and few are named`() throws {
        var missing: [(String, RequestFailure.Cause)] = [("https://api.example/q", .method("POST"))]
        for number in 1...120 { missing.append(("https://cdn.example/\(number).js", .failed(.timedOut("")))) }
        missing.append(("https://shop.example/long/" + "x".repeated(3_000) + "/end.js", .status(404)))
        let card = try card(missing: missing)
        let text = card.text()
        #expect(
            text.contains(
                """
                122 files that its scripts did not get
                  120 × cdn.example took too long
                      https://cdn.example/1.js
                      https://cdn.example/2.js
                      https://cdn.example/3.js
                  1 × a POST request may change something
                      https://api.example/q
                  1 × it answers with status 404
                      https://shop.example/long/xx
                """), "\(text)")
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
        let json = try #require(card.json["rendering"])
        #expect(json["missingCount"] == 122)
        #expect(json["missing"]?.array?.count == 100)
        #expect(json["missing"]?.array?.first?["code"] == "method")
        #expect(card.html.contains("<h2>122 files that its scripts did not get</h2>"))
        #expect(card.html.contains("and 117 more"))
        #expect(!card.html.contains("x".repeated(300)))
    }

    @Test func `of many reasons the most frequent are named`() throws {
        let missing = (1...40).map { ("https://h.example/\($0)", RequestFailure.Cause.status(400 + $0)) }
        let card = try card(missing: missing)
        #expect(card.text().contains("  30 × other reasons\n"))
        #expect(card.json["rendering"]?["missing"]?.array?.count == 40)
    }

    @Test func `what scripts say went wrong is shown as their words`() throws {
        let card = try card(
            errors: [
                RenderedPage.ScriptError(
                    kind: .exception, text: "<script>alert(1)</script> & \"so\"",
                    place: "https://shop.example/a.js:1:2", count: 3),
                RenderedPage.ScriptError(kind: .console, text: "\u{1B}[31mred"),
                RenderedPage.ScriptError(kind: .rejection, text: "no"),
            ], errorCount: 1_000)
        let text = card.text()
        #expect(
            text.contains(
                """
                What its scripts say went wrong (1000 or more; the first 3 that differ)
                  3 × Exception: <script>alert(1)</script> & "so"
                      at https://shop.example/a.js:1:2
                """), "\(text)")
        #expect(!text.contains("\u{1B}"))
        #expect(text.contains("  Failed promise: no\n"))
        #expect(card.html.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;so&quot;"))
        #expect(!card.html.contains("<script"))
        let json = try #require(card.json["rendering"])
        #expect(json["errorCount"] == 1_000)
        #expect(
            json["errors"]?.array?.first == [
                "kind": "exception", "text": "<script>alert(1)</script> & \"so\"",
                "place": "https://shop.example/a.js:1:2", "count": 3,
            ])
    }

    @Test func `all forms show both sides`() throws {
        let text = card.text()
        #expect(text.contains("Without scripts, and with them"))
        #expect(text.contains("  ≠ Title\n      without: App\n      with: Mug\n"), "\(text)")
        #expect(text.contains("  + Description\n      without: –\n      with: A mug for tea.\n"))
        let facts = try #require(card.json["rendering"]?["facts"]?.array)
        #expect(facts.first == ["name": "Title", "raw": "App", "rendered": "Mug"])
        #expect(card.html.contains("<th scope=\"col\">Without scripts</th>"))
    }

    @Test func `a page that could not be rendered says why`() {
        let card = Self.made.with { $0.probe = { $0.rendering = .missing(because: "it hangs") } }.card
        #expect(card.findings.first { $0.check.id == "T16" }?.sentence == "Not seen: it hangs.")
    }

    @Test func `a card without rendering says nothing of it`() {
        let card = Self.made.card
        #expect(card.json["rendering"] == nil)
        #expect(!card.text().contains("Without scripts"))
        #expect(!card.html.contains("Without scripts"))
        #expect(!card.findings.contains { $0.check.id == "T16" })
    }
}
