import PippinPage

/// Any bytes give a bounded list of entries whose URLs parse to themselves.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSitemap(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    guard let location = WebURL("https://example.org/maps/sitemap.xml") else { return 0 }
    let sitemap = Sitemap(bytes: bytes, url: location)
    precondition(sitemap.entries.count <= Sitemap.maximumEntries)
    for entry in sitemap.entries { precondition(WebURL(entry.loc.href)?.href == entry.loc.href) }
    return 0
}
