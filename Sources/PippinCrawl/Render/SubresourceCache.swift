import Foundation
import PippinPage

/// The answers that are kept for other pages (RFC 9111, a private cache), the longest unused going first. A pure value.
struct SubresourceCache {
    struct Entry: Sendable {
        let response: FetchResponse
        /// The end of the time in which it is used without asking.
        let freshUntil: Date
        /// Whether pages of every origin may have it.
        let isForAllOrigins: Bool
        fileprivate var lastUse = 0
        fileprivate var isWritten = true

        init(response: FetchResponse, freshUntil: Date, isForAllOrigins: Bool) {
            (self.response, self.freshUntil, self.isForAllOrigins) = (response, freshUntil, isForAllOrigins)
        }

        /// Whether it is used without asking. A calendar that was set back makes it stale.
        func isFresh(at date: Date) -> Bool { date < freshUntil && date >= response.fetchedAt }
        fileprivate var bytes: Int { response.body.count + SubresourceCache.overheadBytes }
    }

    /// Beside the body, an answer takes its fields.
    private static let overheadBytes = 2_000

    private let maximumBytes: Int
    private var entries: [SiteFileID: Entry] = [:]
    private var bytes = 0
    private var uses = 0

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// A kept answer, fresh or not.
    mutating func find(_ id: SiteFileID) -> Entry? {
        guard let key = key(of: id) else { return nil }
        uses += 1
        entries[key]?.lastUse = uses
        return entries[key]
    }

    /// The key of what answers a request. What every origin may have is kept without one.
    private func key(of id: SiteFileID) -> SiteFileID? {
        if entries[id] != nil { return id }
        return entries[id.forAllOrigins]?.isForAllOrigins == true ? id.forAllOrigins : nil
    }

    /// Takes an answer, if it may be kept. An older one of the same request goes in any case.
    mutating func keep(_ response: FetchResponse, _ id: SiteFileID, isScript: Bool) {
        if let old = key(of: id) { remove(old) }
        guard let lifetime = CacheLifetime(of: response, isScript: isScript),
            lifetime.freshFor > .zero || response.hasValidators
        else { return }
        var entry = Entry(
            response: response,
            freshUntil: response.fetchedAt.addingTimeInterval(lifetime.freshFor / .seconds(1)),
            isForAllOrigins: lifetime.isForAllOrigins)
        entry.isWritten = false
        put(entry, id)
    }

    /// What is to be written for later runs: each new answer once.
    mutating func takeUnwritten(_ id: SiteFileID) -> Entry? {
        guard let key = key(of: id), let entry = entries[key], !entry.isWritten else { return nil }
        entries[key]?.isWritten = true
        return entry
    }

    /// Puts an answer into memory.
    mutating func put(_ entry: Entry, _ id: SiteFileID) {
        let id = entry.isForAllOrigins ? id.forAllOrigins : id
        remove(id)
        var entry = entry
        guard entry.bytes <= maximumBytes / 4 else { return }
        uses += 1
        entry.lastUse = uses
        entries[id] = entry
        bytes += entry.bytes
        guard bytes > maximumBytes else { return }
        for (id, _) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse })
        where bytes > maximumBytes / 4 * 3 {
            remove(id)
        }
    }

    private mutating func remove(_ id: SiteFileID) {
        if let old = entries.removeValue(forKey: id) { bytes -= old.bytes }
    }
}
