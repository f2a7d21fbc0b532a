import Foundation
import PippinTestSupport
import Testing

@testable import PippinStore

/// Ranks against those of networkx, which shares no code with us.
@Suite struct LinkRankTests {
    /// The ranks that networkx gives to a graph, by node.
    private func judged(_ links: WeightedLinks, nodeCount: Int) throws -> [Double] {
        var input = "\(nodeCount)\n"
        for row in links.sources.indices {
            for place in links.starts[row]..<links.starts[row + 1] {
                input += "\(links.sources[row]) \(links.targets[place]) \(links.weights[place])\n"
            }
        }
        // networkx's own `pagerank` needs SciPy; this is the form that it compares it with.
        let verdict = try PythonJudge(importing: "networkx").run(
            """
            import sys, networkx
            from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python
            lines = sys.stdin.read().splitlines()
            graph = networkx.DiGraph()
            graph.add_nodes_from(range(int(lines[0])))
            for line in lines[1:]:
                source, target, weight = line.split()
                if float(weight) > 0:
                    graph.add_edge(int(source), int(target), weight=float(weight))
            ranks = _pagerank_python(graph, alpha=0.85, tol=1e-13, max_iter=1000)
            print("\\n".join(repr(ranks[node]) for node in range(int(lines[0]))))
            """, input: Array(input.utf8))
        try #require(verdict.status == 0, "\(verdict.output)")
        return verdict.output.split(separator: "\n").compactMap { Double($0) }
    }

    /// A graph of nodes that link to those with small numbers more often; some to none, some with weight 0.
    private func web(nodes: Int, seed: UInt64, _ place: NumberPlace = .memory) throws -> WeightedLinks {
        var random = FixedRandom(seed: seed)
        let links = try WeightedLinks(place)
        for node in 0..<nodes where random.next(4) > 0 {
            try links.beginSource(UInt32(node))
            var met: Set<Int> = [node]
            for _ in 0..<random.next(12) {
                let target = random.next(random.next(nodes) + 1)
                guard met.insert(target).inserted else { continue }
                try links.add(to: UInt32(target), weight: [0, 0.125, 1, 1][random.next(4)])
            }
        }
        return links
    }

    @Test(.slow, arguments: [1, 2, 3]) func `ranks are those of networkx`(seed: UInt64) throws {
        let count = 400
        let links = try web(nodes: count, seed: seed)
        let rank = try LinkRank(links, nodeCount: count)
        let judged = try judged(links, nodeCount: count)
        try #require(judged.count == count)
        for (own, other) in zip(rank.ranks, judged) { #expect(abs(own - other) < 1e-6 * other) }
        #expect(abs(rank.ranks.reduce(0, +) - 1) < 1e-9)
    }

    @Test func `a node to which nobody links is at 0, others are between 0 and 1`() throws {
        let links = try web(nodes: 300, seed: 9)
        let rank = try LinkRank(links, nodeCount: 300)
        var linked: Set<UInt32> = []
        for (target, weight) in zip(links.targets, links.weights) where weight > 0 { linked.insert(target) }
        for node in 0..<300 {
            let value = rank.scaled(node)
            #expect(linked.contains(UInt32(node)) ? value > 0 && value < 1 : value < 1e-6)
        }
    }

    @Test func `graphs without links or nodes have ranks too`() throws {
        #expect(try LinkRank(try WeightedLinks(), nodeCount: 0).ranks.isEmpty)
        let lonely = try LinkRank(try WeightedLinks(), nodeCount: 4)
        #expect(lonely.ranks.allSatisfy { abs($0 - 0.25) < 1e-12 } && lonely.scaled(2) < 1e-9)
        let one = try LinkRank(try WeightedLinks(), nodeCount: 1)
        #expect(Array(one.ranks) == [1] && one.scaled(0) == 0)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>) func `ranks of a graph on disk are those of one in memory`(
        seed: UInt64
    ) throws {
        let folder = try ScratchFolder()
        let onDisk = try web(nodes: 5_000, seed: seed, .disk(folder: folder.url.path))
        let inMemory = try web(nodes: 5_000, seed: seed)
        #expect(Array(onDisk.targets) == Array(inMemory.targets) && onDisk.targets.count > 10_000)
        let ranks = try (LinkRank(onDisk, nodeCount: 5_000), LinkRank(inMemory, nodeCount: 5_000))
        #expect(Array(ranks.0.ranks) == Array(ranks.1.ranks) && ranks.0.least == ranks.1.least)
        // The files have no names.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `a ranking that begins with the ranks of a graph before it changed is as good, and shorter`(seed: UInt64)
        throws
    {
        let before = try LinkRank(web(nodes: 5_000, seed: seed), nodeCount: 5_000)
        let links = try web(nodes: 5_000, seed: seed)
        // One link in a hundred leads elsewhere.
        for place in stride(from: Int(seed), to: links.targets.count, by: 100) {
            links.targets[place] = UInt32(place * 7 % 5_000)
        }
        let anew = try LinkRank(links, nodeCount: 5_000)
        let warm = try LinkRank(links, nodeCount: 5_000, from: before.ranks)
        for node in 0..<5_000 { #expect(abs(anew.scaled(node) - warm.scaled(node)) < 1e-4) }
        #expect(warm.rounds < anew.rounds)
    }

    @Test func `a ranking that is stopped ends`() {
        var asked = 0
        #expect(throws: CancellationError.self) {
            _ = try LinkRank(web(nodes: 300, seed: 1), nodeCount: 300) {
                asked += 1
                return asked == 3
            }
        }
        #expect(asked == 3)
    }

    @Test func `packed links come back, each target once, followed if one link to it is`() {
        var random = FixedRandom(seed: 5)
        for _ in 0..<50 {
            let followed = (0..<random.next(40)).map { _ in Int64(random.next(1 << 40)) << Int64(random.next(23)) }
            let nofollow = (0..<random.next(10)).map { _ in Int64(random.next(.max)) } + followed.prefix(2)
            let (bytes, count) = PackedLinks.pack(followed: followed + followed.prefix(3), nofollow: nofollow)
            var links: [PackedLinks.Link] = []
            bytes.withUnsafeBytes { PackedLinks.unpack($0) { links.append($0) } }
            let expected = Set(followed + nofollow).sorted()
            #expect(links.map(\.target) == expected && count == expected.count)
            #expect(Set(links.filter { !$0.isNofollow }.map(\.target)) == Set(followed))
        }
    }

    @Test func `bytes that are no links give some number of links, and no more than bytes`() {
        var random = FixedRandom(seed: 6)
        for _ in 0..<200 {
            let bytes = (0..<random.next(60)).map { _ in UInt8(random.next(256)) }
            var count = 0
            bytes.withUnsafeBytes { PackedLinks.unpack($0) { _ in count += 1 } }
            #expect(count <= bytes.count)
        }
    }
}
