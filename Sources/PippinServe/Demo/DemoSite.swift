import Foundation
import PippinCrawl
import PippinPage

/// The files of `Examples/demo-site`: one folder per host, with a `responses.json` for redirects, statuses, header fields and
/// pictures.
///
/// The pages are written for hosts such as `clownfair.example`. When served, `https://clownfair.example` in any text is replaced
/// by the host's origin on this machine, `https://clownfair.localhost:8443`.
public struct DemoSite: Sendable {
    /// The answer to one request.
    public struct Reply: Sendable {
        /// The status code.
        public var status: Int
        /// The header fields.
        public var headers: [(name: String, value: String)]
        /// The body, compressed if the headers say so.
        public var body: [UInt8]
        /// The delay before the answer.
        public var delay = Duration.zero
    }

    private let folder: URL
    /// The hosts by their names in the pages, such as `clownfair.example`.
    private var hosts: [String: Host] = [:]

    /// The hosts' names in the pages.
    public var hostNames: [String] { hosts.keys.sorted() }

    /// The host whose first page lists a failing and a passing page for every check.
    public static let checksHost = "checks.example"

    /// Whether a host is only for the report card's checks, and not part of the demo crawl.
    public static func isForChecks(_ host: String) -> Bool {
        host == checksHost || host.hasPrefix("checks-") || host.hasPrefix("www.checks-")
    }

    /// Reads all hosts of a folder.
    public init(folder: URL) throws {
        self.folder = folder
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".example") }
        } catch {
            throw ReportedFailure(
                "\(folder.path): the demo site cannot be read: \(SystemReason.of(error)); name its folder with --site",
                .usage)
        }
        guard !names.isEmpty else {
            throw ReportedFailure(
                "\(folder.path): holds no folder that ends in .example; name the demo site with --site", .usage)
        }
        for name in names {
            hosts[name] = try Host(folder: folder.appending(path: name))
        }
    }

    /// Reads a host's files again if one was changed, added or removed.
    ///
    /// - Parameter host: its name on this machine.
    /// - Throws: if the files cannot be read.
    mutating func refresh(host: String) throws {
        let name = Self.pageName(of: host)
        guard let known = hosts[name] else { return }
        let place = folder.appending(path: name)
        guard try Host.stamp(of: place) != known.stamp else { return }
        hosts[name] = try Host(folder: place)
    }

    private static func pageName(of host: String) -> String { host.replacing(".localhost", with: ".example") }

    /// The name on this machine for a host in the pages: `clownfair.example` → `clownfair.localhost`. Names under `localhost` always
    /// mean this machine (RFC 6761 §6.3).
    public static func localName(of host: String) -> String {
        host.replacing(".example", with: ".localhost")
    }

    /// The answer of a host for a path.
    ///
    /// - Parameters:
    ///   - host: its name on this machine, without port.
    ///   - validator: the request's `If-None-Match`.
    public func reply(host: String, path: String, ports: DemoPorts, ifNoneMatch validator: String? = nil) -> Reply {
        guard let host = hosts[Self.pageName(of: host)] else {
            return Reply(status: 421, headers: [], body: Array("This host is not part of the demo site.\n".utf8))
        }
        guard let stored = host.stored(path) else {
            return Reply(
                status: 404, headers: [("Content-Type", "text/html; charset=utf-8")],
                body: Array("<!doctype html><title>Not found</title><p>There is no such page.</p>".utf8))
        }
        var reply = Reply(status: stored.status, headers: [], body: stored.body, delay: stored.delay)
        reply.headers = stored.headers.map {
            ($0.name, localized($0.value, ports: ports))
        }
        let type = reply.headers.first { $0.name.lowercased() == "content-type" }?.value ?? ""
        if let picture = stored.picture {
            reply.body = picture.png(named: path)
        } else if type.hasPrefix("text/") || type.contains("xml") || type.contains("json") {
            reply.body = localized(reply.body, ports: ports)
        }
        if reply.status == 200, !stored.withheld.contains("etag") {
            let tag = Self.entityTag(of: reply.body)
            if validator == tag, stored.isConditional {
                return Reply(status: 304, headers: [("ETag", tag)], body: [], delay: stored.delay)
            }
            reply.headers.append(("ETag", tag))
        }
        if stored.isGzipped, let packed = DeflatedBytes.gzip(reply.body, level: 1) {
            reply.body = packed
            reply.headers.append(("Content-Encoding", "gzip"))
        }
        return reply
    }

    /// Whether an address answers over plain http, instead of redirecting to https.
    func isServedPlain(host: String, path: String) -> Bool {
        hosts[Self.pageName(of: host)]?.stored(path)?.isServedPlain ?? false
    }

    /// Whether only signed requests get the answer for a path.
    func isForSigned(host: String, path: String) -> Bool {
        hosts[Self.pageName(of: host)]?.stored(path)?.isForSigned ?? false
    }

    /// A hash of the bytes (FNV-1a).
    private static func entityTag(of bytes: [UInt8]) -> String {
        "\"\(String(FNV1a.hash(bytes), radix: 16))\""
    }

    /// The text with the hosts' origins on this machine.
    public func localized(_ text: String, ports: DemoPorts) -> String {
        String(decoding: localized(Array(text.utf8), ports: ports), as: UTF8.self)
    }

    /// The same for bytes, because some pages are not UTF-8.
    private func localized(_ text: [UInt8], ports: DemoPorts) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 256)
        var copied = 0
        var position = 0
        let separator = Array("://".utf8)
        while position + 3 < text.count {
            guard text[position] == separator[0], text[position + 1] == separator[1], text[position + 2] == separator[2]
            else {
                position += 1
                continue
            }
            let start = position + 3
            var end = start
            while end < text.count, Self.isHostByte(text[end]) { end += 1 }
            // A full stop after the host is not part of it.
            while end > start, text[end - 1] == UInt8(ascii: ".") { end -= 1 }
            let host = String(decoding: text[start..<end], as: UTF8.self)
            let scheme = ["https", "http"].first { text[..<position].suffix($0.utf8.count).elementsEqual($0.utf8) }
            if let scheme, hosts[host] != nil {
                result += text[copied..<(position - scheme.utf8.count)]
                result += (scheme == "https" ? ports.secureOrigin(of: host) : ports.plainOrigin(of: host)).utf8
                copied = end
            }
            position = end
        }
        return copied == 0 ? text : result + text[copied...]
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}

/// The ports of the demo site.
public struct DemoPorts: Sendable, Equatable {
    /// The port for https.
    public var secure: Int
    /// The port for plain http.
    public var plain: Int

    public init(secure: Int, plain: Int) {
        self.secure = secure
        self.plain = plain
    }

    /// The https origin of a host in the pages.
    public func secureOrigin(of host: String) -> String { "https://\(DemoSite.localName(of: host)):\(secure)" }
    func plainOrigin(of host: String) -> String { "http://\(DemoSite.localName(of: host)):\(plain)" }
}

// `responses.json`, one for each host, sets statuses, header fields, pictures and the like. Examples/demo-site/README.md
// documents it.

extension DemoSite {
    /// One entry of `responses.json`. If the path also has a file, the file is the body.
    struct Response: Decodable {
        struct Picture: Decodable {
            var width: Int
            var height: Int
        }

        var status: Int?
        var location: String?
        /// Header fields. A field that is null is not sent.
        var headers: [String: String?]?
        /// The path of another file of the host, whose bytes are the body.
        var file: String?
        var picture: Picture?
        /// Milliseconds before the answer begins.
        var delay: Int?
        /// The length of the body, filled with spaces.
        var bytes: Int?
        var gzip: Bool?
        /// Whether plain http serves the path, too, instead of redirecting to https.
        var plain: Bool?
        /// Whether conditional requests get a 304.
        var conditional: Bool?
        /// Whether only signed requests of the demo's bot are answered.
        var signed: Bool?
    }

    /// The answer for a path, with names as in the files.
    struct Stored: Sendable {
        var status = 200
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []
        var picture: DemoPicture?
        var delay = Duration.zero
        var isGzipped = false
        var isServedPlain = false
        var isConditional = true
        var isForSigned = false
        /// Header fields that `responses.json` removes.
        var withheld: Set<String> = []

        mutating func apply(_ response: Response) {
            status = response.status ?? (response.location == nil ? 200 : 301)
            for (name, value) in response.headers ?? [:] {
                headers.removeAll { $0.name.lowercased() == name.lowercased() }
                if let value { headers.append((name, value)) } else { withheld.insert(name.lowercased()) }
            }
            if let location = response.location { headers.append(("Location", location)) }
            if let size = response.picture {
                picture = DemoPicture(width: size.width, height: size.height)
                headers.removeAll { $0.name.lowercased() == "content-type" }
                headers.append(("Content-Type", response.headers?["Content-Type"].flatMap { $0 } ?? "image/png"))
            }
            if let delay = response.delay {
                self.delay = min(max(.milliseconds(delay), .zero), DemoSite.maximumDelay)
            }
            if let bytes = response.bytes, bytes > body.count {
                let missing = min(bytes, DemoSite.maximumBodyBytes) - body.count
                body += [UInt8](repeating: UInt8(ascii: " "), count: max(missing, 0))
            }
            isGzipped = response.gzip ?? false
            isServedPlain = response.plain ?? false
            isConditional = response.conditional ?? true
            isForSigned = response.signed ?? false
        }
    }

    /// Limits, so that a demo neither hangs nor fills the memory.
    static let maximumDelay = Duration.seconds(5)
    static let maximumBodyBytes = 4 << 20

    /// One host's files and responses.
    struct Host: Sendable {
        var paths: [String: Stored] = [:]
        /// Responses for paths that begin so and have none of their own. Longer beginnings come first.
        var beginnings: [(path: String, stored: Stored)] = []
        /// A hash of the files' names, sizes and times, to notice changes.
        let stamp: Int

        /// A hash of names, sizes and times of all files, to notice changes.
        static func stamp(of folder: URL) throws -> Int {
            var hasher = Hasher()
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() {
                var status = stat()
                guard stat(folder.path + "/" + path, &status) == 0 else { continue }
                hasher.combine(path)
                hasher.combine(status.st_size)
                hasher.combine(status.st_ino)
                hasher.combine(status.st_mtim.tv_sec)
                hasher.combine(status.st_mtim.tv_nsec)
            }
            return hasher.finalize()
        }

        init(folder: URL) throws {
            stamp = try Self.stamp(of: folder)
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            for path in files where path != "responses.json" {
                let file = folder.appending(path: path)
                if try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true { continue }
                let stored = Stored(
                    headers: [("Content-Type", DemoSite.contentType(of: path))],
                    body: [UInt8](try Data(contentsOf: file)))
                paths["/" + path] = stored
                if path == "index.html" || path.hasSuffix("/index.html") {
                    paths["/" + path.dropLast("index.html".count)] = stored
                }
            }
            let responses = folder.appending(path: "responses.json")
            guard FileManager.default.fileExists(atPath: responses.path) else { return }
            let fromFiles = paths
            do {
                let entries = try JSONDecoder().decode([String: Response].self, from: Data(contentsOf: responses))
                for (path, response) in entries {
                    var stored = fromFiles[response.file ?? path] ?? Stored()
                    stored.apply(response)
                    if path.hasSuffix("*") {
                        beginnings.append((String(path.dropLast()), stored))
                    } else {
                        paths[path] = stored
                    }
                }
            } catch {
                throw ReportedFailure("\(responses.path): cannot be read: \(error)", .usage)
            }
            beginnings.sort { $0.path.utf8.count > $1.path.utf8.count }
        }

        func stored(_ path: String) -> Stored? {
            if let stored = paths[path] ?? beginnings.first(where: { path.hasPrefix($0.path) })?.stored {
                return stored
            }
            guard var page = paths["/404.html"] else { return nil }
            page.status = 404
            return page
        }
    }

    static func contentType(of path: String) -> String {
        switch (path as NSString).pathExtension.lowercased() {
        case "html", "htm": "text/html"
        case "xml": "application/xml"
        case "rss": "application/rss+xml"
        case "txt": "text/plain; charset=utf-8"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "pdf": "application/pdf"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "mp4": "video/mp4"
        case "mp3": "audio/mpeg"
        case "css": "text/css"
        case "js": "text/javascript"
        case "" where path.hasSuffix("apple-app-site-association"): "application/json"
        default: "application/octet-stream"
        }
    }
}
