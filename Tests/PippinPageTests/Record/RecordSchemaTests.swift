import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// Holds what the writer of records writes against `Docs/record.schema.json`.
@Suite(.slow) struct RecordSchemaTests {
    @Test func `every golden record keeps to the schema`() throws {
        let folder = Fixtures.folder("record")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(".json") }
        #expect(files.count >= 15)
        var lines: [UInt8] = []
        for name in files {
            // Golden files are written over several lines.
            lines += try [UInt8](Data(contentsOf: folder.appending(path: name))).map { $0 == 0x0A ? 0x20 : $0 } + [0x0A]
        }
        let verdict = try RecordSchema.verdict(of: lines)
        #expect(verdict.status == 0 && verdict.output == "\(files.count)\n", "\(verdict.output)")
    }

    @Test func `the record of every page of the fixtures keeps to the schema, as read and as ranked`() throws {
        let fixtures = Fixtures.folder("")
        var lines: [UInt8] = []
        var count = 0
        for case let name as String in try #require(FileManager.default.enumerator(atPath: fixtures.path()))
        where name.hasSuffix(".html") {
            let page = PageSource(
                url: try #require(WebURL("https://www.example.com/fixtures/\(name)")),
                bytes: try [UInt8](Data(contentsOf: fixtures.appending(path: name))),
                fetchedAt: Date(timeIntervalSince1970: 1_795_000_000))
            let conclusion = RecordBuilder.conclusion(from: PageFacts(page), now: page.fetchedAt)
            guard let record = conclusion.record else { continue }
            record.appendLine(to: &lines)
            var bytes: [UInt8] = []
            record.appendJSON(to: &bytes)
            lines += DeepLinkRecord.document(bytes, linkPopularity: 0.25) + [0x0A]
            count += 2
        }
        #expect(count > 100)
        let verdict = try RecordSchema.verdict(of: lines)
        #expect(verdict.status == 0 && verdict.output == "\(count)\n", "\(verdict.output)")
    }

    @Test func `the schema knows every key and value that can be written, and no others`() throws {
        let record = MaximalRecord.made()
        // Sound has no size.
        #expect(MaximalRecord.emptyParts(of: record) == ["record.audio.0.width", "record.audio.0.height"])
        var lines: [UInt8] = []
        record.appendLine(to: &lines)
        let whole = lines
        // One of each kind of what has several.
        for platform in Platform.allCases {
            var other = record
            other.deepLinks[0].platform = platform
            other.appendLine(to: &lines)
        }
        for status in DeepLinkRecord.Verification.Status.allCases {
            var other = record
            other.deepLinks[0].verification.status = status
            other.appendLine(to: &lines)
        }
        for availability in SchemaOrg.availabilities {
            var other = record
            other.offers[0].availability = availability
            other.appendLine(to: &lines)
        }
        for availability in SchemaOrg.availabilities {
            var other = record
            other.variants[0].availability = availability
            other.appendLine(to: &lines)
        }
        for condition in SchemaOrg.itemConditions {
            var other = record
            other.offers[0].itemCondition = condition
            other.appendLine(to: &lines)
        }
        for (index, fees) in SchemaOrg.returnFees.enumerated() {
            var other = record
            let categories = SchemaOrg.returnPolicyCategories
            other.offers[0].returns?.category = categories[index % categories.count]
            other.offers[0].returns?.fees = fees
            other.appendLine(to: &lines)
        }
        for carrier in UsageSource.Carrier.allCases {
            var other = record
            other.usage.preferences = UsagePreferences(
                ContentUse.allCases.map {
                    UsageStatement($0, isAllowed: false, extent: .page, MaximalRecord.source(carrier))
                })
            other.appendLine(to: &lines)
            for use in ContentUse.allCases {
                other.usage.preferences = UsagePreferences([
                    UsageStatement(use, isAllowed: true, MaximalRecord.source(carrier))
                ])
                other.usage.snippet = SnippetLimit(maximumCharacters: 0, source: MaximalRecord.source(carrier))
                other.usage.reservation = TDMReservation(
                    isReserved: false, policy: nil, source: MaximalRecord.source(carrier))
                other.usage.licenses[0].source = MaximalRecord.source(carrier)
                other.appendLine(to: &lines)
            }
        }
        for status in RecordBuilder.eventStatuses {
            var other = record
            other.event?.status = status
            other.appendLine(to: &lines)
        }
        for source in DeepLinkRecord.Source.allCases {
            var other = record
            other.provenance = MaximalRecord.sourcedFields.map { .init(field: $0, source: source) }
            other.appendLine(to: &lines)
        }
        // Stored records of older versions stay until their page is read again.
        let written = String(decoding: whole, as: UTF8.self)
        lines += Array(written.replacing(#""schemaVersion":2"#, with: #""schemaVersion":1"#).utf8)
        lines += DeepLinkRecord.document(Array(whole.dropLast()), linkPopularity: 0.125) + [0x0A]
        let deletion = RecordDeletion(
            uniqueIdentifier: record.uniqueIdentifier, reason: "gone", at: Date(timeIntervalSince1970: 1_795_000_000))
        deletion.appendLine(to: &lines)
        PopularityChange(uniqueIdentifier: record.uniqueIdentifier, popularity: 0.125).appendJSON(to: &lines)
        lines.append(0x0A)
        lines += Array(#"{"schemaVersion":1,"uniqueIdentifier":"https://e.example/","deleted":true,"#.utf8)
        lines += Array(#""reason":"noindex","at":"2026-11-20T20:00:00Z"}"#.utf8) + [0x0A]
        let verdict = try RecordSchema.verdict(of: lines, isWhole: true)
        #expect(verdict.status == 0, "\(verdict.output)")
    }

    /// What a record is taken from is written down for each field, except for those that the crawl itself makes.
    @Test func `the schema has a source for each field that a page states`() throws {
        let made: Set<String> = [
            "schemaVersion", "domainIdentifier", "url", "seeds", "images", "deepLinks", "usage", "actions", "custom",
            "hiddenWords",
            "provenance", "confidence", "structuredDataScore", "fetchedAt", "contentHash",
        ]
        var record = MaximalRecord.made()
        record.provenance.append(.init(field: "authors", source: .visibleText))
        let fields = try #require(record.json.object).members.map(\.key)
        #expect(Set(MaximalRecord.sourcedFields) == Set(fields).subtracting(made).union(["page", "availability"]))
    }

    @Test func `the schema refuses keys that it does not know, at every depth`() throws {
        var bytes: [UInt8] = []
        MaximalRecord.made().appendJSON(to: &bytes)
        let written = String(decoding: bytes, as: UTF8.self)
        let openings = written.indices.filter {
            // Names of the operator's fields are free.
            written[$0] == "{" && !written[$0...].hasPrefix("{term") && !written[$0...].hasPrefix("{\"stock\"")
        }
        #expect(openings.count > 20)
        let lines = openings.map { index in
            var text = written
            text.replaceSubrange(index...index, with: #"{"stray":1,"#)
            return text
        }
        let verdict = try RecordSchema.verdict(of: Array(lines.joined(separator: "\n").utf8))
        let refused = Set(verdict.output.split(separator: "\n").map { String($0.prefix { $0 != ":" }) })
        for (number, index) in openings.enumerated() where !refused.contains(String(number)) {
            Issue.record("a stray key is taken in \(written[index...].prefix(80))")
        }
    }

    @Test func `the schema refuses popularities with a wrong value or another key`() throws {
        let texts = [
            #"{"uniqueIdentifier":"https://e.example/","popularity":0.42}"#,
            #"{"uniqueIdentifier":"https://e.example/","popularity":1.5}"#,
            #"{"uniqueIdentifier":"https://e.example/","popularity":0.42,"more":1}"#,
            #"{"uniqueIdentifier":"https://e.example/"}"#,
        ]
        for (index, text) in texts.enumerated() {
            let verdict = try RecordSchema.verdict(of: Array(text.utf8))
            #expect((verdict.status == 0) == (index == 0), "\(verdict.output)")
        }
    }

    @Test func `the schema refuses deletions with a wrong moment or another key`() throws {
        let deletion = #""schemaVersion":1,"uniqueIdentifier":"https://e.example/","deleted":true,"reason":"gone","#
        let texts = [
            "{\(deletion)\"at\":\"2026-11-20T20:00:00Z\"}", "{\(deletion)\"at\":\"yesterday\"}",
            "{\(deletion)\"at\":\"2026-11-20T20:00:00Z\",\"more\":1}",
        ]
        for (index, text) in texts.enumerated() {
            let verdict = try RecordSchema.verdict(of: Array(text.utf8))
            #expect((verdict.status == 0) == (index == 0), "\(verdict.output)")
        }
    }
}

/// A record with a value in each of its parts.
private enum MaximalRecord {
    /// The fields that `provenance` may name; `page` stands for all of them, and `availability` is that of `offers`.
    static let sourcedFields = [
        "page", "uniqueIdentifier", "title", "contentDescription", "snippet", "text", "keywords", "languages",
        "languageAlternates", "containerTitle", "breadcrumbs", "types", "alternateNames", "categories", "sameAs",
        "wordCount", "authors", "artists", "publishedAt", "modifiedAt", "expiresAt", "thumbnailURL", "iconURL",
        "feeds", "audio", "video", "duration", "rating", "offers", "availability", "variants", "priceRange",
        "interactions",
        "organization", "recipe", "event", "openingHours", "partOf", "parts", "episode", "brand", "identifiers",
        "contentRating", "isAccessibleForFree", "license", "popularity",
    ]

    /// Parts that are not written, and those that are JSON.
    private static let unwritten: Set<String> = [
        "simHash", "mainText", "urlSource", "custom", "nutrition", "properties",
    ]

    static func made() -> DeepLinkRecord {
        let page = "https://www.example.com/page"
        let place = SchemaOrg.Coordinates(latitude: 48.25, longitude: -11.5)
        var record = DeepLinkRecord(
            uniqueIdentifier: page, domainIdentifier: "www.example.com", url: page,
            fetchedAt: Date(timeIntervalSince1970: 1_795_000_000), contentHash: "0123456789abcdef")
        record.seeds = ["https://www.example.com/"]
        record.title = "A title"
        record.contentDescription = "A description of the page."
        record.snippet = "A snippet."
        record.keywords = ["one", "two"]
        record.languages = ["en", "de-CH"]
        record.languageAlternates = [.init(language: "x-default", url: "https://www.example.com/")]
        record.containerTitle = "A site"
        record.breadcrumbs = [.init(name: "Soups", url: "https://www.example.com/soups")]
        record.types = ["Recipe"]
        record.alternateNames = ["Another name"]
        record.categories = ["Soups"]
        record.sameAs = ["https://en.wikipedia.org/wiki/Soup"]
        record.wordCount = 320
        record.authors = [.init(name: "Ada Lovelace", url: "https://www.example.com/ada", type: .organization)]
        record.artists = [.init(name: "A Band", url: "https://www.example.com/band", type: .organization)]
        record.publishedAt = "2026-11-20"
        record.modifiedAt = "2026-11-20T20:00:00+01:00"
        record.expiresAt = "2027-01-01"
        record.thumbnailURL = "https://www.example.com/a.jpg"
        record.iconURL = "https://www.example.com/icon.png"
        record.feeds = [.init(url: "https://www.example.com/feed", type: "application/rss+xml", title: "News")]
        record.images = [
            .init(url: "https://www.example.com/a.jpg", type: "image/jpeg", width: 640, height: 480, alt: "A dish")
        ]
        record.audio = [.init(url: "https://www.example.com/a.mp3", type: "audio/mpeg")]
        record.video = [.init(url: "https://www.example.com/a.mp4", type: "video/mp4", width: 640, height: 480)]
        record.duration = 90
        record.deepLinks = [
            .init(
                platform: .iOS, url: page, alternativeURLs: ["cook:page"], storeIdentifier: "123456789",
                storeCountry: "DE", bundleIdentifier: "com.example.app",
                appClipBundleIdentifier: "com.example.app.Clip", packageName: "com.example.app", appName: "Cook",
                minimumVersion: "1.2", launchArguments: "page", sources: AppClaim.Source.allCases,
                urlSource: .smartAppBanner,
                verification: .init(
                    status: .verified, applicationIdentifier: "ABCDE12345.com.example.app", pattern: "/page",
                    reason: "a reason"))
        ]
        record.deepLinks[0].verification.since = Date(timeIntervalSince1970: 1_790_000_000)
        record.rating = .init(value: 4.5, best: 5, worst: 1, normalized: 0.875, count: 12, reviewCount: 3)
        record.offers = [
            .init(
                price: "12.00", lowPrice: "10", highPrice: "14.5", currency: "EUR", availability: "InStock",
                raw: "12,00 €", itemCondition: "NewCondition", priceValidUntil: "2026-12-31",
                shipping: [
                    .init(
                        countries: ["DE"], price: "4.90", currency: "EUR", minimumDays: 1, maximumDays: 3,
                        isShipped: true)
                ],
                returns: .init(
                    category: "MerchantReturnFiniteReturnWindow", days: 30, fees: "FreeReturn", countries: ["DE"],
                    url: "https://www.example.com/returns"))
        ]
        var properties = JSONObject()
        for name in RecordBuilder.variantProperties { properties[name] = "one" }
        record.variants = [
            .init(
                name: "A dish, red", url: "https://www.example.com/red", sku: "A-1", gtin: "4006381333931",
                properties: properties, price: "12.00", currency: "EUR", availability: "InStock")
        ]
        record.priceRange = "$$"
        record.interactions = [.init(type: "LikeAction", count: 12)]
        record.organization = .init(
            name: "A company", telephone: "+49 89 123456", email: "info@example.com",
            address: .init(
                streetAddress: "Main Street 1", extendedAddress: "Floor 2", postOfficeBoxNumber: "12",
                addressLocality: "Town", addressRegion: "Region", postalCode: "12345", addressCountry: "DE",
                fullyFormattedAddress: "Main Street 1, 12345 Town"))
        record.recipe = .init(
            totalTime: "PT35M", prepTime: "PT5M", cookTime: "PT30M", yield: "4", calories: "270 calories",
            ingredients: 8)
        for name in RecordBuilder.nutrients { record.recipe?.nutrition[name] = "9 g" }
        record.event = .init(
            startDate: "2026-12-01", endDate: "2026-12-02", venue: "Hall", address: "Main Street 1",
            coordinates: place, status: "EventScheduled", url: page)
        record.openingHours = ["Mo-Fr 09:00-17:00"]
        record.partOf = .init(type: "PodcastSeries", name: "A series", url: "https://www.example.com/series")
        record.parts = [.init(type: "PodcastEpisode", name: "A part", url: "https://www.example.com/series/1")]
        record.episode = .init(number: 3, season: 2)
        record.brand = "A brand"
        record.identifiers = .init(
            sku: ["A-1"], mpn: ["X1"], gtin: ["4006381333931"], isbn: ["9783161484100"], doi: ["10.1000/182"])
        record.contentRating = "PG-13"
        record.isAccessibleForFree = false
        record.license = "https://creativecommons.org/licenses/by/4.0/"
        record.usage.preferences = UsagePreferences(
            ContentUse.allCases.map { UsageStatement($0, isAllowed: false, extent: .text, source(.metaRobots)) })
        record.usage.snippet = SnippetLimit(maximumCharacters: 50, source: source(.metaRobots))
        record.usage.reservation = TDMReservation(
            isReserved: true, policy: "https://www.example.com/tdm", source: source(.tdmrepFile))
        record.usage.licenses = [
            UsageLicense(url: WebURL("https://www.example.com/license.xml")!, source: source(.robotsLicense))
        ]
        record.usage.paidParts = [".paid"]
        record.actions = [
            .call(phoneNumber: "+4989123456", extension: "12"),
            .directions(address: "Main Street 1", coordinates: place),
            .play(.audio, url: "https://www.example.com/a.mp3"), .play(.video, url: "https://www.example.com/a.mp4"),
            .search(urlTemplate: "https://www.example.com/?q={term}", parameter: "term"),
        ]
        record.custom = ["stock": 3, "isNew": true, "price": .double(12.5), "sizes": ["S", "M"]]
        record.hiddenWords = 40
        record.provenance = sourcedFields.map { .init(field: $0, source: .schemaOrg) }
        record.popularity = 0.5
        record.structuredDataScore = 0.75
        record.simHash = 1
        record.text = "# The text"
        record.mainText = SearchedText(kept: "The text.")
        return record
    }

    static func source(_ carrier: UsageSource.Carrier) -> UsageSource {
        UsageSource(carrier, "The line", line: 3, url: "https://www.example.com/robots.txt")
    }

    /// The parts without a value, by their names: a part that is new to the record is found here.
    static func emptyParts(of value: Any, named path: String = "record") -> [String] {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional || mirror.displayStyle == .collection {
            guard !mirror.children.isEmpty else { return [path] }
        }
        return mirror.children.flatMap { label, child in
            label.map(unwritten.contains) == true ? [] : emptyParts(of: child, named: path + "." + (label ?? "0"))
        }
    }
}
