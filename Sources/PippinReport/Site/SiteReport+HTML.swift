import Foundation
import PippinPage

// The report of a whole site as one HTML page that needs no other file: no script, no request. It suits light and dark, phone
// and desktop. It links to cards of single pages, whose file names the program has made.
//
//     header     what was crawled, and the most important result
//     figures    how many pages there are, with deep links, verified, in order
//     to fix    what is wrong, with examples and remedies: errors first, then what affects the most pages
//     hosts      the results of each host
//     usage      how many pages crawlers find, answer from and are trained with (UsageTotals.swift)
//     worst      the pages with the gravest findings
//     deep links pages without deep links, and deep links that no file verifies (from here on in SiteReport+HTMLLists.swift)
//     the way    depth, orphans, broken addresses, seeds
//     twice      pages with the same title, description or content
//     the rest   what was not covered, and why

extension SiteReport {
    /// The most rows of a list on the page. `report.json` has more.
    static let maximumShown = 50
    static let maximumWorst = 25

    /// The report as an HTML page.
    public var html: String {
        ReportStyle.page(
            title: "Site report: \(name)", more: ReportStyle.site,
            body: """
                \(header)<main>\(content)</main><footer>Written by Pippin on \(InternetTime.text(crawl.finishedAt)). \
                report.json has the same for programs, with longer lists. There is no score: what counts is what to fix.</footer>
                """)
    }

    /// The report for a page that has its own frame.
    ///
    /// - Parameters:
    ///   - cardFolder: where the page finds the cards: `/site/pages/`.
    ///   - hostPath: where the hosts are that the page does not show: `/site/hosts`; nil if nowhere.
    public func pieces(cardFolder: String, hostPath: String? = nil) -> PagePieces {
        var report = self
        report.cardFolder = cardFolder
        report.hostPath = hostPath
        return PagePieces(title: "Site report: \(name)", heading: report.header, content: report.content)
    }

    private var content: HTML {
        let toFix = CheckRows(rows: checks.map(row)).html
        let judged: HTML = "\(ending)\(ageNote)\(figures)\(contents)\(toFix)\(hostTable)\(usageSection)\(worstTable)"
        return "\(judged)\(unverifiedList)\(deepLinklessList)\(way)\(brokenList)\(orphanList)\(twiceList)\(coverage)"
    }

    /// What was crawled: the host's name, or the number of hosts.
    private var name: String {
        let names = hosts.filter { $0.pages > 0 }.map(\.host)
        switch names.count {
        case 0: return crawl.seeds.first?.url.host ?? "nothing"
        case 1...3: return Wording.list(names)
        default: return "\(names[0]) and \(Wording.number(names.count - 1)) more hosts"
        }
    }

    // MARK: Head

    private var header: HTML {
        """
        <header><p class="eyebrow">Site report</p><h1>\(headline)</h1><p class="lead">\(name)</p>\
        <p class="lead small">Judged as Applebot would, on \(InternetTime.day(crawl.finishedAt)), from \
        \(Wording.count(crawl.seeds.count, "starting address", "starting addresses")).</p></header>
        """
    }

    /// The most important result, as a sentence.
    private var headline: String {
        guard pages > 0 else { return "No page was read" }
        let all = Self.count(pages, "page")
        if deepLinked == 0 { return "\(all), none leads into an app" }
        if verified == 0, unchecked == deepLinked {
            return "\(all), \(Wording.number(deepLinked)) with deep links"
        }
        if verified == pages {
            return pages == 1 ? "1 page, and it opens in the app" : "\(all), and all open in the app"
        }
        return "\(all), \(verified == 0 ? "none" : Wording.number(verified)) with working deep links"
    }

    private var whoRead: String {
        earlierPages > 0 ? "that it and earlier runs have read" : "it had read"
    }

    private var ending: HTML? {
        let why: String? =
            switch crawl.ending {
            case .interrupted: "The crawl was stopped before its end. What follows is about the pages \(whoRead)."
            case .quietHours: "The crawl rests in quiet hours. What follows is about the pages \(whoRead)."
            case .pageLimit: "The crawl reached its page limit. What follows is about the pages \(whoRead)."
            case .finished where !isComplete:
                "Not all pages that the starting addresses lead to were read: see what was not covered."
            case .finished: nil
            }
        return why.map { #"<p class="banner">\#($0)</p>"# }
    }

    /// How much of the report comes from earlier runs, and how old it is.
    private var ageNote: HTML? {
        guard earlierPages > 0, let oldest else { return nil }
        let now = pages - earlierPages
        let (stand, them) = earlierPages == 1 ? ("stands", "it") : ("stand", "them")
        return """
            <p class="banner">\(
                now == 0 ? "No page was judged in this run: " : "\(Self.count(now, "page")) judged in this run; ")\
            \(Self.count(earlierPages, "page")) \(stand) as earlier runs saw \(them), the oldest of \(InternetTime.day(oldest)). \
            Their dates stand beside them.</p>
            """
    }

    /// When an earlier run has seen something: `seen 2026-11-20`.
    func age(of date: Date, _ word: String) -> HTML? {
        isEarlier(date) ? #"<span class="dim small"> \#(word) \#(InternetTime.day(date))</span>"# : nil
    }

    private var figures: HTML {
        let backedFigure: HTML =
            unchecked == deepLinked && deepLinked > 0
            ? .figure("–", "verified by the site", "association files were not looked at", "unknown")
            : .figure(
                Wording.number(verified), "verified by the site", "an association file says so",
                verified < deepLinked ? "warning" : verified > 0 ? "pass" : "")
        let figures: [HTML] = [
            .figure(Wording.number(pages), "pages read", "\(Wording.number(indexable)) can be in an index"),
            .figure(
                Wording.number(deepLinked), "lead into an app", Self.share(deepLinked, of: pages) + " of the pages",
                deepLinked == 0 ? "error" : ""), backedFigure,
            .figure(
                Wording.number(grades.error), grades.error == 1 ? "page with errors" : "pages with errors",
                "\(Wording.number(grades.warning)) more with warnings", grades.error > 0 ? "error" : "pass"),
        ]
        let parts = [
            (grades.error, "e", "with errors"), (grades.warning, "w", "with warnings"), (inOrder, "g", "in order"),
        ]
        let legend: [HTML] = parts.map { count, style, word in
            #"<span><span class="dot \#(style)"></span><b>\#(Wording.number(count))</b> \#(word)</span>"#
        }
        let overall: HTML = """
            <section class="card overall">\(HTML.bar(parts.map { ($0.0, $0.1) }, of: pages))\
            <div class="legend">\(legend)</div></section>
            """
        return #"<section class="figures">\#(figures)</section>\#(overall, if: pages > 0)"#
    }

    private var contents: HTML {
        let notVerified = unverified.reduce(0) { $0 + $1.count }
        let entries: [(target: String, title: String, count: Int)] = [
            ("#fix", "To fix", checks.count), ("#hosts", "Hosts", hosts.count { $0.pages > 0 }),
            ("#usage", "Who may use them", usage.lines.count), ("#worst", "Worst pages", worst.count),
            ("#unverified", "Links not verified", notVerified),
            ("#without", "Without deep links", withoutDeepLinks.count),
            ("#broken", "Broken addresses", brokenCount), ("#orphans", "Orphans", orphans.count),
            ("#twice", "Said twice", sameTitle.count + sameDescription.count + sameContent.count),
            ("#coverage", "Not covered", notCovered.count),
        ]
        let links: [HTML] = entries.filter { $0.count > 0 }.map { entry in
            #"<a href="\#(entry.target)">\#(entry.title)<span> \#(Wording.number(entry.count))</span></a>"#
        }
        return #"<nav class="contents">\#(links)</nav>"#
    }

    // MARK: Checks

    private func row(_ total: CheckTotal) -> CheckRows.Row {
        CheckRows.Row(
            check: total.check, pages: total.pages,
            share: Self.count(total.pages.found, "page")
                + (hosts.count > 1 ? ", \(Self.count(total.hosts, "host"))" : ""),
            of: max(pages + brokenCount, total.pages.found),
            remedy: total.examples.lazy.compactMap(\.remedy).first,
            examples: total.examples.map { example in
                CheckRows.Example(
                    sentence: example.sentence, place: example.place,
                    page: "\(HTML.link(example.url))\(age(of: example.judgedAt, "judged"))")
            })
    }

    // MARK: Hosts

    private var hostTable: HTML? {
        let shown = hosts.filter { $0.pages > 0 }
        guard !shown.isEmpty else { return nil }
        let more = Self.more(shown.count, shown: Self.maximumShown, "host")
        let linked: HTML? = more.flatMap { _ in
            hostPath.map { path in
                """
                <p class="quiet"><a href="\(path)?offset=\(Self.maximumShown)">And \
                \(Self.count(shown.count - Self.maximumShown, "more host"))</a></p>
                """
            }
        }
        return """
            <h2 id="hosts">Hosts</h2>\(table(of: shown.prefix(Self.maximumShown), more: linked ?? more))
            """
    }

    private func table(of hosts: some Sequence<HostTotal>, more: HTML? = nil) -> HTML {
        """
        <section class="card"><table class="hosts">\
        \(HTML.tableHead(["Host", "Pages", "Errors, warnings, in order", "Into an app", "Verified"]))\
        <tbody>\(hosts.map(row))</tbody></table>\(more)</section>
        """
    }

    /// A page of the list of hosts; nil beyond its end.
    ///
    /// - Parameters:
    ///   - offset: how many hosts stand on the pages before.
    ///   - path: the path of these pages.
    ///   - overview: the path of the report.
    public func hostPieces(from offset: Int, path: String, partOf overview: String) -> PagePieces? {
        let all = hosts.filter { $0.pages > 0 }
        guard all.indices.contains(offset) else { return nil }
        let end = min(offset + Self.maximumShown, all.count)
        let title = "Hosts \(Wording.number(offset + 1)) to \(Wording.number(end)) of \(Wording.number(all.count))"
        return PagePieces(
            title: title,
            heading: """
                <header><p class="eyebrow"><a href="\(overview)">Site report</a></p><h1>\(title)</h1></header>
                """,
            content: """
                \(table(of: all[offset..<end]))<nav class="pager" aria-label="Pages of hosts">\("""
                    <a class="button" rel="prev" href="\(path)?offset=\(max(0, offset - Self.maximumShown))">← Before</a>
                    """, if: offset > 0)<span class="spacer"></span>\("""
                    <a class="button" rel="next" href="\(path)?offset=\(end)">More hosts →</a>
                    """, if: end < all.count)</nav>
                """)
    }

    private func row(_ host: HostTotal) -> HTML {
        let most = host.checks.filter { Check.withID($0.id)?.severity != .info }
            .sorted { ($1.pages, $0.id) < ($0.pages, $1.id) }.prefix(6)
            .map { "\($0.id)×\(Wording.number($0.pages))" }
        let grades = [(host.grades.error, "e"), (host.grades.warning, "w"), (host.inOrder, "g")]
        return """
            <tr><td>\(host.host)\(host.oldest.flatMap { age(of: $0, "oldest page") })\
            <div class="ids-list">\(most.joined(separator: "  "))</div></td>\
            <td class="num" data-of="pages">\(Wording.number(host.pages))</td>\
            <td>\(HTML.bar(grades, of: host.pages))\
            <div class="dim small">\(grades.map { Wording.number($0.0) }.joined(separator: " · "))</div></td>\
            <td class="num" data-of="lead into an app">\(Wording.number(host.deepLinked))</td>\
            <td class="num" data-of="verified">\(Wording.number(host.verified))</td></tr>
            """
    }

    // MARK: Worst pages

    private var worstTable: HTML? {
        guard !worst.isEmpty else { return nil }
        let rows = worst.prefix(Self.maximumWorst).map { entry in
            PageRow(
                title: entry.title ?? "Without a title", card: entry.card.map { cardFolder + $0 },
                address: entry.url, counts: entry.checks, failed: entry.failed,
                more: age(of: entry.judgedAt, "judged"))
        }
        return """
            <h2 id="worst">Worst pages</h2><p class="say">A title leads to the page's own report card.</p>\
            <section class="card">\(PageRow.table(rows))\
            \(Self.more(worst.count, shown: Self.maximumWorst, "page"))</section>
            """
    }

    private static func more(_ count: Int, shown: Int, _ what: String) -> HTML? {
        count > shown ? #"<p class="quiet">And \#(Self.count(count - shown, "more \(what)")).</p>"# : nil
    }

    package static func count(_ value: Int, _ one: String) -> String {
        value == 1 ? "1 \(one)" : "\(Wording.number(value)) \(one)s"
    }

    static func share(_ part: Int, of all: Int) -> String {
        guard all > 0, part > 0 else { return "none" }
        if part == all { return "all" }
        let percent = Int((Double(part) / Double(all) * 100).rounded())
        return "\(min(max(percent, 1), 99)) %"
    }
}
