import Foundation
import PippinPage

// What the worst pages cost that anyone could send: each at two sizes, so that a cost which grows faster than the page shows
// as a ratio above 2. Then, over a folder of real pages, what a page costs as a rule and at worst:
//
//     swift run -c release --package-path Benchmarks PathologicalBenchmark [--only TEXT] [FOLDER]
//
// `ms` is the whole reading, from bytes to record; `forms` the JSON and N-Quads that the extract command prints on demand.
// CPU time of this process, best of some runs. Beyond a limit of `ReadingLimits` the rest of a page costs next to nothing, so
// that ratios below 2 are fine.

var only: String?
var folder: String?
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    if argument == "--only" { only = arguments.popFirst() } else { folder = argument }
}
guard let url = WebURL("https://example.org/news/page.html") else { exit(2) }
let date = Date(timeIntervalSince1970: 1_800_000_000)

func read(_ bytes: [UInt8], _ headers: HTTPHeaders) -> PageFacts {
    let facts = PageFacts(PageSource(url: url, headers: headers, bytes: bytes, fetchedAt: date))
    var line: [UInt8] = []
    RecordBuilder.conclusion(from: facts, now: date).record?.appendJSON(to: &line)
    return facts
}

/// CPU milliseconds of the best of some runs: more of them the shorter they are.
func milliseconds<Result>(_ body: () -> Result) -> (Double, Result) {
    var best = Double.infinity
    var total = 0.0
    while true {
        let start = clock()
        let result = body()
        let time = Double(clock() - start) * 1e3 / Double(CLOCKS_PER_SEC)
        best = min(best, time)
        total += time
        if total > 150 { return (best, result) }
    }
}

/// Megabytes this process has held at most since the last call; nil where the system does not tell.
func peakMegabytes(restart: Bool) -> Int? {
    if restart {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return nil }
        fputs("5", file)
        fclose(file)
    }
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return nil }
    return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 / 1024 }
}

func column(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
func number(_ value: Double, _ digits: Int = 1) -> String { String(format: "%.\(digits)f", value) }

print("     KB        ms    ms/MB  ratio    forms  MB peak  page and limits that bit")
var overLimit: [String] = []
for page in PathologicalPage.all where only.map({ page.name.contains($0) }) ?? true {
    let small = page.make(page.size)
    let large = page.make(page.size * 2)
    let (smallTime, _) = milliseconds { read(small.bytes, HTTPHeaders(small.headers)).notes.count }
    _ = peakMegabytes(restart: true)
    let (time, facts) = milliseconds { read(large.bytes, HTTPHeaders(large.headers)) }
    let peak = peakMegabytes(restart: false)
    let (forms, _) = milliseconds {
        facts.microdata.json.bytes().count + facts.microdata.nquads.count + facts.rdfa.nquads.count
            + facts.jsonLD.json.bytes().count
    }
    let bytes = large.bytes.count + large.headers.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count }
    let perMegabyte = time * 1e6 / Double(bytes)
    let ratio = time / max(smallTime, 0.001)
    let limits = Set(facts.notes.map(\.code.rawValue).filter { $0.hasPrefix("too-") || $0.contains("-too-") }).sorted()
    // A millisecond is what a page may cost anyway.
    let isHigh = (perMegabyte > 100 && time > 20) || (ratio > 2.6 && time > 20) || forms > 500
    if isHigh { overLimit.append(page.name) }
    fflush(nil)
    print(
        column(String(bytes / 1000), 7), column(number(time), 9), column(number(perMegabyte), 8),
        column(number(ratio, 2), 6), column(number(forms), 8), column(peak.map { String($0) } ?? "-", 8),
        " \(isHigh ? "! " : "")\(page.name)\(limits.isEmpty ? "" : " [\(limits.joined(separator: ", "))]")")
}
print(overLimit.isEmpty ? "nothing out of proportion" : "out of proportion: \(overLimit.joined(separator: "; "))")

if let folder {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".html") }.sorted()
    var costs: [(name: String, time: Double, bytes: Int)] = []
    for file in files {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder).appending(path: file)))
        var best = Double.infinity
        for _ in 0..<5 {
            let start = clock()
            _ = read(bytes, HTTPHeaders())
            best = min(best, Double(clock() - start) * 1e3 / Double(CLOCKS_PER_SEC))
        }
        costs.append((file, best, bytes.count))
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
