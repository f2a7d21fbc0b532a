import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// Reading a sitemap costs in proportion to its size, whatever stands in it. Before, each of these took minutes or for ever.
@Suite(.ends)
struct SitemapCostTests {
    private static let good = "<url><loc>https://h.example/a</loc></url>"

    private func sitemap(_ text: String, limits: ReadingLimits = .standard) throws -> Sitemap {
        try sitemap(Array(text.utf8), limits: limits)
    }

    private func sitemap(_ bytes: [UInt8], limits: ReadingLimits = .standard) throws -> Sitemap {
        Sitemap(bytes: bytes, url: try #require(WebURL("https://h.example/sitemap.xml")), limits: limits)
    }

    private func codes(_ read: Sitemap) -> [String] { read.notes.map(\.code.rawValue) }

    // MARK: Entities

    @Test(.slow) func `entities that make too much text end the reading`() throws {
        let long = String(repeating: "x", count: 60_000)
        let references = String(repeating: "<url><loc>&a;</loc></url>", count: 100_000)
        let read = try sitemap(
            "<!DOCTYPE u [<!ENTITY a '\(long)'>]><urlset>\(Self.good)\(references)\(Self.good)</urlset>")
        #expect(read.entries.map(\.loc.href) == ["https://h.example/a"])
        #expect(codes(read).contains("sitemap-too-many-entities"))
    }

    @Test(.slow) func `an entity of megabytes is none, however often it is referred to`() throws {
        let long = String(repeating: "x", count: 2_000_000)
        let references = String(repeating: "&a;", count: 500_000)
        let read = try sitemap(
            PackedBytes.deflate(
                Array("<!DOCTYPE u [<!ENTITY a '\(long)'>]><urlset><url><loc>\(references)</loc></url></urlset>".utf8),
                .gzip))
        #expect(read.entries.isEmpty)
        #expect(read.notes.count <= ReadingLimits.standard.maximumNotes + 2)
    }

    @Test(.slow) func `entities that yield nothing are paid for as well`() throws {
        let empty = String(repeating: "&e;", count: 20_000)
        let references = String(repeating: "&a;", count: 200_000)
        let read = try sitemap(
            "<!DOCTYPE u [<!ENTITY e ''><!ENTITY a '\(empty)'>]><urlset><url><loc>\(references)</loc></url></urlset>")
        #expect(codes(read).contains("sitemap-too-many-entities"))
    }

    @Test func `an honest entity may stand in every address`() throws {
        let entries = (0..<5_000).map { "<url><loc>&site;/\($0)?a&amp;b</loc></url>" }.joined()
        let read = try sitemap(
            "<?xml version='1.0'?><!-- x --><!DOCTYPE urlset [<!-- ' --><!ENTITY % p 'x'>%p;<?y '?><!ELEMENT url (loc)>\n<!ENTITY site \"https://h&#46;example\">]><urlset>\(entries)</urlset>"
        )
        #expect(read.entries.count == 5_000)
        #expect(read.entries.last?.loc.href == "https://h.example/4999?a&b")
        #expect(read.entries.last?.line == 2)
        #expect(read.notes.isEmpty, "\(codes(read))")
    }

    @Test(
        .slow,
        arguments: [
            (0..<100_000).map { "<!ENTITY e\($0) 'x'>" }.joined(),
            (0..<100_000).map { "<!ENTITY % e\($0) 'x'> %e\($0);" }.joined(),
            (0..<20_000).map { "<!ATTLIST url a\($0) CDATA 'x'>" }.joined(),
            "<!ATTLIST url a NOTATION (" + (0..<100_000).map { "n\($0)" }.joined(separator: "|") + ") 'n0'>",
            "<!ELEMENT url " + String(repeating: "(", count: 300_000),
            String(repeating: "<!-- x --><?p?>", count: 50_000),
        ])
    func `declarations are not libxml2's business`(declarations: String) throws {
        let closing = declarations.hasSuffix("(") ? "x>" : ""
        let many = String(repeating: "<url/>", count: 50_000)
        let read = try sitemap("<!DOCTYPE urlset [\(declarations)\(closing)]><urlset>\(Self.good)\(many)</urlset>")
        #expect(read.entries.count == 1)
        #expect(!codes(read).contains("sitemap-xml-broken"))
    }

    @Test func `a second document type is not read`() throws {
        let read = try sitemap(
            "<!DOCTYPE a><!DOCTYPE a [<!ENTITY x 'https://h.example/b'>]><urlset><url><loc>&x;</loc></url></urlset>")
        #expect(read.entries.isEmpty)
    }

    // MARK: Names

    private static let manyNames: [@Sendable (Int) -> String] = [
        { "<a\($0)/>" }, { "<a b\($0)=''/>" }, { "<a b\($0):c=''/>" }, { "<p\($0):a/>" }, { "<a></b\($0)>" },
        { "<a b\($0)></a>" }, { "<?p\($0)?>" }, { "<a xmlns:p\($0)='u'/>" }, { "<a xmlns:p='u\($0)'/>" },
        { "&e\($0);" },
    ]

    @Test(arguments: manyNames.indices)
    func `names of their own end the reading at the limit of pages`(kind: Int) throws {
        var limits = ReadingLimits()
        limits.maximumNames = 100
        func text(_ count: Int) -> String {
            "<urlset>\(Self.good)\((0..<count).map { Self.manyNames[kind]($0) }.joined())\(Self.good)</urlset>"
        }
        let few = try sitemap(text(15), limits: limits)
        #expect(few.entries.count == 2)
        let many = try sitemap(text(200), limits: limits)
        #expect(many.entries.count == 1)
        #expect(codes(many).contains("sitemap-too-many-names"))
    }

    @Test func `names that come again, and prefixes nobody declared, are no names of their own`() throws {
        let entry = "<url><loc>https://h.example/a</loc><image:image><image:loc>x&nbsp;</image:loc></image:image></url>"
        let read = try sitemap("<urlset>\(String(repeating: entry, count: 3_000))</urlset>")
        #expect(read.entries.count == 3_000, "\(read.notes)")
    }

    // MARK: Encodings

    @Test func `limits hold in every encoding`() throws {
        let text =
            "<?xml version='1.0' encoding='UTF-16'?><!DOCTYPE u [<!ENTITY a 'x'>]><urlset>\(Self.good)<a\((0..<600).map { " a\($0)=''" }.joined())/>\(Self.good)</urlset>"
        var bytes: [UInt8] = [0xFF, 0xFE]
        for unit in text.utf16 {
            bytes.append(UInt8(unit & 0xFF))
            bytes.append(UInt8(unit >> 8))
        }
        let read = try sitemap(bytes)
        #expect(read.entries.count == 1)
        #expect(codes(read).contains("sitemap-too-many-attributes"))
    }

    @Test func `encodings are read as pages are`() throws {
        let latin =
            Array("<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>https://h.example/".utf8) + [0xFC]
            + Array("</loc></url></urlset>".utf8)
        #expect(try sitemap(latin).entries.map(\.loc.href) == ["https://h.example/%C3%BC"])
        // An encoding in which the guards would not see what libxml2 sees.
        let hidden = try sitemap("<?xml version='1.0' encoding='cp037'?><urlset>\(Self.good)</urlset>")
        #expect(hidden.entries.count == 1)
        #expect(codes(hidden) == ["sitemap-encoding-unknown"])
    }

    // MARK: Long answers to short files

    @Test(.slow) func `loose ampersands cost no more than their bytes`() throws {
        let read = try sitemap(
            "<urlset>\(Self.good)<url><loc>https://h.example/?" + String(repeating: "&", count: 300_000))
        #expect(read.entries.count >= 1)
    }

    @Test func `a long base is not believed`() throws {
        let base = "https://h.example/" + String(repeating: "b", count: 3_000) + "/"
        let read = try sitemap(
            "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='\(base)'><entry><link href='1'/></entry></feed>")
        #expect(read.entries.map(\.loc.href) == ["https://h.example/1"])
    }

    // MARK: Interruption

    @Test(arguments: [
        "<urlset>\(String(repeating: good, count: 1_000))</urlset>",
        String(repeating: "https://h.example/a\n", count: 1_000),
    ])
    func `an interrupted reading returns early`(text: String) throws {
        let interruption = Interruption()
        let limits = ReadingLimits(interruption: interruption)
        #expect(try sitemap(text, limits: limits).entries.count == 1_000)
        interruption.set()
        #expect(try sitemap(text, limits: limits).entries.count < 10)
    }
}
