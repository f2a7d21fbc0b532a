import GRDB
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinStore

/// How much of a large index a query reads.
@Suite struct MatchReaderTests {
    private static func reading<Value>(_ search: SearchUnderTest, _ body: (Database) throws -> Value) throws -> Value {
        let path = search.folder.url.appending(path: SearchSchema.fileName).path
        return try DatabasePool(path: path, configuration: SearchSchema.configuration(isReader: true)).read(body)
    }

    /// More records than one pass reads, all with a word in title and text.
    private static func mugs() async throws -> SearchUnderTest {
        let search = try SearchUnderTest()
        for number in 0..<SearchIndex.Limits.strict + 80 {
            try await search.write("https://shop.example/\(number)", "Mug \(number)") {
                $0.snippet = "Tea and coffee."
            }
        }
        try search.update()
        return search
    }

    @Test func `a query that has enough hits ends when its pages are read, and a cursor leads to all others`()
        async throws
    {
        let search = try await Self.mugs()
        func run<Value>(
            _ text: String, _ order: SearchOrder = .relevance, pages: Int, _ body: (SearchRun) throws -> Value
        ) throws -> Value {
            try Self.reading(search) { database in
                try body(
                    SearchRun(
                        SearchQuery(text, order: order), weights: .standard, now: search.now, clicks: nil,
                        isExplained: false,
                        mostPages: pages, database))
            }
        }
        for text in ["mug tea", "mug"] {
            try run(text, pages: 0) { run in
                let found = try run.found()
                #expect(found.hits.count == SearchIndex.Limits.fewHits && !found.isCountExact && found.notes == [])
                var numbers = Set(found.hits.map(\.number))
                var place: SearchCursor.Place? = .further(-1)
                while let last = place {
                    let page = try run.page(of: found, from: last, limit: 50)
                    for hit in page.hits { #expect(numbers.insert(hit.number).inserted) }
                    place = page.next
                }
                #expect(numbers.count == SearchIndex.Limits.strict + 80)
            }
        }
        // The few hits of a rare word are all found, whatever it takes.
        for pages in [0, .max] {
            try run("mug 77", pages: pages) { run in
                let found = try run.found()
                #expect(try run.signals(of: found.hits.first?.number ?? 0)?.identifier == "https://shop.example/77")
            }
        }
        // Where the best are not the first, nothing is left out for speed.
        let orders = try [0, .max].map { try run("mug", .date, pages: $0) { try $0.found().hits.map(\.number) } }
        #expect(orders[0] == orders[1])
    }

    @Test func `the same query reads the same number of pages, and what it finds counts for nothing`() async throws {
        let search = try await Self.mugs()
        let counts = try (0..<3).map { _ in
            try Self.reading(search) { database in
                let reader = try MatchReader(database)
                let plan = try SearchPlan(SearchQuery("tea"), weights: .standard, WordTable(database))
                let pass = try #require(plan.strictPass(inTitles: false, withPrefixes: false, limit: .max))
                var rows = 0
                try reader.rows(of: pass, from: 0) { number, _ in
                    rows += 1
                    _ = try reader.signals(of: number)
                    return true
                }
                #expect(rows == SearchIndex.Limits.strict + 80)
                return reader.scannedPages
            }
        }
        #expect(Set(counts).count == 1 && counts[0] > 0 && counts[0] < 500, "\(counts)")
    }
}
