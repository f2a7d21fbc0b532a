import Foundation
import PippinPage
import PippinStore

/// What popularity and clicks do to the order of judged queries, in both halves.
///
/// Only links among the demo's pages are known here, so the real pages have no popularity. Clicks are made up from judgments (`ClickModel`),
/// in ten runs each.
struct SignalMeasurement {
    let collection: JudgedCollection
    let halves: [(half: String, queries: [JudgedQuery])]
    private static let runs = 10

    func print() throws {
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
        func row(_ name: String, _ score: (_ own: [JudgedQuery], _ others: [JudgedQuery]) throws -> Double) throws {
            let cells = try halves.indices.map { place in
                let others = halves.indices.filter { $0 != place }.flatMap { halves[$0].queries }
                return String(format: "%.3f", try score(halves[place].queries, others))
            }
            Swift.print("| \(name) | \(cells.joined(separator: " | ")) |")
        }
        func own(_ queries: [JudgedQuery], _ weights: SearchWeights = .standard, _ clicks: ClickLog? = nil) throws
            -> Double
        {
            let search = try collection.searching(weights: weights, clicks: clicks)
            return mean(try queries.map { $0.nDCG(of: try search($0.query).map(\.name)) })
        }
        Swift.print("\n| nDCG@10 | \(halves.map { "\($0.half) (\($0.queries.count))" }.joined(separator: " | ")) |")
        Swift.print("| --- |" + String(repeating: " ---: |", count: halves.count))
        try row("as it is") { queries, _ in try own(queries) }
        for popularity in [0, 0.175, 0.7] {
            var weights = SearchWeights.standard
            weights.popularity = popularity
            try row("popularity +\(Int((popularity * 100).rounded())) %") { queries, _ in try own(queries, weights) }
        }
        let search = try collection.searching(weights: .standard, clicks: nil)
        for noise in [0.1, 0.3] {
            for sessions in [1, 10, 100] {
                func clicked(on queries: [JudgedQuery], run: Int) throws -> ClickLog {
                    var model = ClickModel(noise: noise, seed: UInt64(run))
                    let lines = try queries.flatMap { query in
                        try model.log(query, try search(query.query), sessions: sessions)
                    }
                    return try collection.clickLog(lines)
                }
                let of = "\(sessions) \(sessions == 1 ? "person" : "people") a query, noise \(Int(noise * 100)) %"
                try row("clicks of \(of)") { queries, _ in
                    mean(try (1...Self.runs).map { try own(queries, .standard, clicked(on: queries, run: $0)) })
                }
                if sessions == 100 {
                    try row("the same, on the other half's queries") { queries, others in
                        mean(try (1...Self.runs).map { try own(queries, .standard, clicked(on: others, run: $0)) })
                    }
                }
            }
        }
    }
}
