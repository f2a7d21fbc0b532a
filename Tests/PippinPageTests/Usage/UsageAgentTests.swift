import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// Whether a page is found, answered from and trained on by each crawler, by what its owner documents.
@Suite struct UsageAgentTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var robots: String? = "User-agent: *\nDisallow: /closed/\n"
        var head = ""
        var headers: [(name: String, value: String)] = []
        var path = "/a"
        /// The answers of the agents in their order: yes, no, `-` for not said.
        let expected: [String]

        var testDescription: String { name }
    }

    private static let now = Date(timeIntervalSince1970: 1_795_000_000)
    private static let own = UsageAgent.own(
        "ExampleBot", robotsAgents: ["ExampleBot", "Applebot"], directiveAgents: ["ExampleBot", "Applebot"])

    private static func verdicts(_ wanted: Case, isRead: Bool = true) throws -> [AgentVerdicts] {
        let page = try #require(WebURL("https://h.example" + wanted.path))
        let place = try #require(WebURL("/robots.txt", base: page))
        let facts = PageFacts(
            PageSource(
                url: page, headers: HTTPHeaders(wanted.headers), bytes: Array("\(wanted.head)<p>x".utf8), fetchedAt: now
            ))
        let robots = wanted.robots.map { RobotsFile(bytes: Array($0.utf8), url: place) }
        return (UsageAgent.known + [own]).map {
            $0.verdicts(on: page, isRead ? facts : nil, robots: robots, now: now)
        }
    }

    private static func words(_ verdicts: [AgentVerdicts]) -> [String] {
        verdicts.map { $0.all.map { $0.answer == .unsaid ? "-" : String($0.answer.rawValue.prefix(1)) }.joined() }
    }

    // In this order: Applebot, Googlebot, Bingbot, GPTBot, ExampleBot.
    private static let cases = [
        Case(name: "nothing is said", expected: ["y--", "y--", "y--", "y--", "y--"]),
        Case(name: "robots.txt was not seen", robots: nil, expected: ["---", "---", "---", "---", "---"]),
        Case(
            name: "everything is closed", robots: "User-agent: *\nDisallow: /\n",
            expected: ["nnn", "nnn", "nnn", "nnn", "nnn"]),
        Case(
            name: "Applebot falls back on Googlebot", robots: "User-agent: Googlebot\nDisallow: /\n",
            expected: ["nnn", "nnn", "y--", "y--", "y--"]),
        Case(
            name: "Applebot-Extended is for training alone", robots: "User-agent: Applebot-Extended\nDisallow: /\n",
            expected: ["y-n", "y--", "y--", "y--", "y--"]),
        Case(
            name: "a token may be granted what it stands for", robots: "User-agent: Applebot-Extended\nAllow: /\n",
            expected: ["y-y", "y--", "y--", "y--", "y--"]),
        Case(
            name: "Google-Extended is for answers and training", robots: "User-agent: Google-Extended\nDisallow: /\n",
            expected: ["y--", "ynn", "y--", "y--", "y--"]),
        Case(
            name: "GPTBot is for training, not for search", robots: "User-agent: GPTBot\nDisallow: /\n",
            expected: ["y--", "y--", "y--", "y-n", "y--"]),
        Case(
            name: "OAI-SearchBot is for search, not for training", robots: "User-agent: OAI-SearchBot\nDisallow: /\n",
            expected: ["y--", "y--", "y--", "nn-", "y--"]),
        Case(
            name: "GPTBot is let in, and others are not",
            robots: "User-agent: GPTBot\nAllow: /\n\nUser-agent: *\nDisallow: /\n",
            expected: ["nnn", "nnn", "nnn", "nny", "nnn"]),
        Case(
            name: "a crawler of one's own has its own rules", robots: "User-agent: ExampleBot\nDisallow: /\n",
            expected: ["y--", "y--", "y--", "y--", "nnn"]),
        Case(
            name: "signals are for everybody",
            robots: "User-agent: *\nContent-Signal: search=yes, ai-input=no, ai-train=no\n",
            expected: ["ynn", "ynn", "ynn", "ynn", "ynn"]),
        Case(
            name: "of usage rules the longest path decides",
            robots: "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /a train-ai=y\n",
            expected: ["y-y", "y-y", "y-y", "y-y", "y-y"]),
        Case(
            name: "a refusal wins over a grant of a token",
            robots:
                "User-agent: *\nContent-Signal: ai-train=no\nUser-agent: GPTBot\nAllow: /\nContent-Signal: ai-train=no\n",
            expected: ["y-n", "y-n", "y-n", "y-n", "y-n"]),
        Case(
            name: "noindex", head: "<meta name=robots content=noindex>",
            expected: ["n--", "nn-", "nn-", "n--", "n--"]),
        Case(
            name: "noindex for one of them", head: "<meta name=bingbot content=noindex>",
            expected: ["y--", "y--", "nn-", "y--", "y--"]),
        Case(
            name: "noindex in the header", headers: [("X-Robots-Tag", "googlebot: noindex")],
            expected: ["y--", "nn-", "y--", "y--", "y--"]),
        Case(
            name: "nosnippet", head: "<meta name=robots content=nosnippet>",
            expected: ["yn-", "yn-", "y--", "y--", "yn-"]),
        Case(
            name: "a snippet without characters", head: "<meta name=robots content='max-snippet:0'>",
            expected: ["y--", "yn-", "y--", "y--", "yn-"]),
        Case(
            name: "noarchive", head: "<meta name=robots content=noarchive>",
            expected: ["y--", "y--", "ynn", "y--", "y--"]),
        Case(
            name: "nocache for Bing", head: "<meta name=bingbot content=nocache>",
            expected: ["y--", "y--", "ynn", "y--", "y--"]),
        Case(
            name: "noai is for everybody", head: "<meta name=robots content=noai>",
            expected: ["ynn", "ynn", "ynn", "ynn", "ynn"]),
        Case(
            name: "the header Content-Usage is for everybody", headers: [("Content-Usage", "train-ai=n, search=y")],
            expected: ["y-n", "y-n", "y-n", "y-n", "y-n"]),
        Case(
            name: "a reservation is for everybody", headers: [("tdm-reservation", "1")],
            expected: ["ynn", "ynn", "ynn", "ynn", "ynn"]),
        Case(
            name: "a paywall",
            head: "<script type='application/ld+json'>{\"@context\":\"https://schema.org\","
                + "\"@type\":\"NewsArticle\",\"headline\":\"x\",\"isAccessibleForFree\":false}</script>",
            expected: ["yn-", "y--", "y--", "y--", "yn-"]),
        Case(
            name: "a moment that has passed", head: "<meta name=robots content='unavailable_after: 2020-01-01'>",
            expected: ["y--", "nn-", "y--", "y--", "n--"]),
    ]

    @Test(arguments: cases) func `each agent goes by the words of its owner's documentation`(wanted: Case) throws {
        #expect(Self.words(try Self.verdicts(wanted)) == wanted.expected)
    }

    @Test func `every refusal and every grant has its line`() throws {
        for wanted in Self.cases {
            for verdict in try Self.verdicts(wanted).flatMap(\.all) where verdict.answer == .no {
                let statement = try #require(verdict.statement, "\(wanted.name)")
                #expect(!statement.isAllowed)
                #expect(statement.source.url != nil, "\(wanted.name)")
            }
        }
        let granted = try Self.verdicts(Case(name: "", robots: "User-agent: GPTBot\nAllow: /\n", expected: []))[3]
        #expect(granted.trained.statement?.source.text == "Allow: /" && granted.trained.statement?.source.line == 2)
        #expect(granted.found.statement == nil)
    }

    @Test func `words that no owner documents to follow are told as such`() throws {
        let signals = Case(name: "", robots: "User-agent: *\nContent-Signal: ai-train=no\n", expected: [])
        #expect(try Self.verdicts(signals).map(\.trained.isDocumented) == [false, false, false, false, true])
        let both = Case(
            name: "", robots: "User-agent: Applebot-Extended\nDisallow: /\n",
            headers: [("Content-Usage", "train-ai=n")],
            expected: [])
        #expect(try Self.verdicts(both).map(\.trained.isDocumented) == [true, false, false, false, true])
    }

    @Test func `of a page that was not read, robots.txt alone tells`() throws {
        let closed = Case(
            name: "", robots: "User-agent: *\nDisallow: /a\nUser-agent: bingbot\nAllow: /b\n", expected: [])
        #expect(Self.words(try Self.verdicts(closed, isRead: false)) == ["nnn", "nnn", "---", "nnn", "nnn"])
    }

    @Test func `where a robots.txt has to be taken for closed, nothing may be used`() throws {
        let page = try #require(WebURL("https://h.example/a"))
        let verdicts = UsageAgent.known.map { $0.verdicts(on: page, nil, robots: .disallowAll, now: Self.now) }
        #expect(Self.words(verdicts) == ["nnn", "nnn", "nnn", "nnn"])
    }

    @Test func `every agent that is known has a page of its owner`() {
        for agent in UsageAgent.known {
            #expect(agent.documentation.flatMap { WebURL($0) }?.scheme == "https", "\(agent.name)")
        }
    }
}
