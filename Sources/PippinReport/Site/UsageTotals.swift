import PippinPage

/// What a report keeps of the verdicts on one page: the answers for each agent, and the lines that decide.
struct PageUses: Sendable, Hashable, Codable {
    /// The answers for one agent.
    struct Agent: Sendable, Hashable, Codable {
        let name: String
        /// One letter for each of `ReportCard.uses`: `y`, `n`, `-` for not said.
        let answers: String

        enum CodingKeys: String, CodingKey {
            case name = "n"
            case answers = "a"
        }
    }

    /// A line that decides about one use, and for whom.
    struct Line: Sendable, Hashable, Codable {
        /// The place in `ReportCard.uses`.
        let use: Int
        let answer: String
        let agents: [String]
        let sentence: String
        /// The address of the site's file that has it; nil if pages or their header fields have.
        let file: String?

        enum CodingKeys: String, CodingKey {
            case use = "u"
            case answer = "a"
            case agents = "g"
            case sentence = "s"
            case file = "f"
        }
    }

    let agents: [Agent]
    let lines: [Line]

    enum CodingKeys: String, CodingKey {
        case agents = "a"
        case lines = "l"
    }

    /// nil without verdicts.
    init?(_ usage: [AgentVerdicts]) {
        guard !usage.isEmpty else { return nil }
        agents = usage.map { agent in
            Agent(name: agent.agent.name, answers: agent.all.map { Self.letter($0.answer) }.joined())
        }
        lines = UsageReason.list(usage).map { reason in
            Line(
                use: reason.place, answer: reason.verdict.answer.rawValue, agents: reason.agents,
                sentence: reason.sentence,
                file: reason.verdict.statement?.source.carrier.isSiteFile == true
                    ? reason.verdict.statement?.source.url : nil)
        }
    }

    private static func letter(_ answer: UsageVerdict.Answer) -> String {
        switch answer {
        case .yes: "y"
        case .no: "n"
        case .unsaid: "-"
        }
    }
}

/// How many pages of a crawl each agent finds, answers from and is trained with, and the lines that decide most pages.
struct UsageTotals: Sendable {
    /// The pages by the answer for one use.
    struct Count: Sendable, Hashable {
        var yes = 0
        var no = 0
        var unsaid = 0

        fileprivate mutating func add(_ answer: Character) {
            switch answer {
            case "y": yes += 1
            case "n": no += 1
            default: unsaid += 1
            }
        }
    }

    /// Lines that are told apart. A site may write another one on each page.
    static let maximumLines = 500
    /// Lines that a report lists.
    static let maximumListed = 50

    private var counts: [String: [Count]] = [:]
    private var pagesOfLine: [PageUses.Line: Int] = [:]

    mutating func add(_ page: PageUses) {
        for agent in page.agents {
            var uses = counts[agent.name] ?? [Count](repeating: Count(), count: ReportCard.uses.count)
            for (place, answer) in zip(uses.indices, agent.answers) { uses[place].add(answer) }
            counts[agent.name] = uses
        }
        for line in page.lines where pagesOfLine[line] != nil || pagesOfLine.count < Self.maximumLines {
            pagesOfLine[line, default: 0] += 1
        }
    }

    var isEmpty: Bool { counts.isEmpty }

    /// The lines that are told apart.
    var lineCount: Int { pagesOfLine.count }

    /// By agent, in the order of cards.
    var agents: [(name: String, uses: [Count])] {
        let known = UsageAgent.known.map(\.name)
        func rank(_ name: String) -> Int { known.firstIndex(of: name) ?? known.count }
        return counts.map { (name: $0.key, uses: $0.value) }.sorted {
            (rank($0.name), $0.name) < (rank($1.name), $1.name)
        }
    }

    /// Those that decide most pages come first.
    var lines: [(line: PageUses.Line, pages: Int)] {
        let sorted = pagesOfLine.sorted { a, b in
            let (first, second) = (a.key, b.key)
            return (b.value, first.use, first.sentence, first.file ?? "", first.agents.joined())
                < (a.value, second.use, second.sentence, second.file ?? "", second.agents.joined())
        }
        return sorted.prefix(Self.maximumListed).map { (line: $0.key, pages: $0.value) }
    }
}

extension UsageSource.Carrier {
    /// Whether a file of the site has it, and not each page for itself.
    fileprivate var isSiteFile: Bool {
        switch self {
        case .robotsContentUsage, .robotsContentSignal, .robotsLicense, .robotsRule, .tdmrepFile, .licenseFile: true
        case .contentUsageHeader, .metaRobots, .robotsTagHeader, .tdmrepHeader, .tdmrepMeta, .licenseHeader,
            .licenseLink, .isAccessibleForFree:
            false
        }
    }
}

// MARK: Forms

extension SiteReport {
    /// How many pages may be used, as JSON; nil if nothing was seen of it.
    var usageJSON: JSONValue? {
        guard !usage.isEmpty else { return nil }
        return JSONObject.with {
            $0["agents"] = .array(
                usage.agents.map { agent in
                    JSONObject.with {
                        $0.put("agent", agent.name)
                        for (use, count) in zip(ReportCard.uses, agent.uses) {
                            $0[use.verdictKey] = [
                                "yes": .integer(count.yes), "no": .integer(count.no), "notSaid": .integer(count.unsaid),
                            ]
                        }
                    }
                })
            $0["lines"] = .array(
                usage.lines.map { line, pages in
                    JSONObject.with {
                        $0.put("use", ReportCard.uses[line.use].verdictKey)
                        $0.put("answer", line.answer)
                        $0.put("agents", line.agents)
                        $0.put("message", line.sentence)
                        $0.put("file", line.file)
                        $0.put("pages", pages)
                    }
                })
        }
    }

    /// The same as HTML.
    var usageSection: HTML? {
        guard !usage.isEmpty else { return nil }
        let rows: [HTML] = usage.agents.map { agent in
            "<tr><td>\(agent.name)</td>\(zip(ReportCard.uses, agent.uses).map(Self.cell))</tr>"
        }
        let shown = usage.lines.prefix(Self.maximumWorst)
        let lines: [HTML] = shown.map { line, pages in
            """
            <tr><td>\(ReportCard.uses[line.use].column)</td><td>\(Wording.list(line.agents, shown: line.agents.count))</td>\
            <td dir="auto">\(line.sentence)\(line.file.map { #"<div class="dim small">\#($0)</div>"# })</td>\
            <td class="num" data-of="pages">\(Wording.number(pages))</td></tr>
            """
        }
        let deciding: HTML = """
            <table>\(HTML.tableHead(["Use", "For", "Because", "Pages"]))<tbody>\(lines)</tbody></table>
            """
        return """
            <h2 id="usage">Who may use the pages</h2><section class="card">\
            <table class="uses">\(HTML.tableHead(["Crawler"] + ReportCard.uses.map(\.column)))<tbody>\(rows)</tbody></table>\
            \(deciding, if: !lines.isEmpty)</section>
            """
    }

    private static func cell(_ use: ContentUse, _ count: UsageTotals.Count) -> HTML {
        let parts = [(count.yes, "yes", "pass"), (count.no, "no", "warning"), (count.unsaid, "not said", "unknown")]
        let shown: [HTML] = parts.filter { $0.0 > 0 }.map { number, word, style in
            #"<div><span class="\#(style)">\#(Wording.number(number)) \#(word)</span></div>"#
        }
        return #"<td data-of="\#(use.column)">\#(shown)</td>"#
    }
}
