import Foundation
import PippinCrawl
import PippinPage
import PippinStore

// How many more pages a second a whole crawl reads on more cores. Pages are answered from memory, so that no server takes its part of the
// cores; everything else is as in a job: robots.txt, schedule, reading, records, storage.
//
//     swift run -c release --package-path Benchmarks CoresBenchmark FOLDER [ROUNDS]
//
// FOLDER has the pages (*.html). Crawls on one core, two, four … and all cores take turns, each in a process of its own that is
// bound to its cores. Medians are printed.

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.count == 2, arguments[0] == "--crawl" {
    try await crawl(folder: arguments[1])
} else if let folder = arguments.first, arguments.count <= 2, let rounds = Int(arguments.dropFirst().first ?? "5"),
    rounds > 0
{
    try measure(folder: folder, rounds: rounds)
} else {
    print("Usage: CoresBenchmark FOLDER [ROUNDS]")
    exit(2)
}

/// One crawl on the cores that the process may use. Prints pages, seconds by the clock and of processor time.
func crawl(folder: String) async throws {
    let root = URL(filePath: folder)
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".html") }.sorted()
    let web = MemoryWeb(pages: try names.map { [UInt8](try Data(contentsOf: root.appending(path: $0))) })
    var configuration = CrawlConfiguration()
    configuration.agent.contact = "https://example.org/bot"
    configuration.politeness.delay = .zero
    configuration.fetch.allowPrivateNetworks = true
    configuration.records = .all
    // The pages' own links lead to nothing.
    configuration.scope.maximumDepth = 1
    let storageFolder = FileManager.default.temporaryDirectory.appending(path: "pippin-cores-\(UUID().uuidString)")
    defer {
        do { try FileManager.default.removeItem(at: storageFolder) } catch {
            print("\(storageFolder.path) is left behind: \(error)")
        }
    }
    let storage = try CrawlStorage(folder: storageFolder)
    let frontier = try storage.frontier(recrawl: configuration.recrawl)
    let seeds = web.origins.compactMap { WebURL($0 + "/").map { Seed(url: $0) } }
    let crawler = Crawler(configuration: configuration, seeds: seeds, fetcher: web, frontier: frontier)
    let before = processorTime()
    let time = try await ContinuousClock().measure {
        _ = try await crawler.run()
        try await frontier.close(keeping: [])
    }
    print("\(web.served) \(time / .seconds(1)) \(processorTime() - before)")
}

func measure(folder: String, rounds: Int) throws {
    let all = ProcessInfo.processInfo.activeProcessorCount
    let counts = sequence(first: 1) { $0 * 2 }.prefix { $0 < all } + [all]
    var results: [Int: [(pages: Double, seconds: Double, computed: Double)]] = [:]
    for _ in 0..<rounds {
        for cores in counts { results[cores, default: []].append(try run(folder: folder, cores: cores)) }
    }
    print("| cores | pages/s | to one core | processor time a page |")
    print("| ---: | ---: | ---: | ---: |")
    func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    let one = middle((results[1] ?? []).map { $0.pages / $0.seconds })
    for cores in counts {
        let measured = results[cores] ?? []
        let rate = middle(measured.map { $0.pages / $0.seconds })
        let cost = middle(measured.map { $0.computed * 1000 / $0.pages })
        print(String(format: "| %d | %.0f | %.2f | %.2f ms |", cores, rate, rate / one, cost))
    }
}

/// Crawls in a process of its own, because the number of threads is that of the cores it begins with.
func run(folder: String, cores: Int) throws -> (pages: Double, seconds: Double, computed: Double) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/taskset")
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
    process.arguments = ["--cpu-list", "0-\(cores - 1)", program, "--crawl", folder]
    // As the command sets it itself.
    process.environment = ProcessInfo.processInfo.environment.merging(
        ["MIMALLOC_DECOMMIT_DELAY": "1000", "MIMALLOC_PURGE_DELAY": "1000"]
    ) { own, _ in own }
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard process.terminationStatus == 0, numbers.count == 3 else {
        print("A crawl on \(cores) cores failed: \(output)")
        exit(1)
    }
    return (numbers[0], numbers[1], numbers[2])
}

/// Seconds of processor time of this process.
func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
