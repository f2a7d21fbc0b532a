import Foundation
import GRDB
import PippinCrawl
import PippinPage
import PippinReport

/// An entry of a report in the form that the database takes. It is made outside of the transaction.
struct StoredEntry: Sendable {
    let entry: [UInt8]
    let card: [UInt8]?
    let weight: Int64
    /// Whether the entry is kept when a later visit fails for a reason that may pass.
    let stands: Bool
    let mayPass: Bool

    /// The largest entries for a page, whose links take most of it, and for a sitemap, which is nothing but its entries.
    fileprivate static let maximumBytes = 64 << 10
    fileprivate static let maximumSitemapBytes = 8 << 20
}

extension StoredEntry {
    init(_ report: ReportEntry) throws {
        mayPass = report.mayPass
        var limit = Self.maximumBytes
        switch report.content {
        case .judged(let page): (weight, stands) = (Int64(page.weight), report.trouble == nil)
        case .sitemap:
            (weight, stands) = (0, true)
            limit = Self.maximumSitemapBytes
        case .leads, .closed, .unjudged, .nothing: (weight, stands) = (0, false)
        }
        entry = try report.kept(maximumBytes: limit)
        card = try report.card.map { try $0.kept() }
    }
}

/// The last judgement of each URL for reports of the crawl, and the report cards of the worst pages.
///
/// An entry is removed with its page. Twice as many cards are kept as a report shows, since the worst pages may be repaired
/// first.
final class ReportTable {
    /// The number of cards to keep. When there are twice as many, the lightest are removed.
    private let maximumCards: Int64

    private let standing: StoreStatement
    private let replacement: StoreStatement
    private let failing: StoreStatement
    private let removal: StoreStatement
    private let cardInsertion: StoreStatement
    private let cardRemoval: StoreStatement
    private let cardCut: StoreStatement
    private let count: StoreStatement
    private var cards: Int64
    /// Whether the table of judgements has a row. Jobs without reports have none, and need not look.
    private var hasJudgements: Bool
    /// How many visits in a row must miss a page before it counts as gone (`recrawl.misses`).
    private let misses: Int

    init(_ database: Database, misses: Int, maximumCards: Int = 2 * SiteReport.maximumCards) throws {
        self.misses = misses
        self.maximumCards = Int64(maximumCards)
        standing = try StoreStatement(database, "SELECT stands FROM judgement WHERE url = ?")
        replacement = try StoreStatement(
            database, "INSERT OR REPLACE INTO judgement(url, at, stands, entry) VALUES (?, ?, ?, ?)")
        failing = try StoreStatement(database, "UPDATE judgement SET failedAt = ?, failure = ? WHERE url = ?")
        removal = try StoreStatement(database, "DELETE FROM judgement WHERE url = ?")
        cardInsertion = try StoreStatement(
            database, "INSERT OR REPLACE INTO card(url, weight, card) VALUES (?, ?, ?)")
        cardRemoval = try StoreStatement(database, "DELETE FROM card WHERE url = ?")
        cardCut = try StoreStatement(
            database, "DELETE FROM card WHERE url IN (SELECT url FROM card ORDER BY weight LIMIT ?)")
        count = try StoreStatement(database, "SELECT count(*) FROM card")
        cards = try count.first { $0.integer(0) } ?? 0
        hasJudgements = try StoreStatement(database, "SELECT 1 FROM judgement LIMIT 1").first { _ in true } ?? false
    }

    func apply(_ entry: StoredEntry?, of visit: FinishedVisit, url: Int64) throws {
        guard entry != nil || hasJudgements else { return }
        let stands = try standing.first(.integer(url)) { $0.integer(0) != 0 }
        let isMissed = visit.outcome.bearing == .misses && visit.next.misses >= misses
        guard let entry else {
            guard stands != nil else { return }
            switch visit.outcome.bearing {
            case .ends: try remove(url)
            case .misses: if isMissed { try remove(url) }
            // The page is there again, though it was not judged.
            case .replaces: try failing.run(.null, .null, .integer(url))
            case .silent: break
            }
            return
        }
        let at = visit.finishedAt.storeMilliseconds
        if entry.mayPass, stands == true, !isMissed {
            return try failing.run(.integer(at), .blob(entry.entry), .integer(url))
        }
        hasJudgements = true
        try replacement.run(.integer(url), .integer(at), .integer(entry.stands ? 1 : 0), .blob(entry.entry))
        if stands != nil { try cardRemoval.run(.integer(url)) }
        guard let card = entry.card else { return }
        try cardInsertion.run(.integer(url), .integer(entry.weight), .blob(card))
        cards += 1
        guard cards >= 2 * maximumCards else { return }
        // Counted again, because some cards were removed with their pages.
        cards = try count.first { $0.integer(0) } ?? 0
        guard cards > maximumCards else { return }
        try cardCut.run(.integer(cards - maximumCards))
        cards = maximumCards
    }

    private func remove(_ url: Int64) throws {
        try removal.run(.integer(url))
        try cardRemoval.run(.integer(url))
    }
}

extension CrawlStorage {
    /// What is stored for the report of the crawl.
    public func keptReport() throws -> CrawlReporter.Kept {
        try CrawlReporter.Kept(reading: { [self] body in try read(body) })
    }
}

extension StorageReader {
    /// What is stored for the report of the crawl.
    func keptReport() throws -> CrawlReporter.Kept {
        try CrawlReporter.Kept(reading: { [self] body in try read(body) })
    }
}

extension CrawlReporter.Kept {
    /// - Parameter read: reads the database within one transaction.
    fileprivate init(reading read: @escaping @Sendable (_ body: (Database) throws -> Void) throws -> Void) throws {
        var count = 0
        try read { count = try Int.fetchOne($0, sql: "SELECT count(*) FROM judgement") ?? 0 }
        self.init(count: count) { entry, card in
            try read { database in
                try StoreStatement(database, "SELECT entry, at, failure, failedAt FROM judgement ORDER BY url").rows {
                    row in
                    guard var kept = Self.entry(row.blob(0), at: row.integer(1)) else { return }
                    if let failedAt = row.optionalInteger(3), let failure = Self.entry(row.blob(2), at: failedAt) {
                        kept.failure = failure.trouble.map {
                            ReportEntry.Failure(why: $0, at: Date(storeMilliseconds: failedAt))
                        }
                    }
                    entry(kept)
                }
                try StoreStatement(database, "SELECT card FROM card ORDER BY weight DESC, url").rows { row in
                    do {
                        card(try ReportCard(kept: row.blob(0)))
                    } catch {
                        // Another version has written the card in another form. The report has the page without a card.
                        return
                    }
                }
            }
        }
    }

    /// nil if another version has written the entry in another form. The page is judged again on its next visit.
    private static func entry(_ bytes: [UInt8], at moment: Int64) -> ReportEntry? {
        do {
            return try ReportEntry(kept: bytes, date: Date(storeMilliseconds: moment))
        } catch {
            return nil
        }
    }
}
