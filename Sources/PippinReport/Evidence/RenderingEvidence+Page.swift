import PippinCrawl
import PippinPage

extension RenderingEvidence {
    /// Compares a page with its rendering.
    ///
    /// - Parameters:
    ///   - raw: what the page says without scripts; `rendered`: with them.
    ///   - page: how it was rendered.
    init(raw: PageFacts, rendered: PageFacts, _ page: RenderedPage) {
        var missing: [Missing] = []
        var count = 0
        for request in page.requests {
            switch request.result {
            case .answered(let status, _, _) where status < 400: count += 1
            case .answered(let status, _, _):
                missing.append(
                    Missing(url: request.url, reason: "it answers with status \(status)", isForbidden: false))
            case .refused(let refusal):
                missing.append(
                    Missing(url: request.url, reason: refusal.reason, isForbidden: refusal.code == .disallowed))
            case .failed(let error):
                let words = WebURL(request.url).map { error.clause(asking: $0) } ?? error.code
                missing.append(Missing(url: request.url, reason: words, isForbidden: false))
            }
        }
        let ending: Ending =
            switch page.ending {
            case .settled: .settled
            case .stalled: .stalled
            case .timedOut: .timedOut
            case .tooManyRequests: .tooManyRequests
            }
        self.init(raw: raw, rendered: rendered, ending: ending, missing: missing, fileCount: count)
    }
}
