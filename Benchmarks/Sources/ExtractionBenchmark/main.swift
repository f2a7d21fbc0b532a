import Foundation
import PippinPage

// Milliseconds of CPU a page for each stage of reading, over a folder of real pages:
//
//     swift run -c release --package-path Benchmarks ExtractionBenchmark FOLDER [ROUNDS] [STAGE]
//
// Each round measures all stages, or those with STAGE in their name, one after the other, so that a change of the machine's
// speed meets them all. The number in brackets says what a stage has made: it must not change with the speed.

let arguments = CommandLine.arguments
guard arguments.count > 1, let url = WebURL("https://example.org/news/page.html") else {
    print("usage: ExtractionBenchmark FOLDER [ROUNDS] [STAGE]")
    exit(2)
}
let rounds = arguments.count > 2 ? Int(arguments[2]) ?? 5 : 5
let wanted = arguments.count > 3 ? arguments[3] : ""
let files = try FileManager.default.contentsOfDirectory(atPath: arguments[1]).filter { $0.hasSuffix(".html") }.sorted()
let pages = try files.map { [UInt8](try Data(contentsOf: URL(filePath: arguments[1]).appending(path: $0))) }
let now = Date(timeIntervalSince1970: 1_700_000_000)

/// One stage of reading, and what it has cost in each round.
struct Stage {
    let name: String
    /// Reads a page; the CPU time, and a number that tells what was read.
    let run: (Int) -> (seconds: Double, check: Int)
    var seconds: [Double] = []
    var check = 0
}

var stages: [Stage] = []

func cpuSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// - Parameter prepared: what earlier stages make of a page, made before the time is taken.
@MainActor
func stage<Input>(_ name: String, _ prepared: @escaping (Int) -> Input, reads body: @escaping (Input) -> Int) {
    guard wanted.isEmpty || name.contains(wanted) else { return }
    stages.append(
        Stage(name: name) { page in
            let input = prepared(page)
            let start = cpuSeconds()
            let check = body(input)
            let seconds = cpuSeconds() - start
            // Giving its memory back is no part of the stage.
            return withExtendedLifetime(input) { (seconds, check) }
        })
}

/// A stage that begins with the bytes.
@MainActor
func stage(_ name: String, _ body: @escaping ([UInt8]) -> Int) { stage(name, { pages[$0] }, reads: body) }

/// A stage that reads the parsed page.
@MainActor
func stage(_ name: String, _ body: @escaping (HTMLDocument) -> Int) {
    stage(name, { documents[$0] }, reads: body)
}

/// Facts of which no text was read yet.
func facts(_ page: [UInt8]) -> PageFacts { PageFacts(PageSource(url: url, bytes: page, fetchedAt: now)) }

func draft(_ facts: PageFacts) -> RecordDraft? {
    facts.directives.refusal(at: now) == nil ? RecordBuilder.draft(from: facts, now: now) : nil
}

/// A number that changes with any byte.
func digest(_ bytes: [UInt8]) -> Int {
    Int(truncatingIfNeeded: bytes.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 })
}

func line(_ draft: RecordDraft?) -> [UInt8] {
    var line: [UInt8] = []
    draft?.record(manifest: nil).record.appendLine(to: &line)
    return line
}

let documents = pages.map { DecodedDocument(bytes: $0).document }

stage("detect and decode") { (page: [UInt8]) in
    let encoding = CharacterEncoding.detect(bytes: page, headers: HTTPHeaders()).encoding
    return encoding.decode(page).utf8.count
}
stage("decode and parse") { DecodedDocument(bytes: $0).document.elements.count }
stage("meta tags") { MetaTags($0).tags.count }
stage("meta tags, links, metadata") { document in
    let meta = MetaTags(document)
    let links = LinkTags(document, pageURL: url, baseURL: url)
    return HTMLMetadata(document, meta: meta, links: links, pageURL: url, baseURL: url).icons.count
}
stage(
    "open graph", { (documents[$0], MetaTags(documents[$0])) },
    reads: { OpenGraph($0, meta: $1, baseURL: url)?.properties.count ?? 0 })
stage(
    "outlinks", { (documents[$0], LinkTags(documents[$0], pageURL: url, baseURL: url)) },
    reads: { Outlinks($0, links: $1, baseURL: url).links.count })
stage("JSON-LD") { JSONLD($0, baseURL: url).documents.count }
stage("microdata") { Microdata($0, baseURL: url).structuredData.items.count }
stage("RDFa") { RDFa($0, baseURL: url).structuredData.items.count }
stage("visible text") { VisibleText($0).bytes.count }
stage(
    "hidden text", { (documents[$0], VisibleText(documents[$0])) },
    reads: { HiddenText($0, visible: $1, url: url).words })
stage("facts") { (page: [UInt8]) in facts(page).outlinks.links.count }
stage("draft", { facts(pages[$0]) }, reads: { draft($0) == nil ? 0 : 1 })
stage("record as JSON", { draft(facts(pages[$0])) }, reads: { line($0).count })
// From bytes to a line of NDJSON. The check is over all bytes of all records.
stage("whole") { (page: [UInt8]) in digest(line(draft(facts(page)))) }

for _ in 0..<rounds {
    for index in stages.indices {
        var (seconds, check) = (0.0, 0)
        for page in pages.indices {
            let result = stages[index].run(page)
            seconds += result.seconds
            check &+= result.check
        }
        stages[index].seconds.append(seconds)
        stages[index].check = check
    }
}
print("CPU ms/page over \(pages.count) pages, best and median of \(rounds) rounds")
for stage in stages {
    let sorted = stage.seconds.sorted().map { String(format: "%.3f", $0 * 1e3 / Double(pages.count)) }
    guard let best = sorted.first else { continue }
    print("\(stage.name): \(best) \(sorted[sorted.count / 2]) (\(stage.check))")
}
