import Foundation
import PippinPage
import SearchYardsticks

// How much of what stuffing is made of ordinary pages have, and how many of them are beyond what is a sign:
//
//     swift run -c release --package-path Benchmarks StuffingBenchmark PAGES … [--highest MEASURE]
//
// PAGES are folders of real pages, or lists of pages with their addresses (`PagesOfFiles`). --highest prints the 20 pages with
// the most of a measure, for people to judge: a sign is right on a page that was written for search engines.

var paths: [String] = []
var highest: String?
var arguments = CommandLine.arguments.dropFirst().makeIterator()
while let argument = arguments.next() {
    if argument == "--highest" { highest = arguments.next() ?? "" } else { paths.append(argument) }
}
let names = StuffingMeasures.all.map(\.name)
guard !paths.isEmpty, highest.map({ names.contains($0) }) ?? true else {
    print("Usage: StuffingBenchmark PAGES … [--highest \"\(names.joined(separator: "\"|\""))\"]")
    exit(2)
}

let pages = try PagesOfFiles(paths, keepsTexts: true, fetchedAt: Date(timeIntervalSince1970: 1_790_000_000)).pages
print("\(pages.count) pages\n")
func figure(_ value: Double) -> String { String(format: "%.2f", value) }

print("| measure | median | 90 % | 99 % | 99.5 % | most | a sign from | pages |")
print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
for measure in StuffingMeasures.all {
    let values = pages.map { measure.of($0.measures) }.sorted()
    let shares = [0.5, 0.9, 0.99, 0.995].map { figure(values[min(values.count - 1, Int(Double(values.count) * $0))]) }
    let beyond = pages.count { measure.isBeyond($0.measures) }
    print(
        "| \(measure.name) | \(shares.joined(separator: " | ")) | \(figure(values.last ?? 0)) | \(figure(measure.least)) | \(beyond) |"
    )
}
let pressed = pages.count { StuffingSigns($0.measures).weight > 0 }
let strongly = pages.count { StuffingSigns($0.measures).weight >= 0.5 }
print("\n\(pressed) pages are pressed down, \(strongly) of them by more than a little")

if let measure = StuffingMeasures.all.first(where: { $0.name == highest }) {
    print("")
    for page in pages.sorted(by: { measure.of($0.measures) > measure.of($1.measures) }).prefix(20) {
        print("\(figure(measure.of(page.measures)))  \(page.url.href)\n      \(page.record.title ?? "")")
    }
}
