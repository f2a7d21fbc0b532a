/// A WebP file: a RIFF container of chunks (RFC 9649 §2).
enum WebPContainer {
    /// What shows the picture: its size and kind, its pixels in one of two codings, and their transparency.
    private static let pictureChunks: Set<String> = ["VP8X", "VP8 ", "VP8L", "ALPH"]
    /// The flag of VP8X that stays: the picture is transparent. Others promise a color profile, Exif, XMP or frames.
    private static let alphaFlag: UInt8 = 0x10
    /// `RIFF`, the length, `WEBP`.
    private static let headBytes = 12
    /// A name and a length.
    private static let chunkHeadBytes = 8

    /// The file without everything that is not needed to show one picture: where and with what it was taken, what it was made of, a
    /// color profile.
    ///
    /// - Returns: nil if the bytes are not one whole file of the kind.
    static func withoutMetadata(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= headBytes, name(bytes, at: 0) == "RIFF", name(bytes, at: 8) == "WEBP",
            number(bytes, at: 4) + 8 == bytes.count
        else { return nil }
        var kept = Array(bytes[..<headBytes])
        var hasPixels = false
        var index = headBytes
        while index < bytes.count {
            guard index + chunkHeadBytes <= bytes.count else { return nil }
            let (name, length) = (name(bytes, at: index), number(bytes, at: index + 4))
            // A chunk of an odd length has one byte more.
            let end = index + chunkHeadBytes + length + length % 2
            guard end <= bytes.count else { return nil }
            if pictureChunks.contains(name) {
                let start = kept.count
                kept += bytes[index..<end]
                if name == "VP8X" {
                    guard length >= 10 else { return nil }
                    kept[start + chunkHeadBytes] &= alphaFlag
                }
                hasPixels = hasPixels || name == "VP8 " || name == "VP8L"
            }
            index = end
        }
        guard hasPixels else { return nil }
        for place in 0..<4 { kept[4 + place] = UInt8(truncatingIfNeeded: (kept.count - 8) >> (8 * place)) }
        return kept
    }

    private static func name(_ bytes: [UInt8], at index: Int) -> String {
        String(decoding: bytes[index..<index + 4], as: UTF8.self)
    }

    private static func number(_ bytes: [UInt8], at index: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[index + $1]) << (8 * $1) }
    }
}
