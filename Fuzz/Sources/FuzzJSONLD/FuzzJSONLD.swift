import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSONLD(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// JSON-LD of any page gives bounded items, documents that are JSON, and statements that are N-Quads.
private func property(_ bytes: [UInt8]) {
    guard let url = WebURL("https://example.org/dir/page?q#f") else { return }
    // The input is a page, and the same bytes once more as a script of one.
    let text = CharacterEncoding.utf8.decode(bytes).utf8
    let script = Array("<script type=application/ld+json>".utf8) + text + Array("</script>".utf8)
    for page in [text, script] {
        let document = HTMLDocument(utf8: page)
        let jsonLD = JSONLD(document, baseURL: document.baseURL(pageURL: url))
        OutputChecks.check(jsonLD.structuredData, jsonLD.notes)
        OutputChecks.check(jsonLD.json)
        NQuadsGrammar.check(jsonLD.nquads)
    }
}
