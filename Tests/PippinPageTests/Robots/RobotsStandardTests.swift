import PippinTestSupport
import Testing

@testable import PippinPage

/// What RFC 9309 says, section by section.
@Suite struct RobotsStandardTests {
    // MARK: §2.1, §2.2 Lines and groups

    @Test(arguments: ["\n", "\r", "\r\n"])
    func `lines end with LF, CR or CRLF`(end: String) {
        let robots = file(
            ["User-agent: a", "", "Disallow: /x", "", "User-agent: b", "Disallow: /y"].joined(separator: end))
        #expect(!allows(robots, "/x", "a"))
        #expect(allows(robots, "/y", "a"))
        #expect(robots.groups.map(\.line) == [1, 5])
        #expect(robots.decision(for: url("/y"), agents: ["b"]).rule?.line == 6)
    }

    @Test func `keys compare without regard to case and values may hold spaces around them`() {
        let robots = file("USER-AGENT :\ta \nDisAllow:/x \t# why\n")
        #expect(robots.decision(for: url("/x1"), agents: ["A"]).rule?.pattern == "/x")
    }

    @Test func `a comment ends a value`() {
        let robots = file("User-agent: a\nDisallow: /foo/quz#qux\n# Disallow: /\n")
        #expect(!allows(robots, "/foo/quz", "a"))
        #expect(allows(robots, "/foo/qu", "a"))
    }

    @Test func `agents in a row share the rules, and other records neither end nor begin a group`() {
        let robots = file("User-agent: a\nSitemap: http://h.example/s\nUnknown: 1\nUser-agent: b\nDisallow: /x\n")
        #expect(!allows(robots, "/x", "a"))
        #expect(!allows(robots, "/x", "b"))
    }

    @Test func `an agent line after a rule begins a new group`() {
        let robots = file("User-agent: a\nDisallow: /x\nUser-agent: b\nDisallow: /y\n")
        #expect(allows(robots, "/y", "a"))
        #expect(allows(robots, "/x", "b"))
    }

    @Test func `groups for one agent are merged, also those for everyone`() {
        let robots = file(
            "User-agent: a\nDisallow: /x\n\nUser-agent: *\nDisallow: /p\n\nUser-agent: A\nDisallow: /y\n\nUser-agent: *\nDisallow: /q\n"
        )
        #expect(["/x", "/y"].allSatisfy { !allows(robots, $0, "a") })
        #expect(allows(robots, "/p", "a"))
        #expect(["/p", "/q"].allSatisfy { !allows(robots, $0, "other") })
    }

    @Test func `rules before the first agent are ignored, with a note`() {
        let robots = file("Disallow: /x\nUser-agent: *\nDisallow: /y\n")
        #expect(allows(robots, "/x", "a"))
        #expect(robots.notes.map(\.code.rawValue) == ["robots-rule-outside-group"])
    }

    @Test func `tokens compare whole`() {
        let robots = file(
            "User-agent: Applebot-Extended\nDisallow: /\n\nUser-agent: Apple\nDisallow: /\n\nUser-agent: Applebots\nDisallow: /\n"
        )
        #expect(allows(robots, "/x", "Applebot"))
        #expect(robots.decision(for: url("/x"), agents: ["Applebot"]).reason == .noGroup)
    }

    @Test func `a group without rules allows everything and hides the one for everyone`() {
        #expect(allows(file("User-agent: a\nDisallow:\n\nUser-agent: *\nDisallow: /\n"), "/x", "a"))
        #expect(allows(file("User-agent: *\nDisallow: /\n\nUser-agent: a\n"), "/x", "a"))
    }

    // MARK: §2.2.2 The longest match

    @Test(arguments: [
        ("Disallow: /\nAllow: /fish", "/fish", true), ("Disallow: /\nAllow: /fish", "/fishheads/y", true),
        ("Disallow: /\nAllow: /fish", "/fish?id=1", true), ("Disallow: /\nAllow: /fish", "/Fish.asp", false),
        ("Disallow: /\nAllow: /fish", "/catfish", false), ("Disallow: /\nAllow: /fish", "/?id=fish", false),
        ("Disallow: /\nAllow: /fish/", "/fish", false), ("Disallow: /foo/bar$", "/foo/bar", false),
        ("Disallow: /foo/bar$", "/foo/bar/", true), ("Allow: /page\nDisallow: /page", "/page", true),
        ("Disallow: /page\nAllow: /page", "/page", true),
        ("Allow: /example/page/\nDisallow: /example/page/x.gif", "/example/page/x.gif", false),
        ("Disallow: *.gif$", "/a/b.gif", false), ("Disallow: *.gif$", "/a/b.gif?x", true),
        ("Disallow: /a*b*c$", "/a-b-c-b-c", false), ("Disallow: /a*b*c$", "/a-b-c-d", true),
        ("Disallow: /*aab", "/aaaab", false), ("Disallow: /*abac*abad", "/ababac-abacabad", false),
        ("Disallow: /x*", "/x", false), ("Allow: /x\nDisallow: /x*", "/x", false),
        ("Disallow: /*$", "/anything", false),
        ("Disallow: *", "/", false), ("Disallow: $", "/", true), ("Disallow: /a$b", "/a$b", false),
        ("Disallow: /$", "/a", true),
        ("Disallow: /$", "/", false), ("Disallow:", "/", true), ("Disallow: /a\nDisallow:", "/a", false),
    ])
    func `the most octets win and Allow wins a tie`(rules: String, path: String, isAllowed: Bool) {
        #expect(allows(file("User-agent: *\n" + rules), path, "a") == isAllowed)
    }

    @Test(arguments: [
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", true), ("/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84", true),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", true), ("/foo/bar/baz", "/foo/bar/%62%61%7A", true),
        ("/foo?baz=https://foo.bar", "/foo?baz=https%3A%2F%2Ffoo.bar", true),
        ("/foo?baz=https%3a%2f%2ffoo.bar", "/foo?baz=https://foo.bar", true),
        ("/*=http%3A%2F%2F", "/a?u=http%3A%2F%2Fb", true), ("/*=http://", "/a?u=http%3A%2F%2Fb", true),
        ("/a%2Fb", "/a/b", false), ("/a/b", "/a%2Fb", false), ("/a%2fb", "/a%2Fb", true), ("/?a%26b", "/?a&b", false),
        ("/star-%2A.html", "/star-*.html", true), ("/star-%2A.html", "/star-x.html", false),
        ("/money-%24", "/money-$", true), ("/money-%24", "/money-", false), ("/100%", "/100%", true),
        ("/a b", "/a%20b", true), ("/~joe", "/%7Ejoe", true),
    ])
    func `encodings are made equal before octets are compared`(pattern: String, path: String, matches: Bool) {
        #expect(allows(file("User-agent: *\nDisallow: \(pattern)"), path, "a") == !matches)
    }

    @Test func `the file itself is always allowed`() {
        #expect(allows(file("User-agent: *\nDisallow: /\n"), "/robots.txt", "a"))
        #expect(RobotsFile.disallowAll.decision(for: url("/robots.txt"), agents: []).isAllowed)
        #expect(!allows(file("User-agent: *\nDisallow: /\n"), "/robots.txt/x", "a"))
    }

    // MARK: §2.3 Access

    @Test func `unavailable allows and unreachable disallows`() {
        #expect(RobotsFile.allowAll.decision(for: url("/x"), agents: ["a"]).isAllowed)
        #expect(RobotsFile.disallowAll.decision(for: url("/x"), agents: ["a"]).reason == .unreachable)
        #expect(!RobotsFile.disallowAll.decision(for: url("/x"), agents: ["a"]).isAllowed)
    }

    @Test(.slow) func `five hundred KiB are read and a line cut there is dropped`() {
        var text = "User-agent: a\nDisallow: /early\n"
        text += String(repeating: "#\n", count: (RobotsFile.maximumBytes - text.utf8.count - 12) / 2)
        let robots = file(text + "Disallow: /x/long/\nDisallow: /late\n")
        #expect(!allows(robots, "/early", "a"))
        #expect(allows(robots, "/x/long/", "a"))
        #expect(allows(robots, "/late", "a"))
        #expect(robots.notes.map(\.code.rawValue) == ["robots-too-long"])
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

private func allows(_ robots: RobotsFile, _ path: String, _ agents: String...) -> Bool {
    robots.decision(for: url(path), agents: agents).isAllowed
}
