import Foundation
import PippinCrawl
import PippinPage

/// A web without network: hosts with numbered pages, and pages that link mostly to their own host.
struct SyntheticWeb {
    static let hosts = 100_000
    /// Outlinks of a page: as it is with crawls that have gone on for a while, most lead to what is known.
    static let knownOwn = 6
    static let newOwn = 2
    static let knownElsewhere = 1
    static let newElsewhere = 1
    /// One page of so many leads into an app and gives a record.
    static let pagesToARecord = 4

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
    mutating func visit(_ request: CrawlRequest, at date: Date) -> FinishedVisit {
        let own = Int(request.host.dropFirst(4).prefix { $0 != "." }) ?? 0
        var links: [CrawlRequest] = []
        for _ in 0..<Self.knownOwn {
            if let link = self.request(host: own, page: next(Int(max(1, pages[own])))) { links.append(link) }
        }
        for _ in 0..<Self.knownElsewhere {
            let host = next(Self.hosts)
            if pages[host] > 0, let link = self.request(host: host, page: next(Int(pages[host]))) {
                links.append(link)
            }
        }
        links += newPages(Self.newOwn, host: own) + newPages(Self.newElsewhere)
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
            changes = [.upsert(record)]
        }
        return FinishedVisit(
            request: request, outcome: isRecorded ? .recorded : .withoutDeepLinks, finishedAt: date,
            entityTag: "\"\(hash)\"", lastModified: "Sat, 21 Nov 2026 08:00:00 GMT", contentHash: hash,
            recordIdentifier: isRecorded ? request.key.string : nil,
            next: RecrawlPolicy.Next(wait: .seconds(86_400)), changes: changes, discovered: links)
    }

    private func request(host: Int, page: Int) -> CrawlRequest? {
        WebURL("https://site\(host).example/section-\(page % 13)/an-article-with-a-title-\(page).html").map {
            CrawlRequest(url: $0, depth: 1 + page % 6, seed: Self.seed, discovery: .outlink)
        }
    }

    private static let seed: Seed = {
        guard let url = WebURL("https://site0.example/") else { preconditionFailure("a constant is a URL") }
        return Seed(url: url)
    }()
}
