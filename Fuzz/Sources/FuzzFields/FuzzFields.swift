import Foundation
import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFields(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Each line is a field of the answer that Pippin reads, the first byte says which; whatever they hold, links lead somewhere that
/// could be fetched, and the same fields in one list say the same.
private func property(_ bytes: [UInt8]) {
    guard let url = WebURL("https://example.org/dir/page") else { return }
    let names = [
        "Link", "Refresh", "X-Robots-Tag", "Content-Type", "Content-Language", "Last-Modified", "Date", "Retry-After",
    ]
    let fields = bytes.split(separator: 0x0A).prefix(200).map { line in
        (name: names[Int(line.first ?? 0) % names.count], value: String(decoding: line.dropFirst(), as: UTF8.self))
    }
    let source = PageSource(
        url: url, headers: HTTPHeaders(fields), bytes: Array("<!doctype html><title>t</title><p>words".utf8),
        fetchedAt: Date(timeIntervalSince1970: 1_800_000_000))
    let facts = PageFacts(source)
    for link in facts.outlinks.links { precondition(link.url.isHTTP && WebURL(link.url.href) == link.url) }
    OutputChecks.check(facts.notes)
    for field in fields {
        if let refresh = Refresh(field.value, baseURL: url, isFromHeader: true) { precondition(refresh.delay >= 0) }
        if let date = HTTPDate.date(from: field.value) { precondition(date.timeIntervalSince1970.isFinite) }
    }
}
