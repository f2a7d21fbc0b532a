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
