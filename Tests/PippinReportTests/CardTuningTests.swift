import Foundation
import Testing

@testable import PippinPage
@testable import PippinReport

/// What the operator makes of a finished card: ignored checks, other severities, known findings.
@Suite struct CardTuningTests {
    /// A banner whose argument is no URL (L07: an error), no og: properties (S14), nothing for a phone (T10).
    private static let page = ReportPage(
        "<title>Mug</title><meta name=\"apple-itunes-app\" content=\"app-id=123456789, app-argument=mug\">")

    private func outcomes(_ card: ReportCard, _ id: String) -> [Finding.Outcome] {
        card.findings.filter { $0.check.id == id }.map(\.outcome)
    }

    @Test func `ignored findings are neither counted nor shown, and their number is told in every form`() throws {
        let plain = Self.page.card
        try #require(outcomes(plain, "L07").contains(.error))
        var tuning = CardTuning()
        tuning.ignored = try #require(Check.all.chosen(by: "l07"))
        let card = plain.tuned(by: tuning)
        let before = plain.findings.count { $0.check.id == "L07" && $0.outcome >= .info }
        #expect(outcomes(card, "L07").isEmpty && card.ignoredCount == before)
        #expect(card.counts().error == plain.counts().error - outcomes(plain, "L07").count { $0 == .error })
        #expect(card.text().contains("\(before) finding") && card.text().contains("ignored."))
        #expect(card.html.contains("ignored."))
        #expect(card.json["ignored"]?.integer == before)
        #expect(!card.junit().contains("L07") && plain.junit().contains("L07"))
        #expect(!card.sarif(version: "1").text().contains("\"ruleId\":\"L07\""))
        #expect(plain.tuned(by: CardTuning()).text() == plain.text())
    }

    @Test func `only some checks are judged if the operator says so`() throws {
        var tuning = CardTuning()
        tuning.only = try #require(Check.all.chosen(by: "deep-links")).union(try #require(Check.all.chosen(by: "S01")))
        let card = Self.page.card.tuned(by: tuning)
        #expect(card.findings.allSatisfy { $0.check.group == .deepLinks || $0.check.id == "S01" })
        #expect(card.ignoredCount == 0)
        #expect(card.text().contains("Judged only: deep-links and S01."))
        #expect(card.notApplicable.allSatisfy { $0.group == .deepLinks })
    }

    @Test func `severities and rules for paths change findings, later rules first`() throws {
        let l07 = try #require(Check.all.chosen(by: "L07"))
        let code = try #require(l07.first)
        var tuning = CardTuning()
        tuning.severities = [code: .info]
        #expect(outcomes(Self.page.card.tuned(by: tuning), "L07").allSatisfy { $0 == .info })
        // What passes stays in order.
        let passing = Check.all.first { check in
            Self.page.card.findings.contains { $0.check.id == check.id && $0.outcome == .pass }
        }
        let other = try #require(passing)
        tuning.severities = [other.code: .error]
        #expect(outcomes(Self.page.card.tuned(by: tuning), other.id) == [.pass])

        let shop = try #require(PathGlob("/shop/**"))
        let sale = try #require(PathGlob("/shop/sale/*"))
        tuning.severities = [:]
        tuning.rules = [
            CardTuning.Rule(paths: [shop], ignored: l07), CardTuning.Rule(paths: [sale], severities: [code: .warning]),
        ]
        #expect(outcomes(Self.page.card.tuned(by: tuning, paths: ["blog/a.html"]), "L07").contains(.error))
        #expect(outcomes(Self.page.card.tuned(by: tuning, paths: ["shop/a.html", "/shop/a"]), "L07").isEmpty)
        #expect(
            outcomes(Self.page.card.tuned(by: tuning, paths: ["/shop/sale/a"]), "L07").allSatisfy { $0 == .warning })
    }

    @Test func `unknown names are refused with the nearest known one`() {
        #expect(Check.all.chosen(by: "S99") == nil && Check.all.chosen(by: "") == nil)
        #expect(Check.all.unknownChoice("deep-link").contains("did you mean \"deep-links\"?"))
        #expect(Check.all.chosen(by: "Technical")?.count == Check.all.count { $0.group == .technical })
    }
}

/// Known findings fail nothing, new ones do.
@Suite struct FindingBaselineTests {
    private static let page = ReportPage(
        "<title>Mug</title><meta name=\"apple-itunes-app\" content=\"app-id=123456789, app-argument=mug\">")

    private func accepted(_ page: ReportPage) -> FindingBaseline {
        var baseline = FindingBaseline()
        baseline.accept(page.card, page: "mug.html")
        return baseline
    }

    @Test func `a baseline of a page makes all of its findings known, wherever their lines move`() throws {
        let baseline = accepted(Self.page)
        #expect(baseline.count == Self.page.card.counts().error + Self.page.card.counts().warning)
        let moved = Self.page.with { $0.head = "\n\n  <!-- a comment -->\n\n" + $0.head }
        try #require(
            moved.card.findings.compactMap { $0.place?.line } != Self.page.card.findings.compactMap { $0.place?.line })
        let (card, stale) = baseline.marked(moved.card, page: "mug.html")
        #expect(stale == 0 && !card.fails(from: .warning))
        #expect(card.counts() == moved.card.counts())
        #expect(card.text(listsKnown: true).contains("Known: "))
        let short = card.text()
        #expect(!short.contains("Known: ") && short.contains("0 new. --verbose lists what is known."))
        #expect(card.html.contains(">Known</span>"))
        #expect(!card.junit(failingFrom: .warning).contains("<failure"))
        #expect(card.json["baseline"]?["new"]?.integer == 0)
        let sarif = card.sarifWithBaseline(version: "1").text()
        #expect(sarif.contains("\"baselineState\":\"unchanged\""))
        #expect(baseline.marked(moved.card, page: "cup.html").card.fails(from: .warning))
    }

    @Test func `a new finding fails, one too many of the same kind too, and what is fixed is told`() {
        let baseline = accepted(Self.page)
        let worse = Self.page.with { $0.head += "<meta name=\"twitter:app:id:iphone\" content=\"none\">" }
        let (card, _) = baseline.marked(worse.card, page: "mug.html")
        #expect(card.findings.contains { $0.fails(from: .warning) && $0.check.id == "L18" })

        let fixed = Self.page.with {
            $0.head = $0.head.replacing(
                "app-id=123456789", with: "app-id=123456789, app-argument=https://shop.example/mug")
        }
        let (after, stale) = baseline.marked(fixed.card, page: "mug.html")
        #expect(stale > 0 && after.findings.allSatisfy { !$0.isKnown || $0.check.id != "L07" })
        // A check that was left out in this run is not fixed.
        var tuning = CardTuning()
        tuning.ignored = Set(Check.all.map(\.code))
        #expect(baseline.marked(fixed.card.tuned(by: tuning), page: "mug.html").stale == 0)
    }

    @Test func `the file is sorted, one finding a line, and says the same when it is read again`() throws {
        var baseline = accepted(Self.page)
        baseline.accept(Self.page.card, page: "a \"quoted\" page.html")
        let text = String(decoding: baseline.bytes, as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.first == "{\"pippinBaseline\":1}")
        #expect(Array(lines.dropFirst()) == lines.dropFirst().sorted())
        let read = try FindingBaseline(bytes: baseline.bytes)
        #expect(read == baseline)
        // Accepting the same again changes no byte.
        var again = read
        again.accept(Self.page.card, page: "mug.html")
        #expect(again.bytes == baseline.bytes)
        again.remove(page: "mug.html")
        #expect(Array(again.pageNames) == ["a \"quoted\" page.html"])
    }

    @Test(arguments: [
        ("{\"pippinBaseline\":1}\n{\"page\":", 2), ("[]\n", 1), ("{\"pippinBaseline\":2}\n", 1),
        ("{\"pippinBaseline\":1}\n\n{\"page\":\"a\",\"check\":\"S01\"}\n", 3),
        ("{\"pippinBaseline\":1}\n{\"page\":\"a\",\"check\":\"S01\",\"fingerprint\":\"0\",\"count\":-1}\n", 2),
    ])
    func `a broken file is refused with its line`(text: String, line: Int) throws {
        let fault = try #require(throws: FindingBaseline.Fault.self) { try FindingBaseline(bytes: Array(text.utf8)) }
        #expect(fault.line == line)
    }

    private static func finding(_ sentence: String, _ place: Finding.Place? = nil) throws -> Finding {
        Finding(try #require(Check.withID("S01")), Verdict(.warning, sentence, at: place))
    }

    /// Sentences of one finding at two times, and whether they say the same.
    @Test(arguments: [
        // Counts, measures, lines and dates change from day to day.
        ("It took 1,200 ms.", "It took 900 ms.", true),
        ("It took 1200ms.", "It took 90ms.", true),
        ("0.5 s, then 12", "7 s, then 1", true),
        ("The title has 92 characters.", "The title has 105 characters.", true),
        ("The picture has 120×80 pixels.", "The picture has 1200×630 pixels.", true),
        ("The picture has 120x80 pixels.", "The picture has 1200x630 pixels.", true),
        ("price is “12.00”", "price is “1,299.00”", true),
        ("the price is “$12.00”", "the price is “$9.50”", true),
        ("The rating counts 12 votes (2 of 5).", "The rating counts 7 votes (3 of 6).", true),
        ("validThrough “2026-01-31” has passed.", "validThrough “2026-02-28” has passed.", true),
        (
            "validThrough “2026-01-31T08:00:00Z” has passed.", "validThrough “2026-02-28T09:30:00+02:00” has passed.",
            true
        ),
        ("“20251031” is over", "“20251101” is over", true),
        ("since 3 September 2025", "since 21 September 2026", true),
        ("100 % of 10/12", "50 % of 5/12", true),
        ("See line 12, column 3.", "See line 9, column 30.", true),
        // Statuses and identifiers say what is meant.
        ("The page answers with status 404.", "The page answers with status 500.", false),
        ("It gave HTTP 403.", "It gave HTTP 503.", false),
        ("The app ID 958625272 is not in the store.", "The app ID 284882215 is not in the store.", false),
        ("“958625272” is another app than “284882215”", "“958625272” is another app than “389801252”", false),
        ("app-id=958625272 names no app", "app-id=284882215 names no app", false),
        ("com.example.app2 is unknown", "com.example.app3 is unknown", false),
        ("https://shop.example/p/17 is closed", "https://shop.example/p/18 is closed", false),
        ("telephone “+16505550100” cannot be dialed", "telephone “+16505550101” cannot be dialed", false),
        ("nothing listens at shop.example:8443", "nothing listens at shop.example:8444", false),
        ("S05 says so", "S06 says so", false),
        ("a is missing", "b is missing", false),
    ])
    func `a fingerprint keeps the numbers that say what is meant, and no others`(a: String, b: String, isSame: Bool)
        throws
    {
        #expect((try Self.finding(a).fingerprint == Self.finding(b).fingerprint) == isSame)
        #expect(try Self.finding(a).fingerprint.count == 16)
    }

    @Test func `a fingerprint depends on the place's name, and not on its line`() throws {
        func fingerprint(_ name: String, _ line: Int) throws -> String {
            try Self.finding("a", .markup(name, line: line)).fingerprint
        }
        #expect(try fingerprint("title", 3) == fingerprint("title", 30))
        #expect(try fingerprint("title", 3) != fingerprint("meta", 3))
    }

    @Test func `a baseline of an earlier version still knows its findings, and is renewed`() throws {
        let page = Self.page.with {
            $0.head = $0.head.replacing(
                "app-id=123456789", with: "app-id=123456789, app-argument=http://shop2.example/1")
        }
        let baseline = accepted(page)
        let old = page.card.findings.filter { $0.outcome >= .warning }.map { finding in
            #"{"page":"mug.html","check":"\#(finding.check.id)","fingerprint":"\#(finding.fingerprintWithoutDigits)","count":1}"#
        }
        try #require(
            page.card.findings.contains { $0.fingerprint != $0.fingerprintWithoutDigits && $0.outcome >= .warning })
        var read = try FindingBaseline(bytes: Array(("{\"pippinBaseline\":1}\n" + old.joined(separator: "\n")).utf8))
        let (card, stale) = read.marked(page.card, page: "mug.html")
        #expect(!card.fails(from: .warning) && stale == 0)
        read.accept(page.card, page: "mug.html")
        #expect(read.count == baseline.count)
        #expect(!read.marked(page.card, page: "mug.html").card.fails(from: .warning))
    }
}

/// Checks with more findings than a card lists.
@Suite struct GravestFindingTests {
    /// Offers that are advice, and behind them one that is wrong.
    private static func page(advice: Int, errors: Int) -> ReportPage {
        // S07: a rating of no votes is advice, one out of its scale is not.
        let empty =
            #"{"@type": "AggregateRating", "ratingValue": 4, "ratingCount": 0, "itemReviewed": {"@type": "Book", "name": "B"}}"#
        let wrong =
            #"{"@type": "AggregateRating", "ratingValue": 9, "ratingCount": 3, "itemReviewed": {"@type": "Book", "name": "B"}}"#
        let items = Array(repeating: empty, count: advice) + Array(repeating: wrong, count: errors)
        return ReportPage(
            "<title>Mug</title><script type=\"application/ld+json\">{\"@context\": \"https://schema.org\", \"@graph\": ["
                + items.joined(separator: ",") + "]}</script>")
    }

    @Test(arguments: [(0, 1), (4, 1), (5, 1), (6, 2), (19, 3), (21, 1), (40, 9)])
    func `the gravest finding counts, wherever it stands, and the summary counts all`(advice: Int, errors: Int) throws {
        let card = Self.page(advice: advice, errors: errors).card
        let own = card.findings("S07")
        #expect(own.count == min(advice + errors, StructuredDataChecks.shownPerCheck))
        #expect(own.first?.outcome == .warning)
        #expect(JudgedPage(card).findings.first { $0.check.id == "S07" }?.outcome == .warning)
        var counts = ReportCard.Counts()
        for finding in own {
            counts.count(finding.outcome)
            counts.add(finding.unlisted)
        }
        #expect(counts == ReportCard.Counts(warning: errors, info: advice))
        let without = Self.page(advice: 0, errors: 0).card.counts()
        #expect(card.counts().info - without.info == advice && card.counts().warning - without.warning == errors)
        // The kept card of a crawl, and the card with the crawl's evidence, count the same.
        #expect(try ReportCard(kept: card.kept()).counts() == card.counts())
        #expect(card.completed(by: CrawlEvidence()).findings("S07").map(\.unlisted) == own.map(\.unlisted))
        if advice + errors > StructuredDataChecks.shownPerCheck {
            #expect(card.text().contains("S07 has more that are not listed: "))
            #expect(card.html.contains("S07 has more that are not listed: "))
        } else {
            #expect(!card.text().contains("not listed"))
        }
    }

    @Test func `languages beyond those that are listed are counted`() {
        let links = (0..<12).map { "<link rel=alternate hreflang=en-uk href=https://shop.example/\($0)>" }.joined()
        let found = ReportPage("<title>Mug</title>" + links).card.findings("S18")
        #expect(found.count == 5 && found.last?.unlisted == ReportCard.Counts(info: 7))
    }

    @Test func `findings that are not listed get the operator's grade, are ignored, and known to a baseline`() throws {
        let page = Self.page(advice: 3, errors: 30)
        var tuning = CardTuning()
        tuning.severities = [.s07: .error]
        #expect(page.card.tuned(by: tuning).counts().error == page.card.counts().error + 33)
        tuning = CardTuning()
        tuning.ignored = [.s07]
        #expect(page.card.tuned(by: tuning).ignoredCount == 33)
        var baseline = FindingBaseline()
        baseline.accept(page.card, page: "a")
        #expect(baseline.count == page.card.counts().error + page.card.counts().warning)
        #expect(baseline.marked(page.card, page: "a").stale == 0)
        // Findings that come to light because others are fixed are not new; more than there were are.
        let fewer = baseline.marked(Self.page(advice: 3, errors: 20).card, page: "a")
        #expect(!fewer.card.fails(from: .warning) && fewer.stale > 0)
        let more = baseline.marked(Self.page(advice: 3, errors: 31).card, page: "a")
        #expect(more.card.fails(from: .warning))
        let read = try FindingBaseline(bytes: baseline.bytes)
        #expect(read == baseline)
    }
}

/// The report over many pages.
@Suite struct CardSeriesTests {
    private static let page = ReportPage(
        "<title>Mug</title><meta name=\"apple-itunes-app\" content=\"app-id=123456789, app-argument=mug\">")

    private static let pages = [
        NamedCard(name: "shop/mug.html", isFile: true, card: page.card),
        NamedCard(name: "<b>\u{1B}[31m.html", isFile: true, card: page.card),
        NamedCard(name: "https://gone.example/", isFile: false, card: nil, trouble: "nothing listens there"),
    ]

    private func report(_ form: CardSeries.Form, _ pages: [NamedCard] = pages) -> String {
        let series = CardSeries(form, failingFrom: .error)
        var index = CardIndex(failingFrom: .error)
        for (position, page) in pages.enumerated() { index.add(page, at: position) }
        return series.beginning + pages.map(series.piece).filter { !$0.isEmpty }.joined(separator: series.separator)
            + series.end(index)
    }

    @Test func `JSON and SARIF are one document each`() throws {
        var parser = JSONParser()
        let json = try parser.parse(report(.json))
        #expect(json["pages"]?.array?.map { $0["input"]?.string } == Self.pages.map(\.name))
        #expect(json["pages"]?.array?.last?["trouble"]?.string == "nothing listens there")
        #expect(json["summary"]?["pages"]?.integer == 3 && json["summary"]?["failing"]?.integer == 2)
        #expect(json["summary"]?["unavailable"]?.integer == 1)

        let sarif = try parser.parse(report(.sarif(version: "1")))
        let run = try #require(sarif["runs"]?.array?.first)
        #expect(run["tool"]?["driver"]?["rules"]?.array?.count == Check.all.count)
        let results = try #require(run["results"]?.array)
        let single = Self.page.card.findings.count { $0.outcome >= .info }
        #expect(results.count == 2 * single)
        #expect(results.allSatisfy { $0["partialFingerprints"] != nil && $0["baselineState"] == nil })
        #expect(report(.sarif(version: "1")).contains("shop/mug.html"))
        let invocation = run["invocations"]?.array?.first
        #expect(invocation?["executionSuccessful"]?.bool == false)
        // Without any page it is a document too.
        #expect(try parser.parse(report(.sarif(version: "1"), []))["runs"]?.array?.count == 1)
        #expect(try parser.parse(report(.json, []))["pages"]?.array?.isEmpty == true)
    }

    @Test func `JUnit has one suite a page, and names are escaped`() {
        let xml = report(.junit)
        #expect(xml.components(separatedBy: "<testsuite ").count == 4)
        #expect(xml.contains("name=\"shop/mug.html\"") && xml.contains("&lt;b&gt;") && !xml.contains("\u{1B}"))
        #expect(xml.contains("<error type=\"unavailable\" message=\"nothing listens there\"/>"))
        #expect(xml.contains("<failure type=\"error\""))
    }

    @Test func `text has a line for each page, brief is nothing else, and quiet only what fails`() {
        let text = report(.text(extent: .init(), color: false))
        #expect(text.contains("shop/mug.html  ") && text.contains("Do: ") && !text.contains("\u{1B}"))
        #expect(text.contains("3 pages: 2 with errors, 1 could not be fetched"))
        let brief = report(.text(extent: .init(isBrief: true), color: false)).split(separator: "\n")
        #expect(brief[0].hasPrefix("✗ shop/mug.html  ") && brief[0].contains("L07"))
        #expect(brief[2] == "? https://gone.example/  could not be fetched: nothing listens there")
        #expect(!brief.contains { $0.contains("Do: ") })
        let fine = NamedCard(
            name: "fine.html", isFile: true,
            card: Self.page.card.tuned(
                by: {
                    var tuning = CardTuning()
                    tuning.ignored = Set(Check.all.map(\.code))
                    return tuning
                }()))
        let quiet = report(.text(extent: .init(isQuiet: true), color: false), [fine] + Self.pages)
        #expect(!quiet.contains("fine.html") && quiet.contains("shop/mug.html") && !quiet.contains("i advice"))
    }

    @Test func `what the baseline knows is one line, and what is new is listed`() {
        var baseline = FindingBaseline()
        baseline.accept(Self.page.card, page: "mug.html")
        let worse = Self.page.with { $0.head += "<meta name=\"twitter:app:id:iphone\" content=\"none\">" }
        let pages = [Self.page, worse].enumerated().map { number, page in
            NamedCard(name: "\(number).html", isFile: true, card: baseline.marked(page.card, page: "mug.html").card)
        }
        let text = report(.text(extent: .init(), color: false), pages)
        #expect(
            !text.contains("Known: ") && !text.contains("0.html") && text.contains("1.html") && text.contains("L18"))
        #expect(text.contains("known from the baseline, 2 new. --verbose lists what is known."), "\(text)")
        #expect(!text.contains("2 pages    "), "\(text)")
        let whole = report(.text(extent: .init(listsKnown: true), color: false), pages)
        #expect(whole.contains("Known: ") && whole.contains("0.html") && !whole.contains("--verbose"))
    }

    @Test func `the overview does not depend on the order in which pages get ready`() {
        let names = (1...30).map { "page\($0).html" }
        func html(_ order: [Int]) -> String {
            var index = CardIndex(failingFrom: .error)
            for position in order {
                let page = NamedCard(name: names[position], isFile: true, card: Self.page.card)
                index.add(page, at: position, file: CardIndex.fileName(position: position, of: page))
            }
            return index.html
        }
        let inOrder = html(Array(0..<30))
        #expect(inOrder == html((0..<30).reversed()))
        #expect(inOrder.contains("30 pages of 30 with errors") || inOrder.contains("30 of 30 with errors"))
        #expect(inOrder.contains("href=\"pages/001-"))
        #expect(inOrder.components(separatedBy: "<tr>").count == 32)
    }

    @Test func `a list of very many pages has parts, which lead to one another and to all cards`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-cards-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let report = try SiteReportFolder(path: folder.path)
        let card = Self.page.card
        for count in [2_500, 1] {
            var index = CardIndex(failingFrom: .error)
            var names: Set<String> = []
            for position in 0..<count {
                let page = NamedCard(name: "page\(position).html", isFile: true, card: card)
                let name = CardIndex.fileName(position: position, of: page)
                names.insert(name)
                index.add(page, at: position, file: name)
            }
            try report.write(index)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/pages").sorted()
            #expect(files == (count == 1 ? [] : ["000-pages-2.html", "000-pages-3.html"]))
            var met: Set<String> = []
            var rowsBefore = 0
            var next: String? = "index.html"
            while let name = next {
                let page = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                let links = page.matches(of: /href="([^"]*)"/).map { String($0.1) }
                met.formUnion(links.map { URL(filePath: $0).lastPathComponent }.filter(names.contains))
                let rows = page.components(separatedBy: "<tr><td>").count - 1
                #expect(rows <= CardIndex.pagesInPart && rows == min(count - rowsBefore, CardIndex.pagesInPart))
                rowsBefore += rows
                let found = try page.firstMatch(of: /href="([^"]*)">The next pages/).map { try #require($0.1) }
                next = found.map { "pages/" + URL(filePath: String($0)).lastPathComponent }
            }
            #expect(met == names)
        }
    }

    @Test func `names of cards are safe in any folder, and hostile names are no markup`() {
        let card = UnknownAddress.url
        let unknown = NamedCard(
            name: "../../etc/a b<script>?#%2F.html", isFile: true,
            card: ReportCard(url: card, evidence: PageEvidence(missing: "it is a test")))
        let name = CardIndex.fileName(position: 1233, of: unknown)
        #expect(name == "1234-etc-a-b-3Cscript-3E---2F.html" || !name.contains("/") && !name.contains(".."), "\(name)")
        #expect(name.hasPrefix("1234-") && name.hasSuffix(".html"))
        var index = CardIndex(failingFrom: .error)
        index.add(unknown, at: 0, file: name)
        #expect(!index.html.contains("<script"))
        #expect(unknown.html?.contains("<a href=\"../index.html\">All report cards</a>") == true)
    }
}
