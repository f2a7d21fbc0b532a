import PippinPage

/// What Pippin finds about one page: right, wrong, where, why, and how to mend it.
///
///     facts (what the page says) ──┐
///     conclusion (its record) ─────┼─► PageExamination ──► each of Check.all ──► verdicts ┐
///     evidence (network, crawl) ───┘        parse notes ──► NoteMapping ────────────────┴─► findings
///
/// A pure value: the same page and evidence give the same card. There is no score; a group has its worst outcome and how
/// many findings of each kind.
public struct ReportCard: Sendable {
    /// What the report is asked about beside the page.
    public struct Options: Sendable, Hashable {
        /// `TEAMID.bundle`: the app that should open the page.
        public var appIdentifier: String?
        /// The app's number in the App Store.
        public var appStoreIdentifier: String?
        /// Judges as a phone would: what only matters on a small screen counts more.
        public var isMobile: Bool

        public init(appIdentifier: String? = nil, appStoreIdentifier: String? = nil, isMobile: Bool = false) {
            self.appIdentifier = appIdentifier
            self.appStoreIdentifier = appStoreIdentifier
            self.isMobile = isMobile
        }
    }

    public let url: WebURL
    public let options: Options
    public private(set) var evidence: PageEvidence
    /// Nil where the page asks not to be indexed, or was not read.
    public let record: DeepLinkRecord?
    public let refusal: RecordBuilder.Refusal?
    /// Whether the page was read; if not, only what is known about it was judged.
    let isPageRead: Bool
    /// In the order of the checks; every check has one or more, but for those in `notApplicable`.
    public private(set) var findings: [Finding] = []
    /// Checks about things that the page does not have.
    private(set) var notApplicable: [Check] = []
    /// What is kept of the page for the checks that ask a whole crawl.
    public let crawled: CrawledPage

    /// How the association files were matched, address by address.
    public let traces: [Trace]

    /// Of a card that a job has kept: what it showed of the page when that was read.
    let keptSections: Sections?

    /// How one file was matched with one address.
    public struct Trace: Sendable, Hashable {
        public let file: WebURL
        public let matching: AssociationTrace
        /// For the app that was asked about, or that the markup names; else for any.
        public let outcome: AssociationTrace.Outcome
    }

    /// Findings that one check may have: enough to mend a page, not enough to drown in.
    static let maximumFindingsPerCheck = 20

    /// The card of a page that was read.
    ///
    /// - Parameter verification: of the conclusion's record with the files of the evidence, traced; made here where it is not given.
    public init(
        facts: PageFacts, conclusion: RecordBuilder.Conclusion, evidence: PageEvidence, options: Options = Options(),
        verification: AssociationVerification? = nil
    ) {
        let source = facts.source
        guard PageSource.hasPage(source.status), evidence.foreignType == nil else {
            // What an error page says of itself, or a picture, is not what the address was meant to show.
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
            notes: notes)
    }

    /// The card of a page that could not be had: only what is known about it is judged.
    public init(url: WebURL, evidence: PageEvidence, options: Options = Options()) {
        self.init(
            page: nil, site: SiteExamination(url: url, evidence: evidence, options: options, page: nil),
            notes: evidence.robots.value?.file.notes ?? [])
    }

    private init(page: PageExamination?, site: SiteExamination, notes: [ParseNote]) {
        url = site.url
        options = site.options
        evidence = site.evidence
        record = page?.record
        refusal = page?.refusal
        isPageRead = page != nil
        traces = page?.traces ?? []
        keptSections = nil
        let noted = NoteMapping.verdicts(of: notes, page: page, robots: site.evidence.robots.value)
        crawled = page.map { CrawledPage($0) } ?? CrawledPage(site)
        let among = CrawlExamination(page: crawled, crawl: evidence.crawl)
        for check in Check.all {
            var verdicts: [Verdict]
            switch check.judge {
            case .site(let judge): verdicts = judge(site)
            case .page(let judge): verdicts = page.map(judge) ?? [.unknown(site.unreadReason)]
            case .crawl: verdicts = []
            }
            if let more = noted[check.code] {
                // What one of the check's own verdicts says already need not be said again in other words.
                verdicts += more.filter { note in !verdicts.contains { $0.noteCode == note.noteCode } }
            }
            let shown = check.amongPages?(among) ?? []
            if !shown.isEmpty { verdicts.removeAll(where: \.isProvisional) }
            verdicts += shown
            take(verdicts.map { Finding(check, $0) }, of: check)
        }
    }

    /// A card that a job has kept, of a page that was read.
    init(crawled: CrawledPage, findings: [Finding], notApplicable: [Check], keptSections: Sections) {
        url = crawled.url
        options = Options()
        evidence = PageEvidence(missing: "the page was read by an earlier run")
        record = nil
        refusal = nil
        isPageRead = true
        traces = []
        self.crawled = crawled
        self.findings = findings
        self.notApplicable = notApplicable
        self.keptSections = keptSections
    }

    private mutating func take(_ answers: [Finding], of check: Check) {
        var answers = answers
        if answers.contains(where: { $0.outcome >= .info }) { answers.removeAll { $0.outcome == .pass } }
        if answers.isEmpty { notApplicable.append(check) }
        findings += answers.prefix(Self.maximumFindingsPerCheck)
    }

    /// The card with what the whole crawl showed, for a card that was made before the crawl had ended: the same as if the
    /// evidence had been there from the start.
    public func completed(by crawl: CrawlEvidence) -> ReportCard {
        var card = self
        card.evidence.crawl = .made(crawl)
        card.findings = []
        card.notApplicable = []
        let among = CrawlExamination(page: crawled, crawl: .made(crawl))
        let seen = Dictionary(grouping: findings, by: \.check.id)
        for check in Check.all {
            let shown = check.amongPages?(among) ?? []
            // Of a check for the crawl alone only parse notes were more than “not seen”.
            var before = (seen[check.id] ?? []).filter { !check.asksCrawlAlone || $0.noteCode != nil }
            if !shown.isEmpty { before.removeAll(where: \.isProvisional) }
            card.take(before + shown.map { Finding(check, $0) }, of: check)
        }
        return card
    }

    // MARK: Summing up

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

        mutating func count(_ outcome: Finding.Outcome) {
            switch outcome {
            case .error: error += 1
            case .warning: warning += 1
            case .info: info += 1
            case .unknown: unknown += 1
            case .pass: pass += 1
            }
        }

        /// The gravest outcome: error, warning, else pass. Advice and what could not be seen spoil nothing.
        public var verdict: Finding.Outcome {
            error > 0 ? .error : warning > 0 ? .warning : pass + info > 0 ? .pass : .unknown
        }
    }

    /// Of one group, or of all.
    public func counts(of group: Check.Group? = nil) -> Counts {
        var counts = Counts()
        for finding in findings where group == nil || finding.check.group == group { counts.count(finding.outcome) }
        return counts
    }

    /// Findings with the gravest first, in the order of checks where they are equal. Why a page was not read comes before all
    /// that could still be found.
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
