// What scripts make of a page, in the forms of its card.

import Foundation
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
                    JSONObject.with {
                        $0["name"] = .string(fact.name)
                        $0["raw"] = fact.raw.map { .string($0) } ?? .null
                        $0["rendered"] = fact.rendered.map { .string($0) } ?? .null
                        guard let difference = fact.difference else { return }
                        $0.put("added", difference.added)
                        $0.put("lost", difference.lost)
                        $0["addedCount"] = .integer(difference.addedCount)
                        $0["lostCount"] = .integer(difference.lostCount)
                    }
                })
            $0["files"] = .integer(rendering.fileCount)
            $0["missing"] = .array(
                rendering.missing.prefix(RenderingEvidence.maximumMissing).map { file in
                    [
                        "url": .string(file.url), "code": .string(file.failure.code), "reason": .string(file.reason),
                        "forbidden": .bool(file.isForbidden),
                    ]
                })
            $0["missingCount"] = .integer(rendering.missing.count)
            $0["errors"] = .array(rendering.errors.map(\.json))
            $0["errorCount"] = .integer(rendering.errorCount)
            $0.put("navigations", rendering.navigations)
        }
    }

    /// What a phone shows of the rendered page, as a picture; nil if there is none.
    public var screenshot: [UInt8]? {
        evidence.rendering.value?.screenshots?.after.flatMap { ImageHeader($0)?.format.isRaster == true ? $0 : nil }
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
                text.wrapped("      ", "\(fact.change?.sign ?? "=") \(fact.name)", first: "  ", "  ")
                text.wrapped("      ", "without: \(fact.raw ?? "–")")
                text.wrapped("      ", "with: \(fact.rendered ?? "–")")
                for (sign, shown, more) in fact.lists {
                    for name in shown { text.wrapped("        ", "\(sign) \(name)", first: "      ", "      ") }
                    if more > 0 { text.line("      \(sign) \(more) more") }
                }
            }
        }
        for address in rendering.navigations {
            text.wrapped("      ", "→ its scripts go to \(address)", first: "  ", "  ")
        }
        if !rendering.missing.isEmpty {
            text.line("")
            text.line(rendering.missingHeading)
            for group in rendering.missingGroups {
                text.wrapped("      ", "\(group.count) × \(group.reason)", first: "  ", "  ")
                for url in group.examples { text.line("      " + Self.cut(url, to: ReportText.columns - 7)) }
            }
        }
        if !rendering.errors.isEmpty {
            text.line("")
            text.line(rendering.errorHeading)
            for error in rendering.errors {
                text.wrapped("      ", "\(error.times)\(error.kind.name): \(error.text)", first: "  ", "  ")
                if let place = error.place { text.line("      at " + Self.cut(place, to: ReportText.columns - 10)) }
            }
        }
    }

    /// An address on one line. Its end says most.
    private static func cut(_ address: String, to maximum: Int) -> String {
        address.count > maximum ? "\(address.prefix(maximum / 2))…\(address.suffix(maximum / 2))" : address
    }

    /// What a crawler sees without scripts, and with them.
    var renderingSection: HTML? {
        guard let rendering = evidence.rendering.value else { return nil }
        let facts = rendering.facts.filter { $0.raw != nil || $0.rendered != nil }
        let rows: [HTML] = facts.map { fact in
            let lists: [HTML] = fact.lists.map { sign, shown, more in
                """
                \(shown.map { "<li>\(sign) \($0)</li>" as HTML })\(#"<li class="dim">\#(sign) \#(more) more</li>"#, if: more > 0)
                """
            }
            return """
                <tr><td>\(fact.name)\(fact.change.map { #"<div class="\#($0.style) small">\#($0.word)</div>"# })</td>\
                <td dir="auto" data-of="Without: ">\(fact.raw ?? "–")</td>\
                <td dir="auto" data-of="With: ">\(fact.rendered ?? "–")\
                \(#"<ul class="marked">\#(lists)</ul>"#, if: !lists.isEmpty)</td></tr>
                """
        }
        return """
            <h2>Without scripts, and with them</h2><section class="card"><p class="said">\(rendering.summary)</p>\
            \(#"<p class="said">Its scripts wanted to go to \#(Wording.list(rendering.navigations)).</p>"#,
               if: !rendering.navigations.isEmpty)\
            <table class="rendering sides">\(HTML.tableHead(["Fact", "Without scripts", "With scripts"]))\
            <tbody>\(rows)</tbody></table></section>\
            \(rendering.screenshots.map(Self.figures))\(missingTable(of: rendering))\(errorTable(of: rendering))
            """
    }

    /// What a phone shows, side by side. The pictures are part of the report, so it never requests one.
    private static func figures(of screenshots: RenderedPage.Screenshots) -> HTML {
        func figure(_ name: String, _ bytes: [UInt8]?) -> HTML {
            let picture: HTML =
                if let bytes, bytes.count <= RenderedPage.Screenshots.maximumBytes,
                    // The browser that took it has run the page's scripts. Whatever it says, only a picture is shown.
                    let format = ImageHeader(bytes)?.format, format.isRaster
                {
                    """
                    <img src="data:\(format.mediaType);base64,\(Data(bytes).base64EncodedString())" \
                    width="\(RenderedPage.Screenshots.width)" height="\(RenderedPage.Screenshots.height)" \
                    alt="The page on a phone, \(name)">
                    """
                } else {
                    #"<p class="dim">The browser took no picture of it.</p>"#
                }
            return "<figure><figcaption>\(name.sentenceStart)</figcaption>\(picture)</figure>"
        }
        return """
            <h2>On a phone, without scripts and with them</h2><section class="card shots">\
            \(figure("without scripts", screenshots.before))\(figure("with scripts", screenshots.after))</section>
            """
    }

    private func missingTable(of rendering: RenderingEvidence) -> HTML? {
        guard !rendering.missing.isEmpty else { return nil }
        let rows: [HTML] = rendering.missingGroups.map { group in
            let files: [HTML] = group.examples.map { "<div><code>\(Self.cut($0, to: 200))</code></div>" }
            let more = group.count - group.examples.count
            return """
                <tr><td>\(group.reason.sentenceStart)<div class="dim">\(Wording.count(group.count, "file"))</div></td>\
                <td dir="auto">\(files)\
                \(#"<div class="dim">and \#(more) more</div>"#, if: more > 0 && !group.examples.isEmpty)</td></tr>
                """
        }
        return """
            <h2>\(rendering.missingHeading)</h2><section class="card"><table class="rendering">\
            \(HTML.tableHead(["Reason", "Addresses"]))<tbody>\(rows)</tbody></table></section>
            """
    }

    private func errorTable(of rendering: RenderingEvidence) -> HTML? {
        guard !rendering.errors.isEmpty else { return nil }
        let rows: [HTML] = rendering.errors.map { error in
            """
            <tr><td>\(error.kind.name)\(#"<div class="dim">\#(error.count) times</div>"#, if: error.count > 1)</td>\
            <td dir="auto">\(error.text)\(error.place.map { #"<div class="dim">\#(Self.cut($0, to: 200))</div>"# })</td></tr>
            """
        }
        return """
            <h2>\(rendering.errorHeading)</h2><section class="card"><table class="rendering">\
            \(HTML.tableHead(["Kind", "What it says"]))<tbody>\(rows)</tbody></table></section>
            """
    }
}

/// What scripts have done to a fact.
private enum FactChange {
    case added, changed, lost

    var sign: String {
        switch self {
        case .added: "+"
        case .changed: "≠"
        case .lost: "−"
        }
    }

    var word: String {
        switch self {
        case .added: "added"
        case .changed: "changed"
        case .lost: "lost"
        }
    }

    var style: String {
        switch self {
        case .added: "pass"
        case .changed: "info"
        case .lost: "error"
        }
    }
}

extension RenderingEvidence.Fact {
    /// nil if nothing.
    fileprivate var change: FactChange? {
        if isEqual { nil } else if isOnlyRendered { .added } else if rendered == nil { .lost } else { .changed }
    }

    /// What was added and what was lost, as far as it is named, each with its sign and the number of more.
    fileprivate var lists: [(sign: String, shown: [String], more: Int)] {
        guard let difference else { return [] }
        return [
            (FactChange.added, difference.added, difference.addedCount),
            (FactChange.lost, difference.lost, difference.lostCount),
        ].filter { $0.2 > 0 }.map { change, names, count in
            (change.sign, names.map { RenderingEvidence.cut($0) }, count - names.count)
        }
    }
}

extension RenderedPage.ScriptError {
    fileprivate var times: String { count > 1 ? "\(count) × " : "" }
}

extension RenderedPage.ScriptError.Kind {
    fileprivate var name: String {
        switch self {
        case .console: "Console"
        case .exception: "Exception"
        case .rejection: "Failed promise"
        }
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

    fileprivate var missingHeading: String {
        "\(Wording.count(missing.count, "file")) that its scripts did not get"
    }

    fileprivate var errorHeading: String {
        let count = errorCount < RenderedPage.maximumErrorCount ? "\(errorCount)" : "\(errorCount) or more"
        let shown = errors.reduce(0) { $0 + $1.count } < errorCount ? "; the first \(errors.count) that differ" : ""
        return "What its scripts say went wrong (\(count)\(shown))"
    }
}
