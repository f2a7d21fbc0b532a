import Foundation
import PippinCrawl
import PippinPage

/// The pages of the judged collection: files of real pages, each with its address.
///
/// A page's address is the one that a list beside it gives (`[{"file": "pages/0001.html", "url": "https://…"}, …]`), or the one
/// that the page declares itself: its canonical link, its `og:url`. A page without one stands under `pages.example`.
struct JudgedPages {
    struct Page {
        let url: WebURL
        let record: DeepLinkRecord
        let text: String
    }

    private(set) var pages: [Page] = []
    /// Files without a record: the page does not want to be indexed.
    private(set) var refused = 0

    /// - Parameters:
    ///   - paths: folders of `.html` files, or lists of files and addresses (`.json`).
    ///   - keepsTexts: whether the storage is to have the pages' main texts, as with `output.search_index`.
    init(_ paths: [String], keepsTexts: Bool, fetchedAt: Date) throws {
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
                pages.append(Page(url: facts.source.url, record: record, text: text))
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

    struct NoAddress: Error, CustomStringConvertible {
        let file: String
        var description: String { "\(file) has no address that is a URL." }
    }
}
