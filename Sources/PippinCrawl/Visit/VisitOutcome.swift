import PippinPage

/// How a visit ended. Whatever the web does to us is one of these; `code` is stable and goes into counters, logs, the store
/// and messages.
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

// The stable names of outcomes. Docs/CrawlLog.md lists them; a test holds the list against `allCodes`, which knows them all,
// because every case of an outcome must name its kind.

extension VisitOutcome {
    /// The first part of a code.
    enum Kind: String, CaseIterable {
        case recorded
        case withoutDeepLinks = "without-deep-links"
        case notModified = "not-modified"
        case duplicate, noindex, redirected
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
            case .recorded, .withoutDeepLinks, .notModified, .duplicate, .noindex, .redirected, .redirectedToApp: true
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

    var kind: Kind {
        switch self {
        case .recorded: .recorded
        case .withoutDeepLinks: .withoutDeepLinks
        case .notModified: .notModified
        case .duplicate: .duplicate
        case .noindex: .noindex
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

    public var code: String {
        switch self {
        case .redirectRefused(_, let refusal), .excluded(let refusal): "\(kind.rawValue)-\(refusal.rawValue)"
        case .failed(let error): "\(kind.rawValue)-\(error.code)"
        default: kind.rawValue
        }
    }

    /// Every code that an outcome may have.
    static var allCodes: [String] { Kind.allCases.flatMap(\.codes) }

    /// Where the URL leads instead.
    var target: String? {
        switch self {
        case .duplicate(let url), .redirected(let url, _), .redirectRefused(let url, _): url.href
        case .redirectedToApp(let address): address
        default: nil
        }
    }
}

// What an outcome means for the record that an earlier visit wrote.

extension VisitOutcome {
    /// Whether the page was not to be had, while nobody said that it is gone.
    var leavesOpen: Bool {
        if case .redirected(_, permanent: false) = self { return true }
        return bearing == .misses || self == .refused(status: 304)
    }

    /// What an outcome says of the record that an earlier visit of the URL wrote.
    public enum Bearing: Sendable, Equatable {
        /// The page was read: what it says now counts.
        case replaces
        /// The page went, or asks not to be listed: so does the record.
        case ends
        /// The host answered, and the page was not to be had; the record goes when that happens `recrawl.misses` times in a
        /// row.
        case misses
        /// Nothing was learned of the page: the record stays.
        case silent
    }

    public var bearing: Bearing {
        switch self {
        case .recorded, .withoutDeepLinks, .notModified: .replaces
        case .gone, .noindex, .duplicate, .disallowed: .ends
        case .redirected(_, let permanent): permanent ? .ends : .silent
        // The operator took the page out of the crawl; limits of a run say nothing of it.
        case .excluded(let refusal): refusal == .hostPageLimit || refusal == .sitemapLimit ? .silent : .ends
        // "Not modified" without having been asked: whatever is wrong there, the page is not said to be gone.
        case .refused(status: 304): .silent
        case .redirectRefused, .redirectedToApp, .redirectLoop, .tooManyRedirects, .redirectBroken, .notAPage, .empty,
            .refused, .serverError, .readingTimedOut:
            .misses
        case .throttled, .robotsUnreachable, .hostLeft, .sitemap: .silent
        case .failed(let error):
            switch error {
            case .bodyTooLarge, .headersTooLarge, .truncatedBody, .endUncertain, .badContentEncoding, .protocolError:
                .misses
            case .unsupportedScheme, .notAllowed, .hostNotFound, .lookUpFailed, .addressRefused, .connectionFailed,
                .timedOut, .tls, .tooCostly, .cancelled:
                .silent
            }
        }
    }

    /// What the code leaves out, for people: a status, a target, a type.
    public var detail: String? {
        switch self {
        case .duplicate(let url), .redirected(let url, _), .redirectRefused(let url, _): url.href
        case .redirectedToApp(let address): address
        case .sitemap(let entries, let sitemaps): "\(entries) entries, \(sitemaps) sitemaps"
        case .notAPage(let type): type
        case .gone(let status), .refused(let status), .throttled(let status), .serverError(let status): "\(status)"
        case .failed(let error): error.detail
        case .robotsUnreachable(let failure): failure.detail
        case .recorded, .withoutDeepLinks, .notModified, .noindex, .redirectLoop, .tooManyRedirects, .redirectBroken,
            .empty, .disallowed, .excluded, .hostLeft, .readingTimedOut:
            nil
        }
    }
}
