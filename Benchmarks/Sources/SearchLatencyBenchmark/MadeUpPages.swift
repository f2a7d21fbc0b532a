import Foundation
import PippinPage
import SearchYardsticks

/// Pages with made-up content and real vocabulary: the same number gives the same page in every run.
///
/// A page has a title of three to eight words and a made-up name, a description of 25 words, three keywords and a text of 40 to
/// 400 words. Two of five have a deep link, three of ten a rating. Half are in the language with most text, the others in the
/// next five and in Chinese and Japanese, if there are pages of them. They lie on five thousand hosts.
struct MadeUpPages: Sendable {
    let vocabularies: [Vocabulary]

    private static let hosts = 5_000
    private static let types = [
        "Recipe", "Product", "NewsArticle", "Event", "MusicAlbum", "Place", "Book", "VideoObject",
    ]
    private static let date = Date(timeIntervalSince1970: 1_790_000_000)

    init(_ vocabularies: [Vocabulary]) {
        self.vocabularies =
            Array(vocabularies.filter { !$0.isUnspaced }.prefix(6) + vocabularies.filter(\.isUnspaced).prefix(2))
    }

    func vocabulary(of number: Int) -> Vocabulary {
        number % 2 == 0 ? vocabularies[0] : vocabularies[(number / 2) % vocabularies.count]
    }

    static func host(of number: Int) -> String { "site\(number % hosts).example" }

    static func type(of number: Int) -> String { types[number % types.count] }

    static func address(of number: Int) -> String { "https://\(host(of: number))/item/\(number)" }

    /// The page, read.
    func facts(of number: Int) -> PageFacts? {
        WebURL(Self.address(of: number)).map {
            PageFacts(PageSource(url: $0, bytes: Array(html(of: number).utf8), fetchedAt: Self.date))
        }
    }

    /// The record of the page.
    func record(of facts: PageFacts) -> DeepLinkRecord? {
        RecordBuilder.conclusion(from: facts, now: Self.date).record
    }

    func title(of number: Int) -> String {
        var dice = Dice(UInt64(number))
        let words = vocabulary(of: number)
        return words.name(&dice) + " " + words.text(words: Int.random(in: 3...8, using: &dice), &dice)
    }

    private func html(of number: Int) -> String {
        // Words consist of letters only, so nothing needs to be escaped.
        var dice = Dice(UInt64(number) | 1 << 40)
        let words = vocabulary(of: number)
        let title = title(of: number)
        let keywords = (0..<3).map { _ in words.word(&dice) }.joined(separator: ",")
        let day = String(
            format: "20%02d-%02d-%02d", Int.random(in: 15...26, using: &dice), Int.random(in: 1...8, using: &dice),
            Int.random(in: 1...28, using: &dice))
        var item = "\"@context\":\"https://schema.org\",\"@type\":\"\(Self.type(of: number))\",\"name\":\"\(title)\""
        item += ",\"datePublished\":\"\(day)\""
        if number % 10 < 3 {
            let value = Double(Int.random(in: 20...50, using: &dice)) / 10
            let count = Int.random(in: 1...5_000, using: &dice)
            item +=
                ",\"aggregateRating\":{\"@type\":\"AggregateRating\",\"ratingValue\":\(value),\"ratingCount\":\(count)}"
        }
        var banner = ""
        if number % 5 < 2 {
            let app = 1_450_000_000 + number % Self.hosts
            banner = "<meta name=apple-itunes-app content=\"app-id=\(app), app-argument=\(Self.address(of: number))\">"
        }
        // Most texts are short, some long.
        let length = Int(40 * pow(10, Double.random(in: 0...1, using: &dice)))
        let paragraphs = stride(from: 0, to: length, by: 60)
            .map { "<p>" + words.text(words: min(60, length - $0), &dice) + ".</p>" }.joined()
        return """
            <!doctype html><html lang="\(words.language)"><head><meta charset=utf-8><title>\(title)</title>\(banner)
            <meta name=description content="\(words.text(words: 25, &dice))"><meta name=keywords content="\(keywords)">
            <meta property=og:site_name content="Site \(number % Self.hosts)">
            <script type="application/ld+json">{\(item)}</script></head>
            <body><article><h1>\(title)</h1>\(paragraphs)</article></body></html>
            """
    }
}
