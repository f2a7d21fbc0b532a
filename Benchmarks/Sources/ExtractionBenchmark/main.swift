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

/// Best of the rounds, CPU time of this process, for each input.
func measure<Input>(_ name: String, _ inputs: [Input], unit: String = "page", _ body: (Input) -> Int) {
    var best = Double.infinity
    var check = 0
    for _ in 0..<rounds {
        let start = clock()
        check = 0
        for input in inputs { check &+= body(input) }
        best = min(best, Double(clock() - start) / Double(CLOCKS_PER_SEC))
    }
    let mean = best * 1e3 / Double(max(inputs.count, 1))
    print("\(name): \(String(format: "%.4f", mean)) ms/\(unit) (\(check))")
}

measure("parse", pages) { HTMLDocument(utf8: $0).elements.count }

// The stages that read the parsed document.
let documents = pages.map { DecodedDocument(bytes: $0).document }
guard let address = WebURL("https://www.example.org/news/page.html") else { exit(2) }
measure("json-ld", documents) { JSONLD($0, baseURL: address).structuredData.items.count }
measure("microdata", documents) { Microdata($0, baseURL: address).structuredData.items.count }
measure("rdfa", documents) { RDFa($0, baseURL: address).structuredData.items.count }

let values = documents.flatMap { JSONLD($0, baseURL: address).documents }
print("JSON-LD documents: \(values.reduce(0) { $0 + $1.bytes().count } / max(values.count, 1)) bytes each")
measure("write json", values, unit: "document") { $0.bytes().count }
measure("read json", values.map { $0.bytes() }, unit: "document") { bytes in
    var parser = JSONParser()
    do { return try parser.parse(bytes).object?.count ?? 0 } catch { return 0 }
}
