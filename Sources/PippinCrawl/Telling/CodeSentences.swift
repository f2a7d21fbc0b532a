/// What the stable codes mean, for people.
public enum CodeSentences {
    /// A sentence for a code of `VisitOutcome`; nil for a code that this version does not know.
    public static func sentence(ofOutcome code: String) -> String? {
        if let kind = VisitOutcome.Kind(rawValue: code) { return kind.sentence + "." }
        for kind in [VisitOutcome.Kind.redirectRefused, .excluded, .failed] where code.hasPrefix(kind.rawValue + "-") {
            let rest = String(code.dropFirst(kind.rawValue.count + 1))
            if kind == .failed {
                if let failure = FetchError.Kind(rawValue: rest) { return "\(kind.sentence): \(failure.sentence)." }
            } else if let refusal = CrawlScope.Refusal(rawValue: rest) {
                return "\(kind.sentence): \(refusal.sentence)."
            }
        }
        return nil
    }
}

extension VisitOutcome.Kind {
    fileprivate var sentence: String {
        switch self {
        case .recorded: "The page gave a record"
        case .withoutDeepLinks: "The page was read, and leads into no app, while only such pages are recorded"
        case .notModified: "The page is as it was on the visit before, and so is its record"
        case .duplicate: "The page names another URL as its canonical one, which stands for both"
        case .noindex: "The page asks not to be indexed"
        case .redirected: "It leads elsewhere"
        case .redirectRefused: "It leads to where the crawl does not go"
        case .redirectedToApp: "It leads into an app"
        case .redirectLoop: "Its redirects come back to where they were"
        case .tooManyRedirects: "Its redirects do not end"
        case .redirectBroken: "It redirects without saying where"
        case .sitemap: "It was read for the URLs it lists"
        case .notAPage: "It is neither HTML nor XHTML"
        case .empty: "The answer was empty"
        case .disallowed: "The robots.txt of its host does not allow it"
        case .robotsUnreachable: "The robots.txt of its host could not be had, so nothing there was allowed"
        case .excluded: "The configuration leaves it out"
        case .hostLeft: "Its host wanted more rest than the run waited"
        case .gone: "The page is not there"
        case .refused: "The host refused the page"
        case .throttled: "The host was asked too much, or had no time"
        case .serverError: "The host failed"
        case .failed: "There was no answer"
        }
    }
}

extension CrawlScope.Refusal {
    /// Half a sentence.
    public var sentence: String {
        switch self {
        case .notHTTP: "it is neither http nor https"
        case .credentials: "the URL holds a user name or password"
        case .otherHost: "its host is none of the crawl's (scope.follow, scope.allow_hosts)"
        case .linksNotFollowed: "only seeds are visited (scope.follow: page)"
        case .contactMissing: "its host is public, and agent.contact is not set"
        case .tooDeep: "it lies deeper than scope.max_depth"
        case .notIncluded: "it matches none of scope.include"
        case .excluded: "it matches one of scope.exclude"
        case .tooLong: "the URL is longer than \(CrawlScope.maximumURLBytes) bytes"
        case .pathTooDeep: "its path has more than \(CrawlScope.maximumPathSegments) segments, as in sites without end"
        case .repeatedSegments: "segments of its path repeat three times, as in sites without end"
        case .tooManyParameters: "its query has more than \(CrawlScope.maximumParameters) parameters"
        case .hostPageLimit: "scope.max_pages_per_host was reached"
        case .sitemapLimit: "more sitemaps of a host are not read"
        case .foreignSitemapEntry: "a sitemap lists it that does not speak for its host"
        }
    }
}

extension FetchError.Kind {
    fileprivate var sentence: String {
        switch self {
        case .unsupportedScheme: "it is neither http nor https"
        case .hostNotFound: "the host's name has no address"
        case .addressRefused: "its addresses are private, and fetch.allow_private_networks is off"
        case .connectionFailed: "nothing listens there, or the connection broke"
        case .timedOut: "it took too long"
        case .tls: "no secure connection could be made"
        case .bodyTooLarge: "the page is larger than fetch.max_body"
        case .headersTooLarge: "the header is too large"
        case .truncatedBody: "the connection ended in the middle of the page"
        case .badContentEncoding: "the page could not be decoded"
        case .protocolError: "what came is not HTTP"
        case .cancelled: "the run ended it"
        }
    }
}
