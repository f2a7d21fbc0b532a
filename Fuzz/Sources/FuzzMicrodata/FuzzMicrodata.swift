import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMicrodata(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Microdata of any page gives bounded items, JSON that is JSON, strict N-Quads, and the same again when read again.
private func property(_ bytes: [UInt8]) {
    guard let url = WebURL("https://example.org/dir/page?q#f") else { return }
    let document = HTMLDocument(utf8: CharacterEncoding.utf8.decode(bytes).utf8)
    let microdata = Microdata(document, baseURL: document.baseURL(pageURL: url))
    OutputChecks.check(microdata.structuredData, microdata.notes)
    let form = microdata.jsonWithNotes
    OutputChecks.check(form.json)
    OutputChecks.check(form.notes)
    let nquads = microdata.nquads
    NQuadsGrammar.check(nquads)
    precondition(Microdata(document, baseURL: document.baseURL(pageURL: url)).nquads == nquads)
}
