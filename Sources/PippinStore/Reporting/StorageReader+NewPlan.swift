import Foundation
import PippinCrawl

extension StorageReader {
    /// How many URLs more a run with the given settings finds due than are due now, because the last run had others.
    public func dueByNewSettings(_ configuration: CrawlConfiguration, seeds: [Seed], now: Date = Date()) throws -> Int {
        let (key, cutoff) = (SettingsKey(configuration, seeds: seeds), now.storeSeconds)
        guard let plan = try read({ try NewPlan($0, for: key, cutoff: cutoff) }) else { return 0 }
        var count = 0
        try forEachHost(of: .all) { name, number in
            guard let number else { return }
            let (numbers, policy) = (URLNumber.range(ofHost: number), RecrawlPolicy(configuration.recrawl(of: name)))
            try read { database in
                try StoreStatement(database, NewPlan.query).rows(
                    .integer(numbers.lowerBound - 1), .integer(numbers.upperBound), .integer(cutoff), .integer(.max)
                ) { row in
                    if let change = plan.change(row, host: name, by: policy), change.due <= cutoff { count += 1 }
                }
            }
        }
        return count
    }
}
