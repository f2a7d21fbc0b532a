import PippinPage

/// The links of one page or sitemap that were not queued: the number for each reason, and the first link of each.
struct RefusedLinks {
    /// One reason: how many links it refused, and the first of them.
    struct Entry {
        let refusal: CrawlScope.Refusal
        var count: Int
        let example: WebURL?
    }

    /// A page's links have two or three reasons, which are found sooner than hashed.
    private(set) var entries: [Entry] = []

    mutating func add(_ refusal: CrawlScope.Refusal, _ url: WebURL) {
        if let place = entries.firstIndex(where: { $0.refusal == refusal }) {
            entries[place].count += 1
        } else {
            entries.append(Entry(refusal: refusal, count: 1, example: url))
        }
    }

    func contains(_ refusal: CrawlScope.Refusal) -> Bool { entries.contains { $0.refusal == refusal } }
}

extension RefusedLinks {
    /// The URLs that the frontier dropped.
    init(_ dropped: DroppedURLs) {
        guard dropped.count > 0 else { return }
        entries = [Entry(refusal: .queueFull, count: dropped.count, example: dropped.example)]
    }
}
