import Foundation

/// A query, and how well pages answer it: 3 perfect, 2 good, 1 related. A page that is not named is not relevant.
struct JudgedQuery: Decodable {
    let query: String
    /// What kind of query it is: a name, a topic, a misspelling.
    let kind: String
    /// Grades by address.
    let pages: [String: Int]

    static func read(_ path: String) throws -> [JudgedQuery] {
        try JSONDecoder().decode([JudgedQuery].self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// Normalized discounted cumulative gain of the first ten results (Järvelin and Kekäläinen 2002, with the gain 2^grade - 1):
    /// 1 for the best order there is, 0 for no relevant page.
    func nDCG(of results: [String]) -> Double {
        var seen: Set<String> = []
        let found = results.prefix(Self.depth).map { seen.insert($0).inserted ? pages[$0] ?? 0 : 0 }
        let ideal = pages.values.sorted(by: >).prefix(Self.depth)
        return Self.gain(found) / Self.gain(Array(ideal))
    }

    static let depth = 10

    private static func gain(_ grades: [Int]) -> Double {
        grades.enumerated().reduce(0) { $0 + (exp2(Double($1.element)) - 1) / log2(Double($1.offset) + 2) }
    }
}
