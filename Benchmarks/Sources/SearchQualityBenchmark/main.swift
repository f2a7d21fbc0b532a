import Foundation
import PippinPage
import PippinStore
import SearchYardsticks

// How good search orders pages, next to SQLite's FTS5 as it comes (`PlainIndex`):
//
//     swift run -c release --package-path Benchmarks SearchQualityBenchmark JUDGED-FOLDER DEMO-STORAGE PAGES … [--texts] [--queries HALF]
//
// JUDGED-FOLDER has the judged queries: judged-tuning.json, and judged-kept.json, which nobody may tune by. DEMO-STORAGE is the
// storage of a crawl of the demo site. PAGES are folders of real pages, or lists of pages with their addresses (`PagesOfFiles`).
// --texts gives search the main texts too, as output.search_index does. --queries prints each query of a half (tuning or kept); --tuning leaves the kept half out. --signals shows what popularity and clicks
// do to the order (`SignalMeasurement`). --keep leaves the storage in a new folder, so that pippin search --explain can show why a page stands where it does.

struct Options {
    var paths: [String] = []
    var shown: String?
    var kept: String?
    var halves = ["tuning", "kept"]
    var keepsTexts = false
    var measuresSignals = false

    init?(_ arguments: some Sequence<String>) {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--queries":
                guard let half = arguments.next(), halves.contains(half) else { return nil }
                shown = half
            case "--keep":
                guard let folder = arguments.next() else { return nil }
                kept = folder
            case "--texts": keepsTexts = true
            case "--signals": measuresSignals = true
            case "--tuning": halves = ["tuning"]
            default: paths.append(argument)
            }
        }
        if paths.count < 3 { return nil }
    }
}

guard let options = Options(CommandLine.arguments.dropFirst()) else {
    print(
        "Usage: SearchQualityBenchmark JUDGED-FOLDER DEMO-STORAGE PAGES … [--texts] [--queries tuning|kept] [--tuning] [--signals] [--keep FOLDER]"
    )
    exit(2)
}
let judged = try options.halves.map { half in
    let file = URL(filePath: options.paths[0]).appending(path: "judged-\(half).json")
    return (half: half, queries: try JudgedQuery.read(file.path))
}
let collection = try await JudgedCollection(
    demo: options.paths[1], pages: Array(options.paths.dropFirst(2)),
    keepsTexts: options.keepsTexts, kept: options.kept)
defer { collection.remove() }
for (_, queries) in judged { try collection.check(queries) }
print("\(collection.records.count) pages; \(collection.refused) more ask not to be indexed\n")

func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
func figure(_ value: Double) -> String { String(format: "%.3f", value) }

/// A plain index with its best way to combine words, by the queries for tuning.
struct Reference {
    let name: String
    let combination: PlainIndex.Combination
    private let index: PlainIndex

    init(
        name: String, hasText: Bool, _ records: [(identifier: String, record: JSONValue, text: String)],
        _ tuning: [JudgedQuery]
    ) throws {
        self.name = name
        index = try PlainIndex(hasText: hasText)
        try index.add(records)
        var best = (combination: PlainIndex.Combination.any, score: -1.0)
        for combination in PlainIndex.Combination.allCases {
            let score = mean(try Self.scores(tuning, index, combination))
            if score > best.score { best = (combination, score) }
        }
        combination = best.combination
    }

    func scores(_ queries: [JudgedQuery]) throws -> [Double] { try Self.scores(queries, index, combination) }

    private static func scores(
        _ queries: [JudgedQuery], _ index: PlainIndex, _ combination: PlainIndex.Combination
    ) throws -> [Double] {
        try queries.map { $0.nDCG(of: try index.search($0.query, combination, limit: JudgedQuery.depth)) }
    }
}

let references = try [
    Reference(name: "bm25, records", hasText: false, collection.records, judged[0].queries),
    Reference(name: "bm25, records and page texts", hasText: true, collection.records, judged[0].queries),
]
for reference in references { print("\(reference.name): words are combined as \"\(reference.combination.rawValue)\"") }

var lines: [String] = []
print("\n| queries | nDCG@10 | \(references.map { "\($0.name) | ratio" }.joined(separator: " | ")) |")
print("| --- | ---: |" + String(repeating: " ---: |", count: 2 * references.count))
for (half, queries) in judged {
    let own = try queries.map { $0.nDCG(of: try collection.search($0.query, limit: JudgedQuery.depth)) }
    let compared = try references.map { try $0.scores(queries) }
    let cells = compared.map { "\(figure(mean($0))) | \(figure(mean(own) / mean($0)))" }
    print("| \(half) (\(queries.count)) | \(figure(mean(own))) | \(cells.joined(separator: " | ")) |")
    guard options.shown == half else { continue }
    for (number, query) in queries.enumerated() {
        let figures = ([own] + compared).map { figure($0[number]) }.joined(separator: " | ")
        lines.append("| `\(query.query)` | \(query.kind) | \(figures) |")
    }
}
if !lines.isEmpty {
    print("\n| query | kind | nDCG@10 | \(references.map(\.name).joined(separator: " | ")) |")
    print("| --- | --- | ---: |" + String(repeating: " ---: |", count: references.count))
    print(lines.joined(separator: "\n"))
}
if options.measuresSignals {
    try SignalMeasurement(collection: collection, halves: judged).print()
}
