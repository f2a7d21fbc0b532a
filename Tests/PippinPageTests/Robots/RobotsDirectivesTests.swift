import Foundation
import Testing

@testable import PippinPage

@Suite struct RobotsDirectivesTests {
    private func metas(_ pairs: (String, String)..., agents: [String] = PageFacts.standardAgents) -> RobotsDirectives {
        RobotsDirectives(metas: pairs.map { (name: $0.0, content: $0.1) }, agents: agents)
    }

    private func header(_ values: String..., agents: [String] = PageFacts.standardAgents) -> RobotsDirectives {
        RobotsDirectives(metas: [], headers: HTTPHeaders(values.map { ("X-Robots-Tag", $0) }), agents: agents)
    }

    @Test func `nothing said means everything allowed`() {
        let none = metas(("description", "noindex"), ("robots", "all"), ("robots", ""))
        #expect(!none.noindex && !none.nofollow && !none.nosnippet && none.maxSnippet == nil && none.notes.isEmpty)
        #expect(none.statements.map(\.directive) == [.all])
    }

    @Test func `lists and several metas add up, whatever their case`() {
        let directives = metas(("ROBOTS", "NoIndex , index"), ("AppleBot", "nofollow"), ("googlebot", "nosnippet"))
        #expect(directives.noindex && directives.nofollow && !directives.nosnippet)
        #expect(directives.sources(of: .nofollow) == [.meta(name: "applebot")])
        #expect(directives.sources(of: .noindex).map(\.label) == ["meta robots"])
    }

    @Test func `none means more to Applebot than to others`() {
        #expect(metas(("robots", "none")).nosnippet)
        let google = metas(("robots", "none"), agents: ["Googlebot"])
        #expect(google.noindex && google.nofollow && !google.nosnippet)
        let both = metas(("googlebot", "none"), agents: ["Applebot", "Googlebot"])
        #expect(both.noindex && !both.nosnippet)
    }

    @Test func `curly quotes from copied examples are taken off`() {
        let directives = metas(("robots", "\u{201D}noindex\u{201D}, \u{2033}nofollow\u{2033}"))
        #expect(directives.noindex && directives.nofollow && directives.notes.isEmpty)
    }

    @Test func `the smallest limit and the earliest date win`() {
        let directives = metas(
            ("robots", "max-snippet:50, max-snippet: -1, max-image-preview:Large"),
            (
                "applebot",
                "max-snippet:20, max-image-preview:standard, max-video-preview:x, unavailable_after: 2025-09-03"
            ),
            ("robots", "unavailable_after: 2024-01-01T00:00:00Z"))
        #expect(directives.maxSnippet == 20)
        #expect(directives.maxImagePreview == .standard)
        #expect(directives.maxVideoPreview == nil)
        #expect(directives.unavailableAfter == Date(timeIntervalSince1970: 1_704_067_200))
        #expect(directives.notes.map(\.code.rawValue) == ["robots-directive-value"])
    }

    @Test func `headers hold for everyone or for the agent they name, up to the next`() {
        let directives = header(
            "noindex", "googlebot: nofollow, applebot: nosnippet, noarchive", "otherbot: noimageindex, none")
        #expect(directives.noindex && !directives.nofollow && directives.nosnippet && directives.noarchive)
        #expect(!directives.noimageindex)
        #expect(directives.sources(of: .noarchive) == [.header(agent: "applebot")])
        #expect(directives.sources(of: .noindex) == [.header(agent: nil)])
    }

    @Test(arguments: [
        "unavailable_after: 25 Jun 2010 15:00:00 PST, noarchive",
        "unavailable_after: Friday, 25-Jun-10 15:00:00 PST, noarchive",
        "unavailable_after: 2010-06-25T15:00:00-08:00, noarchive",
        "applebot: unavailable_after: Fri, 25 Jun 2010 15:00:00 PST, noarchive",
        "unavailable_after: Fri, Jun 25, 2010 15:00:00 PST, noarchive",
    ])
    func `a date may hold commas and colons`(value: String) {
        let directives = header(value)
        #expect(directives.unavailableAfter == Date(timeIntervalSince1970: 1_277_506_800))
        #expect(directives.noarchive)
        #expect(directives.notes.isEmpty)
    }

    @Test func `a directive with a value is no agent, and an agent may have one`() {
        #expect(header("max-snippet: 5").maxSnippet == 5)
        #expect(header("applebot: max-snippet: 5, noindex").maxSnippet == 5)
        #expect(header("googlebot: max-snippet: 5, noindex").statements.isEmpty)
    }

    @Test func `missing commas and unknown words are noted`() {
        let directives = metas(("robots", "noindex nofollow; nosuch"))
        #expect(directives.noindex && directives.nofollow)
        #expect(
            directives.notes.map(\.code.rawValue) == ["robots-directive-comma-missing", "robots-directive-unknown"])
    }

    @Test func `hostile lists are bounded`() {
        let directives = metas(("robots", String(repeating: "noindex,", count: 1_000_000)))
        #expect(directives.noindex && directives.statements.count <= 201)
        let unknown = header(String(repeating: ":", count: 10_000), String(repeating: "x ", count: 100_000))
        #expect(unknown.statements.isEmpty)
    }

    @Test func `many lists are bounded together, and the loss is noted`() {
        let directives = RobotsDirectives(
            metas: [],
            headers: HTTPHeaders((0..<5_000).map { _ in ("X-Robots-Tag", "pippin: nofollow, nosnippet") }),
            agents: ["pippin"])
        #expect(directives.nofollow && directives.nosnippet && directives.statements.count < 5_000)
        #expect(directives.notes.map(\.code) == [.robotsDirective(.tooLong)])
    }

    @Test func `a list that is cut within a character costs what was read of it`() {
        let list = "x" + String(repeating: "é", count: 4_100)
        let directives = RobotsDirectives(
            metas: Array(repeating: (name: "robots", content: list), count: 20) + [
                (name: "robots", content: "nosnippet")
            ],
            agents: PageFacts.standardAgents)
        #expect(directives.notes.map(\.code).contains(.robotsDirective(.tooLong)))
        #expect(!directives.nosnippet)
    }

    @Test func `long lists in metas do not hide a header`() {
        let directives = RobotsDirectives(
            metas: Array(repeating: (name: "robots", content: String(repeating: "nofollow,", count: 900)), count: 20),
            headers: HTTPHeaders([("X-Robots-Tag", "noindex")]), agents: ["pippin"])
        #expect(directives.noindex)
    }
}
