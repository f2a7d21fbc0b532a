import PippinPage

/// The texts that findings point into, as far as they were read: the page, robots.txt, and Apple's association files.
///
/// Places in a signed file are places of what it holds, so its lines are not shown.
///
/// A card of a page that is validated has them, to show the lines. A crawl's cards do not: it makes thousands of them.
struct PageSources: Sendable {
    private let page: SourceLines?
    private let files: [String: SourceLines]

    /// No text at all.
    init() {
        page = nil
        files = [:]
    }

    /// - Parameter page: the decoded page; nil if it was not read.
    init(page: SourceLines?, evidence: PageEvidence) {
        self.page = page
        var files: [String: SourceLines] = [:]
        func add(_ url: WebURL, _ bytes: [UInt8]?) {
            guard let bytes, !bytes.isEmpty else { return }
            let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
            files[url.href] = SourceLines(hasMark ? Array(bytes.dropFirst(3)) : bytes)
        }
        if let robots = evidence.robots.value { add(robots.url, robots.text) }
        for found in evidence.association.value?.files.hosts ?? [] {
            for outcome in [found.wellKnown, found.rootCopy] where outcome.file?.isSigned == false {
                add(outcome.url, outcome.bytes)
            }
        }
        self.files = files
    }

    /// The line of a place; nil if the place has none, or its text is not at hand.
    func excerpt(of place: Finding.Place?) -> SourceExcerpt? {
        guard let place, place.line != nil else { return nil }
        let text =
            switch place.source {
            case .markup: page
            case .file: files[place.name]
            case .header, .fetch: nil as SourceLines?
            }
        return text.flatMap { SourceExcerpt(of: place, in: $0) }
    }
}
