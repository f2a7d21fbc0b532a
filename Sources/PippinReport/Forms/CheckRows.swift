/// What is wrong on many pages: a row for each check, which opens. The report of a site and the overview of many cards have it.
struct CheckRows {
    struct Row {
        let check: Check
        let outcome: Finding.Outcome
        /// How many pages: `12 pages, 2 hosts`.
        let share: String
        let errors: Int
        let warnings: Int
        let advice: Int
        /// The number of pages that the bar stands for.
        let of: Int
        let remedy: Finding.Remedy?
        let examples: [Example]
        /// Whether the examples are all that there is.
        let hasAll: Bool
    }

    struct Example {
        let sentence: String
        let place: Finding.Place?
        /// Writes which page it is.
        let writePage: (inout HTMLBuilder) -> Void
    }

    let rows: [Row]

    func write(to page: inout HTMLBuilder) {
        page.element("h2", [("id", "mend")], text: "What to mend")
        page.element(
            "p", [("class", "say")],
            text: "What is wrong, and where: errors first, then warnings, then advice. Each row opens.")
        page.element("section", [("class", "card")]) { page in
            if rows.isEmpty {
                page.element("p", [("class", "quiet")], text: "Nothing. Everything that could be seen is in order.")
            }
            for row in rows { row.write(to: &page) }
        }
    }
}

extension CheckRows.Row {
    fileprivate func write(to page: inout HTMLBuilder) {
        page.element("details", [("class", "row")]) { page in
            page.element("summary") { page in
                page.element("span", [("class", "badge \(outcome.rawValue)")], text: outcome.word)
                page.element("span", [("class", "name")]) { page in
                    page.text(check.problem)
                    if let first = examples.first {
                        page.element("small", [("dir", "auto")], text: first.sentence)
                    }
                }
                page.element("span", [("class", "share")]) { page in
                    page.text(share)
                    SiteReport.bar([(errors, "e"), (warnings, "w"), (advice, "b")], of: of, to: &page)
                }
                page.element("span", [("class", "id")], text: check.id)
            }
            page.element("div", [("class", "inside")]) { writeInside(to: &$0) }
        }
    }

    private func writeInside(to page: inout HTMLBuilder) {
        page.element("p", [("class", "dim")], text: check.wanted)
        if let remedy {
            page.element("p", [("class", "do")], text: remedy.text)
            if let code = remedy.code {
                page.element("pre") { $0.element("code", [("dir", "auto")], text: code) }
            }
        }
        page.element("h4", text: hasAll ? "Where" : "Examples")
        page.element("ul", [("class", "plain")]) { page in
            for example in examples {
                page.element("li") { page in
                    example.writePage(&page)
                    page.element("div", [("class", "dim"), ("dir", "auto")], text: example.sentence)
                    if let place = example.place, place.source != .fetch {
                        page.element("div", [("class", "dim")], text: place.description.sentenceStart)
                    }
                }
            }
        }
    }
}
