import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// Whatever reads foreign bytes returns early once somebody else has ended the reading.
@Suite(.ends)
struct InterruptionTests {
    private static let count = 2_000

    private func limits(interrupted: Bool) -> ReadingLimits {
        let interruption = Interruption()
        if interrupted { interruption.set() }
        return ReadingLimits(interruption: interruption)
    }

    private func facts(_ html: String, interrupted: Bool) throws -> PageFacts {
        let url = try #require(WebURL("https://h.example/"))
        return PageFacts(
            PageSource(
                url: url, status: 200, headers: HTTPHeaders([("Content-Type", "text/html; charset=utf-8")]),
                bytes: Array(html.utf8), fetchedAt: Date(timeIntervalSince1970: 0)),
            limits: limits(interrupted: interrupted))
    }

    @Test func `a flag is set once and for all`() {
        let interruption = Interruption()
        #expect(!interruption.isSet)
        interruption.set()
        interruption.set()
        #expect(interruption.isSet)
        #expect(!ReadingLimits.standard.isInterrupted)
        #expect(ReadingLimits(interruption: interruption).isInterrupted)
    }

    @Test(
        .slow,
        arguments: [
            "<p>x</p>", "<a href=x>x</a>", "<div itemscope><p itemprop=name>x</p></div>",
            "<div vocab=http://schema.org/ typeof=Thing><p property=name>x</p></div>", "<!-- x --><b>",
            "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Thing\"}</script>",
        ])
    func `pages`(markup: String) throws {
        let page = String(repeating: markup, count: Self.count)
        #expect(try facts(page, interrupted: false).document.elements.count >= Self.count)
        let interrupted = try facts(page, interrupted: true)
        #expect(interrupted.document.elements.isEmpty)
        #expect(interrupted.structuredData.items.isEmpty)
        #expect(interrupted.outlinks.links.isEmpty)
    }

    @Test func `structured data and links of a page that was parsed before`() throws {
        let url = try #require(WebURL("https://h.example/"))
        let html = String(
            repeating:
                "<div itemscope vocab=http://schema.org/ typeof=Thing><p itemprop=name property=name>x</p></div><script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Thing\"}</script>",
            count: Self.count)
        let document = HTMLDocument(utf8: Array(html.utf8))
        for isInterrupted in [false, true] {
            let limits = limits(interrupted: isInterrupted)
            let counts = [
                Microdata(document, baseURL: url, limits: limits).structuredData.items.count,
                RDFa(document, baseURL: url, limits: limits).structuredData.items.count,
                JSONLD(document, baseURL: url, limits: limits).structuredData.items.count,
            ]
            for count in counts { #expect(isInterrupted ? count < 10 : count >= Self.count) }
        }
    }

    /// What walks a document, and how much it finds.
    private static let walks: [(name: String, found: @Sendable (HTMLDocument, VisibleText, ReadingLimits) -> Int)] = [
        ("visible text", { document, _, limits in VisibleText(document, limits: limits).blocks.count }),
        (
            "names",
            { document, _, limits in
                let names = ElementNames(document, limits: limits)
                return document.elements.indices.count { !names.hints(of: $0).isEmpty } + names.styled.count
            }
        ),
        (
            "main text",
            { document, visible, limits in
                MainText(document, visible: visible, names: ElementNames(document), limits: limits).bytes.count
            }
        ),
        (
            "hidden text",
            { document, visible, limits in
                guard let url = WebURL("https://h.example/") else { return 0 }
                return HiddenText(document, visible: visible, url: url, limits: limits).parts.count
            }
        ),
        (
            "byline",
            { document, visible, limits in
                Byline(
                    document, visible: visible, names: ElementNames(document), titles: [], readsWriters: true,
                    readsDays: true, dayStyle: .unknown, limits: limits,
                    isPossible: { _ in true }
                ).writers.count
            }
        ),
        (
            "overlays",
            { document, visible, limits in PageOverlay.all(in: document, visible: visible, limits: limits).count }
        ),
    ]

    @Test(arguments: walks.indices)
    func `every walk over a document asks as often as it has steps, and ends when it is told to`(index: Int) throws {
        let walk = Self.walks[index]
        let part =
            "<p style='position:absolute;left:-9999px'>hidden text</p><p>This is a sentence of the page, long enough.</p>"
        let document = HTMLDocument(
            utf8: Array(
                "\(part.repeated(Self.count))<h1>Title</h1><p class=author>By Jane Doe</p><div role=dialog style='position:fixed;inset:0'>Join our club today, it is free for all.<button>Join</button></div>"
                    .utf8))
        let visible = VisibleText(document)
        let counting = Interruption(countsSteps: true)
        #expect(walk.found(document, visible, ReadingLimits(interruption: counting)) >= 0)
        // A walk may end at a limit of what it finds.
        #expect(counting.steps >= Self.count / 2, "\(walk.name)")
        let whole = walk.found(document, visible, limits(interrupted: false))
        #expect(whole > 0, "\(walk.name)")
        #expect(walk.found(document, visible, limits(interrupted: true)) <= whole / 2, "\(walk.name)")
    }

    @Test func `a record that is interrupted ends after the part that it has begun`() throws {
        let html = "<title>Title</title><h1>Title</h1><meta name=author content='Jane Doe'>"
        for isInterrupted in [false, true] {
            let facts = try facts(html, interrupted: false)
            if isInterrupted { facts.limits.interruption?.set() }
            let conclusion = RecordBuilder.conclusion(from: facts, now: Date(timeIntervalSince1970: 1_800_000_000))
            guard case .record(let record, _) = conclusion else {
                Issue.record("\(conclusion)")
                return
            }
            #expect((record.title == nil) == isInterrupted)
            #expect(record.authors.isEmpty == isInterrupted)
        }
    }

    @Test func `JSON`() {
        let text = "[" + Array(repeating: "1", count: Self.count).joined(separator: ",") + "]"
        var parser = JSONParser(limits: limits(interrupted: false))
        #expect((try? parser.parse(text))?.array?.count == Self.count)
        parser = JSONParser(limits: limits(interrupted: true))
        let error = #expect(throws: JSONSyntaxError.self) { try parser.parse(text) }
        #expect(error?.isLimit == true)
    }

    @Test func `robots.txt`() throws {
        let url = try #require(WebURL("https://h.example/robots.txt"))
        let page = try #require(WebURL("https://h.example/a"))
        let text = Array("User-agent: *\nDisallow: /a\n".utf8)
        for isInterrupted in [false, true] {
            let file = RobotsFile(bytes: text, url: url, limits: limits(interrupted: isInterrupted))
            #expect(file.decision(for: page, agents: ["Pippin"]).isAllowed == isInterrupted)
        }
    }

    @Test func `association files and manifests`() throws {
        let details = Array(repeating: "{\"appID\":\"ABCDE12345.com.example\",\"paths\":[\"*\"]}", count: 200)
            .joined(separator: ",")
        let apple = Array("{\"applinks\":{\"details\":[\(details)]}}".utf8)
        let statement =
            "{\"relation\":[\"delegate_permission/common.handle_all_urls\"],\"target\":{\"namespace\":\"android_app\",\"package_name\":\"com.example\",\"sha256_cert_fingerprints\":[\"14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5\"]}}"
        let links = Array(("[" + Array(repeating: statement, count: 200).joined(separator: ",") + "]").utf8)
        for isInterrupted in [false, true] {
            let limits = limits(interrupted: isInterrupted)
            #expect((AppleAppSiteAssociation(bytes: apple, limits: limits).appLinks == nil) == isInterrupted)
            #expect(AssetLinks(bytes: links, limits: limits).statements.isEmpty == isInterrupted)
        }
    }
}
