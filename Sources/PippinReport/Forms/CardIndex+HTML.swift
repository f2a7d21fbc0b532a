import PippinPage

// The overview of many report cards as one HTML page without scripts or requests, in the style of the cards that it links to.
//
//     header     how many pages, and what was left out
//     figures    pages by their gravest finding
//     to mend    what is wrong, with examples and remedies: errors first, then what concerns the most pages
//     pages      every page, the gravest first

extension CardIndex {
    /// The file of the overview in its folder.
    public static let overview = "index.html"
    /// The folder of the cards in that folder.
    public static let cardFolder = "pages/"
    /// The name by which a card links to the overview.
    static let name = "All report cards"

    /// The file name of a card: `007-example.org-recipes-apple-tart.html`.
    ///
    /// - Parameter position: of the page in the run, from 0.
    public static func fileName(position: Int, of page: NamedCard) -> String {
        guard let card = page.card, card.isAddressKnown else {
            // The name of a file is no address, but its letters make a readable name in the same way.
            let path = page.name.hasPrefix("/") ? page.name : "/" + page.name
            let bytes = path.utf8.flatMap { byte -> [UInt8] in
                "?#%\\".utf8.contains(byte) ? [0x2D] : [byte]
            }
            let url = WebURL(String(decoding: bytes, as: UTF8.self), base: UnknownAddress.url) ?? UnknownAddress.url
            return SiteReport.fileName(rank: position + 1, path: url.path)
        }
        return SiteReport.fileName(rank: position + 1, url: card.url)
    }

    /// The overview as an HTML page.
    public var html: String {
        var page = HTMLBuilder()
        page.literal("<!DOCTYPE html>\n")
        page.element("html", [("lang", "en")]) { page in
            ReportStyle.writeHead(title: "Report cards: \(headline)", more: ReportStyle.site, to: &page)
            page.element("body") { page in
                writeHeader(to: &page)
                page.element("main") { page in
                    writeFigures(to: &page)
                    writeChecks(to: &page)
                    writePages(to: &page)
                }
                page.element("footer", text: "Written by Pippin. There is no score: what counts is what to mend.")
            }
        }
        page.literal("\n")
        return page.html
    }

    private func writeHeader(to page: inout HTMLBuilder) {
        page.element("header") { page in
            page.element("p", [("class", "eyebrow")], text: "Report cards")
            page.element(
                "h1",
                text: grades.error > 0
                    ? "\(SiteReport.count(grades.error, "page")) of \(SiteReport.number(count)) with errors"
                    : grades.warning > 0
                        ? "\(SiteReport.count(grades.warning, "page")) of \(SiteReport.number(count)) with warnings"
                        : "\(SiteReport.count(count, "page")), nothing to mend")
            if let audience { page.element("p", [("class", "lead")], text: audience) }
            if let treatmentNote { page.element("p", [("class", "lead small")], text: treatmentNote) }
        }
    }

    private func writeFigures(to page: inout HTMLBuilder) {
        let fine = grades.info + grades.pass
        page.element("section", [("class", "figures")]) { page in
            SiteReport.figure(
                SiteReport.number(count - grades.unknown), "pages judged",
                grades.unknown > 0 ? "\(SiteReport.number(grades.unknown)) could not be had" : "all that were named",
                grades.unknown > 0 ? "warning" : "", to: &page)
            SiteReport.figure(
                SiteReport.number(grades.error), "with errors", "cannot be indexed, or a link cannot work",
                grades.error > 0 ? "error" : "", to: &page)
            SiteReport.figure(
                SiteReport.number(grades.warning), "with warnings", "something works badly",
                grades.warning > 0 ? "warning" : "", to: &page)
            SiteReport.figure(
                SiteReport.number(fine), "in order", "\(SiteReport.number(grades.info)) of them with advice",
                fine > 0 ? "pass" : "", to: &page)
        }
        page.element("section", [("class", "card overall")]) { page in
            SiteReport.bar(
                [(grades.error, "e"), (grades.warning, "w"), (fine, "g")], of: count, to: &page)
        }
    }

    private func writeChecks(to page: inout HTMLBuilder) {
        let rows = checks.map { total in
            CheckRows.Row(
                check: total.check, outcome: total.outcome, share: SiteReport.count(total.pageCount, "page"),
                errors: total.pages.error, warnings: total.pages.warning, advice: total.pages.info, of: count,
                remedy: total.remedy.map { found in
                    Finding.Remedy(
                        UnknownAddress.shown(found.remedy.text), code: found.remedy.code.map(UnknownAddress.shown))
                },
                examples: total.examples.map { example in
                    CheckRows.Example(sentence: example.sentence, place: example.place) {
                        Self.link(example.page, to: example.file, &$0)
                    }
                }, hasAll: total.examples.count >= total.pageCount)
        }
        CheckRows(rows: rows).write(to: &page)
    }

    private func writePages(to page: inout HTMLBuilder) {
        page.element("h2", [("id", "pages")]) { page in
            page.text("Pages ")
            page.element("span", [("class", "count")], text: SiteReport.number(count))
        }
        page.element("p", [("class", "say")], text: "The gravest first. A title leads to the page's own report card.")
        // Those that could not be had, then by errors and warnings; equal ones as they were given.
        let ordered = pages.enumerated().sorted { a, b in
            func rank(_ page: Page) -> (Int, Int, Int, Int) {
                (page.trouble == nil ? 1 : 0, -page.counts.error, -page.counts.warning, -page.counts.info)
            }
            let (first, second) = (rank(a.element), rank(b.element))
            return first == second ? a.offset < b.offset : first < second
        }
        page.element("section", [("class", "card")]) { page in
            page.element("table", [("class", "pages")]) { page in
                SiteReport.writeHead(["Page", "Errors", "Warnings", "Checks"], to: &page)
                page.element("tbody") { page in
                    for (_, entry) in ordered { Self.write(entry, to: &page) }
                }
            }
        }
    }

    private static func write(_ entry: Page, to page: inout HTMLBuilder) {
        page.element("tr") { page in
            page.element("td") { page in
                let title = entry.title ?? (entry.trouble == nil ? "Without a title" : "Not judged")
                if let file = entry.file {
                    page.element(
                        "a", [("class", "t"), ("dir", "auto"), ("href", cardFolder + file)], text: title)
                } else {
                    page.element("span", [("class", "t"), ("dir", "auto")], text: title)
                }
                page.element("span", [("class", "u")], text: entry.name)
                if let trouble = entry.trouble {
                    page.element("span", [("class", "u warning"), ("dir", "auto")], text: trouble.sentenceStart)
                }
            }
            for (count, style, word) in [
                (entry.counts.error, "error", "error"), (entry.counts.warning, "warning", "warning"),
            ] {
                page.element(
                    "td",
                    [
                        ("class", "num \(count > 0 && entry.trouble == nil ? style : "dim")"),
                        ("data-of", count == 1 ? word : word + "s"),
                    ],
                    text: entry.trouble == nil ? SiteReport.number(count) : "–")
            }
            page.element(
                "td", [("class", "ids-list")],
                text: entry.failed.prefix(12).joined(separator: " ") + (entry.failed.count > 12 ? " …" : ""))
        }
    }

    private static func link(_ name: String, to file: String?, _ page: inout HTMLBuilder) {
        if let file {
            page.element("a", [("href", cardFolder + file)], text: name)
        } else {
            page.element("code", text: name)
        }
    }
}

extension NamedCard {
    /// The page's card as an HTML page in the overview's folder; nil if there is none.
    public var html: String? {
        card?.html(partOf: "../" + CardIndex.overview, called: CardIndex.name)
    }
}
