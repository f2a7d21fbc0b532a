/// Decides whether the body of a page is read: only if it may be HTML or XML, or has no known type.
public enum PageContentType: Sendable {
    /// The type of a page.
    case page
    /// There is no type, so the first bytes decide.
    case unknown
    /// Images, films, programs and the like. The body is not read.
    case other

    public init(_ headers: HTTPHeaders) {
        switch headers.mediaType {
        case "text/html", "application/xhtml+xml", "text/xml", "application/xml", "text/plain", "text/htm":
            self = .page
        case nil, "application/octet-stream", "unknown/unknown", "application/unknown":
            self = .unknown
        case let type? where type.hasSuffix("+xml") && !type.hasPrefix("image/"): self = .page
        default: self = .other
        }
    }

    /// Whether the first block of a body without type has bytes that no text has (WHATWG MIME Sniffing §3, "binary data byte", within
    /// the resource header of §5).
    public static func looksBinary(_ block: UnsafeRawBufferPointer) -> Bool {
        if block.count >= 2, block[0] == 0xFE && block[1] == 0xFF || block[0] == 0xFF && block[1] == 0xFE {
            return false
        }
        // `%PDF-` begins like text; the standard's table names it (§7.1).
        if block.starts(with: [0x25, 0x50, 0x44, 0x46, 0x2D]) { return true }
        return block.prefix(1445).contains { byte in
            byte <= 0x08 || byte == 0x0B || (0x0E...0x1A).contains(byte) || (0x1C...0x1F).contains(byte)
        }
    }
}
