import PippinTestSupport
import Testing

@testable import PippinPage

@Suite struct SimHashTests {
    /// Words that look random and are the same each time.
    private func words(_ count: Int, seed: UInt64 = 1) -> [String] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return "w\(state >> 40)"
        }
    }

    private func hash(_ words: [String]) -> UInt64? { SimHash.value(of: Array(words.joined(separator: " ").utf8)) }

    private func distance(_ one: [String], _ other: [String]) throws -> Int {
        (try #require(hash(one)) ^ (try #require(hash(other)))).nonzeroBitCount
    }

    @Test func `texts of few words have none`() {
        #expect(hash([]) == nil)
        #expect(hash(words(SimHash.minimumWords - 1)) == nil)
        #expect(hash(words(SimHash.minimumWords)) != nil)
        #expect(SimHash.value(of: Array(repeating: 0x20, count: 1000)) == nil)
    }

    @Test func `blanks do not count, words and their order do`() throws {
        let text = words(200)
        let airy = "  " + text.joined(separator: "   ") + " "
        #expect(SimHash.value(of: Array(airy.utf8)) == hash(text))
        #expect(try distance(text, text.reversed()) > 10)
        #expect(try distance(text, words(200, seed: 2)) > 10)
    }

    @Test(.slow) func `a changed word turns few bits, another text about half of them`() throws {
        let text = words(2000)
        let distances = try (0..<100).map { index in
            var other = text
            other[index * 19] = "changed"
            return try distance(text, other)
        }
        #expect(distances.count { $0 <= 3 } >= 95, "\(distances)")
        #expect(distances.contains { $0 > 0 })
        let strangers = try (2..<102).map { try distance(text, words(2000, seed: $0)) }
        #expect(strangers.allSatisfy { (12...52).contains($0) }, "\(strangers)")
        #expect((28...36).contains(strangers.reduce(0, +) / strangers.count))
    }

    @Test(arguments: [24, 256, 257, 258, 259, 512, 5000])
    func `the counters hold texts of any length`(count: Int) {
        // All shingles are one, so each count is all of them or none: the value is the shingle's own hash.
        #expect(hash(Array(repeating: "same", count: count)) == hash(Array(repeating: "same", count: 24)))
    }

    @Test func `hostile bytes are words as well`() {
        var bytes: [UInt8] = []
        for byte in UInt8.min...UInt8.max { bytes += [byte, 0xFF, 0x20] }
        #expect(SimHash.value(of: bytes) != nil)
        #expect(SimHash.value(of: Array(repeating: 0xFF, count: 1 << 20)) == nil)
    }
}
