import Testing

@testable import PippinPage

/// What is read from ICU's data: months, languages, digits.
@Suite struct CLDRTests {
    @Test(arguments: [
        ("Januar", "", 1), ("janv", "", 1), ("février", "", 2), ("MÄRZ", "", 3), ("d’abril", "", 4), ("μαΐου", "", 5),
        ("июнь", "", 6), ("сен", "", 9), ("ноя", "", 11), ("desember", "", 12), ("june", "", 6), ("červenec", "", 7),
        ("серпня", "", 8), ("Eylül", "", 9), ("10月", "", nil), ("listopada", "", nil), ("listopada", "pl", 11),
        ("listopada", "hr", 10), ("lip", "pl", 7), ("lip", "hr", 6), ("lip", "en", nil), ("srp", "cs", 8),
        ("srpnja", "", 7),
        ("كانون الأول", "", 12), ("जन", "hi", 1), ("tammikuuta", "", 1), ("maart", "", 3), ("marts", "", 3),
        ("mac", "ms", 3),
        ("mac", "en", nil), ("jul", "xx", 7), ("Monday", "", nil), ("12", "", nil), ("", "", nil),
    ])
    func `a month has these names on a page in a language`(name: String, language: String, month: Int?) {
        let style = DayStyle(languages: language.isEmpty ? [] : [language], order: nil)
        #expect(MonthNames.all.meaning(of: FoldedName(name), in: style)?.months.first?.number == month)
    }

    @Test func `accents tell a month from a name`() {
        #expect(MonthNames.all.has("março"))
        #expect(MonthNames.all.has("Mart"))
        #expect(!MonthNames.all.has("Marc"))
    }

    @Test(arguments: [
        ("4", 4), ("٤", 4), ("۴", 4), ("४", 4), ("４", 4), ("৪", 4), ("๔", 4), ("𝟜", 4), ("四", nil), ("½", nil),
        ("x", nil),
        ("é", nil),
    ])
    func `digits of every script count`(text: String, value: Int?) {
        let bytes = Array(text.utf8)
        let digit = DecimalDigit(in: bytes, at: 0)
        #expect(digit?.value == value)
        #expect(digit.map { $0.length == bytes.count } ?? true)
    }

    @Test func `broken bytes are no digits`() {
        for bytes in [[0xD9], [0xE0, 0xA5], [0xF0, 0x9D, 0x9F], [0xFF, 0x34], []] as [[UInt8]] {
            #expect(DecimalDigit(in: bytes, at: 0) == nil)
        }
    }

    @Test(arguments: [
        ("eng", "en"), ("ger", "de"), ("deu-AT", "de-AT"), ("may", "ms"), ("cmn", "cmn"), ("yue", "yue"), ("iw", "he"),
        ("no", "no"), ("nor", "no"), ("tl", "tl"), ("catalan", "ca"), ("deutsch", "de"), ("francais", "fr"),
        ("xyz", "xyz"),
    ])
    func `a language is named by its shortest code`(written: String, tag: String) {
        #expect(LanguageTag.normalized(written) == tag)
    }

    @Test func `a missing table is empty`() {
        func texts(_ name: String, _ path: [String]) -> [String]? {
            guard let bundle = CLDR.Bundle(name) else { return nil }
            return bundle.texts(at: path)
        }
        #expect(texts("xx", []) == nil)
        #expect(texts("de", ["calendar", "nothing"]) == [])
        #expect(CLDR.twoLetterCode(for: "../") == nil)
        #expect(CLDR.twoLetterLanguages.count > 150)
    }
}
