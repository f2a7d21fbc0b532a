import Testing

@testable import PippinStore

/// What a text asks for.
@Suite struct SearchQueryTests {
    private func terms(_ text: String) -> [[String]] { SearchQuery(text).terms.map(\.forms) }

    @Test func `no query asks for more words than are searched, however it is written`() {
        let signs = [
            "-", "'", ".", "_", "&", "·", "\"", "“", "«", "-\"", "\" \"", ":", "*", "(", "^", "+", "#", "\u{AD}", " ",
            " OR ",
        ]
        let keys = [
            "", "-", "site:", "app:", "app:\"", "rating:>", "after:", "type:", "lang:", "title:", "author:\"",
            "unknown:",
        ]
        let words: [(Int) -> String] = [{ _ in "a" }, { "w\($0)" }, { _ in "東京都" }, { _ in "" }]
        for sign in signs {
            for key in keys {
                for word in words {
                    for repeatsKey in [false, true] {
                        let parts = (0..<249).map { (repeatsKey || $0 == 0 ? key : "") + word($0) + sign }
                        let query = SearchQuery(parts.joined())
                        let most = SearchQuery.maximumTerms
                        let words = query.terms.flatMap(\.all).reduce(0) { $0 + $1.forms.count }
                        #expect(words <= most, "\(query.text.prefix(40))")
                        let joined = query.filters.reduce(0) { sum, filter in
                            if case .any(let all) = filter { sum + all.count } else { sum + 1 }
                        }
                        #expect(joined <= SearchQuery.maximumFilters * SearchQuery.maximumFilters)
                        #expect(query.excluded.reduce(0) { $0 + $1.forms.count } <= most, "\(query.text.prefix(40))")
                        #expect(query.filters.count <= SearchQuery.maximumFilters)
                    }
                }
            }
        }
    }

    @Test func `a word that is written twice is searched once`() {
        #expect(SearchQuery("pie apple pie").words == ["pie", "apple"])
        #expect(SearchQuery(String(repeating: "a-", count: 249)).terms.count <= 2)
        #expect(SearchQuery("pie \"pie\"").terms.count == 2)
    }

    @Test func `words, phrases and exclusions are told apart`() {
        let query = SearchQuery(#"Apple "custard Pie" -clown -"red nose" wi-fi"#)
        #expect(query.terms.map(\.forms) == [["apple"], ["custard", "pie"], ["wi", "fi"]])
        #expect(query.terms.map(\.isPhrase) == [false, true, false])
        #expect(query.excluded.map(\.forms) == [["clown"], ["red", "nose"]])
        #expect(query.notes == [])
        #expect(query.endsOpen)
    }

    @Test func `a phrase may be in any quotation marks, and may lack its end`() {
        for text in ["“apple pie”", "„apple pie“", "«apple pie»", "\"apple pie", "-x \"apple pie"] {
            #expect(terms(text) == [["apple", "pie"]], "\(text)")
            #expect(SearchQuery(text).terms.map(\.isPhrase) == [true])
        }
    }

    @Test func `a hyphen between words, or alone, excludes nothing`() {
        #expect(SearchQuery("coffee - tea e-mail").excluded.isEmpty)
        #expect(terms("coffee - tea") == [["coffee"], ["tea"]])
    }

    @Test func `the last word is open until a space or a quotation mark ends it`() {
        #expect(SearchQuery("apple pi").endsOpen)
        #expect(!SearchQuery("apple pie ").endsOpen)
        #expect(!SearchQuery("\"apple pie\"").endsOpen)
        #expect(!SearchQuery("pie site:example.org").endsOpen)
    }

    @Test(arguments: [
        ("site:www.Example.org", SearchQuery.Filter.site("example.org")),
        ("site:https://example.org/a/b", .site("example.org")),
        ("type:NewsArticle", .type("newsarticle")), ("app:com.example.Shop", .app("com.example.shop")),
        ("app:\"Pie Finder\"", .app("pie finder")), ("lang:pt_BR", .language("pt-br")),
        ("has:deeplink", .has("deeplink")),
        ("has:pictures", .has("pictures")), ("is:event", .has("event")), ("rating:>4", .rating(.above, 4)),
        ("rating:>=4.5", .rating(.atLeast, 4.5)), ("rating:<3", .rating(.below, 3)),
        ("rating:4,5", .rating(.atLeast, 4.5)),
        ("after:2026-01", .after(20_454)), ("before:1970-01-02", .before(1)), ("SINCE:1971", .after(365)),
        ("author:Lee", .author(["lee"])), ("author:\"Ann Lee\"", .author(["ann", "lee"])),
        ("title:\"Blue Mugs\"", .title(["blue", "mugs"])), ("type:news", .type("news")),
        ("site:a.example OR site:b.example", .any([.site("a.example"), .site("b.example")])),
        ("lang:de OR lang:fr OR lang:nl", .any([.language("de"), .language("fr"), .language("nl")])),
    ])
    func `filters are read`(text: String, filter: SearchQuery.Filter) {
        let query = SearchQuery("mug " + text)
        if text == "has:pictures" {
            #expect(query.filters.isEmpty && query.notes.count == 1)
        } else {
            #expect(query.filters == [filter])
            #expect(query.notes == [])
        }
        #expect(query.terms.map(\.forms) == [["mug"]])
    }

    @Test(arguments: [
        "rating:lots", "rating:9", "after:yesterday", "lang:пт", "has:money", "type:", "-site:x.org", "before:2026-13",
    ])
    func `a filter that cannot be used is told`(text: String) {
        let query = SearchQuery("mug " + text)
        #expect(query.filters.isEmpty)
        #expect(query.notes.count == 1)
        #expect(query.terms.map(\.forms) == [["mug"]])
    }

    @Test(
        arguments: [
            ("type:song", .type("musicrecording"), "type:song is read as type:MusicRecording."),
            ("lang:german", .language("de"), "lang:german is read as lang:de."),
            ("lang:Deutsch", .language("de"), "lang:deutsch is read as lang:de."),
            (
                "type:recipy", .type("recipy"),
                "Neither schema.org nor Open Graph has a type “recipy”. Did you mean type:Recipe?"
            ),
            ("lang:xx", .language("xx"), "There is no language with the code “xx”."),
        ] as [(String, SearchQuery.Filter, String)])
    func `a type or language that has another name, or does not exist, is told`(
        text: String, filter: SearchQuery.Filter, note: String
    ) {
        #expect(SearchQuery(text).filters == [filter])
        #expect(SearchQuery(text).notes == [note])
    }

    @Test func `OR joins what stands around it`() {
        let query = SearchQuery("apple pie OR \"red cake\" OR tart warm")
        #expect(query.terms.map(\.forms) == [["apple"], ["pie"], ["warm"]])
        #expect(query.terms[1].alternatives.map(\.forms) == [["red", "cake"], ["tart"]])
        #expect(query.notes == [])
        // In small letters, at an end, or between a word and a filter it joins nothing.
        #expect(terms("pie or cake") == [["pie"], ["or"], ["cake"]])
        #expect(terms("OR pie") == [["or"], ["pie"]] && terms("pie OR") == [["pie"], ["or"]])
        let mixed = SearchQuery("pie OR site:a.example")
        #expect(mixed.terms.count == 1 && mixed.filters == [.site("a.example")])
        #expect(mixed.notes == ["OR joins two words, or two filters; here it is left out."])
        #expect(SearchQuery("pie OR rating:>4").notes.count == 1)
        #expect(SearchQuery("rating:>4 OR rating:<2").filters.count == 2)
    }

    @Test func `an unknown filter is searched as words, and the nearest is named`() {
        let query = SearchQuery("sites:shop mug")
        #expect(query.terms.map(\.forms) == [["sites"], ["shop"], ["mug"]])
        #expect(query.notes == ["There is no filter sites:, so its words are searched. Did you mean site:?"])
        // Nobody meant a filter here.
        #expect(SearchQuery("12:30 https://example.org/x note:").notes == [])
    }

    @Test func `what is too much is cut, and told`() {
        let query = SearchQuery((0..<500).map { "word\($0)" }.joined(separator: " "))
        #expect(query.text.count == SearchQuery.maximumCharacters)
        #expect(query.terms.count == SearchQuery.maximumTerms)
        #expect(query.notes.count == 2)
        #expect(
            SearchQuery((0..<20).map { "-x\($0)" }.joined(separator: " ")).excluded.count == SearchQuery.maximumExcluded
        )
        #expect(
            SearchQuery((0..<20).map { "site:x\($0).org" }.joined(separator: " ")).filters.count
                == SearchQuery.maximumFilters)
    }

    @Test(arguments: ["pie -apple", "-apple pie", "pie -\"apple cake\"", "pie −apple-cake site:a.org"])
    func `an exclusion can be left out of the text`(text: String) throws {
        let query = SearchQuery(text)
        #expect(query.excluded.count == 1)
        let part = try #require(query.exclusionParts.first)
        let rest = SearchQuery(query.text(without: [part]))
        #expect(rest.excluded.isEmpty && rest.terms.map(\.forms) == [["pie"]] && rest.filters == query.filters)
        #expect(text.contains(part.value))
    }

    @Test func `a text without words says so`() {
        #expect(SearchQuery("  ").isEmpty && SearchQuery("  ").notes.isEmpty)
        #expect(SearchQuery("!?").isEmpty)
        #expect(SearchQuery("!?").notes == ["There is no word to search for."])
    }
}
