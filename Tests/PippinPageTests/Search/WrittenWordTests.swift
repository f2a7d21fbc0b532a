import Testing

@testable import PippinPage

/// Words with letters that folding gives up.
@Suite struct WrittenWordTests {
    @Test(arguments: [
        ("Müller", "müller"), ("STRAẞE", "straße"), ("Straße", "straße"), ("A\u{30A}lesund", "ålesund"),
        ("Smørrebrød", "smørrebrød"), ("ışık", "ışık"), ("Đà", "đà"),
        ("Strasse", nil), ("İstanbul", nil), ("I\u{307}stanbul", nil), ("ｃａｆｅ", nil), ("Ἀθῆναι", nil), ("Чай", nil),
        ("한국", nil),
    ])
    func `a word keeps its letters where folding gives some up`(text: String, written: String?) {
        #expect(SearchText.with { $0.words(of: text).map(\.written) } == [written])
    }

    @Test(arguments: [
        ("müller", "mueller"), ("straße", nil), ("ålesund", "aalesund"), ("smørrebrød", "smoerrebroed"),
        ("größe", "groesse"), ("café", nil), ("ærø", "aeroe"),
    ])
    func `umlauts and Nordic letters are spelled out`(written: String, expected: String?) {
        #expect(WrittenWord.spelledOut(written) == expected)
    }

    @Test(arguments: [
        ("mueller", ["muller"]), ("smoerrebroed", ["smorrebroed", "smoerrebrod", "smorrebrod"]), ("aal", ["al"]),
        ("blue", ["blu"]), ("tree", []), ("", []), ("u", []),
    ])
    func `pairs of letters may stand for one`(form: String, expected: [String]) {
        #expect(Set(WrittenWord.contractions(of: form)) == Set(expected))
    }

    @Test func `a word of nothing but pairs has few contractions`() {
        #expect(WrittenWord.contractions(of: String(repeating: "ue", count: 32)).count == 7)
    }
}
