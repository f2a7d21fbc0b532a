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

        public init(
            appIdentifier: String? = nil, appStoreIdentifier: String? = nil, isMobile: Bool = false,
            profile: Profile = .all
        ) {
            self.appIdentifier = appIdentifier
            self.appStoreIdentifier = appStoreIdentifier
            self.isMobile = isMobile
            self.profile = profile
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
    public let refusal: RecordBuilder.Refusal?
    /// Whether the page was read. If not, only the evidence was judged.
    let isPageRead: Bool
    /// In the order of the checks. Every check has at least one, except those in `notApplicable`.
    public private(set) var findings: [Finding] = []
    /// Checks about something that the page does not have.
    private(set) var notApplicable: [Check] = []
    /// The part of the page that checks across a whole crawl need.
    let crawled: CrawledPage

    /// How the association files were matched, one for each file and address.
    public let traces: [Trace]

    /// What the operator's tuning and baseline have done to the card.
    var treatment = Treatment()
    /// What the lines of findings are shown from; empty in a crawl.
    let sources: PageSources
    /// The structured data of the page; empty in a crawl.
    let items: ItemTree
    /// How the page looks where it is shared or found; empty if it was not read.
    public let previews: [SharePreview]

    /// The stored sections of the page, if a job has kept the card; nil if the page was read now.
    let keptSections: Sections?

    /// How one association file was matched with one address.
    public struct Trace: Sendable, Hashable {
        public let file: WebURL
        /// The steps of the matching, pattern by pattern.
        public let matching: AssociationTrace
        /// The outcome for the app in question: the one that was given, or that the markup names; otherwise for any app.
        public let outcome: AssociationTrace.Outcome
    }

    /// How many findings of one check are listed, the gravest first: enough to fix a page, and few enough to read. All count.
    static let maximumFindingsPerCheck = 20

    /// The card of a page that was read.
    ///
    /// - Parameters:
    ///   - verification: the verification of the conclusion's record with the files of the evidence, with traces. nil has it
    ///     made here.
    ///   - showsSource: whether the card keeps the page's text, to show lines and structured data of it.
    public init(
        facts: PageFacts, conclusion: RecordBuilder.Conclusion, evidence: PageEvidence, options: Options = Options(),
        verification: AssociationVerification? = nil, showsSource: Bool = true
    ) {
        let source = facts.source
        guard StatusMeaning(source.status) == .content, evidence.foreignType == nil else {
            // An error page or a picture says nothing about the page that was expected at the address.
            self.init(
                page: nil,
                site: SiteExamination(
                    url: source.url, evidence: evidence, options: options, page: nil, answer: source),
                notes: evidence.robots.value?.file.notes ?? [])
            return
        }
        var notes = facts.notes
        if case .record(_, let more) = conclusion { notes += more }
        if let robots = evidence.robots.value { notes += robots.file.notes }
        let page = PageExamination(
            facts: facts, conclusion: conclusion, evidence: evidence, options: options, verification: verification)
        self.init(
            page: page,
            site: SiteExamination(
                url: source.url, evidence: evidence, options: options, page: page, answer: source),
            notes: notes, showsSource: showsSource)
    }

    /// The card of a page that could not be read: only the evidence is judged.
    public init(url: WebURL, evidence: PageEvidence, options: Options = Options()) {
        self.init(
            page: nil, site: SiteExamination(url: url, evidence: evidence, options: options, page: nil),
            notes: evidence.robots.value?.file.notes ?? [])
    }

    private init(
        page: PageExamination?, site: SiteExamination, notes: [ParseNote], showsSource: Bool = true
    ) {
        url = site.url
        options = site.options
        evidence = site.evidence
        record = page?.record
        refusal = page?.refusal
        isPageRead = page != nil
        traces = page?.traces ?? []
        keptSections = nil
        sources =
            showsSource
            ? PageSources(page: page?.facts.document.sourceText, evidence: site.evidence) : PageSources()
        items = showsSource ? page.map { ItemTree($0.facts.structuredData) } ?? ItemTree() : ItemTree()
        previews = page.map { SharePreview.all(of: $0) } ?? []
        let noted = NoteMapping.verdicts(of: notes, page: page, robots: site.evidence.robots.value)
        crawled = page.map { CrawledPage($0) } ?? CrawledPage(site)
        let among = CrawlExamination(page: crawled, crawl: evidence.crawl, sitemap: evidence.sitemap)
        for check in Check.all {
            guard options.profile.counts(check.code) else {
                notApplicable.append(check)
                continue
            }
            // Nobody uses the card of an interrupted reading.
            if page?.facts.limits.isInterrupted == true { return }
            var verdicts: [Verdict]
            switch check.judge {
            case .site(let judge): verdicts = judge(site)
            case .page(let judge): verdicts = page.map(judge) ?? [.unknown(site.unreadReason)]
            case .crawl: verdicts = []
            }
            if let more = noted[check.code] {
                // A note is left out if one of the check's own verdicts says the same.
                verdicts += more.filter { note in !verdicts.contains { $0.noteCode == note.noteCode } }
            }
            verdicts += check.amongPages?(among) ?? []
            take(verdicts.map { Finding(check, $0) }, of: check)
        }
    }

    /// A card that a job has kept, of a page that an earlier run has read.
    init(crawled: CrawledPage, findings: [Finding], notApplicable: [Check], keptSections: Sections) {
        url = crawled.url
        options = Options()
        evidence = PageEvidence(missing: "the page was read by an earlier run")
        record = nil
        refusal = nil
        isPageRead = true
        traces = []
        sources = PageSources()
        items = ItemTree()
        previews = []
        self.crawled = crawled
        self.findings = findings
        self.notApplicable = notApplicable
        self.keptSections = keptSections
    }

    private mutating func take(_ answers: [Finding], of check: Check) {
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

    /// The card with the evidence of the whole crawl. The result is the same as if that evidence had been there from the
    /// start.
    func completed(by crawl: CrawlEvidence) -> ReportCard {
        var card = self
        card.evidence.crawl = .made(crawl)
        card.findings = []
        card.notApplicable = []
        let among = CrawlExamination(page: crawled, crawl: .made(crawl))
        let seen = Dictionary(grouping: findings, by: \.check.id)
        for check in Check.all {
            guard options.profile.counts(check.code) else {
                card.notApplicable.append(check)
                continue
            }
            let shown = check.amongPages?(among) ?? []
            // A check that needs the crawl could only say “not seen” before, except for findings made of parse notes.
            let before = (seen[check.id] ?? []).filter { !check.asksCrawlAlone || $0.noteCode != nil }
            card.take(before + shown.map { Finding(check, $0) }, of: check)
        }
        return card
    }

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
    public func counts(of group: Check.Group? = nil) -> Counts {
        var counts = Counts()
        for finding in findings where group == nil || finding.check.group == group {
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
