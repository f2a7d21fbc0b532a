import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzValues(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Values of schema.org, store links, intents and refreshes: whatever is written, nothing traps, and numbers stay numbers.
private func property(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    _ = SchemaOrg.price(text)
    _ = SchemaOrg.duration(text)
    _ = SchemaOrg.date(text)
    _ = SchemaOrg.telephone(text)
    _ = SchemaOrg.boolean(text)
    _ = SchemaOrg.availability(text)
    _ = LanguageTag.normalized(text)
    if let count = SchemaOrg.count(text) { precondition(count >= 0) }
    _ = HTTPDate.date(from: text)
    _ = W3CDateTime.date(from: text)
    _ = StoreLink(href: text)
    _ = IntentURI(text)
    if let url = WebURL("https://example.org/"), let refresh = Refresh(text, baseURL: url) {
        precondition(refresh.delay >= 0)
    }
}
