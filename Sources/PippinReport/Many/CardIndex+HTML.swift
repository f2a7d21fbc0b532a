import PippinPage

// The overview of many report cards as one HTML page without scripts or requests, in the style of the cards that it links to.
//
//     header     how many pages, and what was left out
//     figures    pages by their gravest finding
//     to fix    what is wrong, with examples and remedies: errors first, then what concerns the most pages
//     pages      the gravest first, a thousand; the others on pages of their own

extension CardIndex {
    /// The file of the overview in its folder.
    static let overview = "index.html"
    /// The folder of the cards in that folder.
    static let cardFolder = "pages/"
    /// The name by which a card links to the overview.
    static let name = "All report cards"

    /// The file name of a card: `007-example.org-recipes-apple-tart.html`.
    ///
    /// - Parameter position: of the page in the run, from 0.
    static func fileName(position: Int, of page: NamedCard) -> String {
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
    var html: String {
        ReportStyle.page(
            title: "Report cards: \(headline)", more: ReportStyle.site,
            body: """
                \(header)<main>\(figures)\(CheckRows(rows: checks.map(row)).html)\(pageList)</main>\
                <footer>Written by Pippin. There is no score: what counts is what to fix.</footer>
                """)
    }

    private var header: HTML {
        let heading =
            grades.error > 0
            ? "\(SiteReport.count(grades.error, "page")) of \(Wording.number(count)) with errors"
            : grades.warning > 0
                ? "\(SiteReport.count(grades.warning, "page")) of \(Wording.number(count)) with warnings"
                : "\(SiteReport.count(count, "page")), nothing to fix"
        return """
            <header><p class="eyebrow">Report cards</p><h1>\(heading)</h1>\
            \(audience.map { #"<p class="lead">\#($0)</p>"# })\
            \(treatmentNote.map { #"<p class="lead small">\#($0)</p>"# })</header>
            """
    }

    private var figures: HTML {
        let fine = grades.info + grades.pass
        let figures: [HTML] = [
            .figure(
                Wording.number(count - grades.unknown), "pages judged",
                grades.unknown > 0 ? "\(Wording.number(grades.unknown)) could not be fetched" : "all that were named",
                grades.unknown > 0 ? "warning" : ""),
            .figure(
                Wording.number(grades.error), "with errors", "cannot be indexed, or a link cannot work",
                grades.error > 0 ? "error" : ""),
            .figure(
                Wording.number(grades.warning), "with warnings", "something works badly",
                grades.warning > 0 ? "warning" : ""),
            .figure(
                Wording.number(fine), "in order", "\(Wording.number(grades.info)) of them with advice",
                fine > 0 ? "pass" : ""),
        ]
        return """
            <section class="figures">\(figures)</section><section class="card overall">\
            \(HTML.bar([(grades.error, "e"), (grades.warning, "w"), (fine, "g")], of: count))</section>
            """
    }

    private func row(_ total: Total) -> CheckRows.Row {
        CheckRows.Row(
            check: total.check, pages: total.pages, share: SiteReport.count(total.pages.found, "page"), of: count,
            remedy: total.remedy.map { found in
                Finding.Remedy(
                    UnknownAddress.shown(found.remedy.text), code: found.remedy.code.map(UnknownAddress.shown))
            },
            examples: total.examples.map { example in
                CheckRows.Example(
                    sentence: example.sentence, place: example.place,
                    page: example.file.map { #"<a href="\#(Self.cardFolder + $0)">\#(example.page)</a>"# }
                        ?? "<code>\(example.page)</code>")
            })
    }

    // MARK: Pages

    /// How many pages a part of the list has. Browsers stumble over tables of a hundred thousand rows.
    static let pagesInPart = 1_000

    /// The file name of a part of the list of pages, from the second on: they lie beside the cards, which count from 1.
    static func partName(_ number: Int) -> String { "000-pages-\(number).html" }

    /// The pages, the gravest first: those that could not be fetched, then by errors and warnings; equal ones as they were given.
    private var ordered: [Page] {
        func rank(_ page: Page) -> (Int, Int, Int, Int) {
            (page.trouble == nil ? 1 : 0, -page.counts.error, -page.counts.warning, -page.counts.info)
        }
        return pages.enumerated().sorted { a, b in
            let (first, second) = (rank(a.element), rank(b.element))
            return first == second ? a.offset < b.offset : first < second
        }.map(\.element)
    }

    private var partCount: Int { (pages.count + Self.pagesInPart - 1) / Self.pagesInPart }

    /// The overview has the first part of the list.
    private var pageList: HTML {
        """
        <h2 id="pages">Pages <span class="count">\(Wording.number(count))</span></h2>\
        <p class="say">The gravest first. A title leads to the page's own report card.</p>\
        \(table(ordered.prefix(Self.pagesInPart), cards: Self.cardFolder))\(pager(1))
        """
    }

    /// The other parts of the list, as HTML pages in the folder of the cards. None if the overview has all.
    var furtherParts: [(name: String, html: String)] {
        guard partCount > 1 else { return [] }
        let ordered = ordered
        return (2...partCount).map { number in
            let rows = ordered[((number - 1) * Self.pagesInPart)...].prefix(Self.pagesInPart)
            let html = ReportStyle.page(
                title: "Report cards: pages, part \(number)", more: ReportStyle.site,
                body: """
                    <header><p class="eyebrow"><a href="../\(Self.overview)">\(Self.name)</a></p><h1>Pages \
                    <span class="count">part \(number) of \(partCount)</span></h1></header>\
                    <main>\(table(rows, cards: ""))\(pager(number))</main><footer>Written by Pippin.</footer>
                    """)
            return (Self.partName(number), html)
        }
    }

    private func table(_ pages: ArraySlice<Page>, cards folder: String) -> HTML {
        let rows = pages.map { page in
            PageRow(
                title: page.title ?? (page.trouble == nil ? "Without a title" : "Not judged"),
                card: page.file.map { folder + $0 }, address: page.name,
                counts: page.trouble == nil ? page.counts : nil, failed: page.failed,
                more: page.trouble.map { #"<span class="u warning" dir="auto">\#($0.sentenceStart)</span>"# })
        }
        return #"<section class="card">\#(PageRow.table(rows))</section>"#
    }

    /// Links to the parts before and after this one; nothing if there is one part.
    private func pager(_ number: Int) -> HTML? {
        guard partCount > 1 else { return nil }
        let folder = number == 1 ? Self.cardFolder : ""
        let before: HTML? =
            switch number {
            case 1: nil
            case 2: #"<a href="../\#(Self.overview)#pages">← The pages before</a>"#
            default: #"<a href="\#(Self.partName(number - 1))">← The pages before</a>"#
            }
        let after: HTML? =
            number < partCount ? #"<a href="\#(folder + Self.partName(number + 1))">The next pages →</a>"# : nil
        return #"<p class="pager">\#(before)<span class="spacer"></span>\#(after)</p>"#
    }
}

extension NamedCard {
    /// The page's card as an HTML page in the overview's folder; nil if there is none.
    var html: String? {
        card?.html(partOf: "../" + CardIndex.overview, called: CardIndex.name)
    }
}

extension SiteReportFolder {
    /// Writes the card of a page.
    ///
    /// - Parameter name: from `CardIndex.fileName`.
    func write(card html: String, named name: String) throws {
        try write(Array(html.utf8), to: CardIndex.cardFolder + name)
    }

    /// Writes the overview of many cards, after the cards, and removes the cards of an earlier report.
    func write(_ index: CardIndex) throws {
        let parts = index.furtherParts
        for part in parts { try write(card: part.html, named: part.name) }
        try write(Array(index.html.utf8), to: CardIndex.overview)
        try removeCards(notIn: Set(index.pages.compactMap(\.file) + parts.map(\.name)))
    }
}
