import Testing

@testable import PippinPage

/// Words that are made of two.
@Suite struct CompoundWordTests {
    @Test(arguments: [
        ("kartoffelgulasch", "de", "hcsalugleffotrak"), ("rindergulasch", "de", "hcsalugrednir"),
        ("kuchenrezepte", "de", "tpezernehcuk"), ("kaffe", "sv", nil), ("kartoffelgulasch", "en", nil),
        ("abc123456", "de", nil), ("東京都庁展望台東京", "de", nil), ("", "de", nil),
    ])
    func `a compound is filed by the letters of its stem from the end`(
        word: String, language: String, expected: String?
    ) {
        #expect(SearchText.with { CompoundWord.ending(of: word, language: language, $0) } == expected)
    }

    @Test func `a first part may have a letter that joins it, or have lost one`() {
        #expect(CompoundWord.words(ofFirst: "rinder").contains("rind"))
        #expect(CompoundWord.words(ofFirst: "geburts").contains("geburt"))
        #expect(CompoundWord.words(ofFirst: "schul").contains("schule"))
        #expect(CompoundWord.words(ofFirst: "auf") == ["aufe"])
    }

    @Test func `both parts of a division are long enough`() {
        let parts = CompoundWord.divisions(of: "kartoffelgulasch")
        #expect(parts.contains { $0 == ("kartoffel", "gulasch") })
        #expect(parts.allSatisfy { $0.first.count >= 3 && $0.last.count >= 4 })
        #expect(CompoundWord.divisions(of: "gulasch").count == 1)
        #expect(CompoundWord.divisions(of: String(repeating: "a", count: 64)).isEmpty)
    }

    @Test func `parts that are rarer than the whole are none`() {
        #expect(CompoundWord.isPlausible(first: 4, last: 9, compound: 6))
        #expect(!CompoundWord.isPlausible(first: 1, last: 9, compound: 6))
        #expect(!CompoundWord.isPlausible(first: 0, last: 9, compound: 0))
    }
}
