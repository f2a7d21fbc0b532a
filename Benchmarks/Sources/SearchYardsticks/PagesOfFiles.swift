import Foundation
import PippinCrawl
import PippinPage
import PippinStore

/// Files of real pages, each with its address, read as a crawl reads them.
///
/// A page's address is the one that a list beside it gives (`[{"file": "pages/0001.html", "url": "https://…"}, …]`), or the one
/// that the page declares itself: its canonical link, its `og:url`. A page without one stands under `pages.example`.
public struct PagesOfFiles {
    public struct Page {
        public let url: WebURL
        public let record: DeepLinkRecord
        public let text: String
        public let measures: StuffingMeasures
    }

    public private(set) var pages: [Page] = []
    /// Files without a record: the page does not want to be indexed.
    public private(set) var refused = 0

    /// - Parameters:
    ///   - paths: folders of `.html` files, or lists of files and addresses (`.json`).
    ///   - keepsTexts: whether the storage is to have the pages' main texts, as with `output.search_index`.
    public init(_ paths: [String], keepsTexts: Bool, fetchedAt: Date) throws {
        for path in paths {
            let location = URL(filePath: path)
            for (file, address) in try Self.files(of: location) {
                let bytes = [UInt8](try Data(contentsOf: file))
                let name = file.deletingPathExtension().lastPathComponent
                guard let facts = Self.facts(of: bytes, address: address, name: name, fetchedAt: fetchedAt) else {
                    throw NoAddress(file: file.path)
                }
                guard facts.directives.refusal(at: fetchedAt) == nil else {
                    refused += 1
                    continue
                }
                let draft = RecordBuilder.draft(from: facts, keepsText: keepsTexts, now: fetchedAt)
                let record = draft.record(manifest: nil).record
                let text = String(decoding: facts.visibleText.bytes, as: UTF8.self)
                let measures = StuffingMeasures(of: record, on: facts)
                pages.append(Page(url: facts.source.url, record: record, text: text, measures: measures))
            }
        }
    }

    /// The page, read at its address.
    private static func facts(of bytes: [UInt8], address: String?, name: String, fetchedAt: Date) -> PageFacts? {
        func read(_ url: WebURL) -> PageFacts {
            PageFacts(PageSource(url: url, bytes: bytes, fetchedAt: fetchedAt))
        }
        if let address, let url = WebURL(address), url.isHTTP { return read(url) }
        guard let url = WebURL("https://pages.example/\(address ?? name)") else { return nil }
        let facts = read(url)
        let declared = facts.metadata.canonical ?? facts.openGraph?.url
        guard address == nil, let declared, declared.isHTTP, declared != url else { return facts }
        return read(declared)
    }

    private static func files(of location: URL) throws -> [(file: URL, address: String?)] {
        guard location.pathExtension == "json" else {
            return try FileManager.default.contentsOfDirectory(at: location, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "html" }
                .sorted { $0.lastPathComponent < $1.lastPathComponent }
                .map { ($0, nil) }
        }
        struct Entry: Decodable {
            let file: String
            let url: String
        }
        let folder = location.deletingLastPathComponent()
        return try JSONDecoder().decode([Entry].self, from: Data(contentsOf: location))
            .map { (folder.appending(path: $0.file), $0.url) }
    }

    /// Delivers the records to a storage, as a crawl does: visits that end.
    public func deliver(to folder: URL) async throws {
        let storage = try CrawlStorage(folder: folder)
        let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl())
        for page in pages {
            let request = CrawlRequest(url: page.url, depth: 1, seed: Seed(url: page.url), discovery: .outlink)
            var visit = FinishedVisit(
                request: request, outcome: .recorded, finishedAt: page.record.fetchedAt,
                next: RecrawlPolicy.Next(wait: .seconds(86_400)), changes: [.upsert(RecordDocument(page.record))])
            visit.recordIdentifier = page.record.uniqueIdentifier
            _ = try await frontier.finish(visit)
        }
        try await frontier.close(keeping: [])
        try storage.emptyLog()
    }

    public struct NoAddress: Error, CustomStringConvertible {
        let file: String
        public var description: String { "\(file) has no address that is a URL." }
    }
}
