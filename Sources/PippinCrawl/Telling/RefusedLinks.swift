import PippinPage

/// The links of one page or sitemap that were not queued: how many for which reason, and the first of each.
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
    /// What the frontier did not keep.
    init(_ dropped: DroppedURLs) {
        guard dropped.count > 0 else { return }
        counts[.queueFull] = dropped.count
        examples[.queueFull] = dropped.example
    }
}

extension CrawlMetrics.Snapshot {
    /// URLs were handed to the frontier.
    mutating func count(_ change: FrontierChange) {
        discovered += change.added
        if change.dropped.count > 0 { count(RefusedLinks(change.dropped)) }
    }

    /// Links of a reason that are kept as examples.
    private static let examplesKept = 3
    /// Of an example; what is refused may be refused for its length.
    private static let longestExample = 300

    mutating func count(_ refused: RefusedLinks) {
        for (refusal, count) in refused.counts { refusals[refusal.rawValue, default: 0] += count }
        for (refusal, url) in refused.examples where refusalExamples[refusal.rawValue]?.count ?? 0 < Self.examplesKept {
            let text = String(url.href.prefix(Self.longestExample))
            if refusalExamples[refusal.rawValue]?.contains(text) != true {
                refusalExamples[refusal.rawValue, default: []].append(text)
            }
        }
    }
}
