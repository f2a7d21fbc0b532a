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
    static func parts(_ line: some Sequence<UInt8>) -> Parts? {
        // What cannot be read is no capture that a new one may refer to.
        guard let fields = try? CDXJFields(Array(line)), let url = fields.text("url"),
            let digest = fields.text("digest"), let file = fields.text("filename")
        else { return nil }
        return Parts(
            capture: KnownCaptures.Capture(url: url, digest: digest, date: fields.date),
            isRevisit: fields.text("mime") == revisit, file: file)
    }
}

/// What a line of a CDXJ index has, of ours or of others: key, 14 digits, and an object in JSON.
struct CDXJFields: Sendable {
    /// Why a line has no fields, as the end of a sentence.
    struct Malformed: Error, Equatable {
        let reason: String
    }

    /// As in the records of an archive (`WARC-Date`).
    let date: String
    private let object: JSONValue

    init(_ line: [UInt8]) throws(Malformed) {
        let parts = line.split(separator: 0x20, maxSplits: 2)
        guard parts.count == 3,
            let date = WARCTime.field(stamp: String(decoding: parts[1], as: UTF8.self)[...])
        else {
            throw Malformed(reason: "is not of CDXJ: key, 14 digits and an object in JSON, with a space between them")
        }
        self.date = date
        var parser = JSONParser()
        do throws(JSONSyntaxError) {
            object = try parser.parse(parts[2])
        } catch {
            throw Malformed(reason: "has no JSON after its 14 digits: \(error.description)")
        }
    }

    /// A field. Numbers are strings in an index; some programs write them as numbers.
    func text(_ name: String) -> String? { object[name]?.string ?? object[name]?.integer.map { String($0) } }

    /// A field of at most 15 digits.
    func number(_ name: String) -> UInt64? {
        guard let digits = text(name), (1...15).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ $0 &- 0x30 < 10 })
        else { return nil }
        return UInt64(digits)
    }
}
