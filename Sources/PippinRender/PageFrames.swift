import PippinCrawl
import PippinPage

/// The frames of a page. Documents of the page's own site are shown in them, and stand in the page's HTML; those of other sites are not
/// asked for.
struct PageFrames {
    /// Documents in frames that are asked for. On real pages, more are advertisements of other sites.
    static let maximumDocuments = 10
    /// How deep frames may lie in each other.
    static let maximumDepth = 3
    /// A frame may have this part of what the page may have in elements and characters.
    static let share = 10
    /// The longest document in bytes, because its directives are looked for.
    private static let maximumBytes = 2_000_000
    /// Frames whose place is remembered. A page that attaches more is no real one.
    private static let maximumCount = 1_000

    private var parents: [String: String] = [:]

    mutating func attached(_ event: JSONValue) {
        guard let id = event["frameId"]?.string, let parent = event["parentFrameId"]?.string,
            parents.count < Self.maximumCount
        else { return }
        parents[id] = parent
    }

    mutating func detached(_ event: JSONValue) {
        if let id = event["frameId"]?.string, event["reason"]?.string != "swap" { parents[id] = nil }
    }

    /// How deep a frame lies in the page, which is at 0; beyond the limit if its place is not known.
    func depth(of id: String?, in page: String) -> Int {
        var id = id
        for depth in 0...Self.maximumDepth {
            guard let current = id else { break }
            if current == page { return depth }
            id = parents[current]
        }
        return Self.maximumDepth + 1
    }

    /// Whether a frame's document is of the page's site, or was made by the page.
    static func mayBeShown(_ address: String?, in page: WebURL) -> Bool {
        guard let url = address.flatMap({ WebURL($0) }) else { return false }
        return url.scheme == "about" || url.isHTTP && SiteIdentity.isSameSite(url.host, page.host)
    }

    /// The answer for a frame. One that asks not to be indexed is empty, unless it may be in frames (`indexifembedded`).
    static func shown(_ answer: SubresourceAnswer, _ agent: CrawlConfiguration.Agent) -> SubresourceAnswer {
        guard case .response(var response, let isKept) = answer else { return answer }
        guard response.body.count <= maximumBytes else {
            return .failed(RequestFailure(.filesTooLarge, asking: response.url))
        }
        let directives = PageReading(response.source, agents: agent.directiveAgents).facts.directives
        guard directives.refusal(at: response.fetchedAt) != nil,
            !directives.statements.contains(where: { $0.directive == .indexifembedded })
        else { return answer }
        response.body = []
        return .response(response, isKept: isKept)
    }

    /// The frames that may still be read: they take time after the page has had its own.
    struct Left {
        private var count = 2 * maximumDocuments
        private let deadline = ContinuousClock.now + .seconds(5)

        mutating func takeOne() -> Bool {
            guard count > 0, .now < deadline else { return false }
            count -= 1
            return true
        }
    }
}
