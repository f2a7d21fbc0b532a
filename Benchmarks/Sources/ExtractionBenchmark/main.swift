import Foundation
import PippinPage

// Milliseconds a page for each stage of reading, over a folder of real pages:
//
//     swift run -c release --package-path Benchmarks ExtractionBenchmark FOLDER [ROUNDS]

let arguments = CommandLine.arguments
guard arguments.count > 1 else {
    print("usage: ExtractionBenchmark FOLDER [ROUNDS]")
    exit(2)
}
let rounds = arguments.count > 2 ? Int(arguments[2]) ?? 5 : 5
let files = try FileManager.default.contentsOfDirectory(atPath: arguments[1]).filter { $0.hasSuffix(".html") }.sorted()
let pages = try files.map { [UInt8](try Data(contentsOf: URL(filePath: arguments[1]).appending(path: $0))) }

/// Best of the rounds, CPU time of this process.
func measure(_ name: String, _ body: ([UInt8]) -> Int) {
    var best = Double.infinity
    var check = 0
    for _ in 0..<rounds {
        let start = clock()
        check = 0
        for page in pages { check &+= body(page) }
        best = min(best, Double(clock() - start) / Double(CLOCKS_PER_SEC))
    }
    let perPage = best * 1e3 / Double(pages.count)
    print("\(name): \(String(format: "%.3f", perPage)) ms/page (\(check))")
}

let texts = pages.map { [UInt8](String(decoding: $0, as: UTF8.self).utf8) }
var next = 0
func each(_ body: @escaping ([UInt8]) -> Int) -> ([UInt8]) -> Int { body }
measure("parse") { HTMLDocument(utf8: $0).elements.count }
