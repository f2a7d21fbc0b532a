import PippinPage

/// The links of one page or sitemap that were not queued: the number for each reason, and the first link of each.
struct RefusedLinks {
    private(set) var counts: [CrawlScope.Refusal: Int] = [:]
    private(set) var examples: [CrawlScope.Refusal: WebURL] = [:]

    mutating func add(_ refusal: CrawlScope.Refusal, _ url: WebURL) {
        let count = counts[refusal] ?? 0
        counts[refusal] = count + 1
        if count == 0 { examples[refusal] = url }
    }
}

extension RefusedLinks {
    /// The URLs that the frontier dropped.
    init(_ dropped: DroppedURLs) {
        guard dropped.count > 0 else { return }
        counts[.queueFull] = dropped.count
        examples[.queueFull] = dropped.example
    }
}
