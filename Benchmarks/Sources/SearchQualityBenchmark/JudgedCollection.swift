import Foundation
import PippinCrawl
import PippinPage
import PippinStore
import SearchYardsticks

/// The judged pages in a storage of their own, delivered as a crawl does, and its search index.
struct JudgedCollection {
    /// The records as the feed has them, with the addresses that judgments use, and the visible text of the real pages.
    let records: [(identifier: String, record: JSONValue, text: String)]
    /// Pages that ask not to be indexed.
    let refused: Int
    private let folder: URL
    private let isKept: Bool
    private let index: SearchIndex

    /// - Parameters:
    ///   - demo: the storage of a crawl of the demo site; a copy of it is used.
    ///   - pages: see `PagesOfFiles`.
    ///   - keepsTexts: whether the storage has the pages' main texts.
    ///   - kept: where the new storage stays; nil for one that is removed.
    init(demo: String, pages: [String], keepsTexts: Bool, kept: String?) async throws {
        isKept = kept != nil
        folder =
            kept.map { URL(filePath: $0) }
            ?? FileManager.default.temporaryDirectory.appending(path: "pippin-judged-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: URL(filePath: demo), to: folder)
        let judged = try PagesOfFiles(
            pages, keepsTexts: keepsTexts, fetchedAt: Date(timeIntervalSince1970: 1_790_000_000))
        refused = judged.refused
        try await judged.deliver(to: folder)
        _ = try SearchIndexer(folder: folder).catchUp()
        index = try SearchIndex(folder: folder)

        let texts = Dictionary(
            judged.pages.map { ($0.record.uniqueIdentifier, $0.text) }, uniquingKeysWith: { _, last in last })
        var records: [(identifier: String, record: JSONValue, text: String)] = []
        _ = try ChangeFeed(folder: folder).read(since: nil) { change in
            guard !change.isDeletion else { return }
            var parser = JSONParser()
            let record = try parser.parse(change.document)
            records.append((Self.name(of: change.identifier), record, texts[change.identifier] ?? ""))
        }
        self.records = records
    }

    /// Removes the storage, unless it is to be kept.
    func remove() {
        if isKept { return }
        do { try FileManager.default.removeItem(at: folder) } catch {
            print("\(folder.path) is left behind: \(error)")
        }
    }

    /// The addresses of the best pages, best first.
    func search(_ text: String, limit: Int) throws -> [String] {
        try index.search(SearchQuery(text), offset: 0, limit: limit, isExplained: false).hits
            .map { Self.name(of: $0.identifier) }
    }

    /// The best pages of a query, best first, with other weights or with clicks.
    func searching(
        weights: SearchWeights, clicks: ClickLog?
    ) throws -> (String) throws -> [(name: String, identifier: String)] {
        let index = try SearchIndex(folder: folder, weights: weights)
        index.use(clicks)
        return { text in
            try index.search(SearchQuery(text), offset: 0, limit: JudgedQuery.depth, isExplained: false).hits
                .map { (Self.name(of: $0.identifier), $0.identifier) }
        }
    }

    /// A click log of these lines.
    func clickLog(_ lines: [String]) throws -> ClickLog {
        let file = folder.appending(path: "clicks.ndjson")
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        return try ClickLog(contentsOf: file.path)
    }

    /// Checks that every judged page is in the collection.
    func check(_ queries: [JudgedQuery]) throws {
        let known = Set(records.map(\.identifier))
        for query in queries {
            for page in query.pages.keys where !known.contains(page) {
                throw UnknownPage(page: page, query: query.query)
            }
        }
    }

    struct UnknownPage: Error, CustomStringConvertible {
        let page: String
        let query: String
        var description: String { "The query \"\(query)\" names \(page), which is not among the pages." }
    }

    /// The address that judgments use: the demo site's without the port of its crawl.
    private static func name(of identifier: String) -> String {
        guard let url = WebURL(identifier), let host = url.host?.description, host.hasSuffix(".localhost") else {
            return identifier
        }
        let rest = identifier.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
        return "https://" + host.dropLast(".localhost".count) + ".example" + rest
    }
}
