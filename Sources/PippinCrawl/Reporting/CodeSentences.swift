import PippinPage

/// Sentences for people about the stable codes.
public enum CodeSentences {
    /// How the sentence about a record without its text begins.
    public static let withoutText = "Recorded without its text. "

    /// One or more sentences for a code of `VisitOutcome`; nil if this version does not know the code. For a failure, they tell
    /// what the network did and what to do about it.
    ///
    /// - Parameters:
    ///   - detail: the outcome's `VisitOutcome.detail`.
    ///   - url: the visited URL.
    ///   - spelling: the way to name settings.
    public static func sentence(
        ofOutcome code: String, detail: String?, at url: WebURL, _ spelling: Setting.Spelling
    ) -> String? {
        if let kind = VisitOutcome.Kind(rawValue: code) {
            guard let detail, !detail.isEmpty else { return kind.sentence + "." }
            switch kind {
            case .robotsUnreachable:
                let words = RequestFailure(detail: detail)?.explanation(spelling) ?? detail
                return "\(kind.sentence): \(words)."
            // The detail has the line of the robots.txt, as a sentence.
            case .disallowed, .useRefused: return "\(kind.sentence). \(detail)"
            // The caller names the other URL.
            case .duplicate: return kind.sentence + "."
            default: return "\(kind.sentence): \(detail)."
            }
        }
        for kind in [VisitOutcome.Kind.redirectRefused, .excluded, .failed] where code.hasPrefix(kind.rawValue + "-") {
            let rest = String(code.dropFirst(kind.rawValue.count + 1))
            if kind == .failed {
                if let error = FetchError(code: rest, detail: detail) {
                    return "\(kind.sentence): \(error.explanation(asking: url, spelling))."
                }
            } else if let refusal = CrawlScope.Refusal(rawValue: rest) {
                let target = kind == .redirectRefused ? detail.map { " (\($0))" } ?? "" : ""
                return "\(kind.sentence)\(target): \(refusal.sentence(spelling))."
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
        case .useRefused: "The page may not be used for what the crawl is for (purpose)"
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
        case .robotsUnreachable: "It was not asked for, because without its host's robots.txt nothing there is allowed"
        case .excluded: "The configuration leaves it out"
        case .hostLeft: "Its host wanted more rest than the run waited"
        case .gone: "The page is not there"
        case .refused: "The host refused the page"
        case .throttled: "The host was asked too much, or had no time"
        case .serverError: "The host failed"
        case .readingTimedOut:
            "Reading the answer took longer than \(Setting.readingTimeout.key) allows, and was given up; it is asked for again after a long time"
        case .failed: "It could not be fetched"
        }
    }
}

extension CrawlScope.Refusal {
    /// Half a sentence, with the setting that decides it.
    public func sentence(_ spelling: Setting.Spelling) -> String {
        func name(_ setting: Setting) -> String { setting.spelled(spelling) }
        return switch self {
        case .notHTTP: "it is neither http nor https"
        case .credentials: "the URL holds a user name or password"
        case .otherHost: "its host is none of the crawl's (\(name(.follow)), \(name(.allowedHosts)))"
        case .linksNotFollowed: "only seeds are visited (\(name(.follow)): page)"
        case .contactMissing: "its host is public, and \(name(.contact)) is not set"
        case .tooDeep: "it lies deeper than \(name(.maximumDepth))"
        case .notIncluded: "it matches none of \(name(.include))"
        case .excluded: "it matches one of \(name(.exclude))"
        case .tooLong: "the URL is longer than \(CrawlScope.maximumURLBytes) bytes"
        case .pathTooDeep: "its path has more than \(CrawlScope.maximumPathSegments) segments, as in sites without end"
        case .repeatedSegments: "segments of its path repeat three times, as in sites without end"
        case .tooManyParameters: "its query has more than \(CrawlScope.maximumParameters) parameters"
        case .hostPageLimit: "\(name(.maximumPagesPerHost)) was reached"
        case .queueFull:
            "more of its host waits than \(name(.maximumPagesPerHost)) and \(name(.maximumPages)) let a run visit"
        case .sitemapLimit: "more sitemaps of a host, or in all (\(name(.maximumSitemaps))), are not read"
        case .foreignSitemapEntry: "a sitemap lists it that does not speak for its host"
        case .otherShard: "another shard of the job asks its host"
        case .outOfTurn: "it was not its host's turn, which is a defect of Pippin"
        }
    }
}
