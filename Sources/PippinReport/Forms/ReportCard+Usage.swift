// Whether crawlers find the page, answer from it and train with it, in the forms of its card.

import PippinPage

/// Why some agents may use a page in one way, or may not.
struct UsageReason: Sendable, Hashable {
    private(set) var agents: [String]
    let verdict: UsageVerdict
    /// The place of the use in `ReportCard.uses`.
    let place: Int

    /// The reasons of all verdicts that have one, use by use. Agents with the same one share it.
    static func list(_ agents: [AgentVerdicts]) -> [UsageReason] {
        var reasons: [UsageReason] = []
        for place in 0..<ReportCard.uses.count {
            let first = reasons.count
            for agent in agents {
                let verdict = agent.all[place]
                guard verdict.statement != nil else { continue }
                if let known = reasons[first...].firstIndex(where: { $0.verdict == verdict }) {
                    reasons[known].agents.append(agent.agent.name)
                } else {
                    reasons.append(UsageReason(agents: [agent.agent.name], verdict: verdict, place: place))
                }
            }
        }
        return reasons
    }

    var names: String { Wording.list(agents, shown: agents.count) }

    /// The words that decide, and what is to be known about them.
    var sentence: String {
        guard let statement = verdict.statement else { return "" }
        let isOne = agents.count == 1
        var parts = [statement.sentence]
        if statement.use != verdict.use { parts.append("Answers are made of what was found.") }
        if !verdict.isDocumented {
            parts.append("No documentation says that \(isOne ? "it follows" : "they follow") this.")
        }
        return parts.joined(separator: " ")
    }
}

extension ReportCard {
    /// The uses that are told, as the columns of the table.
    static let uses: [ContentUse] = [.search, .aiInput, .aiTrain]

    private static let usageHeading = "Who may use the page"

    /// Why rules of the host count for nothing; nil if its file was seen.
    private var unseenRobots: String? {
        evidence.robots.reason.map { "robots.txt was not seen: \($0)." }
    }

    /// The table, and the line that decides about each cell.
    func addUsage(to text: inout ReportText) {
        guard !usage.isEmpty else { return }
        text.line("")
        let widths = [10, 16, 0]
        func row(_ name: String, _ cells: [String]) -> String {
            name.padded(to: 22) + zip(cells, widths).map { $0.padded(to: $1) }.joined()
        }
        text.line(row(Self.usageHeading, Self.uses.map { $0.column.lowercased() }))
        for agent in usage { text.line(row("  " + agent.agent.name, agent.all.map(\.answer.word))) }
        for reason in UsageReason.list(usage) {
            text.wrapped(
                "      ", "\(reason.verdict.use.column.lowercased()), \(reason.names): \(reason.sentence)",
                first: "  ", "  ")
        }
        if let unseenRobots { text.wrapped("  ", unseenRobots) }
    }

    /// The same as HTML.
    var usageTable: HTML? {
        guard !usage.isEmpty else { return nil }
        let rows: [HTML] = usage.map { agent in
            let name: HTML =
                if let url = agent.agent.documentation {
                    #"<a href="\#(url)" rel="noreferrer noopener">\#(agent.agent.name)</a>"#
                } else {
                    "\(agent.agent.name)"
                }
            return "<tr><td>\(name)</td>\(agent.all.map(Self.cell))</tr>"
        }
        let reasons: [HTML] = UsageReason.list(usage).map { reason in
            """
            <tr><td>\(reason.verdict.use.column)</td><td>\(reason.names)</td>\
            <td dir="auto">\(reason.sentence)</td></tr>
            """
        }
        let why: HTML = "<table>\(HTML.tableHead(["Use", "For", "Because"]))<tbody>\(reasons)</tbody></table>"
        return """
            <h2>\(Self.usageHeading)</h2><section class="card">\(unseenRobots.map { #"<p class="said">\#($0)</p>"# })\
            <table class="uses">\(HTML.tableHead(["Crawler"] + Self.uses.map(\.column)))<tbody>\(rows)</tbody></table>\
            \(why, if: !reasons.isEmpty)</section>
            """
    }

    private static func cell(_ verdict: UsageVerdict) -> HTML {
        """
        <td data-of="\(verdict.use.column)"><span class="\(verdict.answer.style)">\(verdict.answer.word)</span></td>
        """
    }

    static func json(_ agent: AgentVerdicts) -> JSONValue {
        JSONObject.with {
            $0.put("agent", agent.agent.name)
            $0.put("documentation", agent.agent.documentation)
            for verdict in agent.all { $0[verdict.use.verdictKey] = json(verdict) }
        }
    }

    private static func json(_ verdict: UsageVerdict) -> JSONValue {
        JSONObject.with {
            $0.put("answer", verdict.answer.rawValue)
            guard let statement = verdict.statement else { return }
            $0["documented"] = .bool(verdict.isDocumented)
            if statement.extent == .text { $0.put("extent", "text") }
            $0.put("carrier", statement.source.carrier.rawValue)
            $0.put("text", statement.source.text)
            $0.put("line", statement.source.line)
            $0.put("url", statement.source.url)
        }
    }
}

extension ContentUse {
    /// The name of its verdict in JSON.
    var verdictKey: String {
        switch self {
        case .search: "found"
        case .aiInput: "answeredFrom"
        case .aiTrain, .aiTrainImages: "trainedOn"
        }
    }

    /// The heading of its verdicts.
    var column: String {
        switch self {
        case .search: "Found"
        case .aiInput: "Answered from"
        case .aiTrain, .aiTrainImages: "Trained on"
        }
    }
}

extension UsageVerdict.Answer {
    /// Neither is a fault: what a site refuses, it may have meant.
    var style: String {
        switch self {
        case .yes: "pass"
        case .no: "warning"
        case .unsaid: "unknown"
        }
    }
}
