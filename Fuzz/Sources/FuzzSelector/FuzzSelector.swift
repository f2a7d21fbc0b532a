import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSelector(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// The first line is a selector, the rest a page. However they are, the search ends; each element is found by the selector or by its
/// negation, and never by both.
private func property(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let text = String(decoding: lines.first ?? [], as: UTF8.self)
    guard lines.count == 2, let selector = try? Selector(text) else { return }
    let document = HTMLDocument(utf8: Array(lines[1]))
    let found = selector.elements(in: document, steps: 2_000_000)
    precondition(found.elements.allSatisfy(document.elements.indices.contains))
    guard !found.isCut, let negation = try? Selector(":not(\(text))") else { return }
    let others = negation.elements(in: document, steps: 4_000_000)
    guard !others.isCut else { return }
    precondition((found.elements + others.elements).sorted() == Array(document.elements.indices))
}
