import PippinTestSupport
import Testing

@testable import PippinPage

/// What is no part of a page for a browser is none for any reader: contents of templates, and HTML's names inside of SVG.
@Suite struct TemplateContentsTests {
    /// Markup that some reader uses, each by another way.
    private static let markup = [
        "<title>Evil</title>", "<base href=\"https://evil.example/\">", "<meta name=\"description\" content=\"Evil\">",
        "<meta name=\"robots\" content=\"noindex\">", "<meta http-equiv=\"refresh\" content=\"9;url=/evil\">",
        "<meta property=\"og:title\" content=\"Evil\">", "<meta name=\"twitter:card\" content=\"player\">",
        "<meta name=\"apple-itunes-app\" content=\"app-id=666\">",
        "<meta property=\"al:ios:url\" content=\"evil://x\">",
        "<link rel=\"canonical\" href=\"https://example.org/evil\">", "<link rel=\"icon\" href=\"/evil.png\">",
        "<link rel=\"manifest\" href=\"/evil.json\">",
        "<link rel=\"alternate\" href=\"android-app://com.evil/evil/x\">",
        "<a href=\"/evil\">Evil</a>", "<a href=\"evil://x\">Evil</a>", "<map><area href=\"/evil\"></map>",
        "<iframe src=\"/evil\"></iframe>", "<p>Evil words that people read.</p>", "<h1>Evil</h1>", "Evil",
        "<article><h1>Evil</h1><p>\(String(repeating: "Evil words fill the article. ", count: 20))</p></article>",
        "<img src=\"https://example.org/evil.jpg\" width=\"900\" height=\"900\">",
        "<video src=\"https://example.org/evil.mp4\"></video>", "<time datetime=\"2020-02-02\">then</time>",
        "<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"Recipe\",\"name\":\"Evil\"}</script>",
        "<div itemscope itemtype=\"https://schema.org/Recipe\"><b itemprop=\"name\">Evil</b></div>",
        "<b itemprop=\"name\">Evil</b>", "<b id=\"named\" itemprop=\"name\">Evil</b>",
        "<div vocab=\"https://schema.org/\" typeof=\"Recipe\"><b property=\"name\">Evil</b></div>",
        "<b vocab=\"https://schema.org/\" about=\"#own\" property=\"name\">Evil</b>",
    ]

    /// Where the markup is no part of the page. What holds it stands on a line of its own, so that other places stay the same.
    private static let inert = [
        "<template>%</template>", "<div><template>%</template></div>", "<p><template>%</template></p>",
        "<template><div><template></template>%</div></template>", "<div><template><tr><td>%</template></div>",
        "<table><tr><td><template>%</template></table>", "<template shadowrootmode=\"\">%</template>",
        "<div><template shadowrootmode=\"shown\">%</template></div>",
        "<a><template shadowrootmode=\"open\">%</template></a>",
        "<div><template shadowrootmode=\"open\"></template><template shadowrootmode=\"open\">%</template></div>",
        "<div><template shadowrootmode=\"open\"><template>%</template></template></div>",
        "<div itemscope itemtype=\"https://schema.org/Thing\"><b itemprop=\"name\">Mug<template>%</template></b></div>",
        "<div vocab=\"https://schema.org/\" typeof=\"Thing\"><b property=\"name\">Mug<template>%</template></b></div>",
        "<a href=\"/mug\">Mug<template>%</template></a>", "<h1>Mug<template>%</template></h1>",
        "<div itemscope itemtype=\"https://schema.org/Thing\" itemref=\"named\"><b itemprop=\"url\">x</b></div><template>%</template>",
    ]

    /// Contents of a shadow tree are shown, and those of an SVG's `template` are contents of the SVG.
    private static let shown = [
        "<div>%</div>", "<div><template shadowrootmode=\"open\">%</template></div>",
        "<my-mug><template shadowrootmode=\"CLOSED\">%</template></my-mug>",
    ]

    /// Everything that is read.
    private func answers(_ parts: String, inHead: Bool = false) throws -> [String] {
        let html = """
            <!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
            \(inHead ? parts : "")
            </head><body><p>A mug for tea, thrown by hand and fired twice.</p>
            \(inHead ? "" : parts)
            <p>It holds a third of a liter, and comes in four glazes.</p></body></html>
            """
        let facts = try RecordBuilderTests.facts(html, url: "https://example.org/page")
        let record = RecordBuilder.conclusion(from: facts, now: RecordBuilderTests.fetchedAt)
        var pretty = "\(record)"
        if case .record(let record, _) = record { pretty = RecordBuilderTests.pretty(record) }
        return [
            pretty, "\(facts.outlinks.json)", "\(facts.metadata.json(charset: "utf-8"))", "\(facts.microdata.json)",
            "\(facts.rdfa.json)", "\(facts.jsonLD.json)", "\(facts.openGraph?.json ?? [])",
            "\(facts.smartAppBanner?.json ?? [])", "\(facts.appLinks?.json ?? [])", "\(facts.twitterCard?.json ?? [])",
            "\(facts.appAlternates.json)",
            "\(facts.appClaims)", "\(facts.baseURL)", String(decoding: facts.visibleText.bytes, as: UTF8.self),
            "\(facts.structuredData.items.map { "\($0.types) \($0.properties.map { "\($0.name) \($0.value)" })" })",
            "\(facts.notes.map { "\($0.code.rawValue) \($0.line ?? 0)" })",
        ]
    }

    @Test(arguments: inert) func `nothing in a template is part of the page`(place: String) throws {
        for inHead in [false, true] where !inHead || place.hasPrefix("<template") {
            let without = try answers(place.replacing("%", with: ""), inHead: inHead)
            for markup in Self.markup {
                let with = try answers(place.replacing("%", with: markup), inHead: inHead)
                for (found, own) in zip(with, without) { #expect(found == own, "\(markup) in \(place)") }
            }
        }
    }

    @Test(arguments: shown) func `what is shown is read, so that the table above can fail`(place: String) throws {
        let without = try answers(place.replacing("%", with: ""))
        for markup in Self.markup where !markup.contains("id=\"named\"") {
            #expect(try answers(place.replacing("%", with: markup)) != without, "\(markup) in \(place)")
        }
    }

    @Test func `a template keeps its place, its attributes and what is around it`() {
        let document = HTMLDocument(
            utf8: Array(
                "<body><p a=1>x<template b=2>y<i c=3>z</i></template>w<u d=4>v</u></p>q<template>r</template>".utf8))
        func names(_ elements: some Sequence<Int>) -> [String] {
            elements.map { document.spelling(ofName: document.elements[$0].nameNumber) }
        }
        #expect(names(document.elements.indices) == ["html", "head", "body", "p", "template", "u", "template"])
        #expect(String(decoding: document.text, as: UTF8.self) == "xwvq")
        #expect(
            document.elements.indices.map { document.textContent(of: $0) } == ["xwvq", "", "xwvq", "xwv", "", "v", ""])
        #expect(
            document.elements.indices.flatMap { document.attributes(of: $0).map { "\($0.name)=\($0.value)" } }
                == ["a=1", "b=2", "d=4"])
        #expect(
            names(document.children(of: 2)) == ["p", "template"]
                && names(document.children(of: 3)) == ["template", "u"])
        #expect(document.elements.indices.map { document.parent(of: $0) } == [nil, 0, 0, 2, 3, 3, 2])
    }

    /// Offsets of texts behind misplaced ends lay beyond what was left, which trapped. `%` is what a template holds.
    @Test(
        arguments: [
            "<template>%</template><h1>A<noscript><div>b</noscript>c<i>d</i></div></h1>",
            "<template>%</template><noscript><div></noscript>text<p>rest",
            "<h1>A<noscript><div>b</noscript>c<template>%</template>d<button><div></button>e</h1>",
            "<noscript><div></noscript>one<template>%</template>two<noscript><div></noscript>three<p>four",
            "<noscript><div><template>%</template></noscript>text<p>rest",
        ], ["x", String(repeating: "x", count: 400), "<p>x</p>y", "<noscript><div>x</noscript>y", "x</noscript>y"])
    func `a template goes with ends out of place`(page: String, held: String) throws {
        func text(_ held: String) throws -> String {
            let facts = try RecordBuilderTests.facts(page.replacing("%", with: held), url: "https://example.org/page")
            _ = RecordBuilder.conclusion(from: facts, now: RecordBuilderTests.fetchedAt)
            return String(decoding: facts.visibleText.bytes, as: UTF8.self)
        }
        let found = try text(held)
        #expect(!found.contains("xx"))
        // To a browser that runs scripts, such an end tag ends the `noscript` around the template.
        if !held.hasPrefix("x</noscript>") { #expect(found == (try text(""))) }
    }

    // MARK: SVG

    /// Elements of SVG that have names of HTML, and mean nothing there.
    private static let foreign = [
        "<title>Evil</title>", "<base href=\"https://evil.example/\"></base>",
        "<link rel=\"canonical\" href=\"https://example.org/evil\"></link>",
        "<link rel=\"alternate\" href=\"android-app://com.evil/evil/x\"></link>",
        "<link rel=\"manifest\" href=\"/evil.json\"></link>",
        "<iframe src=\"/evil\"></iframe>", "<area href=\"/evil\"></area>", "<frame src=\"/evil\"></frame>",
        "<video src=\"https://example.org/evil.mp4\"></video>", "<time datetime=\"2020-02-02\">then</time>",
        "<article><text>Evil</text></article>", "<main><text>Evil</text></main>", "<noscript>Evil</noscript>",
    ]

    @Test(arguments: ["<svg>%</svg>", "<svg><g>%</g></svg>", "<svg><template>%</template></svg>", "<math>%</math>"])
    func `names of HTML mean nothing inside of SVG and MathML`(place: String) throws {
        let without = try answers(place.replacing("%", with: ""))
        // Texts in MathML are shown.
        for markup in Self.foreign where place.hasPrefix("<svg") || !markup.contains("Evil") && !markup.contains("then")
        {
            let with = try answers(place.replacing("%", with: markup))
            for (found, own) in zip(with, without) { #expect(found == own, "\(markup) in \(place)") }
        }
    }

    @Test func `links, scripts and HTML inside of an SVG count`() throws {
        let without = try answers("<svg></svg>")
        for markup in [
            "<a href=\"/mug\"><text>Mug</text></a>",
            "<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"Recipe\",\"name\":\"Tea\"}</script>",
            "<foreignObject><iframe src=\"/mug\"></iframe></foreignObject>",
            "<g vocab=\"https://schema.org/\" typeof=\"Recipe\"><text property=\"name\">Tea</text></g>",
        ] {
            #expect(try answers("<svg>\(markup)</svg>") != without, "\(markup)")
        }
    }
}
