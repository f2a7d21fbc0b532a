import PippinPage

/// Which bodies are worth reading when a page is wanted: what could be HTML or XML, and what does not say what it is.
enum PageContentType {
    /// A page, certainly or as far as the type says.
    case page
    /// Nothing is said: the first bytes decide.
    case unknown
    /// Images, films, programs: the body is left unread.
    case other

    init(_ headers: HTTPHeaders) {
        switch headers.mediaType {
        case "text/html", "application/xhtml+xml", "text/xml", "application/xml", "text/plain", "text/htm":
            self = .page
        case nil, "application/octet-stream", "unknown/unknown", "application/unknown":
            self = .unknown
        case let type? where type.hasSuffix("+xml") && !type.hasPrefix("image/"): self = .page
        default: self = .other
        }
    }

    /// True if the first block of a body that does not say what it is holds bytes no text has
    /// (WHATWG MIME Sniffing §3, "binary data byte", within the resource header of §5).
    static func looksBinary(_ block: UnsafeRawBufferPointer) -> Bool {
        if block.count >= 2, block[0] == 0xFE && block[1] == 0xFF || block[0] == 0xFF && block[1] == 0xFE {
            return false
        }
        // `%PDF-` is text by its first bytes; the sniffing table names it (§7.1).
        if block.starts(with: [0x25, 0x50, 0x44, 0x46, 0x2D]) { return true }
        return block.prefix(1445).contains { byte in
            byte <= 0x08 || byte == 0x0B || (0x0E...0x1A).contains(byte) || (0x1C...0x1F).contains(byte)
        }
    }
}
