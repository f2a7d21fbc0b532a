import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// What a site takes down is gone from every table of the storage and of its search index.
@Suite struct TakenDownContentTests {
    private static let page = "https://a.test/1"
    private static let day = Duration.seconds(86_400 + 3600)
    private let job = JobUnderTest()

    /// Leaves something about the page with its URL.
    private struct Scribe: VisitObserver {
        func observe(_ visit: VisitObservation) -> KeptObservation? {
            guard !visit.isRepeated, visit.request.url.href == page, visit.seen.page != nil else { return nil }
            let said = Array("The \(ContentSearch.marker)card.".utf8)
            return KeptObservation(entry: said, details: said, weight: 1, stands: true, mayPass: false)
        }
    }

    private func configure(_ configuration: inout CrawlConfiguration) {
        configuration.scope.sitemaps = true
        configuration.fetch.retries = 0
        configuration.output.hasSearchIndex = true
    }

    /// A site of two pages. The second one says the marker wherever a page and its sitemap can say anything.
    private func crawlSite() async throws {
        let marker = ContentSearch.marker
        job.web.robots("https://a.test", "Sitemap: https://a.test/sitemap.xml")
        job.page("https://a.test/", says: "Welcome.", links: ["/1"])
        job.web.page(
            Self.page,
            head: """
                <meta name=description content="About the \(marker)description.">
                <meta name=keywords content="\(marker)keyword"><meta property="og:image" content="/\(marker).png">
                """, body: "<main><h1>The \(marker)heading</h1><p>Said of the \(marker)text at length.</p></main>")
        job.web["https://a.test/sitemap.xml"] = [
            .xml(
                """
                <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
                  xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
                  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>\(Self.page)</loc>
                <news:news><news:publication><news:name>Courier</news:name><news:language>en</news:language>
                </news:publication><news:publication_date>2020-11-20</news:publication_date>
                <news:title>The \(marker)news</news:title></news:news>
                <image:image><image:loc>https://cdn.test/\(marker).jpg</image:loc></image:image></url></urlset>
                """)
        ]
        let run = try await job.run(observer: Scribe(), configure: configure)
        #expect(run.changes.contains("+" + Self.page))
        job.web["https://a.test/sitemap.xml"] = [.status(404)]
    }

    /// Each way in which a page loses its record, and how many runs it takes.
    private static let ends: [(name: String, runs: Int)] = [
        ("gone", 1), ("noindex", 1), ("disallowed", 1), ("excluded", 1), ("moved", 1), ("server-error", 3),
    ]

    private func end(_ name: String) {
        switch name {
        case "gone": job.web[Self.page] = [.status(410)]
        case "noindex": job.web.page(Self.page, head: "<meta name=robots content=noindex>")
        case "disallowed": job.web.robots("https://a.test", "User-agent: *\nDisallow: /1")
        case "moved": job.web[Self.page] = [.redirect(to: "/")]
        case "server-error": job.web[Self.page] = [.status(500)]
        default: break
        }
    }

    @Test(arguments: ends.map(\.name))
    func `a page that loses its record leaves nothing of what it said`(name: String) async throws {
        try await crawlSite()
        try SearchIndexer(folder: job.folder.url).catchUp()
        let before = try ContentSearch.places(in: job.folder)
        // What the search would find, so that the test says something.
        for place in [
            "record.document", "pageText.text", "url.extras", "judgement.entry", "card.card", "word.term",
            "contents.terms",
        ] { #expect(before.contains(place), "\(place) is not among \(before.sorted())") }

        end(name)
        let runs = try #require(Self.ends.first { $0.name == name }).runs
        for run in 1...runs {
            let changes = try await job.run(after: Self.day) {
                configure(&$0)
                if name == "excluded" { $0.scope.exclude = ["*/1"] }
            }.changes
            #expect(changes.contains("-" + Self.page) == (run == runs))
        }
        try SearchIndexer(folder: job.folder.url).catchUp()
        // FTS5 keeps words in its lists until it merges them (Docs/Operations.md). What a sitemap says of a page goes along if it
        // moves, into the record of the page that is there.
        let allowed: Set =
            name == "moved" ? ["words_data.block", "url.extras", "record.document"] : ["words_data.block"]
        let left = try ContentSearch.places(in: job.folder).subtracting(allowed)
        #expect(left.isEmpty)
    }
}

/// Finds where a marker is in the tables of a storage folder.
enum ContentSearch {
    /// A word that the splitting and stemming of words leaves as it is at its beginning.
    static let marker = "zyxwv"

    /// Columns that contain it, also packed, as `table.column`, in the database and in the search index.
    static func places(in folder: StorageFolder, _ marker: String = marker) throws -> Set<String> {
        var places: Set<String> = []
        for file in [StorageDatabase.fileName, SearchSchema.fileName] {
            let path = folder.url.appending(path: file).path
            guard FileManager.default.fileExists(atPath: path) else { continue }
            try DatabaseQueue(path: path).read { database in
                // The contents of a virtual table are in tables of its own.
                let tables = try String.fetchAll(
                    database,
                    sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
                for table in tables {
                    let rows = try Row.fetchCursor(database, sql: "SELECT * FROM \"\(table)\"")
                    while let row = try rows.next() {
                        for (column, value) in row where contains(value, marker) { places.insert("\(table).\(column)") }
                    }
                }
            }
        }
        return places
    }

    private static func contains(_ value: DatabaseValue, _ marker: String) -> Bool {
        switch value.storage {
        case .string(let text): text.lowercased().contains(marker)
        case .blob(let data):
            [Array(data), DeflatedBytes.unpack(Array(data)) ?? []].contains {
                String(decoding: $0, as: UTF8.self).lowercased().contains(marker)
            }
        case .null, .int64, .double: false
        }
    }
}
