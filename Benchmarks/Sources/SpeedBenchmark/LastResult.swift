import Foundation

/// A ratio of our work to a yardstick's, from several rounds.
struct Ratio: Codable {
    let median: Double
    /// The standard error of the median, from the median absolute deviation.
    let error: Double

    init(_ rounds: [Double]) {
        func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        let median = middle(rounds)
        // 1.4826 makes a standard deviation of it, 1.2533 that of a median, for normal noise.
        error = 1.4826 * 1.2533 * middle(rounds.map { abs($0 - median) }) / Double(rounds.count).squareRoot()
        self.median = median
    }

    /// By how much this moved from an earlier ratio; nil for less than five in a hundred, and for what noise explains (three errors).
    func moved(from last: Ratio) -> Double? {
        let change = median / last.median - 1
        let noise = 3 * (error * error + last.error * last.error).squareRoot()
        return abs(change) > 0.05 && abs(median - last.median) > noise ? change : nil
    }
}

/// The results of the last run for each set of pages.
struct LastResult: Codable {
    var sets: [String: [String: Ratio]] = [:]

    /// Reads what an earlier run has left; there is nothing before the first.
    init(path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path)))
    }

    func write(path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(filePath: path), options: .atomic)
    }
}
