import Foundation
import PathologicalPages
import PippinPage
import PippinTestSupport
import Testing

@testable import PippinReport

/// What a page costs is counted in steps, not in seconds: how often facts, record and report card ask whether to go on, and
/// after how much work.
@Suite struct PathologicalGraphTests {
    private static let date = Date(timeIntervalSince1970: 1_800_000_000)
    /// Loops tell their steps in lots of 256 (`InterruptibleSteps`): one that is shorter in the smaller page tells none there.
    private static let lot = 256.0

    /// The steps of a page, for all that is made of it.
    private func steps(_ html: String) throws -> Int {
        let interruption = Interruption(countsSteps: true)
        let url = try #require(WebURL("https://example.org/news/page.html"))
        let source = PageSource(
            url: url, headers: HTTPHeaders([("Content-Type", "text/html; charset=utf-8")]), bytes: Array(html.utf8),
            fetchedAt: Self.date)
        let facts = PageFacts(source, limits: ReadingLimits(interruption: interruption))
        let conclusion = RecordBuilder.conclusion(from: facts, now: Self.date)
        _ = ReportCard(facts: facts, conclusion: conclusion, evidence: PageEvidence(missing: "not fetched"))
        return interruption.steps
    }

    @Test(.slow, .ends, arguments: ItemGraph.Carrier.allCases)
    func `steps grow as the page does, whoever refers to whom in whatever syntax`(carrier: ItemGraph.Carrier) throws {
        for (index, shape) in ItemGraph.Shape.allCases.enumerated() {
            // Each shape takes its share of the topics; all together take each of them once.
            let topics = ItemGraph.Topic.all.enumerated().filter { $0.offset % ItemGraph.Shape.allCases.count == index }
                .map(\.element)
            for topic in topics {
                let small = ItemGraph(shape, topic, size: 30).page(carrier)
                let large = ItemGraph(shape, topic, size: 60).page(carrier)
                // Twice the references, or the bytes where those grow more.
                let allowed = 1.3 * max(2, Double(large.utf8.count) / Double(small.utf8.count))
                let few = try steps(small)
                let many = try steps(large)
                #expect(few > 0)
                #expect(
                    Double(many) <= allowed * Double(few) + Self.lot,
                    "\(shape.rawValue), \(topic.name): \(few) steps, then \(many)")
            }
        }
    }

    @Test(.slow, .ends, arguments: ItemGraph.Carrier.allCases)
    func `steps grow as the page does in graphs of random rules`(carrier: ItemGraph.Carrier) throws {
        var random = SeededNumbers(seed: 0x5EED)
        for _ in 0..<12 {
            let topics = ItemGraph.Topic.all
            let topic = topics[Int(random.next() % UInt64(topics.count))]
            var rules: [UInt8] = []
            for _ in 0..<3 * (1 + random.next() % 8) { rules.append(UInt8(truncatingIfNeeded: random.next())) }
            let small = ItemGraph(rules: rules, topic, size: 40).page(carrier)
            let large = ItemGraph(rules: rules, topic, size: 80).page(carrier)
            let allowed = 1.3 * max(2, Double(large.utf8.count) / Double(small.utf8.count))
            let few = try steps(small)
            let many = try steps(large)
            #expect(
                Double(many) <= allowed * Double(few) + Self.lot,
                "\(topic.name) by \(rules): \(few) steps, then \(many)")
        }
    }

    @Test func `a product that is its own offers costs as many steps as it has references`() throws {
        func page(_ references: Int) -> String {
            let offers = Array(repeating: ##"{"@id":"#p"}"##, count: references).joined(separator: ",")
            return """
                <title>Name</title><script type="application/ld+json">{"@context":"https://schema.org","@id":"#p",
                "@type":["Product","Offer"],"name":"Name","price":"1.5","priceCurrency":"EUR","offers":[\(offers)]}</script>
                """
        }
        let few = try steps(page(100))
        let many = try steps(page(200))
        #expect(many > few)
        #expect(Double(many) < 2.6 * Double(few), "\(few) steps, then \(many)")
    }

    @Test func `a list that many statements of RDFa name is read as often as the page is long`() throws {
        func read(_ size: Int) throws -> (properties: Int, isNoted: Bool) {
            var html = "<body vocab=https://schema.org/>"
            for index in 0..<size {
                html += "<div resource=#\(index) typeof=Person><link property=knows resource=_:c0></div>"
                let rest = index + 1 < size ? "[_:c\(index + 1)]" : "[rdf:nil]"
                html +=
                    "<div resource=_:c\(index)><b property=rdf:first>k</b><link property=rdf:rest resource=\(rest)></div>"
            }
            let facts = PageFacts(
                PageSource(
                    url: try #require(WebURL("https://example.org/")),
                    headers: HTTPHeaders([("Content-Type", "text/html; charset=utf-8")]), bytes: Array(html.utf8),
                    fetchedAt: Self.date))
            return (
                facts.rdfa.structuredData.items.reduce(0) { $0 + $1.properties.count },
                facts.notes.contains { $0.code == .rdfa(.tooManyValues) }
            )
        }
        let few = try read(20)
        #expect(few.properties == 20 * 20 && !few.isNoted)
        let many = try read(500)
        // 250,000 without the limit, of 2,000 statements.
        #expect(many.properties > 8_000 && many.properties < 12_000 && many.isNoted, "\(many)")
    }

    @Test func `no check begins once the reading is interrupted`() throws {
        let interruption = Interruption()
        let facts = PageFacts(
            PageSource(
                url: try #require(WebURL("https://example.org/")),
                headers: HTTPHeaders([("Content-Type", "text/html; charset=utf-8")]),
                bytes: Array("<title>Title</title><p>Text".utf8), fetchedAt: Self.date),
            limits: ReadingLimits(interruption: interruption))
        func findings() -> Int {
            let conclusion = RecordBuilder.conclusion(from: facts, now: Self.date)
            return ReportCard(facts: facts, conclusion: conclusion, evidence: PageEvidence(missing: "not fetched"))
                .findings.count
        }
        #expect(findings() > 5)
        interruption.set()
        #expect(findings() == 0)
    }

    @Test func `an interrupted page ends without a record of its items`() throws {
        let interruption = Interruption()
        interruption.set()
        let facts = PageFacts(
            PageSource(
                url: try #require(WebURL("https://example.org/")),
                headers: HTTPHeaders([("Content-Type", "text/html; charset=utf-8")]),
                bytes: Array(ItemGraph(.layers, ItemGraph.Topic.all[0], size: 200).page(.nested).utf8),
                fetchedAt: Self.date),
            limits: ReadingLimits(interruption: interruption))
        #expect(facts.structuredPage(of: facts.structuredData).items.isEmpty)
    }

    @Test func `values beyond a thousand are lost, and the card has a note of it`() throws {
        let values = (0..<1_200).map { "\"k\($0)\"" }.joined(separator: ",")
        let html = """
            <title>Name</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product",
            "name":"Name","sku":[\(values)]}</script>
            """
        let facts = PageFacts(
            PageSource(
                url: try #require(WebURL("https://example.org/")),
                headers: HTTPHeaders([("Content-Type", "text/html; charset=utf-8")]),
                bytes: Array(html.utf8), fetchedAt: Self.date))
        let page = facts.structuredPage(of: facts.structuredData)
        #expect(page.items.first?.values("sku").count == 1_000)
        let conclusion = RecordBuilder.conclusion(from: facts, now: Self.date)
        let card = ReportCard(facts: facts, conclusion: conclusion, evidence: PageEvidence(missing: "not fetched"))
        #expect(card.findings.contains { $0.noteCode == .jsonLD(.tooManyValues) })
    }
}
