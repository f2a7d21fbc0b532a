import PippinCrawl
import PippinPage

/// In which form a body is sent, and whether it is sent at all (RFC 9110 §8.4, §8.8.3).
enum ContentCoding {
    /// Whether a client takes gzip (RFC 9110 §12.5.3).
    ///
    /// - Parameter field: its `Accept-Encoding`; nil if it has none. It may take anything then, but most such programs do not.
    static func acceptsGzip(_ field: String?) -> Bool {
        var (gzip, any): (Bool?, Bool?)
        for item in (field ?? "").split(separator: ",").prefix(20) {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch parts.first {
            case "gzip", "x-gzip": gzip = weight > 0
            case "*": any = weight > 0
            default: break
            }
        }
        return gzip ?? any ?? false
    }

    /// Whether bodies of a media type become shorter.
    static func compresses(_ type: String?) -> Bool {
        guard let type = type?.split(separator: ";").first.map(String.init) else { return false }
        return type.hasPrefix("text/") || type.hasSuffix("json") || type.hasSuffix("+xml")
    }

    /// A strong entity tag: the same bytes have the same one, and others have another.
    static func tag(of body: [UInt8], isGzip: Bool) -> String {
        "\"\(Digest.hexadecimal(Digest.sha256(body).prefix(16)))\(isGzip ? "-gzip" : "")\""
    }

    /// Whether a client has what the tag is of already (RFC 9110 §13.1.2).
    ///
    /// - Parameter field: its `If-None-Match`.
    static func matches(_ tag: String, _ field: String?) -> Bool {
        guard let field else { return false }
        // Our tags have no comma in them.
        return field.split(separator: ",").prefix(100).contains { item in
            let item = item.filter { $0 != " " && $0 != "\t" }
            return item == "*" || (item.hasPrefix("W/") ? String(item.dropFirst(2)) : item) == tag
        }
    }
}
