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
            var page = ReportPage(
                "<title>Mug</title><meta name=\"apple-itunes-app\" content=\"app-id=123456789\">")
            page.options.profile = profile
            let card = page.card
            return Set(card.findings.map(\.check.id))
        }
        let all = checks(.all)
        #expect(all.isSuperset(of: ["D01", "L01", "S14", "T01"]))
        #expect(checks(.apple).isSuperset(of: ["D01", "L01", "S14", "T01"]))
        #expect(checks(.google).isSuperset(of: ["D07", "S01", "T01"]))
        #expect(checks(.google).isSuperset(of: ["D01"]))
        #expect(checks(.google).isDisjoint(with: ["D02", "L01", "S14", "S15"]))
        #expect(checks(.facebook).isSuperset(of: ["D01", "S14", "T01"]))
        #expect(checks(.facebook).isDisjoint(with: ["D07", "D08", "L01", "S15", "S22"]))
        #expect(checks(.twitter).isSuperset(of: ["S14", "S15", "T01"]))
        for profile in ReportCard.Profile.allCases {
            #expect(Check.all.contains { profile.counts($0) }, "\(profile)")
        }
        // What is not counted is told apart from what passed.
        var page = ReportPage("<title>Mug</title>")
        page.options.profile = .facebook
        #expect(page.card.notApplicable.contains { $0.id == "L01" })
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

    // MARK: Whose directives

    /// A place where a page can forbid indexing.
    enum Carrier: CaseIterable {
        case metaRobots, metaOwn, metaOther, headerGeneric, headerOwn, headerOther, unavailableAfter

        /// The page with the directive there, and the same page without.
        func page(own: String, other: String) -> ReportPage {
            var page = ReportPage("<title>Blue mug, thrown by hand</title>")
            func meta(_ name: String, _ content: String) -> String { "<meta name=\"\(name)\" content=\"\(content)\">" }
            switch self {
            case .metaRobots: page.head += meta("robots", "noindex")
            case .metaOwn: page.head += meta(own, "noindex")
            case .metaOther: page.head += meta(other, "noindex")
            case .headerGeneric: page.headers.append(("X-Robots-Tag", "noindex"))
            case .headerOwn: page.headers.append(("X-Robots-Tag", "\(other): nofollow, \(own): noindex"))
            case .headerOther: page.headers.append(("X-Robots-Tag", "\(own): max-snippet: 90, \(other): noindex"))
            case .unavailableAfter: page.head += meta("robots", "unavailable_after: 2020-01-01")
            }
            return page
        }
    }

    /// By profile: the crawler's name on pages, another crawler's, and the outcome of D07 for each carrier in order. nil: it
    /// is no matter.
    static let indexing: [(ReportCard.Profile, own: String, other: String, outcomes: [Finding.Outcome?])] = [
        (.all, "applebot", "googlebot", [.error, .error, .warning, .error, .error, .warning, .error]),
        (.all, "applebot", "bingbot", [.error, .error, .warning, .error, .error, .warning, .error]),
        (.all, "applebot", "otherbot", [.error, .error, .pass, .error, .error, .pass, .error]),
        (.apple, "applebot", "googlebot", [.error, .error, .pass, .error, .error, .pass, .info]),
        (.google, "googlebot", "applebot", [.error, .error, .pass, .error, .error, .pass, .error]),
        (.google, "googlebot", "googlebot-news", [.error, .error, .pass, .error, .error, .pass, .error]),
        (.facebook, "facebookexternalhit", "applebot", [nil, nil, nil, nil, nil, nil, nil]),
        (.twitter, "twitterbot", "applebot", [nil, nil, nil, nil, nil, nil, nil]),
    ]

    @Test(arguments: indexing.indices)
    func `indexing is judged as the crawler of the profile reads each carrier of directives`(row: Int) {
        let (profile, own, other, outcomes) = Self.indexing[row]
        #expect(outcomes.count == Carrier.allCases.count)
        for (carrier, outcome) in zip(Carrier.allCases, outcomes) {
            var page = carrier.page(own: own, other: other)
            page.options.profile = profile
            let card = page.card
            #expect(card.outcome("D07") == outcome, "\(profile) \(carrier) \(other)")
            // A page that the crawler may index, or that is only shared, is judged as a whole.
            let isRefused = outcome == .error
            #expect((card.record == nil) == isRefused, "\(profile) \(carrier) \(other)")
            #expect((card.outcome("S01") == .pass) == !isRefused, "\(profile) \(carrier) \(other)")
        }
    }

    @Test(arguments: [
        (Carrier.metaRobots, "<meta name=\"robots\" content=\"all\">"),
        (.metaOwn, "<meta name=\"googlebot\" content=\"all\">"), (.headerGeneric, "X-Robots-Tag: all"),
        (.headerOwn, "X-Robots-Tag: googlebot: all"),
    ])
    func `what opens a page for indexing stands where it was closed`(carrier: Carrier, code: String) {
        var page = carrier.page(own: "googlebot", other: "applebot")
        page.options.profile = .google
        #expect(page.card.findings("D07").first?.remedy?.code == code)
    }

    /// By profile: a robots.txt, and whether the page may be fetched.
    static let fetching: [(ReportCard.Profile, robots: String, isAllowed: Bool)] = [
        (.all, "User-agent: Applebot\nDisallow: /", false),
        (.all, "User-agent: Googlebot\nDisallow: /", false),
        (.all, "User-agent: facebookexternalhit\nDisallow: /", true),
        (.apple, "User-agent: Applebot\nDisallow: /", false),
        (.apple, "User-agent: Googlebot\nDisallow: /", false),
        (.apple, "User-agent: Googlebot\nDisallow: /\nUser-agent: Applebot\nAllow: /", true),
        (.google, "User-agent: Googlebot\nDisallow: /", false),
        (.google, "User-agent: Applebot\nDisallow: /", true),
        (.google, "User-agent: *\nDisallow: /\nUser-agent: Googlebot\nAllow: /", true),
        (.google, "User-agent: *\nDisallow: /", false),
        (.facebook, "User-agent: facebookexternalhit\nDisallow: /", false),
        (.facebook, "User-agent: FacebookExternalHit/1.1\nDisallow: /", false),
        (.facebook, "User-agent: Twitterbot\nDisallow: /", true),
        (.facebook, "User-agent: *\nDisallow: /\nUser-agent: facebookexternalhit\nDisallow:", true),
        (.twitter, "User-agent: Twitterbot\nDisallow: /", false),
        (.twitter, "User-agent: Googlebot\nDisallow: /", true),
        (.twitter, "User-agent: *\nDisallow: /", false),
    ]

    @Test(arguments: fetching.indices)
    func `robots.txt is judged by the group of the profile's crawler`(row: Int) throws {
        let (profile, robots, isAllowed) = Self.fetching[row]
        var page = ReportPage("<title>Blue mug</title><script src=\"/mug.js\"></script>")
        page.options.profile = profile
        // Pippin's own permission is another finding.
        page.robots = robots + "\nUser-agent: Pippin\nAllow: /\n"
        page.images = [ImageEvidence(url: try #require(WebURL("https://shop.example/m.jpg")), status: 200)]
        let card = page.card
        #expect(card.outcome("D01") == (isAllowed ? .pass : .error))
        let crawler = profile.crawler.name
        #expect(card.findings("D01").first?.sentence.hasPrefix(crawler) == true)
        #expect(card.findings("D01").first?.remedy?.code.map { $0.contains("User-agent: \(crawler)\n") } ?? isAllowed)
        if profile.counts(.d05) { #expect(card.outcome("D05") == (isAllowed ? .pass : .warning)) }
        #expect(card.audience.contains("Judged as \(crawler)"))
        #expect(card.json["judgedAs"]?["agents"]?.array?.first?.string == crawler)
    }

    @Test func `none means for each crawler what its documents say`() {
        var page = ReportPage("<title>Blue mug</title><meta name=\"robots\" content=\"none\">")
        for (profile, nosnippet) in [(ReportCard.Profile.apple, true), (.google, false), (.all, true)] {
            page.options.profile = profile
            #expect(page.card.outcome("D07") == .error && page.card.outcome("D09") == .warning)
            #expect((page.card.outcome("D08") == .warning) == nosnippet, "\(profile)")
        }
    }

    @Test func `directives that About Applebot does not list count for others only`() {
        var page = ReportPage("<title>Blue mug</title><meta name=\"robots\" content=\"max-snippet: 10\">")
        for (profile, outcome) in [
            (ReportCard.Profile.apple, Finding.Outcome.pass), (.google, .warning), (.all, .warning),
        ] {
            page.options.profile = profile
            #expect(page.card.outcome("D08") == outcome, "\(profile)")
        }
    }

    /// Directives about pictures, and D08 for Applebot, for Google and for all.
    @Test(arguments: [
        ("", Finding.Outcome.pass, Finding.Outcome.pass, Finding.Outcome.pass),
        ("max-image-preview:large", .pass, .pass, .pass), ("max-image-preview:standard", .pass, .info, .info),
        ("max-image-preview:none", .pass, .warning, .warning), ("noimageindex", .pass, .info, .info),
        ("max-image-preview:large, max-image-preview:none", .pass, .warning, .warning),
        ("nosnippet, max-image-preview:none", .warning, .warning, .warning),
    ])
    func `directives that take the picture from a result are reported to those they bind`(
        content: String, apple: Finding.Outcome, google: Finding.Outcome, all: Finding.Outcome
    ) {
        var page = ReportPage("<title>Blue mug</title><meta name=\"robots\" content=\"\(content)\">")
        for (profile, outcome) in [(ReportCard.Profile.apple, apple), (.google, google), (.all, all)] {
            page.options.profile = profile
            #expect(page.card.outcome("D08") == outcome, "\(profile)")
        }
        page = ReportPage("<title>Blue mug</title>").with {
            $0.headers.append(("X-Robots-Tag", "googlebot: \(content)"))
        }
        page.options.profile = .google
        #expect(page.card.outcome("D08") == google)
        if content == "max-image-preview:standard" {
            #expect(page.card.findings("D08").first?.remedy?.code == "X-Robots-Tag: googlebot: max-image-preview:large")
        }
    }

    @Test func `Google is told that an article allows no large pictures, others are not`() {
        let article = """
            <title>Mugs</title><script type="application/ld+json">{"@context": "https://schema.org", "@type": "NewsArticle",
            "headline": "Mugs"}</script>
            """
        func outcome(_ profile: ReportCard.Profile, _ head: String) -> Finding.Outcome? {
            var page = ReportPage(head)
            page.options.profile = profile
            return page.card.outcome("D08")
        }
        #expect(outcome(.google, article) == .info)
        #expect(outcome(.google, article + "<meta name=robots content='max-image-preview:large'>") == .pass)
        #expect(outcome(.google, "<title>Mugs</title>") == .pass)
        #expect(outcome(.all, article) == .pass && outcome(.apple, article) == .pass)
    }

    @Test func `a paywall that Google accepts is no closed page for Google`() {
        var page = ReportPage(
            """
            <title>Blue mug</title><script type="application/ld+json">{"@context": "https://schema.org", "@type": "NewsArticle",
            "headline": "Mugs", "isAccessibleForFree": false, "hasPart": {"@type": "WebPageElement",
            "isAccessibleForFree": false, "cssSelector": ".paid"}}</script>
            """)
        #expect(page.card.outcome("D15") == .warning)
        page.options.profile = .google
        #expect(page.card.outcome("D15") == .pass)
    }
}
