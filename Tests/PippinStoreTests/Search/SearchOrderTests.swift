import Foundation
import PippinTestSupport
import Simulation
import Testing

@testable import PippinPage
@testable import PippinStore

/// Hits by date, rating and price.
@Suite struct SearchOrderTests {
    private static let currencies = ["EUR", "EUR", "EUR", "USD", "JPY"]

    private func records(_ count: Int, _ numbers: inout SeededNumbers) async throws -> SearchUnderTest {
        let search = try SearchUnderTest()
        for number in 0..<count {
            let (stars, says) = (numbers.upTo(50), numbers.upTo(8))
            let price = numbers.upTo(5_000)
            let currency = Self.currencies[numbers.upTo(Self.currencies.count)]
            let (year, month, day) = (1985 + numbers.upTo(80), 1 + numbers.upTo(12), 1 + numbers.upTo(28))
            try await search.write("https://site\(number % 7).example/\(number)", "Pie \(number)") {
                if says & 1 == 0 {
                    $0.rating = .init(value: Double(stars) / 10, best: 5, worst: 0, count: number, reviewCount: nil)
                }
                if says & 2 == 0 { $0.offers = [.init(price: "\(price).50", currency: currency)] }
                if says & 4 == 0 { $0.publishedAt = String(format: "%d-%02d-%02d", year, month, day) }
            }
        }
        try search.update()
        return search
    }

    private func hits(_ text: String, by order: SearchOrder, _ search: SearchUnderTest) throws -> [JSONValue] {
        try search.index().search(SearchQuery(text, order: order), offset: 0, limit: 1_000, isExplained: false)
            .hits.map(\.record)
    }

    @Test(arguments: 0..<4)
    func `records are in order, and those that say nothing come last`(seed: Int) async throws {
        var numbers = SeededNumbers(seed: UInt64(seed))
        let search = try await records(200, &numbers)
        let all = Set(try hits("pie", by: .relevance, search).compactMap { $0["url"]?.string })
        #expect(all.count == 200)
        for order in SearchOrder.allCases {
            let hits = try hits("pie", by: order, search)
            #expect(Set(hits.compactMap { $0["url"]?.string }) == all, "\(order): none is lost, none comes twice.")
            let keys: [[Double]] = hits.map { record in
                switch order {
                case .relevance: []
                case .date: [record["publishedAt"]?.string.flatMap(SearchDocument.day).map { -Double($0) } ?? .infinity]
                case .rating: [(record["rating"]?["value"]?.double).map { -($0 * 10).rounded() } ?? .infinity]
                case .price:
                    record["offers"]?.array?.first.map { offer in
                        [
                            offer["currency"]?.string == "EUR" ? 0 : offer["currency"]?.string == "JPY" ? 1 : 2,
                            offer["price"]?.string.flatMap(Double.init) ?? -1,
                        ]
                    } ?? [.infinity]
                }
            }
            #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) }, "\(order)")
        }
    }

    @Test func `the newest of more records than are read come first`() async throws {
        let search = try SearchUnderTest()
        let count = SearchIndex.Limits.strict + 100
        func day(_ number: Int) -> String {
            let day = number % 300
            return String(format: "2026-%02d-%02d", 1 + day / 28, 1 + day % 28)
        }
        for number in 0..<count {
            try await search.write("https://site.example/\(number)", "Pie \(number)") {
                $0.publishedAt = day(number)
                // The older ones are the better ones.
                $0.structuredDataScore = 1 - Double(number % 300) / 300
            }
        }
        try await search.write("https://site.example/old", "Pie of old") { $0.publishedAt = "2025-12-31" }
        try search.update()
        let results = try search.index().search(
            SearchQuery("pie", order: .date), offset: 0, limit: 1_000, isExplained: false)
        let days = results.hits.compactMap { $0.record["publishedAt"]?.string }
        let wanted = (0..<count).map(day).sorted(by: >)
        #expect(days == Array(wanted.prefix(1_000)))
        #expect(!results.isCountExact)
    }

    @Test func `other words are taken only if no record has all of them`() async throws {
        var numbers = SeededNumbers(seed: 9)
        let search = try await records(30, &numbers)
        #expect(try hits("pie 7", by: .date, search).compactMap { $0["title"]?.string } == ["Pie 7"])
        #expect(try !hits("pie nowhere", by: .date, search).isEmpty)
        // Unfinished words, too.
        #expect(try hits("pi", by: .price, search).count == 30)
    }

    @Test func `prices of several currencies are told`() async throws {
        let search = try SearchUnderTest()
        for (number, currency) in ["EUR", "USD", "EUR"].enumerated() {
            try await search.write("https://a.example/\(number)", "Pie") {
                $0.offers = [
                    .init(price: "\(9 - number)", currency: currency),
                    .init(price: "\(8 - number)", currency: currency),
                    .init(price: "0.10", currency: "CHF"),
                ]
            }
        }
        try search.update()
        let results = try search.index().search(
            SearchQuery("pie", order: .price), offset: 0, limit: 10, isExplained: false)
        #expect(results.hits.map(\.identifier).map { $0.suffix(1) } == ["2", "0", "1"])
        #expect(results.notes == ["Prices are in 2 currencies; those in EUR come first."])
    }

    @Test func `prices without a currency come after all others, cheapest first`() async throws {
        let search = try SearchUnderTest()
        for (number, currency) in [nil, nil, nil, "EUR", "USD"].enumerated() {
            try await search.write("https://a.example/\(number)", "Pie \(number)") {
                $0.offers = [.init(price: "\(9 - number)", currency: currency)]
            }
        }
        try await search.write("https://a.example/free", "Pie")
        try search.update()
        let results = try search.index().search(
            SearchQuery("pie", order: .price), offset: 0, limit: 10, isExplained: false)
        #expect(results.hits.compactMap { WebURL($0.identifier)?.path } == ["/3", "/4", "/2", "/1", "/0", "/free"])
        #expect(results.notes == ["Prices are in 2 currencies; those in EUR come first."])
    }
}
