import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinStore

/// How many hits have which value of a filter.
@Suite struct SearchFacetsTests {
    private func kitchen(records: Int) async throws -> SearchUnderTest {
        let search = try SearchUnderTest()
        for number in 0..<records {
            try await search.write("https://\(number % 2 == 0 ? "www.a" : "b").example/\(number)", "Pie \(number)") {
                $0.types = number % 3 == 0 ? ["Recipe", "NewsArticle"] : number % 3 == 1 ? ["Festival"] : ["Event"]
                $0.languages = [number % 4 == 0 ? "de-AT" : "en"]
                if number % 5 == 0 {
                    $0.rating = .init(value: 4.5, best: 5, worst: 1, count: 9, reviewCount: nil)
                    $0.offers = [.init(price: "3.00", currency: "EUR")]
                }
                $0.publishedAt = number % 2 == 0 ? "2026-02-01" : "2001-02-01"
            }
        }
        try search.update()
        return search
    }

    private func counts(_ facets: SearchFacets) -> [String: [String: Int]] {
        Dictionary(
            uniqueKeysWithValues: facets.groups.map { group in
                (group.key, Dictionary(uniqueKeysWithValues: group.values.map { ($0.value, $0.count) }))
            })
    }

    @Test func `all hits are counted, not those that are shown`() async throws {
        let search = try await kitchen(records: 60)
        let results = try search.index().search(
            SearchQuery("pie"), offset: 0, limit: 5, isExplained: false, countsFacets: true)
        #expect(results.hits.count == 5 && results.count == 60 && results.facets.isExact)
        let counts = counts(results.facets)
        #expect(counts["type"] == ["Recipe": 20, "NewsArticle": 20, "Festival": 20, "Event": 40])
        #expect(counts["site"] == ["a.example": 30, "b.example": 30])
        #expect(counts["lang"] == ["de": 15, "en": 45])
        #expect(counts["has"] == ["price": 12])
        #expect(counts["rating"] == [">=4": 12])
        #expect(results.facets.groups.first?.values.first?.value == "Event")
        // Each count is that of the filter.
        for group in results.facets.groups {
            for value in group.values {
                let filtered = try search.results("pie \(group.key):\(value.value)", limit: 100)
                #expect(filtered.count == value.count, "\(group.key):\(value.value)")
            }
        }
        #expect(try search.results("pie").facets.groups.isEmpty, "They are counted when they are asked for.")
        #expect(self.counts(try search.index().facets()) == counts, "All records are the hits of no query.")
    }

    @Test func `where hits are too many to read all, there are at least so many`() async throws {
        let search = try await kitchen(records: SearchIndex.Limits.strict + 20)
        let facets = try search.index().facets()
        #expect(!facets.isExact)
        #expect(counts(facets)["site"]?.values.reduce(0, +) == SearchIndex.Limits.strict)
    }
}
