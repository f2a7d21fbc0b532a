import PippinCrawl
import PippinPage

/// How many errors and warnings a run may have, in all or of a group or check. What a budget covers fails nothing while it is not exceeded.
/// What a baseline knows does not count.
///
///     max_errors: 0
///     max_warnings: { structured-data: 3, T08: 10 }
public struct FindingBudgets: Sendable, Hashable {
    /// One number.
    struct Limit: Sendable, Hashable {
        /// The key as the operator knows it: `max_warnings.T08`.
        let key: String
        let outcome: Finding.Outcome
        /// nil for all.
        let checks: Set<Check.Code>?
        let maximum: Int

        func covers(_ check: Check.Code) -> Bool { checks?.contains(check) ?? true }

        /// How many of the found errors or warnings it covers.
        func count(in found: [Check.Code: ReportCard.Counts]) -> Int {
            found.reduce(0) { $0 + (covers($1.key) ? $1.value[outcome] : 0) }
        }
    }

    /// The largest number: what is larger limits nothing.
    private static let range = 0...1_000_000_000

    private(set) var limits: [Limit] = []

    /// Limits nothing.
    public init() {}

    /// Reads `max_errors` and `max_warnings`.
    ///
    /// - Parameter checks: all checks that there are.
    init(_ section: ConfigurationSection, of checks: [Check]) throws {
        for (key, outcome) in [("max_errors", Finding.Outcome.error), ("max_warnings", .warning)] {
            guard section.isGroup(key) else {
                if let maximum = try section.integer(key, in: Self.range) {
                    limits.append(Limit(key: key, outcome: outcome, checks: nil, maximum: maximum))
                }
                continue
            }
            let parts = try section.section(key, known: checks.choices)
            for name in checks.choices {
                guard let maximum = try parts.integer(name, in: Self.range) else { continue }
                limits.append(
                    Limit(
                        key: "\(key).\(name)", outcome: outcome, checks: checks.chosen(by: name) ?? [], maximum: maximum
                    )
                )
            }
        }
    }

    /// Takes the limits of flags in place of those with the same key.
    mutating func take(_ others: FindingBudgets) {
        let keys = Set(others.limits.map(\.key))
        limits = limits.filter { !keys.contains($0.key) } + others.limits
    }

    /// What each budget allows and what was found; empty without budgets.
    func json(_ found: [Check.Code: ReportCard.Counts]) -> [JSONValue] {
        limits.map { limit in
            let count = limit.count(in: found)
            return [
                "budget": .string(limit.key), "maximum": .integer(limit.maximum), "found": .integer(count),
                "exceeded": .bool(count > limit.maximum),
            ]
        }
    }

    /// The budgets that are exceeded, each as a sentence without its end.
    ///
    /// - Parameter found: the errors and warnings that count, by check.
    func excesses(_ found: [Check.Code: ReportCard.Counts]) -> [String] {
        limits.compactMap { limit in
            let count = limit.count(in: found)
            guard count > limit.maximum else { return nil }
            let name = limit.outcome == .error ? "error" : "warning"
            return "validate.\(limit.key) allows \(Wording.count(limit.maximum, name)), and there "
                + "\(count == 1 ? "is" : "are") \(count): \(count - limit.maximum) too many"
        }
    }

    /// Whether something fails a run that no budget covers.
    func leavesFailures(_ found: [Check.Code: ReportCard.Counts], from threshold: Finding.Outcome) -> Bool {
        [Finding.Outcome.error, .warning].contains { outcome in
            outcome >= threshold
                && found.contains { code, counts in
                    counts[outcome] > 0
                        && !limits.contains { $0.outcome == outcome && $0.covers(code) }
                }
        }
    }
}
