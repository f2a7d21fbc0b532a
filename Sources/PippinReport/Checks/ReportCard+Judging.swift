import Foundation
import PippinPage

extension ReportCard {
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
        self.init(
            url: site.url, options: site.options, evidence: site.evidence,
            crawled: page.map { CrawledPage($0) } ?? CrawledPage(site), record: page?.record, refusal: page?.refusal,
            isPageRead: page != nil, traces: page?.traces ?? [],
            sources: showsSource
                ? PageSources(page: page?.facts.document.sourceText, evidence: site.evidence) : PageSources(),
            items: showsSource ? page.map { ItemTree($0.facts.structuredData) } ?? ItemTree() : ItemTree(),
            previews: page.map { SharePreview.all(of: $0) } ?? [], usage: Self.usage(page, site))
        let noted = NoteMapping.verdicts(of: notes, page: page, robots: site.evidence.robots.value)
        let among = CrawlExamination(page: crawled, crawl: evidence.crawl, sitemap: evidence.sitemap)
        for judge in CheckJudge.all(with: options.ownChecks) {
            let check = judge.check
            guard options.profile.counts(check) else {
                take([], of: check)
                continue
            }
            // Nobody uses the card of an interrupted reading.
            if page?.facts.limits.isInterrupted == true { return }
            var verdicts: [Verdict]
            switch judge.answer {
            case .site(let answer): verdicts = answer(site)
            case .page(let answer): verdicts = page.map(answer) ?? [.unknown(site.unreadReason)]
            case .crawl: verdicts = []
            }
            if let more = noted[check.code] {
                // A note is left out if one of the check's own verdicts says the same.
                verdicts += more.filter { note in !verdicts.contains { $0.noteCode == note.noteCode } }
            }
            verdicts += judge.amongPages?(among) ?? []
            take(verdicts.map { Finding(check, $0) }, of: check)
        }
    }

    /// The verdicts of the known crawlers and of the operator's. Of a page that was not read, robots.txt alone may tell, if it is the
    /// reason.
    private static func usage(_ page: PageExamination?, _ site: SiteExamination) -> [AgentVerdicts] {
        guard !site.options.profile.crawler.directiveAgents.isEmpty else { return [] }
        let robots = site.evidence.robots.value
        let isClosed = robots.map { $0.failure == nil && !$0.pippin.isAllowed } ?? false
        guard page != nil || isClosed else { return [] }
        // What only a crawl has fetched: tdmrep.json, and licences.
        let more = page?.record?.usage.preferences.statements.filter {
            $0.source.carrier == .tdmrepFile || $0.source.carrier == .licenseFile
        }
        return (UsageAgent.known + [site.evidence.agent]).map { agent in
            agent.verdicts(
                on: site.url, page?.facts, robots: robots?.file, more: more ?? [], now: page?.now ?? .distantPast)
        }
    }

    /// The card with the evidence of the whole crawl. The result is the same as if that evidence had been there from the
    /// start.
    func completed(by crawl: CrawlEvidence) -> ReportCard {
        var card = unjudged(with: crawl)
        let among = CrawlExamination(page: crawled, crawl: .made(crawl))
        let seen = Dictionary(grouping: findings, by: \.check.id)
        for judge in CheckJudge.all(with: options.ownChecks) {
            let check = judge.check
            guard options.profile.counts(check) else {
                card.take([], of: check)
                continue
            }
            let shown = judge.amongPages?(among) ?? []
            // A check that needs the crawl could only say “not seen” before, except for findings made of parse notes.
            let before = (seen[check.id] ?? []).filter { !judge.asksCrawlAlone || $0.noteCode != nil }
            card.take(before + shown.map { Finding(check, $0) }, of: check)
        }
        return card
    }
}
