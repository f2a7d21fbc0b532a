import Foundation
import Hummingbird
import PippinPage
import PippinReport
import PippinStore

/// The page of one record: what it is, its deep links and what became of them, who links to it, every field with its source.
enum RecordPage {
    static let routes: [WebRoute] = [
        .page("/record") { request, context in try await page(request, context) }
    ]

    /// How many changes of deep links are shown, the last ones.
    private static let shownChanges = 30

    private static func page(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        let address = try request.query.text("url", minimum: 1, maximum: WebLimits.urlLength)
        let found = try await FoundRecord.at(address, context)
        let record = found.record
        let result = ResultMarkup(record, showsPictures: context.pictures != nil)
        let page = SafeLink.page(record["url"]?.string)
        let card = page.map { LocalLink("/card", ["url": $0]).description }
        let links = record["deepLinks"]?.array ?? []
        let changes = found.history?.deepLinks ?? []
        let linking = found.linking
        let body: HTML = """
            <header>
            <p class="eyebrow">Record</p>
            <div class="subject">
            \(result.thumbnail(size: 120, isLazy: false))
            <div class="words">
            <h1\(result.language) dir="auto">\(result.name)</h1>
            <p class="lead" dir="auto">\(result.facts.siteLine)</p>
            \(result.factLine)
            </div>
            </div>
            \((record["contentDescription"]?.string ?? record["snippet"]?.string).map {
                "<p class=\"lead about\"\(result.language) dir=\"auto\">\($0)</p>"
            })
            <p class="ways">\(page.map { """
                <a class="button" href="\($0)" rel="noreferrer noopener">Open the page</a>
                """ })\(result.buttons.map { """
                <a class="button" href="\($0.href)" rel="noreferrer noopener">\($0.label)</a>
                """ })\(card.map { "<a class=\"button quiet-button\" href=\"\($0)\">Check this page</a>" })</p>
            </header>
            <main id="content">
            <nav class="contents" aria-label="On this page"><a href="#deep-links">Deep links<span>\(links.count)</span></a>\
            <a href="#history">History<span>\(changes.count)</span></a>\
            <a href="#linked">Linked from<span>\(linking.count)\("+", if: !linking.isComplete)</span></a>\
            <a href="#visits">Visits</a><a href="#fields">Fields</a></nav>

            <h2 id="deep-links">Deep links</h2>
            <section class="card">
            \(table(of: links, record))
            </section>
            \(DeepLinkCode.figure(of: record))

            <h2 id="history">What became of the deep links</h2>
            <section class="card listing"><ul class="plain">
            \(changes.suffix(shownChanges).reversed().map { """
                <li><span class="since">\(moment($0.at))</span> <strong>\($0.name)</strong> \($0.sentence)</li>

                """ })\("""
                <li class="dim">Nothing is known: the storage has no visit with a deep link.</li>
                """, if: changes.isEmpty)
            </ul></section>

            <h2 id="linked">What links here</h2>
            <p class="say">\(sentence(linking, of: record))</p>
            \(list(of: linking), if: !linking.pages.isEmpty)

            <h2 id="visits">How the crawl met it</h2>
            <section class="card listing"><ul class="plain">
            \(visits(found.history).map { "<li>\($0)</li>\n" })</ul></section>

            <h2 id="fields">Every field</h2>
            <section class="card">
            <table>
            <thead><tr><th scope="col">Field</th><th scope="col">Value</th><th scope="col">Source</th></tr></thead>
            <tbody>
            \(rows(of: record))</tbody>
            </table>
            </section>
            <details class="card"><summary>The record as JSON</summary><pre><code>\(record.text(pretty: true))</code></pre></details>
            </main>
            """
        return Layout.page(record["title"]?.string ?? record["url"]?.string ?? "Record", body, section: .search)
    }

    // MARK: Deep links

    private static func table(of links: [JSONValue], _ record: JSONValue) -> HTML {
        guard !links.isEmpty else { return "<p class=\"quiet\">No app opens this page.</p>" }
        return """
            <table class="links">
            <thead><tr><th scope="col">Platform</th><th scope="col">Opens</th><th scope="col">App</th><th scope="col">Source</th>\
            <th scope="col">Verified by the site</th></tr></thead>
            <tbody>
            \(links.map { row(of: $0, record) })</tbody>
            </table>
            """
    }

    private static func row(of link: JSONValue, _ record: JSONValue) -> HTML {
        let url = link["url"]?.string
        let opens: HTML =
            SafeLink.app(link, of: record).map { "<a href=\"\($0)\" rel=\"noreferrer noopener\">\(url ?? "")</a>" }
            ?? url.map {
                """
                <span class="copy"><code>\($0)</code><button class="button" type="button" hidden data-copy="\($0)">Copy</button></span>
                """
            }
            ?? "the app as a whole"
        let names = [
            link["appName"]?.string, link["storeIdentifier"]?.string.map { "App Store ID \($0)" },
            link["bundleIdentifier"]?.string, link["packageName"]?.string,
        ].compactMap(\.self)
        let app =
            link["platform"]?.string == "web"
            ? "the browser" : names.isEmpty ? "not named" : names.joined(separator: ", ")
        let linkedApp: HTML =
            ResultMarkup.storePage(of: link).map { "<a href=\"\($0)\" rel=\"noreferrer noopener\">\(app)</a>" }
            ?? "\(app)"
        let sources = (link["sources"]?.array ?? []).compactMap(\.string)
        let verification = link["verification"]
        let status = verification?["status"]?.string ?? "unchecked"
        return """
            <tr><td>\(link["platform"]?.string.flatMap(Platform.init(rawValue:))?.name ?? "Unknown")</td><td>\(opens)</td>\
            <td>\(linkedApp)</td><td>\(sources.map { "<span class=\"source\">\($0)</span> " })</td>\
            <td><strong class="\(style(of: status))">\(status)</strong>\
            \(verification?["since"]?.string.map { " <span class=\"since\">since \(String($0.prefix(10)))</span>" })\
            <div class="dim">\(meaning(of: verification) ?? "")</div>\
            \(verification?["reason"]?.string.map { "<div class=\"dim\">\($0)</div>" })</td></tr>

            """
    }

    private static func style(of status: String) -> String {
        switch DeepLinkRecord.Verification.Status(rawValue: status) {
        case .verified: "pass"
        case .blocked, .notCovered: "error"
        case .unverifiable, .unchecked, nil: "unknown"
        }
    }

    /// How the association file was matched, as a sentence.
    private static func meaning(of verification: JSONValue?) -> String? {
        let app = verification?["applicationIdentifier"]?.string
        let pattern = verification?["pattern"]?.string
        guard app != nil || pattern != nil else { return nil }
        let subject = app ?? "The association file"
        return pattern.map { "\(subject): the pattern \($0) decides" } ?? subject
    }

    // MARK: History

    private static func moment(_ date: Date) -> String {
        InternetTime.text(date).replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    private static func visits(_ history: URLHistory?) -> [String] {
        guard let history else { return ["The crawl does not know this address any more."] }
        var lines: [String] = []
        let seed = history.seed.map { " from the seed \($0.url.href)" } ?? ""
        switch history.discovery {
        case .seed: lines.append("It was given as a seed.")
        case .outlink:
            let away = Wording.count(history.depth, "link")
            lines.append("It was found \(away) away\(seed.isEmpty ? " from a seed" : seed).")
        case .sitemap: lines.append("It was found in a sitemap or feed\(seed).")
        case .redirect: lines.append("It was found as the target of a redirect\(seed).")
        case .canonical: lines.append("It was found as the canonical URL of another page\(seed).")
        }
        let changed = history.changeCount > 0 ? ", \(history.changeCount) with changes" : ""
        lines.append("\(Wording.count(history.visitCount, "visit"))\(changed).")
        lines += history.visits.suffix(5).reversed().map { "\(moment($0.at)): \($0.outcome)" }
        if let next = history.nextVisit {
            lines.append("The first run after \(moment(next)) visits it again.")
        }
        return lines
    }

    // MARK: Links

    private static func list(of linking: PagesLinkingHere) -> HTML {
        """
        <section class="card listing"><ul class="plain">
        \(linking.pages.map { page in
            let details =
                page.title == nil
                ? SafeLink.page(page.url) ?? "/" : LocalLink("/record", ["url": page.url]).description
            return """
                <li><a href="\(details)" dir="auto">\(page.title ?? page.url)</a><div class="dim">\(page.url)</div></li>

                """
        })</ul></section>
        """
    }

    private static func sentence(_ linking: PagesLinkingHere, of record: JSONValue) -> String {
        var sentence =
            linking.count == 0
            ? "No page of this job links here."
            : "\(Wording.count(linking.count, "page")) of this job \(linking.count == 1 ? "links" : "link") here."
        if let shard = linking.shard {
            sentence += " Only links of pages in shard \(shard.number) were looked at."
        } else if !linking.isComplete {
            sentence += " Only a part of the job's links was looked at."
        }
        if let popularity = record["popularity"]?.text() {
            let isRanked = record["provenance"]?["popularity"]?.string == "link-graph"
            sentence +=
                " Popularity: \(popularity)\(isRanked ? ", by the links of all pages" : ", by what the page says")."
        }
        return sentence
    }

    // MARK: Fields

    private static func rows(of record: JSONValue) -> [HTML] {
        let sources = record["provenance"]?.object
        let members = (record.object?.members ?? []).filter {
            !["schemaVersion", "provenance", "deepLinks"].contains($0.key)
        }
        return members.map { member in
            let source = sources?[member.key == "images" ? "thumbnailURL" : member.key]?.string
            return """
                <tr><td>\(member.key)</td><td><span class="value" dir="auto">\(member.value.readable)</span></td>\
                <td><span class="source">\(source ?? "pippin")</span></td></tr>

                """
        }
    }
}
