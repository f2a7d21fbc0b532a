/// The kind of answer to a page request, by the declared media type.
public enum AnswerKind: Sendable {
    case page
    /// RSS, Atom or other XML that may list URLs like a sitemap does.
    case feed
    case other(String)

    public init(headers: HTTPHeaders, body: [UInt8]) {
        let type = headers.mediaType ?? ""
        switch type {
        case "text/html", "application/xhtml+xml", "text/htm": self = .page
        case "application/rss+xml", "application/atom+xml", "application/rdf+xml", "text/xml", "application/xml":
            self = Self.looksLikeHTML(body) ? .page : .feed
        // No type, or one that servers use for unknown files: the first bytes decide.
        case "", "text/plain", "application/octet-stream", "unknown/unknown", "application/unknown":
            let stated = type.isEmpty ? headers["Content-Type"] ?? "" : type
            self = Self.looksLikeHTML(body) && !Self.forbidsSniffing(headers) ? .page : .other(stated)
        default: self = .other(type)
        }
    }

    /// Whether bytes look like HTML (a short form of MIME Sniffing §7.1): `<!doctype html` or `<html` after white space and
    /// comments.
    public static func looksLikeHTML(_ body: [UInt8]) -> Bool {
        let head = String(decoding: body.prefix(1024), as: UTF8.self).lowercased()
        return head.contains("<!doctype html") || head.contains("<html")
    }

    private static func forbidsSniffing(_ headers: HTTPHeaders) -> Bool {
        headers["X-Content-Type-Options"]?.lowercased().contains("nosniff") ?? false
            && headers["Content-Type"] != nil
    }
}
