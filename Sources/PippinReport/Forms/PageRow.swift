import PippinPage

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
