import Foundation
import PippinCrawl

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
