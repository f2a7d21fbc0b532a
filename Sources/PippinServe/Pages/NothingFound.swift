import PippinPage
import PippinReport
import PippinStore

/// What helps when a query finds nothing: what it finds with fewer filters, words that records have, and popular pages.
struct NothingFound: Sendable {
    /// A query that is a little less than the one that was asked.
    struct Way: Sendable {
        let label: String
        let query: String
        let isExact: Bool
        let count: Int
        let isCountExact: Bool
    }

    /// What hits were to be ordered by.
    private let order: SearchOrder
    /// Those that find something.
    let ways: [Way]
    /// Queries whose words records have.
    let spellings: [String]
    /// The site whose popular pages are shown; nil shows those of all.
    let site: String?
    let popular: [JSONValue]

    /// The most queries that are tried. Each takes as long as a search.
    private static let maximumWays = 5
    private static let maximumSpellings = 5
    private static let shownPopular = 6

    /// - Parameter best: the most popular records of all sites.
    init(_ query: SearchQuery, best: [JSONValue], in index: SearchIndex) throws {
        order = query.order
        ways = try Self.candidates(query).prefix(Self.maximumWays).compactMap { label, text, isExact in
            let found = try index.search(
                SearchQuery(text, isExact: isExact), offset: 0, limit: 0, isExplained: false)
            guard found.count > 0 else { return nil }
            return Way(
                label: label, query: text, isExact: isExact, count: found.count, isCountExact: found.isCountExact)
        }
        let words = query.text(without: query.filterParts)
        spellings = try index.suggestions(for: words, limit: Self.maximumSpellings).map(\.text)
            .filter { $0.lowercased() != words.lowercased() }
        let sites = query.filterParts.filter { $0.key == "site" }.map(\.value)
        if sites.count == 1 {
            let found = try index.search(
                SearchQuery("site:\(sites[0])"), offset: 0, limit: Self.shownPopular, isExplained: false)
            if !found.hits.isEmpty {
                (site, popular) = (sites[0], found.hits.map(\.record))
                return
            }
        }
        (site, popular) = (nil, Array(best.prefix(Self.shownPopular)))
    }

    private static func candidates(_ query: SearchQuery) -> [(label: String, text: String, isExact: Bool)] {
        var candidates: [(String, String, Bool)] = []
        func add(_ label: String, _ text: String, isExact: Bool) {
            guard !text.allSatisfy(\.isWhitespace) else { return }
            candidates.append((label, text, isExact))
        }
        let filters = query.filterParts
        if query.isExact { add("with corrected words", query.text, isExact: false) }
        let parts = query.exclusionParts + filters
        for part in parts.prefix(maximumWays - 2) {
            let written = part.key.isEmpty ? part.value : "\(part.key):\(part.value)"
            add("without \(written)", query.text(without: [part]), isExact: query.isExact)
        }
        if parts.count > 1 {
            add(
                query.exclusionParts.isEmpty ? "without filters" : "without all of these", query.text(without: parts),
                isExact: query.isExact)
        }
        // Words in the values of filters may stand in quotes too.
        if filters.isEmpty, query.text.contains("\"") {
            let unquoted = SearchQuery(query.text.replacing("\"", with: " "))
            add("without quotes", unquoted.text(without: []), isExact: query.isExact)
        }
        return candidates
    }

    /// - Parameter tile: a small result.
    func markup(tile: (JSONValue) -> HTML) -> HTML {
        let chips: [HTML] = ways.map { way in
            let link = LocalLink.results(of: way.query, isExact: way.isExact, order: order).description
            return """
                <a class="chip" href="\(link)"><span dir="auto">\(way.label)</span><span class="n">\
                \(Wording.number(way.count))\("+", if: !way.isCountExact)<span class="unseen"> results</span></span></a>
                """
        }
        let words: [HTML] = spellings.map { text in
            """
            <a class="chip" href="\(LocalLink.results(of: text, order: order).description)">\
            <span dir="auto">\(text)</span></a>
            """
        }
        return """
            <section class="card nothing"><h2>Nothing found</h2>\
            <p class="dim">\(ways.isEmpty && words.isEmpty
                ? "Try fewer or other words." : "This finds something:")</p>\
            \("<div class=\"chips\"><span class=\"chips-name\">Search</span>\(chips)</div>", if: !chips.isEmpty)\
            \("<div class=\"chips\"><span class=\"chips-name\">Words</span>\(words)</div>", if: !words.isEmpty)</section>
            \("""
            <h2>\(site.map { "Popular on \($0)" } ?? "Popular")</h2>
            <ul class="grid">\(popular.map { "<li>\(tile($0))</li>\n" as HTML })</ul>
            """, if: !popular.isEmpty)
            """
    }
}
