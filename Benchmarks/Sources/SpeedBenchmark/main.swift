import CYardsticks
import Foundation
import PippinCrawl
import PippinPage
import PippinStore

// What our work costs in units of what libraries alone need for its core, in turns on the same machine:
//
//     swift run -c release --package-path Benchmarks SpeedBenchmark [--last FILE] [--pippin PROGRAM] [--rounds N] [FOLDER]
//
// - read: a page's facts, from its bytes        / libxml2's DOM of the page
// - record: a page's record, from facts to JSON / libxml2's DOM of the page
// - unpack: zlib inflates the page              / libxml2's DOM of the page
// - store: a finished visit with record and links, until it is in the database's file / an insert of the record into a bare table
// - start: `pippin url`, `pippin extract`       / `true`
//
// CPU time of user and system. A round measures each once; the ratio is the middle of the rounds'. FILE keeps the results: of the same
// pages, what moved by more than five in a hundred and more than the noise is told.

var lastPath: String?
var program: String?
var folder: String?
var rounds = 9
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch argument {
    case "--last": lastPath = arguments.popFirst()
    case "--pippin": program = arguments.popFirst()
    case "--rounds": rounds = arguments.popFirst().flatMap { Int($0) } ?? rounds
    default: folder = argument
    }
}
let corpus = try BenchmarkPages(folder: folder)
guard !corpus.pages.isEmpty, rounds > 0 else {
    print("SpeedBenchmark: no *.html in \(folder ?? "Examples/demo-site")")
    exit(2)
}
let date = Date(timeIntervalSince1970: 1_790_000_000)

/// A page with what the stages need of it.
struct BenchmarkPage {
    let bytes: [UInt8]
    let packed: [UInt8]
    let url: WebURL
    let facts: PageFacts
    let record: DeepLinkRecord?
    let json: [UInt8]
    let visit: FinishedVisit

    init?(_ bytes: [UInt8], number: Int) {
        guard let url = WebURL("https://site\(number % 50).example/section/page-\(number).html") else { return nil }
        self.bytes = bytes
        self.url = url
        packed = [UInt8](unsafeUninitializedCapacity: bytes.count + 1_024) { room, count in
            count = yardstick_pack(bytes, bytes.count, room.baseAddress, room.count)
        }
        facts = PageFacts(PageSource(url: url, bytes: bytes, fetchedAt: date))
        record = RecordBuilder.conclusion(from: facts, now: date).record
        var line: [UInt8] = []
        record?.appendJSON(to: &line)
        json = line
        let seed = Seed(url: url)
        let links = facts.outlinks.links.map {
            CrawlRequest(url: $0.url, depth: 1, seed: seed, discovery: .outlink)
        }
        visit = FinishedVisit(
            request: CrawlRequest(seed: seed), outcome: record == nil ? .withoutDeepLinks : .recorded, finishedAt: date,
            next: RecrawlPolicy.Next(wait: .seconds(86_400)),
            changes: record.map { [.upsert(RecordDocument($0))] } ?? [],
            discovered: links)
    }
}

let pages = corpus.pages.enumerated().compactMap { BenchmarkPage($1, number: $0) }

/// Stops where a library fails: a ratio of nothing would look fast.
func require(_ condition: Bool, _ what: String) {
    guard condition else {
        print("SpeedBenchmark: \(what) failed")
        exit(1)
    }
}

/// Seconds of processor time of this process, or of programs that it ran.
func processorTime(of who: __rusage_who = RUSAGE_SELF) -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(who.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-speed-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}

func parse() { for page in pages { require(yardstick_parse(page.bytes, page.bytes.count), "libxml2") } }

func unpack() {
    var room = [UInt8](repeating: 0, count: (pages.map(\.bytes.count).max() ?? 0) + 1)
    for page in pages where !page.bytes.isEmpty {
        require(yardstick_unpack(page.packed, page.packed.count, &room, room.count) == page.bytes.count, "zlib")
    }
}

func read() {
    for page in pages {
        _ = PageFacts(PageSource(url: page.url, bytes: page.bytes, fetchedAt: date)).outlinks.links.count
    }
}

func record() {
    for page in pages {
        var line: [UInt8] = []
        RecordBuilder.conclusion(from: page.facts, now: date).record?.appendJSON(to: &line)
    }
}

func insert(into folder: URL) {
    guard let table = yardstick_open(folder.appending(path: "bare.sqlite").path) else {
        return require(false, "SQLite")
    }
    for page in pages {
        let key = Array(page.visit.request.key.string.utf8)
        require(yardstick_insert(table, key, key.count, page.json, page.json.count), "SQLite")
    }
    require(yardstick_close(table), "SQLite")
}

func store(in folder: URL) async throws -> Double {
    let storage = try CrawlStorage(folder: folder)
    let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl())
    _ = try await frontier.add(pages.map(\.visit.request))
    _ = try await frontier.lease(limit: pages.count, perHost: pages.count)
    let start = processorTime()
    for page in pages { _ = try await frontier.finish(page.visit) }
    try await frontier.close(keeping: [])
    return processorTime() - start
}

/// Processor time of a program that is started so many times.
func start(_ path: String, _ arguments: [String], times: Int = 10) throws -> Double {
    let before = processorTime(of: RUSAGE_CHILDREN)
    for _ in 0..<times {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        require(process.terminationStatus == 0, path)
    }
    return (processorTime(of: RUSAGE_CHILDREN) - before) / Double(times)
}

func timed(_ work: () -> Void) -> Double {
    let start = processorTime()
    work()
    return processorTime() - start
}

/// The seconds of each round, by name.
var seconds: [String: [Double]] = [:]
for round in 0...rounds {
    let folder = try temporaryFolder()
    var times = [
        "dom": timed(parse), "read": timed(read), "record": timed(record), "unpack": timed(unpack),
        "insert": timed { insert(into: folder) }, "store": try await store(in: folder.appending(path: "storage")),
    ]
    if let program {
        let page = folder.appending(path: "page.html")
        try Data("<!doctype html><title>Mug</title><h1>Mug</h1><p>Hello".utf8).write(to: page)
        times["true"] = try start("/bin/true", [])
        times["start url"] = try start(program, ["url", "https://example.org/"])
        times["start extract"] = try start(program, ["extract", page.path, "--url", "https://example.org/"])
    }
    try FileManager.default.removeItem(at: folder)
    // The first round fills caches.
    if round > 0 { for (name, time) in times { seconds[name, default: []].append(time) } }
}

var last = try lastPath.map { try LastResult(path: $0) }
var results: [String: Ratio] = [:]
func text(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
print("\(corpus.name); \(rounds) rounds")
let rows = [
    ("read", "dom", pages.count), ("record", "dom", pages.count), ("unpack", "dom", pages.count),
    ("store", "insert", pages.count),
    ("start url", "true", 1), ("start extract", "true", 1),
]
for (name, yardstick, count) in rows {
    guard let own = seconds[name], let other = seconds[yardstick] else { continue }
    let ratio = Ratio(zip(own, other).map { $0 / max($1, 1e-9) })
    results[name] = ratio
    let middle = own.sorted()[own.count / 2] * 1e3 / Double(count)
    var note = ""
    if let before = last?.sets[corpus.name]?[name] {
        note =
            ratio.moved(from: before).map { "MOVED by \(text($0 * 100, 0)) % from \(text(before.median, 2))" }
            ?? "as before (\(text(before.median, 2)))"
    }
    print(
        "\(name) / \(yardstick): \(text(ratio.median, 2)) ± \(text(ratio.error, 2)), \(text(middle, 3)) ms each  \(note)"
    )
}
if let lastPath {
    last?.sets[corpus.name] = results
    try last?.write(path: lastPath)
}
