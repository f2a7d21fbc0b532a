import Foundation
import GRDB

/// URLs of which nothing is kept any more.
extension FrontierTables {
    /// Whether other shards know that a page has no links any more. If not, they are told, and its next visit asks again.
    func isGoneForAll(_ row: URLTable.Row) throws -> Bool {
        try mail?.isGone(row.id, at: row.address, sequence: recordTable.nextSequence) ?? true
    }

    /// Removes a URL that is not leased, with its record, links, and what an observer has left. Consumers get a deletion of the record if
    /// they have had it. Links of other pages to the URL stay, as numbers; they are valid again if it comes back.
    ///
    /// - Parameter reason: of the record's deletion.
    /// - Returns: whether it had a record.
    func forget(_ row: URLTable.Row, reason: String, at time: Date) throws -> Bool {
        let record = try urls.record(of: row)
        let hadRecord = try record.map { try recordTable.forget($0, reason: reason, at: time) } ?? false
        // A record that was deleted before is found under the URL's own key.
        if record == nil { try recordTable.forget(row.address.key, reason: reason, at: time, ifDeleted: true) }
        try links.apply(.gone, of: row.id)
        try links.keepFurther([], of: row.id)
        try observations.remove(row.id)
        try toldLinksRemoval.run(.integer(row.id))
        try mail?.keepLinks([], of: row.id)
        for page in try endWaiting(for: row.id) { try requeueForItself(page) }
        if let canonical = row.canonical { try endWaiting(of: row.id, for: canonical) }
        outcomes.move(from: OutcomeTable.lastNumber(in: row.history), to: nil)
        try remove(row)
        return hadRecord
    }
}
