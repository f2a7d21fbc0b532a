import OutputChecks
import PippinPage
import PippinReport

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzImage(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Any bytes give a header with both sides or none, which more bytes behind it do not change once it is whole.
private func property(_ bytes: [UInt8]) {
    // Few inputs find the beginnings of formats by chance: the first byte picks one.
    let beginnings: [[UInt8]] = [
        [], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0xFF, 0xD8, 0xFF], Array("GIF89a".utf8),
        Array("RIFF    WEBPVP8 ".utf8), Array("RIFF    WEBPVP8L".utf8), Array("RIFF    WEBPVP8X".utf8),
        [0, 0, 0, 16] + Array("ftypavif    ".utf8), Array("<!--".utf8),
    ]
    let input = beginnings[Int(bytes.first ?? 0) % beginnings.count] + bytes.dropFirst()
    guard let header = ImageHeader(input) else { return }
    precondition((header.width == nil) == (header.height == nil), "a picture with one side")
    precondition((header.width ?? 1) > 0 && (header.height ?? 1) > 0, "a side of nothing")
    precondition(header.format != .svg || header.width == nil, "an SVG with pixels")
    let isRaster = ![.svg, .avif, .heic].contains(header.format)
    if isRaster, header.width != nil {
        precondition(ImageHeader(input + [0xFF, 0xD9, 0]) == header, "what stands behind a header changes it")
    }
}
