import Foundation
import PippinCrawl
import PippinPage

/// A change of the records in the form the database takes, made outside of its transaction.
struct StoredChange: Sendable {
    enum Kind: Sendable {
        case upsert(document: [UInt8], version: Int64, cluster: Int64, simHash: UInt64?, fetchedAt: Int64)
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
            // What is left says nothing of where it was found.
            reduced.uniqueIdentifier = ""
            reduced.url = ""
            reduced.seeds = []
            reduced.domainIdentifier = ""
            reduced.modifiedAt = nil
            content.removeAll(keepingCapacity: true)
            reduced.appendJSON(to: &content)
            let site = Self.site(of: identifier)
            kind = .upsert(
                document: document, version: Int64(bitPattern: version),
                // Twenty bits of the site in front, so that what is compared lies side by side.
                cluster: Int64(bitPattern: site << 44 | UInt64.storeHash(content, seed: site) >> 20),
                simHash: record.simHash, fetchedAt: record.fetchedAt.storeSeconds)
        }
    }

    /// A number for the host of a record without its `www.`: who says the same twice is one.
    static func site(of identifier: String) -> UInt64 {
        let host = WebURL(identifier)?.host ?? ""
        return UInt64.storeHash((host.hasPrefix("www.") ? host.dropFirst(4) : host[...]).utf8)
    }
}
