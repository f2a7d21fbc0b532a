import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

@Suite struct DublinCoreTests {
    private func facts(_ html: String) throws -> PageFacts {
        let url = try #require(WebURL("https://example.org/dir/page"))
        return PageFacts(
            PageSource(url: url, bytes: Array(html.utf8), fetchedAt: .init(timeIntervalSince1970: 1_790_000_000)))
    }

    @Test func `meta and link elements state Dublin Core, in any letter case and with any declared prefix`() throws {
        let facts = try facts(
            """
            <html lang=en><link rel="schema.DCTERMS" href="http://purl.org/dc/terms/"><link rel=schema.x
            href=http://purl.org/dc/elements/1.1/><meta name=DCTERMS.issued content=2012-08-05 scheme=DCTERMS.W3CDTF>
            <meta name="x.Title" content=Titel lang=de><meta name="dc:creator" content=Ann><meta name=y.title content=no>
            <link rel=DCTERMS.license href=/l>
            """)
        #expect(
            facts.dublinCore.json.text()
                == #"[{"property":"issued","vocabulary":"http://purl.org/dc/terms/","content":"2012-08-05","scheme":"DCTERMS.W3CDTF","lang":"en"},"#
                + #"{"property":"title","vocabulary":"http://purl.org/dc/elements/1.1/","content":"Titel","lang":"de"},"#
                + #"{"property":"creator","vocabulary":"http://purl.org/dc/elements/1.1/","content":"Ann","lang":"en"},"#
                + #"{"property":"license","vocabulary":"http://purl.org/dc/terms/","href":"https://example.org/l"}]"#)
    }
}
