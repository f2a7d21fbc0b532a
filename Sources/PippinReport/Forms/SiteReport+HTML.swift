import Foundation
import PippinPage

// The report of a whole site as one HTML page that needs no other file: no script, no request. It suits light and dark, phone
// and desktop. It links to cards of single pages, whose file names the program has made.
//
//     header     what was crawled, and the most important result
//     figures    how many pages there are, with deep links, verified, in order
//     to mend    what is wrong, with examples and remedies: errors first, then what affects the most pages
//     hosts      the results of each host
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
        var page = HTMLBuilder()
        page.literal("<!DOCTYPE html>\n")
        page.element("html", [("lang", "en")]) { page in
            ReportStyle.writeHead(title: "Site report: \(name)", more: ReportStyle.site, to: &page)
            page.element("body") { page in
                writeHeader(to: &page)
                page.element("main") { writeContent(to: &$0) }
                page.element("footer") { page in
                    page.text("Written by Pippin on \(InternetTime.text(crawl.finishedAt)). ")
                    page.text(
                        "report.json has the same for programs, with longer lists. There is no score: what counts is what to mend."
                    )
                }
            }
        }
        page.literal("\n")
        return page.html
    }

    /// The report for a page that has its own frame.
    ///
    /// - Parameter cardFolder: where the page finds the cards: `/site/pages/`.
    public func pieces(cardFolder: String) -> PagePieces {
        var report = self
        report.cardFolder = cardFolder
        var (heading, content) = (HTMLBuilder(), HTMLBuilder())
        report.writeHeader(to: &heading)
        report.writeContent(to: &content)
        return PagePieces(title: "Site report: \(name)", heading: heading.html, content: content.html)
    }

    private func writeContent(to page: inout HTMLBuilder) {
        writeEnding(to: &page)
        writeAge(to: &page)
        writeFigures(to: &page)
        writeContents(to: &page)
        writeChecks(to: &page)
        writeHosts(to: &page)
        writeWorst(to: &page)
        writeBacking(to: &page)
        writeDeepLinkless(to: &page)
        writeWay(to: &page)
        writeBroken(to: &page)
        writeOrphans(to: &page)
        writeTwice(to: &page)
        writeCoverage(to: &page)
    }

    /// What was crawled: the host's name, or the number of hosts.
    private var name: String {
        let names = hosts.filter { $0.pages > 0 }.map(\.host)
        switch names.count {
        case 0: return crawl.seeds.first?.url.host ?? "nothing"
        case 1...3: return Wording.list(names)
        default: return "\(names[0]) and \(Self.number(names.count - 1)) more hosts"
        }
    }

    // MARK: Head

    private func writeHeader(to page: inout HTMLBuilder) {
        page.element("header") { page in
            page.element("p", [("class", "eyebrow")], text: "Site report")
            page.element("h1", text: headline)
            page.element("p", [("class", "lead")], text: name)
            page.element(
                "p", [("class", "lead small")],
                text: "Judged as Applebot would, on \(InternetTime.text(crawl.finishedAt).prefix(10)), from "
                    + Wording.count(crawl.seeds.count, "starting address", "starting addresses") + ".")
        }
    }

    /// The most important result, as a sentence.
    private var headline: String {
        guard pages > 0 else { return "No page was read" }
        let all = Self.count(pages, "page")
        if deepLinked == 0 { return "\(all), none leads into an app" }
        if backed == 0, unchecked == deepLinked {
            return "\(all), \(Self.number(deepLinked)) with deep links"
        }
        if backed == pages { return pages == 1 ? "1 page, and it opens in the app" : "\(all), and all open in the app" }
        return "\(all), \(backed == 0 ? "none" : Self.number(backed)) with working deep links"
    }

    private var whoRead: String {
        earlierPages > 0 ? "that it and earlier runs have read" : "it had read"
    }

    private func writeEnding(to page: inout HTMLBuilder) {
        let why: String? =
            switch crawl.ending {
            case .interrupted: "The crawl was stopped before its end. What follows is about the pages \(whoRead)."
            case .quietHours: "The crawl rests in quiet hours. What follows is about the pages \(whoRead)."
            case .pageLimit: "The crawl reached its page limit. What follows is about the pages \(whoRead)."
            case .finished where !isComplete:
                "Not all pages that the starting addresses lead to were read: see what was not covered."
            case .finished: nil
            }
        if let why { page.element("p", [("class", "banner")], text: why) }
    }

    /// Says how much of the report comes from earlier runs, and how old it is.
    private func writeAge(to page: inout HTMLBuilder) {
        guard earlierPages > 0, let oldest else { return }
        let now = pages - earlierPages
        page.element(
            "p", [("class", "banner")],
            text: (now == 0 ? "No page was judged in this run: " : "\(Self.count(now, "page")) judged in this run; ")
                + "\(Self.count(earlierPages, "page")) stand\(earlierPages == 1 ? "s" : "") as earlier runs saw "
                + "\(earlierPages == 1 ? "it" : "them"), the oldest of \(Self.day(oldest)). Their dates stand beside them."
        )
    }

    static func day(_ date: Date) -> String { String(InternetTime.text(date).prefix(10)) }

    /// Says when an earlier run has seen something: `seen 2026-11-20`.
    func writeAge(of date: Date, _ word: String, to page: inout HTMLBuilder) {
        guard isEarlier(date) else { return }
        page.element("span", [("class", "dim small")], text: " \(word) \(Self.day(date))")
    }

    private func writeFigures(to page: inout HTMLBuilder) {
        page.element("section", [("class", "figures")]) { page in
            Self.figure(Self.number(pages), "pages read", "\(Self.number(indexable)) can be in an index", "", to: &page)
            Self.figure(
                Self.number(deepLinked), "lead into an app", Self.share(deepLinked, of: pages) + " of the pages",
                deepLinked == 0 ? "error" : "", to: &page)
            if unchecked == deepLinked, deepLinked > 0 {
                Self.figure("–", "backed by the site", "association files were not looked at", "unknown", to: &page)
            } else {
                Self.figure(
                    Self.number(backed), "backed by the site", "an association file says so",
                    backed < deepLinked ? "warning" : backed > 0 ? "pass" : "", to: &page)
            }
            Self.figure(
                Self.number(grades.error), grades.error == 1 ? "page with errors" : "pages with errors",
                "\(Self.number(grades.warning)) more with warnings", grades.error > 0 ? "error" : "pass", to: &page)
        }
        guard pages > 0 else { return }
        page.element("section", [("class", "card overall")]) { page in
            Self.bar([(grades.error, "e"), (grades.warning, "w"), (inOrder, "g")], of: pages, to: &page)
            page.element("div", [("class", "legend")]) { page in
                for (count, style, word) in [
                    (grades.error, "dot e", "with errors"), (grades.warning, "dot w", "with warnings"),
                    (inOrder, "dot g", "in order"),
                ] {
                    page.element("span") { page in
                        page.element("span", [("class", style)])
                        page.element("b", text: Self.number(count))
                        page.text(" " + word)
                    }
                }
            }
        }
    }

    static func figure(
        _ number: String, _ what: String, _ more: String, _ style: String, to page: inout HTMLBuilder
    ) {
        page.element("div", [("class", "card figure")]) { page in
            page.element("div", [("class", "number \(style)")], text: number)
            page.element("h3", text: what)
            page.element("p", [("class", "dim small")], text: more)
        }
    }

    private func writeContents(to page: inout HTMLBuilder) {
        let notBacked = backing.reduce(0) { $0 + $1.count }
        let entries: [(String, String, Int)] = [
            ("#mend", "To mend", checks.count), ("#hosts", "Hosts", hosts.count { $0.pages > 0 }),
            ("#worst", "Worst pages", worst.count),
            ("#backing", "Links not backed", notBacked), ("#without", "Without deep links", withoutDeepLinks.count),
            ("#broken", "Broken addresses", brokenCount), ("#orphans", "Orphans", orphans.count),
            ("#twice", "Said twice", sameTitle.count + sameDescription.count + sameContent.count),
            ("#coverage", "Not covered", notCovered.count),
        ]
        page.element("nav", [("class", "contents")]) { page in
            for (target, title, count) in entries where count > 0 {
                page.element("a", [("href", target)]) { page in
                    page.text(title)
                    page.element("span", text: " " + Self.number(count))
                }
            }
        }
    }

    // MARK: Checks

    private func writeChecks(to page: inout HTMLBuilder) {
        let rows = checks.map { total in
            CheckRows.Row(
                check: total.check, outcome: total.outcome,
                share: Self.count(total.pages.all, "page")
                    + (hosts.count > 1 ? ", \(Self.count(total.hosts, "host"))" : ""),
                errors: total.pages.error, warnings: total.pages.warning, advice: total.pages.info,
                of: max(pages + brokenCount, total.pages.all),
                remedy: total.examples.lazy.compactMap(\.remedy).first,
                examples: total.examples.map { example in
                    CheckRows.Example(sentence: example.sentence, place: example.place) {
                        Self.link(example.url, to: &$0)
                        writeAge(of: example.judgedAt, "judged", to: &$0)
                    }
                }, hasAll: total.examples.count >= total.pages.all)
        }
        CheckRows(rows: rows).write(to: &page)
    }

    // MARK: Hosts

    private func writeHosts(to page: inout HTMLBuilder) {
        let shown = hosts.filter { $0.pages > 0 }
        guard !shown.isEmpty else { return }
        page.element("h2", [("id", "hosts")], text: "Hosts")
        page.element("section", [("class", "card")]) { page in
            page.element("table", [("class", "hosts")]) { page in
                Self.writeHead(["Host", "Pages", "Errors, warnings, in order", "Into an app", "Backed"], to: &page)
                page.element("tbody") { page in
                    for host in shown.prefix(Self.maximumShown) {
                        page.element("tr") { page in
                            page.element("td") { page in
                                page.text(host.host)
                                if let oldest = host.oldest { writeAge(of: oldest, "oldest page", to: &page) }
                                let most = host.checks.filter { Check.withID($0.id)?.severity != .info }
                                    .sorted { ($1.pages, $0.id) < ($0.pages, $1.id) }.prefix(6)
                                page.element(
                                    "div", [("class", "ids-list")],
                                    text: most.map { "\($0.id)×\(Self.number($0.pages))" }.joined(separator: "  "))
                            }
                            page.element("td", [("class", "num"), ("data-of", "pages")], text: Self.number(host.pages))
                            page.element("td") { page in
                                Self.bar(
                                    [(host.grades.error, "e"), (host.grades.warning, "w"), (host.inOrder, "g")],
                                    of: host.pages, to: &page)
                                page.element(
                                    "div", [("class", "dim small")],
                                    text:
                                        "\(Self.number(host.grades.error)) · \(Self.number(host.grades.warning)) · \(Self.number(host.inOrder))"
                                )
                            }
                            page.element(
                                "td", [("class", "num"), ("data-of", "lead into an app")],
                                text: Self.number(host.deepLinked))
                            page.element(
                                "td", [("class", "num"), ("data-of", "backed")], text: Self.number(host.backed))
                        }
                    }
                }
            }
            Self.more(shown.count, shown: Self.maximumShown, "host", to: &page)
        }
    }

    // MARK: Worst pages

    private func writeWorst(to page: inout HTMLBuilder) {
        guard !worst.isEmpty else { return }
        page.element("h2", [("id", "worst")], text: "Worst pages")
        page.element("p", [("class", "say")], text: "A title leads to the page's own report card.")
        page.element("section", [("class", "card")]) { page in
            page.element("table", [("class", "pages")]) { page in
                Self.writeHead(["Page", "Errors", "Warnings", "Checks"], to: &page)
                page.element("tbody") { page in
                    for entry in worst.prefix(Self.maximumWorst) {
                        page.element("tr") { page in
                            page.element("td") { page in
                                let title = entry.title ?? "Without a title"
                                if let card = entry.card {
                                    page.element(
                                        "a", [("class", "t"), ("dir", "auto"), ("href", "\(cardFolder)\(card)")],
                                        text: title)
                                } else {
                                    page.element("span", [("class", "t"), ("dir", "auto")], text: title)
                                }
                                page.element("span", [("class", "u")], text: entry.url)
                                writeAge(of: entry.judgedAt, "judged", to: &page)
                            }
                            page.element(
                                "td",
                                [("class", "num \(entry.checks.error > 0 ? "error" : "dim")"), ("data-of", "errors")],
                                text: Self.number(entry.checks.error))
                            page.element(
                                "td",
                                [
                                    ("class", "num \(entry.checks.warning > 0 ? "warning" : "dim")"),
                                    ("data-of", "warnings"),
                                ],
                                text: Self.number(entry.checks.warning))
                            page.element(
                                "td", [("class", "ids-list")],
                                text: entry.failed.prefix(12).joined(separator: " ")
                                    + (entry.failed.count > 12 ? " …" : ""))
                        }
                    }
                }
            }
            Self.more(worst.count, shown: Self.maximumWorst, "page", to: &page)
        }
    }
}

// The building blocks of a site's HTML report.

extension SiteReport {
    package static func writeHead(_ titles: [String], to page: inout HTMLBuilder) {
        page.element("thead") { page in
            page.element("tr") { page in
                for title in titles { page.element("th", [("scope", "col")], text: title) }
            }
        }
    }

    /// A bar of several parts. Their widths are classes, because served pages allow no styles in attributes.
    package static func bar(_ parts: [(Int, String)], of all: Int, to page: inout HTMLBuilder) {
        page.element("div", [("class", "bar")]) { page in
            for (count, style) in parts where count > 0 {
                let percent = min(Int((Double(count) / Double(max(all, 1)) * 100).rounded()), 100)
                page.element("i", [("class", "\(style) w\(percent)")])
            }
        }
    }

    /// An address of the crawl. It is a link only if it is an http or https URL.
    static func link(_ url: String, to page: inout HTMLBuilder) {
        if url.hasPrefix("https://") || url.hasPrefix("http://") {
            page.element("a", [("href", url), ("rel", "noreferrer noopener")], text: url)
        } else {
            page.element("code", text: url)
        }
    }

    static func more(_ count: Int, shown: Int, _ what: String, to page: inout HTMLBuilder) {
        guard count > shown else { return }
        page.element("p", [("class", "quiet")], text: "And \(Self.count(count - shown, "more \(what)")).")
    }

    static func number(_ value: Int) -> String { Wording.number(value) }

    static func count(_ value: Int, _ one: String) -> String {
        value == 1 ? "1 \(one)" : "\(number(value)) \(one)s"
    }

    static func share(_ part: Int, of all: Int) -> String {
        guard all > 0, part > 0 else { return "none" }
        if part == all { return "all" }
        let percent = Int((Double(part) / Double(all) * 100).rounded())
        return "\(min(max(percent, 1), 99)) %"
    }
}

extension Check {
    static func withID(_ id: String) -> Check? { index[id].map { all[$0] } }
}
