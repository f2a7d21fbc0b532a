import Foundation
import PippinPage
import PippinTestSupport
import Testing

@testable import PippinReport

/// What `pippin validate --checks`, `--types` and `--previews` print.
@Suite struct CardRulesTests {
    private static func printed(_ name: String) throws -> String {
        try String(contentsOf: Fixtures.folder("card-rules").appending(path: "\(name).txt"), encoding: .utf8)
    }

    /// Whoever changes a check's title or severity, or a row of the table, sees it here.
    @Test func `every check with its severity, in the order of reports`() throws {
        #expect(CardRules(checks: true, types: false, previews: false).text == (try Self.printed("checks")))
        let lines = try Self.printed("checks").split(separator: "\n").filter { $0.hasPrefix("  ") }
        #expect(lines.map { $0.dropFirst(2).prefix(3) } == Check.all.map { Substring($0.id) })
    }

    @Test func `every type with what it needs and who says so`() throws {
        #expect(CardRules(checks: false, types: true, previews: false).text == (try Self.printed("types")))
        let lines = try Self.printed("types").split(separator: "\n").filter { !$0.hasPrefix("  ") }
        #expect(lines.map(String.init) == TypeRequirements.all.map(\.type))
    }

    @Test func `every network with what it shows`() throws {
        #expect(CardRules(checks: false, types: false, previews: true).text == (try Self.printed("previews")))
    }

    @Test func `JSON has the same, with the reason of each check and the source of each property`() throws {
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(CardRules(checks: true, types: true, previews: true).json))
                as? [String: [[String: Any]]])
        let checks = try #require(json["checks"])
        #expect(checks.map { $0["check"] as? String } == Check.all.map(\.id))
        #expect(checks.map { $0["severity"] as? String } == Check.all.map(\.severity.rawValue))
        #expect(checks.allSatisfy { ($0["why"] as? String)?.isEmpty == false && $0["problem"] is String })
        let event = try #require(json["types"]?.first { $0["type"] as? String == "Event" })
        let recommended = try #require(event["recommended"] as? [[String: String]])
        let date = try #require(recommended.first { $0["property"] == "previousStartDate" })
        let discord = try #require(json["previews"]?.first { $0["network"] as? String == "discord" })
        #expect((discord["title"] as? [String: [String]])?["limits"] == ["70 bytes"])
        #expect(date["condition"] == "if EventRescheduled")
        #expect(date["source"]?.hasPrefix("https://developers.google.com/") == true)
    }

    @Test func `a profile lists what its reader asks`() throws {
        let google = CardRules(checks: true, types: true, previews: false, for: .google).text
        #expect(!google.contains("  L11  ") && google.contains("  D01  ") && google.contains("\nRecipe\n"))
        #expect(!google.contains("https://schema.org/"))
        let ofNetwork = CardRules(checks: false, types: true, previews: false, for: .twitter).text
        #expect(ofNetwork == "No type needs anything for this profile.\n")
    }

    @Test func `the lines in the documentation are lines of the listing`() throws {
        let docs = try String(contentsOf: Repository.root.appending(path: "Docs/ReportCard.md"), encoding: .utf8)
        let section = try #require(docs.components(separatedBy: "\n## ").first { $0.hasPrefix("Checks\n") })
        let block = section.components(separatedBy: "```")[3]
        let shown = block.split(separator: "\n").dropFirst().filter { !$0.isEmpty }
        let lines = Set(CardRules(checks: true, types: true, previews: true).text.split(separator: "\n"))
        #expect(shown.count >= 6 && shown.allSatisfy(lines.contains), "\(shown.filter { !lines.contains($0) })")
    }
}
