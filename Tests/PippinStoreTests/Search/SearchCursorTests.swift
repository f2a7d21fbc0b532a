import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinStore

/// Hits behind each other, as far as there are hits.
@Suite struct SearchCursorTests {
    /// More than are ranked for one query, with words that all of them have in title and text, and one that few have.
    private static let count = SearchIndex.Limits.strict + 150

    private static func mugs() async throws -> SearchUnderTest {
        let search = try SearchUnderTest()
        for number in 0..<count {
            try await search.write("https://shop\(number % 7).example/\(number)", "Mug \(number)") {
                $0.snippet = "Tea and coffee."
                $0.types = ["Product"]
                $0.rating = .init(value: Double(number % 5) + 1, best: 5, worst: 1, count: 9, reviewCount: nil)
            }
        }
        try search.update()
        return search
    }

    /// The identifiers of all pages, in order.
    private func all(_ index: SearchIndex, _ query: SearchQuery, limit: Int) throws -> [String] {
        var (identifiers, cursor): ([String], SearchCursor?) = ([], nil)
        repeat {
            let results = try index.search(query, offset: 0, limit: limit, isExplained: false, cursor: cursor)
            #expect(results.hits.count <= limit)
            #expect(results.isOrderChanged == cursor.map { _ in false })
            #expect(cursor?.offset ?? 0 == identifiers.count)
            identifiers += results.hits.map(\.identifier)
            // As a client gives it back.
            cursor = results.next.flatMap { SearchCursor("\($0)") }
            #expect((cursor == nil) == (results.next == nil))
        } while cursor != nil && identifiers.count <= 2 * Self.count
        return identifiers
    }

    @Test(.slow) func `every hit comes once, also behind those that are ranked`() async throws {
        let search = try await Self.mugs()
        let index = try search.index()
        for (text, count) in [
            ("type:product", Self.count), ("coffee", Self.count), ("mug", Self.count), ("mu", Self.count),
            ("rating:>=3", Self.count / 5 * 3), ("coffee site:shop1.example", (Self.count + 5) / 7),
            ("tea -\"mug 7\"", Self.count - 1), ("kettle", 0),
        ] {
            let query = SearchQuery(text)
            let found = try all(index, query, limit: 100)
            #expect(found.count == count && Set(found).count == count, "\(text): \(found.count)")
            // The first page is that which there is without cursor.
            let first = try index.search(query, offset: 0, limit: 100, isExplained: false)
            #expect(found.prefix(100).elementsEqual(first.hits.map(\.identifier)), "\(text)")
        }
        // In any size of pages, it is the same order.
        #expect(try all(index, SearchQuery("coffee"), limit: 37) == all(index, SearchQuery("coffee"), limit: 100))
    }

    @Test(.slow) func `who goes on after the index has changed hears of it`() async throws {
        let search = try await Self.mugs()
        let (index, query) = (try search.index(), SearchQuery("coffee"))
        let first = try index.search(query, offset: 0, limit: 10, isExplained: false)
        try await search.write("https://shop.example/new", "New mug") { $0.snippet = "Coffee." }
        try search.update()
        let second = try index.search(query, offset: 0, limit: 10, isExplained: false, cursor: first.next)
        #expect(second.isOrderChanged == true && second.hits.count == 10)
        #expect(second.notes.contains { $0.hasPrefix("The order has changed") })
        // It stays so: pages behind are not those of the first one either.
        let third = try index.search(query, offset: 0, limit: 10, isExplained: false, cursor: second.next)
        #expect(third.isOrderChanged == true)
    }

    @Test func `what is fresh stays in its place from page to page`() async throws {
        let search = try SearchUnderTest()
        for number in 0..<30 {
            try await search.write("https://shop\(number).example/", "Mug") {
                $0.publishedAt = "2026-0\(number % 9 + 1)"
            }
        }
        try search.update()
        let query = SearchQuery("mug")
        func index(daysLater: Double) throws -> SearchIndex {
            let now = search.now + daysLater * 86_400
            return try SearchIndex(folder: search.folder.url, weights: .standard, now: { now })
        }
        let whole = try index(daysLater: 0).search(query, offset: 0, limit: 30, isExplained: false).hits
        let first = try index(daysLater: 0).search(query, offset: 0, limit: 10, isExplained: false)
        let second = try index(daysLater: 400).search(
            query, offset: 0, limit: 20, isExplained: false, cursor: first.next)
        #expect((first.hits + second.hits).map(\.identifier) == whole.map(\.identifier))
        #expect((first.hits + second.hits).map(\.score) == whole.map(\.score))
        #expect(second.isOrderChanged == false && second.next == nil)
    }

    @Test func `whoever asks again a little later gets the same answer`() async throws {
        let search = try SearchUnderTest()
        for number in 0..<3 {
            try await search.write("https://shop\(number).example/", "Mug") { $0.publishedAt = "2026-01" }
        }
        try search.update()
        let answers = try [0.0, 1, 1_799].map { seconds in
            let now = Date(
                timeIntervalSince1970: (search.now.timeIntervalSince1970 / 3_600).rounded(.down) * 3_600 + seconds)
            let index = try SearchIndex(folder: search.folder.url, weights: .standard, now: { now })
            var writer = JSONWriter()
            try index.search(SearchQuery("mug"), offset: 0, limit: 1, isExplained: true)
                .write(to: &writer, query: SearchQuery("mug"), offset: 0)
            return writer.bytes
        }
        #expect(Set(answers).count == 1)
    }

    @Test func `a cursor is of one query, and only as it was given`() throws {
        let query = SearchQuery("mug")
        let places: [SearchCursor.Place] = [.ranked(0), .ranked(1_650), .further(-1), .further(0), .further(63 << 40)]
        for place in places {
            let cursor = SearchCursor(query: query, moment: 1_790_000_000, state: .max, place: place, offset: 90)
            let text = "\(cursor)"
            #expect(text.utf8.count == SearchCursor.characters)
            #expect(SearchCursor(text) == cursor)
            #expect(cursor.continues(query))
            for other in [SearchQuery("mugs"), SearchQuery("mug", isExact: true)] { #expect(!cursor.continues(other)) }
            #expect(!cursor.continues(SearchQuery("mug", restriction: try SearchRestriction("site:a.example"))))
            // Any other character in any place.
            for index in text.indices {
                for character in ["A", "B", "_", "/", "=", " "] where String(text[index]) != character {
                    #expect(SearchCursor(text.replacingCharacters(in: index...index, with: character)) == nil)
                }
            }
            for broken in [String(text.dropLast()), text + "A", "", String(text.reversed())] {
                #expect(SearchCursor(broken) == nil)
            }
        }
    }

    @Test func `a restriction holds whatever a query says`() async throws {
        let search = try SearchUnderTest()
        try await search.write("https://shop.example/mug", "Blue mug") { $0.types = ["Product"] }
        try await search.write("https://shop.example/essay", "Essay on the mug") {
            $0.rating = .init(value: 2, best: 5, worst: 1, count: 9, reviewCount: nil)
        }
        try await search.write("https://secret.example/mug", "Blue mug of the unpublished mugwump") {
            $0.rating = .init(value: 5, best: 5, worst: 1, count: 9, reviewCount: nil)
        }
        try search.update()
        let index = try search.index()
        func found(_ text: String, _ restriction: String) throws -> [String] {
            let query = SearchQuery(text, restriction: try SearchRestriction(restriction))
            return try index.search(query, offset: 0, limit: 10, isExplained: false, countsFacets: true).hits.map(
                \.identifier)
        }
        #expect(try found("mug", "site:shop.example").count == 2)
        #expect(try found("mug", "site:shop.example type:product") == ["https://shop.example/mug"])
        #expect(try found("mug", "rating:<3") == ["https://shop.example/essay"])
        for text in [
            "mug site:secret.example", "site:secret.example OR", "mug OR unpublished", "unpublished mug",
            "https://secret.example/mug", "mugwump OR unpublishd", "-essay", "rating:>4", "title:\"blue mug\"",
        ] {
            for restriction in ["site:shop.example", "rating:<3", "site:shop.example OR site:none.example"] {
                let hits = try found(text, restriction)
                #expect(!hits.contains { $0.contains("secret") }, "\(text) within \(restriction)")
            }
        }
        #expect(try found("", "site:shop.example").isEmpty)
        // Completions say nothing of other records' words.
        for restriction in ["site:shop.example", "rating:<3"] {
            for text in ["mugw", "blue m", "unpub", "unpublihsed", "b"] {
                let restriction = try SearchRestriction(restriction)
                let texts = try index.suggestions(for: text, limit: 10, restriction: restriction).map(\.text)
                #expect(
                    !texts.contains { $0.lowercased().contains("mugw") || $0.contains("unpub") }, "\(text): \(texts)")
            }
        }
        #expect(try index.suggestions(for: "unpub", limit: 10).contains { $0.text.contains("unpublished") })
        #expect(
            try index.suggestions(for: "blu", limit: 10, restriction: SearchRestriction("type:product")).map(\.text)
                == ["Blue mug", "blue"])
        for text in ["", "mug", "site:shop.example mug", "-site:shop.example", "site:", "color:red", "type:song12"] {
            #expect(throws: SearchRestriction.Unusable.self, "\(text)") { try SearchRestriction(text) }
        }
    }
}
