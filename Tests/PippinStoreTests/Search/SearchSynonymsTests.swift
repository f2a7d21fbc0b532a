import Foundation
import GRDB
import PippinCrawl
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinStore

/// A file of texts that mean the same.
@Suite struct SearchSynonymsTests {
    private static let file = """
        # Food
        courgette, Zucchini   # both ways
        holiday => vacation, city break

        spring onion, scallion, green onion
        crème fraîche => sour cream
        """

    private func search(_ titles: [String]) async throws -> SearchUnderTest {
        let search = try SearchUnderTest()
        for (number, title) in titles.enumerated() {
            try await search.write("https://site\(number).example/", title)
        }
        try search.update()
        return search
    }

    private func results(
        _ search: SearchUnderTest, _ query: String, _ text: String = Self.file, isExplained: Bool = false
    ) throws -> SearchResults {
        let index = try search.index()
        index.use(try SearchSynonyms(text, file: "synonyms.txt"))
        return try index.search(
            SearchQuery(query + " ", isExact: true), offset: 0, limit: 10, isExplained: isExplained)
    }

    @Test(arguments: [
        ("courgette", ["Courgette soup", "Zucchini soup", "Zucchinis in oil"]),
        ("zucchini", ["Zucchini soup", "Zucchinis in oil", "Courgette soup"]),
        ("courgette soup", ["Courgette soup", "Zucchini soup"]),
        ("holiday", ["My holiday", "A vacation", "The city break"]), ("vacation", ["A vacation"]),
        ("city break", ["The city break"]),
        ("spring onion", ["Spring onion", "Scallion", "Green onion"]),
        ("scallion", ["Scallion", "Spring onion", "Green onion"]),
        ("onion", ["Spring onion", "Green onion", "Red onion"]),
        ("creme fraiche", ["Sour cream"]), ("\"spring onion\"", ["Spring onion"]),
    ])
    func `a synonym counts, less than the word itself`(query: String, expected: [String]) async throws {
        let search = try await search([
            "The city break", "A vacation", "Zucchini soup", "Zucchinis in oil", "Green onion", "Red onion", "Scallion",
            "Sour cream", "My holiday", "Courgette soup", "Spring onion",
        ])
        let found = try results(search, query).hits.map(\.title.text)
        let strict = Array(found.prefix(expected.count))
        #expect(strict.first == expected.first || query == "onion")
        #expect(Set(strict) == Set(expected))
    }

    @Test func `a synonym is marked and told`() async throws {
        let search = try await search(["Zucchinis in oil", "A city break"])
        let hit = try #require(try results(search, "courgette", isExplained: true).hits.first)
        #expect(hit.title.pieces.first == .init(text: "Zucchinis", isMatch: true))
        let part = try #require(hit.parts.first { $0.name == "synonyms" })
        #expect(part.value == 0 && part.detail == "courgette: zucchini, counts 0.7")
        #expect(abs(hit.parts.map(\.value).reduce(0, +) - hit.score) < 0.001)
        let phrase = try #require(try results(search, "holiday", isExplained: true).hits.first)
        #expect(phrase.parts.contains { $0.detail == "holiday: city break, counts 0.7" })
        #expect(try search.results("courgette ").hits.isEmpty)
    }

    @Test(arguments: [
        ("a, b\nalone", 2, "has one text only"), ("a => b => c", 1, "=> twice"), ("\n\na, , b", 3, "without a word"),
        ("=> b", 1, "without a word"), ("a =>", 1, "without a word"), ("one two three four five six, a", 1, "5 words"),
        ((1...21).map { "w\($0)" }.joined(separator: ","), 1, "more than 20 texts"),
        ("a => b1, b2, b3, b4, b5\na => b6, b7, b8, b9", 2, "more than 8 synonyms"),
        (String(repeating: "a, b\n", count: 10_001), 10_001, "more than 10000 lines"),
    ])
    func `a line that cannot be used is an error with its place`(text: String, line: Int, words: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try SearchSynonyms(text, file: "synonyms.txt") }
        #expect(error.file == "synonyms.txt" && error.line == line)
        #expect(error.problem.contains(words), "\(error.problem)")
    }

    @Test func `the example can be read`() throws {
        let file = Repository.root.appending(path: "Examples/synonyms/food-and-travel.txt")
        let synonyms = try SearchSynonyms(contentsOf: file.path)
        #expect(synonyms.others(for: ["courgette"]) == [["zucchini"]])
        #expect(synonyms.others(for: ["railway", "station"]) == [["train", "station"]])
        #expect(synonyms.others(for: ["vacation"]) == [])
    }

    @Test func `synonyms of one query are bounded`() async throws {
        let search = try await search((1...100).map { "word\($0)" })
        let lines = (0..<16).map { word in
            "query\(word) => " + (1...6).map { "word\(word * 6 + $0)" }.joined(separator: ", ")
        }
        let query = SearchQuery((0..<16).map { "query\($0)" }.joined(separator: " "))
        let synonyms = try SearchSynonyms(lines.joined(separator: "\n"), file: "synonyms.txt")
        let file = search.folder.url.appending(path: SearchSchema.fileName).path
        let forms = try await DatabaseQueue(path: file).read { database in
            try SearchPlan(query, weights: .standard, synonyms: synonyms, WordTable(database)).words.flatMap(\.forms)
                .count
        }
        #expect((1...3 * 32).contains(forms))
    }
}
