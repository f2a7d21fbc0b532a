import Testing

@testable import PippinPage

@Suite struct WordingTests {
    @Test(arguments: [20, 60, 120, 200])
    func `compared texts are shown with their first difference, however long they are`(
        maximum: Int
    ) {
        for shared in [0, 5, maximum / 2, maximum - 1, maximum, maximum * 3, 3_000] {
            for (endA, endB) in [
                ("a", "b"), ("a", ""), ("a" + String(repeating: "x", count: 500), "b"), ("aaaaaaaa", "ab"),
            ] {
                let start = String(repeating: "s", count: shared)
                let shown = Wording.quoted(apart: [start + endA, start + endB, start + endA], to: maximum)
                #expect(shown[0] != shown[1] && shown[0] == shown[2], "\(shared) \(endA) \(endB)")
                #expect(shown.allSatisfy { $0.count <= maximum + 4 }, "\(shown)")
                #expect(shown.allSatisfy { $0.hasPrefix("“") && $0.hasSuffix("”") })
            }
        }
    }

    @Test func `short texts and texts that differ early are shown from their beginning`() {
        #expect(Wording.quoted(apart: ["a", "b"], to: 20) == ["“a”", "“b”"])
        #expect(Wording.quoted(apart: [], to: 20).isEmpty)
        #expect(
            Wording.quoted(apart: [String(repeating: "x", count: 30)], to: 20) == [
                "“\(String(repeating: "x", count: 20))…”"
            ])
        let early = Wording.quoted(apart: ["abc" + String(repeating: "x", count: 30), "abd"], to: 20)
        #expect(early == ["“abc\(String(repeating: "x", count: 17))…”", "“abd”"])
    }
}
