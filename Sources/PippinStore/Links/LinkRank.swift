import Foundation

/// PageRank (Page, Brin and others, "The PageRank citation ranking", 1998): the chance of meeting a reader at each node, who
/// follows one of its links, by their weights, or starts anew anywhere.
///
/// A reader at a node without links starts anew too. So ranks add up to 1, and agree with networkx's `pagerank`.
struct LinkRank {
    /// How often the reader follows a link.
    static let damping = 0.85
    /// The ranking ends when all ranks together change by less than this, or after so many rounds. The error falls to 0.85 of
    /// it in each round.
    static let tolerance = 1e-9
    static let maximumRounds = 150

    /// The ranks of the nodes.
    let ranks: [Double]
    /// The rank of a node to which no link leads.
    let least: Double

    /// - Parameter isStopped: asked in each round; true ends the ranking with `CancellationError`.
    init(_ links: WeightedLinks, nodeCount: Int, isStopped: () -> Bool = { false }) throws {
        guard nodeCount > 0 else {
            (ranks, least) = ([], 0)
            return
        }
        let sums = links.sources.indices.map { row -> Double in
            links.weights[links.starts[row]..<links.starts[row + 1]].reduce(0) { $0 + Double($1) }
        }
        let count = Double(nodeCount)
        var ranks = [Double](repeating: 1 / count, count: nodeCount)
        var next = ranks
        var least = 0.0
        for _ in 0..<Self.maximumRounds {
            if isStopped() { throw CancellationError() }
            var followed = 0.0
            for (row, source) in links.sources.enumerated() where sums[row] > 0 { followed += ranks[Int(source)] }
            least = (1 - Self.damping + Self.damping * max(0, 1 - followed)) / count
            for node in next.indices { next[node] = least }
            Self.pass(ranks, along: links, sums, to: &next)
            var change = 0.0
            for node in next.indices { change += abs(next[node] - ranks[node]) }
            swap(&ranks, &next)
            if change < Self.tolerance { break }
        }
        (self.ranks, self.least) = (ranks, least)
    }

    /// The inner loop. It runs over buffers, because it takes most of the time.
    private static func pass(_ ranks: [Double], along links: WeightedLinks, _ sums: [Double], to next: inout [Double]) {
        next.withUnsafeMutableBufferPointer { next in
            links.targets.withUnsafeBufferPointer { targets in
                links.weights.withUnsafeBufferPointer { weights in
                    for (row, source) in links.sources.enumerated() where sums[row] > 0 {
                        let share = damping * ranks[Int(source)] / sums[row]
                        for place in links.starts[row]..<links.starts[row + 1] {
                            next[Int(targets[place])] += share * Double(weights[place])
                        }
                    }
                }
            }
        }
    }

    /// The rank of a node on a scale from 0, for a node to which no link leads, to 1, for one that has all the rank. It is
    /// logarithmic, because ranks follow a power law: of most pages linear ones could not be told from 0.
    func scaled(_ node: Int) -> Double {
        guard least > 0, least < 1 else { return 0 }
        return min(max(log(ranks[node] / least) / -log(least), 0), 1)
    }
}
