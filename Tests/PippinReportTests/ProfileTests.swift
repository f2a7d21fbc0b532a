import Testing

@testable import PippinPage
@testable import PippinReport

/// Which checks count for whom (`--profile`), and what only the readers of shared links ask for.
@Suite struct ProfileTests {
    private static func told(_ page: ReportPage, _ check: String) -> [String] {
        page.card.findings(check).filter { $0.outcome >= .info }.map(\.sentence)
    }

    @Test func `a profile has the checks that its reader cares about`() {
        func checks(_ profile: ReportCard.Profile) -> Set<String> {
            var page = ReportPage("<title>Mug</title>")
            page.options.profile = profile
            let card = page.card
            return Set(card.findings.map(\.check.id))
        }
        let all = checks(.all)
        #expect(all.isSuperset(of: ["D01", "L01", "S14", "T01"]))
        #expect(checks(.apple).isSuperset(of: ["D01", "L01", "S14", "T01"]))
        #expect(checks(.google).isSuperset(of: ["D07", "S01", "T01"]))
        #expect(checks(.google).isDisjoint(with: ["D01", "L01", "S14", "S15"]))
        #expect(checks(.facebook).isSuperset(of: ["S14", "T01"]))
        #expect(checks(.facebook).isDisjoint(with: ["D01", "L01", "S15", "S22"]))
        #expect(checks(.twitter).isSuperset(of: ["S14", "S15", "T01"]))
        for profile in ReportCard.Profile.allCases {
            #expect(Check.Code.allCases.contains { profile.counts($0) }, "\(profile)")
        }
        // What is not counted is told apart from what passed.
        var page = ReportPage("<title>Mug</title>")
        page.options.profile = .facebook
        #expect(page.card.notApplicable.contains { $0.id == "D01" })
        #expect(page.card.json["judgedAs"]?["profile"]?.string == "facebook")
    }

    @Test func `Facebook is also given a description`() {
        var page = ReportPage(
            """
            <title>Mug</title><meta property="og:title" content="Mug"><meta property="og:type" content="website">
            <meta property="og:url" content="https://shop.example/mug"><meta property="og:image" content="https://shop.example/m.jpg">
            """)
        #expect(page.card.outcome("S14") == .pass)
        page.options.profile = .facebook
        #expect(page.card.outcome("S14") == .info && Self.told(page, "S14").first?.contains("og:description") == true)
    }

    @Test func `X needs a card, its own or Open Graph's`() {
        var page = ReportPage("<title>Mug</title>")
        #expect(page.card.outcome("S15") == nil)
        page.options.profile = .twitter
        #expect(
            Self.told(page, "S15").first
                == "twitter:card, twitter:title, twitter:description and twitter:image are missing, and Open Graph has nothing in place of them."
        )
        page.head += """
            <meta property="og:title" content="Mug"><meta property="og:type" content="website">
            <meta property="og:description" content="A mug."><meta property="og:image" content="https://shop.example/m.jpg">
            """
        #expect(Self.told(page, "S15").isEmpty)
    }
}
