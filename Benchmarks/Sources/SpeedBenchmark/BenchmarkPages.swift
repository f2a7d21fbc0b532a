import Foundation

/// The pages that are measured: those of a folder, or without one the demo site's and made-up ones, so that a fresh clone has some.
struct BenchmarkPages {
    let pages: [[UInt8]]
    /// Distinguishes sets: only results of the same pages are compared.
    let name: String

    init(folder: String?) throws {
        if let folder {
            pages = try Self.files(of: folder)
        } else {
            pages = try Self.files(of: "Examples/demo-site") + (0..<60).map { Array(Self.madeUp($0).utf8) }
        }
        name = "\(folder ?? "demo"), \(pages.count) pages, \(pages.reduce(0) { $0 + $1.count }) bytes"
    }

    private static func files(of folder: String) throws -> [[UInt8]] {
        let root = URL(filePath: folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".html") }
            .sorted()
        return try names.map { [UInt8](try Data(contentsOf: root.appending(path: $0))) }
    }

    /// An article or product with navigation, structured data, scripts and styles; from 20 to 200 KB, the same in every run.
    private static func madeUp(_ number: Int) -> String {
        var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
        func dice(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        func words(_ count: Int) -> String {
            (0..<count).map { _ in vocabulary[dice(vocabulary.count)] }.joined(separator: " ")
        }
        let scale = 1 + number % 10
        let links = (0..<(30 * scale)).map {
            "<li class=\"item level-\($0 % 4)\"><a href=\"/section-\(dice(40))/\($0)-page.html\" title='\(words(3))'>\(words(2))</a></li>"
        }
        let paragraphs = (0..<(12 * scale)).map { _ in
            "<p class='text'>\(words(40)) <a href=\"/more/\(dice(900))\">\(words(2))</a>, <b>\(words(3))</b> &amp; \(words(20)).</p>"
        }
        let cards = (0..<(5 * scale)).map {
            """
            <div class="card" data-index="\($0)" itemscope itemtype="https://schema.org/Product"><img src="/images/\($0).jpg" alt="\(words(2))" \
            width="320" height="200" loading="lazy"><span itemprop="name">\(words(3))</span><meta itemprop="sku" content="\(dice(9_999))"></div>
            """
        }
        let script = (0..<(60 * scale)).map { "  window.queue.push({ id: \($0), value: \"\(words(2))\", on: true });" }
        return """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(words(6))</title>
            <meta name="description" content="\(words(22))"><meta property="og:title" content="\(words(5))">
            <meta property="og:image" content="https://www.example.org/images/\(number).jpg"><link rel="canonical" href="/page-\(number).html">
            <meta name="apple-itunes-app" content="app-id=\(1_450_000_000 + number), app-argument=https://www.example.org/page-\(number).html">
            <style>\(String(repeating: ".card { margin: 0 auto; padding: 4px 8px; }\n", count: 40 * scale))</style>
            <script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"\(words(6))",\
            "datePublished":"2026-03-0\(1 + number % 9)","author":{"@type":"Person","name":"\(words(2))"}}</script>
            <script>\(script.joined(separator: "\n"))</script></head>
            <body><nav><ul>\(links.joined(separator: "\n"))</ul></nav><main><h1>\(words(6))</h1>\(paragraphs.joined(separator: "\n"))
            \(cards.joined(separator: "\n"))</main><footer>\(words(30))</footer></body></html>
            """
    }

    private static let vocabulary =
        "the of and to in is that for was on with as at by from are this have or one had not but what all were when we there can an your which their said if do will each about how up out them then she many some so these would other into has more her two like him see time could no make than first been its who now people my made over did down only way find use may water long little very after words called just where most know"
        .split(separator: " ")
}
