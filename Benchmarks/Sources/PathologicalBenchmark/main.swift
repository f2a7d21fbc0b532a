import Foundation
import PathologicalPages
import PippinPage

// What the worst pages cost that anyone could send. Each is made at a size, twice and four times that size, so that a cost that
// grows faster than the page shows as a growth above 1.3. Then, over a folder of real pages, what a page costs as a rule and at
// worst:
//
//     swift run -c release --package-path Benchmarks PathologicalBenchmark [--only TEXT] [--size COUNT] [--part PART] [FOLDER]
//
// `--part` is `graphs` (items that refer to each other: carriers × shapes × topics), `pages` (one thing again and again) or
// `large` (a megabyte and ten megabytes of everything). `read` is the whole reading, from bytes to record, as `extract` does it;
// `card` the report card of `validate`; `visit` a crawl of the page alone with its storage, without what an empty page costs there.
// CPU time of this process, best of some runs. Beyond a limit of `ReadingLimits` the rest of a page costs next to nothing, so
// that growth below 1 is fine.

var only: String?
var folder: String?
var part: String?
var size: Int?
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch argument {
    case "--only": only = arguments.popFirst()
    case "--part": part = arguments.popFirst()
    case "--size": size = arguments.popFirst().flatMap { Int($0) }
    default: folder = argument
    }
}
guard Measurement.url != nil else { exit(2) }

func column(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
func number(_ value: Double, _ digits: Int = 1) -> String { String(format: "%.\(digits)f", value) }
@MainActor func isWanted(_ name: String) -> Bool { only.map { name.contains($0) } ?? true }
@MainActor func runs(_ name: String) -> Bool { part.map { $0 == name } ?? true }

var high: [String] = []

func head(_ what: String) {
    print("      KB   read ms   card ms   ms/MB  growth  visit ms  growth      MB  growth  \(what)")
}

@MainActor func row(_ measured: Growth, _ name: String, marksCost: Bool) async throws {
    var growth = measured
    try await growth.measureVisits()
    let last = growth.last
    let perMegabyte = last.total * 1e6 / Double(max(1, growth.weight))
    let isHigh = growth.isHigh || marksCost && perMegabyte > 300 && last.total > 20
    if isHigh { high.append(name) }
    let memory = last.megabytes.map { String($0) } ?? "-"
    let limits = last.limits.isEmpty ? "" : " [\(last.limits.joined(separator: ", "))]"
    print(
        column(String(growth.weight / 1000), 8), column(number(last.reading), 9), column(number(last.card), 9),
        column(number(perMegabyte, 0), 7), column(number(growth.time, 2), 7),
        column(growth.visits.last.map { number($0) } ?? "-", 9), column(number(growth.visitTime, 2), 7),
        column(memory, 7),
        column(number(growth.memory, 2), 7), "\(isHigh ? "! " : "")\(growth.isCut ? "(cut) " : "")\(name)\(limits)")
    fflush(nil)
}

// The worst topic of each carrier and shape.
if runs("graphs") {
    head("carrier: shape of worst topic")
    for carrier in ItemGraph.Carrier.allCases {
        for shape in ItemGraph.Shape.allCases {
            var worst: (name: String, growth: Growth)?
            for topic in ItemGraph.Topic.all {
                let page = PathologicalPage(carrier, shape, topic)
                guard isWanted(page.name) else { continue }
                let growth = Growth(of: page, size: size ?? page.size)
                // What grows comes first, then what takes longest.
                let key = { (growth: Growth) in (growth.isHigh ? 1 : 0, growth.isHigh ? growth.time : growth.last.total)
                }
                if worst.map({ key(growth) > key($0.growth) }) ?? true { worst = (page.name, growth) }
            }
            if let (name, growth) = worst { try await row(growth, name, marksCost: false) }
        }
    }
}

if runs("pages") {
    head("page and limits that were reached")
    for page in PathologicalPage.all where isWanted(page.name) {
        try await row(Growth(of: page, size: size ?? max(1, page.size / 2)), page.name, marksCost: true)
    }
}

// Pages of a megabyte take 300 ms at most, pages of ten megabytes 400 MB.
if runs("large") {
    print("  1 MB ms   10 MB MB  page")
    let graphs = ItemGraph.Carrier.allCases.flatMap { carrier in
        ItemGraph.Shape.allCases.flatMap { shape in
            ItemGraph.Topic.all.prefix(only == nil ? 1 : .max).map { PathologicalPage(carrier, shape, $0) }
        }
    }
    for page in PathologicalPage.all + graphs where isWanted(page.name) {
        let unit = Double(page.make(200).weight - page.make(100).weight) / 100
        let small = Measurement(page.make(max(1, Int(1e6 / max(unit, 1)))))
        let large = Measurement(page.make(max(1, Int(1e7 / max(unit, 1)))), repeats: false)
        let isHigh = small.total > 300 || large.megabytes.map { $0 > 400 } ?? false
        if isHigh { high.append(page.name) }
        print(
            column(number(small.total), 9), column(large.megabytes.map { String($0) } ?? "-", 10),
            " \(isHigh ? "! " : "")\(page.name)")
        fflush(nil)
    }
}
print(high.isEmpty ? "nothing out of proportion" : "out of proportion: \(high.joined(separator: "; "))")

if let folder {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".html") }.sorted()
    var costs: [(name: String, time: Double, bytes: Int)] = []
    for file in files {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder).appending(path: file)))
        costs.append((file, Measurement(PathologicalPage.Made(bytes: bytes)).total, bytes.count))
    }
    costs.sort { $0.time < $1.time }
    if let worst = costs.last {
        let rate = { (cost: (name: String, time: Double, bytes: Int)) in cost.time * 1e6 / Double(max(cost.bytes, 1)) }
        print("\(costs.count) real pages: median \(number(costs[costs.count / 2].time, 2)) ms,", terminator: " ")
        print(
            "worst \(number(worst.time, 2)) ms (\(worst.name), \(worst.bytes / 1000) KB, \(number(rate(worst))) ms/MB)")
        if let slowest = costs.filter({ $0.bytes > 20_000 }).max(by: { rate($0) < rate($1) }) {
            print("slowest for its size: \(number(rate(slowest))) ms/MB (\(slowest.name), \(slowest.bytes / 1000) KB)")
        }
    }
}
