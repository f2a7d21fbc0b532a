import OutputChecks
import PippinPage

/// RDFa of any page gives bounded items, JSON that is JSON, strict N-Quads, and the same again when read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRDFa(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    guard let url = WebURL("https://example.org/dir/page?q#f") else { return 0 }
    let document = HTMLDocument(utf8: CharacterEncoding.utf8.decode(bytes).utf8)
    let rdfa = RDFa(document, baseURL: document.baseURL(pageURL: url))
    OutputChecks.check(rdfa.structuredData, rdfa.notes)
    OutputChecks.check(rdfa.json)
    let nquads = rdfa.nquads
    NQuadsGrammar.check(nquads, allowingRelativeIRIs: true)
    NQuadsGrammar.check(rdfa.dataset.nquads)
    precondition(RDFa(document, baseURL: document.baseURL(pageURL: url)).nquads == nquads)
    return 0
}
