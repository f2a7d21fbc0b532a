import Hummingbird
import PippinPage
import PippinReport
import PippinStore

/// The search page: the field, the filters, the results; without a query, what the index holds.
enum SearchPage {
    static let routes: [WebRoute] = [
        .page("/") { request, context in try await page(request, context) }
    ]

    private static let perPage = 10
    /// Pages beyond show nothing (`SearchIndex` gives a thousand hits).
    private static let lastOffset = 990

    private static func page(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        let text = try request.query.text("q", maximum: WebLimits.queryLength)
        let offset = try request.query.number("offset", in: 0...lastOffset, default: 0)
        let isExplained = try request.query.flag("explain")
        let isExact = try request.query.flag("exact")
        let order = try request.query.order("sort")
        guard !text.allSatisfy(\.isWhitespace) else { return try await home(context) }
        return try await results(
            SearchQuery(text, isExact: isExact, order: order), offset: offset, isExplained: isExplained,
            isOwn: request.isOwnNavigation, context)
    }

    // MARK: Results

    private static func results(
        _ query: SearchQuery, offset: Int, isExplained: Bool, isOwn: Bool, _ context: WebContext
    ) async throws -> WebAnswer {
        let (results, time) = try await context.search { index in
            try index.search(query, offset: offset, limit: perPage, isExplained: isExplained, countsFacets: true)
        }
        let text = query.text
        let hits = results.hits
        let groups = SearchFilters(query).groups(of: results.facets, in: results.count)
        func link(from offset: Int, isExplained: Bool = isExplained, order: SearchOrder = query.order) -> String {
            LocalLink.results(
                of: text, isExact: query.isExact, order: order, offset: offset, isExplained: isExplained
            ).description
        }
        let orders: HTML = """
            <nav class="chips" aria-label="Order"><span class="chips-name">Sort by</span>\(SearchOrder.allCases.map { order in
                """
                <a class="chip" href="\(link(from: 0, order: order))"\
                \(" aria-current=\"true\"", if: order == query.order)>\(order.rawValue)</a>
                """ as HTML
            })</nav>
            """
        let list: HTML =
            hits.isEmpty
            ? try await help(query, context)
            : """
            <ol class="hits">\(hits.enumerated().map { place, hit in
                let more = searchForMore(like: hit, query)
                let markup = markup(
                    of: hit, query: text, position: offset + place + 1, isExplained: isExplained, more: more, context)
                return "<li>\(markup)</li>\n"
            })</ol>
            """
        let body: HTML = """
            <main id="content" class="column results-top">
            <h1 class="unseen">Results for \(text)</h1>
            \(field(text))
            <div data-results>
            \("<nav aria-label=\"Filters\">\(groups)</nav>", if: !groups.isEmpty)
            \(orders, if: results.count > 1)
            <p class="told"><span role="status">\(summary(results, offset: offset, time: time))</span>\("""
                 <a href="\(link(from: offset, isExplained: true))">Why this order?</a>
                """, if: !hits.isEmpty && !isExplained)</p>
            \(results.correctedQuery.map { """
                <p class="told">Results for <a href="\(LocalLink.results(of: $0, order: query.order).description)">\
                <strong>\($0)</strong></a>. Search instead for \
                <a href="\(LocalLink.results(of: text, isExact: true, order: query.order).description)">\(text)</a>.</p>
                """ })
            \(results.didYouMean.map { """
                <p class="told">Did you mean <a href="\(LocalLink.results(of: $0, order: query.order).description)">\
                <strong>\($0)</strong></a>?</p>
                """ })
            \(results.notes.map { "<p class=\"told\">\($0)</p>" })
            \(list)
            <nav class="pager" aria-label="Pages of results">\("""
                <a class="button" rel="prev" href="\(link(from: max(0, offset - perPage)))">← Before</a>
                """, if: offset > 0)<span class="spacer"></span>\("""
                <a class="button" rel="next" href="\(link(from: offset + perPage))">More results →</a>
                """, if: offset + perPage <= lastOffset && results.count > offset + perPage)</nav>
            </div>
            </main>
            """
        // Other sites cannot fill the file, and a full disk costs no search.
        if let clicks = context.clicks, !hits.isEmpty, isOwn, context.clickLimit.take() == nil {
            do {
                try await context.blocking { try clicks.shown(hits.map(\.identifier), query: text) }
            } catch {
                context.report(error)
            }
        }
        return Layout.page(text, body, section: .search)
    }

    /// What is shown in place of hits.
    private static func help(_ query: SearchQuery, _ context: WebContext) async throws -> HTML {
        let best = popular(try await context.overview().best)
        let help = try await context.searching { try NothingFound(query, best: best, in: context.index) }
        return help.markup { ResultMarkup($0, showsPictures: context.pictures != nil).tile }
    }

    /// Where the further hits of a hit's host are, if they stand further down because it has more hits.
    private static func searchForMore(like hit: SearchHit, _ query: SearchQuery) -> (label: String, href: String)? {
        guard hit.furtherOfHost > 0, let host = hit.record["domainIdentifier"]?.string, SearchFilters.isPlain(host)
        else { return nil }
        let link = LocalLink.results(
            of: "\(query.text) site:\(host)", isExact: query.isExact, order: query.order)
        return ("\(Wording.number(hit.furtherOfHost)) more from \(host)", link.description)
    }

    private static func summary(_ results: SearchResults, offset: Int, time: Duration) -> String {
        let milliseconds = Int((time / .milliseconds(1)).rounded(.up))
        let count =
            results.count == 0 && !results.isIndexComplete
            ? "No results yet" : "\(results.isCountExact ? "" : "More than ")\(Wording.count(results.count, "result"))"
        return "\(count)\(offset > 0 ? ", from \(offset + 1) on" : ""), in \(milliseconds) ms."
    }

    private static func markup(
        of hit: SearchHit, query: String, position: Int, isExplained: Bool, more: (label: String, href: String)?,
        _ context: WebContext
    ) -> HTML {
        func rounded(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
        let result = ResultMarkup(hit.record, showsPictures: context.pictures != nil)
        let click: HTML = """
             data-click="\(result.identifier)" data-query="\(query)" data-position="\(position)"
            """
        let explanation: HTML = """
            <details class="explained"><summary>Why it stands here: \(rounded(hit.score))</summary><table><thead><tr>\
            <th scope="col">Part</th><th scope="col">Value</th><th scope="col">From</th></tr></thead><tbody>\(hit.parts.map {
                "<tr><td>\($0.name)</td><td>\(rounded($0.value))</td><td>\($0.detail ?? "")</td></tr>"
            })</tbody></table></details>
            """
        return result.article(
            of: hit, click: context.clicks == nil ? nil : click, more: more,
            explanation: isExplained ? explanation : nil)
    }

    /// The search field.
    private static func field(_ query: String) -> HTML {
        """
        <form class="ask" role="search" action="/" method="get">
        <div class="ask-field">
        <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" \
        aria-hidden="true"><circle cx="10.5" cy="10.5" r="6.5"/><path d="M15.5 15.5 21 21"/></svg>
        <label class="unseen" for="q">Search</label>
        <input id="q" name="q" type="search" value="\(query)" placeholder="Search pages and apps" maxlength="500" \
        autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="search" data-suggest\
        \(" autofocus", if: query.isEmpty)>
        <kbd aria-hidden="true">/</kbd>
        <button type="submit">Search</button>
        </div>
        </form>
        """
    }

    // MARK: Home

    private static func home(_ context: WebContext) async throws -> WebAnswer {
        let overview = try await context.overview()
        let facets = try await context.blocking { try context.index.facets() }
        let groups = SearchFilters(SearchQuery("")).groups(of: facets, in: overview.records)
        let tiles = popular(overview.best).map {
            "<li>\(ResultMarkup($0, showsPictures: context.pictures != nil).tile)</li>\n" as HTML
        }
        let list: HTML =
            tiles.isEmpty
            ? """
            <section class="card nothing"><h2>Nothing to search yet</h2>\
            <p class="dim">No record is in this storage. A crawl fills it: <code>pippin crawl</code>.</p></section>
            """
            : """
            <h2>Popular</h2>
            <ul class="grid">\(tiles)</ul>
            """
        let body: HTML = """
            <main id="content" class="column">
            <div class="home-top">
            <h1>Pippin</h1>
            <p class="lead">What pages are about, and which apps they open.</p>
            \(field(""))
            </div>
            <ul class="numbers"><li><b>\(Wording.number(overview.records))</b> records</li>\
            <li><b>\(Wording.number(overview.hosts))</b> hosts</li><li><b>\(Wording.number(overview.addresses))</b> known addresses</li>\
            \(context.keeper.sentence.map { "<li>\($0)</li>" })</ul>
            \("<nav aria-label=\"Browse\">\(groups)</nav>", if: !groups.isEmpty)
            \(list)
            </main>
            <footer class="foot"><span>Words in quotes stay together; a minus excludes. <code>site:</code> <code>type:</code> \
            <code>lang:</code> <code>has:deeplink</code> <code>rating:&gt;4</code> <code>after:2026-01</code> filter.</span>\
            <a href="/openapi.json">API</a><a href="/metrics">Metrics</a></footer>
            """
        return Layout.page("Pippin", body, section: .search)
    }

    /// How many records the first page shows, and how many of one host.
    private static let shownPopular = 9
    private static let shownOfHost = 2

    private static func popular(_ records: [JSONValue]) -> [JSONValue] {
        var ofHost: [String: Int] = [:]
        return Array(
            records.filter { record in
                let host = record["domainIdentifier"]?.string ?? ""
                ofHost[host, default: 0] += 1
                return record["title"] != nil && ofHost[host, default: 0] <= shownOfHost
            }.prefix(shownPopular))
    }
}

/// The filters of a query as links: each adds itself to the query, or leaves it.
struct SearchFilters {
    private let query: SearchQuery

    private static let shown = 6

    init(_ query: SearchQuery) { self.query = query }

    private static let groups = [
        ("Type", "type"), ("Site", "site"), ("App", "app"), ("Language", "lang"), ("With", "has"), ("Rating", "rating"),
        ("Since", "after"),
    ]

    /// The groups of filters that hits offer, the most frequent first. Values that would not narrow the list are left out.
    ///
    /// - Parameter total: how many hits there are.
    func groups(of facets: SearchFacets, in total: Int) -> [HTML] {
        Self.groups.compactMap { name, key in
            let active = query.filterParts.filter { $0.key == key }
            var chips = active.map {
                chip(label: Self.label($0.key, $0.value), count: nil, query: query.text(without: [$0]))
            }
            if active.isEmpty, let group = facets.groups.first(where: { $0.key == key }) {
                let useful = group.values.filter {
                    $0.count < total && (Self.isPlain($0.value) || key == "rating" || key == "app")
                }
                chips += useful.prefix(Self.shown).map {
                    chip(
                        label: Self.label(key, $0.value),
                        count: "\(Wording.number($0.count))\(facets.isExact ? "" : "+")",
                        query: [query.text(without: []), "\(key):\(Self.quoted($0.value))"]
                            .filter { !$0.isEmpty }.joined(separator: " "))
                }
            }
            guard !chips.isEmpty else { return nil }
            return "<div class=\"chips\"><span class=\"chips-name\">\(name)</span>\(chips)</div>"
        }
    }

    /// Values become parts of a query: only what is one word there.
    static func isPlain(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.count <= 100
            && value.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil || ".-_".unicodeScalars.contains($0)
            }
    }

    /// A name of several words as one value.
    private static func quoted(_ value: String) -> String {
        isPlain(value) || !value.contains(" ") ? value : "\"\(value.filter { $0 != "\"" })\""
    }

    private static func label(_ key: String, _ value: String) -> String {
        switch (key, value.lowercased()) {
        case ("has", "deeplink"): "Opens in an app"
        case ("has", "price"): "Has a price"
        case ("rating", _): value.drop { !$0.isNumber } + " stars and more"
        default: value
        }
    }

    /// - Parameter count: how many records the filter would leave; nil for one that is in the query, which the link leaves out.
    private func chip(label: String, count: String?, query text: String) -> HTML {
        let end: HTML =
            count.map { "<span class=\"n\">\($0)</span>" }
            ?? "<span aria-hidden=\"true\">×</span><span class=\"unseen\"> (remove this filter)</span>"
        return """
            <a class="chip" \
            href="\(LocalLink.results(of: text, isExact: query.isExact, order: query.order).description)"\
            \(" aria-current=\"true\"", if: count == nil)>\
            <span dir="auto">\(label)</span>\(end)</a>
            """
    }
}

extension LocalLink {
    /// The results of a query.
    static func results(
        of text: String, isExact: Bool = false, order: SearchOrder = .relevance, offset: Int = 0,
        isExplained: Bool = false
    ) -> LocalLink {
        LocalLink(
            "/",
            [
                "q": text, "offset": offset == 0 ? nil : "\(offset)", "exact": isExact ? "true" : nil,
                "sort": order == .relevance ? nil : order.rawValue, "explain": isExplained ? "true" : nil,
            ])
    }
}
