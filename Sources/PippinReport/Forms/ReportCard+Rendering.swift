// What scripts make of a page, in the forms of its card.

import PippinCrawl
import PippinPage

extension ReportCard {
    /// The comparison as JSON.
    static func json(of rendering: RenderingEvidence) -> JSONValue {
        JSONObject.with {
            $0.put("verdict", rendering.verdict.code)
            $0.put("objection", rendering.verdict.objection)
            $0.put("course", rendering.course)
            $0["needed"] = .bool(rendering.need != nil)
            $0["facts"] = .array(
                rendering.facts.map { fact in
                    [
                        "name": .string(fact.name), "raw": fact.raw.map { .string($0) } ?? .null,
                        "rendered": fact.rendered.map { .string($0) } ?? .null,
                    ]
                })
            $0["files"] = .integer(rendering.fileCount)
            $0["missing"] = .array(
                rendering.missing.map { file in
                    ["url": .string(file.url), "reason": .string(file.reason), "forbidden": .bool(file.isForbidden)]
                })
            $0.put("navigations", rendering.navigations)
        }
    }

    /// What a crawler without scripts sees, beside what one with them does.
    func addRendering(to text: inout ReportText) {
        guard let rendering = evidence.rendering.value else { return }
        text.line("")
        text.line("Without scripts, and with them")
        text.wrapped("  ", rendering.summary)
        for fact in rendering.facts where fact.raw != nil || fact.rendered != nil {
            if fact.isEqual {
                text.wrapped("      ", "= \(fact.name): \(fact.raw ?? "")", first: "  ", "  ")
            } else {
                text.wrapped("      ", "\(fact.isOnlyRendered ? "+" : "≠") \(fact.name)", first: "  ", "  ")
                text.wrapped("      ", "without: \(fact.raw ?? "–")")
                text.wrapped("      ", "with: \(fact.rendered ?? "–")")
            }
        }
        for address in rendering.navigations {
            text.wrapped("      ", "→ its scripts go to \(address)", first: "  ", "  ")
        }
    }

    /// What a crawler sees without scripts, and with them.
    var renderingSection: HTML? {
        guard let rendering = evidence.rendering.value else { return nil }
        let facts = rendering.facts.filter { $0.raw != nil || $0.rendered != nil }
        let rows: [HTML] = facts.map { fact in
            """
            <tr><th scope="row">\(fact.name)</th><td dir="auto" class="\(fact.isOnlyRendered ? "dim" : "")">\(fact.raw ?? "–")</td>\
            <td dir="auto">\(fact.rendered ?? "–")</td></tr>
            """
        }
        return """
            <h2>Without scripts, and with them</h2><section class="card items"><p>\(rendering.summary)</p>\
            <table>\(HTML.tableHead(["Fact", "Without scripts", "With scripts"]))<tbody>\(rows)</tbody></table>\
            \("<p>Its scripts wanted to go to \(Wording.list(rendering.navigations)).</p>", if: !rendering.navigations.isEmpty)\
            </section>
            """
    }
}

extension RenderingEvidence {
    /// What comes of it, in one or two sentences.
    var summary: String {
        let difference =
            onlyRendered.isEmpty
            ? "A crawler that runs no scripts sees all of it."
            : "A crawler that runs no scripts does not see: \(namesOfOnlyRendered)."
        let objection = verdict.objection.map { "The page is read as it was fetched: \($0)." }
        return [difference, course ?? objection].compactMap(\.self).joined(separator: " ")
    }
}
