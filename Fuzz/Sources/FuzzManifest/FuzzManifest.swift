import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzManifest(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Any bytes give a web app manifest whose JSON form is JSON, with bounded lists of apps.
private func property(_ bytes: [UInt8]) {
    guard let url = WebURL("https://example.org/app.webmanifest") else { return }
    let manifest = WebAppManifest(bytes: bytes, url: url)
    OutputChecks.check(manifest.notes)
    OutputChecks.check(manifest.json)
}
