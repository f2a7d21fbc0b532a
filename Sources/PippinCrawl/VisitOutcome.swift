import PippinPage

/// How a visit ended. Whatever the web does to us is one of these; `code` (`VisitOutcome+Codes.swift`) is stable and goes
/// into counters, logs, the store and messages.
public enum VisitOutcome: Sendable, Hashable {
    /// The page gave a record.
    case recorded
    /// The page was read, and leads into no app, while only such pages are recorded.
    case withoutDeepLinks
    /// 304: the page is as it was on the last visit.
    case notModified
    /// The page names another URL as its canonical one, and that one stands for both.
    case duplicate(of: WebURL)
    /// The page asks not to be indexed.
    case noindex
    case redirected(to: WebURL, permanent: Bool)
    /// The redirect leads where the crawl does not go.
    case redirectRefused(to: WebURL, CrawlScope.Refusal)
    /// The redirect leads into an app: `myapp://item/1`.
    case redirectedToApp(String)
    case redirectLoop
    case tooManyRedirects
    /// A redirect without a usable `Location`.
    case redirectBroken
    /// A sitemap with so many entries and further sitemaps.
    case sitemap(entries: Int, sitemaps: Int)
    /// Neither HTML nor XHTML; with the content type.
    case notAPage(String)
    /// 204, 205, or a body of no bytes.
    case empty
    /// robots.txt does not allow it.
    case disallowed
    /// robots.txt could not be fetched, so nothing is allowed (RFC 9309 §2.3.1.4).
    case robotsUnreachable(RobotsFailure)
    case excluded(CrawlScope.Refusal)
    /// The host wants more rest than the run waits; the URL is kept for the next.
    case hostLeft
    /// 404 or 410.
    case gone(status: Int)
    /// Any other answer that is not a page: 401, 403, 451, 206 …
    case refused(status: Int)
    /// 429 or 503.
    case throttled(status: Int)
    case serverError(status: Int)
    /// Reading the answer took longer than `fetch.reading_timeout`, and was given up.
    case readingTimedOut
    case failed(FetchError)

    /// Whether the page at the URL was read and stands for itself: what a canonical link must lead to.
    public var standsForItself: Bool {
        switch self {
        case .recorded, .withoutDeepLinks, .notModified: true
        default: false
        }
    }

    /// Whether a seed that ends like this did what it was given for.
    public var servesSeed: Bool {
        kind.servesSeed
    }

    /// The same of an outcome whose code is all that was kept.
    static func servesSeed(code: String) -> Bool { Kind(rawValue: code)?.servesSeed ?? false }

    /// Why there was no answer.
    var failure: FetchError? { if case .failed(let error) = self { error } else { nil } }

    /// Whether trying again in the same run may help.
    var mayPass: Bool {
        switch self {
        case .throttled, .serverError: true
        case .failed(let error): error.mayPass
        default: false
        }
    }

    /// What it shows of the host's trouble, where it is not one of the URL alone.
    func trouble(asking url: WebURL) -> RequestFailure? {
        switch self {
        case .throttled(let status), .serverError(let status): RequestFailure(.status(status), asking: url)
        case .failed(let error) where error.concernsHost: RequestFailure(.failed(error), asking: url)
        default: nil
        }
    }

    /// Whether the exchange brought the answer to a page request, for the page limits; redirects are part of the page
    /// they lead to, and a URL that was not asked for counts for nothing.
    var countsAsPage: Bool {
        switch self {
        case .redirected, .redirectRefused, .redirectedToApp, .redirectLoop, .tooManyRedirects, .redirectBroken,
            .sitemap, .disallowed, .robotsUnreachable, .excluded, .hostLeft:
            false
        default: true
        }
    }
}
