import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// Checks that the operator writes in `validate.checks`.
@Suite struct OwnCheckTests {
    private static func settings(_ checks: String, _ more: String = "") throws -> ValidateConfiguration {
        let lines = checks.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
        return try ValidateConfiguration(
            yaml: "validate:\n  checks:\n\(lines)\n\(more)", file: "site/pippin.yaml")
    }

    private static func page(_ items: String) -> ReportPage {
        ReportPage(
            "<title>Mugs</title><script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@graph\":[\(items)]}</script>"
        )
    }

    private static let mugs = page(
        #"{"@type":"Product","name":"Mug","sku":"A-12","url":"/mug","image":["a","b"],"releaseDate":"2026-02-30","offers":{"@type":"Offer","price":"12.50"}}"#
    )

    /// The findings of a check with one condition.
    private static func findings(_ condition: String, of page: ReportPage = mugs, _ path: String = "$..sku") throws
        -> [Finding]
    {
        let own = try settings("own: { path: \"\(path)\", severity: error, message: \"So it is.\", \(condition) }")
            .ownChecks
        return page.with { $0.options.ownChecks = own }.card.findings.filter { $0.check.id == "own" }
    }

    /// What the path of a check finds in a document.
    private static func found(_ own: OwnCheck, in document: JSONValue) -> PageQuery.Result {
        let found = own.query.path?.values(in: document, steps: 100_000)
        return PageQuery.Result(
            values: (found?.values ?? []).map { PageQuery.Value(content: $0, element: nil, line: nil) }, gaps: [],
            isCut: found?.isCut ?? false)
    }

    // MARK: Limits

    @Test func `what is longer than is compared is undecided, unless its beginning decides`() throws {
        let text = String(repeating: "ä", count: 4_001) + "Imprint"
        for (condition, isOpen) in [
            ("matches: Imprint", true), ("max_length: 9000", true), ("max_length: 100", false),
            ("min_length: 9000", true),
            ("min_length: 100", false), ("equals: Mug", false),
        ] {
            let own = try Self.settings("own: { path: $.a, severity: error, \(condition) }").ownChecks[0]
            let found = PageQuery.Result(
                values: [PageQuery.Value(content: .string(text), element: nil, line: nil)], gaps: [], isCut: false)
            #expect(found.values[0].isCut && found.values[0].text.hasSuffix("ää"))
            let words = own.verdicts(of: found, in: nil).map(\.sentence)
            #expect(words.contains { $0.contains("too long to compare") } == isOpen, "\(condition): \(words)")
        }
    }

    @Test func `null is no value, and one number is no two`() throws {
        let own = try Self.settings("own: { path: $.a, exists: true, is: number }").ownChecks[0]
        for (value, isGood) in [
            (JSONValue.null, false), ("10 - 20", false), ("5, 7", false), ("1 234,50", true), ("-3", true),
            ("1e-6", true),
            (".5", true), ("5.", true), (" 12 ", true), ("1-2", false),
        ] {
            let found = PageQuery.Result(
                values: [PageQuery.Value(content: value, element: nil, line: nil)], gaps: [], isCut: false)
            let passed = own.verdicts(of: found, in: nil).allSatisfy { $0.outcome == .pass }
            #expect(passed == isGood, "\(value)")
        }
    }

    // MARK: Conditions

    @Test(arguments: [
        ("exists: true", "$.record.title", nil), ("exists: true", "$.record.none", "$.record.none is not there."),
        ("absent: true", "$.record.none", nil),
        ("absent: true", "$.record.title", "$.record.title is there 1 time, and should not be."),
        ("min_count: 1", "$.metadata.title", nil),
        ("min_count: 3", "$.record.title", "$.record.title is there 1 time, and at least 3 are asked for."),
        ("max_count: 1", "$.record[*]", "and at most 1 are allowed."), ("max_count: 5", "$.record.none", nil),
        ("equals: Mug", "$.record.title", nil),
        ("equals: Cup", "$.record.title", "$.record.title is “Mug”, not “Cup”."),
        ("one_of: [Cup, Mug]", "$.record.title", nil),
        ("one_of: [Cup, Jug]", "$.record.title", "$.record.title is “Mug”, which is none of “Cup” and “Jug”."),
        ("matches: '^[A-Z][a-z]+$'", "$.record.title", nil),
        ("matches: '^[a-z]+$'", "$.record.title", "$.record.title is “Mug”, which does not match ^[a-z]+$."),
        (
            "min_length: 4", "$.record.title",
            "$.record.title is “Mug”, which has 3 characters and should have at least 4 characters."
        ),
        ("max_length: 3", "$.record.title", nil), ("at_least: 12.5", "$.record.price", nil),
        ("at_most: 12", "$.record.price", "$.record.price is “12.50”, which should be at most 12."),
        ("at_least: 1", "$.record.title", "$.record.title is “Mug”, which has no number."),
        ("is: number", "$.record.price", nil), ("is: url", "$.record.url", nil),
        ("is: date", "$.record.title", "$.record.title is “Mug”, which is no date."),
        ("is: url", "$.record.title", "$.record.title is “Mug”, which is no http or https URL."),
        // What must be true of a value asks for one, if nothing else is said.
        ("equals: Mug", "$.record.none", "$.record.none is not there."),
        ("equals: Mug, min_count: 0", "$.record.none", nil),
    ]) func `a condition holds or fails with a sentence`(condition: String, path: String, sentence: String?) throws {
        let document: JSONValue = [
            "metadata": ["title": "Mug"],
            "record": ["title": "Mug", "price": "12.50", "url": "https://shop.example/mug"],
        ]
        let own = try Self.settings("own: { path: \"\(path)\", severity: error, message: \"So it is.\", \(condition) }")
            .ownChecks[0]
        let verdicts = own.verdicts(of: Self.found(own, in: document), in: nil)
        #expect(verdicts.count == 1)
        #expect(verdicts[0].outcome == (sentence == nil ? .pass : .error))
        if let sentence { #expect(verdicts[0].sentence.hasSuffix(sentence), "\(verdicts[0].sentence)") }
    }

    @Test func `each value that is wrong is a finding`() throws {
        let own = try Self.settings("own: { path: \"$[*]\", matches: \"^[0-9]+$\" }").ownChecks[0]
        let verdicts = own.verdicts(of: Self.found(own, in: ["1", "a", "2", "b"]), in: nil)
        #expect(verdicts.map(\.sentence).count == 2 && verdicts.allSatisfy { $0.outcome == .warning })
    }

    @Test(arguments: [
        ("selector: .price, exists: true", [] as [(Int?, String)]),
        (
            "selector: .price, matches: \"^[0-9]+ €$\"",
            [
                (3, ".price is “free”, which does not match ^[0-9]+ €$."),
                (4, ".price has no value: the element has no text."),
            ]
        ),
        ("selector: .price, min_count: 3", []),
        ("selector: .price, max_count: 1", [(3, ".price is there 3 times, and at most 1 are allowed.")]),
        ("selector: .ad, absent: true", [(5, ".ad is there 1 time, and should not be.")]),
        (
            "selector: img, attribute: alt, min_length: 2",
            [
                (6, "alt of img is “x”, which has 1 character and should have at least 2 characters."),
                (7, "alt of img has no value: the element has no attribute \"alt\"."),
            ]
        ),
        ("selector: \"#state\", path: $.build, is: number", []),
        ("selector: \"#state\", path: $.name, equals: b", [(8, "$.name in #state is “a”, not “b”.")]),
    ]) func `findings have the lines of the elements`(condition: String, found: [(Int?, String)]) throws {
        let page = ReportPage().with {
            $0.html = """
                <!DOCTYPE html><html lang=en><title>Mugs</title><body>
                <p class=price>3 €</p>
                <p class=price>free</p>
                <p class=price></p>
                <div class=ad></div>
                <img src=a alt=x>
                <img src=b>
                <script id=state type=application/json>{"build":7,"name":"a"}</script>
                """
        }
        let own = try Self.settings("own: { severity: error, \(condition) }").ownChecks
        let findings = page.with { $0.options.ownChecks = own }.card.findings("own")
        #expect(findings.filter { $0.outcome == .error }.map(\.sentence) == found.map(\.1))
        #expect(findings.filter { $0.outcome == .error }.map(\.place?.line) == found.map(\.0))
        #expect(findings.allSatisfy { $0.outcome == (found.isEmpty ? .pass : .error) })
    }

    // MARK: In the card

    private static let checks = """
        sku-form: { path: "$.jsonLD..[?@['@type']=='Product'].sku", matches: "^[0-9]+$", severity: error, message: "The SKU is <b>a</b> number.", fix: "Number it & say so." }
        has-title: { selector: title, exists: true, severity: warning, message: "There is a title" }
        """

    private static func card(_ more: String = "", _ page: ReportPage = mugs) throws -> ReportCard {
        let settings = try settings(checks, more)
        return page.with { $0.options.ownChecks = settings.ownChecks }.card.tuned(by: settings.tuning)
    }

    @Test func `an own check is in the card as ours are, in every form`() throws {
        let card = try Self.card()
        let found = card.findings("sku-form")
        try #require(found.count == 1 && found[0].outcome == .error, "\(card.text())")
        #expect(card.findings("has-title").map(\.outcome) == [.pass])
        #expect(card.groups.last == .custom && card.counts(of: .custom).error == 1)
        let text = card.text()
        #expect(text.contains("Checks of your own"))
        #expect(
            text.contains("Wanted: The SKU is <b>a</b> number. The settings ask for it (validate.checks.sku-form)."))
        #expect(text.contains("Number it & say so."))
        let html = card.html
        #expect(html.contains("The SKU is &lt;b&gt;a&lt;/b&gt; number") && !html.contains("<b>a</b>"))
        #expect(html.contains("Number it &amp; say so.") && html.contains("<h3>Checks of your own</h3>"))
        let json = card.json
        #expect(json["groups"]?["custom"]?["counts"]?["error"]?.integer == 1)
        let finding = try #require(json["findings"]?.array?.first { $0["check"]?.string == "sku-form" })
        #expect(finding["group"]?.string == "custom" && finding["fingerprint"]?.string?.count == 16)
        #expect(finding["remedy"]?["text"]?.string == "Number it & say so.")
        let verdict = try ReportSchema.card.verdict(of: json.bytes(), isStrict: true)
        #expect(verdict.status == 0, "\(verdict.output.prefix(2_000))")
        let run = try #require(card.sarif(version: "1")["runs"]?.array?.first)
        let rules = try #require(run["tool"]?["driver"]?["rules"]?.array)
        #expect(rules.count == Check.all.count + 2)
        let rule = try #require(rules.first { $0["id"]?.string == "sku-form" })
        #expect(rule["fullDescription"]?["text"]?.string?.hasPrefix("Wanted: The SKU is <b>a</b> number.") == true)
        #expect(rule["defaultConfiguration"]?["level"]?.string == "error")
        let result = try #require(run["results"]?.array?.first { $0["ruleId"]?.string == "sku-form" })
        #expect(result["ruleIndex"]?.integer.map { rules[$0]["id"]?.string } == "sku-form")
        let junit = card.junit()
        #expect(junit.contains("<testsuite name=\"custom\" tests=\"2\" failures=\"1\""))
        #expect(junit.contains("sku-form The SKU is &lt;b&gt;a&lt;/b&gt; number"))
        let page = NamedCard(name: "mugs.html", isFile: true, card: card)
        #expect(page.workflowCommands.contains("sku-form"))
        var index = CardIndex(of: page, failingFrom: .error)
        #expect(index.markdown.contains("sku-form"))
        #expect(index.fails(within: FindingBudgets()))
        index = CardIndex(of: NamedCard(name: "a", isFile: true, card: Self.mugs.card), failingFrom: .error)
        #expect(!index.markdown.contains("sku-form"))
    }

    @Test func `a card without own checks has no group for them`() {
        let card = Self.mugs.card
        #expect(card.json["groups"]?["custom"] == nil && !card.text().contains("Checks of your own"))
        #expect(!card.junit().contains("custom") && card.groups.count == 4)
    }

    @Test func `own checks are ignored, chosen, graded, budgeted and accepted like ours`() throws {
        #expect(try Self.card("  ignore: [sku-form]").findings("sku-form").isEmpty)
        #expect(try Self.card("  only: [custom]").findings.allSatisfy { $0.check.group == .custom })
        #expect(try Self.card("  only: [custom]").text().contains("Judged only: custom."))
        #expect(try Self.card("  severities: { custom: info }").findings("sku-form").map(\.outcome) == [.info])
        #expect(try Self.card("  rules: [{ paths: [\"/mug\"], ignore: [SKU-form] }]").ignoredCount == 0)
        let budgets = try Self.settings(Self.checks, "  max_errors: { custom: 0, sku-form: 5 }").budgets
        let index = CardIndex(of: NamedCard(name: "a", isFile: true, card: try Self.card()), failingFrom: .error)
        #expect(
            index.excesses(of: budgets) == ["validate.max_errors.custom allows 0 errors, and there is 1: 1 too many"])
        var baseline = FindingBaseline()
        baseline.accept(try Self.card(), page: "a")
        let marked = baseline.marked(try Self.card(), page: "a").card
        #expect(marked.findings("sku-form").allSatisfy { $0.isKnown })
    }

    @Test func `the list of checks has them`() throws {
        let own = try Self.settings(Self.checks).ownChecks
        let unnamed = try Self.settings("own: { selector: .draft, absent: true }").ownChecks[0]
        #expect(unnamed.check.title == "Nothing is at .draft")
        let rules = CardRules(checks: true, types: false, previews: false, for: .twitter, ownChecks: own)
        #expect(
            rules.text.contains("Checks of your own\n  sku-form   error    The SKU is <b>a</b> number\n"),
            "\(rules.text)")
        var parser = JSONParser()
        let checks = try parser.parse(rules.json)["checks"]?.array ?? []
        #expect(checks.last?["check"]?.string == "has-title" && checks.last?["group"]?.string == "custom")
        #expect(checks.last?["fix"]?.string == "Make it so: title is there.")
    }

    @Test func `a check is made where its patterns and types say`() throws {
        func made(_ scope: String, _ page: ReportPage = Self.mugs) throws -> Bool {
            try !Self.findings("absent: true, " + scope, of: page).isEmpty
        }
        #expect(try made("only: \"https://shop.example/*\""))
        #expect(try !made("only: [\"https://other.example/*\"]"))
        #expect(try !made("except: \"*/mug\""))
        #expect(try made("types: [Product]") && made("types: thing"))
        #expect(try !made("types: [Recipe]"))
        let placeless = Self.mugs.with { $0.url = UnknownAddress.url.href }
        let finding = try #require(try Self.findings("absent: true, only: \"*\"", of: placeless).first)
        #expect(finding.outcome == .unknown)
    }

    @Test func `the example of the documentation does what it says`() throws {
        let section = try #require(
            String(contentsOf: Repository.root.appending(path: "Docs/ReportCard.md"), encoding: .utf8).split(
                separator: "\n## Checks of your own\n"
            ).last)
        let yaml = try #require(section.split(separator: "```yaml\n").dropFirst().first?.split(separator: "```").first)
        let settings = try ValidateConfiguration(yaml: String(yaml), file: "pippin.yaml")
        func outcomes(_ body: String, url: String = "https://shop.example/mug", sku: String = "AB-1234") -> [String:
            Finding.Outcome]
        {
            let page = Self.page("{\"@type\":\"Product\",\"name\":\"Mug\",\"sku\":\"\(sku)\"}").with {
                $0.body = "<main>\(body)</main>"
                $0.url = url
                $0.options.ownChecks = settings.ownChecks
            }
            let found = page.card.findings.filter { $0.check.group == .custom }
            return Dictionary(found.map { ($0.check.id, $0.outcome) }) { max($0, $1) }
        }
        let good = outcomes("<p class=price>12.50 €</p>")
        #expect(good == ["price-shown": .pass, "pictures-told": .pass, "sku-form": .pass, "no-drafts": .pass])
        let bad = outcomes("<img src=a alt=a><p class=draft-banner></p>", sku: "1")
        #expect(bad == ["price-shown": .error, "pictures-told": .warning, "sku-form": .warning, "no-drafts": .error])
        #expect(outcomes("<p class=draft-banner>", url: "https://preview.example/mug")["no-drafts"] == nil)
    }

    // MARK: Limits

    @Test func `what cannot be decided is said`() throws {
        let own = try Self.settings("own: { path: \"$[*]\", matches: \"(a?){400}b\", severity: error }").ownChecks[0]
        let values = JSONValue.array(Array(repeating: .string(String(repeating: "a", count: 5_000)), count: 10))
        let slow = own.verdicts(of: Self.found(own, in: values), in: nil)
        #expect(
            slow.map(\.outcome) == [.warning]
                && slow[0].sentence.hasPrefix("This could not be decided: $[*] takes too long"))
        let absent = try Self.settings("own: { path: \"$..[?@..[?@..x]].none\", absent: true, severity: info }")
            .ownChecks[0]
        var deep: JSONValue = 1
        for _ in 0..<60 { deep = .array([deep, deep.array?.last ?? 1]) }
        let many = JSONValue.array(Array(repeating: deep, count: 300))
        let cut = absent.verdicts(of: Self.found(absent, in: many), in: nil)
        #expect(
            cut.map(\.outcome) == [.info] && cut[0].sentence.contains("could not be decided: the page has too much"))
    }

    // MARK: The configuration

    @Test(arguments: [
        ("a: { path: \"$.a\" }", "site/pippin.yaml:3:8: validate.checks.a: needs a condition: exists, absent,"),
        ("a: { exists: true }", "validate.checks.a: needs a selector or a path"),
        ("a: { selector: \"p >\", exists: true }", "site/pippin.yaml:3:20: validate.checks.a.selector: "),
        ("a: { path: \"$.a\", attribute: src, exists: true }", "validate.checks.a.attribute: needs a selector"),
        (
            "a: { path: \"$.a[\", exists: true }",
            "site/pippin.yaml:3:16: validate.checks.a.path: expected a name in quotes"
        ),
        ("a: { path: \"$.a\", exist: true }", "unknown key \"exist\" in validate.checks.a; did you mean \"exists\"?"),
        ("a: { path: \"$.a\", matches: \"a(\" }", "validate.checks.a.matches: \"(\" is not closed"),
        ("a: { path: \"$.a\", absent: true, equals: b }", "validate.checks.a.absent: contradicts the other conditions"),
        ("a: { path: \"$.a\", exists: true, absent: true }", "contradicts the other conditions"),
        (
            "a: { path: \"$.a\", min_count: 3, max_count: 2 }",
            "validate.checks.a.max_count: 2 is less than min_count, 3"
        ),
        ("a: { path: \"$.a\", min_length: 3, max_length: 2 }", "max_length: 2 is less than min_length, 3"),
        ("a: { path: \"$.a\", at_least: 3, at_most: 2 }", "at_most: is less than at_least"),
        ("a: { path: \"$.a\", equals: b, one_of: [b] }", "one_of: contradicts equals; keep one"),
        ("a: { path: \"$.a\", equals: b, matches: \"^c\" }", "equals: \"b\" contradicts another condition: matches ^c"),
        ("a: { path: \"$.a\", is: date, at_least: 2 }", "is: date contradicts at_least"),
        ("a: { path: \"$.a\", exists: false }", "exists: is only ever true; write absent: true"),
        ("a: { path: \"$.a\", is: phone }", "expected one of url, date, number"),
        ("a: { path: \"$.a\", exists: true, severity: fatal }", "expected one of info, warning, error"),
        (
            "a: { path: \"$.a\", exists: true, types: [Prodct] }",
            "\"Prodct\" is no type of schema.org; did you mean \"Product\"?"
        ),
        ("s14: { path: \"$.a\", exists: true }", "\"s14\" is one of Pippin's own names; choose another, like own-s14"),
        ("custom: { path: \"$.a\", exists: true }", "is one of Pippin's own names"),
        ("technical: { path: \"$.a\", exists: true }", "is one of Pippin's own names"),
        ("A_b: { path: \"$.a\", exists: true }", "\"A_b\" is no name; write small letters"),
        ("a: [b]", "validate.checks.a"),
    ]) func `a mistake has its place and what to do`(checks: String, sentence: String) {
        #expect { try Self.settings(checks) } throws: { error in
            if !"\(error)".contains(sentence) { Issue.record("\(error)") }
            return "\(error)".contains(sentence)
        }
    }

    @Test func `there are at most 100 checks, and those of mistyped names are suggested`() throws {
        let many = (0...100).map { "c\($0): { path: \"$.a\", exists: true }" }.joined(separator: "\n")
        #expect { try Self.settings(many) } throws: { "\($0)".contains("has 101 checks; 100 are possible") }
        #expect { try Self.settings(Self.checks, "  ignore: [sku-from]") } throws: {
            "\($0)".contains("did you mean \"sku-form\"?")
        }
    }
}
