import Foundation
import PippinPage

/// A record that a shard told before its disk was lost, as its driver remembers it (Docs/Cluster.md). The shard's new storage takes it
/// over, so that it can tell what became of it.
public struct ToldRecord: Sendable, Equatable {
    /// The record's unique identifier.
    public let identifier: String
    /// Its page: the URL of the identifier's key.
    public let page: WebURL
    /// The record as it was told, without the popularity that the link graph gave it.
    public let document: [UInt8]
    /// When its page was fetched.
    public let fetchedAt: Date
    /// The popularity that the link graph gave it, from 0 to 1.
    public let popularity: Double?
    /// Whether the page's own claims gave the record a popularity, or may have done so before the link graph did.
    public let claimsPopularity: Bool
    /// The seeds that it names.
    let seeds: [WebURL]

    /// The most seeds that are looked at.
    private static let mostSeeds = 100

    /// Reads a `record` line.
    init(json: JSONValue) throws(WorkerFault) {
        guard let key = json["key"]?.string, let url = WebURL(key), url.isHTTP, url.username.isEmpty,
            url.password.isEmpty, let page = WebURL(URLKey(url).string), !page.politenessHost.isEmpty
        else { throw WorkerFault("\"key\" must be a record's identifier, an http or https URL") }
        guard var record = json["record"]?.object, record["uniqueIdentifier"]?.string == key,
            let fetchedAt = record["fetchedAt"]?.string.flatMap({ W3CDateTime.date(from: $0) })
        else {
            throw WorkerFault("\"record\" must be a record with the \"uniqueIdentifier\" of \"key\" and \"fetchedAt\"")
        }
        (identifier, self.page, self.fetchedAt) = (key, page, fetchedAt)
        seeds = (record["seeds"]?.array ?? []).prefix(Self.mostSeeds).compactMap { $0.string.flatMap { WebURL($0) } }
        if var provenance = record["provenance"]?.object,
            provenance["popularity"]?.string == DeepLinkRecord.Source.linkGraph.rawValue
        {
            popularity = record["popularity"]?.double.flatMap { (0...1).contains($0) ? $0 : nil }
            claimsPopularity = true
            provenance["popularity"] = nil
            record["provenance"] = provenance.isEmpty ? nil : .object(provenance)
            record["popularity"] = nil
        } else {
            popularity = nil
            claimsPopularity = record["popularity"] != nil
        }
        document = JSONValue.object(record).bytes()
    }

    /// The request for its page. A record does not say how far its page is from a seed: `max_depth` at most, else it would not be there.
    /// Nearer ways to it are found when the pages that link there are read. Like a canonical page, it is never dropped from the queue.
    public func request(in scope: CrawlScope) -> CrawlRequest {
        let seed = seeds.lazy.compactMap { scope.seed(at: $0) }.first ?? scope.anySeed ?? Seed(url: page)
        return CrawlRequest(
            link: page, depth: scope.maximumDepth(of: page.politenessHost), seed: seed, discovery: .canonical)
    }
}
