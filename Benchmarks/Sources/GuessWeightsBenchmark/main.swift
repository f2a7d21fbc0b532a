import Foundation
import PippinPage

// Fits the weights of guesses (`GuessWeights`) to pages of which people wrote down the answers:
//
//     swift run -c release --package-path Benchmarks GuessWeightsBenchmark GOLD.json FOLDER [GOLD.json FOLDER …] [--effects]
//
// The pages are split by site into two halves. Weights are fitted to one half, and judged by the other, which they have not seen;
// then the other way round. Whether a weight is changed in `GuessWeights` is for a person to decide: both halves have to gain, or
// one must not lose what the other gains. --effects does not fit, but prints what each weight is worth; --try byline.days.alone=4 prints
// what a value would change, and on which sites.
//
// A unit is a right field; a text counts as much as its F1. Two runs print the same.

var paths = Array(CommandLine.arguments.dropFirst())
let showsEffects = paths.contains("--effects")
paths.removeAll { $0 == "--effects" }
var trials: [(range: WeightRange, value: Int)] = []
while let index = paths.firstIndex(of: "--try") {
    let parts = paths.dropFirst(index + 1).first?.split(separator: "=") ?? []
    guard parts.count == 2, let value = Int(parts[1]), let range = WeightRange.all.first(where: { $0.name == parts[0] })
    else {
        say("--try wants a weight and a value: \(parts.joined(separator: "="))")
        exit(2)
    }
    trials.append((range, value))
    paths.removeSubrange(index...index + 1)
}
guard paths.count >= 2, paths.count.isMultiple(of: 2) else {
    say("Usage: GuessWeightsBenchmark GOLD.json FOLDER [GOLD.json FOLDER …] [--effects] [--try WEIGHT=VALUE …]")
    exit(2)
}
precondition(WeightRange.count() == WeightRange.all.count, "WeightRange.all has every weight")

var pages: [GoldPage] = []
for index in stride(from: 0, to: paths.count, by: 2) {
    pages += try GoldPage.read(list: paths[index], folder: paths[index + 1])
}
let fit = WeightFit(pages, WeightRange.all)
let all = Array(pages.indices)
let halves = [0, 1].map { half in all.filter { Int(FNV1a.hash(pages[$0].site.utf8) >> 32 & 1) == half } }
let start = GuessWeights.fitted
say("\(pages.count) pages, \(Set(pages.map(\.site)).count) sites: \(fields(fit.points(start, on: all))) right fields")
var digest = FNV1a()
for score in fit.scores(start) { digest.add(score.values.value.description.utf8) }
say("all records: \(String(digest.value, radix: 16))")

if showsEffects {
    printEffects()
} else if !trials.isEmpty {
    for trial in trials { printTrial(trial.range, trial.value) }
} else {
    for (fitting, kept) in [(0, 1), (1, 0)] {
        say("Fitted to half \(fitting + 1), \(halves[fitting].count) pages:")
        let weights = fit.fitted(from: start, on: halves[fitting])
        printChange("  half \(fitting + 1)", weights, on: halves[fitting])
        printChange("  half \(kept + 1), which is held back", weights, on: halves[kept])
    }
    say("Fitted to all pages:")
    let weights = fit.fitted(from: start, on: all)
    printChange("  all", weights, on: all)
    for range in WeightRange.all where weights[keyPath: range.path] != start[keyPath: range.path] {
        var only = start
        only[keyPath: range.path] = weights[keyPath: range.path]
        let gains = halves.map { fields(fit.points(only, on: $0) - fit.points(start, on: $0)) }
        say("  \(range.name) alone: \(gains[0]) on half 1, \(gains[1]) on half 2")
    }
}

@MainActor
func printChange(_ name: String, _ weights: GuessWeights, on half: [Int]) {
    say("\(name): \(fields(fit.points(start, on: half))) → \(fields(fit.points(weights, on: half))) right fields")
}

/// Right fields that are won or lost with the values beside each weight's, and without it; in brackets, pages with any other value.
@MainActor
func printEffects() {
    func text(_ range: WeightRange, _ value: Int?) -> String {
        guard let value else { return "" }
        let effect = fit.effect(of: value, for: range, in: start)
        return "\(value): \(fields(effect.points)) (\(effect.pages))"
    }
    var without = start
    for range in WeightRange.all {
        guard let neutral = range.neutral, fit.effect(of: neutral, for: range, in: start).pages == 0 else { continue }
        without[keyPath: range.path] = neutral
    }
    say("Without all that change no page: \(fields(fit.points(without, on: all))) right fields")
    say("| weight | value | step down | step up | without |\n| --- | --- | --- | --- | --- |")
    for range in WeightRange.all {
        let value = start[keyPath: range.path]
        let (lower, upper) = range.neighbors(of: value)
        say(
            "| `\(range.name)` | \(value) | \(text(range, lower)) | \(text(range, upper)) | \(text(range, range.neutral)) |"
        )
    }
}

@MainActor
func printTrial(_ range: WeightRange, _ value: Int) {
    var other = start
    other[keyPath: range.path] = value
    printChange("\(range.name)=\(value): half 1", other, on: halves[0])
    printChange("  half 2", other, on: halves[1])
    for (page, (own, others)) in zip(pages, zip(fit.scores(start), fit.scores(other)))
    where own.values != others.values {
        say("  \(page.address): \(fields(others.points - own.points))")
    }
}
