import PippinTestSupport

@testable import PippinCrawl
@testable import PippinPage

/// A small web made of chance: a few hosts whose pages link to each other, redirect, name a canonical page, or are feeds.
struct SmallWeb {
    enum Kind {
        case page
        case redirect(to: Int)
        case canonical(Int)
        case feed
    }

    static let hosts = 5
    static let pagesOfHost = 9
    static var count: Int { hosts * pagesOfHost }

    let kinds: [Kind]
    let links: [[Int]]

    init(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        var kinds: [Kind] = []
        var links: [[Int]] = []
        for page in 0..<Self.count {
            // Redirects and canonical links lead to plain pages, which each host begins with.
            let plain = page / Self.pagesOfHost * Self.pagesOfHost + number(below: 4)
            let isPlain = page % Self.pagesOfHost < 4
            switch isPlain ? 9 : number(below: 10) {
            case 0...1: kinds.append(.redirect(to: number(below: Self.hosts) * Self.pagesOfHost + number(below: 4)))
            case 2: kinds.append(.canonical(plain))
            case 3: kinds.append(.feed)
            default: kinds.append(.page)
            }
            // Few links, so that some pages are far away.
            var targets = [number(below: 3) == 0 ? number(below: Self.count) : page + 1 < Self.count ? page + 1 : 0]
            if number(below: 3) == 0 { targets.append(number(below: Self.count)) }
            // Entries of other hosts do not count in a feed.
            if case .feed = kinds[page] {
                targets = targets.map { page / Self.pagesOfHost * Self.pagesOfHost + $0 % Self.pagesOfHost }
            }
            links.append(targets)
        }
        (self.kinds, self.links) = (kinds, links)
    }

    static func url(_ page: Int) -> String { "https://s\(page / pagesOfHost).test/p\(page % pagesOfHost)" }

    /// The pages that a breadth-first search reaches, with the seed that is nearest to each: of several at one distance, the one with the
    /// smallest URL. A seed's own page is its own.
    ///
    /// - Parameter covers: whether a host may be visited.
    func reached(from seeds: [Int], within depth: Int, covers: (Int) -> Bool = { _ in true }) -> [Int: Int] {
        struct Way {
            let page: Int
            let depth: Int
            let seed: Int
            var order: (Int, String) { (depth, SmallWeb.url(seed)) }
        }
        var nearest = Dictionary(uniqueKeysWithValues: seeds.map { ($0, $0) })
        var left = Set(seeds)
        var visited: Set<Int> = []
        var line = seeds.map { Way(page: $0, depth: 0, seed: $0) }
        while !line.isEmpty {
            line.sort { $0.order > $1.order }
            guard let way = line.popLast(), way.depth <= depth, covers(way.page / Self.pagesOfHost) else { continue }
            if left.contains(way.page) {
                guard way.seed == way.page else { continue }
                left.remove(way.page)
            }
            guard visited.insert(way.page).inserted else { continue }
            nearest[way.page] = way.seed
            func lead(to pages: [Int], _ steps: Int) {
                line += pages.map { Way(page: $0, depth: way.depth + steps, seed: way.seed) }
            }
            switch kinds[way.page] {
            case .redirect(let target): lead(to: [target], 0)
            case .canonical(let target):
                lead(to: [target], 0)
                lead(to: links[way.page], 1)
            case .page, .feed: lead(to: links[way.page], 1)
            }
        }
        return nearest
    }

    /// - Parameter slowHost: a host that takes long for each page.
    func show(in web: FakeWeb, slowHost: Int) {
        for page in 0..<Self.count {
            let url = Self.url(page)
            let links = links[page].map(Self.url)
            switch kinds[page] {
            case .page: web.page(url, links: links)
            case .redirect(let target): web[url] = [.redirect(to: Self.url(target))]
            case .canonical(let target): web.page(url, links: links, canonical: Self.url(target))
            case .feed:
                let entries = links.map { "<item><link>\($0)</link></item>" }.joined()
                var feed = FakeWeb.Answer.xml("<rss version='2.0'><channel>\(entries)</channel></rss>")
                feed.headers = [("Content-Type", "application/rss+xml")]
                web[url] = [feed]
            }
            if page / Self.pagesOfHost == slowHost { web[url] = web[url].map { $0.taking(.seconds(4)) } }
        }
    }
}
