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

    /// Reads the parts of a line that revisit records need; nil if it is malformed.
    static func capture(_ line: Substring) -> (url: String, digest: String, date: String)? {
        let parts = line.split(separator: " ", maxSplits: 2)
        var parser = JSONParser()
        guard parts.count == 3, let date = WARCTime.field(stamp: parts[1]),
            let entry = try? parser.parse(String(parts[2])),
            let url = entry["url"]?.string, let digest = entry["digest"]?.string,
            entry["mime"]?.string != "warc/revisit"
        else { return nil }
        return (url, digest, date)
    }
}

/// The captures of an archive, so that records can refer to them instead of repeating a body.
struct KnownCaptures: Sendable {
    /// The limit of captures in memory; each has about 200 bytes.
    private static let maximumCount = 500_000

    /// The first capture of a body.
    private(set) var byDigest: [String: (url: String, date: String)] = [:]
    /// The last capture of a URL with a body.
    private(set) var byURL: [String: (digest: String, date: String)] = [:]

    /// Reads the indexes of a folder.
    init(in folder: URL) throws(WARCArchive.Trouble) {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            for name in names where name.hasSuffix(".cdxj") {
                guard byDigest.count < Self.maximumCount else { return }
                // Foreign lines, in any encoding, are skipped.
                let text = String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
                for line in text.split(separator: "\n") {
                    guard let capture = CDXJLine.capture(line) else { continue }
                    add(url: capture.url, digest: capture.digest, date: capture.date)
                }
            }
        } catch {
            throw WARCArchive.Trouble(
                path: folder.path, errorNumber: SystemReason.number(of: error) ?? EIO)
        }
    }

    mutating func add(url: String, digest: String, date: String) {
        if byDigest.count < Self.maximumCount, byDigest[digest] == nil { byDigest[digest] = (url, date) }
        if let known = byURL[url] {
            if known.date <= date { byURL[url] = (digest, date) }
        } else if byURL.count < Self.maximumCount {
            byURL[url] = (digest, date)
        }
    }
}
