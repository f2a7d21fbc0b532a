import Foundation
import Testing

@testable import PippinPage

/// RSS 2.0, Atom (RFC 4287) and JSON Feed as sources of URLs and dates.
@Suite struct FeedTests {
    private func feed(_ text: String, limits: ReadingLimits = .standard) throws -> Sitemap {
        Sitemap(bytes: Array(text.utf8), url: try #require(WebURL("https://h.example/blog/feed")), limits: limits)
    }

    private static func json(_ items: String, _ members: String = "") -> String {
        #"{"version":"https://jsonfeed.org/version/1.1",\#(members)"items":[\#(items)]}"#
    }

    @Test func `the items of a JSON feed are entries with dates`() throws {
        let read = try feed(
            """
            {"version": "https://jsonfeed.org/version/1.1", "title": "T", "next_url": "feed?page=2",
             "items": [
              {"id": "1", "url": "https://h.example/1", "date_published": "2026-11-01T10:00:00+01:00",
               "date_modified": "2026-11-02T10:00:00Z"},
              {"id": "https://h.example/2", "date_published": "2026-11-03T10:00:00Z"},
              {"id": "3", "url": "three"}, {"id": "4", "external_url": "https://other.example/"}, {"id": 5}, null, "x"
             ]}
            """)
        #expect(read.kind == .json)
        #expect(
            read.entries.map(\.loc.href) == [
                "https://h.example/1", "https://h.example/2", "https://h.example/blog/three",
            ])
        #expect(read.entries.map(\.lastmod?.text) == ["2026-11-02T10:00:00Z", "2026-11-03T10:00:00Z", nil])
        #expect(read.entries.map(\.line) == [3, 5, 6])
        #expect(read.next?.href == "https://h.example/blog/feed?page=2")
        #expect(read.notes.filter { $0.code == .sitemap(.locMissing) }.count == 4)
    }

    @Test func `a JSON feed may have as many entries as a sitemap`() throws {
        let items = (0..<Sitemap.maximumEntries + 9).map {
            #"{"id":"\#($0)","url":"/\#($0)","date_published":"2026-11-01","authors":[{"name":"A","url":"/a"}],"tags":["t"]}"#
        }
        let read = try feed(Self.json(items.joined(separator: ",")))
        #expect(read.entries.count == Sitemap.maximumEntries)
        #expect(read.entries.last?.loc.path == "/\(Sitemap.maximumEntries - 1)")
        #expect(read.notes.contains { $0.code == .sitemap(.tooManyUrls) })
    }

    @Test func `version 1, a byte order mark and gzip make no difference`() throws {
        let text = "\u{FEFF}\n" + Self.json(#"{"id":"1","url":"/1"}"#).replacing("1.1", with: "1")
        #expect(try feed(text).entries.map(\.loc.href) == ["https://h.example/1"])
        let packed = try #require(DeflatedBytes.gzip(Array(text.utf8)))
        let read = Sitemap(bytes: packed, url: try #require(WebURL("https://h.example/feed")))
        #expect(read.kind == .json && read.entries.count == 1)
    }

    @Test func `a broken JSON feed is read up to the fault, which is noted`() throws {
        for text in [
            String(Self.json(#"{"url":"/1"},{"url":"/2"}"#).dropLast(3)), Self.json(#"{"url":"/1"},{"url":"/2"},"#),
            Self.json(#"{"url":"/1",},{"url":"/2"}"#),
        ] {
            let read = try feed(text)
            #expect(read.entries.first?.loc.href == "https://h.example/1", "\(text)")
            #expect(read.notes.contains { $0.code == .sitemap(.jsonBroken) }, "\(text) \(read.notes)")
        }
    }

    @Test(arguments: [
        "{", "{}", #"{"items":[]}"#, #"{"version":"https://jsonfeed.org/version/1"}"#,
        #"{"version":"1","items":[{"url":"https://h.example/"}]}"#, #"{"version":1,"items":[{"url":"/"}]}"#,
        #"{"version":"https://jsonfeed.org/version/1","items":{"url":"https://h.example/"}}"#,
        "{\"a\":" + String(repeating: "[", count: 5_000),
    ])
    func `other JSON is no feed`(text: String) throws {
        let read = try feed(text)
        #expect(read.kind == .unknown && read.entries.isEmpty)
        #expect(read.notes.contains { $0.code == .sitemap(.unknown) })
    }

    @Test func `authors and dates of RSS and Atom are those of the entry, its source or the feed`() throws {
        let rss = try feed(
            """
            <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
            <channel><managingEditor>ed@h.example (Ed)</managingEditor>
            <item><link>/1</link><dc:creator>Ann Lee</dc:creator><pubDate>Sat, 01 Aug 2026 08:00:00 GMT</pubDate></item>
            <item><link>/2</link><author>bo@h.example (Bo Ek)</author><dc:creator>Cy Day</dc:creator><dc:creator>Cy Day</dc:creator></item>
            <item><link>/3</link><author>nobody@h.example</author><itunes:author>Show</itunes:author></item>
            <item><link>/4</link><author>Di Fox &lt;di@h.example&gt;</author></item></channel></rss>
            """)
        #expect(rss.entries.map(\.authors) == [["Ann Lee"], ["Bo Ek", "Cy Day"], [], ["Di Fox"]])
        #expect(rss.entries[0].published?.w3cText == "2026-08-01T08:00:00Z")
        #expect(rss.entries[0].lastmod == rss.entries[0].published)
        let atom = try feed(
            """
            <feed xmlns="http://www.w3.org/2005/Atom">
            <entry><link href="/1"/><author><name>Bo Ek</name><email>bo@h.example</email></author>
            <source><author><name>Cy Day</name></author><title>T</title></source>
            <published>2026-01-01T00:00:00Z</published><updated>2026-02-01T00:00:00Z</updated></entry>
            <entry><link href="/2"/><source><author><name>Cy Day</name></author></source></entry>
            <entry><link href="/3"/><contributor><name>Di Fox</name></contributor></entry>
            <author><name>Ann Lee</name><uri>https://h.example/ann</uri></author></feed>
            """)
        #expect(atom.entries.map(\.authors) == [["Bo Ek"], ["Cy Day"], ["Ann Lee"]])
        #expect(atom.entries[0].published?.text == "2026-01-01T00:00:00Z")
        #expect(atom.entries[0].lastmod?.text == "2026-02-01T00:00:00Z")
    }

    @Test func `authors of a JSON feed are those of the item, or of the feed`() throws {
        let read = try feed(
            Self.json(
                """
                {"url":"/1","authors":[{"name":"Bo Ek"},{"url":"/x"},{"name":7},"Cy Day"]},{"url":"/2","author":{"name":"Cy Day"}},
                {"url":"/3"},{"url":"/4","authors":[]}
                """, #""authors":[{"name":"Ann Lee"}],"#))
        #expect(read.entries.map(\.authors) == [["Bo Ek"], ["Cy Day"], ["Ann Lee"], ["Ann Lee"]])
    }

    @Test func `authors are bounded`() throws {
        let name = String(repeating: "x", count: 1 << 20)
        let long = try feed(Self.json("{\"url\":\"/1\",\"authors\":[{\"name\":\"\(name)\"}]}"))
        #expect(long.entries.first?.authors == [])
        let names = (0..<500).map { "{\"name\":\"\(String(repeating: "x", count: 400))\($0)\"}" }
        let many = try feed(Self.json("{\"url\":\"/1\",\"authors\":[\(names.joined(separator: ","))]}"))
        let entry = try #require(many.entries.first)
        #expect(entry.authors.count == SitemapEntry.maximumAuthors)
        #expect(SitemapFacts(entry, of: .json, maximumURLBytes: 2_000).byteCount <= 5 * 300)
    }

    @Test func `RSS and Atom say where they go on`() throws {
        let rss = try feed(
            """
            <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>https://h.example/</link>
            <atom:link rel="self" href="https://h.example/blog/feed"/><atom:link rel="next" href="/blog/feed?p=2"/>
            <item><link>https://h.example/1</link></item></channel></rss>
            """)
        #expect(rss.next?.href == "https://h.example/blog/feed?p=2")
        let atom = try feed(
            """
            <feed xmlns="http://www.w3.org/2005/Atom" xml:base="/news/"><link rel="NEXT" href="2"/><link rel="next" href="3"/>
            <entry><link href="a"/><link rel="next" href="/no"/></entry></feed>
            """)
        #expect(atom.next?.href == "https://h.example/news/2")
        #expect(atom.entries.map(\.loc.href) == ["https://h.example/news/a"])
        #expect(try feed("<urlset><url><loc>https://h.example/</loc></url></urlset>").next == nil)
    }

    /// What a hostile feed may be made of. All of it is noted, bounded, and read in time that grows with the size.
    @Test(arguments: [
        "javascript:alert(1)", "file:///etc/passwd", "ftp://h.example/", "data:text/html,x", "http://", "//",
        "https://[::1",
        "https://h.example:99999/", "urn:uuid:1", "\\u0000", String(repeating: "x", count: 1 << 20),
    ])
    func `no feed leads to what cannot be fetched`(written: String) throws {
        let feeds = [
            Self.json("{\"url\":\"\(written)\"}", "\"next_url\":\"\(written)\","),
            "<rss><channel><item><link>\(written)</link></item></channel></rss>",
            "<feed xmlns='http://www.w3.org/2005/Atom'><link rel='next' href='\(written)'/><entry><link href='\(written)'/></entry></feed>",
        ]
        for text in feeds {
            let read = try feed(text)
            #expect(read.entries.allSatisfy { $0.loc.isHTTP && $0.loc.host == "h.example" }, "\(written.prefix(100))")
            #expect(read.next.map { $0.isHTTP && $0.host == "h.example" } ?? true, "\(written.prefix(100))")
        }
    }

    @Test(arguments: [
        "99999-01-01", "1000000000-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "0", "-1", "yesterday", "１２３",
        String(repeating: "9", count: 1 << 20),
    ])
    func `a date that is none is noted`(written: String) throws {
        let feeds = [
            Self.json(#"{"url":"/1","date_modified":"\#(written)"}"#),
            "<rss><channel><item><link>https://h.example/1</link><pubDate>\(written)</pubDate></item></channel></rss>",
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='/1'/><updated>\(written)</updated></entry></feed>",
        ]
        for text in feeds {
            let read = try feed(text)
            #expect(read.entries.count == 1 && read.entries[0].lastmod?.date == nil, "\(written.prefix(40))")
            #expect(read.notes.contains { $0.code == .sitemap(.dateInvalid) }, "\(written.prefix(40))")
        }
    }

    @Test func `values of wrong types are no entries and no dates`() throws {
        for value in [
            "null", "true", "1e999", "[]", "{}", #"["https://h.example/1"]"#, #"{"url":"https://h.example/1"}"#,
        ] {
            let read = try feed(Self.json("{\"url\":\(value),\"id\":\(value)}", "\"next_url\":\(value),"))
            #expect(read.kind == .json && read.entries.isEmpty && read.next == nil, "\(value)")
            let dated = try feed(Self.json("{\"url\":\"/1\",\"date_published\":\(value)}"))
            #expect(dated.entries.count == 1 && dated.entries[0].lastmod == nil, "\(value)")
        }
    }

    @Test func `a feed has no more entries than a sitemap, whatever it is made of`() throws {
        let items = (0..<60_000).map { "<item><link>https://h.example/\($0)</link></item>" }.joined()
        #expect(try feed("<rss><channel>\(items)</channel></rss>").entries.count == Sitemap.maximumEntries)
        let list = (0..<60_000).map { "{\"url\":\"/\($0)\"}" }.joined(separator: ",")
        let json = try feed(Self.json(list))
        #expect(json.entries.count <= Sitemap.maximumEntries && !json.notes.isEmpty)
        let laughs = (1...30).map { "<!ENTITY l\($0) \"&l\($0 - 1);&l\($0 - 1);\">" }.joined()
        let bomb = try feed(
            "<!DOCTYPE rss [<!ENTITY l0 \"ha\">\(laughs)]><rss><channel><item><link>https://h.example/&l30;</link></item></channel></rss>"
        )
        #expect(!bomb.notes.isEmpty && bomb.entries.allSatisfy { $0.loc.href.utf8.count < 20_000 })
        let interruption = Interruption()
        interruption.set()
        #expect(try feed(Self.json(list), limits: ReadingLimits(interruption: interruption)).entries.isEmpty)
    }
}
