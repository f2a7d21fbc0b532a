import Foundation

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
