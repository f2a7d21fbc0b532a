import Foundation
import PippinPage

/// What beside a page's own bytes decides what is recorded of it, as two small hashes: "not modified" says nothing of it, so
/// a page is asked for conditionally only while it is the same.
public struct RevalidationKey: Sendable, Equatable {
    /// The configuration, the seeds, what sitemaps say of the page, and how this version reads pages. Known beforehand.
    public var crawl: UInt16
    /// The association files of the page's own host; 0 when they could not be had, which says nothing of them.
    public var site: UInt16

    public init(crawl: UInt16 = 0, site: UInt16 = 0) {
        self.crawl = crawl
        self.site = site
    }

    /// To be raised when pages are read otherwise than before: every page is then read anew when it is due.
    static let reading: UInt64 = 1

    /// `crawl`; never 0, which is what storages of earlier versions have.
    static func ofCrawl(
        configuration: CrawlConfiguration, seeds: [Seed], alternates: [String], lookup: AppLookup?
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
        for alternate in alternates { hash.add(alternate) }
        return hash.small
    }

    /// `site`, of all the files that are asked for; nil while one of them may only be missing for now.
    static func ofSite(_ files: AssociationFiles, _ known: [SiteFileID: SiteFileOutcome]) -> UInt16? {
        var hash = StableHash()
        for request in files.all(known) {
            hash.add(request.url.href)
            switch known[request.id] {
            case nil: return nil
            case .found(_, let digest): hash.add(digest)
            case .absent(let failure):
                if failure.mayPass { return nil }
                hash.add(failure.code)
            }
        }
        return hash.small
    }
}

extension SiteFileFailure {
    /// Whether the file may be there the next time, without anybody having changed anything.
    var mayPass: Bool {
        switch self {
        case .status(let status): status == 429 || status >= 500
        case .failed(let error): error.retry != .never
        case .robotsUnreachable, .hostLeft: true
        case .disallowed, .outOfScope, .notOverHTTPS, .contactMissing, .redirectRefused, .tooManyRedirects,
            .readingTimedOut:
            false
        }
    }
}

/// 64-bit FNV-1a: the same in every run.
struct StableHash: Sendable {
    private var hash = FNV1a()
    var value: UInt64 { hash.value }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        hash.add(bytes)
        // So that two texts are not one.
        hash.add(0xFF)
    }

    mutating func add(_ text: String) { add(text.utf8) }

    mutating func add(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { add($0) }
    }

    /// Sixteen bits of it, never 0.
    var small: UInt16 {
        let folded = value ^ value >> 32
        return max(1, UInt16(truncatingIfNeeded: folded ^ folded >> 16))
    }
}

extension DeepLinkRecord {
    /// Hash of all that a record says of its page, but for when that was.
    var contentVersion: String {
        var reduced = self
        reduced.fetchedAt = Date(timeIntervalSince1970: 0)
        reduced.modifiedAt = nil
        var json: [UInt8] = []
        reduced.appendJSON(to: &json)
        var hash = StableHash()
        hash.add(json)
        return String(hash.value, radix: 16)
    }
}
