/// A graph as flat arrays: for each source, a range of targets with their weights (compressed sparse rows).
struct WeightedLinks {
    private(set) var sources: [UInt32] = []
    private(set) var starts: [Int] = [0]
    private(set) var targets: [UInt32] = []
    private(set) var weights: [Float] = []

    mutating func reserve(sources: Int, links: Int) {
        self.sources.reserveCapacity(sources)
        starts.reserveCapacity(sources + 1)
        targets.reserveCapacity(links)
        weights.reserveCapacity(links)
    }

    mutating func beginSource(_ source: UInt32) {
        sources.append(source)
        starts.append(targets.count)
    }

    /// Adds a link of the source that was begun last.
    mutating func add(to target: UInt32, weight: Float) {
        targets.append(target)
        weights.append(weight)
        starts[starts.count - 1] = targets.count
    }

    /// Whether any link counts.
    var hasWeight: Bool { weights.contains { $0 > 0 } }

    /// Gives nodes other numbers, of which several may become one. Links of a node to itself are removed, and of several links
    /// of a source to one target the heaviest stays.
    mutating func renumber(_ nodes: [UInt32], count: Int) {
        // One more than the place of the last kept link to each node.
        var places = [Int](repeating: 0, count: count)
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
    ///   - hosts: the host of each source. The sources of a host lie together.
    ///   - leastPages: how many pages must have a link.
    mutating func discountTemplates(hosts: [Int64], nodeCount: Int, leastPages: Int) {
        var counts = [Int32](repeating: 0, count: nodeCount)
        var first = 0
        while first < sources.count {
            var end = first + 1
            while end < sources.count, hosts[end] == hosts[first] { end += 1 }
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
    func grouped(by groups: [UInt32], count: Int) -> WeightedLinks {
        // Sources in the order of their groups.
        var firstOfGroup = [Int](repeating: 0, count: count + 1)
        for source in sources { firstOfGroup[Int(groups[Int(source)]) + 1] += 1 }
        for group in 0..<count { firstOfGroup[group + 1] += firstOfGroup[group] }
        var order = [UInt32](repeating: 0, count: sources.count)
        var next = firstOfGroup
        for (row, source) in sources.enumerated() {
            let group = Int(groups[Int(source)])
            order[next[group]] = UInt32(row)
            next[group] += 1
        }
        var result = WeightedLinks()
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
            result.beginSource(UInt32(group))
            for target in met {
                result.add(to: target, weight: sums[Int(target)])
                sums[Int(target)] = 0
            }
        }
        return result
    }
}
