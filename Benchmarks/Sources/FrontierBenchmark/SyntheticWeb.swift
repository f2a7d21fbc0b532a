import Foundation
import PippinCrawl
import PippinPage

/// A web without network: hosts with numbered pages, and pages that link mostly to their own host.
struct SyntheticWeb {
    static let hosts = 100_000
    /// Outlinks of a page. Of 187 real pages half had 52 and more to their own host and 24 and more to 14 others.
    struct Outlinks {
        /// The same on all pages of a site.
        var navigation = 30
        var knownOwn = 20
        var newOwn = 2
        var knownElsewhere = 0
        var newElsewhere = 0

        /// A crawl that has gone on for a while: little is new.
        static let upkeep = Outlinks()
        /// Sites that are being discovered.
        static let discovery = Outlinks(knownOwn: 12, newOwn: 10)

        /// Where `scope.follow` is `any`; else links to other hosts do not reach the frontier.
        var withElsewhere: Outlinks {
            var outlinks = self
            (outlinks.knownElsewhere, outlinks.newElsewhere) = (22, 2)
            return outlinks
        }
    }

    /// Links from elsewhere lead to one of so many pages of a site.
    static let knownOutside = 10
    /// One page of so many leads into an app and gives a record.
    static let pagesToARecord = 4
    /// Pages that lie in one section of their site, as they were written one after the other; of a section links lead to the
    /// newest.
    static let pagesOfSection = 20

    /// How many pages of each host are known.
    private(set) var pages = [Int32](repeating: 0, count: Self.hosts)
    private(set) var known = 0
    private var random: UInt64

    init(seed: UInt64) { random = seed }

    private mutating func next(_ bound: Int) -> Int {
        random &+= 0x9E37_79B9_7F4A_7C15
        var z = random
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((z ^ (z >> 31)) % UInt64(bound))
    }

    /// Whom links from elsewhere lead to: most to few hosts, as on the web, where the number of links that lead to a page follows
    /// a power law with an exponent of 2.1 (Broder and others, "Graph structure in the web", 2000). Half go to one host in a
    /// hundred.
    private mutating func popularHost() -> Int {
        let uniform = Double(next(1 << 30)) / Double(1 << 30)
        let rank = pow(uniform * (pow(Double(Self.hosts), 0.1) - 1) + 1, 10)
        // Popular hosts are not neighbors in the table.
        return Int(rank) * 7_919 % Self.hosts
    }

    /// Pages of some host that nobody has linked to before.
    mutating func newPages(_ count: Int, host: Int? = nil) -> [CrawlRequest] {
        let host = host ?? next(Self.hosts)
        return (0..<count).compactMap { _ in
            pages[host] += 1
            known += 1
            return request(host: host, page: Int(pages[host]) - 1)
        }
    }

    /// What a visit of a page ends with.
    mutating func visit(_ request: CrawlRequest, _ outlinks: Outlinks, at date: Date) -> FinishedVisit {
        let own = Int(request.host.dropFirst(4).prefix { $0 != "." }) ?? 0
        var links: [CrawlRequest] = []
        for _ in 0..<outlinks.knownOwn {
            if let link = self.request(host: own, page: next(Int(max(1, pages[own])))) { links.append(link) }
        }
        for page in 0..<min(outlinks.navigation, Int(pages[own])) {
            if let link = self.request(host: own, page: page) { links.append(link) }
        }
        for _ in 0..<outlinks.knownElsewhere {
            let host = popularHost()
            if pages[host] > 0,
                let link = self.request(host: host, page: next(min(Self.knownOutside, Int(pages[host]))))
            {
                links.append(link)
            }
        }
        links += newPages(outlinks.newOwn, host: own)
        for _ in 0..<outlinks.newElsewhere { links += newPages(1, host: popularHost()) }
        var changes: [RecordChange] = []
        let hash = String(UInt64(next(.max)), radix: 16)
        let isRecorded = next(Self.pagesToARecord) == 0
        if isRecorded {
            var record = DeepLinkRecord(
                uniqueIdentifier: request.key.string, domainIdentifier: request.host, url: request.url.href,
                fetchedAt: date, contentHash: hash)
            record.title = "Article \(hash)"
            record.contentDescription = String(repeating: "What the page says of itself. ", count: 20)
            record.snippet = String(repeating: "What is shown under the title. ", count: 8)
            record.simHash = UInt64(next(.max))
            changes = [.upsert(RecordDocument(record))]
        }
        var visit = FinishedVisit(
            request: request, outcome: isRecorded ? .recorded : .withoutDeepLinks, finishedAt: date,
            next: RecrawlPolicy.Next(wait: .seconds(86_400)), changes: changes, discovered: links)
        visit.entityTag = "\"\(hash)\""
        visit.lastModified = "Sat, 21 Nov 2026 08:00:00 GMT"
        visit.contentHash = hash
        visit.recordIdentifier = isRecorded ? request.key.string : nil
        return visit
    }

    private func request(host: Int, page: Int) -> CrawlRequest? {
        WebURL("https://site\(host).example/section-\(page / Self.pagesOfSection)/an-article-with-a-title-\(page).html")
            .map {
                CrawlRequest(url: $0, depth: 1 + page % 6, seed: Self.seed, discovery: .outlink)
            }
    }

    private static let seed: Seed = {
        guard let url = WebURL("https://site0.example/") else { preconditionFailure("a constant is a URL") }
        return Seed(url: url)
    }()
}
