import Foundation
import PippinCrawl
import PippinPage

/// What became of URLs that were to be taken in.
public struct TakenURLs: Sendable, Equatable {
    /// New ones that wait for their first visit.
    public var queued = 0
    /// New ones that were visited elsewhere.
    public var visited = 0
    /// Those that were known.
    public var known = 0
    /// Those for which the queue had no room.
    public var dropped = 0
    /// Those that the scope does not allow, by the reason.
    public var refused: [CrawlScope.Refusal: Int] = [:]

    /// None.
    public init() {}

    /// The sum of both.
    public mutating func add(_ other: TakenURLs) {
        queued += other.queued
        visited += other.visited
        known += other.known
        dropped += other.dropped
        refused.merge(other.refused, uniquingKeysWith: +)
    }
}

extension SQLiteFrontier {
    /// Takes in URLs that another crawl knew, in one transaction. What is known already stays as it is.
    ///
    /// - Parameters:
    ///   - seeds: those of the job.
    ///   - first: the seed of URLs whose own is not among them.
    /// - Returns: what became of them.
    public func takeIn(
        _ known: [KnownURL], scope: CrawlScope, seeds: [WebURL: Seed], otherwise first: Seed
    ) throws -> TakenURLs {
        let now = date().storeSeconds
        var counts = TakenURLs()
        try write { _ in
            for url in known {
                guard let request = url.request(seeds: seeds, otherwise: first) else { continue }
                if let refusal = scope.refusal(of: request) {
                    counts.refused[refusal, default: 0] += 1
                    continue
                }
                switch try tables.takeIn(request, visit: url.visit, now: now) {
                case .queued: counts.queued += 1
                case .visited: counts.visited += 1
                case .known: counts.known += 1
                case .dropped: counts.dropped += 1
                }
            }
        }
        return counts
    }
}
