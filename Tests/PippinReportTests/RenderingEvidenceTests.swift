import Foundation
import Testing

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
