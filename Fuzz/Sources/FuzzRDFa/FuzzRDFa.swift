import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRDFa(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// RDFa of any page gives bounded items, JSON that is JSON, strict N-Quads, and the same again when read again.
private func property(_ bytes: [UInt8]) {
    guard let url = WebURL("https://example.org/dir/page?q#f") else { return }
    let document = HTMLDocument(utf8: CharacterEncoding.utf8.decode(bytes).utf8)
    let rdfa = RDFa(document, baseURL: document.baseURL(pageURL: url))
    OutputChecks.check(rdfa.structuredData, rdfa.notes)
    OutputChecks.check(rdfa.json)
    let nquads = rdfa.nquads
    NQuadsGrammar.check(nquads, allowingRelativeIRIs: true)
    NQuadsGrammar.check(rdfa.dataset.nquads)
    precondition(RDFa(document, baseURL: document.baseURL(pageURL: url)).nquads == nquads)
}
