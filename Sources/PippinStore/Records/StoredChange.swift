import Foundation
import PippinCrawl
import PippinPage

/// A change of the records in the form that the database takes. It is made outside of the transaction.
struct StoredChange: Sendable {
    enum Kind: Sendable {
        /// The document says that the status of each deep link holds since this visit. If an earlier visit has seen it, the
        /// document is made anew.
        case upsert(
            DeepLinkRecord, document: [UInt8], version: Int64, cluster: Int64, host: Int64, simHash: UInt64?,
            fetchedAt: Int64)
        case delete(document: [UInt8], reason: String, at: Int64)
    }

    let identifier: String
    let kind: Kind

    init(_ change: RecordChange) {
        var document: [UInt8] = []
        switch change {
        case .delete(let deletion):
            identifier = deletion.uniqueIdentifier
            deletion.appendJSON(to: &document)
            kind = .delete(document: document, reason: deletion.reason, at: deletion.at.storeSeconds)
        case .upsert(let record):
            identifier = record.uniqueIdentifier
            let fetchedAt = record.fetchedAt.storeSeconds
            document = Self.document(of: record, since: record.deepLinks.map { _ in fetchedAt })
            var content: [UInt8] = []
            // Since when a status holds is no news: `since` is not part of the version.
            var reduced = record
            reduced.fetchedAt = Date(timeIntervalSince1970: 0)
            reduced.appendJSON(to: &content)
            let version = UInt64.storeHash(content)
            // The rest does not depend on where the record was found.
            reduced.uniqueIdentifier = ""
            reduced.url = ""
            reduced.seeds = []
            reduced.domainIdentifier = ""
            reduced.modifiedAt = nil
            content.removeAll(keepingCapacity: true)
            reduced.appendJSON(to: &content)
            let host = Self.host(of: identifier)
            kind = .upsert(
                record, document: document, version: Int64(bitPattern: version),
                // The first twenty bits come from the host, so that records to be compared lie side by side.
                cluster: Int64(bitPattern: host << 44 | UInt64.storeHash(content, seed: host) >> 20),
                host: Int64(bitPattern: host), simHash: record.simHash, fetchedAt: fetchedAt)
        }
    }

    /// The record as JSON.
    ///
    /// - Parameter since: since when the status of each deep link holds.
    static func document(of record: DeepLinkRecord, since: [Int64]) -> [UInt8] {
        var record = record
        for (index, seconds) in zip(record.deepLinks.indices, since) {
            record.deepLinks[index].verification.since = Date(storeSeconds: seconds)
        }
        var document: [UInt8] = []
        record.appendJSON(to: &document)
        return document
    }

    /// A number for the host of a record, without `www.`, so that both spellings count as one. The host and not its site,
    /// because the number is stored, while the list that defines sites changes.
    static func host(of identifier: String) -> UInt64 {
        UInt64.storeHash(SiteIdentity.withoutWWW(WebURL(identifier)?.host ?? "").utf8)
    }
}
