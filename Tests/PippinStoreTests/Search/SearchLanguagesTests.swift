import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinStore

/// Words in the letters, compounds and forms of many languages.
@Suite struct SearchLanguagesTests {
    /// Records with these titles, in one language.
    private func search(_ titles: [String], language: String) async throws -> SearchUnderTest {
        let search = try SearchUnderTest()
        for (number, title) in titles.enumerated() {
            try await search.write("https://site\(number).example/", title) { $0.languages = [language] }
        }
        try search.update()
        return search
    }

    private func titles(_ search: SearchUnderTest, _ query: String) throws -> [String] {
        try search.results(query + " ").hits.map(\.title.text)
    }

    @Test(arguments: [
        ("de", "müller", ["Thomas Müller", "Thomas Muller", "Thomas Mueller"]),
        ("de", "muller", ["Thomas Muller", "Thomas Müller"]),
        ("de", "mueller", ["Thomas Mueller", "Thomas Müller"]),
        ("de", "straße", ["Lange Straße", "Lange Strasse"]),
        ("de", "strasse", ["Lange Strasse", "Lange Straße"]),
        ("de", "groesse", ["Die Groesse", "Die Größe"]),
        ("de", "größe", ["Die Größe", "Die Grösse", "Die Grosse", "Die Groesse"]),
        ("da", "smørrebrød", ["Billigt smørrebrød", "Billigt smorrebrod", "Billigt smoerrebroed"]),
        ("da", "smoerrebroed", ["Billigt smoerrebroed", "Billigt smørrebrød"]),
        ("sv", "ålesund", ["Resa Ålesund", "Resa Alesund", "Resa Aalesund"]),
        ("sv", "aalesund", ["Resa Aalesund", "Resa Ålesund"]),
        ("da", "ærø", ["Ø Ærø", "Ø Aeroe"]), ("da", "aeroe", ["Ø Aeroe", "Ø Ærø"]),
        ("fr", "creme", ["La creme", "La crème"]), ("fr", "crème", ["La crème", "La creme"]),
        ("tr", "ışık", ["Kara ışık", "Kara isik"]), ("tr", "isik", ["Kara isik", "Kara ışık"]),
        ("tr", "İstanbul", ["Kent İstanbul", "Kent ıstanbul"]),
    ])
    func `the letters of the query come first, and others follow`(
        language: String, query: String, expected: [String]
    ) async throws {
        // What is written first has no smaller number: the worst order is written.
        let others = ["Something else", "The blue car", "Le blé"]
        let search = try await search(others + expected.reversed(), language: language)
        let found = try titles(search, query)
        #expect(Array(found.prefix(1)) == Array(expected.prefix(1)))
        #expect(Set(found) == Set(expected))
    }

    @Test func `letters are marked as they are found`() async throws {
        let search = try await search(["Thomas Müller"], language: "de")
        let hit = try #require(try search.results("mueller ").hits.first)
        #expect(hit.title.pieces.filter(\.isMatch).map(\.text) == ["Müller"])
        #expect(try search.results("mueller ").correctedQuery == nil)
    }

    @Test func `a word that is repeated with accents counts as often as without`() async throws {
        let search = try SearchUnderTest()
        for (number, text) in ["crème ", "creme "].enumerated() {
            try await search.write("https://site\(number).example/", "Page") {
                $0.contentDescription = String(repeating: text, count: 30)
            }
        }
        try search.update()
        let scores = try search.results("creme ").hits.map(\.score)
        #expect(scores.count == 2 && scores[1] > 0.9 * scores[0])
    }

    // MARK: Compounds

    private static let kitchen = [
        "Kartoffel und Zwiebel", "Kartoffelgulasch", "Rindergulasch", "Vom Rind", "Rezept mit Gulasch", "Kuchen backen",
        "Kuchenrezepte", "Handtaschen aus Leder", "Eine Tasche", "Für die Hand", "Regenbogen und Morgen",
        "Karate heute",
        "Schulbuch", "Die Schule", "Das Buch", "Apfel-Strudel", "Kirsche", "Kirschtorte", "Torte", "Die Rate",
        "Auflauf aus dem Ofen", "Der Lauf", "Kartoffel Salat",
    ]

    @Test(arguments: [
        ("gulasch", ["Rezept mit Gulasch", "Kartoffelgulasch", "Rindergulasch"]),
        ("kuchen", ["Kuchen backen", "Kuchenrezepte"]), ("rezept", ["Rezept mit Gulasch", "Kuchenrezepte"]),
        ("tasche", ["Eine Tasche", "Handtaschen aus Leder"]), ("buch", ["Das Buch", "Schulbuch"]),
        ("torte", ["Torte", "Kirschtorte"]), ("kartoffel gulasch", ["Kartoffelgulasch"]),
        ("rind gulasch", ["Rindergulasch"]), ("kartoffelsalat", ["Kartoffel Salat"]),
        ("apfelstrudel", ["Apfel-Strudel"]),
        ("gen", []), ("rate", ["Die Rate"]), ("lauf", ["Der Lauf"]), ("bogen", []),
    ])
    func `a word is found in compounds, after the word itself`(query: String, expected: [String]) async throws {
        let search = try await search(Self.kitchen, language: "de")
        let found = try search.index().search(
            SearchQuery(query + " ", isExact: true), offset: 0, limit: 20, isExplained: false)
        let all = found.hits.prefix { _ in true }.map(\.title.text)
        // What has only some of the words follows.
        let count = found.notes.isEmpty ? all.count : expected.count
        #expect(all.first == expected.first)
        #expect(Set(all.prefix(count)) == Set(expected))
    }

    @Test(arguments: [
        ("nl", "soep", ["Soep", "Tomatensoep"], ["Tomaat", "Tomaten"]),
        ("sv", "soppa", ["Soppa", "Kycklingsoppa"], ["Kyckling"]),
        ("da", "salat", ["Salat", "Grøntsagssalat"], ["Grøntsag"]), ("no", "suppe", ["Suppe", "Fiskesuppe"], ["Fisk"]),
        ("fi", "kakku", ["Kakku", "Suklaakakku"], ["Suklaa"]),
    ])
    func `compounds are those of several languages`(
        language: String, query: String, expected: [String], others: [String]
    ) async throws {
        let search = try await search(others + expected.reversed(), language: language)
        #expect(try titles(search, query) == expected)
        let english = try await self.search(others + expected.reversed(), language: "en")
        #expect(try titles(english, query) == [expected[0]])
    }

    @Test func `a compound is marked, and a changed record leaves none behind`() async throws {
        let search = try await search(["Kartoffel", "Kartoffelgulasch"], language: "de")
        let hit = try #require(try search.results("gulasch ").hits.first)
        #expect(hit.title.pieces == [.init(text: "Kartoffelgulasch", isMatch: true)])
        try await search.write("https://site1.example/", "Nichts davon") { $0.languages = ["de"] }
        try search.update()
        #expect(try search.results("gulasch ").hits.isEmpty)
        let fresh = try await self.search(["Kartoffel", "Nichts davon"], language: "de")
        #expect(try search.contents().filter { $0.contains("<") } == fresh.contents().filter { $0.contains("<") })
    }

    // MARK: Articles, prefixes and endings

    @Test(arguments: [
        ("ar", "كتاب", ["كتاب قديم", "الكتاب الجديد", "والكتاب كبير"], ["مكتب صغير"]),
        ("ar", "الكتاب", ["الكتاب الجديد", "كتاب قديم", "والكتاب كبير"], ["مكتب صغير"]),
        ("ar", "مدرسه", ["مدرسه قديمه", "مدرسة قديمة", "المدرسة الجديدة"], ["درس صغير"]),
        ("he", "בית", ["בית קטן", "הבית הגדול", "ובבית אחר"], ["ביתן קטן"]),
        ("he", "הבית", ["הבית הגדול", "בית קטן"], ["ביתן קטן"]),
        ("he", "קליפ", ["קליפ חדש", "קליף חדש"], []),
        // Without it, no word of the index.
        ("he", "שולחן", ["שולחן עץ"], ["לחן ישן"]),
        ("tr", "kitap", ["Eski kitap", "Yeni kitaplar"], ["Kita haber"]),
        ("tr", "ışık", ["Eski ışık", "Yeni ışıklar"], ["Kitap"]),
        ("tr", "isiklar", ["Yeni ışıklar", "Eski ışık"], ["Kitap"]),
        ("el", "συνταγή", ["Νέα συνταγή", "Νέες συνταγές"], ["Νησί"]),
        ("hi", "किताब", ["नई किताब", "पुरानी किताबें"], ["घर"]),
    ])
    func `forms of a word are found, the one of the query first`(
        language: String, query: String, expected: [String], others: [String]
    ) async throws {
        let search = try await search(others + expected.reversed(), language: language)
        let found = try titles(search, query)
        #expect(found.first == expected.first)
        #expect(Set(found) == Set(expected))
    }

    @Test func `a rare language has its stems beside more frequent ones`() async throws {
        let search = try SearchUnderTest()
        for (number, language) in ["en", "de", "fr", "es", "it", "pt", "ar"].enumerated() {
            for copy in 0..<(10 - number) {
                let title = language == "ar" ? "الكتاب الجديد" : "Page \(copy)"
                try await search.write("https://\(language)\(copy).example/", title) { $0.languages = [language] }
            }
        }
        try search.update()
        #expect(try titles(search, "كتاب").count == 4)
        let hit = try #require(try search.results("كتاب ").hits.first)
        #expect(hit.title.pieces.filter(\.isMatch).map(\.text) == ["الكتاب"])
    }
}
