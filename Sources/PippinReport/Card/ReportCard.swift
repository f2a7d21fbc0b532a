import PippinPage

/// What Pippin finds about one page: what is right and wrong, where, why, and how to fix it.
///
///     facts (what the page says) ──┐
///     conclusion (its record) ─────┼─► PageExamination ──► each of Check.all ──► verdicts ┐
///     evidence (network, crawl) ───┘        parse notes ──► NoteMapping ────────────────┴─► findings
///
/// The card is a pure value: the same page and evidence give the same card. There is no score. A group of checks has its
/// worst outcome, and the number of findings of each kind.
public struct ReportCard: Sendable {
    /// What the user says about the page.
    public struct Options: Sendable, Hashable {
        /// The app that should open the page, as `TEAMID.bundle`; nil if none was given.
        public var appIdentifier: String?
        /// The App Store ID of that app, such as `958625272`; nil if none was given.
        public var appStoreIdentifier: String?
        /// Whether to judge as a phone would: problems on small screens count more.
        public var isMobile: Bool
        /// Whose requirements and checks count.
        public var profile: Profile
        /// The operator's own checks, which are made besides ours.
        public var ownChecks: [OwnCheck]

        public init(
            appIdentifier: String? = nil, appStoreIdentifier: String? = nil, isMobile: Bool = false,
            profile: Profile = .all, ownChecks: [OwnCheck] = []
        ) {
            self.appIdentifier = appIdentifier
            self.appStoreIdentifier = appStoreIdentifier
            self.isMobile = isMobile
            self.profile = profile
            self.ownChecks = ownChecks
        }
    }

    /// The page's URL.
    public let url: WebURL
    /// What the user said about the page.
    public let options: Options
    /// What is known of the page besides its content.
    private(set) var evidence: PageEvidence
    /// Whether the page was asked for, and not read from a file.
    public var wasFetched: Bool { evidence.fetch.value != nil }
    /// The page's record; nil if the page asks not to be indexed, or was not read.
    public let record: DeepLinkRecord?
    /// Why there is no record of a page that was read.
    let refusal: RecordBuilder.Refusal?
    /// Whether the page was read. If not, only the evidence was judged.
    let isPageRead: Bool
    /// In the order of the checks. Every check has at least one, except those in `notApplicable`.
    public private(set) var findings: [Finding] = []
    /// Checks about something that the page does not have.
    private(set) var notApplicable: [Check] = []
    /// The part of the page that checks across a whole crawl need.
    let crawled: CrawledPage

    /// How the association files were matched, one for each file and address.
    let traces: [Trace]

    /// What the operator's tuning and baseline have done to the card.
    var treatment = Treatment()
    /// What the lines of findings are shown from; empty in a crawl.
    let sources: PageSources
    /// The structured data of the page; empty in a crawl.
    let items: ItemTree
    /// How the page looks where it is shared or found; empty if it was not read.
    let previews: [SharePreview]
    /// Whether crawlers find the page, answer from it and train with it; empty if nothing says so, or if the profile's reader does not
    /// index.
    let usage: [AgentVerdicts]

    /// The stored sections of the page, if a job has kept the card; nil if the page was read now.
    let keptSections: Sections?

    /// How one association file was matched with one address.
    struct Trace: Sendable, Hashable {
        let file: WebURL
        /// The steps of the matching, pattern by pattern.
        let matching: AssociationTrace
        /// The outcome for the app in question: the one that was given, or that the markup names; otherwise for any app.
        let outcome: AssociationTrace.Outcome
    }

    /// The stored parts of the card's page.
    struct Sections: Sendable, Codable {
        let header: HTML
        let preview: HTML
        let details: HTML
        let footer: HTML

        enum CodingKeys: String, CodingKey {
            case header = "h"
            case preview = "p"
            case details = "d"
            case footer = "f"
        }
    }

    /// How many findings of one check are listed, the gravest first: enough to fix a page, and few enough to read. All count.
    static let maximumFindingsPerCheck = 20

    /// A card without findings.
    init(
        url: WebURL, options: Options, evidence: PageEvidence, crawled: CrawledPage, record: DeepLinkRecord? = nil,
        refusal: RecordBuilder.Refusal? = nil, isPageRead: Bool, traces: [Trace] = [],
        sources: PageSources = PageSources(),
        items: ItemTree = ItemTree(), previews: [SharePreview] = [], usage: [AgentVerdicts] = [],
        keptSections: Sections? = nil
    ) {
        self.url = url
        self.options = options
        self.evidence = evidence
        self.crawled = crawled
        self.record = record
        self.refusal = refusal
        self.isPageRead = isPageRead
        self.traces = traces
        self.sources = sources
        self.items = items
        self.previews = previews
        self.usage = usage
        self.keptSections = keptSections
    }

    /// Takes all answers to a check; none if it does not apply.
    mutating func take(_ answers: [Finding], of check: Check) {
        var answers = answers
        if answers.contains(where: { $0.outcome >= .info }) { answers.removeAll { $0.outcome == .pass } }
        if answers.isEmpty { notApplicable.append(check) }
        findings += answers.gravest(upTo: Self.maximumFindingsPerCheck)
    }

    mutating func replaceFindings(with findings: [Finding], notApplicable: [Check]) {
        self.findings = findings
        self.notApplicable = notApplicable
    }

    /// Whether a finding makes a run fail.
    public func fails(from threshold: Finding.Outcome) -> Bool { findings.contains { $0.fails(from: threshold) } }

    /// The card with the evidence of the whole crawl, and without findings.
    func unjudged(with crawl: CrawlEvidence) -> ReportCard {
        var card = self
        card.evidence.crawl = .made(crawl)
        card.findings = []
        card.notApplicable = []
        return card
    }

    // MARK: What the operator changes about it (`CardTuning`, `FindingBaseline`)

    /// What was done to the card after the judgement.
    struct Treatment: Sendable {
        /// The number of findings left out, from advice on.
        var ignored = 0
        /// Checks that do not count.
        var leftOut: Set<Check.Code> = []
        /// The checks that alone count; nil for all.
        var only: [Check]?
        /// The URL of `Docs/Checks.md` as the operator has published it; nil if it is not known.
        var docs: WebURL?
        /// Whether a baseline or an earlier result has marked the findings that it knows.
        var hasBaseline = false
        /// What is gone since an earlier result; nil if the card was compared with none.
        var comparison: Comparison?
        /// What the known findings are known from.
        var memory: String { comparison == nil ? "the baseline" : "the earlier result" }
    }

    /// The card beside that of an earlier result.
    struct Comparison: Sendable {
        /// An error or warning that is not found any more.
        struct Gone: Sendable {
            let check: String
            let message: String
            let count: Int
        }

        /// The page's name in the earlier result; nil if it was not there.
        let page: String?
        let gone: [Gone]
        var goneCount: Int { gone.reduce(0) { $0 + $1.count } }
    }

    /// The number of findings that the operator's tuning has left out.
    var ignoredCount: Int { treatment.ignored }

    /// The number of known findings, from advice on.
    var knownCount: Int { findings.count { $0.isKnown } }

    // MARK: Summing up

    /// How many findings, checks or pages there are of each outcome.
    public struct Counts: Sendable, Hashable {
        public var error = 0
        public var warning = 0
        public var info = 0
        public var unknown = 0
        public var pass = 0

        public subscript(outcome: Finding.Outcome) -> Int {
            switch outcome {
            case .error: error
            case .warning: warning
            case .info: info
            case .unknown: unknown
            case .pass: pass
            }
        }

        mutating func count(_ outcome: Finding.Outcome, times: Int = 1) {
            switch outcome {
            case .error: error += times
            case .warning: warning += times
            case .info: info += times
            case .unknown: unknown += times
            case .pass: pass += times
            }
        }

        mutating func add(_ other: Counts) {
            for outcome in Finding.Outcome.allCases { count(outcome, times: other[outcome]) }
        }

        /// The number from advice on.
        var found: Int { error + warning + info }

        /// The gravest outcome of them; `pass` if none asks for something.
        var gravest: Finding.Outcome { error > 0 ? .error : warning > 0 ? .warning : info > 0 ? .info : .pass }

        /// The order of things to fix: first by errors, then by warnings, then by advice, more before fewer.
        static func isGraver(_ a: Counts, _ b: Counts) -> Bool {
            (a.error, a.warning, a.info) > (b.error, b.warning, b.info)
        }

        /// The same order as one number, for the checks of one page, of which there are fewer than a thousand.
        var weight: Int { (error * 1_000 + warning) * 1_000 + info }

        var isEmpty: Bool { self == Counts() }

        /// The counts if everything from advice on had one grade.
        func graded(_ outcome: Finding.Outcome) -> Counts {
            var graded = Counts()
            graded.unknown = unknown
            graded.pass = pass
            graded.count(outcome, times: found)
            return graded
        }

        /// The worst of error, warning and pass. Advice counts as pass. Unknown if nothing could be seen at all.
        public var verdict: Finding.Outcome {
            error > 0 ? .error : warning > 0 ? .warning : pass + info > 0 ? .pass : .unknown
        }
    }

    /// Counts the findings of one group; nil counts all.
    public func counts(of group: Check.Group? = nil, onlyNew: Bool = false) -> Counts {
        var counts = Counts()
        for finding in findings where group == nil || finding.check.group == group {
            if onlyNew, finding.isKnown { continue }
            counts.count(finding.outcome)
            counts.add(finding.unlisted)
        }
        return counts
    }

    /// The findings, the gravest first, and equal ones in the order of checks. For a page that was not read, technical
    /// findings come first among equals, because they say why.
    var findingsBySeverity: [Finding] {
        var ordered = findings
        if !isPageRead {
            ordered =
                findings.filter { $0.check.group == .technical } + findings.filter { $0.check.group != .technical }
        }
        return [.error, .warning, .info, .unknown, .pass].flatMap { outcome in
            ordered.filter { $0.outcome == outcome }
        }
    }
}

extension ReportCard.Counts {
    init(_ outcomes: [Finding.Outcome]) {
        for outcome in outcomes { count(outcome) }
    }
}
