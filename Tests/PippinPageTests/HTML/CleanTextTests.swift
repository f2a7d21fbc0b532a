import Testing

@testable import PippinPage

@Suite struct CleanTextTests {
    @Test(
        arguments: [
            (" a \n b\u{A0}", "a b"), ("\u{200E}a\u{200F}", "a"), ("\u{FEFF}a\u{200B}b\u{AD}c", "abc"),
            ("می\u{200C}روم", "می\u{200C}روم"), ("a\u{2028}b", "a b"), ("a&amp;b", "a&b"),
            ("&quot;a&quot; &#8217;", "\"a\" ’"),
            ("a&b &unknown;", "a&b &unknown;"), ("x\u{85}y", "xy"),
        ])
    func `a text is one line without what nobody sees`(written: String, clean: String) {
        #expect(CleanText.line(written) == clean)
    }

    @Test(arguments: [nil, "", " \n", "\u{200B}", "\u{FEFF} \u{200E}"]) func `nothing is no text`(written: String?) {
        #expect(CleanText.line(written) == nil)
    }

    @Test(
        arguments: [
            ("El País", "elpais"), ("The-Verge!", "theverge"), ("Ærø", "aro"), ("ПРАВДА", "правда"), ("ΑΒΓ", "αβγ"),
            ("自由時報。", "自由時報"), ("l’Été", "lete"), ("Ё", "е"), ("a｜b", "ab"),
        ])
    func `names are compared by their letters and digits`(name: String, folded: String) {
        #expect(String(decoding: FoldedName(name).bytes, as: UTF8.self) == folded)
    }

    @Test func `one name is found in another`() {
        let name = FoldedName("Klub Jagielloński")
        #expect(name.contains(FoldedName("jag")) && name.contains(FoldedName("ski")) && name.contains(name))
        #expect(!name.contains(FoldedName("jagx")) && !FoldedName("a").contains(name))
        #expect(name.starts(with: FoldedName("klub")) && name.ends(with: FoldedName("ński")))
        #expect(FoldedName.words(of: "to be, or not") == FoldedName.words(of: "NOT"))
        #expect(FoldedName.words(of: "to be").count == 2)
        // ICU's words: 東京 and 地図, without the particle between them.
        #expect(FoldedName.words(of: "東京の地図") == FoldedName.words(of: "地図 東京"))
        #expect(!FoldedName.words(of: "ภาษาไทย").isDisjoint(with: FoldedName.words(of: "เรียนภาษา")))
    }
}
