import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPacked(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Bytes behind the head of a gzip file give no more entries than a sitemap may have, and what stands behind the file's end is
/// no sitemap.
private func property(_ bytes: [UInt8]) {
    guard let location = WebURL("https://example.org/sitemap.xml.gz") else { return }
    let head: [UInt8] = [0x1F, 0x8B, 8, bytes.first.map { $0 & 0x1E } ?? 0, 0, 0, 0, 0, 0, 3]
    let sitemap = Sitemap(bytes: head + bytes.dropFirst(), url: location)
    precondition(sitemap.entries.count <= Sitemap.maximumEntries)
    OutputChecks.check(sitemap.notes)
}
