import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

@Suite(.slow) struct SelectorTests {
    private static let shop = """
        <!DOCTYPE html><html lang=en><title>Shop</title><main id=main class="wide list">
        <ul><li class=offer data-price=1.5><a href="/pear">Pear</a><li class="offer sold-out" data-price=2>Fig
        <li class=offer lang=de-AT data-price=3><b>Äpfel</b></ul>
        <p id="1st">One<p class="a:b">Two<p></p><form><fieldset disabled><legend><input name=q></legend>
        <input name=r></fieldset><option>x</form></main>
        """

    private func document(_ page: String) -> HTMLDocument { HTMLDocument(utf8: Array(page.utf8)) }

    private func found(_ selector: String, in page: String = shop) throws -> String {
        let document = document(page)
        let result = try Selector(selector).elements(in: document)
        #expect(!result.isCut)
        return result.elements.map { i in
            document.collapsedText(of: i).isEmpty ? document.elements[i].name.spelling : document.collapsedText(of: i)
        }.joined(separator: "|")
    }

    @Test(arguments: [
        ("li.offer:not(.sold-out)", "Pear|Äpfel"),
        ("LI.sold-out ~ li > *", "Äpfel"),
        ("ul li + li", "Fig|Äpfel"),
        ("li[data-price='2'], a[href^='/P' i]", "Pear|Fig"),
        ("li:nth-child(2n+1)", "Pear|Äpfel"),
        ("li:nth-last-child(1 of .sold-out)", "Fig"),
        ("li:has(> b), li:has(+ li > b)", "Fig|Äpfel"),
        ("#\\31 st, .a\\:b", "One|Two"),
        ("p:empty", "p"),
        (":lang('*-at') > b", "Äpfel"),
        ("[class~=list][class|=wide\\ list] > p:first-of-type", "One"),
        ("input:enabled", "input"),
        (":is(a, b):where(:any-link)", "Pear"),
        ("/* all */ li /* , */ > a", "Pear"),
        (":root > title", ""),
        (":root title", "Shop"),
    ]) func `a selector finds the elements that it means`(selector: String, elements: String) throws {
        #expect(try found(selector) == elements)
    }

    @Test(arguments: [
        ("", "expected a selector, found the end (character 1)"),
        ("li >", "expected a selector, found the end (character 5)"),
        ("> li", "a selector does not begin with \">\" (character 1)"),
        ("li,,a", "expected a selector, found \",\" (character 4)"),
        (
            "#1st",
            "expected a name after #, found \"1\"; a name that begins with a digit is written \\31 … (character 2)"
        ),
        ("a[href", "expected ], =, ~=, |=, ^=, $= or *=, found the end (character 7)"),
        ("a[href=/x]", "expected a value; one that is no name is written in quotes, found \"/\" (character 8)"),
        ("a[href='x]", "the text is not closed (character 8)"),
        ("a[href='x' j]", "expected ], i or s, found \"j\" (character 12)"),
        ("a:hover", ":hover needs a browser with somebody before it; a page alone has no such state (character 2)"),
        ("p::before", "::before is no element of the page: it is made by a style sheet (character 2)"),
        ("input:checked", ":checked is the state of a form in use; write [checked] or [selected] (character 6)"),
        ("li:fist-child", ":fist-child is not known; did you mean :first-child? (character 3)"),
        ("li:nth-child", ":nth-child is written with parentheses (character 3)"),
        ("li:empty()", ":empty is written without parentheses (character 3)"),
        ("li:nth-child(n of)", "expected a selector, found \")\" (character 18)"),
        ("li:nth-child(2 n)", "expected ) or of (character 16)"),
        ("li:has(a:has(b))", ":has() stands in no other :has() (character 9)"),
        ("svg|a", "namespaces are not known here; write the name alone (character 4)"),
        (".price}", "expected a selector, a combinator or the end, found \"}\" (character 7)"),
    ]) func `what is no selector is an error with its place`(selector: String, message: String) {
        #expect { try Selector(selector) } throws: { "\($0)" == message }
    }

    @Test func `hostile selectors and pages take a bounded number of steps`() throws {
        let deep = document(
            "<!DOCTYPE html>" + String(repeating: "<div>", count: 500) + String(repeating: "<i>", count: 50_000))
        let wide = document(
            "<!DOCTYPE html><p class='" + String(repeating: "a ", count: 500_000) + "'>"
                + String(repeating: "<b>x</b>", count: 50_000))
        for selector in [
            "* * * * *", "* ~ * ~ * ~ *", ":has(* * * ~ *)", ":not(:has(* ~ :not(:is(* * *))))",
            ":nth-child(n of :nth-last-child(n of * > *))", "[class*='aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab']", ".b",
        ] {
            for document in [deep, wide] {
                #expect(try !Selector(selector).elements(in: document).isCut)
            }
        }
        let costly = try Selector(Array(repeating: ":has(* * * * *)", count: 100).joined())
        let clock = ContinuousClock()
        let time = clock.measure { #expect(costly.elements(in: wide).isCut) }
        #expect(time < .seconds(10))
        let cut = try Selector("b").elements(in: wide, limit: 10)
        #expect(cut.elements.count == 10)
        #expect(cut.isCut)
        #expect(throws: Selector.SyntaxError.self) {
            try Selector(String(repeating: ":not(", count: 300) + "a" + String(repeating: ")", count: 300))
        }
    }

    /// Chromium's `querySelectorAll` shares no code with us. It knows neither `s` behind a value nor lists and texts in `:lang()`.
    @Test func `generated selectors find in generated pages what a browser finds`() throws {
        var generator = SelectorGenerator(seed: 1998)
        let cases = (0..<4_000).map { _ in (selector: generator.selector(), page: generator.page()) }
        let input = JSONValue.array(cases.map { [.string($0.selector), .string($0.page)] }).text()
            .replacing("<", with: "\\u003c")
        let file = FileManager.default.temporaryDirectory.appending(path: "pippin-selectors-\(UUID().uuidString).html")
        try """
        <!DOCTYPE html><meta charset=utf-8><pre></pre><script>
        const found = \(input).map(([selector, page]) => {
            try {
                const document = new DOMParser().parseFromString(page, "text/html");
                const all = Array.from(document.querySelectorAll("*"));
                return Array.from(document.querySelectorAll(selector)).map(one => all.indexOf(one));
            } catch (error) { return null; }
        });
        document.querySelector("pre").textContent = JSON.stringify(found);
        </script>
        """.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let log = FileManager.default.temporaryDirectory.appending(path: "pippin-selectors-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        let browser = try TestTool("chromium-headless-shell").start(
            ["--no-sandbox", "--disable-gpu", "--virtual-time-budget=100000", "--dump-dom", file.absoluteString],
            in: FileManager.default.temporaryDirectory, log: log)
        browser.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: log), as: UTF8.self)
        let start = try #require(text.range(of: "<pre>")).upperBound
        let end = try #require(text.range(of: "</pre>")).lowerBound
        var parser = JSONParser()
        let verdicts = try #require(parser.parse(String(text[start..<end])).array)
        try #require(verdicts.count == cases.count)
        var differing = 0
        var hits = 0
        for (test, verdict) in zip(cases, verdicts) {
            let ours = (try? Selector(test.selector))?.elements(in: document(test.page)).elements
            let theirs = verdict.array?.compactMap(\.integer)
            if let theirs, !theirs.isEmpty { hits += 1 }
            // Browsers ignore what is wrong inside of these, and have `|a`; here it is an error.
            if ours == nil, [":is(", ":where(", "|"].contains(where: test.selector.contains) { continue }
            guard ours != theirs else { continue }
            differing += 1
            if differing <= 10 {
                let ourText = ours.map { "\($0)" } ?? "an error"
                Issue.record("\(test.selector) in \(test.page): \(ourText), and \(verdict.text()) in the browser")
            }
        }
        #expect(differing == 0)
        #expect(hits > 500)
    }
}

/// Makes selectors that are likely to find something, and some that are broken, and pages for them.
private struct SelectorGenerator {
    private var random: FixedRandom

    init(seed: UInt64) { random = FixedRandom(seed: seed) }

    private mutating func one(_ list: [String]) -> String { list[random.next(list.count)] }

    mutating func page() -> String {
        var page = "<!DOCTYPE html><html lang=\(one(["en", "de-AT", "\"\""]))><body>"
        var open: [String] = []
        for _ in 0..<(3 + random.next(25)) {
            if !open.isEmpty, random.next(3) == 0 { page += "</\(open.removeLast())>" }
            let name = one(["div", "span", "b", "section", "fieldset", "legend", "svg", "ul", "x-y"])
            page += "<\(name)"
            if random.next(3) == 0 { page += " id=\(one(["a", "b", "\"1\"", "É"]))" }
            if random.next(2) == 0 { page += " class='\(one(["a", "b", "a b", "A", "b  c", "c\tb"]))'" }
            if random.next(3) == 0 { page += " title='\(one(["", "a", "a-b", "A-B c", "bca", "-"]))'" }
            if random.next(6) == 0 { page += " rel=\(one(["next", "NEXT", "a"]))" }
            if random.next(6) == 0 { page += " lang=\(one(["de", "de-CH", "en-Latn-US", "DE-x-at"]))" }
            if random.next(8) == 0 { page += " disabled" }
            page += ">"
            open.append(name)
            page += one(["", "", "text", " ", "<input>", "<br disabled>", "<a href=x>y</a>", "<!-- c -->"])
        }
        return page
    }

    mutating func selector() -> String {
        let text = list(depth: 2)
        guard random.next(5) == 0 else { return text }
        var scalars = Array(text.unicodeScalars)
        let place = random.next(scalars.count)
        if random.next(2) == 0 {
            scalars.remove(at: place)
        } else {
            scalars.insert(Array("+-n1|:.#*,)a\\ ".unicodeScalars)[random.next(14)], at: place)
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        // Browsers close what is open at the end; we say that it is open.
        let result = String(view)
        return result.count(where: { $0 == "(" }) == result.count(where: { $0 == ")" })
            && result.count(where: { $0 == "[" }) == result.count(where: { $0 == "]" })
            && result.count(where: { $0 == "\"" }) % 2 == 0 && result.count(where: { $0 == "'" }) % 2 == 0
            && !result.contains("svg|") && !result.hasSuffix("\\")
            ? result : text
    }

    private mutating func list(depth: Int, isRelative: Bool = false) -> String {
        (0...(random.next(4) == 0 ? 1 : 0)).map { _ in complex(depth: depth, isRelative: isRelative) }
            .joined(separator: one([",", ", "]))
    }

    private mutating func complex(depth: Int, isRelative: Bool) -> String {
        var text = isRelative ? one(["", "> ", "+", "~ "]) : ""
        text += compound(depth: depth)
        for _ in 0..<random.next(3) { text += one([" ", " > ", "+", " ~", "\n>"]) + compound(depth: depth) }
        return text
    }

    private mutating func compound(depth: Int) -> String {
        var text = one(["", "", "*", "div", "SPAN", "b", "section", "x-y", "svg"])
        let count = text.isEmpty ? 1 + random.next(2) : random.next(2)
        for _ in 0..<count { text += simple(depth: depth) }
        return text
    }

    private mutating func simple(depth: Int) -> String {
        let formula = one(["odd", "even", "1", "2", "n", "-n+2", "2n+1", "3n - 1", "+n", "2n- 1", "-2n+5", "0n+1", "N"])
        switch random.next(depth > 0 ? 16 : 11) {
        case 0: return one(["#a", "#b", "#\\31 ", "#É", "#\\61"])
        case 1, 2: return one([".a", ".b", ".c", ".A", ".\\62 "])
        case 3:
            let comparison = one(["=", "~=", "|=", "^=", "$=", "*="])
            return
                "[title\(comparison)\(one(["a", "\"a-b\"", "''", "'A'", "b", "'-'", "\"a b\""]))\(one(["", " i"]))]"
        case 4: return one(["[rel=next]", "[REL=NEXT]", "[title]", "[ class ]", "[disabled]"])
        case 5: return one([":first-child", ":last-child", ":only-child", ":root", ":empty", ":scope"])
        case 6: return one([":first-of-type", ":last-of-type", ":only-of-type", ":any-link", ":link"])
        case 7: return one([":nth-child(", ":nth-last-child("]) + formula + ")"
        case 8: return one([":nth-of-type(", ":nth-last-of-type("]) + " " + formula + " )"
        case 9: return one([":lang(de)", ":lang(en)", ":lang(de-ch)"])
        case 10: return one([":disabled", ":enabled", ":DISABLED"])
        case 11: return ":not(" + list(depth: depth - 1) + ")"
        case 12: return one([":is(", ":where("]) + list(depth: depth - 1) + ")"
        case 13: return ":nth-child(" + formula + " of " + list(depth: depth - 1) + ")"
        case 14: return ":nth-last-child(" + formula + " of " + list(depth: 0) + ")"
        default: return ":has(" + list(depth: 0, isRelative: true) + ")"
        }
    }
}
