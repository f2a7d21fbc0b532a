import Foundation
import PippinPage

// Makes the report at the end of a crawl. Every page is compared with the others and counted, in the order of addresses.

extension SiteReportBuilder {
    static let maximumGroups = 200
    static let urlsOfGroup = 20

    /// Makes the report of everything that was added.
    func report(of crawl: SiteReport.Crawl) -> SiteReport {
        var making = Making(builder: self, crawl: crawl)
        making.judgePages()
        making.judgeUnread()
        making.addBeyond()
        return making.finished()
    }

    /// The state while a report is made.
    private struct Making {
        let builder: SiteReportBuilder
        let standings: [LinkGraph.Standing]
        let shared: SharedPages
        let versions: LanguageVersions
        let associationHosts: [String]
        let isComplete: Bool
        /// Indices of pages, in the order of their addresses.
        let order: [Int]
        var report: SiteReport
        var checks: [ReportCard.Counts]
        var hostsOfCheck: [Int]
        var hosts: [String: SiteReport.HostTotal] = [:]
        var examples: [BoundedExamples]
        var depths: [Int: Int] = [:]
        var worst: [(page: Int, grades: ReportCard.Counts, outcomes: [Finding.Outcome])] = []
        var broken: [Int] = []

        init(builder: SiteReportBuilder, crawl: SiteReport.Crawl) {
            self.builder = builder
            report = SiteReport(crawl: crawl)
            isComplete =
                crawl.isComplete && builder.graph.leftOut == 0 && builder.beyond.pages == 0
                && builder.unjudged["not-modified"] == nil
            report.isComplete = isComplete && crawl.hostsLeft.isEmpty
            standings = builder.graph.standings()
            order = builder.pages.indices.sorted {
                builder.pages[$0].crawled.url.href < builder.pages[$1].crawled.url.href
            }
            shared = SharedPages(builder.pages, order: order)
            versions = LanguageVersions(builder.pages, builder.graph, builder.versionAddresses)
            associationHosts = builder.associationHosts.sorted()
            checks = [ReportCard.Counts](repeating: ReportCard.Counts(), count: Check.all.count)
            hostsOfCheck = [Int](repeating: 0, count: Check.all.count)
            examples = builder.examples
        }

        // MARK: Pages

        mutating func judgePages() {
            for index in order {
                let page = builder.pages[index]
                let evidence = evidence(of: page.crawled, address: page.address, isSeed: page.isSeed, index: index)
                var outcomes = page.outcomes
                judge(page.crawled, evidence, &outcomes, judgedAt: page.judgedAt)
                count(outcomes, of: page.host)
                var counts = hosts.removeValue(forKey: page.host) ?? SiteReport.HostTotal(host: page.host)
                if page.isRead { count(page, evidence, outcomes, index: index, &counts) }
                if !page.isRead || page.failure != nil { broken.append(index) }
                hosts[page.host] = counts
            }
        }

        private mutating func count(
            _ page: Page, _ evidence: CrawlEvidence, _ outcomes: [Finding.Outcome], index: Int,
            _ counts: inout SiteReport.HostTotal
        ) {
            let url = page.crawled.url.href
            let gravest = outcomes.max() ?? .pass
            report.pages += 1
            counts.pages += 1
            if report.isEarlier(page.judgedAt) {
                report.earlierPages += 1
                report.oldest = min(report.oldest ?? page.judgedAt, page.judgedAt)
                counts.oldest = min(counts.oldest ?? page.judgedAt, page.judgedAt)
            }
            report.grades.count(gravest)
            counts.grades.count(gravest)
            if page.crawled.standsForItself { report.indexable += 1 }
            if page.isDeepLinked {
                report.deepLinked += 1
                counts.deepLinked += 1
            } else if page.crawled.standsForItself {
                report.withoutDeepLinks.add(url)
            }
            if page.isBacked {
                report.verified += 1
                counts.verified += 1
            }
            depths[evidence.depth ?? -1, default: 0] += 1
            if page.crawled.standsForItself, evidence.isInSitemap == true, evidence.depth == nil {
                report.orphans.add(url)
                counts.orphans += 1
            }
            let grades = ReportCard.Counts(outcomes)
            if grades.error + grades.warning > 0 { worst.append((index, grades, outcomes)) }
        }

        private mutating func judge(
            _ page: CrawledPage, _ evidence: CrawlEvidence, _ outcomes: inout [Finding.Outcome], judgedAt: Date
        ) {
            let among = CrawlExamination(page: page, crawl: .made(evidence))
            for (index, judge) in CheckJudge.all.enumerated() {
                guard let verdicts = judge.amongPages?(among) else { continue }
                for verdict in verdicts where verdict.outcome >= .info {
                    outcomes[index] = max(outcomes[index], verdict.outcome)
                    examples[index].add(Finding(judge.check, verdict), url: page.url.href, judgedAt: judgedAt)
                }
            }
        }

        func evidence(of page: CrawledPage, address: Int32?, isSeed: Bool, index: Int?) -> CrawlEvidence {
            var evidence = CrawlEvidence()
            // A host that was left may have links to its own site. For other sites, enough was seen.
            evidence.isComplete =
                isComplete && address != nil
                && !report.crawl.hostsLeft.contains { SiteIdentity.isSameSite($0, page.url.host) }
            evidence.isSeed = isSeed
            evidence.associationHosts = associationHosts
            evidence.siteApp = page.url.host.flatMap { builder.siteApps[SiteIdentity.site(of: $0)]?.sentence }
            if builder.readsSitemaps { evidence.isInSitemap = false }
            if let address {
                let standing = standings[Int(address)]
                let known = builder.graph[address]
                evidence.depth = standing.depth
                evidence.inlinks = standing.inlinks
                evidence.nofollowInlinks = standing.nofollowInlinks
                if builder.readsSitemaps { evidence.isInSitemap = known.isInSitemap }
                evidence.sitemapDate = known.wrongDate
            }
            if let index {
                shared.fill(&evidence, of: builder.pages[index], at: index)
                evidence.versionsWithoutReturn = versions.withoutReturn(to: index)
            }
            return evidence
        }

        // MARK: Addresses without a page

        /// Judges redirects, copies and closed addresses. Sitemaps should not list them, and seeds should not be among them.
        mutating func judgeUnread() {
            for page in builder.unread.sorted(by: { $0.url.href < $1.url.href }) {
                guard let address = builder.graph.known(URLKey(page.url).string) else { continue }
                let known = builder.graph[address]
                guard known.isInSitemap || known.isSeed else { continue }
                var outcomes = [Finding.Outcome](repeating: .pass, count: Check.all.count)
                judge(
                    page, evidence(of: page, address: address, isSeed: known.isSeed, index: nil), &outcomes,
                    judgedAt: report.crawl.finishedAt)
                count(outcomes, of: page.url.host ?? "")
            }
        }

        private mutating func count(_ outcomes: [Finding.Outcome], of host: String) {
            for (check, outcome) in outcomes.enumerated() where outcome >= .info {
                checks[check].count(outcome)
                hosts[host, default: SiteReport.HostTotal(host: host)].found[check] += 1
            }
        }

        mutating func addBeyond() {
            let beyond = builder.beyond
            for check in checks.indices { checks[check].add(beyond.checks[check]) }
            for (host, more) in beyond.hosts {
                var counts = hosts.removeValue(forKey: host) ?? SiteReport.HostTotal(host: host)
                counts.pages += more.pages
                counts.deepLinked += more.deepLinked
                counts.verified += more.verified
                counts.grades.add(more.grades)
                for check in more.found.indices { counts.found[check] += more.found[check] }
                hosts[host] = counts
                report.pages += more.pages
                report.deepLinked += more.deepLinked
                report.verified += more.verified
                report.grades.add(more.grades)
            }
        }

        // MARK: The report

        mutating func finished() -> SiteReport {
            report.redirects = builder.redirects
            report.duplicates = builder.duplicates
            report.unchecked = builder.unchecked
            report.usage = builder.usage
            listBroken()
            listHosts()
            listChecks()
            listWorst()
            report.depths = depths.sorted { ($0.key < 0 ? Int.max : $0.key) < ($1.key < 0 ? Int.max : $1.key) }
                .map { SiteReport.Depth(links: $0.key < 0 ? nil : $0.key, pages: $0.value) }
            report.unverified = builder.unverified.values.sorted {
                ($1.count, $0.status.rawValue, $0.reason ?? "") < ($0.count, $1.status.rawValue, $1.reason ?? "")
            }
            let texts = builder.texts.texts
            report.sameTitle = alike(shared.titles, texts)
            report.sameDescription = alike(shared.descriptions, texts)
            report.sameContent = alike(
                shared.contents.filter { group in
                    // If every page has a canonical link, an index can choose among them.
                    group.value.contains { builder.pages[$0].crawled.canonical == nil }
                }, nil)
            report.ownLimits = ownLimits()
            return report
        }

        private func alike(_ groups: [Int: [Int]], _ texts: [Int: String]?) -> [SiteReport.Alike] {
            groups.map { number, members in
                SiteReport.Alike(
                    value: texts.map { $0[number] ?? "" }, count: members.count,
                    urls: members.prefix(SiteReportBuilder.urlsOfGroup).map { builder.pages[$0].crawled.url.href })
            }
            .sorted { ($1.count, $0.urls.first ?? "") < ($0.count, $1.urls.first ?? "") }
            .prefix(SiteReportBuilder.maximumGroups).map { $0 }
        }

        private mutating func listBroken() {
            report.brokenCount = broken.count + builder.beyond.broken
            let listed = broken.prefix(SiteReport.maximumListed)
            let sources = builder.graph.sources(of: Set(listed.compactMap { builder.pages[$0].address }), limit: 3)
            report.broken = listed.map { index in
                let page = builder.pages[index]
                return SiteReport.Broken(
                    url: page.crawled.url.href, why: page.failure?.why ?? page.crawled.answer.clause,
                    seenAt: page.failure?.at ?? page.judgedAt,
                    linkedFrom: page.address.flatMap { sources[$0] } ?? [],
                    isInSitemap: page.address.map { builder.graph[$0].isInSitemap } ?? false)
            }
        }

        private mutating func listHosts() {
            for counts in hosts.values {
                for (check, pages) in counts.found.enumerated() where pages > 0 { hostsOfCheck[check] += 1 }
            }
            let sorted = hosts.values.sorted { ($1.pages, $0.host) < ($0.pages, $1.host) }
            report.hosts = Array(sorted.prefix(builder.limits.hosts))
        }

        private mutating func listChecks() {
            report.checks = Check.all.indices.compactMap { index -> SiteReport.CheckTotal? in
                guard checks[index].found > 0 else { return nil }
                var total = SiteReport.CheckTotal(check: Check.all[index])
                total.pages = checks[index]
                total.hosts = hostsOfCheck[index]
                total.examples = examples[index].list
                return total
            }
            .sorted { a, b in
                a.pages == b.pages ? a.check.id < b.check.id : ReportCard.Counts.isGraver(a.pages, b.pages)
            }
        }

        private mutating func listWorst() {
            let cards = builder.cards.byURL
            // The indices are in the order of addresses. Comparing the offsets keeps that order, because `sort` need not be
            // stable.
            let sorted = worst.enumerated().sorted { a, b in
                a.element.grades == b.element.grades
                    ? a.offset < b.offset : ReportCard.Counts.isGraver(a.element.grades, b.element.grades)
            }
            for (rank, entry) in sorted.prefix(SiteReport.maximumCards).map(\.element).enumerated() {
                let page = builder.pages[entry.page]
                let url = page.crawled.url.href
                let evidence = evidence(of: page.crawled, address: page.address, isSeed: page.isSeed, index: entry.page)
                let failed = [Finding.Outcome.error, .warning].flatMap { outcome in
                    zip(Check.all, entry.outcomes).filter { $1 == outcome }.map(\.0.id)
                }
                var total = SiteReport.PageTotal(
                    url: url, title: page.crawled.title, checks: entry.grades, failed: failed, depth: evidence.depth,
                    judgedAt: page.judgedAt)
                if let card = cards[url] {
                    let name = SiteReport.fileName(rank: rank + 1, url: page.crawled.url)
                    total.card = name
                    report.cards.append((name, card.completed(by: evidence)))
                }
                report.worst.append(total)
            }
        }

        private func ownLimits() -> [SiteReport.Gap] {
            var gaps: [SiteReport.Gap] = []
            func add(_ code: String, _ count: Int, _ message: String) {
                if count > 0 { gaps.append(SiteReport.Gap(code: code, count: count, message: message)) }
            }
            add(
                "report-pages", builder.beyond.pages + builder.beyond.broken,
                "pages that are only counted, because the report keeps \(builder.limits.pages) in full: "
                    + "\(builder.beyond.pages + builder.beyond.broken)")
            add(
                "report-links", builder.graph.leftOut,
                "links and sitemap entries that the report had no room for: \(builder.graph.leftOut)")
            let names = [
                "not-modified": "pages that have not changed since the last visit, and were not judged again",
                "not-a-page": "addresses of files that are no HTML", "empty": "addresses with an empty answer",
                "redirect-broken": "redirects that lead nowhere",
                "redirect-loop": "redirects that come back to where they were",
                "too-many-redirects": "redirects that do not end",
                "redirected-to-app": "redirects that lead into an app",
                "reading-timed-out": "addresses whose answers took too long to read",
            ]
            for (code, count) in builder.unjudged.sorted(by: { $0.key < $1.key }) {
                add(code, count, "\(names[code] ?? code): \(count)")
            }
            return gaps
        }
    }
}

/// The language versions that pages of a crawl list (`hreflang`).
private struct LanguageVersions: Sendable {
    /// The pages that can be compared, by address: those that belong in an index and whose whole list is known.
    private var pages: [Int32: Int] = [:]
    /// The destinations of each page's list, sorted, by the page's index.
    private var lists: [Int: [Int32]] = [:]
    private let all: [SiteReportBuilder.Page]

    init(_ pages: [SiteReportBuilder.Page], _ graph: LinkGraph, _ addresses: AddressNumbers) {
        all = pages
        // An address that the graph does not have is no page of the crawl.
        let known = addresses.translated { graph.known($0) }
        for (index, page) in pages.enumerated() {
            guard let address = page.address, let versions = page.versions, page.crawled.standsForItself,
                !graph[address].hasVersionsInSitemap
            else { continue }
            self.pages[address] = index
            let listed = versions.compactMap { known[Int($0)] }
            if !listed.isEmpty { lists[index] = Set(listed.map(graph.destination)).sorted() }
        }
    }

    /// The pages that a page lists and that do not list it.
    func withoutReturn(to index: Int) -> CrawlEvidence.Others {
        guard let list = lists[index], let address = all[index].address else { return [] }
        var count = 0
        var examples: [String] = []
        for version in list where version != address {
            guard let other = pages[version], !Self.contains(address, lists[other] ?? []) else { continue }
            count += 1
            examples.append(all[other].crawled.url.href)
        }
        return CrawlEvidence.Others(count: count, examples: examples.sorted().prefix(3).map(\.self))
    }

    /// Searches a sorted list.
    private static func contains(_ address: Int32, _ list: [Int32]) -> Bool {
        var range = list[...]
        while !range.isEmpty {
            let middle = (range.startIndex + range.endIndex) / 2
            if list[middle] == address { return true }
            range = list[middle] < address ? range[(middle + 1)...] : range[..<middle]
        }
        return false
    }
}

/// Groups of pages that share a title, description, content, picture or app-argument, by the number of the shared text.
private struct SharedPages: Sendable {
    private(set) var titles: [Int: [Int]] = [:]
    private(set) var descriptions: [Int: [Int]] = [:]
    private(set) var contents: [Int: [Int]] = [:]
    private var images: [Int: Int] = [:]
    private var arguments: [Int: Int] = [:]
    private var imagesOfHost: [String: Int] = [:]
    private var argumentsOfHost: [String: Int] = [:]

    init(_ pages: [SiteReportBuilder.Page], order: [Int]) {
        for index in order {
            let page = pages[index]
            if page.title >= 0 { titles[page.title, default: []].append(index) }
            if page.description >= 0 { descriptions[page.description, default: []].append(index) }
            if page.content >= 0 { contents[page.content, default: []].append(index) }
            if page.image >= 0 {
                images[page.image, default: 0] += 1
                imagesOfHost[page.host, default: 0] += 1
            }
            if page.argument >= 0 {
                arguments[page.argument, default: 0] += 1
                argumentsOfHost[page.host, default: 0] += 1
            }
        }
        titles = titles.filter { $0.value.count > 1 }
        descriptions = descriptions.filter { $0.value.count > 1 }
        contents = contents.filter { $0.value.count > 1 }
        urls = { pages[$0].crawled.url.href }
    }

    private let urls: @Sendable (Int) -> String

    func fill(_ evidence: inout CrawlEvidence, of page: SiteReportBuilder.Page, at index: Int) {
        evidence.sameTitle = others(titles[page.title], than: index)
        evidence.sameDescription = others(descriptions[page.description], than: index)
        evidence.sameContent = others(contents[page.content], than: index)
        evidence.sameImage = images[page.image] ?? 0
        evidence.pagesWithImage = imagesOfHost[page.host] ?? 0
        evidence.sameArgument = arguments[page.argument] ?? 0
        evidence.pagesWithArgument = argumentsOfHost[page.host] ?? 0
    }

    private func others(_ members: [Int]?, than index: Int) -> CrawlEvidence.Others {
        guard let members, members.count > 1 else { return [] }
        return CrawlEvidence.Others(
            count: members.count - 1, examples: members.prefix(4).filter { $0 != index }.prefix(3).map(urls))
    }
}
