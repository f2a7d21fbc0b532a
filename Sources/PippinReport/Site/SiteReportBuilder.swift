import Foundation
import PippinPage

/// Collects the results of a crawl's visits, in any order, and makes the report when the crawl has ended.
///
///     visits ──► cards ──► outcomes of each check, a few examples, the worst cards ─┐
///            ──► links, sitemap entries ──► LinkGraph ──► CrawlEvidence of each page ──► checks among pages ─┴─► SiteReport
///
/// Memory is bounded: a page beyond `Limits.pages` is judged and counted, but nothing else of it is kept.
struct SiteReportBuilder: Sendable {
    /// How much the builder keeps.
    struct Limits: Sendable {
        /// Pages that are kept to be compared with each other, about 1.2 KB each.
        var pages = 100_000
        /// Hosts that have their own row, about 2 KB each.
        var hosts = 10_000
        /// Cards that are kept of the worst pages, about 50 KB each. Twice as many as are written, because the order changes
        /// when the whole crawl is known.
        var cards = 2 * SiteReport.maximumCards
        /// Addresses and links in the link graph. As many addresses are kept of language versions.
        var addresses = 500_000
        var links = 10_000_000
        /// Different reasons why deep links are not verified.
        var reasons = 500

        init() {}
    }

    /// The part of a page that is kept.
    struct Page: Sendable {
        var crawled: CrawledPage
        let address: Int32?
        let host: String
        /// The outcome of each check, in the order of `Check.all`.
        var outcomes: [Finding.Outcome]
        let isDeepLinked: Bool
        let isBacked: Bool
        let isSeed: Bool
        /// Whether the page was read. If not, the address gave no page.
        let isRead: Bool
        let judgedAt: Date
        /// A later visit that could not read the page; nil if there was none.
        let failure: ReportEntry.Failure?
        /// The page's language versions, as numbers of `versionAddresses`; nil if not known. Four bytes each.
        var versions: [Int32]?
        var title = -1
        var description = -1
        var content = -1
        var image = -1
        var argument = -1
    }

    /// Counts of pages beyond the limit. Nothing else of them is kept.
    struct Beyond: Sendable {
        var pages = 0
        var broken = 0
        var hosts: [String: SiteReport.HostTotal] = [:]
        /// By the outcomes of each check, in the order of `Check.all`.
        var checks = [ReportCard.Counts](repeating: ReportCard.Counts(), count: Check.all.count)
    }

    /// How it is known that a site has an app: from a seed, or else from the page with the smallest address that links into
    /// one.
    struct SiteApp: Sendable {
        var seed: String?
        var page: String?

        var sentence: String {
            if let seed { return "the seeds say that the site has one: \(seed)" }
            return "other pages of the site do, such as \(page ?? "one")"
        }
    }

    struct Reason: Hashable, Sendable {
        let status: DeepLinkRecord.Verification.Status
        let reason: String?
    }

    let limits: Limits
    var graph: LinkGraph
    /// The addresses that pages list as their language versions. They are not in the graph: nothing links there.
    var versionAddresses: AddressNumbers
    var pages: [Page] = []
    /// Keys of the pages that were added. A page that is visited twice counts once.
    private var seen: Set<String> = []
    var beyond = Beyond()
    /// Addresses without a page of their own. A sitemap may list them nevertheless.
    var unread: [CrawledPage] = []
    var examples = [BoundedExamples](repeating: BoundedExamples(), count: Check.all.count)
    var cards = WorstCards()
    var unverified: [Reason: SiteReport.Unverified] = [:]
    private(set) var usage = UsageTotals()
    var associationHosts: Set<String> = []
    /// How each site is known to have an app, by site.
    private(set) var siteApps: [String: SiteApp] = [:]
    var redirects = 0
    var duplicates = 0
    var unjudged: [String: Int] = [:]
    var readsSitemaps: Bool
    var texts = SharedTexts()
    private(set) var unchecked = 0
    /// URLs of the seeds whose pages were visited.
    private(set) var visitedSeeds: Set<String> = []

    /// - Parameter readsSitemaps: whether the crawl looks for sitemaps.
    init(readsSitemaps: Bool, limits: Limits = Limits()) {
        self.limits = limits
        self.readsSitemaps = readsSitemaps
        graph = LinkGraph(limits: LinkGraph.Limits(addresses: limits.addresses, links: limits.links))
        let bytes = LinkGraph.Limits().addressBytes
        versionAddresses = AddressNumbers(maximum: limits.addresses, maximumBytes: bytes)
        cards.limit = limits.cards
    }

    // MARK: Results of visits

    /// Adds the result of one visit, from this run or an earlier one.
    mutating func add(_ entry: ReportEntry) {
        if let seed = entry.seed { visitedSeeds.insert(seed) }
        graph.leaveOut(entry.leftOut)
        switch entry.content {
        case .judged(let page): add(page, of: entry)
        case .leads(let target, let isRedirect):
            add(entry.url, key: entry.key, leadsTo: target, isRedirect: isRedirect)
        case .closed: add(closed: entry.url)
        case .unjudged(let code): addUnjudged(code)
        case .sitemap(let listed):
            for address in listed {
                graph.list(
                    inSitemap: address.key, wrongDate: address.wrongDate, hasVersions: address.hasVersions == true)
            }
        case .nothing: break
        }
        guard !entry.followed.isEmpty || !entry.nofollow.isEmpty, let number = graph.number(of: entry.key) else {
            return
        }
        graph.link(number, followed: entry.followed, nofollow: entry.nofollow)
    }

    /// Adds a card that a job has kept. The page's entry is added separately.
    mutating func add(kept card: ReportCard) {
        let page = JudgedPage(card)
        cards.add(card, grade: ReportCard.Counts(page.outcomes))
    }

    /// Adds a page that was read and judged, or an address that answered with an error.
    mutating func add(_ card: ReportCard, key: URLKey, isSeed: Bool = false) {
        var entry = ReportEntry(
            url: card.url, key: key, seed: isSeed ? card.url : nil, content: .judged(JudgedPage(card)),
            date: card.record?.fetchedAt ?? .distantPast)
        entry.card = card
        add(entry)
    }

    private mutating func add(_ judged: JudgedPage, of entry: ReportEntry) {
        guard pages.count < limits.pages else { return addBeyond(judged) }
        guard seen.insert(entry.key).inserted else { return }
        let number = graph.number(of: entry.key)
        if let number { graph[number].leadsTo = nil }
        let url = judged.crawled.url.href
        for finding in judged.findings {
            guard let index = Check.index[finding.check.id] else { continue }
            examples[index].add(finding, url: url, judgedAt: entry.date)
        }
        if !judged.links.isEmpty { addApp(of: judged.crawled.url) }
        count(judged)
        var page = Page(
            crawled: judged.crawled, address: number, host: judged.crawled.url.host ?? "", outcomes: judged.outcomes,
            isDeepLinked: !judged.links.isEmpty, isBacked: judged.links.contains { $0.status == .verified },
            isSeed: entry.seed != nil, isRead: judged.isRead, judgedAt: entry.date, failure: entry.failure)
        page.versions = numbers(ofVersions: page.crawled.versions)
        page.crawled.versions = nil
        texts.take(&page)
        pages.append(page)
        if let card = entry.card { cards.add(card, grade: ReportCard.Counts(page.outcomes)) }
    }

    /// nil if there is no room for all of them: a list without some is not comparable.
    private mutating func numbers(ofVersions keys: [String]?) -> [Int32]? {
        guard let keys else { return nil }
        var numbers: [Int32] = []
        for key in keys {
            guard let number = versionAddresses.number(of: key) else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    /// Adds an address that leads elsewhere, by a redirect or by the canonical link of its page.
    private mutating func add(_ url: WebURL, key: String, leadsTo target: String, isRedirect: Bool) {
        if isRedirect { redirects += 1 } else { duplicates += 1 }
        guard let number = graph.number(of: key), let next = graph.number(of: target), number != next else { return }
        graph[number].leadsTo = next
        guard unread.count < limits.pages else { return }
        if isRedirect {
            unread.append(CrawledPage(url: url, answer: .redirected(to: target)))
        } else {
            var page = CrawledPage(url: url, answer: .read(status: 200))
            page.canonical = WebURL(target)
            unread.append(page)
        }
    }

    /// Adds an address that was not fetched because robots.txt forbids it.
    private mutating func add(closed url: WebURL) {
        if unread.count < limits.pages { unread.append(CrawledPage(url: url, answer: .closed)) }
    }

    /// Adds a seed that the crawl did not reach.
    mutating func add(unvisitedSeed url: WebURL, why: String) {
        unread.append(CrawledPage(url: url, answer: .failed(why)))
    }

    /// Counts an address that gave nothing to judge, by the stable code of the reason.
    private mutating func addUnjudged(_ code: String) { unjudged[code, default: 0] += 1 }

    /// Adds a seed.
    ///
    /// - Parameter app: what the seed says about its app, such as `app=958625272`.
    mutating func addSeed(_ key: URLKey, url: WebURL, app: String? = nil) {
        if let number = graph.number(of: key.string) { graph[number].isSeed = true }
        guard let app, let host = url.host else { return }
        let site = SiteIdentity.site(of: host)
        let said = "\(url.href) \(app)"
        guard siteApps[site] != nil || siteApps.count < limits.hosts else { return }
        siteApps[site, default: SiteApp()].seed = min(siteApps[site]?.seed ?? said, said)
    }

    private mutating func addApp(of url: WebURL) {
        guard let host = url.host else { return }
        let site = SiteIdentity.site(of: host)
        guard siteApps[site] != nil || siteApps.count < limits.hosts else { return }
        siteApps[site, default: SiteApp()].page = min(siteApps[site]?.page ?? url.href, url.href)
    }

    private mutating func addBeyond(_ judged: JudgedPage) {
        guard judged.isRead else {
            beyond.broken += 1
            return
        }
        beyond.pages += 1
        let host = judged.crawled.url.host ?? ""
        if !judged.links.isEmpty { addApp(of: judged.crawled.url) }
        count(judged)
        let name = beyond.hosts[host] != nil || beyond.hosts.count < limits.hosts ? host : ""
        var counts = beyond.hosts.removeValue(forKey: name) ?? SiteReport.HostTotal(host: name)
        counts.pages += 1
        counts.deepLinked += judged.links.isEmpty ? 0 : 1
        counts.verified += judged.links.contains { $0.status == .verified } ? 1 : 0
        let outcomes = judged.outcomes
        for (index, outcome) in outcomes.enumerated() where outcome >= .info {
            beyond.checks[index].count(outcome)
            counts.found[index] += 1
        }
        counts.grades.count(outcomes.max() ?? .pass)
        beyond.hosts[name] = counts
    }

    /// Counts who may use the page, and how its deep links are verified.
    private mutating func count(_ judged: JudgedPage) {
        if judged.isRead, let uses = judged.usage { usage.add(uses) }
        var isUnchecked = !judged.links.isEmpty
        for link in judged.links {
            if link.status != .unchecked { isUnchecked = false }
            guard link.status != .verified else {
                if associationHosts.count < 1_000, let host = link.url.flatMap({ WebURL($0) })?.host {
                    associationHosts.insert(host)
                }
                continue
            }
            var reason = Reason(status: link.status, reason: link.reason)
            if unverified[reason] == nil, unverified.count >= limits.reasons {
                reason = Reason(status: link.status, reason: "another reason")
            }
            unverified[reason, default: SiteReport.Unverified(status: reason.status, reason: reason.reason)].add(
                SiteReport.LinkExample(page: judged.crawled.url.href, link: link.name))
        }
        if isUnchecked { unchecked += 1 }
    }
}

// MARK: Bounded collections

/// A few findings of one check: the gravest, and among equals those with the smallest addresses.
struct BoundedExamples: Sendable {
    static let limit = 10
    private(set) var list: [SiteReport.Example] = []

    mutating func add(_ finding: Finding, url: String, judgedAt: Date) {
        let place = list.firstIndex { Self.precedes(finding.outcome, url, $0) } ?? list.endIndex
        // Only the gravest finding of each page.
        guard place < Self.limit, !list.contains(where: { $0.url == url && $0.outcome >= finding.outcome }) else {
            return
        }
        list.insert(
            SiteReport.Example(
                url: url, outcome: finding.outcome, sentence: finding.sentence, place: finding.place,
                remedy: finding.remedy, judgedAt: judgedAt), at: place)
        if let other = list.indices.last(where: { $0 != place && list[$0].url == url }) { list.remove(at: other) }
        if list.count > Self.limit { list.removeLast() }
    }

    private static func precedes(_ outcome: Finding.Outcome, _ url: String, _ other: SiteReport.Example) -> Bool {
        outcome != other.outcome ? outcome > other.outcome : url < other.url
    }
}

/// The cards of the worst pages so far.
struct WorstCards: Sendable {
    struct Entry: Sendable {
        let grade: ReportCard.Counts
        let url: String
        let card: ReportCard
    }

    var limit = 0
    private var entries: [Entry] = []

    mutating func add(_ card: ReportCard, grade: ReportCard.Counts) {
        guard card.isPageRead, grade.found > 0 else { return }
        entries.append(Entry(grade: grade, url: card.url.href, card: card))
        // Sorting once for every `limit` pages is enough.
        if entries.count >= 2 * max(1, limit) { cut() }
    }

    private mutating func cut() {
        entries.sort { $0.grade == $1.grade ? $0.url < $1.url : ReportCard.Counts.isGraver($0.grade, $1.grade) }
        entries.removeLast(max(0, entries.count - limit))
    }

    /// The cards by the URLs of their pages.
    var byURL: [String: ReportCard] {
        var copy = self
        copy.cut()
        return Dictionary(copy.entries.map { ($0.url, $0.card) }, uniquingKeysWith: { first, _ in first })
    }
}

/// Texts that several pages may share. Each is kept once, and pages keep its number.
struct SharedTexts: Sendable {
    /// Longer descriptions are cut.
    static let maximumBytes = 400
    private var numbers: [String: Int] = [:]

    /// Replaces texts of the page that are only compared by their numbers.
    mutating func take(_ page: inout SiteReportBuilder.Page) {
        let host = page.host
        let stands = page.crawled.standsForItself
        if stands {
            page.title = number(of: page.crawled.title, "t", host)
            page.description = number(of: page.crawled.description, "d", host)
            page.content = number(of: page.crawled.contentHash, "c", "")
            page.image = number(of: page.crawled.image, "i", host)
            page.argument = number(of: page.crawled.appArgument, "a", host)
        }
        page.crawled.title = page.crawled.title.map { Self.cut($0, to: 160) }
        page.crawled.description = nil
        page.crawled.contentHash = nil
        page.crawled.image = nil
        page.crawled.appArgument = nil
    }

    private mutating func number(of text: String?, _ kind: String, _ host: String) -> Int {
        guard let text, !text.isEmpty else { return -1 }
        let key = "\(kind) \(host) \(Self.cut(text, to: Self.maximumBytes))"
        if let number = numbers[key] { return number }
        let number = numbers.count
        numbers[key] = number
        return number
    }

    private static func cut(_ text: String, to bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        return String(decoding: text.utf8.prefix(bytes), as: UTF8.self)
    }

    var count: Int { numbers.count }

    /// The texts by number, without their kind and host.
    var texts: [Int: String] {
        var texts: [Int: String] = [:]
        texts.reserveCapacity(numbers.count)
        for (key, number) in numbers {
            texts[number] = key.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).last.map(
                String.init)
        }
        return texts
    }
}

extension SiteReport.Unverified {
    static let maximumExamples = 10

    mutating func add(_ example: SiteReport.LinkExample) {
        count += 1
        let place =
            examples.firstIndex { (example.page, example.link) <= ($0.page, $0.link) } ?? examples.endIndex
        guard place < Self.maximumExamples, !examples.contains(example) else { return }
        examples.insert(example, at: place)
        if examples.count > Self.maximumExamples { examples.removeLast() }
    }
}
