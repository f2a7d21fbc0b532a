import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinStore

/// Which records a query finds.
@Suite struct SearchMatchingTests {
    private func kitchen() async throws -> SearchUnderTest {
        let search = try SearchUnderTest()
        try await search.write("https://kitchen.example/pie", "Apple pie") {
            $0.snippet = "A recipe with cinnamon for eight people."
            $0.types = ["Recipe"]
            $0.rating = .init(value: 4.6, best: 5, worst: 1, count: 120, reviewCount: nil)
            $0.publishedAt = "2026-02-01"
        }
        try await search.write("https://kitchen.example/cafe", "Café crème") {
            $0.contentDescription = "Coffee with cream."
            $0.languages = ["fr"]
            $0.rating = .init(value: 3.1, best: 5, worst: 1, count: 9, reviewCount: nil)
        }
        try await search.write("https://www.news.example/pie", "The pie of the year") {
            $0.types = ["NewsArticle"]
            $0.keywords = ["apples", "bakeries"]
            $0.publishedAt = "2025-12-31"
            $0.images = [.init(url: "https://news.example/pie.jpg")]
        }
        try await search.write("https://shop.example/wifi", "Wi-Fi router for O'Reilly & Sons") {
            var link = DeepLinkRecord.DeepLink(platform: .iOS, sources: [.smartAppBanner])
            link.url = "shop://wifi"
            link.bundleIdentifier = "com.example.shop"
            link.appName = "Shop Finder"
            link.verification = .init(status: .verified)
            $0.deepLinks = [link]
        }
        try await search.write("https://reise.example/tokyo", "東京都庁の展望台") { $0.languages = ["ja"] }
        try await search.write("https://reise.example/rezepte", "Schöne Häuser und Rezepte") {
            $0.languages = ["de-AT"]
        }
        try await search.write("https://reise.example/seoul", "한국에서 만든 김치") { $0.languages = ["ko"] }
        try await search.write("https://reise.example/thai", "ร้านอาหารไทยในกรุงเทพ") { $0.languages = ["th"] }
        try search.update()
        return search
    }

    @Test(arguments: [
        ("apple pie", ["/pie", "/pie"]), ("APPLES", ["/pie", "/pie"]), ("cinnamon recipes", ["/pie"]),
        ("cafe", ["/cafe"]), ("café creme", ["/cafe"]), ("wifi", ["/wifi"]), ("wi-fi", ["/wifi"]), ("wi fi", ["/wifi"]),
        ("oreilly", ["/wifi"]), ("hauser", ["/rezepte"]), ("rezept", ["/rezepte"]), ("haus", ["/rezepte"]),
        ("東京", ["/tokyo"]), ("展望", ["/tokyo"]), ("京都庁", ["/tokyo"]), ("한국", ["/seoul"]), ("อาหาร", ["/thai"]),
        ("cinn", ["/pie"]), ("apple cinn", ["/pie", "/pie"]), ("how do i make the apple pie", ["/pie", "/pie"]),
        ("\"apple pie\"", ["/pie"]), ("\"pie apple\"", []), ("\"of the year\"", ["/pie"]), ("pie -cinnamon", ["/pie"]),
        ("pie -\"of the year\" -coffee", ["/pie"]), ("shop finder", ["/wifi"]),
    ])
    func `words are found in their forms`(query: String, paths: [String]) async throws {
        #expect(try await kitchen().found(query) == paths)
    }

    @Test(arguments: [
        ("site:kitchen.example", 2), ("site:example pie", 2), ("site:news.example", 1), ("pie type:recipe", 1),
        ("type:article", 1), ("type:news", 1), ("app:com.example.shop", 1), ("app:finder", 1),
        ("app:\"Shop Finder\"", 1),
        ("app:other", 0), ("lang:de", 1), ("lang:de-at", 1), ("lang:de-ch", 0), ("has:deeplink", 1),
        ("has:verified", 1),
        ("has:image", 1), ("has:rating", 2), ("rating:>4", 1), ("rating:<4", 1), ("rating:>=3.1", 2),
        ("rating:>3.1", 1),
        ("after:2026", 1), ("before:2026", 1), ("after:2025-12-31", 2), ("before:2025-12-31", 0),
        ("after:2026 rating:<4", 0),
        ("-apple", 7),
    ])
    func `filters select`(query: String, count: Int) async throws {
        let results = try await kitchen().results(query)
        #expect(results.hits.count == count)
        #expect(results.count == count && results.isCountExact)
    }

    @Test(arguments: [
        ("type:event", ["/festival", "/concert"]), ("type:musicevent", ["/concert"]), ("type:place", ["/museum"]),
        ("type:thing", []), ("type:civicstructure", ["/museum"]), ("type:concert", ["/concert"]),
        ("type:event OR type:place", ["/museum", "/festival", "/concert"]), ("author:lee", ["/museum", "/festival"]),
        ("author:\"bo lee\"", ["/festival"]), ("title:lights", ["/festival"]), ("lights", ["/museum", "/festival"]),
        ("title:\"lights festival\"", []), ("title:\"festival of lights\"", ["/festival"]),
        ("type:event -night", ["/festival"]), ("night OR festival", ["/festival", "/concert"]),
        ("\"by night\" OR \"old museum\"", ["/museum", "/concert"]), ("museum OR nonsense", ["/museum"]),
        ("-night", ["/museum", "/festival"]),
    ])
    func `types have those above them, and authors and titles are asked alone`(
        query: String, paths: [String]
    ) async throws {
        let search = try SearchUnderTest()
        try await search.write("https://a.example/museum", "The old museum") {
            $0.types = ["Museum"]
            $0.authors = [.init(name: "Ann Lee")]
            $0.snippet = "Rooms with lights."
        }
        try await search.write("https://b.example/festival", "Festival of lights") {
            $0.types = ["Festival"]
            $0.authors = [.init(name: "Bo Lee"), .init(name: "Cy Orr")]
        }
        try await search.write("https://c.example/concert", "Songs by night") { $0.types = ["MusicEvent"] }
        try search.update()
        #expect(Set(try search.found(query)) == Set(paths))
    }

    @Test func `a query with an unknown word gives what has the others, and says so`() async throws {
        let results = try await kitchen().results("apple pie nonsenseword")
        #expect(results.hits.count == 2)
        #expect(results.notes == ["No record has all words; these have some."])
    }

    @Test func `matches are marked in title and snippet`() async throws {
        let search = try await kitchen()
        let hit = try #require(try search.results("apple recipes").hits.first)
        #expect(hit.title.pieces == [.init(text: "Apple", isMatch: true), .init(text: " pie", isMatch: false)])
        #expect(hit.snippet.pieces.first { $0.isMatch }?.text == "recipe")
        #expect(hit.snippet.text == "A recipe with cinnamon for eight people.")
        let tokyo = try #require(try search.results("京都庁").hits.first)
        #expect(tokyo.title.text == "東京都庁の展望台")
        let marked = tokyo.title.pieces.filter(\.isMatch)
        #expect(!marked.isEmpty)
    }

    @Test func `the snippet is the passage of the description that matches`() async throws {
        let search = try SearchUnderTest()
        let long = String(repeating: "Words about nothing at all. ", count: 30)
        try await search.write("https://long.example/", "Long") {
            $0.snippet = "Words about nothing at all."
            $0.contentDescription = long + "Here the platypus swims at last. " + long
        }
        try search.update()
        let hit = try #require(try search.results("platypus").hits.first)
        #expect(
            hit.snippet.text.contains("the platypus swims") && hit.snippet.text.hasPrefix("…")
                && hit.snippet.text.hasSuffix("…"))
        #expect(hit.snippet.text.count < 340)
    }

    @Test(arguments: [
        ("aplpe", "apple"), ("cinamon recipe", "cinnamon recipe"), ("\"pie\" -x cinnamom", "\"pie\" -x cinnamon"),
        ("paple pie", "apple pie"), ("appple", "apple"), ("applepie", "apple pie"), ("creme cofee", "creme coffee"),
        ("coffe craem", "coffee cream"),
    ])
    func `a query with a slip is answered as it was meant, and says so`(query: String, meant: String) async throws {
        let search = try await kitchen()
        let results = try search.results(query + " ")
        #expect(results.correctedQuery == meant && results.didYouMean == nil)
        #expect(try results.hits.first?.identifier == search.results(meant + " ").hits.first?.identifier)
        let exact = try search.index().search(
            SearchQuery(query + " ", isExact: true), offset: 0, limit: 10, isExplained: false)
        #expect(exact.correctedQuery == nil && exact.didYouMean == nil)
        #expect(!exact.notes.isEmpty || exact.hits.isEmpty)
    }

    @Test func `a word that is right, or like no other, is not corrected`() async throws {
        let search = try await kitchen()
        for query in ["apple ", "xylophone ", "pie ", "app", "apple pie"] {
            let results = try search.results(query)
            #expect(results.correctedQuery == nil && results.didYouMean == nil, "\(query)")
        }
    }

    @Test func `records that have the other words tell which word was meant`() async throws {
        let search = try SearchUnderTest()
        for number in 0..<5 { try await search.write("https://wars.example/\(number)", "Star wars, part \(number)") }
        try await search.write("https://trek.example/picard", "Star trek: Picard")
        try await search.write("https://tv.example/pickard", "The pickard family") {
            $0.snippet = "Pickard and Pickard."
        }
        for number in 0..<4 { try await search.write("https://mail.example/\(number)", "Pickard \(number)") }
        try await search.write("https://paris.example/", "Musée du Médoc") { $0.languages = ["fr"] }
        try search.update()
        let results = try search.results("star pikard ")
        #expect(results.hits.first?.identifier == "https://trek.example/picard")
        #expect(results.correctedQuery == "star picard")
        // What has only some of the words stays findable, behind it.
        #expect(results.hits.count > 1 && results.notes.contains { $0.contains("1 record with all words") })
        // Both words are words of the index, and no record has both.
        #expect(try search.results("wars pickard ").correctedQuery == nil)
        #expect(try search.results("trek pickard ").correctedQuery == "trek picard")
        // As the record writes it.
        #expect(try search.results("musee medco ").correctedQuery == "musee médoc")
    }

    @Test func `few hits as written do not hide what was meant, and are not hidden`() async throws {
        let search = try SearchUnderTest()
        for number in 0..<25 {
            try await search.write("https://tea.example/\(number)", "Green tea number \(number)")
        }
        try await search.write("https://odd.example/", "A gren of the sea") { $0.snippet = "Some tea." }
        try search.update()
        let results = try search.results("gren tea ", limit: 30)
        #expect(results.hits.contains { $0.identifier == "https://odd.example/" })
        #expect([results.correctedQuery, results.didYouMean].contains("green tea"))
    }

    @Test func `long words are corrected as well, and their typos cost little`() async throws {
        let search = try SearchUnderTest()
        let word = "netzwerkdurchsetzungsgesetz"
        try await search.write("https://recht.example/", "Das \(word)") { $0.languages = ["de"] }
        try search.update()
        let letters = Array(word)
        for place in letters.indices.dropLast() {
            var (without, doubled, swapped, other) = (letters, letters, letters, letters)
            without.remove(at: place)
            doubled.insert(letters[place], at: place)
            swapped.swapAt(place, place + 1)
            other[place] = "q"
            for typed in [without, doubled, swapped, other].map({ String($0) }) where typed != word {
                #expect(try search.results(typed + " ").correctedQuery == word, "\(typed)")
            }
        }
    }

    @Test func `an unfinished word is completed by what stands together with the others`() async throws {
        let search = try SearchUnderTest()
        // Forty frequent words that begin in the same way, and a rare one.
        for number in 0..<80 {
            let ending = String(UnicodeScalar(UInt8(97 + number % 20))) + (number % 40 < 20 ? "a" : "b")
            try await search.write("https://h\(number).example/", "A page about col\(ending)")
        }
        try await search.write("https://drinks.example/", "Piña Colada") { $0.languages = ["es"] }
        try await search.write("https://piano.example/", "Pina the pianist") { $0.snippet = "She was cold." }
        try search.update()
        let results = try search.results("Pina Col")
        #expect(results.hits.first?.identifier == "https://drinks.example/")
        #expect(results.hits.first?.title.pieces.filter(\.isMatch).map(\.text) == ["Piña Colada"])
        #expect(results.hits.dropFirst().first?.identifier == "https://piano.example/")
        #expect(results.notes == ["2 records with all words; the others have some of them."])
        #expect(results.correctedQuery == nil)
        // The word itself is not its own completion: it counts once.
        let parts = try search.results("Pina Colada", isExplained: true).hits.first?.parts
        #expect(try parts == search.results("Pina Colada ", isExplained: true).hits.first?.parts)
    }

    @Test func `a filter finds what stands behind many better records`() async throws {
        let search = try SearchUnderTest()
        for number in 0..<40 {
            try await search.write("https://\(number).example/", "Mug \(number)") {
                $0.rating = SchemaOrg.Rating(
                    value: number == 7 ? 1 : 5, best: 5, worst: 1, normalized: number == 7 ? 0 : 1, count: 500)
            }
        }
        try search.update()
        #expect(try search.results("mug rating:<2").hits.map(\.identifier) == ["https://7.example/"])
    }

    @Test func `old and future days, ratings with two digits and long host names pass their filters`() async throws {
        let search = try SearchUnderTest()
        try await search.write("https://old.example/", "Mug") { $0.publishedAt = "1985-05-01" }
        try await search.write("https://far.example/", "Mug") { $0.publishedAt = "2099-05-01" }
        try await search.write("https://a.b.c.d.e.f.g.h.i.shop.example/", "Mug") {
            $0.rating = SchemaOrg.Rating(value: 3.97, best: 5, worst: 1, normalized: 0.74, count: 9)
        }
        try search.update()
        for query in ["before:2026", "before:1988", "mug before:1986"] {
            #expect(try search.results(query).hits.map(\.identifier) == ["https://old.example/"], "\(query)")
        }
        for query in ["after:2026", "after:2090", "mug after:2061"] {
            #expect(try search.results(query).hits.map(\.identifier) == ["https://far.example/"], "\(query)")
        }
        for query in ["rating:=4", "site:shop.example", "site:i.shop.example", "site:a.b.c.d.e.f.g.h.i.shop.example"] {
            #expect(try search.results(query).hits.count == 1, "\(query)")
        }
    }

    @Test func `made-up words hide no completion`() async throws {
        let search = try SearchUnderTest()
        try await search.write("https://spam.example/", "Spam") { record in
            record.mainText = SearchedText(kept: (0..<600).map { "compa\(100 + $0)" }.joined(separator: " "))
        }
        for number in 0..<9 { try await search.write("https://\(number).example/", "The computer \(number)") }
        try search.update()
        #expect(try search.index().suggestions(for: "comp", limit: 3).map(\.text).contains("computer"))
    }

    @Test func `counts of words stay right beside words that begin with a mark`() async throws {
        let search = try SearchUnderTest()
        try await search.write("https://a.example/", "mug \u{093F}x")
        try search.update()
        try await search.write("https://a.example/", "cup \u{093F}x")
        try search.update()
        let anew = try SearchUnderTest()
        try await anew.write("https://a.example/", "cup \u{093F}x")
        try anew.update()
        #expect(try search.contents() == anew.contents())
    }

    @Test func `an index that was deleted is made again by whoever keeps it`() async throws {
        let search = try SearchUnderTest()
        try await search.write("https://a.example/", "Mug")
        let indexer = try SearchIndexer(folder: search.folder.url)
        try indexer.catchUp()
        #expect(try !indexer.isBehind())
        for suffix in ["", "-wal", "-shm"] {
            let file = search.folder.url.appending(path: SearchSchema.fileName + suffix)
            if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
        }
        #expect(try indexer.isBehind())
        try indexer.catchUp()
        #expect(try search.found("mug") == ["/"])
    }

    @Test func `an address finds its record first`() async throws {
        let results = try await kitchen().results("https://kitchen.example/cafe#x")
        #expect(results.hits.first?.identifier == "https://kitchen.example/cafe")
    }

    @Test(arguments: [
        ("appel p", "Apple pie"), ("aple", "Apple pie"), ("pple p", "Apple pie"), ("caffé", "Café crème"),
        ("cinamo", "cinnamon"), ("crem", "crème"), ("schoen", "schöne"), ("hausser", "häuser"),
    ])
    func `suggestions forgive a slip and keep accents`(typed: String, meant: String) async throws {
        let search = try await kitchen()
        let suggestions = try search.index().suggestions(for: typed, limit: 8).map(\.text)
        #expect(suggestions.contains(meant), "\(suggestions)")
    }

    @Test func `a suggestion carries the record that it finds, if it is the only one`() async throws {
        let search = try await kitchen()
        try await search.write("https://shop.example/mug", "Mug, blue") {
            $0.thumbnailURL = "https://shop.example/mug.jpg"
            var link = DeepLinkRecord.DeepLink(platform: .iOS, sources: [.smartAppBanner])
            link.url = "shop://mug"
            link.bundleIdentifier = "com.example.shop"
            $0.deepLinks = [link]
        }
        for host in ["a", "b"] { try await search.write("https://\(host).example/", "Teapot") }
        try search.update()
        let index = try search.index()
        let mug = try #require(try index.suggestions(for: "mu", limit: 5).first)
        #expect(mug.text == "Mug, blue" && mug.record?.identifier == "https://shop.example/mug")
        #expect(mug.record?.title == "Mug, blue" && mug.record?.picture == "https://shop.example/mug.jpg")
        #expect(mug.record?.deepLink == "shop://mug")
        let teapot = try #require(try index.suggestions(for: "teap", limit: 5).first)
        #expect(teapot.text == "Teapot" && teapot.record == nil)
        let cinnamon = try #require(try index.suggestions(for: "cinn", limit: 5).first)
        #expect(cinnamon.record?.identifier == "https://kitchen.example/pie")
    }

    @Test func `what is typed is completed from titles and words`() async throws {
        let search = try await kitchen()
        let index = try search.index()
        #expect(try index.suggestions(for: "app", limit: 5).first?.text == "Apple pie")
        #expect(try index.suggestions(for: "apple p", limit: 5).map(\.text).contains("Apple pie"))
        #expect(try index.suggestions(for: "cinn", limit: 5).map(\.text) == ["cinnamon"])
        #expect(try index.suggestions(for: "", limit: 5) == [])
        #expect(try index.suggestions(for: "\"", limit: 5) == [])
        #expect(try index.suggestions(for: "app", limit: 1).count == 1)
    }

    @Test func `pages of hits join without gap and repetition`() async throws {
        let search = try SearchUnderTest()
        for number in 0..<25 {
            try await search.write("https://h\(number % 3).example/\(number)", "Mug number\(number)")
        }
        try search.update()
        let index = try search.index()
        let all = try index.search(SearchQuery("mug"), offset: 0, limit: 100, isExplained: false).hits.map(\.identifier)
        let pages = try (0..<5).flatMap {
            try index.search(SearchQuery("mug"), offset: $0 * 6, limit: 6, isExplained: false).hits.map(\.identifier)
        }
        #expect(all.count == 25 && pages == all)
        #expect(try index.search(SearchQuery("mug"), offset: 100, limit: 6, isExplained: false).hits.isEmpty)
    }

    // MARK: Hostile queries

    @Test func `any text is a query, and none harms the index`() async throws {
        let search = try await kitchen()
        let index = try search.index()
        let texts = [
            "\"", "\"\"\"", "'; DROP TABLE words; --", "apple AND", "NOT", "NEAR(a b)", "a OR", "^apple", "title:apple",
            "*", "a*",
            "(((", ")))", "{title} : x", "=site:kitchen.example", "~appl", "\0apple\0", "apple\0", "\u{202E}elppa",
            "🍎🍎",
            "e\u{301}\u{301}\u{301}", String(repeating: "\u{301}", count: 2_000),
            String(repeating: "a", count: 100_000),
            String(repeating: "東", count: 3_000), String(repeating: "\"a ", count: 1_000), "-", "--", "-\"", "site:",
            "site:\"",
            "rating:>", "rating:nan", "rating:inf", "rating:1e308", "after:9999-99", "after:0000", "before:0001",
            "lang:*",
            "type:\"' OR 1\"", "has:\u{0}", "app:\"\"", "שלום -عالم", "a\tb\nc\rd", "%00%ff", "\u{FFFD}\u{FFFF}", "١٢٣",
            "½",
            "words MATCH x", "rank:bm25", "x\" OR \"y", "apple NEAR/2 pie", "-pie -apple", "before:2026 after:2027",
            String(repeating: "site:a.example ", count: 100), String(repeating: "wi-", count: 400),
        ]
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("ab\"'()*:^-+~=<>\0 東ก🍎\u{301}\u{202E}siterating:>4").map(String.init)
        let made = (0..<200).map { _ in
            (0..<Int.random(in: 1..<40, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "" }
                .joined()
        }
        for text in texts + made {
            let results = try index.search(SearchQuery(text), offset: 0, limit: 10, isExplained: true)
            #expect(results.hits.count <= 10)
            for hit in results.hits {
                #expect(hit.title.text == hit.record["title"]?.string)
                #expect(hit.score.isFinite)
            }
            _ = try index.suggestions(for: text, limit: 5)
        }
        #expect(try search.found("apple pie").count == 2)
    }

    @Test func `a record with hostile texts is indexed, found and removed`() async throws {
        let search = try SearchUnderTest()
        try await search.write("https://evil.example/", "\" OR 1 ~=document \0 \u{202E}x") {
            $0.keywords = Array(repeating: "=site:shop.example ~stem", count: 30)
            $0.snippet = String(repeating: "東京", count: 5_000) + String(repeating: "\u{301}", count: 5_000)
            $0.types = ["../../x", "", "=has:verified"]
            $0.languages = ["x\0y", "", "=lang:de"]
        }
        try search.update()
        #expect(try search.found("or 1") == ["/"])
        for query in ["site:shop.example", "has:verified", "lang:de"] {
            #expect(try search.found(query).isEmpty, "\(query)")
        }
        try await search.delete("https://evil.example/")
        try search.update()
        #expect(try search.found("or 1").isEmpty)
        #expect(try search.contents().filter { $0.contains("term") } == [])
    }
}
