import CZlib
import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

@Suite struct SitemapTests {
    private func sitemap(_ text: String, at address: String = "https://h.example/shop/sitemap.xml") -> Sitemap {
        sitemap(Array(text.utf8), at: address)
    }

    private func sitemap(_ bytes: [UInt8], at address: String = "https://h.example/shop/sitemap.xml") -> Sitemap {
        guard let url = WebURL(address) else { preconditionFailure("the test's own URL is valid: \(address)") }
        return Sitemap(bytes: bytes, url: url)
    }

    private func urlset(_ inside: String, attributes: String = "") -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \(attributes)>\(inside)</urlset>"
    }

    private func locations(_ sitemap: Sitemap) -> [String] { sitemap.entries.map(\.loc.href) }

    // MARK: The protocol

    @Test func `an entry has its fields in any order`() throws {
        let read = sitemap(
            urlset(
                "<url><priority>0.8</priority><loc>\n https://h.example/shop/a?x=1&amp;y=2 </loc><changefreq>Weekly</changefreq><lastmod>2024-02-29</lastmod></url>"
            ))
        let entry = try #require(read.entries.first)
        #expect(read.kind == .urlset && read.notes.isEmpty)
        #expect(entry.loc.href == "https://h.example/shop/a?x=1&y=2")
        #expect(entry.priority == 0.8 && entry.changefreq == .weekly)
        #expect(
            entry.lastmod?.text == "2024-02-29" && entry.lastmod?.date == Date(timeIntervalSince1970: 1_709_164_800))
    }

    @Test func `an index names sitemaps`() {
        let read = sitemap(
            "<sitemapindex xmlns='https://sitemaps.org/schemas/sitemap/0.9/'><sitemap><loc>https://h.example/a.xml.gz</loc></sitemap></sitemapindex>"
        )
        #expect(read.kind == .index && locations(read) == ["https://h.example/a.xml.gz"])
    }

    @Test(arguments: [
        "http://www.google.com/schemas/sitemap/0.84", "http://www.google.com/schemas/sitemap/0.90", "", "urn:whatever",
        "https://www.sitemaps.org/schemas/sitemap/0.9/",
    ])
    func `namespaces do not matter`(namespace: String) {
        let attribute = namespace.isEmpty ? "" : " xmlns='\(namespace)'"
        #expect(locations(sitemap("<urlset\(attribute)><url><loc>https://h.example/</loc></url></urlset>")).count == 1)
        #expect(
            locations(
                sitemap("<s:urlset xmlns:s='\(namespace)x'><s:url><s:loc>https://h.example/</s:loc></s:url></s:urlset>")
            ).count == 1)
    }

    @Test func `a sitemap speaks for its directory, its host, or others`() {
        let read = sitemap(
            urlset(
                [
                    "https://h.example/shop/a", "https://h.example/shops", "http://h.example/shop/a",
                    "https://h.example:8443/shop/a", "https://other.example/shop/a",
                ]
                .map { "<url><loc>\($0)</loc></url>" }.joined()))
        #expect(read.entries.map(\.placement) == [.below, .sameHost, .sameHost, .sameHost, .otherHost])
    }

    @Test func `languages and apps are alternates`() {
        let read = sitemap(
            urlset(
                """
                <url><loc>https://h.example/a</loc>
                <xhtml:link rel="alternate" hreflang="de" href="https://h.example/de?a=1&amp;b=2"/>
                <xhtml:link rel="alternate" href="android-app://com.example/https/h.example/a"/>
                <xhtml:link rel="alternate" media="only screen" href="/m/a"/></url>
                """, attributes: "xmlns:xhtml='http://www.w3.org/1999/xhtml'"))
        #expect(
            read.entries.first?.alternates.map(\.href) == [
                "https://h.example/de?a=1&b=2", "android-app://com.example/https/h.example/a", "https://h.example/m/a",
            ])
        #expect(read.entries.first?.alternates.first?.hreflang == "de")
        #expect(read.entries.first?.alternates.last?.media == "only screen")
    }

    @Test func `images, videos and news belong to their entry, with undeclared prefixes too`() throws {
        let inside = """
            <url><loc>https://h.example/a</loc>
            <image:image><image:loc>https://h.example/1.png</image:loc><image:title>One</image:title></image:image>
            <video:video><video:title>V</video:title><video:content_loc>https://h.example/v.mp4</video:content_loc><video:duration>60</video:duration></video:video>
            <news:news><news:publication><news:name>Times</news:name><news:language>en</news:language></news:publication><news:title>N</news:title><news:keywords>a, b</news:keywords></news:news></url>
            """
        let declared =
            "xmlns:image='http://www.google.com/schemas/sitemap-image/1.1' xmlns:video='http://www.google.com/schemas/sitemap-video/1.1' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'"
        for attributes in [declared, ""] {
            let read = sitemap(urlset(inside, attributes: attributes))
            #expect(locations(read) == ["https://h.example/a"])
            let entry = try #require(read.entries.first)
            #expect(entry.images.map(\.loc) == ["https://h.example/1.png"] && entry.images.first?.title == "One")
            #expect(entry.videos.first?.content == "https://h.example/v.mp4" && entry.videos.first?.duration == "60")
            #expect(entry.news?.title == "N" && entry.news?.publication == "Times" && entry.news?.language == "en")
            #expect(entry.news?.keywords == "a, b")
        }
    }

    @Test func `elements of others are passed over`() {
        let read = sitemap(
            urlset(
                "<url><x:y xmlns:x='urn:x'><x:loc>http://no.example/</x:loc><loc>http://no.example/2</loc></x:y><loc>https://h.example/a</loc></url>"
            ))
        #expect(locations(read) == ["https://h.example/a"])
    }

    // MARK: Other forms

    @Test func `a list of addresses is a sitemap, prose is not`() {
        let read = sitemap(
            "\u{FEFF}https://h.example/a\r\n\r\n  https://h.example/b  \rnot an address https://h.example/c\nhttps://h.example/d"
        )
        #expect(read.kind == .text)
        #expect(locations(read) == ["https://h.example/a", "https://h.example/b", "https://h.example/d"])
        #expect(read.entries.map(\.line) == [1, 3, 5])
        #expect(sitemap("This is no sitemap, see https://h.example/").kind == .unknown)
        #expect(sitemap("").kind == .unknown)
    }

    @Test func `RSS items are pages, by link or by permanent guid`() {
        let read = sitemap(
            """
            <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>https://h.example/</link>
            <atom:link rel="self" href="https://h.example/feed"/><image><url>https://h.example/i.png</url></image>
            <item><link><![CDATA[https://h.example/1]]></link><guid>https://h.example/x</guid><pubDate>Thu, 05 Jan 2017 13:34:51 +0100</pubDate></item>
            <item><guid>https://h.example/2</guid></item><item><guid isPermaLink="false">https://h.example/3</guid></item>
            </channel></rss>
            """)
        #expect(read.kind == .rss && locations(read) == ["https://h.example/1", "https://h.example/2"])
        #expect(read.entries.first?.lastmod?.date == Date(timeIntervalSince1970: 1_483_619_691))
        #expect(read.notes.map(\.code.rawValue) == ["sitemap-loc-missing"])
    }

    @Test(arguments: [("http://www.w3.org/2005/Atom", "updated"), ("http://purl.org/atom/ns#", "modified")])
    func `Atom entries are pages by their alternate link`(namespace: String, date: String) {
        let read = sitemap(
            """
            <feed xmlns="\(namespace)"><link href="https://h.example/"/>
            <entry><link rel="self" href="/self"/><link rel="alternate" href="/1"/><link href="/2"/><\(date)>2020-01-01T00:00:00Z</\(date)>
            <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><link href="/3"/></div></content></entry></feed>
            """)
        #expect(read.kind == .atom && locations(read) == ["https://h.example/1"])
        #expect(read.entries.first?.lastmod?.text == "2020-01-01T00:00:00Z")
    }

    @Test func `links of feeds are relative to the feed or its xml base`() {
        let atom = sitemap(
            "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='https://b.example/x/'><entry><link href='1'/></entry><entry xml:base='y/'><link href='2'/></entry></feed>"
        )
        #expect(locations(atom) == ["https://b.example/x/1", "https://b.example/x/y/2"])
        let rdf = sitemap(
            "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://my.netscape.com/rdf/simple/0.9/'><channel><link>/</link></channel><item><link>news/1</link></item></rdf:RDF>"
        )
        #expect(locations(rdf) == ["https://h.example/shop/news/1"])
    }

    @Test func `gzip is unpacked, in members, twice, and cut short`() throws {
        let text = Array(
            urlset((0..<2_000).map { "<url><loc>https://h.example/\($0 &* 7_919)</loc></url>" }.joined()).utf8)
        let packed = gzip(text)
        #expect(sitemap(packed).entries.count == 2_000)
        #expect(sitemap(gzip(packed)).entries.count == 2_000)
        #expect(sitemap(gzip(Array(text[..<500])) + gzip(Array(text[500...]))).entries.count == 2_000)
        let short = sitemap(Array(packed[..<(packed.count / 2)]))
        #expect((10..<2_000).contains(short.entries.count))
        #expect(short.notes.contains { $0.code.rawValue == "sitemap-gzip-broken" })
        #expect(sitemap([0x1F, 0x8B]).kind == .unknown)
        #expect(sitemap([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xFF, 0xFF, 0xFF]).entries.isEmpty)
    }

    @Test(arguments: [true, false])
    func `UTF-16 is read as XML and as text`(bigEndian: Bool) {
        func utf16(_ text: String) -> [UInt8] {
            text.utf16.flatMap { bigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        }
        let xml = urlset("<url><loc>https://h.example/a</loc></url>").replacing("UTF-8", with: "UTF-16")
        #expect(locations(sitemap(utf16("\u{FEFF}" + xml))) == ["https://h.example/a"])
        #expect(locations(sitemap(utf16("\u{FEFF}https://h.example/a\nhttps://h.example/b"))).count == 2)
    }

    // MARK: Broken files

    @Test(arguments: [
        "  \n\u{FEFF}", "Notice: undefined index in x.php on line 3\n", "\n",
    ])
    func `what stands before the XML is skipped with a note`(before: String) {
        let read = sitemap(before + urlset("<url><loc>https://h.example/a</loc></url>"))
        #expect(locations(read) == ["https://h.example/a"])
        #expect(!read.notes.isEmpty)
    }

    @Test(arguments: [
        ("<url><loc>https://h.example/a</lo</url>", 1),
        ("<url><loc>https://h.example/a</loc><lastmod>2020", 1),
        ("<url><loc>https://h.example/a</url><url><loc>https://h.example/b</loc></url>", 2),
        ("<url><loc>https://h.example/?a=1&b=2</loc></url><url><loc>https://h.example/b</loc></url>", 2),
        ("<url><loc>https://h.example/a</loc><loc>https://h.example/b</loc></url>", 2),
        ("<url><loc>https://h.example/&nbsp;a</loc></url>", 1), ("<url><loc>/relative</loc></url>", 1),
        ("<url><loc>nonsense</loc></url>", 0),
        (
            "<url><loc>ftp://h.example/</loc></url><url><loc>https://h.example/</loc><priority>7</priority><changefreq>often</changefreq><lastmod>soon</lastmod></url>",
            1
        ),
        ("<url><loc>https://h.example/\u{1}a</loc></url><url><loc>https://h.example/b</loc></url>", 2),
        ("<url></url>", 0),
        ("<url><loc>https://h.example/<b>x</b>a</loc></url>", 1),
    ])
    func `broken files are read as far as they go, with notes`(inside: String, count: Int) {
        let read = sitemap(urlset(inside))
        #expect(read.entries.count == count, "\(locations(read))")
        #expect(!read.notes.isEmpty)
    }

    @Test func `an address that the end of the file cuts is dropped, one before it is not`() {
        let read = sitemap(
            "<urlset><url><loc>https://h.example/a</loc></url><url><loc>https://h.example/b</loc><lastmod>20")
        #expect(locations(read) == ["https://h.example/a", "https://h.example/b"])
        #expect(
            locations(sitemap("<urlset><url><loc>https://h.example/a</loc></url><url><loc>https://h.ex")).count == 1)
    }

    @Test func `an ampersand alone keeps what follows it`() {
        let read = sitemap(
            urlset(
                "<url><loc>https://h.example/?a=1&b=2&amp;c=3&d;&#38;e=&</loc></url><url><loc><![CDATA[https://h.example/?a=1&b=2]]></loc></url>"
            ))
        #expect(locations(read) == ["https://h.example/?a=1&b=2&c=3&e=&", "https://h.example/?a=1&b=2"])
        #expect(
            read.notes.map(\.code.rawValue) == [
                "sitemap-ampersand-loose", "sitemap-entity-ignored", "sitemap-xml-broken",
            ])
    }

    @Test func `a tag that never closes its entry ends it where the next begins`() {
        let read = sitemap("<urlset><url><loc>https://h.example/a</loc><url><loc>https://h.example/b</loc></urlset>")
        #expect(locations(read) == ["https://h.example/a", "https://h.example/b"])
    }

    @Test func `octets that are no UTF-8 do not end the reading`() {
        let bytes =
            Array("<urlset><url><loc>https://h.example/a</loc><lastmod>\u{1}".utf8) + [0xFC, 0xFF]
            + Array("</lastmod></url><url><loc>https://h.example/b</loc></url></urlset>".utf8)
        #expect(locations(sitemap(bytes)) == ["https://h.example/a", "https://h.example/b"])
    }

    @Test func `an encoding that does not exist is read as UTF-8`() {
        let read = sitemap(
            "<?xml version='1.0' encoding='no-such-thing'?><urlset><url><loc>https://h.example/a</loc></url></urlset>")
        #expect(locations(read) == ["https://h.example/a"])
    }

    // MARK: Hostile files

    @Test func `entities of the document are expanded within a budget, others never`() {
        let harmless = sitemap(
            "<!DOCTYPE urlset [<!ENTITY site 'https://h.example'><!ENTITY page '&site;/a?x&#38;y'>]><urlset><url><loc>&page;</loc></url></urlset>"
        )
        #expect(locations(harmless) == ["https://h.example/a?x&y"])
        let letters = Array("abcdefghij")
        let declarations = letters.indices.dropFirst().map {
            "<!ENTITY \(letters[$0]) '" + String(repeating: "&\(letters[$0 - 1]);", count: 100) + "'>"
        }
        let laughs = sitemap(
            "<!DOCTYPE u [<!ENTITY a 'ha'>\(declarations.joined())]><urlset><url><loc>&j;</loc></url><url><loc>&c;&c;&c;&c;</loc></url></urlset>"
        )
        #expect(laughs.entries.isEmpty)
        let loop = sitemap(
            "<!DOCTYPE u [<!ENTITY a '&b;'><!ENTITY b '&a;'>]><urlset><url><loc>&a;</loc></url></urlset>")
        #expect(loop.entries.isEmpty)
    }

    @Test func `no file is read through an entity, a DTD or an inclusion`() throws {
        let secret = FileManager.default.temporaryDirectory.appending(path: "sitemap-secret-\(UUID().uuidString).txt")
        try Data("https://h.example/secret".utf8).write(to: secret)
        defer { try? FileManager.default.removeItem(at: secret) }
        for text in [
            "<!DOCTYPE u [<!ENTITY x SYSTEM '\(secret.absoluteString)'>]><urlset><url><loc>&x;</loc></url></urlset>",
            "<!DOCTYPE u [<!ENTITY % x SYSTEM '\(secret.absoluteString)'> %x;]><urlset><url><loc>&x;</loc></url></urlset>",
            "<!DOCTYPE u SYSTEM '\(secret.absoluteString)'><urlset><url><loc>&x;</loc></url></urlset>",
            "<urlset><url><loc><xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='\(secret.absoluteString)' parse='text'/></loc></url></urlset>",
        ] {
            #expect(sitemap(text).entries.isEmpty)
        }
    }

    @Test(.slow) func `fifty thousand entries are read and no more`() {
        let one = "<url><loc>https://h.example/a</loc></url>"
        let read = sitemap(urlset(String(repeating: one, count: 60_000)))
        #expect(read.entries.count == Sitemap.maximumEntries)
        #expect(read.notes.map(\.code.rawValue).contains("sitemap-too-many-urls"))
        #expect(
            sitemap(String(repeating: "https://h.example/a\n", count: 60_000)).entries.count == Sitemap.maximumEntries)
    }

    @Test(.slow) func `crowded tags, deep trees and many namespaces end the reading, not the program`() {
        let good = "<url><loc>https://h.example/a</loc></url>"
        let attributes = (0..<200_000).map { " a\($0)=''" }.joined()
        #expect(sitemap(urlset(good + "<x\(attributes)/>" + good)).entries.count == 1)
        #expect(sitemap(urlset(good + String(repeating: "<a>", count: 200_000))).entries.count == 1)
        let namespaces = (0..<400).map { " xmlns:n\($0)='u:\($0)'" }.joined()
        let nested = String(repeating: "<a\(namespaces)>", count: 200) + String(repeating: "<q:b/>", count: 200_000)
        #expect(sitemap(urlset(good + nested)).entries.count == 1)
    }

    @Test(.slow) func `a bomb of gzip is cut at the limit`() {
        var bomb = gzip([UInt8](repeating: UInt8(ascii: " "), count: 60_000_000))
        bomb += gzip(Array("https://h.example/".utf8))
        let read = sitemap(bomb)
        #expect(read.entries.isEmpty)
    }

    @Test func `any bytes are read without trapping`() {
        var state: UInt64 = 7
        let pieces: [[UInt8]] =
            [
                "<urlset>", "<url>", "<loc>", "https://h.example/", "</loc>", "</url>", "<![CDATA[", "]]>", "&amp;",
                "&x;", "<!--",
                "<!DOCTYPE a [<!ENTITY x 'y'>", "]>", "<?xml version='1.0' encoding='UTF-16'?>", "<rss><item><link>",
                "<feed><entry><link href='",
                "'/>", "\n", "\u{0}", "xmlns:a='", "<image:image>",
            ].map { Array($0.utf8) } + [[0xFF, 0xFE], [0x1F, 0x8B, 8], [0xC3], [0x80, 0xFF]]
        for _ in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<14 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes += pieces[Int(state >> 33) % pieces.count]
            }
            #expect(sitemap(bytes).entries.count < 20)
        }
    }

    /// One gzip member, made by zlib.
    private func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)
            )
                == Z_OK
        else { return [] }
        defer { deflateEnd(&stream) }
        var result = [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 256)
        var input = bytes
        let capacity = result.count
        input.withUnsafeMutableBufferPointer { input in
            result.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(capacity)
                _ = deflate(&stream, Z_FINISH)
            }
        }
        result.removeLast(Int(stream.avail_out))
        return result
    }
}
