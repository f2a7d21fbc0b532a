import Testing

@testable import PippinPage

@Suite struct NearestNameTests {
    private static let known = ["datePublished", "price", "9lives", "og:title", "name"]

    /// All names that are one slip away: an insertion, a deletion, a replacement, a swap of neighbors, another letter case.
    private static func slips(of name: String) -> Set<String> {
        let letters = Array(name)
        var slips: Set<String> = [name.uppercased()]
        for i in 0...letters.count {
            for other in ["x", "P", "7", ":", "é"] {
                slips.insert(String(letters[..<i]) + other + String(letters[i...]))
                guard i < letters.count else { continue }
                slips.insert(String(letters[..<i]) + other + String(letters[(i + 1)...]))
            }
            guard i < letters.count else { continue }
            slips.insert(String(letters[..<i]) + String(letters[(i + 1)...]))
            guard i + 1 < letters.count else { continue }
            slips.insert(String(letters[..<i]) + String([letters[i + 1], letters[i]]) + String(letters[(i + 2)...]))
        }
        return slips
    }

    @Test(arguments: known) func `a name with a slip or two is found`(name: String) {
        for slip in Self.slips(of: name) {
            #expect(NearestName.of(slip, in: Self.known, atMost: 3) == name, "\(slip)")
        }
        guard name.utf8.count > 8 else { return }
        for slip in Self.slips(of: name) where slip.utf8.allSatisfy({ $0 < 0x80 }) {
            for second in Self.slips(of: slip) where second.utf8.allSatisfy({ $0 < 0x80 }) {
                // Letters that were swapped and then split by another are three slips.
                #expect(NearestName.of(second, in: Self.known, atMost: 3) == name, "\(second)")
            }
        }
    }

    @Test func `a name that is far from all is none of them`() {
        for name in ["", "headline", "datePublishedByUs", "prices are low"] {
            #expect(NearestName.of(name, in: Self.known, atMost: 2) == nil, "\(name)")
        }
    }
}
