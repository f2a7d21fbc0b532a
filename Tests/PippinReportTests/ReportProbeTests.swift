import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// What the report says of what was asked of the network for its sake alone.
@Suite struct ReportProbeTests {
    private static let address = "https://shop.example/pictures/mug.jpg"

    private static func pictured(_ head: String = "", _ change: (inout ImageEvidence) -> Void) -> ReportPage {
        ReportPage("<meta property=\"og:image\" content=\"\(address)\">" + head).with { page in
            guard let url = WebURL(address) else { return }
            var image = ImageEvidence(url: url, status: 200)
            image.format = .jpeg
            image.mediaType = "image/jpeg"
            image.width = 1200
            image.height = 630
            image.byteCount = 80_000
            change(&image)
            page.images = [image]
        }
    }

    private static func probed(_ head: String = "", _ change: @escaping @Sendable (inout PageEvidence) -> Void)
        -> ReportPage
    {
        ReportPage(head).with { $0.probe = change }
    }

    private static func sentences(_ page: ReportPage, _ check: String) -> String {
        page.card.findings(check).map { "\($0.outcome.rawValue): \($0.sentence)" }.joined(separator: "\n")
    }

    // MARK: Pictures

    @Test func `a picture that is there is told with its kind, size and weight`() {
        let seen = Self.sentences(Self.pictured { _ in }, "S03")
        #expect(seen.hasPrefix("pass:") && seen.contains("JPEG, 1200×630 pixels, 80 KB"), "\(seen)")
    }

    @Test func `a picture is judged by what it answers, not by what the markup says`() {
        let cases: [(String, (inout ImageEvidence) -> Void)] = [
            ("error: The picture “\(Self.address)” answers with status 404", { $0.status = 404 }),
            (
                "is no picture, it is served as “text/html”",
                { ($0.format, $0.mediaType) = (nil, "text/html") }
            ),
            ("info: The picture “\(Self.address)” is WebP, but is served as “image/jpeg”", { $0.format = .webp }),
            (
                "warning: The picture “\(Self.address)” is JPEG, but is served as “text/plain”",
                { $0.mediaType = "text/plain" }
            ),
            ("is an SVG", { ($0.format, $0.mediaType, $0.width, $0.height) = (.svg, "image/svg+xml", nil, nil) }),
            ("warning: The picture is 120×90 pixels", { ($0.width, $0.height) = (120, 90) }),
            ("info: The picture is 180×200 pixels; a portrait", { ($0.width, $0.height) = (180, 200) }),
            ("info: The picture “\(Self.address)” has 6.2 MB", { $0.byteCount = 6_200_000 }),
            (
                "warning: The picture “\(Self.address)” cannot be fetched: the answer is too large",
                { ($0.status, $0.failure) = (nil, RequestFailure(.failed(.bodyTooLarge(limit: 8)), asking: $0.url)) }
            ),
            (
                "unknown: The picture “\(Self.address)” was not fetched: robots.txt does not allow it",
                { ($0.status, $0.failure) = (nil, RequestFailure(.disallowed("Line 2."), asking: $0.url)) }
            ),
            (
                "is reached over 1 redirect, at https://shop.example/b.jpg",
                { $0.redirects = [WebURL("https://shop.example/b.jpg")].compactMap { $0 } }
            ),
        ]
        for (expected, change) in cases {
            let seen = Self.sentences(Self.pictured(change: change), "S03")
            #expect(seen.contains(expected), "\(expected)\n\(seen)")
        }
    }

    private static func pictured(change: (inout ImageEvidence) -> Void) -> ReportPage { pictured("", change) }

    @Test func `the size in the markup is held against the picture's, turned or not`() {
        let size =
            "<meta property=\"og:image:width\" content=\"630\"><meta property=\"og:image:height\" content=\"1200\">"
            + "<meta property=\"og:image:alt\" content=\"A mug\">"
        #expect(Self.pictured(size) { _ in }.card.outcome("S04") == .pass)
        let other = Self.sentences(Self.pictured(size) { $0.width = 1000 }, "S04")
        #expect(other.contains("The markup says 630×1200, the picture has 1000×630 pixels"), "\(other)")
        #expect(Self.pictured { _ in }.card.findings("S04").first?.remedy?.code?.contains("content=\"1200\"") == true)
    }

    @Test func `a picture of another host is judged by that host's rules`() {
        let page = ReportPage("<meta property=\"og:image\" content=\"https://pictures.example/mug.jpg\">")
        func judged(_ isAllowed: (WebURL) -> Result<Bool, RequestFailure>) -> Finding.Outcome? {
            guard let url = WebURL("https://pictures.example/mug.jpg") else { return nil }
            var image = ImageEvidence(url: url)
            image.isAllowed = isAllowed(url)
            return page.with { $0.images = [image] }.card.outcome("D06")
        }
        #expect(judged { _ in .success(true) } == .pass && judged { _ in .success(false) } == .warning)
        #expect(judged { .failure(RequestFailure(.status(500), asking: $0)) } == .warning)
        #expect(judged { .failure(RequestFailure(.contactMissing, asking: $0)) } == .unknown)
        #expect(page.card.outcome("D06") == .unknown)
    }

    @Test func `a picture that redirects to no page is an error, as one with another status is`() throws {
        let page = ReportPage("<meta property=\"og:image\" content=\"https://shop.example/mug.jpg\">")
        let url = try #require(WebURL("https://shop.example/mug.jpg"))
        func judged(_ cause: RequestFailure.Cause) -> Finding.Outcome? {
            var image = ImageEvidence(url: url)
            image.failure = RequestFailure(cause, asking: url)
            return page.with { $0.images = [image] }.card.outcome("S03")
        }
        #expect(judged(.badRedirect("mailto:x")) == .error)
        #expect(judged(.failed(.cancelled)) == .warning && judged(.tooManyRedirects) == .warning)
    }

    @Test func `scripts of other hosts are judged by those hosts' rules`() throws {
        let head = "<script src=\"https://cdn.example/app.js\"></script>"
        func judged(_ file: Result<RobotsFile, RequestFailure>) -> String {
            Self.sentences(
                Self.probed(head) {
                    $0.hostRules = .made([HostRules(origin: "https://cdn.example", file: file)])
                }, "D05")
        }
        #expect(judged(.success(.allowAll)).hasPrefix("pass: Applebot may fetch the one "))
        #expect(
            judged(.success(.disallowAll)).contains(
                "warning: The robots.txt of cdn.example closes the script, style or picture"))
        let url = try #require(WebURL("https://cdn.example/robots.txt"))
        #expect(
            judged(.failure(RequestFailure(.status(500), asking: url))).contains(
                "info: The robots.txt of cdn.example cannot be fetched, so"))
        // For want of a contact nobody asked: the host is not to blame.
        #expect(
            judged(.failure(RequestFailure(.contactMissing, asking: url))).contains(
                "unknown: The robots.txt of cdn.example was not seen: its host is public"))
    }

    // MARK: Other addresses

    @Test func `http is to lead to https, to the same content and for good`() {
        func judged(_ status: Int?, _ location: String?) -> String {
            Self.sentences(
                Self.probed { evidence in
                    guard let url = WebURL("http://shop.example/mug") else { return }
                    evidence.plainAddress = .made(
                        PlainAddressEvidence(url: url, status: status, location: location.flatMap { WebURL($0) }))
                }, "T03")
        }
        #expect(
            judged(301, "https://shop.example/mug").contains(
                "pass: https with a valid certificate, and http leads here"))
        #expect(judged(302, "https://shop.example/mug").hasPrefix("info:"))
        #expect(judged(301, "https://shop.example/").contains("the content is lost"))
        #expect(judged(301, "http://www.shop.example/mug").contains("which is http again"))
        #expect(judged(200, nil).hasPrefix("warning: http://shop.example/mug answers with status 200"))
        #expect(judged(nil, nil).hasPrefix("pass:"))
        #expect(Self.sentences(ReportPage(), "T03").hasPrefix("pass:"))
    }

    @Test func `a canonical address elsewhere must be there and agree`() {
        func judged(_ change: @escaping @Sendable (inout CanonicalEvidence) -> Void) -> String {
            Self.sentences(
                Self.probed("<link rel=\"canonical\" href=\"https://shop.example/cup\">") { evidence in
                    guard let url = WebURL("https://shop.example/cup") else { return }
                    var seen = CanonicalEvidence(url: url, status: 200)
                    change(&seen)
                    evidence.canonical = .made(seen)
                }, "T04")
        }
        #expect(judged { _ in }.contains("info: The canonical address is another one"))
        #expect(judged { $0.status = 404 }.hasPrefix("error:"))
        #expect(judged { $0.isNoindex = true }.contains("neither page is found"))
        #expect(judged { $0.canonical = WebURL("https://shop.example/mug") }.contains("each says the other"))
        #expect(judged { $0.canonical = WebURL("https://shop.example/jug") }.contains("yet another one"))
        #expect(
            judged { ($0.status, $0.location) = (301, WebURL("https://shop.example/jug")) }.contains("redirects (301)"))
    }

    // MARK: Asking again

    @Test func `who has the page already is to get 304`() {
        func judged(_ status: Int, tag: String = "\"1\"", same: Bool = true) -> String {
            Self.sentences(
                Self.probed { evidence in
                    var again = RevalidationEvidence(status: status, isSameBody: same)
                    again.entityTag = "\"1\""
                    again.newEntityTag = tag
                    evidence.revalidation = .made(again)
                }, "T11")
        }
        #expect(judged(304).contains("gets 304"))
        #expect(judged(200).contains("200 instead of 304"))
        #expect(judged(200, tag: "\"2\"").contains("is another one at the next request though the page is the same"))
        #expect(judged(500).hasPrefix("warning:"))
    }

    @Test func `a server that is busy says when to come again`() {
        func judged(_ value: String?) -> String {
            Self.sentences(
                ReportPage().with {
                    $0.status = 503
                    if let value { $0.headers.append(("Retry-After", value)) }
                }, "T11")
        }
        #expect(judged(nil).contains("does not say when to come again"))
        #expect(judged("soon").contains("neither seconds nor a date"))
        #expect(judged("1000000").contains("more than a day"))
        #expect(judged("120").hasPrefix("pass:"))
    }

    // MARK: What the markup shows

    @Test func `a price that nobody sees is told`() {
        let offer = { (price: String, text: String) in
            ReportPage(
                "<title>A mug for tea</title><script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"Mug\",\"offers\":{\"@type\":\"Offer\",\"price\":\"\(price)\",\"priceCurrency\":\"EUR\"}}</script>"
            ).with {
                $0.body =
                    "<h1>A mug for tea</h1><p>" + String(repeating: "Thrown by hand and fired twice. ", count: 12)
                    + text + "</p>"
            }
        }
        for shown in ["12.50 €", "12,50", "EUR 12.5"] {
            #expect(offer("12.50", shown).card.outcome("S16") == .pass, "\(shown)")
        }
        for shown in ["1,299.00", "1.299,00 €", "1 299", "1299", "1\u{A0}299,00"] {
            #expect(offer("1299.00", shown).card.outcome("S16") == .pass, "\(shown)")
        }
        #expect(
            Self.sentences(offer("12.50", "15.00 €"), "S16").contains(
                "The price 12.50 EUR of the markup stands nowhere"))
    }

    // MARK: Resources (T07)

    @Test(arguments: [
        ("<script src=\"U\"></script>", "script", true), ("<link rel=\"stylesheet\" href=\"U\">", "style", true),
        ("<iframe src=\"U\"></iframe>", "frame", true), ("<object data=\"U\"></object>", "object", true),
        ("<embed src=\"U\">", "object", true), ("<img src=\"U\">", "picture", false),
        ("<img src=\"/a.png\" srcset=\"U 2x\">", "picture", false),
        ("<picture><source srcset=\"U\"><img src=\"/a.png\"></picture>", "picture", false),
        ("<video src=\"U\"></video>", "video", false), ("<video poster=\"U\"></video>", "picture", false),
        ("<video><source src=\"U\"></video>", "video", false), ("<audio><source src=\"U\"></audio>", "audio", false),
        ("<audio src=\"U\"></audio>", "audio", false),
    ])
    func `resources over http are found on a secure page`(markup: String, kind: String, isBlocked: Bool) throws {
        let page = ReportPage(body: markup.replacing("U", with: "http://cdn.example/a"))
        let finding = try #require(page.card.findings("T07").first)
        #expect(
            finding.sentence
                == "The \(kind) “http://cdn.example/a” is http on a secure page\(isBlocked ? ", so browsers block it" : "").",
            "\(finding.sentence)")
        #expect(finding.outcome == .warning && finding.place?.line != nil)
        #expect(finding.remedy?.code == "https://cdn.example/a")
        for url in ["https://cdn.example/a", "//cdn.example/a", "/a"] {
            let card = ReportPage(body: markup.replacing("U", with: url)).card
            #expect(card.outcome("T07") == .pass, "\(card.findings("T07").map(\.sentence))")
        }
        // Links are no resources.
        #expect(ReportPage("<link rel=\"license\" href=\"http://a.example/\">").card.outcome("T07") == .pass)
    }

    // MARK: Names

    private static func json(_ text: String) -> ReportPage {
        ReportPage("<script type=\"application/ld+json\">\n{\"@context\":\"https://schema.org\",\n\(text)}</script>")
    }

    @Test func `a misspelt property has its place and the name that was meant`() throws {
        let page = Self.json("\"@type\":\"Recipe\",\n  \"name\":\"Tea\",\"recipeIngredents\":[\"Tea\"]")
        let finding = try #require(page.card.findings("S05").first)
        #expect(finding.outcome == .warning)
        #expect(finding.sentence.contains("did you mean recipeIngredient?"), "\(finding.sentence)")
        #expect(finding.place?.line == 5 && finding.place?.column == 16, "\(String(describing: finding.place))")
    }

    @Test func `a property of another type is told with the types that have it`() {
        let page = Self.json("\"@type\":\"Product\",\"name\":\"Mug\",\"ratingValue\":\"5\",\"made\":\"by hand\"")
        let seen = Self.sentences(page, "S05")
        #expect(seen.contains("info: ratingValue is no property of Product: schema.org has it for"), "\(seen)")
        #expect(seen.contains("“made”, on a Product, is no property of schema.org: readers pass over it"), "\(seen)")
    }

    @Test func `types below others have their properties, and roles and annotations any`() {
        for text in [
            "\"@type\":\"Bakery\",\"servesCuisine\":\"French\",\"telephone\":\"+1 650 555 0100\",\"openingHours\":\"Mo\"",
            "\"@type\":[\"Product\",\"Book\"],\"isbn\":\"1\",\"sku\":\"2\"",
            "\"@type\":\"WebSite\",\"potentialAction\":{\"@type\":\"SearchAction\",\"target\":\"https://shop.example/{q}\",\"query-input\":\"required name=q\"}",
            "\"@type\":\"Movie\",\"actor\":{\"@type\":\"PerformanceRole\",\"characterName\":\"A\",\"actor\":{\"@type\":\"Person\",\"name\":\"B\"}}",
        ] {
            #expect(Self.json(text).card.outcome("S05") == .pass, "\(Self.sentences(Self.json(text), "S05"))")
        }
    }

    @Test(.slow) func `many names are told in a few findings`() {
        let names = (0..<100).map { "\"strange\($0)name\":\"x\"" }.joined(separator: ",")
        let findings = Self.json("\"@type\":\"Product\",\(names)").card.findings("S05")
        #expect(findings.count == 6)
        #expect(findings.last?.sentence.contains("94 more") == true, "\(findings.last?.sentence ?? "")")
    }

    // MARK: Head and phone

    @Test func `what ended the head is named, and a head or title too many`() {
        let stray = Self.sentences(
            ReportPage().with {
                $0.html =
                    "<html>\n<head><title>Mug</title>\n<div>Hi</div>\n<meta name=\"description\" content=\"A mug\"></head>"
            },
            "T09")
        #expect(stray.contains("the <div> on line 3"), "\(stray)")
        let twice = ReportPage().with {
            $0.html = "<html><head><title>a</title></head><!-- <head> --><head></head><body>"
        }
        #expect(Self.sentences(twice, "T09").contains("second <head>"))
        let open = ReportPage().with {
            $0.html = "<html><head><title>Mug\n<meta name=\"description\" content=\"A mug\"></head><p>x"
        }
        #expect(Self.sentences(open, "T09").contains("The <title> is not closed"), "\(Self.sentences(open, "T09"))")
        let fine = ReportPage().with {
            $0.html = "<html><head><title>a</title><script>'<head>'</script></head><body><header>x</header>"
        }
        #expect(fine.card.outcome("T09") == .pass)
    }

    /// Readers without scripts end the head at the picture. Browsers, and readers that run scripts, do not.
    @Test func `tags behind a noscript with a picture belong to the head, with advice`() throws {
        let tags =
            "<link rel=\"canonical\" href=\"https://shop.example/mug\"><meta name=\"description\" content=\"A mug for tea.\">"
        for pixel in [
            "<noscript><img src=\"/p.gif\"></noscript>", "<noscript><img alt='</head>' src=/p.gif /></noscript >",
        ] {
            let card = ReportPage("<title>Mug</title>\n" + pixel + tags).card
            #expect(card.outcome("T04") == .pass, "\(card.findings("T04").map(\.sentence))")
            let finding = try #require(card.findings("T09").first)
            #expect(finding.outcome == .info)
            #expect(finding.sentence.hasPrefix("The <noscript> in the head contains <img>"), "\(finding.sentence)")
            #expect(finding.place?.line == 3)
        }
        let text = ReportPage("<title>Mug</title>\n<noscript>hello</noscript>" + tags).card.findings("T09")
        #expect(text.first?.sentence.hasPrefix("The <noscript> in the head contains text, which") == true, "\(text)")
        // What ends the head for everybody still does.
        let card = ReportPage("<noscript><img src=\"/p.gif\"></noscript><div>x</div>" + tags).card
        #expect(card.outcome("T04") == .warning && card.outcome("T09") == .warning)
    }

    @Test func `as a phone, wide elements and small letters count`() {
        let page = ReportPage("<meta name=\"viewport\" content=\"width=device-width\">").with {
            $0.body = "<table width=\"960\"><tr><td style=\"font-size:9px\">Mug</td></tr></table>"
        }
        #expect(page.card.outcome("T10") == .pass)
        let seen = Self.sentences(page.with { $0.options.isMobile = true }, "T10")
        #expect(
            seen.contains("warning: 1 element is wider than a phone's 320 pixels: <table> of 960 pixels"), "\(seen)")
        #expect(seen.contains("info: 1 element has letters of less than 12 pixels"), "\(seen)")
    }
}
