import Testing

@testable import PippinPage

/// What the entry of a feed gives to the record of its page: only what the page does not say.
@Suite struct FeedRecordTests {
    /// An entry, a page, and what the record has: `field value source`.
    struct Row: Sendable, CustomTestStringConvertible {
        let entry: String
        let page: String
        let record: [String]

        init(_ entry: String, _ page: String, _ record: String...) {
            (self.entry, self.page, self.record) = (entry, page, record)
        }

        var testDescription: String { "\(entry) \(page)" }
    }

    private static let day = "2026-03-01T10:00:00Z"
    private static let later = "2026-04-01T10:00:00Z"
    private static let dates = #""date_published":"\#(day)","date_modified":"\#(later)""#
    private static let ann = #""authors":[{"name":"Ann Lee"}]"#

    static let rows = [
        Row(
            "\(dates),\(ann)", "", "publishedAt \(day) feed", "modifiedAt \(later) feed", "authors Ann Lee feed"),
        Row(
            "\(dates)", "<meta property='article:published_time' content='2025-01-01T10:00:00Z'>",
            "publishedAt 2025-01-01T10:00:00Z open-graph", "modifiedAt \(later) feed"),
        Row(
            "\(dates)", "<meta property='article:modified_time' content='2025-01-02T10:00:00Z'>",
            "publishedAt \(day) feed", "modifiedAt 2025-01-02T10:00:00Z open-graph"),
        Row(ann, "<meta name=author content='Bo Ek'>", "authors Bo Ek meta-tag"),
        Row(ann, "<p class=byline>By <a rel=author href=/bo>Bo Ek</a></p><p>Text", "authors Bo Ek visible-text"),
        Row(
            "\(dates),\(ann)",
            #"""
            <script type=application/ld+json>{"@context":"https://schema.org","@type":"Article","headline":"T",
            "datePublished":"2024-05-05","dateModified":"2024-06-06","author":{"@type":"Person","name":"Cy Day"}}</script>
            """#, "publishedAt 2024-05-05 schema-org", "modifiedAt 2024-06-06 schema-org", "authors Cy Day schema-org"),
        // A single date is that of the publication.
        Row(#""date_published":"\#(day)","date_modified":"\#(day)""#, "", "publishedAt \(day) feed"),
        Row(#""date_modified":"\#(later)""#, "", "modifiedAt \(later) feed"),
        // No page has such dates.
        Row(#""date_published":"2999-01-01T00:00:00Z","date_modified":"1000000000-01-01T00:00:00Z""#, ""),
        Row(#""date_published":"1970-01-01T00:00:00Z""#, ""), Row(#""date_published":"tomorrow""#, ""),
        Row(#""authors":[{"name":"ann@h.example"}]"#, ""), Row(#""authors":[{"name":"admin"}]"#, ""),
        Row(#""authors":[{"name":"Ann Lee and Bo Ek"}]"#, "", "authors Ann Lee, Bo Ek feed"),
        Row(#""authors":[{"name":"<b>Ann Lee</b>"}]"#, "", "authors Ann Lee feed"),
    ]

    @Test(arguments: rows) func `the page comes before the entry`(row: Row) throws {
        let text = "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"url\":\"/1\",\(row.entry)}]}"
        let read = Sitemap(bytes: Array(text.utf8), url: try #require(WebURL("https://h.example/feed")))
        let facts = SitemapFacts(try #require(read.entries.first), of: read.kind, maximumURLBytes: 2_000)
        let conclusion = RecordBuilder.conclusion(
            from: try RecordBuilderTests.facts("<title>T</title>\(row.page)", url: "https://h.example/1"),
            sitemap: facts, now: RecordBuilderTests.fetchedAt)
        let record = try #require(conclusion.record)
        let values = [
            ("publishedAt", record.publishedAt), ("modifiedAt", record.modifiedAt),
            ("authors", record.authors.isEmpty ? nil : record.authors.map(\.name).joined(separator: ", ")),
        ]
        let found = values.compactMap { field, value in
            value.map { value in
                let source = record.provenance.first { $0.field == field }?.source.rawValue ?? "-"
                return "\(field) \(value) \(source)"
            }
        }
        #expect(found == row.record)
    }

    @Test func `dates of sitemaps give no record a date`() throws {
        let text = "<urlset><url><loc>https://h.example/1</loc><lastmod>2026-03-01</lastmod></url></urlset>"
        let read = Sitemap(bytes: Array(text.utf8), url: try #require(WebURL("https://h.example/sitemap.xml")))
        let facts = SitemapFacts(try #require(read.entries.first), of: read.kind, maximumURLBytes: 2_000)
        #expect(facts.isEmpty)
    }
}
