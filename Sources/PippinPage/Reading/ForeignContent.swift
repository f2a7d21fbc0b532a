/// Recognizes bytes that are not a page, whatever their declared media type.
public enum ForeignContent {
    /// The first bytes of files that servers send in place of a page, or with a page's media type (WHATWG MIME Sniffing §6,
    /// §7.1).
    private static let beginnings: [(bytes: [UInt8], type: String)] = [
        (Array("%PDF-".utf8), "application/pdf"),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
        ([0xFF, 0xD8, 0xFF], "image/jpeg"),
        (Array("GIF87a".utf8), "image/gif"),
        (Array("GIF89a".utf8), "image/gif"),
        ([0x50, 0x4B, 0x03, 0x04], "application/zip"),
        ([0x1F, 0x8B, 0x08], "application/gzip"),
    ]

    /// The media type of bytes that are not a page; nil for bytes that may be one.
    public static func type(of bytes: [UInt8], limits: ReadingLimits = .standard) -> String? {
        if let known = beginnings.first(where: { bytes.starts(with: $0.bytes) }) { return known.type }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return "image/webp"
        }
        // ISO 14496-12: the file starts with the size of its first box, then the box's name. The brand tells the kind of file.
        if bytes.dropFirst(4).starts(with: Array("ftyp".utf8)) {
            return bytes.dropFirst(8).starts(with: Array("avif".utf8)) ? "image/avif" : "video/mp4"
        }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard let first = text.first(where: { $0 > 0x20 }), first == 0x7B || first == 0x5B else { return nil }
        var parser = JSONParser(limits: limits)
        do {
            _ = try parser.parse(text)
            return "application/json"
        } catch {
            // A page may begin with a stray bracket, so broken JSON may be a page.
            return nil
        }
    }
}
