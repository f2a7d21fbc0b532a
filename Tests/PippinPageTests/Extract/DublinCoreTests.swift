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

    @Test func `the record takes what only Dublin Core states`() throws {
        let record = try RecordBuilderTests.record(
            """
            <link rel=schema.q href=http://purl.org/dc/terms/><meta name=q.created content=2012-08-05><meta name=DC.creator
            content="Ann Lee"><meta name=dc.subject content="pears; plums"><meta name=dc.identifier content="doi:10.1000/182">
            <meta name=DC.title content="On pears"><meta name=dc.description
            content="All that is known of pears, and of the trees that they grow on."><p>x</p>
            """)
        #expect(record.publishedAt == "2012-08-05")
        #expect(record.authors.map(\.name) == ["Ann Lee"])
        #expect(record.keywords == ["pears", "plums"])
        #expect(record.identifiers.doi == ["10.1000/182"])
        #expect(record.title == "On pears")
        for field in ["publishedAt", "authors", "keywords", "identifiers", "title", "contentDescription"] {
            #expect(record.provenance.contains { $0.field == field && $0.source == .dublinCore }, "\(field)")
        }
    }
}
