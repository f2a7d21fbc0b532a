import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinStore

/// The text under a hit, and what of it is marked.
@Suite struct SearchPassageTests {
    private static let filler = "Nothing is said here that anybody could look for, and it goes on for a while."

    /// A record whose page has a text, with blocks of `unquotable` behind it.
    private func search(_ text: String, unquotable: String = "") async throws -> SearchUnderTest {
        let search = try SearchUnderTest()
        try await search.write("https://kitchen.example/pie", "Apple pie") {
            $0.snippet = "A pie with apples, as it was made at home."
            $0.contentDescription = "A pie with apples, as it was made at home. Ready in an hour with butter."
            $0.mainText = SearchedText(quotable: Array(text.utf8), unquotable: Array(unquotable.utf8))
        }
        try search.update()
        return search
    }

    private func passage(_ query: String, _ search: SearchUnderTest) throws -> (text: String, marked: [String]) {
        let snippet = try #require(search.results(query).hits.first).snippet
        return (snippet.text, snippet.pieces.filter(\.isMatch).map(\.text))
    }

    @Test func `what only the text of the page has is shown and marked`() async throws {
        let blocks = [Self.filler, "Cinnamon and cardamom go in last.", Self.filler, Self.filler, Self.filler]
        let search = try await search(blocks.joined(separator: "\n"))
        #expect(try passage("pie", search).text == "A pie with apples, as it was made at home.")
        #expect(
            try passage("apple butter", search).marked.contains("butter"), "The description is nearer than the text.")
        let found = try passage("pie cardamom", search)
        #expect(found.marked == ["cardamom"])
        #expect(found.text.hasPrefix("…Cinnamon and cardamom go in last. Nothing is said"))
        #expect(found.text.hasSuffix("…") && found.text.utf8.count < 340)
    }

    @Test func `the passage with most of the words is shown, not the first one`() async throws {
        let blocks = ["Cardamom is a spice. Cardamom, cardamom!", Self.filler, Self.filler, Self.filler, Self.filler]
        let search = try await search(
            (blocks + ["Grind the cardamom with nutmeg.", Self.filler]).joined(separator: "\n"))
        #expect(try passage("cardamom nutmeg", search).text.hasPrefix("…Grind the cardamom with nutmeg."))
    }

    @Test func `what a page forbids to quote is found and not shown`() async throws {
        let search = try await search(Self.filler, unquotable: "The secret is cardamom.")
        let found = try passage("cardamom", search)
        #expect(found.text == "A pie with apples, as it was made at home." && found.marked.isEmpty)
    }

    @Test(arguments: [
        ("apple pie", "apple pie "), ("a b c d e f g", "a b c d e f g "), ("日本", "日本"), ("pie", "pies\n"),
    ])
    func `a passage is short, however many words it has`(query: String, text: String) async throws {
        let search = try await search(String(repeating: text, count: 16_000 / text.utf8.count))
        let hit = try #require(search.results(query).hits.first)
        #expect(hit.snippet.text.utf8.count < 400)
        #expect(!hit.snippet.text.contains("\u{FFFD}"))
    }
}
