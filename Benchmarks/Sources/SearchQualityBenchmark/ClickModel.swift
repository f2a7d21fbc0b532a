import Foundation
import SearchYardsticks

/// People who look at results and click, made up from judgments: they look at place n with probability 1/n, and click what they look at
/// the more often the better it answers the query (Craswell et al. 2008, the position-based model; gains as those of nDCG).
struct ClickModel {
    /// How often people click what answers nothing, and pass over what is perfect.
    let noise: Double
    private var dice: Dice

    init(noise: Double, seed: UInt64) {
        self.noise = noise
        dice = Dice(seed)
    }

    /// The lines of a click log of `sessions` people who ask the query and get these results.
    ///
    /// - Parameter results: pairs of the address that judgments use and the record's identifier.
    mutating func log(
        _ query: JudgedQuery, _ results: [(name: String, identifier: String)], sessions: Int
    ) throws -> [String] {
        let shown = try Self.line(["query": query.query, "shown": results.map(\.identifier)])
        var lines: [String] = []
        for _ in 0..<sessions {
            lines.append(shown)
            for (place, result) in results.enumerated() {
                let grade = Double(query.pages[result.name] ?? 0)
                let attraction = noise + (1 - 2 * noise) * (exp2(grade) - 1) / 7
                guard Double.random(in: 0..<1, using: &dice) < attraction / Double(place + 1) else { continue }
                lines.append(try Self.line(["query": query.query, "identifier": result.identifier]))
            }
        }
        return lines
    }

    private static func line(_ entry: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: entry), as: UTF8.self)
    }
}
