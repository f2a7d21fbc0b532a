import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSitemap(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Any bytes give a bounded list of entries whose URLs, and that of the feed's next part, parse to themselves.
private func property(_ bytes: [UInt8]) {
    guard let location = WebURL("https://example.org/maps/sitemap.xml") else { return }
    let sitemap = Sitemap(bytes: bytes, url: location)
    precondition(sitemap.entries.count <= Sitemap.maximumEntries)
    for url in sitemap.entries.map(\.loc) + [sitemap.next].compactMap(\.self) {
        precondition(url.isHTTP && WebURL(url.href)?.href == url.href)
    }
}
