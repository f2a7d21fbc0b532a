import Foundation

/// The files of `Examples/demo-site`: one folder a host, plus a `responses.json` in it for what a file cannot say
/// (redirects, statuses, header fields).
///
/// The pages are written for hosts like `clownfair.example`. When served, `https://clownfair.example` in any text becomes
/// the origin the host really has on this machine, `https://clownfair.localhost:8443`.
public struct DemoSite: Sendable {
    public struct Reply: Sendable {
        public var status: Int
        public var headers: [(name: String, value: String)]
        public var body: [UInt8]
    }

    /// One entry of `responses.json`; a path may have a file as well, whose body is then sent.
    private struct Response: Decodable {
        var status: Int?
        var location: String?
        var headers: [String: String]?
        /// Path of another file of the host whose bytes are sent.
        var file: String?
    }

    public enum LoadingError: Error, CustomStringConvertible {
        case unreadable(folder: String, reason: String)
        case noHosts(String)
        case badResponses(file: String, reason: String)

        public var description: String {
            switch self {
            case .unreadable(let folder, let reason):
                "The demo site in \(folder) cannot be read: \(reason) Name its folder with --site."
            case .noHosts(let folder):
                "\(folder) holds no folder that ends in .example; name the demo site with --site."
            case .badResponses(let file, let reason): "\(file) could not be read: \(reason)"
            }
        }
    }

    /// Replies by host name (`clownfair.example`) and path.
    private var hosts: [String: [String: Reply]] = [:]

    /// Names of the hosts as the pages write them.
    public var hostNames: [String] { hosts.keys.sorted() }

    public init(folder: URL) throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".example") }
        } catch {
            throw LoadingError.unreadable(folder: folder.path, reason: error.localizedDescription)
        }
        guard !names.isEmpty else { throw LoadingError.noHosts(folder.path) }
        for name in names {
            hosts[name] = try Self.replies(in: folder.appending(path: name))
        }
    }

    private static func replies(in folder: URL) throws -> [String: Reply] {
        var replies: [String: Reply] = [:]
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for path in paths where path != "responses.json" {
            let file = folder.appending(path: path)
            if try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true { continue }
            let reply = Reply(
                status: 200, headers: [("Content-Type", contentType(of: path))],
                body: [UInt8](try Data(contentsOf: file)))
            replies["/" + path] = reply
            if path == "index.html" || path.hasSuffix("/index.html") {
                replies["/" + path.dropLast("index.html".count)] = reply
            }
        }
        let responses = folder.appending(path: "responses.json")
        guard FileManager.default.fileExists(atPath: responses.path) else { return replies }
        do {
            let entries = try JSONDecoder().decode([String: Response].self, from: Data(contentsOf: responses))
            for (path, response) in entries {
                var reply = replies[response.file ?? path] ?? Reply(status: 200, headers: [], body: [])
                reply.status = response.status ?? (response.location == nil ? 200 : 301)
                for (name, value) in response.headers ?? [:] {
                    reply.headers.removeAll { $0.name.lowercased() == name.lowercased() }
                    reply.headers.append((name, value))
                }
                if let location = response.location { reply.headers.append(("Location", location)) }
                replies[path] = reply
            }
        } catch {
            throw LoadingError.badResponses(file: responses.path, reason: "\(error)")
        }
        return replies
    }

    private static func contentType(of path: String) -> String {
        switch (path as NSString).pathExtension.lowercased() {
        case "html", "htm": "text/html"
        case "xml": "application/xml"
        case "rss": "application/rss+xml"
        case "txt": "text/plain; charset=utf-8"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
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

    /// The host on this machine that stands for a host of the pages: `clownfair.example` → `clownfair.localhost`.
    /// Names below `localhost` always mean this machine (RFC 6761 §6.3).
    public static func localName(of host: String) -> String {
        host.replacing(".example", with: ".localhost")
    }

    /// What a host answers for a path.
    ///
    /// - Parameter host: name on this machine, without port.
    public func reply(host: String, path: String, ports: DemoPorts) -> Reply {
        let name = host.replacing(".localhost", with: ".example")
        guard let replies = hosts[name] else {
            return Reply(status: 421, headers: [], body: Array("This host is not part of the demo site.\n".utf8))
        }
        let notFound = Reply(
            status: 404, headers: [("Content-Type", "text/html; charset=utf-8")],
            body: Array("<!doctype html><title>Not found</title><p>There is no such page.</p>".utf8))
        var reply =
            replies[path] ?? replies["/404.html"].map { Reply(status: 404, headers: $0.headers, body: $0.body) }
            ?? notFound
        reply.headers = reply.headers.map { ($0.name, localized($0.value, ports: ports)) }
        let type = reply.headers.first { $0.name.lowercased() == "content-type" }?.value ?? ""
        if type.hasPrefix("text/") || type.contains("xml") || type.contains("json") {
            reply.body = localized(reply.body, ports: ports)
        }
        return reply
    }

    private func localized(_ text: String, ports: DemoPorts) -> String {
        hostNames.reduce(text) { text, host in
            text.replacing("https://\(host)", with: ports.secureOrigin(of: host))
                .replacing("http://\(host)", with: ports.plainOrigin(of: host))
        }
    }

    /// On bytes, because some pages are not UTF-8.
    private func localized(_ body: [UInt8], ports: DemoPorts) -> [UInt8] {
        hostNames.reduce(body) { body, host in
            body.replacing(Array("https://\(host)".utf8), with: Array(ports.secureOrigin(of: host).utf8))
                .replacing(Array("http://\(host)".utf8), with: Array(ports.plainOrigin(of: host).utf8))
        }
    }
}

/// Where the demo site listens.
public struct DemoPorts: Sendable, Equatable {
    public var secure: Int
    public var plain: Int

    public init(secure: Int, plain: Int) {
        self.secure = secure
        self.plain = plain
    }

    public func secureOrigin(of host: String) -> String { "https://\(DemoSite.localName(of: host)):\(secure)" }
    public func plainOrigin(of host: String) -> String { "http://\(DemoSite.localName(of: host)):\(plain)" }
}
