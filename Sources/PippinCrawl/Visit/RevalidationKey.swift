import Foundation
import PippinPage

/// Two small hashes of the inputs of a record other than the page's own bytes. "Not modified" only concerns the bytes, so a
/// conditional request is made only if these inputs are unchanged.
public struct RevalidationKey: Sendable, Equatable {
    /// The inputs that are known before the visit: configuration, seeds, what sitemaps say of the page, and the version of
    /// the page reading.
    public var crawl: UInt16
    /// The association files of the page's own host; 0 if they were not available, so that nothing is known about them.
    public var site: UInt16

    /// Creates a key.
    public init(crawl: UInt16 = 0, site: UInt16 = 0) {
        self.crawl = crawl
        self.site = site
    }

    /// The version of the page reading. Increase it when pages are read differently than before: every page is then read again
    /// when it is due.
    static let reading: UInt64 = 2

    /// Computes `crawl`. It is never 0, which is the value in storages of earlier versions.
    static func ofCrawl(
        configuration: CrawlConfiguration, seeds: [Seed], sitemap: SitemapFacts, lookup: AppLookup?,
        renderMode: RenderSettings.Mode = .never
    ) -> UInt16 {
        var hash = StableHash()
        hash.add(reading)
        hash.add(UInt64(DeepLinkRecord.schemaVersion))
        hash.add(configuration.records.rawValue)
        hash.add(configuration.agent.product)
        for agent in configuration.agent.robotsAgents { hash.add(agent) }
        hash.add(lookup?.digest ?? 0)
        for seed in seeds.sorted(by: { $0.url.href < $1.url.href }) {
            for text in [seed.url.href, seed.storeIdentifier, seed.bundleIdentifier, seed.packageName] {
                hash.add(text ?? "")
            }
        }
        for alternate in sitemap.alternates { hash.add(alternate) }
        for text in sitemap.extensionTexts { hash.add(text) }
        configuration.render.add(renderMode, to: &hash)
        return hash.small
    }

    /// Computes `site` from all files that are requested; nil if one of them may be missing only for now.
    static func ofSite(_ files: AssociationFiles, _ known: [SiteFileID: SiteFileOutcome]) -> UInt16? {
        var hash = StableHash()
        for request in files.all(known) {
            hash.add(request.url.href)
            switch known[request.id] {
            case nil: return nil
            case .found(_, let digest): hash.add(digest)
            case .absent(let cause):
                if cause.mayPass { return nil }
                hash.add(cause.kind.fileCode)
            }
        }
        return hash.small
    }
}

/// The 64-bit FNV-1a hash, the same in every run.
struct StableHash: Sendable {
    private var hash = FNV1a()
    var value: UInt64 { hash.value }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        hash.add(bytes)
        // A separator, so that two texts do not hash like their concatenation.
        hash.add(0xFF)
    }

    mutating func add(_ text: String) { add(text.utf8) }

    mutating func add(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { add($0) }
    }

    /// Sixteen bits of the hash, never 0.
    var small: UInt16 {
        let folded = value ^ value >> 32
        return max(1, UInt16(truncatingIfNeeded: folded ^ folded >> 16))
    }
}

extension RecordDocument {
    /// A hash of everything in the record except its times.
    var contentVersion: String {
        var hash = FNV1a()
        add(to: &hash, without: [.fetchedAt, .modifiedAt])
        // Ends like every text of a `StableHash`.
        hash.add(0xFF)
        return String(hash.value, radix: 16)
    }
}
