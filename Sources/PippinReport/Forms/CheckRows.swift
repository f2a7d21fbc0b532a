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
        <h2 id="mend">What to mend</h2>\
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
