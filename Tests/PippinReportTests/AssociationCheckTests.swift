import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// What the report card says of association files, beyond that each check fails one page and passes another.
@Suite struct AssociationCheckTests {
    private static let page = ReportCheckCase.banner(ReportCheckCase.good)

    private static func apple(_ components: String, app: String = "ABCDE12345.example.shop") -> AssociationFetch {
        AssociationFetch.apple((app: app, components: components))
    }

    private static func text(_ text: String) -> AssociationFetch {
        .fetched(bytes: Array(text.utf8), mediaType: "application/json")
    }

    private static func first(_ page: ReportPage, _ check: String) throws -> Finding {
        try #require(page.card.findings(check).first, "\(check)")
    }

    // MARK: The app that was asked about

    @Test(arguments: [
        (#"{"/":"/mug"}"#, "ABCDE12345.example.shop", Finding.Outcome.pass, "opens “https://shop.example/mug” in ABC"),
        (
            #"{"/":"/mug","exclude":true}"#, "ABCDE12345.example.shop", .error,
            "keeps ABCDE12345.example.shop from “https://shop.example/mug”. Pattern: “NOT /mug”."
        ),
        (#"{"/":"/cup"}"#, "ABCDE12345.example.shop", .error, "names ABCDE12345.example.shop, but no pattern covers"),
        (
            #"{"/":"/mug/*"}"#, "ABCDE12345.example.shop", .pass,
            "Pattern: “/mug/*”. Only the rule for slashes decides"
        ),
        (
            #"{"/":"/mug/*","exclude":true}"#, "ABCDE12345.example.shop", .error,
            "Pattern: “NOT /mug/*”. Only the rule for slashes decides"
        ),
        (#"{"/":"/Mug/*"}"#, "ABCDE12345.example.shop", .error, "comes near: It differs in upper and lower case"),
        (
            "{}", "ABCDE12345.example.other", .error,
            "does not name the app ABCDE12345.example.shop; it names ABCDE12345.example.oth"
        ),
        ("{}", "OLDPREFIX9.example.shop", .error, "the app is the same, the prefix is another"),
    ])
    func `the app that was asked about is looked for in the file`(
        components: String, inFile: String, outcome: Finding.Outcome, words: String
    ) throws {
        let page = Self.page.associated(apple: Self.apple(components, app: inFile)).with {
            $0.options.appIdentifier = "ABCDE12345.example.shop"
        }
        let finding = try Self.first(page, "L11")
        #expect(finding.outcome == outcome)
        #expect(finding.sentence.contains(words), "\(finding.sentence)")
        #expect(finding.place?.name == "https://shop.example/.well-known/apple-app-site-association")
        #expect(page.card.traces.map(\.matching.url.href) == ["https://shop.example/mug"])
    }

    @Test func `a store ID that nothing ties is said, and how to tie it`() throws {
        let page = Self.page.associated(apple: Self.apple("{}"))
        let covered = try Self.first(page, "L11")
        #expect(
            covered.outcome == .pass
                && covered.sentence.contains("not known whether that is the app with the App Store ID 123"))
        let named = try Self.first(page, "L15")
        #expect(named.outcome == .unknown && named.sentence.contains("--app-lookup"))
        let tied = page.with {
            $0.options.appIdentifier = "ABCDE12345.example.shop"
            $0.options.appStoreIdentifier = "123456789"
        }
        #expect(tied.card.outcome("L15") == .pass)
        #expect(tied.card.record?.deepLinks.map(\.verification.status) == [.verified])
    }

    // MARK: Remedies

    @Test func `what is to be pasted is for this page and this app`() throws {
        let asked = Self.page.with { $0.options.appIdentifier = "ABCDE12345.example.shop" }
        func code(_ apple: AssociationFetch, _ check: String = "L11") throws -> String? {
            try Self.first(asked.associated(apple: apple), check).remedy?.code
        }
        #expect(try code(Self.apple(#"{"/":"/cup"}"#)) == #"{ "/": "/mug" }"#)
        #expect(try code(Self.apple(#"{"/":"/*","exclude":true}"#)) == #"{ "/": "/mug" }"#)
        let paths = #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.example.shop","paths":["/cup"]}]}}"#
        #expect(try code(Self.text(paths)) == "\"/mug\"")
        let entry = try #require(try code(Self.apple("{}", app: "ABCDE12345.example.other")))
        #expect(entry.contains(#""appIDs": ["ABCDE12345.example.shop"]"#))
        let file = try #require(try code(.status(404)))
        let read = AppleAppSiteAssociation(bytes: Array(file.utf8))
        #expect(read.notes.isEmpty && read.trouble == nil, "\(read.notes)")
        let page = try #require(WebURL("https://shop.example/mug"))
        #expect(read.decision(for: page, app: "ABCDE12345.example.shop").outcome == .match)
        let server = try #require(try code(.status(404), "L13"))
        #expect(server.contains("location = /.well-known/apple-app-site-association {"))
        let links = AssetLinks(bytes: Array(Markup.assetLinks("example.shop").utf8))
        #expect(links.trouble == nil)
        #expect(try code(Self.apple(#"{"/":"/Mug"}"#), "L25") == #"{ "/": "/Mug", "caseSensitive": false }"#)
    }

    // MARK: How the file is served

    @Test(arguments: [
        (AssociationFetch.redirected(to: "https://www.shop.example/"), Finding.Outcome.error, "redirects to"),
        (.status(404), .error, "no such file (status 404)"), (.status(403), .error, "status 403"),
        (.status(503), .warning, "status 503"), (.insecure("the certificate has expired"), .error, "expired"),
        (.tooLarge(limit: 1_048_576), .error, "more than 1048576 bytes"),
        (.unreachable("timed-out"), .unknown, "cannot be fetched"),
        (.disallowed("line 2 says Disallow: /."), .unknown, "robots.txt does not allow it: line 2 says"),
    ])
    func `what keeps devices from the file is told`(
        fetch: AssociationFetch, outcome: Finding.Outcome, words: String
    ) throws {
        let page = Self.page.associated(apple: fetch)
        let finding = try Self.first(page, "L13")
        #expect(finding.outcome == outcome && finding.sentence.contains(words), "\(finding.sentence)")
        #expect(!finding.sentence.hasSuffix(".."))
        if outcome == .error { #expect(page.card.outcome("L11") == .error) }
        if outcome == .unknown { #expect(page.card.outcome("L11") == .unknown) }
    }

    @Test func `a wrong type, a copy that differs and a copy alone are warnings`() throws {
        let good = Self.apple("{}")
        guard case .fetched(let bytes, _) = good else { return }
        let typed = try Self.first(
            Self.page.associated(apple: .fetched(bytes: bytes, mediaType: "text/plain")), "L13")
        #expect(typed.outcome == .warning && typed.noteCode?.rawValue == "association-content-type")
        #expect(typed.remedy?.code?.contains("application/json") == true)
        let differs = try Self.first(Self.page.associated(apple: good, root: Self.apple(#"{"/":"/a"}"#)), "L13")
        #expect(differs.outcome == .warning && differs.noteCode?.rawValue == "aasa-root-copy-differs")
        let alone = Self.page.associated(root: good)
        #expect(alone.card.findings("L13").map(\.noteCode?.rawValue) == ["aasa-root-only"])
        #expect(alone.card.outcome("L11") == .pass)
    }

    @Test func `a broken file is told with its place`() throws {
        let page = Self.page.associated(apple: Self.text("{\n  \"applinks\": {,}\n}"))
        let finding = try Self.first(page, "L14")
        #expect(finding.outcome == .error && finding.noteCode?.rawValue == "association-not-json")
        #expect(finding.place?.line == 2 && finding.place?.column == 16)
        #expect(page.card.outcome("L11") == .error)
    }

    // MARK: Sites without an app

    @Test func `a page without an app is not told of files that nobody needs`() {
        let card = ReportPage("<title>Mug</title>").associated(
            apple: .redirected(to: "https://shop.example/"), android: .redirected(to: "https://shop.example/")
        ).associated("https://www.shop.example/", apple: .redirected(to: "https://shop.example/")).card
        let told = card.findings.filter { $0.check.group == .deepLinks && $0.outcome >= .info }
        #expect(told.isEmpty, "\(told.map(\.sentence))")
    }

    @Test func `a page whose way into an app is the file alone leads into it`() throws {
        let covered = ReportPage("<title>Mug</title>").associated(apple: Self.apple("{}"))
        let finding = try Self.first(covered, "L01")
        #expect(finding.outcome == .pass && finding.sentence.contains("open the page in ABCDE12345.example.shop"))
        #expect(covered.card.outcome("L02") == .info)
        #expect(covered.card.outcome("L12") == .pass)
        #expect(covered.card.findings("L11").isEmpty)
        let uncovered = ReportPage("<title>Mug</title>").associated(apple: Self.apple(#"{"/":"/cup"}"#))
        #expect(try Self.first(uncovered, "L01").sentence.contains("names ABCDE12345.example.shop"))
        #expect(uncovered.card.outcome("L12") == .warning)
    }

    @Test func `a page that was not read has its host's files judged`() throws {
        let page = ReportPage().associated(apple: .status(403)).with {
            $0.ending = .noAnswer(.disallowed("Line 2."))
            $0.options.appIdentifier = "ABCDE12345.example.shop"
        }
        #expect(page.cardWithoutPage.outcome("L13") == .error)
        #expect(page.cardWithoutPage.outcome("L11") == .unknown)
    }

    // MARK: Android, clips, hosts

    @Test func `Android apps are held against the asset links`() throws {
        let page = ReportPage("<link rel=\"alternate\" href=\"android-app://example.shop/https/shop.example/mug\">")
        let missing = try Self.first(page.associated(), "L20")
        #expect(missing.outcome == .warning && missing.remedy?.code?.contains("\"example.shop\"") == true)
        let broken = page.associated(android: Self.text("[,]")).card.findings("L20")
        #expect(broken.contains { $0.outcome == .error && $0.place?.line == 1 })
        let ruled = AssociationFetch.assetLinks("example.shop", rules: #"{"/":"/mug","exclude":true}"#)
        #expect(
            try Self.first(page.associated(android: ruled), "L20").sentence.contains("keeps example.shop from “https"))
        let scheme = ReportPage(
            "<meta property=\"al:android:url\" content=\"shop://mug\"><meta property=\"al:android:package\" content=\"example.shop\">"
        )
        #expect(scheme.associated(android: AssociationFetch.assetLinks("example.shop")).card.outcome("L20") == .pass)
    }

    @Test func `a clip of another app is one`() throws {
        let page = ReportCheckCase.banner(
            "app-id=123456789, app-clip-bundle-id=example.other.Clip, app-clip-display=card"
        ).associated(apple: AssociationFetch.apple(clips: ["ABCDE12345.example.other.Clip"])).with {
            $0.options.appIdentifier = "ABCDE12345.example.shop"
        }
        let finding = try Self.first(page, "L22")
        #expect(finding.outcome == .warning && finding.sentence.contains("does not begin with the app's"))
    }

    @Test func `a sibling host that nobody asked, or that is not there, is no fault`() throws {
        let page = ReportPage().associated(apple: Self.apple("{}"))
        #expect(page.card.outcome("L24") == .unknown)
        let gone = page.associated("https://www.shop.example/", apple: .unreachable("no-such-host"))
        #expect(gone.card.outcome("L24") == .pass)
        let other = page.associated(
            "https://www.shop.example/", apple: Self.apple("{}", app: "ABCDE12345.example.other"))
        #expect(other.card.outcome("L24") == .info)
    }

    @Test(arguments: [
        ("https://shop.example/a", "https://www.shop.example/"), ("https://www.shop.example/", "https://shop.example/"),
        ("https://www.shop.example:8443/", "https://shop.example:8443/"), ("https://blog.shop.example/", ""),
        ("https://127.0.0.1/", ""), ("shop://a", ""),
    ])
    func `www and the bare domain are siblings`(url: String, sibling: String) throws {
        let url = try #require(WebURL(url))
        #expect(SiteAssociations.sibling(of: url)?.href ?? "" == sibling)
    }

    @Test func `every remark on what is written in a file has a remedy`() {
        for remark in AssociationRemark.allCases where remark.check != .l13 && remark != .notesLeftOut {
            #expect(remark.remedy != nil, "\(remark)")
        }
    }
}
