import PippinTestSupport
import Testing

@testable import PippinPage

/// What a robots.txt says about the use of its pages.
@Suite struct RobotsUsageTests {
    // MARK: draft-ietf-aipref-attach-05

    @Test func `the draft's own example`() {
        let robots = file(
            "User-Agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: train-ai=n\nContent-Usage: /ai-ok/ train-ai=y\n"
        )
        #expect(said(robots, "/test") == ["ai-train=n line 4"])
        #expect(said(robots, "/ai-ok/test") == ["ai-train=y line 5"])
        #expect(said(robots, "/never/test") == [])
    }

    @Test func `the longest path decides alone, wherever it stands`() {
        let robots = file("User-agent: *\nContent-Usage: /a/b search=n\nContent-Usage: /a train-ai=n, ai-use=y\n")
        #expect(said(robots, "/a/b/c") == ["search=n line 2"])
        #expect(said(robots, "/a/c") == ["ai-input=y line 3", "ai-train=n line 3"])
        #expect(said(robots, "/c") == [])
    }

    @Test func `lines with one path combine, and a refusal wins`() {
        let robots = file(
            "User-agent: *\nContent-Usage: /a train-ai=y\nContent-Usage: /a train-ai=n, search=y\nContent-Usage: ai-use=y\nContent-Usage: ai-use=n\n"
        )
        #expect(said(robots, "/a") == ["search=y line 3", "ai-train=n line 3"])
        #expect(said(robots, "/b") == ["ai-input=n line 5"])
    }

    @Test func `paths match as those of other rules, with stars, dollar signs and escapes`() {
        let robots = file(
            "User-agent: *\nContent-Usage: /*.pdf$ train-ai=n\nContent-Usage: /%7Eme/ search=n\nContent-Usage: /x?y= ai-use=n\n"
        )
        #expect(said(robots, "/a/b.pdf") == ["ai-train=n line 2"])
        #expect(said(robots, "/a/b.pdf?x") == [])
        #expect(said(robots, "/~me/") == ["search=n line 3"])
        #expect(said(robots, "/x?y=1") == ["ai-input=n line 4"])
    }

    @Test func `a line that is no dictionary says nothing, and is noted`() {
        for value in [
            "train-ai", "train-ai=n,", "train-ai=n;", "train-ai = n", "Train-AI=n", "train-ai=n search=y",
            "*.gif train-ai=n",
            "train-ai=\"n", "train-ai=?2", "=n", "train-ai=n\tsearch=n",
        ] {
            let robots = file("User-agent: *\nContent-Usage: \(value)\nContent-Usage: search=y\n")
            #expect(said(robots, "/") == ["search=y line 3"], "\(value)")
            #expect(robots.notes.map(\.code.rawValue) == ["robots-usage-unreadable"], "\(value)")
        }
    }

    @Test func `values but y and n say nothing, nor do labels of older drafts`() {
        let robots = file("User-agent: *\nContent-Usage: train-ai=?0, search=\"n\", ai-use=no, all=n, train-genai=n\n")
        #expect(said(robots, "/") == [])
        #expect(robots.notes.count == 3)
    }

    @Test func `parameters are passed over, and the last of several values counts`() {
        let robots = file("User-agent: *\nContent-Usage: train-ai=n;why=1, search=n, search=y;a;b=\"c\" # all\n")
        #expect(said(robots, "/") == ["search=y line 2", "ai-train=n line 2"])
    }

    // MARK: Groups

    @Test func `groups of an agent are merged, and shadow those for everyone`() {
        let robots = file(
            "User-agent: *\nContent-Usage: train-ai=n\n\nUser-agent: pippin\nContent-Usage: search=y\n\nUser-agent: PIPPIN\nContent-Usage: ai-use=n\n"
        )
        #expect(said(robots, "/", "Pippin") == ["search=y line 5", "ai-input=n line 8"])
        #expect(said(robots, "/", "Other") == ["ai-train=n line 2"])
    }

    @Test func `an agent after a line about use begins rules of its own, but not for Disallow`() {
        let robots = file(
            "User-agent: a\nContent-Usage: train-ai=n\nUser-agent: b\nContent-Usage: train-ai=y\nDisallow: /x\n")
        #expect(said(robots, "/", "a") == ["ai-train=n line 2"])
        #expect(said(robots, "/", "b") == ["ai-train=y line 4"])
        // RFC 9309 §2.2.4: the line does not interfere with its rules.
        #expect(!robots.decision(for: url("/x"), agents: ["a"]).isAllowed)
    }

    @Test func `a delay or a sitemap between agents does not part them`() {
        let robots = file("User-agent: a\nCrawl-delay: 1\nSitemap: /s\nUser-agent: b\nContent-Usage: search=n\n")
        #expect(said(robots, "/", "a") == ["search=n line 5"])
        #expect(said(robots, "/", "b") == ["search=n line 5"])
    }

    @Test func `a line before the first agent is ignored, with a note`() {
        let robots = file("Content-Usage: train-ai=n\nUser-agent: *\nAllow: /\n")
        #expect(said(robots, "/") == [])
        #expect(robots.notes.map(\.code.rawValue) == ["robots-rule-outside-group"])
    }

    @Test func `without a file nothing is said`() {
        #expect(RobotsFile.allowAll.usage(of: url("/"), agents: ["a"]).isEmpty)
        #expect(RobotsFile.disallowAll.usage(of: url("/"), agents: ["a"]).isEmpty)
    }

    // MARK: Content-Signal

    @Test func `Cloudflare's group comes before the site's and both count`() {
        let robots = file(
            "User-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\n"
        )
        #expect(said(robots, "/") == ["search=y line 2", "ai-train=n line 2"])
        #expect(said(robots, "/private/") == [])
        #expect(said(robots, "/", "GPTBot") == [])
    }

    @Test func `signals are read whatever their case and white space`() {
        let robots = file(
            "User-agent: *\ncontent-signal :  SEARCH = Yes ,, Ai-Input=NO,use=reference , ai-train = no \n")
        #expect(said(robots, "/") == ["search=y line 2", "ai-input=n line 2", "ai-train=n line 2"])
        #expect(robots.notes.isEmpty)
    }

    @Test func `a signal neither yes nor no says nothing, and of two the stricter counts`() {
        let robots = file("User-agent: *\nContent-Signal: search=true, ai-train=no, ai-train=yes, ai-input, foo=no\n")
        #expect(said(robots, "/") == ["ai-train=n line 2"])
        #expect(robots.notes.count == 3)
    }

    @Test func `a refusal of one kind of line wins over a grant of the other`() {
        let robots = file("User-agent: *\nContent-Usage: train-ai=y\nContent-Signal: ai-train=no\n")
        #expect(UsagePreferences(robots.usage(of: url("/"), agents: ["a"]))[.aiTrain]?.isAllowed == false)
    }

    // MARK: Tokens

    @Test func `a token is refused where its rules do not allow, and by which line`() {
        let robots = file(
            "User-agent: *\nAllow: /\nContent-Usage: search=y\n\nUser-agent: Applebot-Extended\nDisallow: /news/\nContent-Usage: /shop/ train-ai=y\n"
        )
        let news = robots.preference(.aiTrain, of: url("/news/1"), token: "Applebot-Extended")
        #expect(news?.isAllowed == false && news?.source.carrier == .robotsRule && news?.source.line == 6)
        #expect(robots.preference(.aiTrain, of: url("/shop/1"), token: "applebot-extended")?.source.line == 7)
        #expect(robots.preference(.aiTrain, of: url("/"), token: "Applebot-Extended") == nil)
        #expect(robots.preference(.search, of: url("/news/1"), token: "Google-Extended")?.isAllowed == true)
    }

    // MARK: Licences

    @Test func `licences are for the whole host, each once`() {
        let robots = file(
            "License: https://other.example/l.xml\nUser-agent: a\nLicense: /rsl.xml\nDisallow: /x\nLicense: https://h.example/rsl.xml\nLicense:\nLicense: mailto:a\n"
        )
        #expect(robots.licenses.map(\.url.href) == ["https://other.example/l.xml", "https://h.example/rsl.xml"])
        #expect(robots.licenses.map(\.line) == [1, 3])
        #expect(robots.notes.map(\.code.rawValue) == ["robots-license-invalid", "robots-license-invalid"])
    }

    // MARK: What a crawl keeps

    @Test func `the rules that a crawl keeps say the same, however many there are`() {
        for count in [3, 30_000] {
            var text = "License: /l\nUser-agent: *\nContent-Signal: ai-input=no\nDisallow: /no/\n"
            for number in 0..<count { text += "Content-Usage: /p\(number)/ train-ai=\(number % 2 == 0 ? "n" : "y")\n" }
            let robots = file(text)
            let rules = RobotsRules(robots, agents: ["Pippin"])
            for path in ["/", "/p0/", "/p1/x", "/p2/", "/no/", "/p9999/"] {
                #expect(rules.usage(of: url(path)) == robots.usage(of: url(path), agents: ["Pippin"]), "\(path)")
            }
            #expect(rules.licenses == robots.licenses && rules.licenses.count == 1)
            #expect(rules.byteCount < 200_000)
        }
    }

    // MARK: Bounds

    @Test func `hostile files are read within bounds`() {
        let many = file(String(repeating: "User-agent: a\nContent-Usage: train-ai=n\n\n", count: 10_000))
        #expect(said(many, "/", "a").first == "ai-train=n line 2")
        let agents = (0..<10_000).map { "User-agent: a\($0)\nContent-Signal: ai-train=no\n" }.joined()
        #expect(said(file(agents), "/", "a9999") == ["ai-train=n line 20000"])
        let long = file("User-agent: *\nContent-Usage: " + String(repeating: "a=b,", count: 100_000) + "train-ai=y\n")
        #expect(said(long, "/") == [])
        let licenses = file((0..<10_000).map { "License: /\($0)\n" }.joined())
        #expect(licenses.licenses.count == RobotsReader.maximumLicenses)
    }

    // MARK: Helpers

    private func url(_ path: String) -> WebURL { WebURL("https://h.example" + path)! }

    private func file(_ text: String) -> RobotsFile {
        RobotsFile(bytes: Array(text.utf8), url: url("/robots.txt"))
    }

    private func said(_ robots: RobotsFile, _ path: String, _ agent: String = "Pippin") -> [String] {
        UsagePreferences(robots.usage(of: url(path), agents: [agent])).statements.map {
            "\($0.use.rawValue)=\($0.isAllowed ? "y" : "n") line \($0.source.line ?? 0)"
        }
    }
}
