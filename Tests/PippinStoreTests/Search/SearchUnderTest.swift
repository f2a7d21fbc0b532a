import Foundation
import GRDB
import PippinCrawl
import PippinTestSupport

@testable import PippinPage
@testable import PippinStore

/// A storage with records and its search index, at a moment that a test chooses.
struct SearchUnderTest: Sendable {
    let folder = StorageFolder()
    private let store: StoreUnderTest
    let now: Date

    init(now: Date = MadeUpTime.start) throws {
        store = try StoreUnderTest(folder)
        self.now = now
    }

    /// Writes a record and does not index it.
    func write(_ record: DeepLinkRecord) async throws { try await store.write(.upsert(RecordDocument(record))) }

    /// - Parameter change: completes the record.
    func write(
        _ address: String, _ title: String, _ change: (inout DeepLinkRecord) -> Void = { _ in }
    ) async throws {
        var record = DeepLinkRecord(
            uniqueIdentifier: address, domainIdentifier: WebURL(address)?.host ?? "", url: address, fetchedAt: now,
            contentHash: address)
        record.title = title
        record.languages = ["en"]
        change(&record)
        try await write(record)
    }

    func delete(_ address: String) async throws { try await store.delete(address) }

    /// Gives records a popularity, in thousandths, as a ranking does.
    func rank(_ values: [String: Int64]) async throws {
        let records = try store.storage.read { database in
            try values.map { address, value in
                let sql = "SELECT id FROM record WHERE identifier = ?"
                return (record: try Int64.fetchOne(database, sql: sql, arguments: [address]) ?? 0, value: value)
            }
        }
        try await store.frontier.deliver(records)
    }

    @discardableResult
    func update(limit: Int = .max) throws -> Int { try SearchIndexer(folder: folder.url).catchUp(limit: limit) }

    func index(weights: SearchWeights = .standard) throws -> SearchIndex {
        let now = now
        return try SearchIndex(folder: folder.url, weights: weights, now: { now })
    }

    func results(
        _ text: String, limit: Int = 10, clicks: ClickLog? = nil, isExplained: Bool = false
    ) throws -> SearchResults {
        let index = try index()
        index.use(clicks)
        return try index.search(SearchQuery(text), offset: 0, limit: limit, isExplained: isExplained)
    }

    /// The paths of the hits, best first.
    func found(_ text: String, clicks: ClickLog? = nil) throws -> [String] {
        try results(text, limit: 100, clicks: clicks).hits.map { WebURL($0.identifier)?.path ?? $0.identifier }
    }

    /// All that the index holds, to compare two.
    func contents() throws -> [String] {
        let queue = try GRDBContents.rows(
            of: folder.url.appending(path: SearchSchema.fileName).path,
            [
                "SELECT identifier, contents, popularity, rating, day FROM document ORDER BY identifier",
                "SELECT term, documents, magnitude FROM word ORDER BY term",
                "SELECT tag, documents FROM language WHERE documents <> 0 ORDER BY tag",
                "SELECT field, words FROM length ORDER BY field",
                "SELECT documents FROM state",
            ])
        return queue
    }
}

extension SchemaOrg.Rating {
    init(value: Double, best: Double, worst: Double, count: Int?, reviewCount: Int?) {
        self.init(
            value: value, best: best, worst: worst, normalized: (value - worst) / (best - worst), count: count,
            reviewCount: reviewCount)
    }
}
