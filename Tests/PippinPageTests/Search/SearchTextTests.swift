import Testing

@testable import PippinPage

/// How text becomes the words of an index.
@Suite struct SearchTextTests {
    private func forms(_ text: String) -> [String] { SearchText.with { $0.words(of: text).map(\.form) } }

    @Test(arguments: [
        ("Apple pie, twice!", ["apple", "pie", "twice"]),
        ("Café CAFÉ ｃａｆｅ cafe\u{301}", ["cafe", "cafe", "cafe", "cafe"]),
        ("Straße Łódź Ærø Çeşme Đà Nẵng ﬁn", ["strasse", "lodz", "aero", "cesme", "da", "nang", "fin"]),
        ("Ἀθῆναι ΑΘΗΝΑΙ", ["αθηναι", "αθηναι"]),
        // й is another letter than и; ё is written as е.
        ("Чайковский ёлка Ёлка елка", ["чайковский", "елка", "елка", "елка"]),
        ("שָׁלוֹם مُحَمَّد", ["שלום", "محمد"]),
        ("İstanbul ISTANBUL ışık", ["istanbul", "istanbul", "isik"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("C++ c# F# C", ["c++", "c#", "f#", "c"]),
        ("1,000 items at 12.50", ["1", "000", "items", "at", "12", "50"]),
        ("", []), ("!!! … 🍎", []),
    ])
    func `words are folded`(text: String, expected: [String]) {
        #expect(forms(text) == expected)
    }

    @Test(arguments: [
        ("我爱北京天安门", "北京"), ("東京都の美味しいラーメン", "ラーメン"), ("ฉันรักประเทศไทย", "รัก"),
    ])
    func `scripts without spaces are split by dictionaries`(text: String, word: String) {
        #expect(forms(text).contains(word), "\(forms(text))")
        #expect(forms(text).count > 1)
    }

    @Test func `scripts that change without a space are words of their own`() {
        #expect(forms("iPhone手机") == ["iphone", "手机"])
        #expect(forms("한국에서 만든") == ["한국에서", "만든"])
    }

    @Test func `an apostrophe splits articles off, leaves out the s, and joins other words`() {
        let words = SearchText.with { $0.words(of: "Apple's l'été O’Reilly don't") }
        #expect(words.map(\.form) == ["apple", "l", "ete", "o", "reilly", "don", "t"])
        #expect(SearchText.groups(in: words).map(\.count) == [1, 1, 1, 2, 2])
    }

    @Test func `words that a sign joins are one group`() {
        let words = SearchText.with { $0.words(of: "wi-fi for AT&T in U.S.A. - now") }
        let groups = SearchText.groups(in: words).map { words[$0].map(\.form).joined() }
        #expect(groups == ["wifi", "for", "att", "in", "usa", "now"])
    }

    @Test(arguments: ["Köln–Bonn, C++ 東京都 “wi-fi” L’été ไทย 🍎x", "a\u{301}\u{302}b", "ﷺ x", "e\u{301}\u{301}-o"])
    func `ranges are the places of the words`(text: String) {
        let utf8 = Array(text.utf8)
        for word in SearchText.with({ $0.words(of: text) }) {
            let source = String(decoding: utf8[word.range], as: UTF8.self)
            #expect(!source.contains("\u{FFFD}"))
            let again = forms(source).joined()
            #expect(again == word.form)
        }
    }

    @Test(arguments: [
        ("en", "recipes", "recipe"), ("en", "running", "runs"), ("de", "rezepte", "rezept"),
        ("fr", "recettes", "recette"),
        ("es", "canciones", "cancion"), ("it", "ricette", "ricetta"), ("nl", "boeken", "boek"),
        ("sv", "bilarna", "bilar"),
        ("ru", "книгами", "книга"), ("fi", "taloissa", "talo"), ("no", "bilene", "bil"), ("pt", "livros", "livro"),
        ("tr", "kitapları", "kitap"), ("tr", "ışıklar", "ışık"), ("tr", "gözler", "göz"), ("el", "συνταγές", "συνταγή"),
        ("el", "ξενοδοχεία", "ξενοδοχείο"), ("hi", "किताबों", "किताब"), ("id", "bukunya", "buku"), ("lt", "namai", "namas"),
        ("ne", "किताबहरू", "किताब"), ("ar", "والكتاب", "كتاب"), ("ar", "المدرسة", "مدرسه"), ("ar", "بالفندق", "فندق"),
        ("ar", "للبيت", "البيت"), ("ar", "أحْمَد", "احمد"), ("ar", "كتـــاب", "كتاب"), ("ar", "إيمان", "ايمان"),
        ("ar", "مقهى", "المقهي"), ("ar", "فنادق", "الفنادق"),
    ])
    func `forms of a word have one stem`(language: String, one: String, other: String) {
        SearchText.with { text in
            let stems = [one, other].map { form in
                text.words(of: form).map { text.stem(of: $0, language: language) ?? $0.form }
            }
            #expect(stems[0] == stems[1] && stems[0].count == 1)
        }
    }

    @Test(arguments: [
        ("tr", "isiklar", "isik"), ("tr", "gozler", "goz"), ("ar", "وصفة", "وصف"), ("en", "pies", "pie"),
        ("en", "pie", "pie"),
    ])
    func `a word of a query has the stem that its writer left accents out of`(
        language: String, form: String, stem: String
    ) {
        SearchText.with { text in
            let stems = text.stems(of: text.words(of: form)[0].form, written: nil, language: language)
            #expect(stems.contains(stem) && stems.count <= 4)
        }
    }

    @Test func `only languages of a word's script have stems for it`() {
        let languages = ["ru", "de", "ar", "el", "tr", "hi"]
        #expect(SearchText.stemmedLanguages(among: languages, for: "rezepte") == ["de", "tr"])
        #expect(SearchText.stemmedLanguages(among: languages, for: "книга") == ["ru"])
        #expect(SearchText.stemmedLanguages(among: languages, for: "كتاب") == ["ar"])
        #expect(SearchText.stemmedLanguages(among: languages, for: "שלום") == [])
        #expect(SearchText.stemmedLanguages(among: languages, for: "") == ["de", "tr"])
    }

    @Test func `a word without another stem has none, nor has a language that is not known`() {
        SearchText.with { text in
            #expect(text.stem(of: "pie", language: "en") == nil)
            #expect(text.stem(of: "recipes", language: "xx") == nil)
            #expect(text.stem(of: "x86", language: "en") == nil)
        }
    }

    @Test func `hostile text gives bounded words without spaces and signs`() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "\0", "\u{FDFA}", "\"", "a", "\u{301}", "東", "ก", "\u{202E}", "😀", "\u{FFFF}", "~", "=", "½", "\u{1D400}",
            " ",
            "\u{3099}", "가", "𝟘", "\u{E0041}", "+", "#", "-", "'", "\u{200D}", "ß", "ᾳ",
        ]
        for _ in 0..<300 {
            let text = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            .joined()
            for form in forms(text) {
                #expect(form.utf8.count <= FoldedWord.maximumBytes && !form.isEmpty)
                let isClean = form.utf8.allSatisfy {
                    $0 >= 0x80 || $0.isASCIIDigit || (0x61...0x7A).contains($0) || $0 == 0x2B || $0 == 0x23
                }
                #expect(isClean, "\(form.debugDescription)")
            }
        }
        #expect(forms("e" + String(repeating: "\u{301}", count: 100_000)).allSatisfy { $0.utf8.count <= 64 })
        let few = SearchText.with { $0.words(of: String(repeating: "x ", count: 50_000), limit: 10) }
        #expect(few.count == 10)
    }
}
