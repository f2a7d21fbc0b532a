import PippinPage

/// What is wrong on many pages: a row for each check, which opens. The report of a site and the overview of many cards have it.
struct CheckRows {
    struct Row {
        let check: Check
        let pages: ReportCard.Counts
        /// How many pages: `12 pages, 2 hosts`.
        let share: String
        /// The number of pages that the bar stands for.
        let of: Int
        let remedy: Finding.Remedy?
        let examples: [Example]
    }

    struct Example {
        let sentence: String
        let place: Finding.Place?
        /// Which page it is.
        let page: HTML
    }

    let rows: [Row]

    var html: HTML {
        """
        <h2 id="fix">What to fix</h2>\
        <p class="say">What is wrong, and where: errors first, then warnings, then advice. Each row opens.</p>\
        <section class="card">\
        \(#"<p class="quiet">Nothing. Everything that could be seen is in order.</p>"#, if: rows.isEmpty)\
        \(rows.map(\.html))</section>
        """
    }
}

extension CheckRows.Row {
    fileprivate var html: HTML {
        let bar = HTML.bar([(pages.error, "e"), (pages.warning, "w"), (pages.info, "b")], of: of)
        return """
            <details class="row"><summary><span class="badge \(pages.gravest.rawValue)">\(pages.gravest.word)</span>\
            <span class="name">\(check.problem)\
            \(examples.first.map { #"<small dir="auto">\#($0.sentence)</small>"# })</span>\
            <span class="share">\(share)\(bar)</span><span class="id">\(check.id)</span></summary>\
            <div class="inside"><p class="dim">\(check.wanted)</p>\
            \(remedy.map { #"<p class="do">\#($0.text)</p>"# })\
            \(remedy?.code.map { #"<pre><code dir="auto">\#($0)</code></pre>"# })\
            <h4>\(examples.count >= pages.found ? "Where" : "Examples")</h4>\
            <ul class="plain">\(examples.map(\.html))</ul></div></details>
            """
    }
}

extension CheckRows.Example {
    fileprivate var html: HTML {
        let place = place.flatMap { $0.source == .fetch ? nil : $0.description.sentenceStart }
        return """
            <li>\(page)<div class="dim" dir="auto">\(sentence)</div>\
            \(place.map { #"<div class="dim">\#($0)</div>"# })</li>
            """
    }
}

/// A page in a list of the worst or of all pages, with its findings in numbers.
struct PageRow {
    let title: String
    /// Where the page's card is; nil if it has none.
    let card: String?
    let address: String
    /// nil if the page was not judged.
    let counts: ReportCard.Counts?
    /// The identifiers of checks with errors and warnings.
    let failed: [String]
    /// What else is known of the page.
    let more: HTML?

    static func table(_ rows: [PageRow]) -> HTML {
        #"<table class="pages">\#(HTML.tableHead(["Page", "Errors", "Warnings", "Checks"]))<tbody>\#(rows.map(\.html))</tbody></table>"#
    }

    private var html: HTML {
        let name: HTML =
            card.map { #"<a class="t" dir="auto" href="\#($0)">\#(title)</a>"# }
            ?? #"<span class="t" dir="auto">\#(title)</span>"#
        let numbers: [HTML] = [(counts?.error, "error"), (counts?.warning, "warning")].map { count, word in
            """
            <td class="num \(count ?? 0 > 0 ? word : "dim")" data-of="\(count == 1 ? word : word + "s")">\
            \(count.map(Wording.number) ?? "–")</td>
            """
        }
        return """
            <tr><td>\(name)<span class="u">\(address)</span>\(more)</td>\(numbers)<td class="ids-list">\
            \(failed.prefix(12).joined(separator: " "))\(" …", if: failed.count > 12)</td></tr>
            """
    }
}
