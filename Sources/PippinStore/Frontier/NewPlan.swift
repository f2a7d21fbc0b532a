import Foundation
import GRDB
import PippinCrawl

/// When URLs are due that were visited under other settings than those of this run.
///
/// A lower interval counts for them too: none waits longer than if the present intervals had counted from its first visit on. And one
/// that the configuration refused is due, for the present one may allow it.
struct NewPlan {
    /// A URL whose plan changes.
    struct Change {
        let number: Int64
        let due: Int64
        let rhythm: Int64
        /// Whether it is due because it was refused.
        let wasRefused: Bool
    }

    private let isForIntervals: Bool
    private let isForRefusals: Bool
    /// Numbers of outcomes.
    private let refusals: Set<Int64>
    private let found: Set<Int64>
    private let cutoff: Int64

    /// - Parameters:
    ///   - key: the present settings.
    ///   - cutoff: URLs due at this moment are visited anyway.
    /// - Returns: nil if nothing is planned anew.
    init?(_ database: Database, for key: SettingsKey, cutoff: Int64) throws {
        let kept = try Row.fetchOne(database, sql: "SELECT intervals, refusals, known FROM store")
        isForIntervals = kept?["intervals"] != key.intervals
        let outcomes = try Row.fetchAll(database, sql: "SELECT id, code FROM outcome WHERE urls > 0")
        func numbers(_ codes: Set<String>) -> Set<Int64> {
            Set(outcomes.filter { codes.contains($0["code"]) }.map { $0["id"] as Int64 })
        }
        (refusals, found) = (numbers(VisitOutcome.codesOfSettings), numbers(VisitOutcome.codesOfFound))
        isForRefusals = kept?["refusals"] != key.refusals && !refusals.isEmpty
        self.cutoff = cutoff
        guard isForIntervals || isForRefusals, (kept?["known"] ?? 0) > 0, !outcomes.isEmpty else { return nil }
    }

    /// Visited URLs of a host that are not due, in the order of their numbers. Bind the last number seen, the last of the host, the
    /// cutoff, and how many.
    static let query = """
        SELECT id, address, rank, visitedAt, rhythm, visits, failures, history, flags FROM url
        WHERE id > ? AND id <= ? AND rank > ? AND rank < 1 << 40 AND visitedAt IS NOT NULL ORDER BY id LIMIT ?
        """

    /// - Parameters:
    ///   - row: of `query`.
    ///   - policy: of its host.
    /// - Returns: nil if its plan stays.
    func change(_ row: StoreStatement, host: String, by policy: RecrawlPolicy) -> Change? {
        let kept = row.blob(7)
        let outcome = OutcomeTable.lastNumber(in: kept)
        let rhythm = row.integer(4)
        if isForRefusals, let outcome, refusals.contains(outcome) {
            return Change(number: row.integer(0), due: cutoff, rhythm: rhythm, wasRefused: true)
        }
        guard isForIntervals else { return nil }
        let visits = Int(clamping: row.integer(5))
        var history = RecrawlPolicy.VisitHistory.mixed
        if StoredFlags(rawValue: row.integer(8)).isTakenIn {
            history = .ofOthers
        } else if outcome.map(found.contains) == true {
            if !StoredAddress(host: host, text: row.text(1)).isPage {
                history = .sitemap
            } else if visits <= URLTable.keptVisits, OutcomeTable.numbers(in: kept).allSatisfy(found.contains) {
                history = .found
            }
        }
        let next = policy.plan(
            rhythm: .seconds(rhythm), visits: visits, failures: Int(clamping: row.integer(6)), history: history)
        let hasFailed = row.integer(6) > 0 && history != .ofOthers
        guard next.rhythm.storeSeconds < rhythm || hasFailed else { return nil }
        let visited = row.integer(3)
        let due = RecrawlPolicy.due(after: next.wait, visitEndedAt: visited, runBegan: visited)
        guard due < row.integer(2) else { return nil }
        return Change(
            number: row.integer(0), due: due, rhythm: next.rhythm.storeSeconds, wasRefused: false)
    }
}

extension SQLiteFrontier {
    /// How many URLs are due sooner because the settings have changed.
    public struct Replanned: Sendable, Equatable {
        /// By their intervals.
        public var sooner = 0
        /// Because the configuration refused them.
        public var refused = 0
    }

    /// Plans URLs anew that were visited under other settings. Called before a run leases. It works in short transactions, and if its task
    /// is cancelled, the next run does it.
    public func follow(_ key: SettingsKey) throws -> Replanned {
        var replanned = Replanned()
        if let plan = try read({ try NewPlan($0, for: key, cutoff: tables.cutoff) }) {
            try forEachHost(of: .all) { name, number in
                if let number { try replan(plan, of: name, number, &replanned) }
            }
            guard !Task.isCancelled else { return replanned }
        }
        try write {
            try $0.execute(
                sql: "UPDATE store SET intervals = ?, refusals = ? WHERE intervals IS NOT ?1 OR refusals IS NOT ?2",
                arguments: [key.intervals, key.refusals])
        }
        return replanned
    }

    private func replan(_ plan: NewPlan, of name: String, _ number: Int64, _ replanned: inout Replanned) throws {
        let (numbers, policy) = (URLNumber.range(ofHost: number), RecrawlPolicy(tables.recrawl(of: name)))
        var last = numbers.lowerBound - 1
        var isOver = false
        while !isOver, !Task.isCancelled {
            let before = last
            try write { database in
                let search = try StoreStatement(database, NewPlan.query)
                var changes: [NewPlan.Change] = []
                try search.rows(
                    .integer(last), .integer(numbers.upperBound), .integer(tables.cutoff), .integer(Self.stretchOfPlan)
                ) { row in
                    last = row.integer(0)
                    if let change = plan.change(row, host: name, by: policy) { changes.append(change) }
                }
                for change in changes {
                    try tables.plan(change)
                    if change.wasRefused { replanned.refused += 1 } else { replanned.sooner += 1 }
                }
                try tables.hosts.write()
            }
            isOver = last == before
        }
    }

    private static let stretchOfPlan: Int64 = 2_000
}
