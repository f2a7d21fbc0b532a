import Foundation
import PippinStore

// How fast the search index is made, how large it is, and how long queries take:
//
//     swift run -c release --package-path Benchmarks SearchLatencyBenchmark FOLDER … [--kinds] [--keep FOLDER [--as-indexed]] SIZE …
//
// The folders have pages (`.html`, also in subfolders) whose words are used: the benchmark has no vocabulary of its own.
// Storages of so many made-up pages are made in the folder for temporary files (TMPDIR); a million pages take about 10 GB. With
// --keep they stay in FOLDER, and the next run makes only the index again, or nothing with --as-indexed. --kinds prints a table by kind of query.

struct Options {
    var folders: [String] = []
    var sizes: [Int] = []
    var kept: String?
    var showsKinds = false
    var takesIndex = false

    init?(_ arguments: some Sequence<String>) {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--kinds": showsKinds = true
            case "--as-indexed": takesIndex = true
            case "--keep":
                guard let folder = arguments.next() else { return nil }
                kept = folder
            default:
                if let size = Int(argument) { sizes.append(size) } else { folders.append(argument) }
            }
        }
        if folders.isEmpty || sizes.isEmpty || (takesIndex && kept == nil) { return nil }
    }
}

guard let options = Options(CommandLine.arguments.dropFirst()) else {
    print("Usage: SearchLatencyBenchmark FOLDER … [--kinds] [--keep FOLDER [--as-indexed]] SIZE …")
    exit(2)
}
let vocabularies = try Vocabulary.read(options.folders)
guard vocabularies.count > 1 else {
    print("The folders have too few pages: no two languages with a thousand different words.")
    exit(2)
}
let pages = MadeUpPages(vocabularies)
print(
    "Languages, with their numbers of words: "
        + pages.vocabularies.map { "\($0.language) \($0.words.count)" }.joined(separator: ", "))
print("")
print("| pages | indexed/s | index | bytes/page | memory, indexing | memory, searching | median | p99 | worst |")
print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
var kinds: [String] = []
for size in options.sizes {
    let measurement = try await LatencyMeasurement(
        pages: pages, count: size, kept: options.kept, takesIndex: options.takesIndex)
    print(measurement.row)
    fflush(nil)
    kinds += measurement.kinds
}
if options.showsKinds {
    print("\n| pages | kind | median | worst | slowest query |\n| ---: | --- | ---: | ---: | --- |")
    print(kinds.joined(separator: "\n"))
}
