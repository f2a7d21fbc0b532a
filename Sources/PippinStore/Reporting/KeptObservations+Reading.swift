// What observers have left, read for a report.

import Foundation
import GRDB
import PippinCrawl

extension CrawlStorage {
    /// What observers have left with the job's URLs.
    public func keptObservations() throws -> KeptObservations {
        try KeptObservations(reading: { [self] body in try read(body) })
    }
}

extension StorageReader {
    /// What observers have left with the job's URLs.
    public func keptObservations() throws -> KeptObservations {
        try KeptObservations(reading: { [self] body in try read(body) })
    }
}

extension KeptObservations {
    /// - Parameter read: reads the database within one transaction.
    fileprivate init(reading read: @escaping @Sendable (_ body: (Database) throws -> Void) throws -> Void) throws {
        var count = 0
        try read { count = try Int.fetchOne($0, sql: "SELECT count(*) FROM judgement") ?? 0 }
        self.init(count: count) { entry, details in
            try read { database in
                try StoreStatement(database, "SELECT entry, at, failure, failedAt FROM judgement ORDER BY url").rows {
                    row in
                    let failure = row.optionalInteger(3).map {
                        (bytes: row.blob(2), date: Date(storeMilliseconds: $0))
                    }
                    entry(
                        Entry(bytes: row.blob(0), date: Date(storeMilliseconds: row.integer(1)), failure: failure))
                }
                try StoreStatement(database, "SELECT card FROM card ORDER BY weight DESC, url").rows { row in
                    details(row.blob(0))
                }
            }
        }
    }
}
