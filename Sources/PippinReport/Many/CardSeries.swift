import PippinPage

/// The report cards of many pages in one form, written piece by piece, so that no more than a few cards are in memory:
///
///     beginning, then of each page in order: separator between two pieces that are not empty, piece; then the end
///
/// A piece depends on its page alone, so that pieces can be made at the same time.
public struct CardSeries: Sendable {
    /// The forms that can be written in pieces.
    public enum Form: Sendable, Equatable {
        case text(extent: TextExtent, color: Bool)
        case json, junit
        /// Workflow commands of GitHub Actions.
        case github
        /// With the version of this program, where its documents about checks are, and the operator's own checks.
        case sarif(version: String, docs: WebURL? = nil, ownChecks: [OwnCheck] = [])
    }

    /// How much the text says of a page.
    public struct TextExtent: Sendable, Equatable {
        /// One line a page.
        public var isBrief = false
        /// Only what makes the run fail.
        public var isQuiet = false
        /// Also what the baseline knows; otherwise only its number.
        public var listsKnown = false

        public init(isBrief: Bool = false, isQuiet: Bool = false, listsKnown: Bool = false) {
            self.isBrief = isBrief
            self.isQuiet = isQuiet
            self.listsKnown = listsKnown
        }
    }

    let form: Form
    /// What makes the run fail.
    let threshold: Finding.Outcome
    /// How much may be found.
    private let budgets: FindingBudgets

    public init(_ form: Form, failingFrom threshold: Finding.Outcome, within budgets: FindingBudgets = FindingBudgets())
    {
        self.form = form
        self.threshold = threshold
        self.budgets = budgets
    }

    /// What comes before the first page.
    var beginning: String {
        switch form {
        case .text, .github: ""
        case .json: "{\"schemaVersion\":\(ReportCard.schemaVersion),\"pages\":[\n"
        case .junit: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pippin\">\n"
        case .sarif(let version, let docs, let ownChecks):
            "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":"
                + ReportCard.sarifTool(version: version, docs: docs, ownChecks: ownChecks).text()
                + ",\"columnKind\":\"unicodeCodePoints\",\"results\":[\n"
        }
    }

    /// What stands between two pieces.
    var separator: String {
        switch form {
        case .text, .junit, .github: ""
        case .json, .sarif: ",\n"
        }
    }

    /// What is written of a page; empty for nothing.
    func piece(_ page: NamedCard) -> String {
        switch form {
        case .text(let extent, let color): page.listing(extent, color: color, failingFrom: threshold)
        case .json: page.json.text()
        case .junit: junit(page)
        case .github: page.workflowCommands
        case .sarif(let version, _, _):
            (page.trouble == nil ? page.card : nil)?.sarifResults(
                artifact: page.isFile ? page.name : nil, version: version
            )
            .map { $0.text() }.joined(separator: separator) ?? ""
        }
    }

    /// What comes after the last page.
    func end(_ index: CardIndex) -> String {
        switch form {
        case .text(let extent, let color): index.text(extent, color: color)
        case .json: "\n],\"summary\":\(index.json(within: budgets).text())}\n"
        case .junit: "</testsuites>\n"
        case .github: ""
        case .sarif: "\n],\"invocations\":[\(index.sarifInvocation.text())]}]}\n"
        }
    }

    private func junit(_ page: NamedCard) -> String {
        if let trouble = page.trouble {
            let name = ReportCard.escaped(page.name)
            return "  <testsuite name=\"\(name)\" tests=\"1\" failures=\"0\" errors=\"1\">\n"
                + "    <testcase classname=\"pippin\" name=\"The page can be fetched\">\n"
                + "      <error type=\"unavailable\" message=\"\(ReportCard.escaped(trouble))\"/>\n"
                + "    </testcase>\n  </testsuite>\n"
        }
        return page.card?.junitSuite(named: page.name, failingFrom: threshold) ?? ""
    }
}

extension NamedCard {
    /// The card's JSON object with the page's name in front.
    var json: JSONValue {
        JSONObject.with {
            $0.put("input", name)
            $0.put("trouble", trouble)
            for member in card?.json.object?.members ?? [] where member.key != "schemaVersion" {
                $0[member.key] = member.value
            }
        }
    }
}

extension NamedCard {
    /// What is new on the page, as commands of GitHub Actions; a page that could not be fetched is an error.
    public var workflowCommands: String {
        if let trouble {
            return WorkflowCommand(
                name: "error", properties: [(key: "title", value: "The page could not be fetched")],
                message: "\(name): \(trouble)"
            ).line
        }
        return card?.workflowCommands(of: name, isFile: isFile) ?? ""
    }
}

extension CardIndex {
    /// The totals as a JSON object.
    func json(within budgets: FindingBudgets) -> JSONValue {
        JSONObject.with {
            $0.put("pages", count)
            $0.put("failing", failingCount)
            $0.put("unavailable", missingCount)
            $0["grades"] = [
                "error": .integer(grades.error), "warning": .integer(grades.warning), "info": .integer(grades.info),
                "pass": .integer(grades.pass),
            ]
            $0["checks"] = .array(
                checks.map { total in
                    [
                        "check": .string(total.check.id), "outcome": .string(total.pages.gravest.rawValue),
                        "problem": .string(total.check.problem),
                        "pages": [
                            "error": .integer(total.pages.error), "warning": .integer(total.pages.warning),
                            "info": .integer(total.pages.info),
                        ],
                    ]
                })
            if ignoredCount > 0 { $0.put("ignored", ignoredCount) }
            if let baseline {
                $0["baseline"] = [
                    "known": .integer(baseline.known), "new": .integer(baseline.new), "stale": .integer(staleCount),
                ]
            }
            if let comparison { $0["comparison"] = comparison.json }
            if let budgets = json(of: budgets) { $0["budgets"] = budgets }
        }
    }

    /// SARIF §3.20: whether the run could judge all pages.
    var sarifInvocation: JSONValue {
        JSONObject.with {
            $0["executionSuccessful"] = .bool(missingCount == 0)
            let missing = pages.filter { $0.trouble != nil }
            guard !missing.isEmpty else { return }
            $0["toolExecutionNotifications"] = .array(
                missing.map { page in
                    ["level": "error", "message": ["text": .string("\(page.name): \(page.trouble ?? "")")]]
                })
        }
    }
}

extension ReportCard {
    static func sarifTool(version: String, docs: WebURL?, ownChecks: [OwnCheck]) -> JSONValue {
        let evidence = PageEvidence(missing: "there is no page")
        var card = ReportCard(url: UnknownAddress.url, evidence: evidence, options: Options(ownChecks: ownChecks))
        card.treatment.docs = docs
        return card.sarif(version: version)["runs"]?.array?.first?["tool"] ?? .null
    }

    /// The card's results in the form of SARIF, with fingerprints and, if there is a baseline, what is new (§3.27.24).
    func sarifResults(artifact: String?, version: String) -> [JSONValue] {
        let results = sarif(artifact: artifact, version: version)["runs"]?.array?.first?["results"]?.array ?? []
        let found = findingsBySeverity.filter { $0.outcome >= .info }
        return zip(results, found).map { result, finding in
            guard var object = result.object else { return result }
            object["partialFingerprints"] = [
                "pippin/v1": .string(finding.fingerprintWithoutDigits), "pippin/v2": .string(finding.fingerprint),
            ]
            if treatment.hasBaseline { object["baselineState"] = finding.isKnown ? "unchanged" : "new" }
            return .object(object)
        }
    }

    /// The card as a SARIF log that says which findings the baseline knows.
    public func sarifWithBaseline(artifact: String? = nil, version: String) -> JSONValue {
        let log = sarif(artifact: artifact, version: version)
        guard treatment.hasBaseline, var object = log.object, var run = log["runs"]?.array?.first?.object else {
            return log
        }
        run["results"] = .array(sarifResults(artifact: artifact, version: version))
        object["runs"] = [.object(run)]
        return .object(object)
    }
}
