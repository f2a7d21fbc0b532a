import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

@Suite struct ReportCardTests {
    @Test(arguments: ReportCheckCase.all.map(\.check))
    func `every check fails one page and passes another`(check: String) throws {
        let pages = try #require(ReportCheckCase.all.first { $0.check == check })
        let failed = pages.failing.card.findings(check).filter { $0.outcome >= .info }
        #expect(!failed.isEmpty, "\(pages.failing.card.findings(check).map(\.sentence))")
        let passed = pages.passing.card.findings(check)
        #expect(!passed.contains { $0.outcome >= .info }, "\(passed.map(\.sentence))")
        #expect(passed.contains { $0.outcome == .pass }, "\(passed.map(\.sentence))")
    }

    @Test func `every check has a case, or is known to be out of reach`() {
        let tested = Set(ReportCheckCase.all.map(\.check))
        #expect(tested.count == ReportCheckCase.all.count)
        for check in Check.all where !tested.contains(check.id) {
            #expect(
                ReportCheckCase.unknowable.contains(check.id), "\(check.id) has neither a failing nor a passing page")
        }
        #expect(tested.isDisjoint(with: ReportCheckCase.unknowable))
    }

    @Test func `identifiers are unique and tell the group`() {
        #expect(Set(Check.all.map(\.id)).count == Check.all.count)
        let letters: [Check.Group: Character] = [
            .discoverability: "D", .deepLinks: "L", .structuredData: "S", .technical: "T",
        ]
        for check in Check.all {
            #expect(check.id.first == letters[check.group])
            #expect(!check.title.isEmpty && !check.title.hasSuffix(".") && check.why.hasSuffix("."), "\(check.id)")
        }
    }

    @Test func `what cannot be seen says why`() {
        let card = ReportPage().with { $0.isOffline = true }.card
        for id in ["D01", "D03", "D10", "L11", "L13", "T01", "T12"] {
            let finding = card.findings(id).first
            #expect(finding?.outcome == .unknown, "\(id)")
            #expect((finding?.sentence.count ?? 0) > 20, "\(id)")
        }
        #expect(card.findings("D01").first?.sentence.contains("without network") == true)
    }

    @Test func `a finding has its place and markup to paste with the page's own values`() throws {
        let page = ReportPage("<title>Mug</title>\n<meta name=\"apple-itunes-app\" content=\"app-id=123456789\">")
        let finding = try #require(page.card.findings("L06").first)
        #expect(finding.outcome == .warning)
        #expect(finding.place?.line == 3)
        #expect(finding.place?.name == "meta apple-itunes-app")
        #expect(
            finding.remedy?.code
                == "<meta name=\"apple-itunes-app\" content=\"app-id=123456789, app-argument=https://shop.example/mug\">"
        )
    }

    @Test func `the rule that closes a page is named with its line`() throws {
        let page = ReportPage().with { $0.robots = "User-agent: *\nAllow: /\n\nUser-agent: Applebot\nDisallow: /mug\n" }
        let finding = try #require(page.card.findings("D01").first)
        #expect(finding.outcome == .error)
        #expect(finding.place?.line == 5)
        #expect(finding.sentence.contains("/mug"))
    }

    @Test func `a page that was not read is judged by what is known of it`() {
        let card = ReportPage().with {
            $0.robots = "User-agent: *\nDisallow: /"
            $0.ending = .noAnswer(.disallowed("Line 2."))
        }.cardWithoutPage
        #expect(card.outcome("D01") == .error)
        #expect(card.outcome("L01") == .unknown)
        #expect(card.outcome("T01") == .unknown)
        #expect(card.record == nil && !card.isPageRead)
    }

    @Test func `a certificate that fails is one error, in its own check`() {
        let card = ReportPage().with {
            $0.ending = .noAnswer(.failed(.tls(.expired, reason: "")))
        }.cardWithoutPage
        #expect(card.outcome("T03") == .error)
        #expect(card.outcome("T01") == .unknown)
    }

    @Test func `an error page is not judged by what it says of itself, and its status comes first`() {
        let card = ReportPage("<title>Not found</title>").with {
            $0.status = 404
            $0.ending = .answered(status: 404)
        }.card
        #expect(!card.isPageRead && card.record == nil)
        #expect(card.findingsBySeverity.first?.check.id == "T01")
        let content = card.findings.filter { $0.outcome >= .info && $0.check.group != .technical }
        #expect(content.isEmpty, "\(content.map(\.sentence))")
        #expect(card.findings("S02").first?.sentence == "Not judged: the page answers with status 404 (see T01).")
    }

    @Test func `a page behind a login is closed, whatever its login page says`() {
        let card = ReportPage().with { $0.status = 403 }.card
        #expect(card.outcome("D15") == .error && card.outcome("T01") == .error)
    }

    @Test func `what Pippin did not ask for is nobody's fault`() {
        let card = ReportPage().with { $0.ending = .noAnswer(.failed(.addressRefused("10.0.0.1"))) }.cardWithoutPage
        #expect(card.counts().verdict == .pass)
        #expect(card.json["pageRead"] == false && card.json["verdict"] == "unknown")
        #expect(card.outcome("T01") == .unknown && card.outcome("T03") == .unknown)
        #expect(card.findings("T01").first?.sentence.contains("--allow-private-networks") == true)
        #expect(card.counts().error == 0)
    }

    @Test(arguments: [
        ("application/pdf", "application/pdf", nil), ("", "application/pdf", "application/pdf"),
        ("text/html", "application/json", "application/json"),
    ])
    func `what is no page fails the check of its type`(header: String, type: String, foreign: String?) {
        let card = ReportPage().with {
            $0.headers = [("Content-Type", header)]
            $0.probe = { evidence in
                evidence.foreignType = foreign
                guard case .made(var fetch) = evidence.fetch else { return }
                fetch.mediaType = header.isEmpty ? nil : header
                evidence.fetch = .made(fetch)
            }
        }.cardWithoutPage
        #expect(card.outcome("T06") == .error)
        #expect(card.findings("T06").first?.sentence.contains(type) == true)
        #expect(card.outcome("S01") == .unknown)
    }

    @Test func `a page without any app is told nothing of apps`() {
        let card = ReportPage("<title>Mug</title>").card
        let others = card.findings.filter { $0.check.group == .deepLinks && $0.outcome >= .info }
        #expect(others.isEmpty, "\(others.map(\.sentence))")
    }

    @Test func `the app that was asked about is held against the page`() {
        var page = ReportPage(
            "<meta name=\"apple-itunes-app\" content=\"app-id=123456789, app-argument=https://shop.example/mug\">")
        page.options.appStoreIdentifier = "987654321"
        #expect(page.card.outcome("L04") == .error)
        page.options.appStoreIdentifier = "123456789"
        #expect(page.card.outcome("L04") == .pass)
        page = ReportPage()
        page.options.appIdentifier = "ABCDE12345.example.shop"
        #expect(page.associated().card.outcome("L01") == .error)
    }

    @Test func `a phone wants a viewport`() {
        let page = ReportPage()
        #expect(page.card.outcome("T10") == .info)
        #expect(page.with { $0.options.isMobile = true }.card.outcome("T10") == .warning)
    }

    @Test func `a good page has nothing to fix`() {
        let page = ReportPage(
            """
            <meta charset="utf-8">
            <title>A mug for tea – Shop</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="description" content="A mug for tea, thrown by hand and fired twice, in four glazes.">
            <link rel="canonical" href="https://shop.example/mug">
            <meta name="apple-itunes-app" content="app-id=123456789, app-argument=https://shop.example/mug">
            <meta property="og:title" content="A mug for tea">
            <meta property="og:type" content="website">
            <meta property="og:url" content="https://shop.example/mug">
            <meta property="og:image" content="https://shop.example/mug.jpg">
            <meta property="og:image:width" content="1200">
            <meta property="og:image:height" content="630">
            <meta property="og:image:alt" content="A blue mug">
            """)
        let found = page.card.findings.filter { $0.outcome >= .info }
        #expect(found.isEmpty, "\(found.map { "\($0.check.id) \($0.sentence)" })")
        #expect(page.card.counts().verdict == .pass)
    }

    // MARK: Notes

    @Test func `every check has its row in the table, in the order of the codes`() {
        #expect(Set(Check.all.map(\.code)).count == Check.all.count)
    }

    /// Each of these stood under T09 or another file's check while the table of notes was one of strings.
    @Test func `a limit that bites is told by the check of what was read`() throws {
        let nested =
            "<div itemscope itemtype=\"https://schema.org/Product\">"
            + String(repeating: "<div><span itemprop=\"name\">", count: 200) + String(repeating: "x", count: 8_000)
        let texts = try #require(
            ReportPage(body: nested).card.findings.first { $0.noteCode == .microdata(.textsTooLong) })
        #expect(texts.check.id == "S06" && texts.outcome == .warning && texts.noteCode?.rawValue == "texts-too-long")

        let nodes = "[" + String(repeating: "{\"@type\":\"Thing\"},", count: 30_000) + "{\"@type\":\"Thing\"}]"
        let script = "<script type=\"application/ld+json\">\(nodes)</script>"
        let items = try #require(ReportPage(script).card.findings.first { $0.noteCode == .jsonLD(.tooManyItems) })
        #expect(items.check.id == "S05")

        let long = "<meta name=\"robots\" content=\"" + String(repeating: "all, ", count: 3_000) + "all\">"
        let list = try #require(ReportPage(long).card.findings.first { $0.noteCode == .robotsDirective(.tooLong) })
        #expect(list.check.id == "D07" && list.place?.source != .file)

        let robots = String(repeating: "User-agent Applebot\n", count: 500)
        let rest = try #require(
            ReportPage().with { $0.robots = robots }.card.findings.first { $0.noteCode == .robots(.notesLeftOut) })
        #expect(rest.check.id == "D04" && rest.place?.name.hasSuffix("/robots.txt") == true)
    }

    @Test func `many notes of one kind are told in three findings`() {
        let tags = String(repeating: "<p itemprop=\"name\">Mug</p>\n", count: 50)
        let findings = ReportPage(body: tags).card.findings("S06")
        #expect((1...4).contains(findings.count))
    }
}
