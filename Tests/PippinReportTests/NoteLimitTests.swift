import Testing

@testable import PippinPage
@testable import PippinReport

/// Every reader that makes notes keeps a limited number. It counts before it cuts, and no number of slight faults hides a grave one.
@Suite struct NoteLimitTests {
    /// A file of many slight faults with another fault behind them.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let slight: ParseNote.Code
        let grave: ParseNote.Code
        /// The notes of the reader alone.
        let notes: @Sendable () throws -> [ParseNote]
        /// The card that shows them; nil if no page's card does.
        var card: (@Sendable () -> ReportCard)?
    }

    static let count = 500

    private static func repeated(_ text: String, separator: String = "") -> String {
        Array(repeating: text, count: count).joined(separator: separator)
    }

    private static func page(
        _ name: String, _ slight: ParseNote.Code, _ grave: ParseNote.Code, head: String = "", body: String = "",
        _ notes: @escaping @Sendable (PageFacts) -> [ParseNote] = { $0.notes }
    ) -> Case {
        let page = ReportPage("<title>Mug</title>" + head).with { $0.body += body }
        return Case(
            testDescription: name, slight: slight, grave: grave, notes: { notes(page.facts) }, card: { page.card })
    }

    private static func file(
        _ name: String, _ slight: ParseNote.Code, _ grave: ParseNote.Code, _ text: String,
        _ notes: @escaping @Sendable ([UInt8], WebURL) throws -> [ParseNote]
    ) -> Case {
        Case(testDescription: name, slight: slight, grave: grave) {
            try notes(Array(text.utf8), try #require(WebURL("https://shop.example/file")))
        }
    }

    private static func script(_ json: String) -> String { "<script type=\"application/ld+json\">\(json)</script>" }

    private static let twice = #"{"a":1,"a":1}"#
    private static let statement =
        #"{"relation":[],"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"web","site":"https://a.example"}}"#
    private static let untyped = #"<p itemtype="https://schema.org/Thing">x</p>"#
    private static let withoutContext = script(#"{"@type":"Thing","name":"x"}"#)

    static let pages: [Case] = [
        page(
            "JSON-LD script", .json(.duplicateKey), .jsonRepair(.template),
            head: script(
                #"{"@context":"https://schema.org","@type":"Thing","x":[\#(repeated(twice, separator: ","))],"name":"{{title}}"}"#
            ), \.jsonLD.notes),
        page(
            "JSON-LD items", .jsonLD(.contextMissing), .jsonLD(.contextUnknown),
            head: repeated(withoutContext) + script(#"{"@context":"https://other.example/c","@type":"Thing"}"#),
            \.jsonLD.notes),
        page(
            "JSON-LD scripts", .jsonLD(.contextMissing), .jsonLD(.invalid),
            head: repeated(withoutContext)
                + script(#"{"@context":"https://schema.org","@type":"Thing","name":"y",}"#), \.jsonLD.notes),
        page(
            "Microdata elements", .microdata(.itemscopeMissing), .microdata(.itemrefMissing),
            body: repeated(untyped)
                + #"<div itemscope itemtype="https://schema.org/Thing" itemref="nowhere"><b itemprop="name">x</b></div>"#,
            \.microdata.notes),
        page(
            "Microdata items", .microdata(.itemscopeMissing), .microdata(.itempropComma),
            body: repeated(untyped)
                + #"<div itemscope itemtype="https://schema.org/Thing"><b itemprop="name,url">x</b></div>"#,
            \.microdata.notes),
        page(
            "RDFa", .rdfa(.vocabMissing), .rdfa(.dataVocabulary),
            body: repeated(#"<p typeof="Thing">x</p>"#)
                + #"<div vocab="http://rdf.data-vocabulary.org/#" typeof="Product">x</div>"#, \.rdfa.notes),
        page(
            "directives", .robotsDirective(.unknown), .robotsDirective(.value),
            head: String(repeating: "<meta name=\"robots\" content=\"\(repeatedWords)\">", count: count / 50)
                + #"<meta name="robots" content="max-snippet: soon">"#, \.directives.notes),
        page(
            "page", .openGraph(.empty), .jsonLD(.invalid),
            head: repeated(#"<meta property="og:title" content="">"#)
                + script(#"{"@context":"https://schema.org","@type":"Thing","name":"y",}"#)),
    ]

    private static let repeatedWords = Array(repeating: "nosuch", count: 50).joined(separator: ", ")

    static let files: [Case] = [
        file(
            "JSON", .json(.duplicateKey), .json(.loneSurrogate),
            "[\(repeated(twice, separator: ",")),\"\\ud800\"]"
        ) { bytes, _ in
            var parser = JSONParser()
            _ = try parser.parse(bytes)
            return parser.notes
        },
        file(
            "manifest", .json(.duplicateKey), .manifest(.memberMalformed),
            "{\"x\":[\(repeated(twice, separator: ","))],\"start_url\":5}"
        ) { WebAppManifest(bytes: $0, url: $1).notes },
        file(
            "Apple's association file", .association(.unencodedPattern), .association(.wrongType),
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a.b"],"components":[\#(repeated(#"{"/":"/é"}"#, separator: ",")),{"/":5}]}]}}"#
        ) { bytes, _ in AppleAppSiteAssociation(bytes: bytes).notes },
        file(
            "assetlinks.json", .association(.duplicateKey), .association(.malformedStatement),
            "[\(repeated(statement, separator: ",")),5]"
        ) { bytes, _ in AssetLinks(bytes: bytes).notes },
        file(
            "sitemap in XML", .sitemap(.changefreqInvalid), .sitemap(.locInvalid),
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"
                + repeated("<url><loc>https://shop.example/a</loc><changefreq>often</changefreq></url>")
                + "<url><loc>mailto:x</loc></url></urlset>"
        ) { Sitemap(bytes: $0, url: $1).notes },
        file(
            "sitemap in text", .sitemap(.lineUnreadable), .sitemap(.locTooLong),
            "https://shop.example/a\n" + repeated("prose\n")
                + "https://shop.example/\(String(repeating: "a", count: 3_000))\n"
        ) { Sitemap(bytes: $0, url: $1).notes },
        Case(
            testDescription: "robots.txt", slight: .robots(.crawlDelayInvalid), grave: .robots(.patternNotAPath),
            notes: { robots.robotsNotes }, card: { robots.card }),
    ]

    private static let robots = ReportPage("<title>Mug</title>").with {
        $0.robots = repeated("User-agent: a\nCrawl-delay: soon\n") + "Disallow: x\n"
    }

    @Test(arguments: pages + files)
    func `a reader counts all slight faults, and keeps a fault behind them`(example: Case) throws {
        let notes = try example.notes()
        #expect(notes.contains { $0.code == example.grave })
        let kept = notes.filter { $0.code == example.slight }
        #expect(kept.count + kept.reduce(0) { $0 + $1.further } == Self.count)
        #expect(notes.count <= ReadingLimits.standard.maximumNotes + 2)
    }

    @Test(arguments: (pages + files).filter { $0.card != nil })
    func `a card counts the fault behind slight ones, and says how many these are`(example: Case) throws {
        let judge = try #require(example.card)
        let card = judge()
        let entry = NoteMapping.entry(for: example.grave)
        let grave = try #require(card.findings.first { $0.noteCode == example.grave })
        #expect(grave.check.code == entry.check && grave.outcome == entry.outcome)
        #expect(card.counts(of: grave.check.group).verdict >= entry.outcome)
        let slight = card.findings.filter { $0.noteCode == example.slight }
        #expect(slight.contains { $0.sentence.contains("(And \(Self.count - slight.count) more of this kind.)") })
    }
}

extension ReportPage {
    fileprivate var robotsNotes: [ParseNote] { evidence.robots.value?.file.notes ?? [] }
}
