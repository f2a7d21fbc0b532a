import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// Pages and the records they give: `Fixtures/record/NAME.html` and `NAME.json`. A page says in a comment where it was
/// found. `PIPPIN_WRITE_FIXTURES=1 swift test` writes the records anew; read the difference before you commit it.
@Suite struct RecordBuilderTests {
    @Test func `a record is one JSON value, however much it holds`() {
        var record = DeepLinkRecord(
            uniqueIdentifier: "https://example.org/", domainIdentifier: "example.org", url: "https://example.org/",
            fetchedAt: Date(timeIntervalSince1970: 1_800_000_000), contentHash: "0")
        record.keywords = (0..<150_000).map(String.init)
        #expect(record.json.object?["keywords"]?.array?.count == 150_000)
    }

    static let folder = Fixtures.folder("record")
    static let fetchedAt = Date(timeIntervalSince1970: 1_795_204_800)

    /// Pages that are written in each syntax and share a record. Between them they have all schemas that a record reads:
    /// AggregateRating, Offer, AggregateOffer, PriceSpecification, priceRange, both forms of interaction counts,
    /// Organization, ContactPoint, PostalAddress, GeoCoordinates, Recipe, Event, SearchAction, Image-, Audio- and VideoObject.
    static let pagesInThreeSyntaxes = ["concert", "product", "restaurant", "stew"]
    static let sharedRecords = Dictionary(
        uniqueKeysWithValues: pagesInThreeSyntaxes.flatMap { page in
            StructuredItem.Syntax.ofSchemaOrg.map { ("\(page)-\($0.rawValue)", page) }
        })

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return files.filter { $0.hasSuffix(".html") }.map { String($0.dropLast(5)) }.sorted()
    }()

    static func facts(_ html: String, url: String, headers: HTTPHeaders = HTTPHeaders()) throws -> PageFacts {
        let url = try #require(WebURL(url))
        return PageFacts(PageSource(url: url, headers: headers, bytes: Array(html.utf8), fetchedAt: fetchedAt))
    }

    static func conclusion(
        _ html: String, url: String = "https://example.org/page", headers: HTTPHeaders = HTTPHeaders(),
        apps: [RecordBuilder.AppIdentity] = []
    ) throws -> RecordBuilder.Conclusion {
        RecordBuilder.conclusion(
            from: try facts(html, url: url, headers: headers), seeds: ["https://seed.example/"], apps: apps,
            now: fetchedAt)
    }

    static func record(_ html: String, url: String = "https://example.org/page") throws -> DeepLinkRecord {
        try #require(try conclusion(html, url: url).record)
    }

    static func pretty(_ record: DeepLinkRecord) -> String {
        var writer = JSONWriter(pretty: true)
        record.write(to: &writer)
        writer.endLine()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static func page(_ name: String) throws -> (html: String, url: String) {
        let html = try String(contentsOf: folder.appending(path: name + ".html"), encoding: .utf8)
        let start = try #require(html.range(of: "<!-- url: "))
        return (html, String(html[start.upperBound...].prefix { $0 != " " }))
    }

    @Test(arguments: names) func `a page gives its record`(name: String) throws {
        let (html, url) = try Self.page(name)
        let written = Self.pretty(try Self.record(html, url: url))
        let file = Self.folder.appending(path: (Self.sharedRecords[name] ?? name) + ".json")
        if ProcessInfo.processInfo.environment["PIPPIN_WRITE_FIXTURES"] == "1" {
            try written.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(written == (try String(contentsOf: file, encoding: .utf8)))
    }

    @Test(arguments: pagesInThreeSyntaxes, StructuredItem.Syntax.ofSchemaOrg)
    func `a page has one record in whichever syntax it is written`(page: String, syntax: StructuredItem.Syntax) throws {
        let (html, url) = try Self.page("\(page)-\(syntax.rawValue)")
        let facts = try Self.facts(html, url: url)
        #expect(Set(facts.structuredData.items.map(\.syntax)) == [syntax])
        let record = try #require(RecordBuilder.conclusion(from: facts, now: Self.fetchedAt).record)
        let other = try Self.page("\(page)-microdata")
        let same = try #require(
            RecordBuilder.conclusion(from: try Self.facts(other.html, url: other.url), now: Self.fetchedAt).record)
        #expect(record.title == same.title)
        #expect(record.contentDescription == same.contentDescription)
        #expect(record.snippet == same.snippet)
        #expect(record.keywords == same.keywords)
        #expect(record.languages == same.languages)
        #expect(record.containerTitle == same.containerTitle)
        #expect(record.types == same.types)
        #expect(record.thumbnailURL == same.thumbnailURL)
        #expect(record.images == same.images)
        #expect(record.audio == same.audio)
        #expect(record.video == same.video)
        #expect(record.rating == same.rating)
        #expect(record.offers == same.offers)
        #expect(record.priceRange == same.priceRange)
        #expect(record.interactions == same.interactions)
        #expect(record.organization == same.organization)
        #expect(record.recipe == same.recipe)
        #expect(record.actions == same.actions)
        #expect(record.authors == same.authors)
        #expect(record.publishedAt == same.publishedAt)
        #expect(record.modifiedAt == same.modifiedAt)
        #expect(record.expiresAt == same.expiresAt)
        #expect(record.artists == same.artists)
        #expect(record.categories == same.categories)
        #expect(record.event == same.event)
        #expect(record.openingHours == same.openingHours)
        #expect(record.partOf == same.partOf)
        #expect(record.structuredDataScore == same.structuredDataScore)
        #expect(record.popularity == same.popularity)
        #expect(record.provenance == same.provenance)
    }

    @Test func `a record is one line and reads back as the same JSON`() throws {
        let record = try Self.record("<title>\"A\"\n\u{2028}B</title><p>x")
        var line: [UInt8] = []
        record.appendLine(to: &line)
        #expect(line.last == 0x0A && line.count { $0 == 0x0A } == 1)
        var parser = JSONParser()
        let value = try parser.parse(Array(line.dropLast()))
        #expect(value["schemaVersion"]?.integer == 2)
        #expect(value["url"]?.string == "https://example.org/page")
        #expect(value["fetchedAt"]?.string == "2026-11-20T20:00:00Z")
        #expect(value["seeds"]?.array == ["https://seed.example/"])
        #expect(value["contentDescription"] == nil)
    }

    @Test func `a deletion says what, why and when`() {
        let deletion = RecordDeletion(uniqueIdentifier: "https://example.org/a", reason: "gone", at: Self.fetchedAt)
        var bytes: [UInt8] = []
        deletion.appendJSON(to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"schemaVersion":2,"uniqueIdentifier":"https://example.org/a","deleted":true,"#
                + #""reason":"gone","at":"2026-11-20T20:00:00Z"}"#)
    }

    @Test func `pages that ask for it have no record`() throws {
        #expect(try Self.conclusion("<meta name=robots content=noindex>").refusal == .noindex)
        let headers = HTTPHeaders([(name: "X-Robots-Tag", value: "applebot: none")])
        #expect(try Self.conclusion("<p>x", headers: headers).refusal == .noindex)
        let past = "<meta name=robots content='unavailable_after: 2026-11-20'>"
        #expect(try Self.conclusion(past).refusal == .unavailableAfter)
        let future = "<meta name=robots content='unavailable_after: 2026-11-21'>"
        #expect(try Self.conclusion(future).record != nil)
    }

    @Test func `a seed's bundle identifier goes to the app of its store identifier`() throws {
        let html = "<meta name=apple-itunes-app content='app-id=123456789, app-argument=x://y'>"
        let known = RecordBuilder.AppIdentity(storeIdentifier: "123456789", bundleIdentifier: "org.example.app")
        let other = RecordBuilder.AppIdentity(storeIdentifier: "1", bundleIdentifier: "org.example.other")
        let record = try #require(try Self.conclusion(html, apps: [other, known]).record)
        #expect(record.deepLinks.map(\.bundleIdentifier) == ["org.example.app"])
        #expect(record.opensInApp)
    }

    @Test func `the canonical link counts within a site, under a shared suffix only for the same name`() throws {
        func identifier(_ canonical: String, at url: String) throws -> String {
            try Self.record("<link rel=canonical href='\(canonical)'><p>x", url: url).uniqueIdentifier
        }
        let page = "https://m.shop.example.co.uk/a?b=1"
        #expect(try identifier("https://www.example.co.uk/a#x", at: page) == "https://www.example.co.uk/a")
        #expect(try identifier("https://other.co.uk/a", at: page) == page)
        #expect(try identifier("https://b.github.io/", at: "https://a.github.io/") == "https://a.github.io/")
        #expect(try identifier("mailto:a@b.example", at: page) == page)
        #expect(try identifier("http://192.0.2.1/", at: "http://198.51.2.1/") == "http://198.51.2.1/")
    }

    @Test func `the content hash is that of the text that people see`() throws {
        let one = try Self.record("<title>A</title><script>1</script><nav>x</nav><p>Hello   world")
        let two = try Self.record(
            "<title>B</title><style>p{}</style><nav>x</nav><div hidden>no</div><p>Hello\nworld</p>")
        let three = try Self.record("<p>Hello, world")
        #expect(one.contentHash == two.contentHash)
        #expect(one.contentHash != three.contentHash)
        #expect(try Self.record("").contentHash == nil)
    }

    @Test func `white space is collapsed alike in short and long pieces`() throws {
        let words = (0..<2_000).map { "word\($0)" }
        let gaps = [" ", "\n\t  ", "\u{A0}", " \u{A0} ", "\n"]
        var long = " \n "
        var short = ""
        for (index, word) in words.enumerated() {
            long += word + gaps[index % 3 == 0 ? 4 : index % 2]
            short += "<b>" + word + "</b>" + gaps[index % gaps.count]
        }
        let hash = try Self.record("<p>" + words.joined(separator: " ")).contentHash
        #expect(try Self.record("<p>" + long + "</p> \n").contentHash == hash)
        #expect(try Self.record("<p>\u{A0}" + short).contentHash == hash)
        #expect(try Self.record("<p>" + words.joined(separator: "\u{A0}")).contentHash == hash)
        #expect("  a \n b\u{A0}".collapsingHTMLSpace() == "a b")
        let spaced = String(repeating: " ", count: 9_000)
        #expect((spaced + "a" + spaced + "b" + spaced).collapsingHTMLSpace() == "a b")
    }

    @Test func `hostile structured data costs little and breaks nothing`() throws {
        let nested =
            String(repeating: #"{"@type":"Product","offers":"#, count: 60) + "1" + String(repeating: "}", count: 60)
        let many = (0..<3_000).map { #"{"@type":"Product","name":"p\#($0)","offers":{"price":"\#($0)"}}"# }
        let script = #"<script type="application/ld+json">{"@context":"https://schema.org","@graph":["#
        let html = script + many.joined(separator: ",") + "," + nested + "]}</script><title>x</title>"
        let facts = try Self.facts(html, url: "https://example.org/")
        let conclusion = RecordBuilder.conclusion(from: facts, now: Self.fetchedAt)
        #expect(conclusion.record?.offers.isEmpty == true)
        let cycle = ##"{"@id":"#a","@type":"Recipe","image":{"@id":"#a"},"author":{"@id":"#a"}}]}</script>"##
        #expect(try Self.record(script + cycle).types == ["Recipe"])
    }
}
