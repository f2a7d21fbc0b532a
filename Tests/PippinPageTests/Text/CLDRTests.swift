import Testing

@testable import PippinPage

/// What is read from ICU's data: months, languages, digits.
@Suite struct CLDRTests {
    @Test(arguments: [
        ("Januar", 1), ("janv", 1), ("février", 2), ("MÄRZ", 3), ("d’abril", 4), ("μαΐου", 5), ("июнь", 6), ("сен", 9),
        ("ноя", 11), ("januar", 1), ("desember", 12), ("june", 6),
        ("červenec", 7), ("серпня", 8), ("Eylül", 9), ("10月", nil), ("listopada", 11), ("lip", 7), ("srp", 8),
        ("srpnja", 7),
        ("listopad", 11), ("كانون الأول", 12), ("जन", 1), ("tháng 12", 12), ("tammikuuta", 1), ("maart", 3),
        ("marts", 3),
        ("Monday", nil), ("12", nil), ("", nil),
    ])
    func `a month has these names`(name: String, month: Int?) {
        #expect(MonthNames.all[FoldedName(name)] == month)
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
        #expect(CLDR.texts(of: "xx", at: ["calendar", "gregorian", "monthNames", "format", "wide"]).isEmpty)
        #expect(CLDR.texts(of: "de", at: ["calendar", "nothing"]).isEmpty)
        #expect(CLDR.twoLetterCode(for: "../") == nil)
        #expect(CLDR.twoLetterLanguages.count > 150)
    }
}
