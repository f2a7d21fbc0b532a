import PippinTestSupport
import Testing

@testable import PippinPage

/// What a crawl keeps of a robots.txt decides as the whole file does, and takes little more memory than the host sent.
@Suite struct RobotsRulesTests {
    private let chain = ["Pippin", "Applebot", "Googlebot"]
    private let targets = [
        "/", "/a", "/a/b", "/a/b?u=https%3A%2F%2Fx", "/a/b?u=https://x", "/shop/index.html", "/shop/", "/caf%C3%A9",
        "/price$", "/x/y/z.gif", "/x.gif?", "/robots.txt", "/%7Ejoe/", "/a%2Fb", "/*",
    ]

    @Test(
        .slow,
        arguments: [
            "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.gif$\nDisallow: /caf\u{E9}\n",
            "User-agent: *\nDisallow: /\n\nUser-agent: Applebot\nAllow: /shop/index.html\nDisallow: /shop\nCrawl-delay: 3\n",
            "User-agent: Applebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n\nUser-agent: Applebot\nAllow: /a\nDisallow: /x\n",
            "User-agent: *\nDisallow: /a/b?u=https%3A%2F%2Fx\nDisallow: /~joe/**\nDisallow: /price$\nDisallow:\nDisallow: x\n",
            "User-agent: *\nDisallow: /a%2fb\nDisallow: $\nAllow: *$\n", "User-agent: other\nDisallow: /\n", "",
        ])
    func `every URL is decided as by the file, with the same sentence`(text: String) throws {
        let file = robots(text)
        let rules = RobotsRules(file, agents: chain)
        // As a large file is kept.
        let padding = (0..<6_000).map { "Disallow: /never/\($0)/matched\n" }.joined()
        let large = robots(text + (text.hasSuffix("\n") ? padding : ""))
        let packed = RobotsRules(large, agents: chain)
        for target in targets {
            let url = try #require(WebURL("https://h.test" + target))
            #expect(rules.decision(for: url) == file.decision(for: url, agents: chain))
            #expect(packed.decision(for: url) == large.decision(for: url, agents: chain))
        }
        #expect(rules.crawlDelay == file.crawlDelay(agents: chain))
    }

    @Test func `what could not be fetched decides as before`() throws {
        let url = try #require(WebURL("https://h.test/x"))
        for (file, rules) in [(RobotsFile.allowAll, RobotsRules.allowAll), (.disallowAll, .disallowAll)] {
            #expect(rules.decision(for: url) == file.decision(for: url, agents: chain))
            #expect(rules.byteCount == 0)
        }
    }

    @Test(.slow) func `a file of half a megabyte that repeats itself costs about what it took on the wire`() throws {
        let text = "User-agent: *\n" + String(repeating: "Disallow: /a/b/c\nAllow: /a/*/d$\n", count: 16_000)
        let file = robots(text)
        let rules = RobotsRules(file, agents: chain)
        #expect(rules.byteCount < 20_000)
        #expect(rules.decision(for: try #require(WebURL("https://h.test/a/b/c"))).rule?.line == 2)
        #expect(RobotsRules(robots(text), agents: chain) == rules, "the same text gives the same rules")
    }

    @Test(.slow) func `a file that cannot be packed costs no more than twice its bytes`() {
        var numbers = SeededNumbers(seed: 7)
        let text = "User-agent: *\n" + (0..<20_000).map { _ in "Disallow: /\(numbers.next())\n" }.joined()
        #expect(RobotsRules(robots(text), agents: chain).byteCount < 2 * RobotsFile.maximumBytes)
        #expect(robots(text).groups[0].table.byteCount < 2 * RobotsFile.maximumBytes)
    }

    @Test func `of groups for others nothing is kept`() {
        let others = (0..<2_000).map { "User-agent: other\($0)\nDisallow: /\($0)/\n" }.joined()
        let rules = RobotsRules(robots(others + "User-agent: Applebot\nDisallow: /x\n"), agents: chain)
        #expect(rules.byteCount < 100)
    }

    @Test func `the whole file is there again for who asked to keep it`() throws {
        let url = try #require(WebURL("https://h.test/robots.txt"))
        let file = robots("User-agent: *\nDisallow: /a\nnonsense\n")
        let kept = try #require(RobotsRules(file, agents: chain, keepsFile: true).file(at: url))
        #expect(kept.text == file.text && kept.notes.count == file.notes.count)
        #expect(RobotsRules(file, agents: chain).file(at: url) == nil)
    }

    private func robots(_ text: String) -> RobotsFile {
        guard let url = WebURL("https://h.test/robots.txt") else { preconditionFailure("a URL") }
        return RobotsFile(bytes: Array(text.utf8), url: url)
    }
}
