/// What an answer to a page request is, by its media type and its bytes.
public enum AnswerKind: Sendable, Hashable {
    case page
    /// A page without a byte.
    case empty
    /// RSS, Atom, JSON Feed or other XML that may list URLs like a sitemap does; with its media type.
    case feed(String)
    /// Anything else, with its media type as declared, or as its bytes show where the declared one is none or HTML's.
    case other(String)

    /// - Parameters:
    ///   - body: without content codings.
    ///   - bodyWasRead: false if the fetcher left the body because of `bodyUse` or its first bytes.
    public init(
        headers: HTTPHeaders, body: [UInt8], bodyWasRead: Bool = true, limits: ReadingLimits = .standard
    ) {
        let type = headers.mediaType
        // An invalid type is shown as it is written.
        let stated = type ?? headers["Content-Type"] ?? ""
        guard bodyWasRead else {
            self = .other(stated.isEmpty ? Self.unknownType : stated)
            return
        }
        switch Declaration(type) {
        case .html: self.init(page: body, limits: limits)
        case .xml: self = Self.looksLikeHTML(body) ? .page : .feed(stated)
        case .jsonFeed: self = .feed(stated)
        case .json: self = body.withUnsafeBytes { Self.looksLikeJSONFeed($0) } ? .feed(stated) : .other(stated)
        case .unknown where body.isEmpty && stated.isEmpty: self = .empty
        case .unknown:
            let foreign = Self.foreignType(of: body, limits: limits)
            if foreign == nil, Self.looksLikeHTML(body), !Self.forbidsSniffing(headers) {
                self = .page
            } else if stated.isEmpty {
                // MIME Sniffing §7.1, the last steps.
                let isBinary = body.withUnsafeBytes { Self.looksBinary($0) }
                self = .other(isBinary ? Self.unknownType : foreign ?? "text/plain")
            } else {
                self = .other(stated)
            }
        case .other: self = .other(stated)
        }
    }

    /// Bytes that their server or owner calls a page.
    public init(page body: [UInt8], limits: ReadingLimits = .standard) {
        self = body.isEmpty ? .empty : Self.foreignType(of: body, limits: limits).map { .other($0) } ?? .page
    }

    /// The media type of what is no page; nil for a page, also an empty one.
    public var foreignType: String? {
        switch self {
        case .page, .empty: nil
        case .feed(let type), .other(let type): type
        }
    }

    private static let unknownType = "application/octet-stream"

    // MARK: By the header

    /// What a declared media type promises.
    private enum Declaration {
        case html, xml, jsonFeed, json, other
        /// No type, or one that servers use for unknown files: the first bytes decide.
        case unknown

        init(_ type: String?) {
            switch type {
            case "text/html", "application/xhtml+xml", "text/htm": self = .html
            case "application/rss+xml", "application/atom+xml", "application/rdf+xml", "text/xml", "application/xml":
                self = .xml
            case "application/feed+json": self = .jsonFeed
            case "application/json": self = .json
            case nil, "text/plain", "application/octet-stream", "unknown/unknown", "application/unknown":
                self = .unknown
            default: self = .other
            }
        }
    }

    /// Whether the body of an answer to a page request is fetched.
    public enum BodyUse: Sendable {
        case read
        /// Unless its first bytes show that it is no text (`looksBinary`).
        case sniffed
        /// Unless its first bytes are not those of a feed (`looksLikeJSONFeed`).
        case feedOnly
        /// Images, films, programs and the like.
        case unwanted
    }

    public static func bodyUse(_ headers: HTTPHeaders) -> BodyUse {
        switch Declaration(headers.mediaType) {
        case .html, .xml, .jsonFeed: .read
        case .json: .feedOnly
        case .unknown: .sniffed
        case .other: .unwanted
        }
    }

    /// Whether the server calls the answer a page.
    public static func saysPage(_ headers: HTTPHeaders) -> Bool { Declaration(headers.mediaType) == .html }

    private static func forbidsSniffing(_ headers: HTTPHeaders) -> Bool {
        headers["X-Content-Type-Options"]?.lowercased().has("nosniff") ?? false
            && headers["Content-Type"] != nil
    }

    // MARK: By the bytes

    /// Whether bytes look like HTML (a short form of MIME Sniffing §7.1): `<!doctype html` or `<html` among the first 1,024.
    public static func looksLikeHTML(_ body: [UInt8]) -> Bool {
        let head = String(decoding: body.prefix(1024), as: UTF8.self).lowercased()
        return head.has("<!doctype html") || head.has("<html")
    }

    /// What the address of JSON Feed's version contains: `https://jsonfeed.org/version/1.1`.
    static let jsonFeedVersion: StaticString = "jsonfeed.org/version/"
    /// As many bytes of JSON are looked at for the version of a feed. It stands first (jsonfeed.org, "Top-level").
    public static let feedMarkBytes = 1_024

    /// Whether JSON begins as a feed does: its address of JSON Feed's version is among the first bytes. Many servers send feeds
    /// as other JSON.
    public static func looksLikeJSONFeed(_ beginning: UnsafeRawBufferPointer) -> Bool {
        // The slashes may be escaped.
        String(decoding: beginning.prefix(feedMarkBytes), as: UTF8.self).replacing("\\/", with: "/")
            .has(jsonFeedVersion)
    }

    /// Whether the first block of a body has bytes that no text has (MIME Sniffing §3, "binary data byte", within the resource
    /// header of §5).
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

    /// The first bytes of files that servers send in place of a page, or with a page's media type (MIME Sniffing §6, §7.1).
    private static let beginnings: [(bytes: [UInt8], type: String)] = [
        (Array("%PDF-".utf8), "application/pdf"),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
        ([0xFF, 0xD8, 0xFF], "image/jpeg"),
        (Array("GIF87a".utf8), "image/gif"),
        (Array("GIF89a".utf8), "image/gif"),
        ([0x50, 0x4B, 0x03, 0x04], "application/zip"),
        ([0x1F, 0x8B, 0x08], "application/gzip"),
    ]

    /// The media type of bytes that are certainly no page, whatever their declared one; nil for bytes that may be a page.
    private static func foreignType(of bytes: [UInt8], limits: ReadingLimits) -> String? {
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
