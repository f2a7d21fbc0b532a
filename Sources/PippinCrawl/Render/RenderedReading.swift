import PippinPage

/// Whether a rendering takes the place of the fetched page, which is the floor: a rendering that is not whole, or that has lost
/// something, never does.
public enum RenderVerdict: Sendable, Hashable {
    /// It says more, and has lost nothing.
    case counts
    /// It says what the fetched page says.
    case broughtNothing
    /// It did not come to its end.
    ///
    /// - Parameter refused: the requests that limits kept from it.
    case notSettled(RenderedPage.Ending, refused: Int)
    /// Its scripts show the message of an app that failed, with its words.
    case errorPage(String)
    /// It has lost something; with names of what.
    case poorer([String])
    /// There is none.
    case failed(RenderFailure)

    /// What the summary counts pages as that `auto` left.
    static let leftCode = "left"

    /// Stable name in the summary of a crawl and in a card's JSON.
    public var code: String {
        switch self {
        case .counts: RenderedPage.Ending.settled.rawValue
        case .broughtNothing: "brought_nothing"
        case .notSettled(let ending, _): ending.rawValue
        case .errorPage: "error_page"
        case .poorer: "poorer"
        case .failed(let failure): failure.code
        }
    }

    /// Why the page is read as it was fetched: one sentence without its full stop; nil if its rendering counts.
    public var objection: String? {
        switch self {
        case .counts: nil
        case .broughtNothing: "its scripts add nothing"
        case .notSettled(.limited, let refused):
            "\(Wording.count(refused, "file")) that its scripts asked for \(refused == 1 ? "was" : "were") above the limit"
        case .notSettled(let ending, _): "its rendering did not come to its end: \(ending.clause)"
        case .errorPage(let words): "its scripts show an error message: \(Wording.quoted(words))"
        case .poorer(let lost): "its rendering has lost \(Wording.list(lost))"
        case .failed(let failure): failure.sentence
        }
    }
}

/// A page whose scripts were run, and what is read as the page.
public struct RenderedReading: Sendable {
    public let verdict: RenderVerdict
    /// The page as it was fetched.
    public let fetched: PageReading
    /// The page as its scripts made it, and how; nil if it could not be rendered.
    public let rendering: (page: RenderedPage, reading: PageReading)?

    /// What is read as the page: the rendering if it counts.
    public var reading: PageReading { verdict == .counts ? rendering?.reading ?? fetched : fetched }

    /// The memory of the pages in bytes.
    var keptBytes: Int { fetched.keptBytes + (rendering?.reading.keptBytes ?? 0) }

    /// Reads a rendering, and decides whether it counts.
    ///
    /// - Parameters:
    ///   - fetched: the page before its scripts ran; `response` is the answer that brought it.
    ///   - agents: our names for page-level directives.
    public init(
        of fetched: PageReading, _ response: FetchResponse, _ result: Result<RenderedPage, RenderFailure>,
        agents: [String], limits: ReadingLimits = .standard
    ) {
        self.fetched = fetched
        switch result {
        case .failure(let failure): (verdict, rendering) = (.failed(failure), nil)
        case .success(let page):
            var source = page.source(of: response, directives: fetched.facts.metadata.robots)
            // A page with content is not left for another: scripts send people to where they log in, or to their country.
            let isShell = RenderNeed(fetched.facts) != nil
            if isShell { source.scriptRedirect = page.redirect }
            let reading = PageReading(source, agents: agents, limits: limits)
            rendering = (page, reading)
            guard page.ending == .settled else {
                verdict = .notSettled(page.ending, refused: page.refusedByLimits)
                return
            }
            guard reading.facts.redirect == nil else {
                verdict = isShell ? .counts : .poorer(["the page, for another one"])
                return
            }
            verdict =
                switch RenderingComparison(of: fetched, with: reading) {
                case .saysMore: .counts
                case .saysTheSame: .broughtNothing
                case .errorPage(let words): .errorPage(words)
                case .poorer(let lost): .poorer(lost)
                }
        }
    }
}

/// How a page was rendered, for its record, its report card and `why`.
public struct RenderOutcome: Sendable {
    let reason: RenderReason
    let verdict: RenderVerdict

    public init(reason: RenderReason, verdict: RenderVerdict) { (self.reason, self.verdict) = (reason, verdict) }

    /// `Rendered, because #root is empty in its HTML.`
    public var sentence: String {
        switch verdict {
        case .counts: "Rendered, because \(reason.clause)."
        case .failed(let failure): "Not rendered, though \(reason.clause): \(failure.sentence)."
        default: "Rendered, because \(reason.clause). The fetched page is kept: \(verdict.objection ?? "")."
        }
    }
}
