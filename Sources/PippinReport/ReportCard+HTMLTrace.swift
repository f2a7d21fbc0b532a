// How association files were matched, component by component, as HTML.

import PippinPage

extension ReportCard {
    func writeTraces(to page: inout HTMLBuilder) {
        guard !traces.isEmpty else { return }
        page.element("h2", text: "How the association file was matched")
        page.element("section", [("class", "card")]) { page in
            for trace in traces { Self.write(trace, to: &page) }
        }
    }

    private static func write(_ trace: Trace, to page: inout HTMLBuilder) {
        let matching = trace.matching
        let excerpt = TraceExcerpt(matching)
        page.element("div", [("class", "traced")]) { page in
            page.element("p", [("class", "address")]) { $0.element("code", text: matching.url.href) }
            page.element("p", [("class", "small")]) { page in
                let style =
                    switch trace.outcome {
                    case .match: "pass"
                    case .block: "error"
                    case .unset: "warning"
                    }
                page.element("span", [("class", "verdict \(style)")], text: trace.summary.sentenceStart + ".")
                page.element("div", [("class", "dim")], text: "As \(trace.file.href) says")
            }
            for entry in excerpt.entries { write(entry, to: &page) }
            if excerpt.entriesLeftOut > 0 {
                page.element(
                    "p", [("class", "dim small left-out")],
                    text: "\(Wording.count(excerpt.entriesLeftOut, "entry", "entries")) more, without a match.")
            }
        }
    }

    private static func write(_ excerpt: TraceExcerpt.Entry, to page: inout HTMLBuilder) {
        let entry = excerpt.entry
        page.element("div", [("class", "entry")]) { page in
            page.element("p", [("class", "entry-head")]) { page in
                page.element("strong", text: entry.appIDs.isEmpty ? "No app" : Wording.list(entry.appIDs))
                page.element("span", [("class", "dim")], text: " line \(entry.place.line)")
                if let reason = entry.reason { page.element("span", [("class", "dim")], text: ". \(reason)") }
            }
            guard !excerpt.components.isEmpty else { return }
            page.element("ol", [("class", "steps")]) { page in
                for component in excerpt.components { write(component, to: &page) }
                if excerpt.componentsLeftOut > 0 {
                    page.element("li", [("class", "dim")], text: "… and \(excerpt.componentsLeftOut) more")
                }
            }
        }
    }

    private static func write(_ component: AssociationTrace.Component, to page: inout HTMLBuilder) {
        let style =
            switch component.outcome {
            case .matched: "pass"
            case .excluded: "error"
            case .notMatched, .notTried: "unknown"
            }
        page.element("li", [("class", component.outcome == .notTried ? "untried" : "tried")]) { page in
            page.element("span", [("class", "result-word \(style)")], text: component.word)
            page.element("div", [("class", "step")]) { page in
                page.element("code", text: component.pattern)
                page.element("span", [("class", "dim line")], text: "line \(component.place.line)")
                for part in component.parts {
                    page.element("div", [("class", "part dim")]) { page in
                        page.element(
                            "span", [("class", part.isMatched ? "pass" : "error")], text: part.isMatched ? "✓ " : "✗ ")
                        page.text(part.comparison)
                        if let remark = part.remark { page.element("div", [("class", "remark")], text: remark) }
                    }
                }
                for text in [component.reason, component.comment.map { "Comment: \($0)" }] {
                    if let text { page.element("div", [("class", "part dim")], text: text) }
                }
            }
        }
    }
}
