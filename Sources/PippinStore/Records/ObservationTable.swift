import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// What an observer has left with each URL (`KeptObservation`). An entry is removed with its page.
final class ObservationTable {
    /// The number of details to keep. When there are twice as many, the lightest are removed.
    private let keptDetails: Int64

    private let standing: StoreStatement
    private let replacement: StoreStatement
    private let failing: StoreStatement
    private let removal: StoreStatement
    private let detailsInsertion: StoreStatement
    private let detailsRemoval: StoreStatement
    private let detailsCut: StoreStatement
    private let count: StoreStatement
    private var detailsCount: Int64
    /// Whether any URL has an entry. Jobs without an observer have none, and need not look.
    private var hasEntries: Bool
    /// How many visits in a row must miss a page before it counts as gone (`recrawl.misses`).
    private let misses: Int

    init(_ database: Database, misses: Int, keptDetails: Int = KeptObservation.keptDetails) throws {
        self.misses = misses
        self.keptDetails = Int64(keptDetails)
        standing = try StoreStatement(database, "SELECT stands FROM judgement WHERE url = ?")
        replacement = try StoreStatement(
            database, "INSERT OR REPLACE INTO judgement(url, at, stands, entry) VALUES (?, ?, ?, ?)")
        failing = try StoreStatement(database, "UPDATE judgement SET failedAt = ?, failure = ? WHERE url = ?")
        removal = try StoreStatement(database, "DELETE FROM judgement WHERE url = ?")
        detailsInsertion = try StoreStatement(
            database, "INSERT OR REPLACE INTO card(url, weight, card) VALUES (?, ?, ?)")
        detailsRemoval = try StoreStatement(database, "DELETE FROM card WHERE url = ?")
        detailsCut = try StoreStatement(
            database, "DELETE FROM card WHERE url IN (SELECT url FROM card ORDER BY weight LIMIT ?)")
        count = try StoreStatement(database, "SELECT count(*) FROM card")
        detailsCount = try count.first { $0.integer(0) } ?? 0
        hasEntries = try StoreStatement(database, "SELECT 1 FROM judgement LIMIT 1").first { _ in true } ?? false
    }

    func apply(_ kept: KeptObservation?, of visit: FinishedVisit, url: Int64) throws {
        guard kept != nil || hasEntries else { return }
        let stands = try standing.first(.integer(url)) { $0.integer(0) != 0 }
        let isMissed = visit.outcome.bearing == .misses && visit.next.misses >= misses
        guard let kept else {
            guard stands != nil else { return }
            switch visit.outcome.bearing {
            case .ends: try remove(url)
            case .misses: if isMissed { try remove(url) }
            // The page is there again, though nobody looked on.
            case .replaces: try failing.run(.null, .null, .integer(url))
            case .silent: break
            }
            return
        }
        let at = visit.finishedAt.storeMilliseconds
        if kept.mayPass, stands == true, !isMissed {
            return try failing.run(.integer(at), .blob(kept.entry), .integer(url))
        }
        hasEntries = true
        try replacement.run(.integer(url), .integer(at), .integer(kept.stands ? 1 : 0), .blob(kept.entry))
        if stands != nil { try detailsRemoval.run(.integer(url)) }
        guard let details = kept.details else { return }
        try detailsInsertion.run(.integer(url), .integer(Int64(kept.weight)), .blob(details))
        detailsCount += 1
        guard detailsCount >= 2 * keptDetails else { return }
        // Counted again, because some were removed with their pages.
        detailsCount = try count.first { $0.integer(0) } ?? 0
        guard detailsCount > keptDetails else { return }
        try detailsCut.run(.integer(detailsCount - keptDetails))
        detailsCount = keptDetails
    }

    func remove(_ url: Int64) throws {
        try removal.run(.integer(url))
        try detailsRemoval.run(.integer(url))
    }
}
