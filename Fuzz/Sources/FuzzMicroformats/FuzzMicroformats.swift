import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMicroformats(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzedUnit.run(data, count, property)
}

/// Microformats of any page give JSON that is JSON and bounded, and the same again when read again.
private func property(_ bytes: [UInt8]) {
    guard let url = WebURL("https://example.org/dir/page?q#f") else { return }
    let document = HTMLDocument(utf8: CharacterEncoding.utf8.decode(bytes).utf8)
    let baseURL = document.baseURL(pageURL: url)
    let form = Microformats(document, baseURL: baseURL).jsonWithNotes
    OutputChecks.check(form.json)
    OutputChecks.check(form.notes)
    precondition(Microformats(document, baseURL: baseURL).json == form.json)
}
