import Dispatch
import Foundation
import PippinPage
import Synchronization

/// Coordinate descent over the weights: one after the other moves over its range, and stays where most is right.
final class WeightFit {
    let pages: [GoldPage]
    private let ranges: [WeightRange]
    /// Scores by weights: most trials of one half are those of the other.
    private var known: [GuessWeights: [GoldPage.Score]] = [:]

    /// A right field more; less is chance.
    private static let leastGain = 1_000
    private static let maximumRounds = 4

    init(_ pages: [GoldPage], _ ranges: [WeightRange]) {
        self.pages = pages
        self.ranges = ranges
    }

    /// The score of each page.
    func scores(_ weights: GuessWeights) -> [GoldPage.Score] {
        if let scores = known[weights] { return scores }
        let pages = pages
        let found = Mutex(Array(repeating: GoldPage.Score(), count: pages.count))
        // Neighbors in the list are of one kind, and cost the same.
        let parts = 16
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            for page in stride(from: part, to: pages.count, by: parts) {
                let score = pages[page].score(weights)
                found.withLock { $0[page] = score }
            }
        }
        let scores = found.withLock { $0 }
        known[weights] = scores
        return scores
    }

    /// Thousandths of right fields on some of the pages.
    func points(_ weights: GuessWeights, on half: [Int]) -> Int {
        let scores = scores(weights)
        return half.reduce(0) { $0 + scores[$1].points }
    }

    /// The best weights for some of the pages. A weight that gains nothing keeps its value; of equal gains, the smallest step counts.
    func fitted(from start: GuessWeights, on half: [Int]) -> GuessWeights {
        var weights = start
        var groups: [Substring] = []
        for range in ranges where !groups.contains(range.group) { groups.append(range.group) }
        for group in groups {
            for _ in 0..<Self.maximumRounds {
                let before = weights
                for range in ranges where range.group == group && !range.isScale { move(range, in: &weights, on: half) }
                if weights == before { break }
            }
        }
        return weights
    }

    private func move(_ range: WeightRange, in weights: inout GuessWeights, on half: [Int]) {
        let value = weights[keyPath: range.path]
        let own = points(weights, on: half)
        var best = (value: value, points: own + Self.leastGain - 1)
        for candidate in range.values.sorted(by: { (abs($0 - value), $0) < (abs($1 - value), $1) })
        where candidate != value {
            var trial = weights
            trial[keyPath: range.path] = candidate
            let points = points(trial, on: half)
            if points > best.points { best = (candidate, points) }
        }
        guard best.value != value else { return }
        weights[keyPath: range.path] = best.value
        say("  \(range.name): \(value) → \(best.value), \(fields(best.points - own)) right fields more")
    }

    /// What another value of one weight changes: right fields, and pages with anything else in their record.
    func effect(of value: Int, for range: WeightRange, in weights: GuessWeights) -> (points: Int, pages: Int) {
        var other = weights
        other[keyPath: range.path] = value
        let (own, others) = (scores(weights), scores(other))
        return (
            points: zip(own, others).reduce(0) { $0 + $1.1.points - $1.0.points },
            pages: zip(own, others).count { $0.values.value != $1.values.value }
        )
    }
}

/// Points as a number of fields.
func fields(_ points: Int) -> String {
    let hundredths = (abs(points) + 5) / 10
    let sign = points < 0 ? "-" : ""
    let rest = hundredths % 100
    return "\(sign)\(hundredths / 100)" + (rest == 0 ? "" : ".\(rest < 10 ? "0" : "")\(rest)")
}

/// Prints a line at once: a fit takes minutes, and its output may be a file.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
