import PippinPage

/// The content of a file, read once for all pages.
public enum SiteFileContent: Sendable {
    case manifest(WebAppManifest)
    case apple(AppleAssociationOutcome)
    case assetLinks(AssetLinksOutcome)
}

/// The reason why a file is missing. Its pages are recorded without it.
public enum SiteFileFailure: Sendable, Hashable {
    case status(Int)
    case failed(FetchError)
    /// Forbidden by the robots.txt of its host; with a sentence that names the rule.
    case disallowed(String)
    /// The robots.txt of its host could not be fetched.
    case robotsUnreachable(RobotsFailure)
    /// Neither on the page's site nor on a host that the crawl covers.
    case outOfScope
    /// The page's host was only met over http; association files need https.
    case notOverHTTPS
    /// Its host is public, and there is no contact.
    case contactMissing
    case redirectRefused(to: String)
    case tooManyRedirects
    /// The host needs a longer rest than the run waits.
    case hostLeft
    /// Another shard of the job asks its host.
    case otherShard
    /// Reading it took longer than `fetch.reading_timeout`.
    case readingTimedOut

    /// Half a sentence: why the file is missing.
    ///
    /// - Parameter url: its declared address.
    public func reason(at url: WebURL) -> String {
        switch self {
        case .status(let status): "its server answers with status \(status)"
        case .failed(let error): error.clause(asking: url)
        case .disallowed: "robots.txt does not allow it"
        case .robotsUnreachable(let failure): failure.clause
        case .outOfScope: "it lies on another site"
        case .notOverHTTPS: "its host was only met over http"
        case .contactMissing: "its host is public, and no contact is configured"
        case .redirectRefused(to: ""): "it redirects without saying where to"
        case .redirectRefused(let target): "it redirects to \(target.prefix(200))"
        case .tooManyRedirects: "its redirects do not end"
        case .hostLeft: "its host was left for this run"
        case .otherShard: "another shard of the job asks its host"
        case .readingTimedOut: "reading it took longer than \(Setting.readingTimeout.key) allows"
        }
    }

    /// The failure of an association file in a form for a record. Records are compared with earlier ones, so it omits messages
    /// of libraries, which may differ from one try to the next.
    func associationFetch(at url: WebURL) -> AssociationFetch {
        switch self {
        case .status(let status): .status(status)
        case .failed(.tls(_, let reason)): .insecure(reason)
        case .failed(.bodyTooLarge(let limit)): .tooLarge(limit: limit)
        case .failed(let error): .unreachable(error.kind.clause(detail: nil, asking: url))
        case .disallowed(let sentence): .disallowed(sentence)
        case .robotsUnreachable(let failure):
            if case .failed(.tls(_, let reason)) = failure.cause {
                .insecure(reason)
            } else {
                .unreachable(failure.plainClause)
            }
        case .redirectRefused(let target): .redirected(to: target)
        case .outOfScope: .notTried("it was not asked for, as its host is outside the crawl's scope")
        case .notOverHTTPS: .notTried("it was not asked for, as its host was only met over http")
        case .contactMissing: .notTried("it was not asked for, as \(reason(at: url))")
        case .hostLeft, .otherShard: .notTried("it was not asked for, as \(reason(at: url))")
        case .tooManyRedirects: .notTried("its redirects do not end")
        case .readingTimedOut: .notTried("reading it takes too long")
        }
    }
}

extension SiteFileFailure {
    enum Kind: String, CaseIterable {
        case status, failed, disallowed
        case robotsUnreachable = "robots-unreachable"
        case outOfScope = "out-of-scope"
        case notOverHTTPS = "not-over-https"
        case contactMissing = "contact-missing"
        case redirectRefused = "redirect-refused"
        case tooManyRedirects = "too-many-redirects"
        case hostLeft = "host-left"
        case otherShard = "other-shard"
        case readingTimedOut = "reading-timed-out"
    }

    var kind: Kind {
        switch self {
        case .status: .status
        case .failed: .failed
        case .disallowed: .disallowed
        case .robotsUnreachable: .robotsUnreachable
        case .outOfScope: .outOfScope
        case .notOverHTTPS: .notOverHTTPS
        case .contactMissing: .contactMissing
        case .redirectRefused: .redirectRefused
        case .tooManyRedirects: .tooManyRedirects
        case .hostLeft: .hostLeft
        case .otherShard: .otherShard
        case .readingTimedOut: .readingTimedOut
        }
    }

    /// Stable name.
    public var code: String { kind.rawValue }

    /// Whether the file's host gave an answer.
    var isAnswer: Bool {
        switch self {
        case .status, .failed, .redirectRefused, .tooManyRedirects, .readingTimedOut: true
        default: false
        }
    }
}

/// The outcome of requesting a file, for as long as it is kept.
public enum SiteFileOutcome: Sendable {
    /// The content, with a hash of the file's bytes.
    case found(SiteFileContent, digest: UInt64)
    case absent(SiteFileFailure)

    /// The manifest; nil for other outcomes.
    public var manifest: WebAppManifest? {
        if case .found(.manifest(let manifest), _) = self { manifest } else { nil }
    }

    /// The failure; nil if the file was found.
    public var failure: SiteFileFailure? {
        if case .absent(let failure) = self { failure } else { nil }
    }

    /// Stable name for counters: `found`, `unusable`, or the failure.
    var code: String {
        switch self {
        case .absent(let failure): failure.code
        case .found(.apple(let outcome), _): outcome.isUsable ? "found" : "unusable"
        case .found(.assetLinks(let outcome), _): outcome.isUsable ? "found" : "unusable"
        case .found(.manifest, _): "found"
        }
    }

    /// The size of the file if it is kept in memory. Its parsed form takes several times as much.
    var keptBytes: Int {
        switch self {
        case .absent: 0
        case .found(.apple(let outcome), _): outcome.file?.byteCount ?? 0
        case .found(.assetLinks(let outcome), _): outcome.links?.byteCount ?? 0
        // A manifest is reduced to a few names, whatever its size.
        case .found(.manifest, _): 0
        }
    }
}

/// The answer of one exchange for a file other than robots.txt.
enum SiteFileAnswer: Sendable {
    case settled(SiteFileOutcome, keep: Duration)
    /// The next address, if the crawl may go there.
    case redirected(to: WebURL)

    init(
        _ result: Result<FetchResponse, FetchError>, of request: SiteFileRequest, limits: ReadingLimits = .standard
    ) {
        let soon = RobotsAnswer.unreachableFor
        let long = RobotsAnswer.longestKept
        let response: FetchResponse
        switch result {
        case .success(let answer): response = answer
        case .failure(let error):
            self = .settled(.absent(.failed(error)), keep: error.mayPass || error.concernsHost ? soon : long)
            return
        }
        if request.kind.purpose.isAnswered(by: response.status) {
            self = .found(response, request, limits)
        } else if let redirect = response.redirect {
            guard case .page(let target) = redirect.target else {
                self = .settled(.absent(.redirectRefused(to: redirect.location)), keep: long)
                return
            }
            if request.hops < request.kind.maximumHops {
                self = .redirected(to: target)
            } else {
                let failure: SiteFileFailure =
                    request.kind.maximumHops == 0 ? .redirectRefused(to: target.href) : .tooManyRedirects
                self = .settled(.absent(failure), keep: long)
            }
        } else {
            self = .settled(.absent(.status(response.status)), keep: response.meaning.isTrouble ? soon : long)
        }
    }

    private static func found(
        _ response: FetchResponse, _ request: SiteFileRequest, _ limits: ReadingLimits
    ) -> SiteFileAnswer {
        var hash = StableHash()
        hash.add(response.body)
        // The media type decides whether devices accept it.
        hash.add(response.headers.mediaType ?? "")
        return .settled(
            .found(content(response, of: request, limits), digest: hash.value),
            keep: RobotsAnswer.lifetime(of: response))
    }

    private static func content(
        _ response: FetchResponse, of request: SiteFileRequest, _ limits: ReadingLimits
    ) -> SiteFileContent {
        var fetched: AssociationFetch {
            .fetched(bytes: response.body, mediaType: response.headers.mediaType)
        }
        switch request.kind {
        case .manifest: return .manifest(WebAppManifest(bytes: response.body, url: request.url, limits: limits))
        case .appleAssociation: return .apple(AppleAssociationOutcome(fetched, at: request.url, limits: limits))
        case .assetLinks: return .assetLinks(AssetLinksOutcome(fetched, at: request.url, limits: limits))
        case .robots, .subresource: preconditionFailure("it has an answer of its own")
        }
    }
}
