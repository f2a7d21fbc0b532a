import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The report card in its five forms, of pages that try to break out of each.
@Suite struct ReportFormsTests {
    private static let hostile = "</title><script>alert(1)</script>\u{1B}[31m\u{202E}& \"quoted\" 'too' ]]>"

    /// A page whose every text wants to be markup.
    private static let hostilePage = ReportPage(
        """
        <title>&lt;script>alert("title")&lt;/script>\u{202E}</title>
        <meta name="description" content="&quot;>&lt;img src=x onerror=alert(1)> and a good deal more text behind it">
        <meta name="apple-itunes-app" content="app-id=&quot;>&lt;script>alert(2)&lt;/script>">
        <meta property="og:image" content="https://shop.example/a.svg?&quot;onload=&quot;alert(3)">
        <meta property="og:type" content="&lt;b>bold&lt;/b>">
        <meta property="al:ios:url" content="javascript:alert(4)">
        <link rel="canonical" href="https://shop.example/'&quot;&lt;i>">
        <script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"<\\/script><b>x\\u001b[0m",
        "offers":{"@type":"Offer","price":"<script>5<\\/script> €"},
        "aggregateRating":{"@type":"AggregateRating","ratingValue":"4.5","reviewCount":"3"}}</script>
        """)

    private static func document(_ html: String) -> HTMLDocument {
        DecodedDocument(bytes: Array(html.utf8)).document
    }

    // MARK: HTML

    @Test func `nothing of a page becomes markup of its report`() throws {
        let card = Self.hostilePage.card
        let html = card.html
        let document = Self.document(html)
        for name in [HTMLName.script, .iframe, .object, .embed, .img, .form, .base] {
            #expect(document.elements(named: name).isEmpty, "\(name)")
        }
        #expect(!html.contains("\u{202E}") && !html.contains("\u{1B}"))
        for index in document.elements.indices {
            for attribute in document.attributes(of: index) { #expect(!attribute.name.hasPrefix("on"), "\(attribute)") }
        }
        let heading = try #require(document.elements(named: .h1).first)
        #expect(document.textContent(of: heading).contains("</script><b>x"))
    }

    @Test(arguments: [
        (
            #""startDate":"2026-12-06T19:30+01:00","location":{"@type":"Place","name":"Town Hall"}"#,
            "2026-12-06 19:30, Town Hall"
        ),
        (#""startDate":"2026-12-06","eventStatus":"EventCancelled""#, "Cancelled, 2026-12-06"),
        (
            #""startDate":"2026-12-06","location":{"@type":"VirtualLocation","url":"https://shop.example/live"}"#,
            "2026-12-06, online"
        ),
    ])
    func `the preview says when and where an event is`(members: String, shown: String) {
        let page = ReportPage(
            #"<title>Fair of the town</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"Event","name":"Fair","#
                + members + "}</script>")
        #expect(page.card.html.contains(shown))
    }

    @Test func `the report asks for nothing and runs nothing`() {
        let html = Self.hostilePage.card.html
        let document = Self.document(html)
        #expect(document.elements(named: .link).isEmpty)
        #expect(!html.contains("src=\"http") && !html.contains("url(") && !html.contains("@import"))
        #expect(html.contains("default-src &#39;none&#39;"))
        for anchor in document.elements(named: .a) {
            #expect(document.value(of: .href, on: anchor)?.hasPrefix("https://") == true)
        }
    }

    @Test func `the preview shows what a result shows`() throws {
        let html = Self.hostilePage.with {
            $0.head += "<meta property=\"og:site_name\" content=\"Shop\">"
        }.card.html
        #expect(html.contains("4.5 (3)"))
        #expect(html.contains("Shop · shop.example"))
        #expect(html.contains("class=\"w90\""))
    }

    @Test func `a picture is shown by its own bytes, never by its address`() throws {
        let address = "https://shop.example/mug.png"
        let url = try #require(WebURL(address))
        var image = ImageEvidence(url: url, status: 200)
        image.bytes = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let page = ReportPage("<title>Mug</title><meta property=\"og:image\" content=\"\(address)\">")
        #expect(
            page.with { $0.images = [image] }.card.html.contains("<image href=\"data:image/png;base64,iVBORw0KGgo=\""))
        image.bytes = Array("<svg onload=alert(1)>".utf8)
        #expect(!page.with { $0.images = [image] }.card.html.contains("<image"))
    }

    @Test func `the matching of the association file is shown step by step`() {
        let apple = AssociationFetch.apple(
            (
                app: "ABCDE12345.example.shop",
                components:
                    ##"{"/":"/Mug"},{"/":"/<b>*","exclude":true},{"#":"top"},{"/":"/m*","comment":"mugs"},{"/":"/x"}"##
            ))
        let card = ReportPage("<title>Mug</title>").associated(apple: apple).card
        for part in [
            "/&lt;b&gt;*", "no match", "Comment: mugs", "not tried", "upper and lower case only", "fragment nothing",
        ] {
            #expect(card.html.contains(part), "\(part)")
        }
        let entry = card.json["traces"]?.array?.first?["entries"]?.array?.first
        #expect(entry?["components"]?.array?.count == 5)
        #expect(card.json["traces"]?.array?.first?["outcome"]?.string == "match")
        let text = card.text()
        #expect(text.contains("https://shop.example/mug opens in ABCDE12345.example.shop"))
        #expect(text.contains("matches   /m*"), "\(text)")
    }

    @Test func `of a file with very many patterns those are shown that tell something`() {
        let patterns = (0..<2_000).map { #"{"/":"/x\#($0)"}"# }.joined(separator: ",") + #",{"/":"/mug"}"#
        let apple = AssociationFetch.apple((app: "ABCDE12345.example.shop", components: patterns))
        let html = ReportPage("<title>Mug</title>").associated(apple: apple).card.html
        #expect(html.contains("… and 1981 more") && html.contains(">matches<"))
    }

    @Test func `a page that was not read has a report too`() {
        let card = ReportPage().with { $0.ending = .noAnswer(.disallowed("Line 2.")) }.cardWithoutPage
        #expect(card.html.contains("The page was not read"))
        #expect(card.json["record"] == nil)
        #expect(card.text().contains("Not seen from here"))
    }

    // MARK: Text

    @Test func `the text commands no terminal and keeps to 100 columns`() {
        let text = Self.hostilePage.card.text()
        #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
        for line in text.split(separator: "\n") where !line.hasPrefix("      ") && !line.contains("://") {
            #expect(line.count <= 100, "\(line)")
        }
        #expect(Self.hostilePage.card.text(color: true).contains("\u{1B}[31m"))
    }

    // MARK: JSON

    @Test func `the JSON reads back and counts what it holds`() throws {
        let card = Self.hostilePage.card
        var parser = JSONParser()
        let json = try parser.parse(card.json.bytes(pretty: true))
        #expect(json["schemaVersion"]?.integer == ReportCard.schemaVersion)
        #expect(json["url"]?.string == "https://shop.example/mug")
        let findings = try #require(json["findings"]?.array)
        #expect(findings.count == card.findings.count)
        for outcome in Finding.Outcome.allCases {
            #expect(
                json["counts"]?[outcome.rawValue]?.integer
                    == findings.count { $0["outcome"]?.string == outcome.rawValue })
        }
        #expect(json["groups"]?.object?.keys == Check.all.groups.map(\.rawValue))
        #expect(json["record"]?["uniqueIdentifier"]?.string != nil)
        #expect(findings.contains { $0["remedy"]?["code"]?.string != nil && $0["place"]?["line"]?.integer != nil })
    }

    @Test func `JSON-LD to paste cannot end its script`() {
        #expect(Markup.script(["name": "</script>"]).contains("<\\/script>\""))
    }

    // MARK: JUnit

    @Test func `the JUnit report is well-formed XML that counts its cases`() throws {
        let xml = Self.hostilePage.card.junit(failingFrom: .warning)
        let counter = CaseCounter()
        let parser = XMLParser(data: Data(xml.utf8))
        parser.delegate = counter
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(counter.cases == Check.all.count)
        #expect(counter.failures > 0)
        #expect(counter.announced == [counter.cases, counter.failures, counter.skipped])
    }

    private final class CaseCounter: NSObject, XMLParserDelegate {
        var cases = 0
        var failures = 0
        var skipped = 0
        var announced: [Int] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String] = [:]
        ) {
            switch name {
            case "testsuites": announced = ["tests", "failures", "skipped"].map { Int(attributes[$0] ?? "") ?? -1 }
            case "testcase": cases += 1
            case "failure": failures += 1
            case "skipped": skipped += 1
            default: break
            }
        }
    }

    // MARK: SARIF

    private static let script = """
        import json, sys
        from jsonschema import Draft202012Validator
        with open(sys.argv[1], encoding="utf-8") as file:
            schema = json.load(file)
        Draft202012Validator.check_schema(schema)
        errors = [f"{e.json_path}: {e.message}" for e in Draft202012Validator(schema).iter_errors(json.load(sys.stdin))]
        print("\\n".join(errors))
        sys.exit(1 if errors else 0)
        """

    private static func judge(_ sarif: JSONValue) throws -> PythonJudge.Verdict {
        let schema = Fixtures.folder("sarif").appending(path: "sarif-2.1.0-excerpt.schema.json")
        return try PythonJudge(importing: "jsonschema").run(script, [schema.path()], input: sarif.bytes())
    }

    @Test(.slow) func `the SARIF report keeps to the schema`() throws {
        let cards = [
            Self.hostilePage.card, ReportPage().with { $0.ending = .noAnswer(.disallowed("Line 2.")) }.cardWithoutPage,
            ReportPage().with { $0.robots = "Disallow: /\nUser-agent: *\nDisallow: /" }.card,
        ]
        for card in cards {
            let verdict = try Self.judge(card.sarif(artifact: "pages/a mug.html", version: "0.1.0"))
            #expect(verdict.status == 0, "\(verdict.output)")
        }
        #expect(try Self.judge(["version": "2.1.0", "runs": [["results": []]]]).status == 1)
    }

    @Test func `reports link to what is to be read about a check, on the operator's page if there is one`() throws {
        let card = ReportPage("<title>Mug</title>\n<meta name=\"apple-itunes-app\" content=\"app-id=123456789\">").card
        func links(_ card: ReportCard) throws -> [String?] {
            let rules = card.sarif(version: "1")["runs"]?.array?.first?["tool"]?["driver"]?["rules"]?.array
            let rule = try #require(rules?.first { $0["id"]?.string == "L06" })
            #expect(rule["help"]?["text"]?.string == Check.all.first { $0.id == "L06" }?.guide.fix)
            let finding = card.json["findings"]?.array?.first { $0["check"]?.string == "L06" }
            return [rule["helpUri"]?.string, finding?["help"]?.string]
        }
        let source = "https://developer.apple.com/documentation/webkit/promoting-apps-with-smart-app-banners"
        #expect(try links(card) == [source, source])
        #expect(card.html.contains("<a href=\"\(source)\">L06</a>"))
        let settings = try ValidateConfiguration(
            yaml: "validate: { docs_url: \"https://docs.example/Checks.md?a=<b>\" }", file: "pippin.yaml")
        let own = "https://docs.example/Checks.md?a=%3Cb%3E#l06"
        let tuned = card.tuned(by: settings.tuning)
        #expect(try links(tuned) == [own, own])
        #expect(tuned.html.contains("<a href=\"\(own)\">L06</a>"))
        let series = CardSeries(.sarif(version: "1", docs: settings.tuning.docs), failingFrom: .error)
        #expect(series.beginning.contains("\"helpUri\":\"\(own)\""))
        for wrong in ["ftp://docs.example/", "Checks.md", "https://docs.example/#a"] {
            #expect(throws: ConfigurationError.self) {
                try ValidateConfiguration(yaml: "validate: { docs_url: \"\(wrong)\" }", file: "pippin.yaml")
            }
        }
    }

    @Test func `SARIF results point into the file and at their rule`() throws {
        let page = ReportPage("<title>Mug</title>\n<meta name=\"apple-itunes-app\" content=\"app-id=123456789\">")
        let run = try #require(page.card.sarif(artifact: "mug page.html", version: "0.1.0")["runs"]?.array?.first)
        let result = try #require(run["results"]?.array?.first { $0["ruleId"]?.string == "L06" })
        #expect(result["level"]?.string == "warning")
        let location = result["locations"]?.array?.first?["physicalLocation"]
        #expect(location?["artifactLocation"]?["uri"]?.string == "mug%20page.html")
        #expect(location?["region"]?["startLine"]?.integer == 3)
        let index = try #require(result["ruleIndex"]?.integer)
        #expect(run["tool"]?["driver"]?["rules"]?.array?[index]["id"]?.string == "L06")
    }
}
