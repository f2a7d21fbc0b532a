import PippinCrawl
import PippinPage

/// What a page's scripts have made of it, compared with what its HTML says without them.
struct RenderingEvidence: Sendable {
    /// One fact, as each kind of reader sees it.
    struct Fact: Sendable, Hashable {
        /// `Title`.
        let name: String
        /// Without scripts, and with them; nil if the page does not say it.
        let raw: String?
        let rendered: String?

        /// Whether only readers that run scripts see it.
        var isOnlyRendered: Bool { raw == nil && rendered != nil }
        var isEqual: Bool { raw == rendered }
    }

    /// A file that the page's scripts asked for, and did not get.
    struct Missing: Sendable, Hashable {
        let url: String
        /// A clause: why not.
        let reason: String
        /// Whether the robots.txt of its host is the reason, so that other crawlers do not get it either.
        let isForbidden: Bool

        init(url: String, reason: String, isForbidden: Bool) {
            (self.url, self.reason, self.isForbidden) = (url, reason, isForbidden)
        }
    }

    /// Why there is none of a page that nobody wanted rendered. Checks pass over it.
    static let notAsked = "its scripts were not run (--render)"

    let ending: RenderedPage.Ending
    /// Why the page has to be rendered; nil if its HTML can be read as it is.
    let need: RenderNeed?
    /// The facts that are compared, in the order of reports.
    let facts: [Fact]
    let missing: [Missing]
    /// The number of files that its scripts got.
    let fileCount: Int
    /// Where its scripts wanted to go.
    let navigations: [String]

    /// - Parameters:
    ///   - raw: what the page says without scripts; `rendered`: with them.
    init(
        raw: PageFacts, rendered: PageFacts, ending: RenderedPage.Ending, missing: [Missing], fileCount: Int
    ) {
        self.ending = ending
        need = RenderNeed(raw)
        self.missing = missing
        self.fileCount = fileCount
        navigations = rendered.source.scriptNavigations
        facts = zip(Self.facts(of: raw), Self.facts(of: rendered)).map {
            Fact(name: $0.name, raw: $0.value, rendered: $1.value)
        }
    }

    /// Compares a page with its rendering.
    ///
    /// - Parameters:
    ///   - raw: what the page says without scripts; `rendered`: with them.
    ///   - page: how it was rendered.
    init(raw: PageFacts, rendered: PageFacts, _ page: RenderedPage) {
        var missing: [Missing] = []
        var count = 0
        for request in page.requests {
            switch request.result {
            case .answered(let status, _, _) where status < 400: count += 1
            case .answered(let status, _, _):
                missing.append(
                    Missing(url: request.url, reason: "it answers with status \(status)", isForbidden: false))
            case .failed(let failure):
                let isForbidden = if case .disallowed = failure.cause { true } else { false }
                missing.append(Missing(url: request.url, reason: failure.reason, isForbidden: isForbidden))
            }
        }
        self.init(raw: raw, rendered: rendered, ending: page.ending, missing: missing, fileCount: count)
    }

    /// The facts that only readers see who run scripts.
    var onlyRendered: [Fact] { facts.filter(\.isOnlyRendered) }

    /// Their names for a sentence.
    var namesOfOnlyRendered: String {
        let names = onlyRendered.map { fact in
            fact.name.hasPrefix("Open Graph") ? fact.name : fact.name.prefix(1).lowercased() + fact.name.dropFirst()
        }
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }

    /// The longest value that is shown.
    private static let maximumCharacters = 200

    private static func facts(of page: PageFacts) -> [(name: String, value: String?)] {
        let data = ItemTree(page.structuredData)
        let types = data.items.map(\.name)
        let claims = page.appClaims.map { claim in
            [claim.source.rawValue, claim.address ?? claim.storeIdentifier ?? claim.packageName]
                .compactMap(\.self).joined(separator: " ")
        }
        let words = Words(page.visibleText.bytes).count
        let links = page.outlinks.links.count
        return [
            ("Title", text(page.metadata.title)),
            ("Description", text(page.metadata.description)),
            ("Canonical address", text(page.metadata.canonical?.href)),
            ("Language", text(page.metadata.language)),
            ("Robots directives", text(list(page.directives.statements.map(\.directive.rawValue)))),
            ("Open Graph title", text(page.openGraph?.title)),
            ("Open Graph picture", text(page.openGraph?.images.first?.bestURL?.href)),
            ("Structured data", text(list(types))),
            ("Deep links", text(list(claims))),
            ("Text", words == 0 ? nil : Wording.count(words, "word")),
            ("Links", links == 0 ? nil : Wording.count(links, "link")),
        ]
    }

    private static func list(_ texts: [String]) -> String? {
        var seen: Set<String> = []
        let unique = texts.filter { seen.insert($0).inserted }
        return unique.isEmpty ? nil : unique.prefix(5).joined(separator: ", ") + (unique.count > 5 ? ", …" : "")
    }

    private static func text(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        return text.count > maximumCharacters ? text.prefix(maximumCharacters) + "…" : text
    }

    /// Counts words by the white space between them.
    private struct Words {
        var count = 0

        init(_ text: [UInt8]) {
            var isInWord = false
            for byte in text {
                let isSpace = byte <= 0x20
                if !isSpace, !isInWord { count += 1 }
                isInWord = !isSpace
            }
        }
    }
}

// MARK: In reports

extension RenderedPage.Ending {
    /// A clause after “the page”; nil if it ended as it should.
    fileprivate var clause: String? {
        switch self {
        case .settled: nil
        case .stalled: "computes without end, so its scripts were stopped"
        case .timedOut: "was not ready in time, so its scripts were stopped"
        case .tooManyRequests: "asks for far too many files, so its scripts were stopped"
        }
    }
}

extension ReportCard {
    /// The comparison as JSON.
    static func json(of rendering: RenderingEvidence) -> JSONValue {
        JSONObject.with {
            $0.put("ending", rendering.ending.rawValue)
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
        var text =
            onlyRendered.isEmpty
            ? "A crawler that runs no scripts sees all of it."
            : "A crawler that runs no scripts does not see: \(namesOfOnlyRendered)."
        if let clause = ending.clause { text += " The page \(clause)." }
        return text
    }
}

// MARK: The check

extension Technical {
    static let t16 = Check(
        .t16, .technical, .warning, "Crawlers may fetch the scripts that make the page",
        problem: "robots.txt forbids files that the page's scripts need",
        why: "A crawler that renders pages, as Applebot may, gets the page without what these files make.",
        page: scriptsMayBeFetched)

    private static func scriptsMayBeFetched(_ page: PageExamination) -> [Verdict] {
        guard let rendering = page.evidence.rendering.value else {
            let reason = page.evidence.rendering.reason
            return reason == RenderingEvidence.notAsked ? [] : [.unknown("Not seen: \(reason ?? "").")]
        }
        let forbidden = rendering.missing.filter(\.isForbidden)
        guard !forbidden.isEmpty else {
            return rendering.fileCount == 0
                ? []
                : [
                    .pass(
                        "Crawlers may fetch \(Wording.count(rendering.fileCount, "file")) that the page's scripts need."
                    )
                ]
        }
        return forbidden.map { file in
            .warning(
                "\(file.url) may not be fetched: \(file.reason).", at: Finding.Place(.file, file.url),
                Finding.Remedy("Allow the file in robots.txt, at least for Applebot and Googlebot."))
        }
    }
}
