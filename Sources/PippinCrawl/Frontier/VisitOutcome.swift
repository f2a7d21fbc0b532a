import PippinPage

/// How a visit ended. Everything that the web does is one of these. `code` is stable and is used in counters, logs, the store
/// and messages.
public enum VisitOutcome: Sendable, Hashable {
    /// The page gave a record.
    case recorded
    /// The page was read but leads into no app, and only pages with deep links are recorded.
    case withoutDeepLinks
    /// 304: the page has not changed since the last visit.
    case notModified
    /// The page names another URL as canonical, and that page stands for both.
    case duplicate(of: WebURL)
    /// The page asks not to be indexed.
    case noindex
    /// The page or its site refuses the use that the crawl is for (`purpose`).
    case useRefused(UsageStatement)
    case redirected(to: WebURL, permanent: Bool)
    /// The redirect leads outside of the crawl.
    case redirectRefused(to: WebURL, CrawlScope.Refusal)
    /// The redirect leads into an app: `myapp://item/1`.
    case redirectedToApp(String)
    case redirectLoop
    case tooManyRedirects
    /// A redirect without a usable `Location`.
    case redirectBroken
    /// A sitemap, with the numbers of its entries and of further sitemaps.
    case sitemap(entries: Int, sitemaps: Int)
    /// Neither HTML nor XHTML; the value is the content type.
    case notAPage(String)
    /// 204, 205, or an empty body.
    case empty
    /// robots.txt does not allow it.
    case disallowed
    /// robots.txt could not be fetched, so nothing is allowed (RFC 9309 §2.3.1.4).
    case robotsUnreachable(RequestFailure)
    case excluded(CrawlScope.Refusal)
    /// The host needs a longer rest than the run waits. The URL is kept for the next run.
    case hostLeft
    /// 404 or 410.
    case gone(status: Int)
    /// Any other response that is not a page: 401, 403, 451, 206 …
    case refused(status: Int)
    /// 429 or 503.
    case throttled(status: Int)
    case serverError(status: Int)
    /// Reading the response took longer than `fetch.reading_timeout` and was stopped.
    case readingTimedOut
    case failed(FetchError)

    /// The outcome of an answer that is neither a page nor a redirect.
    init(statusWithoutPage status: Int) {
        switch StatusMeaning(status) {
        case .empty: self = .empty
        case .gone: self = .gone(status: status)
        case .throttled: self = .throttled(status: status)
        case .serverError: self = .serverError(status: status)
        case .content, .notModified, .redirect, .refused: self = .refused(status: status)
        }
    }

    /// The outcome of a redirect, whether or not it is followed.
    init(_ redirect: Redirect) {
        switch redirect.target {
        case .page(let url): self = .redirected(to: url, permanent: redirect.isPermanent)
        case .app(let url): self = .redirectedToApp(url.href)
        case .nowhere: self = .redirectBroken
        }
    }

    /// Whether the page was read and stands for itself, as the target of a canonical link must.
    public var standsForItself: Bool {
        switch self {
        case .recorded, .withoutDeepLinks, .notModified: true
        default: false
        }
    }

    /// Whether a page was read, or has not changed since it was.
    var isOfReadPage: Bool {
        switch self {
        case .recorded, .withoutDeepLinks, .notModified, .duplicate, .noindex, .useRefused: true
        default: false
        }
    }

    /// Whether a seed with this outcome has served its purpose.
    public var servesSeed: Bool {
        kind.servesSeed
    }

    /// The same for an outcome of which only the code was kept.
    static func servesSeed(code: String) -> Bool { Kind(rawValue: code)?.servesSeed ?? false }

    /// The reason why there was no response; nil if there was one.
    var failure: FetchError? { if case .failed(let error) = self { error } else { nil } }

    /// Why another attempt in the same run may help (`RetryRule`); nil if there was an answer, or no request.
    var trouble: RequestFailure.Cause? {
        switch self {
        case .throttled(let status), .serverError(let status): .status(status)
        case .failed(let error): .failed(error)
        default: nil
        }
    }

    /// Whether the outcome counts against the page limits, because a page request was answered. Redirects do not count, because
    /// they belong to the page they lead to, and neither does a URL that was not requested.
    var countsAsPage: Bool {
        switch self {
        case .redirected, .redirectRefused, .redirectedToApp, .redirectLoop, .tooManyRedirects, .redirectBroken,
            .sitemap, .disallowed, .robotsUnreachable, .excluded, .hostLeft:
            false
        default: true
        }
    }
}

// The stable names of outcomes. Docs/CrawlLog.md lists them, and a test compares it with `allCodes`. That list is complete,
// because every outcome must name its kind.

extension VisitOutcome {
    /// The first part of a code.
    enum Kind: String, CaseIterable {
        case recorded
        case withoutDeepLinks = "without-deep-links"
        case notModified = "not-modified"
        case duplicate, noindex
        case useRefused = "use-refused"
        case redirected
        case redirectRefused = "redirect-refused"
        case redirectedToApp = "redirected-to-app"
        case redirectLoop = "redirect-loop"
        case tooManyRedirects = "too-many-redirects"
        case redirectBroken = "redirect-broken"
        case sitemap
        case notAPage = "not-a-page"
        case empty, disallowed
        case robotsUnreachable = "robots-unreachable"
        case excluded
        case hostLeft = "host-left"
        case gone, refused, throttled
        case serverError = "server-error"
        case readingTimedOut = "reading-timed-out"
        case failed

        var servesSeed: Bool {
            switch self {
            // A feed or a sitemap may be a seed: it was read for its entries.
            case .recorded, .withoutDeepLinks, .notModified, .duplicate, .noindex, .useRefused, .redirected,
                .redirectedToApp, .sitemap:
                true
            default: false
            }
        }

        /// The codes of the outcomes of this kind.
        var codes: [String] {
            switch self {
            case .redirectRefused, .excluded: CrawlScope.Refusal.allCases.map { "\(rawValue)-\($0.rawValue)" }
            case .failed: FetchError.Kind.allCases.map { "\(rawValue)-\($0.rawValue)" }
            default: [rawValue]
            }
        }
    }

    /// The codes of outcomes that the configuration decided: the scope, and whether private addresses may be asked.
    public static let codesOfSettings: Set<String> = {
        let reasons = CrawlScope.Refusal.allCases.filter(\.isOfSetting)
        let ofScope = [Kind.redirectRefused, .excluded].flatMap { kind in
            reasons.map { "\(kind.rawValue)-\($0.rawValue)" }
        }
        return Set(ofScope + ["\(Kind.failed.rawValue)-\(FetchError.Kind.addressRefused.rawValue)"])
    }()

    /// The codes of outcomes that have found a page or a sitemap.
    public static let codesOfFound: Set<String> = [
        Kind.recorded.rawValue, Kind.withoutDeepLinks.rawValue, Kind.notModified.rawValue, Kind.sitemap.rawValue,
    ]

    var kind: Kind {
        switch self {
        case .recorded: .recorded
        case .withoutDeepLinks: .withoutDeepLinks
        case .notModified: .notModified
        case .duplicate: .duplicate
        case .noindex: .noindex
        case .useRefused: .useRefused
        case .redirected: .redirected
        case .redirectRefused: .redirectRefused
        case .redirectedToApp: .redirectedToApp
        case .redirectLoop: .redirectLoop
        case .tooManyRedirects: .tooManyRedirects
        case .redirectBroken: .redirectBroken
        case .sitemap: .sitemap
        case .notAPage: .notAPage
        case .empty: .empty
        case .disallowed: .disallowed
        case .robotsUnreachable: .robotsUnreachable
        case .hostLeft: .hostLeft
        case .excluded: .excluded
        case .gone: .gone
        case .refused: .refused
        case .throttled: .throttled
        case .serverError: .serverError
        case .readingTimedOut: .readingTimedOut
        case .failed: .failed
        }
    }

    /// The stable name of the outcome.
    public var code: String {
        switch self {
        case .redirectRefused(_, let refusal), .excluded(let refusal): "\(kind.rawValue)-\(refusal.rawValue)"
        case .failed(let error): "\(kind.rawValue)-\(error.code)"
        default: kind.rawValue
        }
    }

    /// The meaning of an outcome for another crawler.
    public enum Standing: String, Sendable, CaseIterable {
        /// There was an answer, and it is known what the URL is.
        case visited
        /// It may not be asked for, or the server does not give it.
        case refused
        /// A later try may have an answer.
        case failed
        case gone
    }

    /// The standing of a URL whose last visit ended with a code; nil if no outcome has the code.
    public static func standing(ofCode code: String) -> Standing? {
        guard let kind = Kind.allCases.first(where: { $0.codes.contains(code) }) else { return nil }
        return switch kind {
        case .recorded, .withoutDeepLinks, .notModified, .duplicate, .noindex, .useRefused, .redirected,
            .redirectedToApp, .sitemap, .notAPage, .empty, .redirectLoop, .tooManyRedirects, .redirectBroken,
            .redirectRefused, .readingTimedOut:
            .visited
        case .disallowed, .excluded, .refused: .refused
        case .robotsUnreachable, .hostLeft, .throttled, .serverError, .failed: .failed
        case .gone: .gone
        }
    }

    /// All codes that outcomes can have.
    static var allCodes: [String] { Kind.allCases.flatMap(\.codes) }

    /// The URL that the outcome leads to instead, if any.
    var target: String? {
        switch self {
        case .duplicate(let url), .redirected(let url, _), .redirectRefused(let url, _): url.href
        case .redirectedToApp(let address): address
        default: nil
        }
    }
}

// The effect of an outcome on the record of an earlier visit.

extension VisitOutcome {
    /// Whether the page was not available, but nobody said that it is gone.
    var leavesOpen: Bool {
        if case .redirected(_, permanent: false) = self { return true }
        return bearing == .misses || self == .refused(status: 304)
    }

    /// The effect of an outcome on the record of an earlier visit of the URL.
    public enum Bearing: Sendable, Equatable {
        /// The page was read. Its present content replaces the record.
        case replaces
        /// The page is gone or asks not to be listed, so the record is deleted.
        case ends
        /// The host answered, but the page was not available. The record is deleted after `recrawl.misses` such visits in a
        /// row.
        case misses
        /// Nothing was learnt about the page, so the record stays.
        case silent
    }

    /// The effect on the record of an earlier visit.
    public var bearing: Bearing {
        switch self {
        case .recorded, .withoutDeepLinks, .notModified: .replaces
        case .gone, .noindex, .useRefused, .duplicate, .disallowed: .ends
        case .redirected(_, let permanent): permanent ? .ends : .silent
        // The operator excluded the page from the crawl. Limits of a run do not affect the record.
        case .excluded(let refusal): refusal.isOfRun ? .silent : .ends
        // 304 to an unconditional request: something is wrong, but the page is not gone.
        case .refused(status: 304): .silent
        case .redirectRefused, .redirectedToApp, .redirectLoop, .tooManyRedirects, .redirectBroken, .notAPage, .empty,
            .refused, .serverError, .readingTimedOut:
            .misses
        case .throttled, .robotsUnreachable, .hostLeft, .sitemap: .silent
        case .failed(let error):
            switch error {
            case .bodyTooLarge, .headersTooLarge, .truncatedBody, .endUncertain, .badContentEncoding, .protocolError,
                .signatureWanted:
                .misses
            case .unsupportedScheme, .notAllowed, .hostNotFound, .lookUpFailed, .addressRefused, .connectionFailed,
                .timedOut, .tls, .tooCostly, .cancelled:
                .silent
            }
        }
    }

    /// A detail that the code does not contain, for people: a status, a target, a type. Nil if there is none.
    public var detail: String? {
        switch self {
        case .duplicate(let url), .redirected(let url, _), .redirectRefused(let url, _): url.href
        case .redirectedToApp(let address): address
        case .sitemap(let entries, let sitemaps):
            "\(Wording.count(entries, "entry", "entries")), \(Wording.count(sitemaps, "sitemap"))"
        case .notAPage(let type): type
        case .gone(let status), .refused(let status), .throttled(let status), .serverError(let status): "\(status)"
        case .failed(let error): error.detail
        case .robotsUnreachable(let failure): failure.detail
        case .useRefused(let statement): statement.sentence
        case .recorded, .withoutDeepLinks, .notModified, .noindex, .redirectLoop, .tooManyRedirects, .redirectBroken,
            .empty, .disallowed, .excluded, .hostLeft, .readingTimedOut:
            nil
        }
    }
}
