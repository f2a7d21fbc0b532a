import Foundation
import OutputChecks
import PathologicalPages
import PippinPage
import PippinReport

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGraph(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Items that refer to each other, by any rules and in any syntax, cost in proportion to the page: facts, record and report card
/// of a page twice as large take at most 2.6 times the steps.
private func property(_ bytes: [UInt8]) {
    let carriers = ItemGraph.Carrier.allCases
    let topics = ItemGraph.Topic.all
    guard bytes.count >= 5 else { return }
    let carrier = carriers[Int(bytes[0]) % carriers.count]
    let topic = topics[Int(bytes[1]) % topics.count]
    let rules = Array(bytes[2...])
    func measured(_ size: Int) -> (steps: Int, bytes: Int) {
        let page = ItemGraph(rules: rules, topic, size: size).page(carrier)
        return (steps(page), page.utf8.count)
    }
    let small = measured(40)
    let large = measured(80)
    let allowed = 1.3 * max(2, Double(large.bytes) / Double(small.bytes))
    precondition(
        Double(large.steps) <= allowed * Double(small.steps),
        "\(carrier.rawValue), \(topic.name): \(small.steps) steps, then \(large.steps)")
}

private func steps(_ html: String) -> Int {
    guard let url = WebURL("https://example.org/news/page.html") else { return 0 }
    let interruption = Interruption(countsSteps: true)
    let date = Date(timeIntervalSince1970: 1_800_000_000)
    let source = PageSource(
        url: url, headers: HTTPHeaders([("Content-Type", "text/html; charset=utf-8")]), bytes: Array(html.utf8),
        fetchedAt: date)
    let facts = PageFacts(source, limits: ReadingLimits(interruption: interruption))
    let conclusion = RecordBuilder.conclusion(from: facts, now: date)
    _ = ReportCard(facts: facts, conclusion: conclusion, evidence: PageEvidence(missing: "not fetched"))
    return interruption.steps
}
