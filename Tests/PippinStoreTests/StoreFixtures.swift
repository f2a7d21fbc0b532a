import Foundation
import GRDB
import PippinCrawl
import PippinTestSupport

@testable import PippinPage
@testable import PippinStore

extension DeepLinkRecord {
    /// A record whose content is what `says` is.
    static func of(_ identifier: String, says: String, at date: Date = MadeUpTime.start) -> DeepLinkRecord {
        var record = DeepLinkRecord(
            uniqueIdentifier: identifier, domainIdentifier: WebURL(identifier)?.host ?? "", url: identifier,
            fetchedAt: date, contentHash: says)
        record.title = says
        record.simHash = SimHash.value(of: Array(says.utf8))
        return record
    }
}

extension CrawlStorage {
    /// Limits the size of the database, in pages of 4 KB, as a full disk does.
    func limitSize(toPages count: Int) throws {
        try write { try $0.execute(sql: "PRAGMA max_page_count = \(count)") }
    }
}

extension ChangeFeed {
    /// `+` and identifier of a record, `-` and identifier of a deletion.
    func summary(since cursor: Cursor? = nil) throws -> [String] {
        var lines: [String] = []
        try read(since: cursor) { lines.append(($0.isDeletion ? "-" : "+") + $0.identifier) }
        return lines
    }
}

/// A storage with a frontier, into which a test writes records as visits would.
struct StoreUnderTest: Sendable {
    let storage: CrawlStorage
    let frontier: SQLiteFrontier

    init(_ folder: StorageFolder, calendar: TestCalendar = TestCalendar()) throws {
        storage = try folder.open()
        frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl(), date: { calendar.now })
    }

    func write(_ change: RecordChange) async throws {
        var visit: FinishedVisit
        switch change {
        case .upsert(let document):
            visit = .of(.page(document.record.uniqueIdentifier), changes: [change])
            visit.recordIdentifier = document.record.uniqueIdentifier
        case .delete(let deletion):
            visit = .of(.page(deletion.uniqueIdentifier), changes: [change])
        }
        _ = try await frontier.finish(visit)
    }

    func upsert(
        _ identifier: String, says: String, text: String? = nil, at date: Date = MadeUpTime.start
    ) async throws {
        var record = DeepLinkRecord.of(identifier, says: says, at: date)
        record.mainText = text.map(SearchedText.init(kept:))
        try await write(.upsert(RecordDocument(record)))
    }

    func delete(_ identifier: String) async throws {
        try await write(
            .delete(RecordDeletion(uniqueIdentifier: identifier, reason: "gone", at: MadeUpTime.start)))
    }
}
