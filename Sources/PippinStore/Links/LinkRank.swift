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
    let ranks: NumberArray<Double>
    /// The rank of a node to which no link leads.
    let least: Double

    /// How often the links were followed.
    let rounds: Int

    /// - Parameters:
    ///   - start: the ranks to begin with, together 1: those of an earlier ranking, which is near the result. nil begins with equal
    ///     ranks.
    ///   - isStopped: asked in each round; true ends the ranking with `CancellationError`.
    init(
        _ links: WeightedLinks, nodeCount: Int, from start: NumberArray<Double>? = nil,
        isStopped: () -> Bool = { false }
    ) throws {
        guard nodeCount > 0 else {
            (ranks, least, rounds) = (try NumberArray(), 0, 0)
            return
        }
        let sums = try NumberArray<Double>(links.place, reserving: links.sources.count)
        for row in links.sources.indices {
            try sums.append(links.weights[links.starts[row]..<links.starts[row + 1]].reduce(0) { $0 + Double($1) })
        }
        let count = Double(nodeCount)
        var ranks = try start ?? NumberArray(links.place, repeating: 1 / count, count: nodeCount)
        var next = try NumberArray<Double>(links.place, repeating: 0, count: nodeCount)
        var least = 0.0
        var rounds = 0
        while rounds < Self.maximumRounds {
            if isStopped() { throw CancellationError() }
            rounds += 1
            var followed = 0.0
            for (row, source) in links.sources.enumerated() where sums[row] > 0 { followed += ranks[Int(source)] }
            least = (1 - Self.damping + Self.damping * max(0, 1 - followed)) / count
            for node in next.indices { next[node] = least }
            Self.pass(ranks, along: links, sums, to: next)
            var change = 0.0
            for node in next.indices { change += abs(next[node] - ranks[node]) }
            swap(&ranks, &next)
            if change < Self.tolerance { break }
        }
        (self.ranks, self.least, self.rounds) = (ranks, least, rounds)
    }

    /// The inner loop. It runs over buffers, because it takes most of the time.
    private static func pass(
        _ ranks: NumberArray<Double>, along links: WeightedLinks, _ sums: NumberArray<Double>,
        to next: NumberArray<Double>
    ) {
        next.withElements { next in
            links.targets.withElements { targets in
                links.weights.withElements { weights in
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

/// A graph as flat arrays: for each source, a range of targets with their weights (compressed sparse rows).
struct WeightedLinks {
    let place: NumberPlace
    let sources: NumberArray<UInt32>
    let starts: NumberArray<Int>
    let targets: NumberArray<UInt32>
    let weights: NumberArray<Float>

    /// A graph without links.
    init(_ place: NumberPlace = .memory) throws {
        self.place = place
        sources = try NumberArray(place)
        starts = try NumberArray(place, repeating: 0, count: 1)
        targets = try NumberArray(place)
        weights = try NumberArray(place)
    }

    func reserve(sources: Int, links: Int) throws {
        try self.sources.reserve(sources)
        try starts.reserve(sources + 1)
        try targets.reserve(links)
        try weights.reserve(links)
    }

    func beginSource(_ source: UInt32) throws {
        try sources.append(source)
        try starts.append(targets.count)
    }

    /// Adds a link of the source that was begun last.
    func add(to target: UInt32, weight: Float) throws {
        try targets.append(target)
        try weights.append(weight)
        starts[starts.count - 1] = targets.count
    }

    /// Whether any link counts.
    var hasWeight: Bool { weights.contains { $0 > 0 } }

    /// Gives nodes other numbers, of which several may become one. Links of a node to itself are removed, and of several links
    /// of a source to one target the heaviest stays.
    func renumber(_ nodes: NumberArray<UInt32>, count: Int) throws {
        // One more than the place of the last kept link to each node.
        let places = try NumberArray<Int>(place, repeating: 0, count: count)
        var kept = 0
        for row in sources.indices {
            let source = nodes[Int(sources[row])]
            sources[row] = source
            let (start, end) = (starts[row], starts[row + 1])
            starts[row] = kept
            let first = kept
            for place in start..<end {
                let target = nodes[Int(targets[place])]
                guard target != source else { continue }
                let known = places[Int(target)]
                if known > first {
                    weights[known - 1] = max(weights[known - 1], weights[place])
                    continue
                }
                (targets[kept], weights[kept]) = (target, weights[place])
                kept += 1
                places[Int(target)] = kept
            }
        }
        starts[sources.count] = kept
        targets.removeLast(targets.count - kept)
        weights.removeLast(weights.count - kept)
    }

    /// Divides the weight of each link that more than half of a host's pages have by the number of those pages.
    ///
    /// - Parameters:
    ///   - leastPages: how many pages must have a link.
    ///   - host: the host of a source. The sources of a host lie together.
    func discountTemplates(nodeCount: Int, leastPages: Int, host: (UInt32) -> Int64) throws {
        let counts = try NumberArray<Int32>(place, repeating: 0, count: nodeCount)
        var first = 0
        while first < sources.count {
            var end = first + 1
            let own = host(sources[first])
            while end < sources.count, host(sources[end]) == own { end += 1 }
            let pages = end - first
            defer { first = end }
            guard pages >= leastPages else { continue }
            let range = starts[first]..<starts[end]
            for place in range where weights[place] > 0 { counts[Int(targets[place])] += 1 }
            for place in range {
                let count = Int(counts[Int(targets[place])])
                if count >= leastPages, 2 * count > pages { weights[place] /= Float(count) }
            }
            for place in range { counts[Int(targets[place])] = 0 }
        }
    }

    /// The links among groups of nodes. The weights of links between two groups are added; those within a group are left out.
    func grouped(by groups: NumberArray<UInt32>, count: Int) throws -> WeightedLinks {
        // Sources in the order of their groups.
        var firstOfGroup = [Int](repeating: 0, count: count + 1)
        for source in sources { firstOfGroup[Int(groups[Int(source)]) + 1] += 1 }
        for group in 0..<count { firstOfGroup[group + 1] += firstOfGroup[group] }
        let order = try NumberArray<UInt32>(place, repeating: 0, count: sources.count)
        var next = firstOfGroup
        for (row, source) in sources.enumerated() {
            let group = Int(groups[Int(source)])
            order[next[group]] = UInt32(row)
            next[group] += 1
        }
        let result = try WeightedLinks(place)
        var sums = [Float](repeating: 0, count: count)
        var met: [UInt32] = []
        for group in 0..<count {
            met.removeAll(keepingCapacity: true)
            for row in order[firstOfGroup[group]..<firstOfGroup[group + 1]] {
                for place in starts[Int(row)]..<starts[Int(row) + 1] where weights[place] > 0 {
                    let target = groups[Int(targets[place])]
                    guard target != group else { continue }
                    if sums[Int(target)] == 0 { met.append(target) }
                    sums[Int(target)] += weights[place]
                }
            }
            guard !met.isEmpty else { continue }
            try result.beginSource(UInt32(group))
            for target in met {
                try result.add(to: target, weight: sums[Int(target)])
                sums[Int(target)] = 0
            }
        }
        return result
    }
}
