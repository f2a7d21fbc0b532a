import PippinPage

/// Items of every syntax refer to items that exist, stay within the limits, and are the same when read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStructured(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    guard let url = WebURL("https://example.org/dir/page?q#f") else { return 0 }
    // The input is a page, and the same bytes once more as a JSON-LD script of it.
    let text = CharacterEncoding.utf8.decode(bytes).utf8
    let script = Array("<script type=application/ld+json>".utf8) + text + Array("</script>".utf8)
    for page in [text, script] {
        let document = HTMLDocument(utf8: page)
        let microdata = Microdata(document, baseURL: url)
        let rdfa = RDFa(document, baseURL: url)
        let jsonLD = JSONLD(document, baseURL: url)
        for data in [microdata.structuredData, rdfa.structuredData, jsonLD.structuredData] {
            precondition(data.items.count <= 10 * ReadingLimits.standard.maximumItems)
            for case .item(let index) in data.items.flatMap({ $0.properties.map(\.value) }) {
                precondition(data.items.indices.contains(index))
            }
        }
        // A web of itemrefs may be written out at length, though within bounds.
        var generous = ReadingLimits()
        generous.maximumJSONValues = .max
        generous.maximumJSONDepth = 512
        var parser = JSONParser(limits: generous)
        for json in [microdata.json, rdfa.json, jsonLD.json] {
            precondition((try? parser.parse(json.bytes())) == json)
        }
        precondition(rdfa.nquads == RDFa(document, baseURL: url).nquads)
        precondition(microdata.nquads == Microdata(document, baseURL: url).nquads)
    }
    return 0
}
