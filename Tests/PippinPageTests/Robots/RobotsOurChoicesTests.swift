import PippinTestSupport
import Testing

@testable import PippinPage

/// Where RFC 9309 is silent or stricter than the files people write: what we chose, and the note each choice leaves.
@Suite struct RobotsOurChoicesTests {
    // MARK: Agents

    @Test func `the first agent of the chain that the file names decides`() {
        let robots = file("User-agent: *\nDisallow: /s\n\nUser-agent: Googlebot\nDisallow: /g\n")
        let chain = ["Pippin", "Applebot", "Googlebot"]
        let decision = robots.decision(for: url("/g"), agents: chain)
        #expect(decision.agent == "Googlebot")
        #expect(decision.rule?.line == 5)
        #expect(decision.sentence == "Line 5, Disallow: /g, in the rules for Googlebot.")
        #expect(robots.decision(for: url("/s"), agents: chain).isAllowed)
        #expect(robots.decision(for: url("/s"), agents: ["Applebot"]).agent == "*")
    }

    @Test(arguments: [
        "bot2", "Applebot/0.1", "Applebot (x)", "applebot 2", "x, Applebot", "Two Applebot", "*, Applebot",
    ])
    func `names may hold digits, versions follow them and several may share a line`(value: String) {
        let robots = file("User-agent: \(value)\nDisallow: /x\n")
        #expect(!robots.decision(for: url("/x"), agents: [value == "bot2" ? "BOT2" : "Applebot"]).isAllowed)
        #expect(robots.notes.isEmpty == (value == "bot2"))
    }

    @Test func `an agent asked for that is no token is named by no line`() {
        #expect(file("User-agent: foo bar\nDisallow: /\n").decision(for: url("/x"), agents: ["foo bar"]).isAllowed)
    }

    @Test func `an agent line without a name still ends the group before it`() {
        let robots = file("User-agent: a\nDisallow: /x\nUser-agent:\nDisallow: /y\n")
        #expect(robots.decision(for: url("/y"), agents: ["a"]).isAllowed)
        #expect(robots.notes.map(\.code.rawValue) == ["robots-agent-missing"])
    }

    // MARK: Kindness

    @Test(arguments: [
        "useragent: a\ndisallow: /x", "user agent: a\ndissallow: /x", "User-agent: a\ndisallowed: /x",
        "ser-agent: a\ndesallow: /x", "user-agnet: a\nDisallow: /x", "user-agent a\ndisallow: /x",
        "User-agent: a\ndisallow /x", "User-agent: a\ndisallow /x:y",
    ])
    func `misspelled keys and missing colons are read, with a note`(text: String) {
        let robots = file(text)
        #expect(!robots.decision(for: url("/x:y"), agents: ["a"]).isAllowed)
        #expect(
            robots.notes.allSatisfy { ["robots-key-misspelled", "robots-colon-missing"].contains($0.code.rawValue) })
        #expect(!robots.notes.isEmpty)
    }

    @Test func `three words without a colon are no rule`() {
        let robots = file("User-agent: a\ndisallow /x /y\n")
        #expect(robots.decision(for: url("/x"), agents: ["a"]).isAllowed)
        #expect(robots.notes.map(\.code.rawValue) == ["robots-line-unreadable"])
    }

    @Test(arguments: [[0xEF, 0xBB, 0xBF], [0xEF, 0xBB], [0xEF]] as [[UInt8]])
    func `a byte order mark is skipped, whole or in part`(mark: [UInt8]) {
        let robots = RobotsFile(bytes: mark + Array("User-agent: a\nDisallow: /x\n".utf8), url: url("/robots.txt"))
        #expect(!robots.decision(for: url("/x"), agents: ["a"]).isAllowed)
        #expect(robots.notes.map(\.code.rawValue) == ["robots-byte-order-mark"])
    }

    @Test(arguments: [true, false])
    func `UTF-16 with a byte order mark is read`(bigEndian: Bool) {
        let units = Array("\u{FEFF}User-agent: a\nDisallow: /ü\n".utf16)
        let bytes = units.flatMap { unit -> [UInt8] in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return bigEndian ? pair : pair.reversed()
        }
        let robots = RobotsFile(bytes: bytes, url: url("/robots.txt"))
        #expect(!robots.decision(for: url("/%C3%BC"), agents: ["a"]).isAllowed)
    }

    @Test func `an HTML page has no rules, HTML around rules is taken off`() {
        let page = file("<!DOCTYPE html><html><body><p>Disallow: /</p></body></html>")
        #expect(page.decision(for: url("/x"), agents: ["a"]).isAllowed)
        #expect(page.notes.map(\.code.rawValue) == ["robots-html"])
        let wrapped = file("<html><body><pre>User-agent: *<br>Disallow: /x<br/></pre></body></html>")
        #expect(!wrapped.decision(for: url("/x"), agents: ["a"]).isAllowed)
    }

    @Test func `an allowed index page allows its directory, as Google has it`() {
        let robots = file("User-agent: *\nAllow: /dir/index.html\nDisallow: /\n")
        #expect(robots.decision(for: url("/dir/"), agents: ["a"]).rule?.pattern == "/dir/index.html")
        #expect(robots.decision(for: url("/dir/"), agents: ["a"]).isAllowed)
        #expect(!robots.decision(for: url("/dir/index.htm"), agents: ["a"]).isAllowed)
    }

    @Test func `a pattern that is no path matches nothing and is noted`() {
        let robots = file("User-agent: *\nDisallow: http://h.example/x\nDisallow: x\n")
        #expect(robots.decision(for: url("/x"), agents: ["a"]).isAllowed)
        #expect(robots.notes.map(\.code.rawValue) == ["robots-pattern-not-a-path", "robots-pattern-not-a-path"])
        #expect(robots.groups.first?.rules.count == 2)
    }

    // MARK: Sitemaps and delays

    @Test func `sitemaps are kept once, relative ones resolved, and need no group`() {
        let robots = file(
            "Sitemap: http://a.example/one.xml\nUser-agent: a\nsite-map: /two.xml\nsitemap: http://a.example/one.xml\nhttps://b.example/three.xml\nSitemap:\n"
        )
        #expect(
            robots.sitemaps.map(\.href) == [
                "http://a.example/one.xml", "http://h.example/two.xml", "https://b.example/three.xml",
            ])
        #expect(
            robots.notes.map(\.code.rawValue).suffix(3) == [
                "robots-sitemap-relative", "robots-bare-sitemap", "robots-sitemap-invalid",
            ])
    }

    @Test func `each agent has the delay that follows its name`() {
        let robots = file(
            "User-agent: *\nCrawl-delay: 3\n\nUser-agent: b\nUser-agent: c\nCrawl-delay: 1.5\n\nUser-agent: d\nCrawl-delay: nonsense\nDisallow: /\n"
        )
        #expect(robots.crawlDelay(agents: ["x"]) == .seconds(3))
        #expect(robots.crawlDelay(agents: ["b"]) == .milliseconds(1500))
        #expect(robots.crawlDelay(agents: ["x", "c"]) == .milliseconds(1500))
        #expect(robots.crawlDelay(agents: ["d"]) == nil)
        #expect(!robots.decision(for: url("/"), agents: ["x"]).isAllowed, "a delay ends no group")
    }

    @Test(arguments: ["1e400", "-1", ".", "99999999999999999999", "1..2", "0x10", "10 s", "7s"])
    func `odd delays are bounded or ignored`(value: String) {
        let delay = file("User-agent: *\nCrawl-delay: \(value)\n").crawlDelay(agents: [])
        #expect(
            delay == (["10 s": .seconds(10), "7s": .seconds(7), "99999999999999999999": .seconds(1_000_000)][value]))
    }

    // MARK: Hostile files

    @Test(.slow) func `ten megabytes of stars are read and matched at once`() {
        let robots = file("User-agent: *\nDisallow: /" + String(repeating: "*", count: 10_000_000))
        #expect(robots.decision(for: url("/x"), agents: ["a"]).isAllowed, "the only rule is cut by the size limit")
        let line = "/" + String(repeating: "*a", count: 8_000) + "b"
        let dense = file("User-agent: *\n" + String(repeating: "Disallow: \(line)\n", count: 30))
        #expect(dense.decision(for: url("/" + String(repeating: "a", count: 100_000)), agents: ["a"]).isAllowed)
    }

    @Test(.slow) func `a hundred thousand groups and agents cost no more than their lines`() {
        let many = file((0..<100_000).map { "User-agent: a\(String($0, radix: 36))\nAllow: /\n" }.joined())
        #expect(many.groups.count > 10_000)
        let shared = file(
            (0..<12_000).map { "User-agent: a\($0)\n" }.joined()
                + String(repeating: "Crawl-delay: 1\nDisallow: /x\n", count: 8_000))
        #expect(shared.crawlDelay(agents: ["a1"]) == .seconds(1))
        #expect(!shared.decision(for: url("/x"), agents: ["a11999"]).isAllowed)
        let again = file(String(repeating: "User-agent: a\nAllow: /\n", count: 20_000))
        #expect(again.decision(for: url("/x"), agents: ["a"]).isAllowed)
    }

    @Test func `any bytes are read without trapping`() {
        var state: UInt64 = 42
        let pieces: [[UInt8]] = [
            Array("user-agent:".utf8), Array("disallow:".utf8), Array("allow".utf8), Array("sitemap:".utf8),
            Array("crawl-delay:".utf8), Array("/*%2".utf8), Array("$%".utf8), [0xEF, 0xBB], [0xFF, 0xFE], [0xC2, 0xA0],
            [0x0A], [0x0D], [0], [0x20], Array("<p".utf8), Array("#:*".utf8), Array("http://".utf8), [0x80],
        ]
        for _ in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<12 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes += pieces[Int(state >> 33) % pieces.count]
            }
            let robots = RobotsFile(bytes: bytes, url: url("/robots.txt"))
            #expect(robots.decision(for: url("/a%2?b"), agents: ["a"]).sentence.isEmpty == false)
        }
    }

    @Test func `notes are bounded and say how many were left out`() {
        let notes = file(String(repeating: "nonsense\n", count: 1_000)).notes
        #expect(notes.count == ReadingLimits.standard.maximumNotes + 1)
        #expect(notes.last?.code.rawValue == "notes-left-out")
    }
}

private func file(_ text: String) -> RobotsFile {
    RobotsFile(bytes: Array(text.utf8), url: url("/robots.txt"))
}

private func url(_ path: String) -> WebURL {
    guard let url = WebURL("http://h.example" + path) else {
        preconditionFailure("the test's own URL is valid: \(path)")
    }
    return url
}
