import Testing

@testable import PippinPage

/// The names in a page's tags: what libxml2 reads, and what it cannot.
@Suite struct NameReaderTests {
    private func document(_ page: String, limits: ReadingLimits = .standard) -> HTMLDocument {
        HTMLDocument(utf8: CharacterEncoding.utf8.decode(Array(page.utf8)).utf8, limits: limits)
    }

    /// Element names with the names and values of their attributes.
    private func markup(_ document: HTMLDocument) -> [String] {
        document.elements.indices.map { element in
            let attributes = document.attributes(of: element).map { "\($0.name)=\($0.value)" }
            let name = document.spelling(ofName: document.elements[element].nameNumber)
            return ([name] + attributes).joined(separator: " ")
        }
    }

    private func markup(_ page: String) -> [String] { markup(document(page)) }

    /// Names as written, and as the standard reads them (WHATWG HTML §13.2.5.8 and §13.2.5.33): ASCII letters in lower case, NUL as
    /// U+FFFD, everything else as it is.
    private static let oddNames: [(written: String, read: String)] = [
        ("@Click", "@click"), (":href", ":href"), ("v-on:X.y", "v-on:x.y"), ("(click)", "(click)"), ("[src]", "[src]"),
        ("*ngIf", "*ngif"), ("#ref", "#ref"), ("{{x}}", "{{x}}"), ("_", "_"), ("1st", "1st"), ("-x", "-x"),
        (".x", ".x"),
        (".300", ".300"), (".", "."), ("a\"B", "a\"b"), ("a'B", "a'b"), ("\"", "\""), ("a<B", "a<b"), ("<", "<"),
        ("a&amp;B", "a&amp;b"), ("a`B", "a`b"), ("Äé", "Äé"), ("日本", "日本"), ("\u{212A}İ", "\u{212A}İ"),
        ("a\u{0}B", "a\u{FFFD}b"), ("\u{0}", "\u{FFFD}"), ("a\u{B}b", "a\u{B}b"), ("Z.5", "z.5"), ("head", "head"),
        (String(repeating: "N", count: 99), String(repeating: "n", count: 99)),
        (String(repeating: "N", count: 100), String(repeating: "n", count: 100)),
        (String(repeating: "N", count: 101), String(repeating: "n", count: 101)),
        (String(repeating: "Né", count: 5_000), String(repeating: "né", count: 5_000)),
    ]

    @Test(arguments: oddNames) func `attributes keep all letters of their names`(name: (written: String, read: String))
    {
        #expect(markup("<p \(name.written)=1 id=x \(name.written)=2>").last == "p \(name.read)=1 id=x")
        #expect(markup("<svg><g \(name.written)='1' />").last == "g \(name.read)=1")
        #expect(markup("<math><mi \(name.written)>").last == "mi \(name.read)=")
        #expect(markup("<svg \(name.written) =\"1\">").last == "svg \(name.read)=1")
    }

    @Test(arguments: oddNames) func `elements keep all letters of their names, and end tags find them`(
        name: (written: String, read: String)
    ) {
        let page = "<x\(name.written) id=1>a</X\(name.written) class=c><i>b"
        #expect(markup(page).suffix(2) == ["x\(name.read) id=1", "i"])
        #expect(document(page).textContent(of: 3) == "a")
        #expect(markup("<svg><x\(name.written)/><g>").suffix(3) == ["svg", "x\(name.read)", "g"])
    }

    @Test func `an equals sign begins a name, and is part of the name of a tag`() {
        #expect(markup("<p =a=1 ==2 = id=x>").last == "p =a=1 ==2 id=x")
        #expect(markup("<x=Y id=1>").last == "x=y id=1")
    }

    @Test func `names that look like numbers of names, or for which libxml2 has rules, are names`() {
        for name in ["z.5", "z.5x", "z.", "html", "meta", "title", "form", "frameset", "header"] {
            #expect(markup("<svg><a \(name)=1 @x=2 Z.3=3><z.5></Z.5>").suffix(2) == ["a \(name)=1 @x=2 z.3=3", "z.5"])
            #expect(markup("<svg><\(name) charset=1 content=2 />").last == "\(name) charset=1 content=2")
        }
        #expect(markup("<head id=1 lang=2><body head=3>") == ["html", "head id=1 lang=2", "body head=3"])
    }

    @Test func `of repeated attributes the first counts`() {
        let page = """
            <P CLASS=a class=b data-known-7="x&amp;y" @A=1 É=2 @a=3 é=4><known-element One=1 two one=3>t</known-element>
            """
        #expect(
            markup(page).suffix(2) == [
                "p class=a data-known-7=x&y @a=1 É=2 é=4", "known-element one=1 two=",
            ])
    }

    @Test func `own names have numbers of the page they are in`() {
        #expect(markup("<b-first a-1=x @b=y><b-second a-2=y>").suffix(2) == ["b-first a-1=x @b=y", "b-second a-2=y"])
        #expect(markup("<b-second a-2=x><b-first @b=y a-1=y>").suffix(2) == ["b-second a-2=x", "b-first @b=y a-1=y"])
    }

    /// More than libxml2 reads before it starts again.
    @Test func `a page may have many forms of tags`() {
        let long = String(repeating: "n", count: 90)
        let tags = (0..<12_000).map { "i a\($0 % 100)=\($0) @b\($0 / 100)=1 \(long)=x" }
        let read = markup("<i></i>" + tags.map { "<\($0)></i>" }.joined()).dropFirst(4)
        let firstWrong = zip(read, tags).first { $0 != $1 }
        #expect(firstWrong == nil)
        #expect(read.count == tags.count)
    }

    @Test func `a form may have many or long names`() {
        let many = (0..<100).map { "many-\($0)=\($0)" }
        let long = String(repeating: "n", count: 80)
        let page = "<u \(many.joined(separator: " "))><s \(long)1=1 \(long)2=2 \(long)3=3>"
        #expect(markup(page).suffix(2) == ["u " + many.joined(separator: " "), "s \(long)1=1 \(long)2=2 \(long)3=3"])
    }

    @Test(arguments: ["a", "@"]) func `names beyond those that have numbers end the reading`(first: String) {
        var limits = ReadingLimits()
        limits.maximumNames = 1_000_000
        let page = document((0..<70_000).map { "<i \(first)\($0)>" }.joined(), limits: limits)
        #expect(page.notes.contains { $0.code == .document(.tooManyNames) })
        #expect(page.ownNames.count > 60_000)
        #expect(page.ownNames.allSatisfy { !$0.isEmpty })
        #expect(page.attributes.allSatisfy { $0.nameNumber >= HTMLDocument.firstOwnName })
    }

    @Test func `RDFa's literals of XML have names of XML`() {
        let page = document("<p><x-é @A=1 2=b c-3.d=e>x</x-é>")
        var texts = TextBudget(page, .standard)
        let p = page.elements(named: .p).first ?? 0
        #expect(
            page.markup(inside: p, asXML: true, &texts)
                == "<x-U0000E9 U000040a=\"1\" U000032=\"b\" c-3.d=\"e\">x</x-U0000E9>")
        #expect(page.markup(inside: p, asXML: false, &texts) == "<x-é @a=\"1\" 2=\"b\" c-3.d=\"e\">x</x-é>")
    }
}
