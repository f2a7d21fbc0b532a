// The report card as one HTML page that needs no other file: no script, no request. It suits light and dark, phone and
// desktop.
//
//     header     the page, and the verdict of each group
//     preview    the search result, and the page as shared (ReportCard+HTMLPreview.swift)
//     findings   the gravest first, each with its line and its remedy
//     items      the structured data as a tree
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
        var page = HTMLBuilder()
        page.literal("<!DOCTYPE html>\n")
        page.element("html", [("lang", "en")]) { page in
            ReportStyle.writeHead(title: "Report card: \(name)", more: ReportStyle.card, to: &page)
            let sections = sections(partOf: overview, called: title)
            page.element("body") { page in
                page.part(sections.header)
                page.element("main") { writeContent(sections, to: &$0) }
                page.part(sections.footer)
            }
        }
        page.literal("\n")
        return shown(page.html)
    }

    /// The card for a page that has its own frame.
    ///
    /// - Parameter overview: path of the report that the card is part of; nil if it is part of none.
    public func pieces(partOf overview: String? = nil) -> PagePieces {
        let sections = sections(partOf: overview)
        var content = HTMLBuilder()
        writeContent(sections, to: &content)
        var heading = sections.header.html
        if keptSections != nil, let overview {
            // A job keeps the heading as markup, with a link that fits the report's folder.
            heading.replace("<a href=\"\(SiteReport.overview)\">", with: "<a href=\"\(overview)\">")
        }
        return PagePieces(
            title: shown("Report card: \(name)"), heading: shown(heading), content: shown(content.html))
    }

    private func writeContent(_ sections: Sections, to page: inout HTMLBuilder) {
        writeTiles(to: &page)
        page.part(sections.preview)
        writeFindings(to: &page)
        writeRendering(to: &page)
        writeItems(to: &page)
        page.part(sections.details)
        writeRest(to: &page)
    }

    func writeFooter(to page: inout HTMLBuilder) {
        page.element("footer") { page in
            page.text("Written by Pippin. ")
            if let record { page.text("The page was read on \(InternetTime.text(record.fetchedAt)). ") }
            page.text("There is no score: what counts is what to mend.")
        }
    }

    // MARK: Head

    func writeHeader(partOf overview: String?, called title: String, to page: inout HTMLBuilder) {
        page.element("header") { page in
            page.element("p", [("class", "eyebrow")]) { page in
                if let overview {
                    page.element("a", [("href", overview)], text: title)
                    page.text(" › ")
                }
                page.text("Report card")
            }
            page.element(
                "h1", [("dir", "auto")],
                text: record?.title ?? (isAddressKnown ? url.host : nil) ?? "A page without a title")
            page.element("p", [("class", "lead")]) { page in
                if url.isHTTP, isAddressKnown {
                    page.element("a", [("href", url.href), ("rel", "noreferrer noopener")], text: url.href)
                } else {
                    page.text(Self.unknownAddressNote)
                }
            }
            page.element("p", [("class", "lead small")], text: audience)
            if let treatmentNote { page.element("p", [("class", "lead small")], text: treatmentNote) }
        }
    }

    private func writeTiles(to page: inout HTMLBuilder) {
        page.element("section", [("class", "tiles")]) { page in
            for group in judgedGroups {
                let counts = counts(of: group)
                page.element("div", [("class", "card tile")]) { page in
                    page.element("h3", text: group.title)
                    page.element(
                        "p", [("class", "verdict \(counts.verdict.rawValue)")], text: Self.headline(of: counts))
                    page.element("p", [("class", "dim small")], text: Self.remainder(of: counts))
                }
            }
        }
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

    private func writeFindings(to page: inout HTMLBuilder) {
        let found = findingsBySeverity.filter { $0.outcome >= .info }
        page.element("h2", text: "What to mend")
        page.element("section", [("class", "card")]) { page in
            if found.isEmpty {
                page.element("p", [("class", "quiet")], text: "Nothing. Everything that could be seen is in order.")
            }
            for finding in found { write(finding, to: &page) }
        }
    }

    private func write(_ finding: Finding, to page: inout HTMLBuilder) {
        page.element("article", [("class", "finding")]) { page in
            page.element("div", [("class", "head")]) { page in
                page.element("span", [("class", "badge \(finding.outcome.rawValue)")], text: finding.outcome.word)
                if finding.isKnown { page.element("span", [("class", "badge unknown")], text: "Known") }
                page.element("span", [("class", "wanted")], text: finding.check.problem)
                page.element("span", [("class", "id")], text: finding.check.id)
            }
            page.element("h3", [("class", "seen"), ("dir", "auto")], text: finding.sentence)
            page.element("p", [("class", "meta")]) { page in
                page.text(finding.check.wanted)
                if let place = finding.place { page.text(" " + place.description.sentenceStart + ".") }
            }
            if let excerpt = sources.excerpt(of: finding.place) { Self.write(excerpt, finding.outcome, to: &page) }
            if let remedy = finding.remedy {
                page.element("p", [("class", "do")], text: remedy.text)
                if let code = remedy.code { page.element("pre") { $0.element("code", text: code) } }
            }
            if let note = finding.unlistedNote { page.element("p", [("class", "meta")], text: note) }
        }
    }

    /// The line of a finding. The style sheet sets a caret below the marked part. It scrolls on a phone, so the keyboard reaches
    /// it.
    private static func write(_ excerpt: SourceExcerpt, _ outcome: Finding.Outcome, to page: inout HTMLBuilder) {
        page.element("pre", [("class", "excerpt"), ("dir", "ltr"), ("tabindex", "0")]) { page in
            page.element("span", [("class", "number")], text: "\(excerpt.line)")
            page.element("code") { page in
                page.element("span", text: excerpt.before)
                page.element("mark", [("class", outcome.rawValue)]) { page in
                    page.element("span", text: excerpt.marked)
                }
                page.element("span", text: excerpt.after)
            }
        }
    }

    // MARK: Structured data

    private func writeItems(to page: inout HTMLBuilder) {
        guard !items.items.isEmpty else { return }
        page.element("h2", text: "Structured data")
        page.element("section", [("class", "card items")]) { page in
            for item in items.items {
                page.element("details", items.items.count == 1 ? [("open", "")] : []) { page in
                    page.element("summary") { Self.writeHead(of: item, to: &$0) }
                    Self.writeProperties(of: item, to: &page)
                }
            }
            if items.leftOut > 0 {
                page.element(
                    "p", [("class", "quiet")], text: "\(Wording.count(items.leftOut, "item")) more are not shown.")
            }
        }
    }

    private static func writeHead(of item: ItemTree.Item, to page: inout HTMLBuilder) {
        page.element("span", [("class", "item-name"), ("dir", "auto")], text: item.name)
        page.element("span", [("class", "source")], text: item.origin)
    }

    private static func writeProperties(of item: ItemTree.Item, to page: inout HTMLBuilder) {
        page.element("dl") { page in
            if let id = item.id {
                page.element("dt", text: "identifier")
                page.element("dd", [("dir", "auto")], text: id)
            }
            for property in item.properties {
                page.element("dt", text: property.name)
                page.element("dd", [("dir", "auto")]) { page in
                    switch property.value {
                    case .text(let text): page.text(text)
                    case .item(let inner):
                        page.element("details", [("open", "")]) { page in
                            page.element("summary") { writeHead(of: inner, to: &$0) }
                            writeProperties(of: inner, to: &page)
                        }
                    case .reference(let name, let line):
                        page.element(
                            "span", [("class", "dim")], text: "→ \(name)" + (line.map { ", line \($0)" } ?? ""))
                    }
                }
            }
            if item.propertiesLeftOut > 0 {
                page.element("dt", text: "…")
                page.element("dd", text: "\(Wording.count(item.propertiesLeftOut, "property", "properties")) more")
            }
        }
    }

    // MARK: Deep links

    func writeDeepLinks(to page: inout HTMLBuilder) {
        guard let links = record?.deepLinks, !links.isEmpty else { return }
        page.element("h2", text: "Deep links")
        page.element("section", [("class", "card")]) { page in
            page.element("table") { page in
                Self.writeHead(["Platform", "Opens", "App", "Source", "Backed by the site"], to: &page)
                page.element("tbody") { page in
                    for link in links { Self.write(link, to: &page) }
                }
            }
        }
    }

    private static func writeHead(_ titles: [String], to page: inout HTMLBuilder) {
        page.element("thead") { page in
            page.element("tr") { page in
                for title in titles { page.element("th", [("scope", "col")], text: title) }
            }
        }
    }

    private static func write(_ link: DeepLinkRecord.DeepLink, to page: inout HTMLBuilder) {
        page.element("tr") { page in
            page.element("td", text: link.platform.name)
            page.element("td") { page in
                if let url = link.url { page.element("code", text: url) } else { page.text("the app as a whole") }
            }
            page.element("td") { page in
                let parts = [
                    link.appName, link.storeIdentifier.map { "App Store ID \($0)" }, link.bundleIdentifier,
                    link.packageName,
                ].compactMap { $0 }
                page.text(
                    link.platform == .web ? "the browser" : parts.isEmpty ? "not named" : parts.joined(separator: ", "))
            }
            page.element("td") { page in
                for source in link.sources { page.element("span", [("class", "source")], text: source.rawValue) }
            }
            page.element("td") { page in
                let verification = link.verification
                let style =
                    switch verification.status {
                    case .verified: "pass"
                    case .blocked, .notCovered: "error"
                    case .unverifiable, .unchecked: "unknown"
                    }
                page.element("span", [("class", style)], text: verification.status.rawValue)
                for text in [verification.applicationIdentifier, verification.pattern, verification.reason] {
                    if let text { page.element("div", [("class", "dim")], text: text) }
                }
            }
        }
    }

    // MARK: Record

    func writeRecord(to page: inout HTMLBuilder) {
        page.element("h2", text: "What an index would take in")
        guard let record else {
            let reason =
                switch refusal {
                case .noindex: "Nothing: the page asks not to be indexed."
                case .unavailableAfter: "Nothing: the day the page named as its last has passed."
                case nil: "Nothing: the page was not read."
                }
            page.element("section", [("class", "card")]) { $0.element("p", [("class", "quiet")], text: reason) }
            return
        }
        let sources = Dictionary(
            record.provenance.map { ($0.field, $0.source.rawValue) }, uniquingKeysWith: { a, _ in a })
        page.element("section", [("class", "card")]) { page in
            page.element("table") { page in
                Self.writeHead(["Field", "Value", "Source"], to: &page)
                page.element("tbody") { page in
                    for member in record.json.object?.members ?? [] {
                        guard !["schemaVersion", "provenance", "deepLinks"].contains(member.key) else { continue }
                        page.element("tr") { page in
                            page.element("td", text: member.key)
                            page.element("td") { page in
                                page.element(
                                    "span", [("class", "value"), ("dir", "auto")], text: member.value.readable)
                            }
                            page.element("td") { page in
                                if let source = sources[member.key == "images" ? "thumbnailURL" : member.key] {
                                    page.element("span", [("class", "source")], text: source)
                                } else {
                                    page.element("span", [("class", "source")], text: "pippin")
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    // MARK: The rest

    private func writeRest(to page: inout HTMLBuilder) {
        let unknown = findings.filter { $0.outcome == .unknown }
        let passed = findings.filter { $0.outcome == .pass }
        page.element("h2", text: "The rest")
        if !passed.isEmpty {
            page.element("details", [("class", "card")]) { page in
                page.element("summary", text: "In order: \(Wording.count(passed.count, "check"))")
                page.element("ul") { page in
                    for finding in passed {
                        Self.writeLine([finding.check.id], finding.check.title, finding.sentence, to: &page)
                    }
                }
            }
        }
        if !unknown.isEmpty {
            page.element("details", [("class", "card")]) { page in
                page.element("summary", text: "Not seen from here: \(Wording.count(unknown.count, "check"))")
                page.element("ul") { page in
                    for (sentence, checks) in Self.grouped(unknown) { Self.writeLine(checks, nil, sentence, to: &page) }
                }
            }
        }
        if !notApplicable.isEmpty {
            page.element("details", [("class", "card")]) { page in
                page.element(
                    "summary", text: "Nothing of the kind on this page: \(Wording.count(notApplicable.count, "check"))")
                page.element("ul") { page in
                    for check in notApplicable { Self.writeLine([check.id], nil, check.title, to: &page) }
                }
            }
        }
    }

    private static func writeLine(_ ids: [String], _ title: String?, _ text: String, to page: inout HTMLBuilder) {
        page.element("li") { page in
            page.element("span", [("class", "ids")], text: ids.joined(separator: " "))
            page.element("div", [("class", "what")]) { page in
                if let title { page.element("div", text: title + ".") }
                page.element("div", [("class", title == nil ? "" : "dim"), ("dir", "auto")], text: text)
            }
        }
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

extension Platform {
    /// As people write it.
    public var name: String {
        switch self {
        case .iOS: "iOS"
        case .iPadOS: "iPadOS"
        case .android: "Android"
        case .windows: "Windows"
        case .web: "Web"
        }
    }
}

// How association files were matched, component by component, as HTML.

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
