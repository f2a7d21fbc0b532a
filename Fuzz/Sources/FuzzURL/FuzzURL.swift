import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzURL(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// What a URL is written as parses to itself, alone and against any base; its key is a URL that keeps its key.
private func property(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0x0A, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
    let base = WebURL("https://example.org:8443/a/b;c/d?q#f")
    let bases = [nil, base, parts.count > 1 ? WebURL(parts[1]) : nil]
    for base in bases {
        guard let text = parts.first, let url = WebURL(text, base: base) else { continue }
        guard let again = WebURL(url.href) else { preconditionFailure("\(url.href) does not parse again") }
        precondition(again.href == url.href)
        precondition(again.host == url.host && again.port == url.port && again.path == url.path)
        precondition(again.query == url.query && again.fragment == url.fragment)
        if url.isHTTP {
            let key = URLKey(url)
            if let keyURL = WebURL(key.string) {
                precondition(URLKey(keyURL) == key, "the key of a key is another one")
            }
        }
    }
}
