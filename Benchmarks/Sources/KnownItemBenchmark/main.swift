import Foundation
import PippinPage
import PippinStore
import SearchYardsticks

// How often search finds the record that somebody is looking for, next to SQLite's FTS5 as it comes (`PlainIndex`):
//
//     swift run -c release --package-path Benchmarks KnownItemBenchmark STORAGE [PAGES …] [--texts] [--seed NUMBER] [--queries KIND]
//
// STORAGE is the storage of a crawl; with PAGES it is made of them (`PagesOfFiles`), with --texts as `output.search_index: true`
// does. Its search index is brought up to date. Queries are made of the records' titles, sites and authors, one of each kind for each record; the same seed makes the
// same ones. Half of the records are kept back, by a hash of their identifiers: look only at the queries of the others, which
// --queries prints where search did not find them first.
//
// A query is answered by the record it was made of, or by one with the same title in folded words. `shared` are queries whose
// words, as they were meant, are all in the title of another record, too, or begin as words there do: not even people can know
// which of them is meant.

struct Options {
    var paths: [String] = []
    var seed = 1
    var shown: String?
    var keepsTexts = false

    init?(_ arguments: some Sequence<String>) {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--seed":
                guard let number = arguments.next().flatMap({ Int($0) }) else { return nil }
                seed = number
            case "--texts": keepsTexts = true
            case "--queries":
                guard let kind = arguments.next() else { return nil }
                shown = kind
            default: paths.append(argument)
            }
        }
        if paths.isEmpty { return nil }
    }
}

guard let options = Options(CommandLine.arguments.dropFirst()) else {
    print("Usage: KnownItemBenchmark STORAGE [PAGES …] [--texts] [--seed NUMBER] [--queries KIND]")
    exit(2)
}
let folder = URL(filePath: options.paths[0])
if options.paths.count > 1 {
    let pages = try PagesOfFiles(
        Array(options.paths.dropFirst()), keepsTexts: options.keepsTexts,
        fetchedAt: Date(timeIntervalSince1970: 1_790_000_000))
    try await pages.deliver(to: folder)
    let texts = pages.pages.reduce(0) { $0 + $1.record.searchedBytes }
    _ = try SearchIndexer(folder: folder).catchUp()
    let bytes = SearchIndex.bytes(in: folder)
    print(
        String(
            format: "The index has %.1f MB, %.1f times the text that is searched.", Double(bytes) / 1e6,
            Double(bytes) / Double(max(1, texts))))
}
_ = try SearchIndexer(folder: folder).catchUp()
let index = try SearchIndex(folder: folder)
var records: [(identifier: String, record: JSONValue, text: String)] = []
_ = try ChangeFeed(folder: folder).read(since: nil) { change in
    guard !change.isDeletion else { return }
    var parser = JSONParser()
    records.append((change.identifier, try parser.parse(change.document), ""))
}
let plain = try PlainIndex(hasText: false)
try plain.add(records)

let names = Dictionary(
    records.map { ($0.identifier, KnownItem.name(of: $0.record["title"]?.string ?? "")) },
    uniquingKeysWith: { _, last in last })
/// In how many records each word is.
var rarity: [String: Int] = [:]
/// The names of the records whose titles have a word.
var titles: [String: Set<String>] = [:]
for (_, record, _) in records {
    let title = record["title"]?.string ?? ""
    let texts = ["title", "containerTitle", "contentDescription", "snippet"].compactMap { record[$0]?.string }
    let words = SearchText.with { analysis in Set(texts.flatMap { analysis.words(of: $0).map(\.form) }) }
    for word in words { rarity[word, default: 0] += 1 }
    for word in KnownItem.name(of: title).split(separator: " ") {
        titles[String(word), default: []].insert(KnownItem.name(of: title))
    }
}

let items = records.compactMap { KnownItem(identifier: $0.identifier, record: $0.record) }
let queries = items.flatMap { item in
    KnownItemQuery.Kind.allCases.compactMap { KnownItemQuery($0, for: item, seed: options.seed, rarity: rarity) }
}
print("\(records.count) records, \(queries.count) queries, seed \(options.seed)\n")

/// Where the wanted record stands, from 1 on; nil if it is not among the first ten.
func place(of item: KnownItem, in found: [String]) -> Int? {
    found.firstIndex { $0 == item.identifier || names[$0] == item.name }.map { $0 + 1 }
}

struct Tally {
    var queries = 0
    var shared = 0
    var first = 0
    var firstTen = 0
    var plainFirst = 0
    var plainFirstTen = 0

    static func + (a: Tally, b: Tally) -> Tally {
        Tally(
            queries: a.queries + b.queries, shared: a.shared + b.shared, first: a.first + b.first,
            firstTen: a.firstTen + b.firstTen, plainFirst: a.plainFirst + b.plainFirst,
            plainFirstTen: a.plainFirstTen + b.plainFirstTen)
    }

    var cells: String {
        let shares = [first, firstTen, plainFirst, plainFirstTen]
            .map { String(format: "%.3f", Double($0) / Double(max(1, queries))) }
        return "\(queries) | \(shared) | " + shares.joined(separator: " | ")
    }
}

// FTS5 with the way to combine words that finds most for each kind, by the queries for tuning.
var tallies: [String: Tally] = [:]
var missed: [String] = []
var worst: (time: Duration, text: String) = (.zero, "")
for kind in KnownItemQuery.Kind.allCases {
    let asked = queries.filter { $0.kind == kind }
    var best = (combination: PlainIndex.Combination.any, found: -1)
    for combination in PlainIndex.Combination.allCases {
        let found = try asked.filter { !$0.item.isKept }.count {
            place(of: $0.item, in: try plain.search($0.text, combination, limit: 10)) == 1
        }
        if found > best.found { best = (combination, found) }
    }
    for query in asked {
        var tally = Tally()
        tally.queries = 1
        var sharing = query.meant.compactMap { titles[$0] }
        if kind == .unfinished, let typed = query.text.split(separator: " ").last {
            sharing[sharing.count - 1] = titles.reduce(into: []) { names, title in
                if title.key.hasPrefix(typed) { names.formUnion(title.value) }
            }
        }
        if sharing.count == query.meant.count,
            sharing.dropFirst().reduce(sharing[0], { $0.intersection($1) }).contains(where: { $0 != query.item.name })
        {
            tally.shared = 1
        }
        var hits: [String] = []
        let time = try ContinuousClock().measure {
            hits = try index.search(SearchQuery(query.text), offset: 0, limit: 10, isExplained: false).hits
                .map(\.identifier)
        }
        if time > worst.time { worst = (time, query.text) }
        let own = place(of: query.item, in: hits)
        let other = place(of: query.item, in: try plain.search(query.text, best.combination, limit: 10))
        if own == 1 { tally.first = 1 }
        if own != nil { tally.firstTen = 1 }
        if other == 1 { tally.plainFirst = 1 }
        if other != nil { tally.plainFirstTen = 1 }
        let key = "\(query.item.isKept) \(kind.rawValue)"
        tallies[key] = (tallies[key] ?? Tally()) + tally
        if options.shown == kind.rawValue, !query.item.isKept, own != 1 {
            let first = hits.first.map { names[$0] ?? $0 } ?? "nothing"
            missed.append(
                "| `\(query.text)` | \(query.meant.joined(separator: " ")) | \(query.item.title) | \(own.map(String.init) ?? "–")"
                    + " | \(first) | \(tally.shared == 1 ? "shared" : "") |")
        }
    }
}
for isKept in [false, true] {
    print("| \(isKept ? "kept" : "tuning") | queries | shared | @1 | @10 | bm25 @1 | bm25 @10 |")
    print("| --- |" + String(repeating: " ---: |", count: 6))
    var all = Tally()
    for kind in KnownItemQuery.Kind.allCases {
        let tally = tallies["\(isKept) \(kind.rawValue)"] ?? Tally()
        all = all + tally
        print("| \(kind.rawValue) | \(tally.cells) |")
    }
    print("| all | \(all.cells) |\n")
}
print(String(format: "The slowest query took %.1f ms: ", worst.time / .milliseconds(1)) + worst.text)
if !missed.isEmpty {
    print("\n| query | meant | wanted | found at | first | |\n| --- | --- | --- | --- | --- | --- |")
    print(missed.joined(separator: "\n"))
}

extension DeepLinkRecord {
    /// The bytes of its titles, descriptions, keywords and text.
    fileprivate var searchedBytes: Int {
        let texts = [title, contentDescription, snippet, containerTitle, mainText?.quotable, mainText?.unquotable]
        return (texts.compactMap { $0 } + keywords + alternateNames).reduce(0) { $0 + $1.utf8.count }
    }
}
