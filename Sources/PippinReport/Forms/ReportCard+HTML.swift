// The report card as one HTML page that needs no other file: no script, no request. It suits light and dark, phone and
// desktop.
//
//     header     the page, and the verdict of each group
//     preview    the search result, and the page as shared (ReportCard+HTMLPreview.swift)
//     findings   the gravest first, each with its line and its remedy
//     items      the structured data as a tree
//     usage      who may use the page, and for what (ReportCard+Usage.swift)
//     deep links every way into an app, and how the association file was matched, step by step
//     record     every value with its source
//     the rest   what is in order, and what could not be seen

import PippinPage

extension ReportCard {
    /// The card as an HTML page of its own.
    public var html: String { html(partOf: nil) }

    /// The card as an HTML page.
    ///
    /// - Parameters:
    ///   - overview: path of the report that the card is part of, relative to the card; nil if it is part of none.
    ///   - title: the name of that report.
    public func html(partOf overview: String?, called title: String = "Site report") -> String {
        let sections = sections(partOf: overview, called: title)
        return shown(
            ReportStyle.page(
                title: "Report card: \(name)", more: ReportStyle.card,
                body: "\(sections.header)<main>\(content(sections))</main>\(sections.footer)"))
    }

    /// The card for a page that has its own frame.
    ///
    /// - Parameter overview: path of the report that the card is part of; nil if it is part of none.
    public func pieces(partOf overview: String? = nil) -> PagePieces {
        let sections = sections(partOf: overview)
        var heading = sections.header.html
        if keptSections != nil, let overview {
            // A job keeps the heading as markup, with a link that fits the report's folder.
            heading.replace("<a href=\"\(Self.overviewOfSite)\">", with: "<a href=\"\(overview)\">")
        }
        return PagePieces(
            title: shown("Report card: \(name)"), heading: HTML(kept: shown(heading)),
            content: HTML(kept: shown(content(sections).html)))
    }

    /// The sections of a page that was read.
    func sections(partOf overview: String?, called title: String = "Site report") -> Sections {
        if let keptSections { return keptSections }
        return Sections(
            header: header(partOf: overview, called: title), preview: preview,
            details: "\(usageTable)\(deepLinkTable)\(traceList)\(recordTable)", footer: footer)
    }

    /// The path of a site's overview, relative to the cards.
    static let overviewOfSite = "../index.html"

    private func content(_ sections: Sections) -> HTML {
        "\(tiles)\(sections.preview)\(findingList)\(renderingSection)\(itemList)\(sections.details)\(rest)"
    }

    var footer: HTML {
        """
        <footer>Written by Pippin. \
        \(record.map { "The page was read on \(InternetTime.text($0.fetchedAt)). " })\
        There is no score: what counts is what to fix.</footer>
        """
    }

    // MARK: Head

    func header(partOf overview: String?, called title: String) -> HTML {
        let address: HTML =
            url.isHTTP && isAddressKnown
            ? #"<a href="\#(url.href)" rel="noreferrer noopener">\#(url.href)</a>"# : "\(Self.unknownAddressNote)"
        return """
            <header><p class="eyebrow">\(overview.map { #"<a href="\#($0)">\#(title)</a> › "# })Report card</p>\
            <h1 dir="auto">\(record?.title ?? (isAddressKnown ? url.host : nil) ?? "A page without a title")</h1>\
            <p class="lead">\(address)</p><p class="lead small">\(audience)</p>\
            \(treatmentNote.map { #"<p class="lead small">\#($0)</p>"# })</header>
            """
    }

    private var tiles: HTML {
        let tiles: [HTML] = judgedGroups.map { group in
            let counts = counts(of: group)
            return """
                <div class="card tile"><h3>\(group.title)</h3>\
                <p class="verdict \(counts.verdict.rawValue)">\(Self.headline(of: counts))</p>\
                <p class="dim small">\(Self.remainder(of: counts))</p></div>
                """
        }
        return #"<section class="tiles">\#(tiles)</section>"#
    }

    private static func headline(of counts: Counts) -> String {
        switch counts.verdict {
        case .error: Wording.count(counts.error, "error")
        case .warning: Wording.count(counts.warning, "warning")
        case .unknown: "Not seen"
        default: "In order"
        }
    }

    private static func remainder(of counts: Counts) -> String {
        var parts: [String] = []
        if counts.error > 0, counts.warning > 0 { parts.append(Wording.count(counts.warning, "warning")) }
        if counts.info > 0 { parts.append("\(counts.info) advice") }
        if counts.pass > 0 { parts.append("\(counts.pass) in order") }
        if counts.unknown > 0 { parts.append("\(counts.unknown) not seen") }
        return parts.joined(separator: ", ")
    }

    // MARK: Findings

    private var findingList: HTML {
        let found = findingsBySeverity.filter { $0.outcome >= .info }
        return """
            <h2>What to fix</h2><section class="card">\
            \(#"<p class="quiet">Nothing. Everything that could be seen is in order.</p>"#, if: found.isEmpty)\
            \(found.map(article))</section>
            """
    }

    private func article(of finding: Finding) -> HTML {
        """
        <article class="finding"><div class="head"><span class="badge \(finding.outcome.rawValue)">\(finding.outcome.word)</span>\
        \(#"<span class="badge unknown">Known</span>"#, if: finding.isKnown)\
        <span class="wanted">\(finding.check.problem)</span><span class="id">\(link(to: finding.check))</span></div>\
        <h3 class="seen" dir="auto">\(finding.sentence)</h3>\
        <p class="meta">\(finding.check.wanted)\(finding.place.map { " \($0.description.sentenceStart)." })</p>\
        \(sources.excerpt(of: finding.place).map { Self.line($0, finding.outcome) })\
        \(finding.remedy.map { #"<p class="do">\#($0.text)</p>"# })\
        \(finding.remedy?.code.map { "<pre><code>\($0)</code></pre>" })\
        \(finding.unlistedNote.map { #"<p class="meta">\#($0)</p>"# })</article>
        """
    }

    private func link(to check: Check) -> HTML {
        guard let url = check.helpURL(docs: treatment.docs) else { return "\(check.id)" }
        return #"<a href="\#(url)">\#(check.id)</a>"#
    }

    /// The line of a finding. The style sheet sets a caret below the marked part. It scrolls on a phone, so the keyboard reaches
    /// it.
    private static func line(_ excerpt: SourceExcerpt, _ outcome: Finding.Outcome) -> HTML {
        """
        <pre class="excerpt" dir="ltr" tabindex="0"><span class="number">\(excerpt.line)</span><code>\
        <span>\(excerpt.before)</span><mark class="\(outcome.rawValue)"><span>\(excerpt.marked)</span></mark>\
        <span>\(excerpt.after)</span></code></pre>
        """
    }

    // MARK: Structured data

    private var itemList: HTML? {
        guard !items.items.isEmpty else { return nil }
        let list: [HTML] = items.items.map { item in
            """
            <details\(#" open="""#, if: items.items.count == 1)><summary>\(Self.head(of: item))</summary>\
            \(Self.properties(of: item))</details>
            """
        }
        let more = Wording.count(items.leftOut, "item")
        return """
            <h2>Structured data</h2><section class="card items">\(list)\
            \(#"<p class="quiet">\#(more) more are not shown.</p>"#, if: items.leftOut > 0)</section>
            """
    }

    private static func head(of item: ItemTree.Item) -> HTML {
        #"<span class="item-name" dir="auto">\#(item.name)</span><span class="source">\#(item.origin)</span>"#
    }

    private static func properties(of item: ItemTree.Item) -> HTML {
        let list: [HTML] = item.properties.map { property in
            let value: HTML =
                switch property.value {
                case .text(let text): "\(text)"
                case .item(let inner):
                    #"<details open=""><summary>\#(head(of: inner))</summary>\#(properties(of: inner))</details>"#
                case .reference(let name, let line):
                    #"<span class="dim">→ \#(name)\#(line.map { ", line \($0)" })</span>"#
                }
            return #"<dt>\#(property.name)</dt><dd dir="auto">\#(value)</dd>"#
        }
        let more = Wording.count(item.propertiesLeftOut, "property", "properties")
        return """
            <dl>\(item.id.map { #"<dt>identifier</dt><dd dir="auto">\#($0)</dd>"# })\(list)\
            \("<dt>…</dt><dd>\(more) more</dd>", if: item.propertiesLeftOut > 0)</dl>
            """
    }

    // MARK: Deep links

    var deepLinkTable: HTML? {
        guard let links = record?.deepLinks, !links.isEmpty else { return nil }
        return """
            <h2>Deep links</h2><section class="card"><table>\
            \(HTML.tableHead(["Platform", "Opens", "App", "Source", "Verified by the site"]))\
            <tbody>\(links.map(Self.row))</tbody></table></section>
            """
    }

    private static func row(of link: DeepLinkRecord.DeepLink) -> HTML {
        let opens: HTML = link.url.map { "<code>\($0)</code>" } ?? "the app as a whole"
        let names = [
            link.appName, link.storeIdentifier.map { "App Store ID \($0)" }, link.bundleIdentifier, link.packageName,
        ].compactMap { $0 }
        let app =
            link.platform == .web ? "the browser" : names.isEmpty ? "not named" : names.joined(separator: ", ")
        let verification = link.verification
        let style =
            switch verification.status {
            case .verified: "pass"
            case .blocked, .notCovered: "error"
            case .unverifiable, .unchecked: "unknown"
            }
        let reasons = [verification.applicationIdentifier, verification.pattern, verification.reason].compactMap { $0 }
        return """
            <tr><td>\(link.platform.name)</td><td>\(opens)</td><td>\(app)</td>\
            <td>\(link.sources.map { #"<span class="source">\#($0.rawValue)</span>"# })</td>\
            <td><span class="\(style)">\(verification.status.rawValue)</span>\
            \(reasons.map { #"<div class="dim">\#($0)</div>"# })</td></tr>
            """
    }

    // MARK: Record

    var recordTable: HTML {
        guard let record else {
            let reason =
                switch refusal {
                case .noindex: "Nothing: the page asks not to be indexed."
                case .unavailableAfter: "Nothing: the day the page named as its last has passed."
                case nil: "Nothing: the page was not read."
                }
            return """
                <h2>What an index would take in</h2><section class="card"><p class="quiet">\(reason)</p></section>
                """
        }
        let sources = Dictionary(
            record.provenance.map { ($0.field, $0.source.rawValue) }, uniquingKeysWith: { a, _ in a })
        let members = (record.json.object?.members ?? []).filter {
            !["schemaVersion", "provenance", "deepLinks"].contains($0.key)
        }
        let rows: [HTML] = members.map { member in
            """
            <tr><td>\(member.key)</td><td><span class="value" dir="auto">\(member.value.readable)</span></td>\
            <td><span class="source">\(sources[member.key == "images" ? "thumbnailURL" : member.key] ?? "pippin")</span></td></tr>
            """
        }
        return """
            <h2>What an index would take in</h2><section class="card"><table>\
            \(HTML.tableHead(["Field", "Value", "Source"]))<tbody>\(rows)</tbody></table></section>
            """
    }

    // MARK: The rest

    private var rest: HTML {
        let passed = findings.filter { $0.outcome == .pass }
        let unknown = findings.filter { $0.outcome == .unknown }
        func part(_ title: String, _ count: Int, _ lines: [HTML]) -> HTML? {
            guard count > 0 else { return nil }
            let checks = Wording.count(count, "check")
            return #"<details class="card"><summary>\#(title): \#(checks)</summary><ul>\#(lines)</ul></details>"#
        }
        return """
            <h2>The rest</h2>\
            \(part("In order", passed.count, passed.map { Self.line([$0.check.id], $0.check.title, $0.sentence) }))\
            \(part("Not seen from here", unknown.count, Self.grouped(unknown).map { Self.line($0.checks, nil, $0.sentence) }))\
            \(part(
                "Nothing of the kind on this page", notApplicable.count,
                notApplicable.map { Self.line([$0.id], nil, $0.title) }))
            """
    }

    private static func line(_ ids: [String], _ title: String?, _ text: String) -> HTML {
        """
        <li><span class="ids">\(ids.joined(separator: " "))</span><div class="what">\(title.map { "<div>\($0).</div>" })\
        <div class="\(title == nil ? "" : "dim")" dir="auto">\(text)</div></div></li>
        """
    }
}

extension Finding.Outcome {
    var word: String {
        switch self {
        case .pass: "In order"
        case .unknown: "Not seen"
        case .info: "Advice"
        case .warning: "Warning"
        case .error: "Error"
        }
    }
}

// How association files were matched, component by component, as HTML.

extension ReportCard {
    var traceList: HTML? {
        guard !traces.isEmpty else { return nil }
        return """
            <h2>How the association file was matched</h2><section class="card">\(traces.map(Self.part))</section>
            """
    }

    private static func part(of trace: Trace) -> HTML {
        let excerpt = TraceExcerpt(trace.matching)
        let style =
            switch trace.outcome {
            case .match: "pass"
            case .block: "error"
            case .unset: "warning"
            }
        let more = Wording.count(excerpt.entriesLeftOut, "entry", "entries")
        return """
            <div class="traced"><p class="address"><code>\(trace.matching.url.href)</code></p>\
            <p class="small"><span class="verdict \(style)">\(trace.summary.sentenceStart).</span>\
            <div class="dim">As \(trace.file.href) says</div></p>\(excerpt.entries.map(part))\
            \(#"<p class="dim small left-out">\#(more) more, without a match.</p>"#, if: excerpt.entriesLeftOut > 0)</div>
            """
    }

    private static func part(of excerpt: TraceExcerpt.Entry) -> HTML {
        let entry = excerpt.entry
        let steps: HTML = """
            <ol class="steps">\(excerpt.components.map(part))\
            \(#"<li class="dim">… and \#(excerpt.componentsLeftOut) more</li>"#, if: excerpt.componentsLeftOut > 0)</ol>
            """
        return """
            <div class="entry"><p class="entry-head">\
            <strong>\(entry.appIDs.isEmpty ? "No app" : Wording.list(entry.appIDs))</strong>\
            <span class="dim"> line \(entry.place.line)</span>\
            \(entry.reason.map { #"<span class="dim">. \#($0)</span>"# })</p>\
            \(steps, if: !excerpt.components.isEmpty)</div>
            """
    }

    private static func part(of component: AssociationTrace.Component) -> HTML {
        let style =
            switch component.outcome {
            case .matched: "pass"
            case .excluded: "error"
            case .notMatched, .notTried: "unknown"
            }
        let parts: [HTML] = component.parts.map { part in
            """
            <div class="part dim"><span class="\(part.isMatched ? "pass" : "error")">\(part.isMatched ? "✓ " : "✗ ")</span>\
            \(part.comparison)\(part.remark.map { #"<div class="remark">\#($0)</div>"# })</div>
            """
        }
        let notes = [component.reason, component.comment.map { "Comment: \($0)" }].compactMap { $0 }
        return """
            <li class="\(component.outcome == .notTried ? "untried" : "tried")">\
            <span class="result-word \(style)">\(component.word)</span><div class="step"><code>\(component.pattern)</code>\
            <span class="dim line">line \(component.place.line)</span>\(parts)\
            \(notes.map { #"<div class="part dim">\#($0)</div>"# })</div></li>
            """
    }
}

extension JSONValue {
    /// A value of a record for people, with one line for each member or element.
    public var readable: String {
        switch content {
        case .null: "null"
        case .bool(let bool): bool ? "true" : "false"
        case .number(let number): number
        case .string(let text): text
        case .array(let values):
            values.isEmpty ? "–" : values.map(\.inOneLine).joined(separator: "\n")
        case .object(let object):
            object.members.map { "\($0.key): \($0.value.inOneLine)" }.joined(separator: "\n")
        }
    }

    private var inOneLine: String {
        switch content {
        case .object(let object): object.members.map { "\($0.key): \($0.value.inOneLine)" }.joined(separator: ", ")
        case .array(let values): values.map(\.inOneLine).joined(separator: ", ")
        default: readable
        }
    }
}
