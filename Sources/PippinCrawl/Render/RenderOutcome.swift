import PippinPage

/// Why a page is rendered.
enum RenderReason: Sendable {
    /// The configuration says so.
    case always
    /// Its scripts make its content.
    case need(RenderNeed.Sign)

    /// `the page was rendered, because #root is empty`, with nothing before and after it.
    var clause: String {
        switch self {
        case .always: "the configuration says so"
        case .need(.emptyMount(let name)): "\(name) is empty in its HTML"
        case .need(.demandsJavaScript): "its HTML asks for JavaScript"
        case .need(.hardlyAnything): "its HTML says hardly anything"
        }
    }
}

/// What a crawl renders with.
struct CrawlRendering: Sendable {
    let renderer: any Renderer
    let desk: SubresourceDesk
}

/// How a page was rendered, for its record and for `why`.
struct RenderOutcome: Sendable {
    let reason: RenderReason
    let result: Result<RenderedPage.Ending, RenderFailure>

    var isRendered: Bool { if case .success = result { true } else { false } }

    /// `Rendered, because #root is empty in its HTML.`
    var sentence: String {
        switch result {
        case .success(.settled): "Rendered, because \(reason.clause)."
        case .success(.stalled):
            "Rendered, because \(reason.clause). Its scripts compute without end, so they were stopped."
        case .success(.timedOut): "Rendered, because \(reason.clause). It was not ready in time."
        case .success(.tooManyRequests): "Rendered, because \(reason.clause). It asked for far too many files."
        case .failure(let failure): "Not rendered, though \(reason.clause): \(failure.sentence)."
        }
    }
}
