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

guard let url = WebURL("https://example.org/news/page.html") else { exit(2) }

/// Stages that need what an earlier one made are measured over documents read beforehand.
let documents = pages.map { DecodedDocument(bytes: $0).document }
func measure(_ name: String, _ body: (HTMLDocument) -> Int) {
    var index = 0
    measure(name) { (_: [UInt8]) in
        defer { index = (index + 1) % documents.count }
        return body(documents[index])
    }
}

measure("detect and decode") { page in
    let encoding = CharacterEncoding.detect(bytes: page, headers: HTTPHeaders()).encoding
    return encoding.decode(page).utf8.count
}
measure("decode and parse") { DecodedDocument(bytes: $0).document.elements.count }
measure("meta tags") { MetaTags($0).tags.count }
measure("meta tags, links, metadata") { document in
    let meta = MetaTags(document)
    let links = LinkTags(document, pageURL: url, baseURL: url)
    return HTMLMetadata(document, meta: meta, links: links, pageURL: url, baseURL: url).icons.count
}
measure("open graph") { OpenGraph($0, meta: MetaTags($0), baseURL: url)?.properties.count ?? 0 }
measure("outlinks") { document in
    Outlinks(document, links: LinkTags(document, pageURL: url, baseURL: url), baseURL: url).links.count
}
measure("JSON-LD") { JSONLD($0, baseURL: url).documents.count }
measure("microdata") { Microdata($0, baseURL: url).structuredData.items.count }
measure("visible text") { $0.elements.isEmpty ? 0 : $0.visibleText(of: 0).utf8.count }
measure("page facts") { page in
    PageFacts(PageSource(url: url, bytes: page, fetchedAt: Date(timeIntervalSince1970: 0))).outlinks.links.count
}
