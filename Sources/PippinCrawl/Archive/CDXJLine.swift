import Foundation
import PippinPage

/// One line of a CDXJ index: file and offset of a URL's capture. Lines are sorted by bytes, so all captures of a URL, and all URLs of
/// a host, are together.
struct CDXJLine: Sendable {
    let text: String

    init(
        url: WebURL, stamp: String, mime: String, status: Int, digest: String?, offset: UInt64, length: Int,
        file: String
    ) {
        var writer = JSONWriter(reservingBytes: 200)
        writer.beginObject()
        writer.member("url", url.href)
        writer.member("mime", mime)
        writer.member("status", String(status))
        if let digest { writer.member("digest", digest) }
        writer.member("length", String(length))
        writer.member("offset", String(offset))
        writer.member("filename", file)
        writer.endObject()
        text = "\(Self.key(of: url)) \(stamp) \(String(decoding: writer.bytes, as: UTF8.self))"
    }

    /// The sort key of a URL (SURT): `org,example)/path?a&b`, without `www.`, in lower case, with sorted parameters.
    static func key(of url: WebURL) -> String {
        var host = url.politenessHost
        if host.hasPrefix("www.") { host.removeFirst(4) }
        let isAddress = host.hasPrefix("[") || host.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2E }
        var key = isAddress ? host : host.split(separator: ".").reversed().joined(separator: ",")
        if let port = url.port { key += ":\(port)" }
        key += ")"
        var path = url.path
        if path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        key += path.isEmpty ? "/" : path
        if let query = url.query, !query.isEmpty {
            key += "?" + query.split(separator: "&", omittingEmptySubsequences: false).sorted().joined(separator: "&")
        }
        return key.lowercased()
    }

    private static let revisit = "warc/revisit"

    /// Whether a line is of a 304, in the form that we write. This is much faster than reading the line.
    static func isNotModified(_ line: UnsafeRawBufferPointer) -> Bool {
        var rest = line[...]
        // The fourth quotation mark ends the URL, which has none.
        for _ in 0..<4 {
            guard let quote = rest.firstIndex(of: 0x22) else { return false }
            rest = rest[(quote + 1)...]
        }
        return rest.starts(with: ",\"mime\":\"\(revisit)\",\"status\":\"304\"".utf8)
    }

    /// What revisit records need of a line, and the name of the archive's file.
    struct Parts {
        let capture: KnownCaptures.Capture
        /// Whether it refers to another capture, which has the body.
        let isRevisit: Bool
        let file: String
    }

    /// Reads the parts of a line; nil if it is malformed, or of a record without a digest.
    static func parts(_ line: Substring) -> Parts? {
        let parts = line.split(separator: " ", maxSplits: 2)
        var parser = JSONParser()
        guard parts.count == 3, let date = WARCTime.field(stamp: parts[1]),
            let entry = try? parser.parse(String(parts[2])),
            let url = entry["url"]?.string, let digest = entry["digest"]?.string,
            let file = entry["filename"]?.string
        else { return nil }
        return Parts(
            capture: KnownCaptures.Capture(url: url, digest: digest, date: date),
            isRevisit: entry["mime"]?.string == revisit, file: file)
    }
}
