import Foundation
import PippinCrawl
import PippinPage

/// A change of the records in the form that the database takes. It is made outside of the transaction.
struct StoredChange: Sendable {
    enum Kind: Sendable {
        case upsert(
            document: [UInt8], version: Int64, cluster: Int64, host: Int64, simHash: UInt64?, fetchedAt: Int64)
        case delete(document: [UInt8], at: Int64)
    }

    let identifier: String
    let kind: Kind

    init(_ change: RecordChange) {
        var document: [UInt8] = []
        switch change {
        case .delete(let deletion):
            identifier = deletion.uniqueIdentifier
            deletion.appendJSON(to: &document)
            kind = .delete(document: document, at: deletion.at.storeSeconds)
        case .upsert(let record):
            identifier = record.uniqueIdentifier
            record.appendJSON(to: &document)
            var content: [UInt8] = []
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
                document: document, version: Int64(bitPattern: version),
                // The first twenty bits come from the host, so that records to be compared lie side by side.
                cluster: Int64(bitPattern: host << 44 | UInt64.storeHash(content, seed: host) >> 20),
                host: Int64(bitPattern: host), simHash: record.simHash, fetchedAt: record.fetchedAt.storeSeconds)
        }
    }

    /// A number for the host of a record, without `www.`, so that both spellings count as one. The host and not its site,
    /// because the number is stored, while the list that defines sites changes.
    static func host(of identifier: String) -> UInt64 {
        UInt64.storeHash(SiteIdentity.withoutWWW(WebURL(identifier)?.host ?? "").utf8)
    }
}
