import Foundation
import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPage(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Any bytes, with any header fields, give facts and at most one record, whose line is one JSON object.
private func property(_ bytes: [UInt8]) {
    guard let url = WebURL("https://example.org/dir/page?q#f") else { return }
    // The first line is every header field that Pippin reads.
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let field = String(decoding: parts.first ?? [], as: UTF8.self)
    let headers = HTTPHeaders(
        ["Content-Type", "Link", "X-Robots-Tag", "Refresh", "Content-Language", "Last-Modified"].map { ($0, field) })
    let date = Date(timeIntervalSince1970: 1_800_000_000)
    for headers in [HTTPHeaders(), headers] {
        let facts = PageFacts(
            PageSource(url: url, headers: headers, bytes: Array(parts.last ?? []), fetchedAt: date))
        for link in facts.outlinks.links { precondition(link.url.isHTTP) }
        precondition(facts.notes.count <= ReadingLimits.standard.maximumNotes)
        guard let record = RecordBuilder.conclusion(from: facts, now: date).record else { continue }
        var line: [UInt8] = []
        record.appendJSON(to: &line)
        precondition(!line.contains(0x0A))
        var parser = JSONParser()
        guard let value = try? parser.parse(line) else { preconditionFailure("the record is not JSON") }
        precondition(value["uniqueIdentifier"]?.string == record.uniqueIdentifier)
    }
}
