import Foundation
import GRDB

/// The links among the pages of a job, for export: as they count for popularity (`CrawlGraph`), with URLs in place of numbers.
public struct StoredLinks: Sendable {
    public struct Link: Sendable, Equatable {
        /// The page, and the page that the link leads to, as URL keys. Redirects and canonical links are resolved.
        public let from: String
        public let to: String
        /// Whether `rel` of the link, or the page, says `nofollow`, `ugc` or `sponsored`.
        public let isNofollow: Bool
        /// How much the link counts among the links of its page: 1, less for links of a site's template, 0 with `isNofollow`.
        public let weight: Double
    }

    /// How many pages are looked up at a time. The database is free in between, so a slow reader holds up nobody.
    private static let stretch = 500
    /// How many URLs are held, about 100 bytes each: most links of a page are those of the page before.
    private static let heldURLs = 100_000

    private let database: any DatabaseReader
    private let folder: String

    /// Opens a storage folder, which another process may be writing.
    ///
    /// - Throws: `StorageError` if the folder cannot be read.
    public init(folder: URL) throws {
        self.folder = folder.path
        database = try StorageDatabase.toRead(in: folder)
    }

    /// Calls `body` for each link, page by page. Links to URLs that the queue has dropped are left out.
    public func read(_ body: (Link) throws -> Void) throws {
        let graph: CrawlGraph
        do {
            graph = try fetch { try CrawlGraph($0, folder: folder) { Task.isCancelled } }
        } catch let error as CrawlGraph.TooLarge {
            throw StorageError.unusable(folder: database.path, reason: error.description)
        }
        let links = graph.links
        var held: [UInt32: String] = [:]
        for start in stride(from: 0, to: links.sources.count, by: Self.stretch) {
            try Task.checkCancellation()
            let rows = start..<min(start + Self.stretch, links.sources.count)
            var found: [Link] = []
            try fetch { database in
                let address = try StoreStatement(
                    database, "SELECT name, address FROM url JOIN host ON host.id = url.id >> 35 WHERE url.id = ?")
                func url(_ node: UInt32) throws -> String? {
                    if let url = held[node] { return url }
                    let url = try address.first(.integer(graph.urls[Int(node)])) {
                        StoredAddress(host: $0.text(0), text: $0.text(1)).key
                    }
                    if held.count >= Self.heldURLs { held.removeAll(keepingCapacity: true) }
                    held[node] = url
                    return url
                }
                for row in rows where links.starts[row] < links.starts[row + 1] {
                    guard let from = try url(links.sources[row]) else { continue }
                    for place in links.starts[row]..<links.starts[row + 1] {
                        guard let to = try url(links.targets[place]) else { continue }
                        let weight = Double(links.weights[place])
                        found.append(
                            Link(
                                from: from, to: to, isNofollow: weight == 0,
                                weight: (weight * 1e9).rounded() / 1e9))
                    }
                }
            }
            for link in found { try body(link) }
        }
    }

    private func fetch<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try database.read(body)
        } catch let error as DatabaseError {
            throw StorageError(error, path: database.path)
        }
    }
}
