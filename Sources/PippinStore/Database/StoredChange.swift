import Foundation
import PippinCrawl
import PippinPage

/// A change of the records in the form that the database takes. It is made outside of the transaction.
struct StoredChange: Sendable {
    enum Kind: Sendable {
        case upsert(Upsert)
        case delete(document: [UInt8], reason: String, at: Int64)
    }

    /// A record that is new, or has been seen again.
    struct Upsert: Sendable {
        /// The record as it is kept. It says that the status of each deep link holds since this visit.
        let bytes: [UInt8]
        /// `RecordText.storeVersion`
        let version: Int64
        /// A hash of host and content.
        let cluster: Int64
        /// A hash of the host.
        let host: Int64
        let simHash: UInt64?
        let fetchedAt: Int64
        let deepLinks: [DeepLinkRecord.DeepLink]
        let mainText: SearchedText?
        let claimsPopularity: Bool
        private let document: RecordDocument

        init(_ document: RecordDocument) {
            self.document = document
            let record = document.record
            deepLinks = record.deepLinks
            mainText = record.mainText
            claimsPopularity = record.claimsPopularity
            simHash = record.simHash
            fetchedAt = record.fetchedAt.storeSeconds
            bytes = document.bytes(since: Array(repeating: Date(storeSeconds: fetchedAt), count: deepLinks.count))
            version = document.text.storeVersion
            let hostHash = StoredChange.host(of: record.uniqueIdentifier)
            host = Int64(bitPattern: hostHash)
            // The content does not depend on where and when it was found. The first twenty bits come from the host, so that
            // records to be compared lie side by side.
            let content = document.text.storeHash(without: Set(RecordText.Part.allCases), seed: hostHash)
            cluster = Int64(bitPattern: hostHash << 44 | content >> 20)
        }

        /// The record as it is kept if earlier visits have seen its deep links.
        ///
        /// - Parameter since: since when the status of each deep link holds.
        func bytes(since: [Int64]) -> [UInt8] { document.bytes(since: since.map { Date(storeSeconds: $0) }) }
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
        case .upsert(let document):
            identifier = document.record.uniqueIdentifier
            kind = .upsert(Upsert(document))
        }
    }

    /// A number for the host of a record, without `www.`, so that both spellings count as one. The host and not its site,
    /// because the number is stored, while the list that defines sites changes.
    static func host(of identifier: String) -> UInt64 {
        UInt64.storeHash(SiteIdentity.withoutWWW(WebURL(identifier)?.host ?? "").utf8)
    }
}

extension [StoredChange] {
    /// The SimHash of the record among the changes of a visit, which writes one at most.
    var simHash: UInt64? {
        for change in self {
            if case .upsert(let record) = change.kind { return record.simHash }
        }
        return nil
    }
}

extension RecordText {
    /// A hash of all that consumers see, without `fetchedAt`. Since when a status holds is no news.
    var storeVersion: Int64 { Int64(bitPattern: storeHash(without: [.fetchedAt, .since])) }

    fileprivate func storeHash(without parts: Set<Part>, seed: UInt64 = 0) -> UInt64 {
        var hash = FNV1a(seed: seed)
        add(to: &hash, without: parts)
        return UInt64.storeHash(hash)
    }
}
