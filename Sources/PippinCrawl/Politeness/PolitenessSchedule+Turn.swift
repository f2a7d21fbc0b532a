import PippinPage

extension PolitenessSchedule {
    /// One request to one host. A request is kept in one place and not moved, because the lines of hosts move their turns
    /// again and again.
    public indirect enum Turn: Sendable, Equatable {
        case siteFile(SiteFileRequest)
        case visit(CrawlRequest)

        /// The host to ask.
        public var host: String {
            switch self {
            case .siteFile(let request): request.url.politenessHost
            case .visit(let request): request.host
            }
        }

        var url: WebURL {
            switch self {
            case .siteFile(let request): request.url
            case .visit(let request): request.url
            }
        }

        /// The order of a host's turns, smaller first: robots.txt, because everything waits for it, then files for pages that were already
        /// read, then sitemaps, then pages.
        ///
        /// - Parameter nearestFirst: whether pages nearer to their seed come first. If not, they come as they were leased.
        func priority(nearestFirst: Bool) -> Int {
            switch self {
            case .siteFile(let request): request.kind == .robots ? -3 : -2
            case .visit(let request): nearestFirst || !request.isPage ? request.priority : 0
            }
        }
    }

    /// The result of `next`.
    public enum Decision: Equatable {
        case start(Turn)
        /// A name must be looked up. Pass the result to `lookedUp`.
        case lookUp(host: String)
        /// Nothing is due before this time.
        case wait(until: Duration)
        /// Quiet hours close the whole crawl for longer than a run waits.
        case quiet(until: Duration)
        /// Quiet hours close a host for longer than a run waits. Remove its turns with `removeAll(host:)`.
        case suspend(host: String, until: Duration)
        /// The host's address was not named for this process (`AddressShares`), so that this run cannot ask it. Remove its turns with
        /// `removeAll(host:)`.
        case leave(host: String)
        /// No host has work that can start. The end of a request in flight may change that.
        case idle
    }

    /// What the run should do with the host after a turn.
    public enum Verdict: Equatable {
        case goOn
        /// The host needs a longer rest than this run waits. Leave it until then.
        case suspend(until: Duration)
    }
}

extension PolitenessSchedule {
    /// What a request showed about its host.
    public enum HostSign: Sendable, Equatable {
        /// The host answered; the value is the time to the first byte. Error pages come quickly and do not show how fast pages
        /// are made, so they never shorten a delay.
        case answered(Duration, isError: Bool)
        /// This URL fails (500, a broken body). The crawl slows down but continues.
        case stumbled
        /// The host is overloaded or unreachable. It is not asked for a while, at least for the time it asked for.
        case troubled(retryAfter: Duration?)
        /// A request was made, but the run was stopped before the answer. It shows nothing about the host.
        case abandoned
        /// No request was made in this turn.
        case untouched
    }
}

extension PolitenessSchedule.HostSign {
    /// The sign of an exchange for its host.
    ///
    /// - Parameter isSmallFile: whether it was a small file from disk. Such a file is as quick as an error, so its time shows
    ///   little about pages.
    init(_ result: Result<FetchResponse, FetchError>, isSmallFile: Bool = true) {
        switch result {
        case .failure(let error): self = error.sign
        case .success(let response):
            switch response.meaning {
            case .throttled: self = .troubled(retryAfter: response.retryAfter)
            case .serverError: self = .stumbled
            default: self = .answered(response.timeToFirstByte, isError: isSmallFile || response.status >= 400)
            }
        }
    }
}

extension FetchError {
    /// The sign of the failure for its host.
    var sign: PolitenessSchedule.HostSign {
        switch self {
        case .notAllowed: .untouched
        case .hostNotFound, .lookUpFailed, .connectionFailed, .timedOut, .tooCostly: .troubled(retryAfter: nil)
        case .truncatedBody, .protocolError, .cancelled: .stumbled
        // A fault of only this URL, or of a certificate or address: the host has answered, or was not asked.
        case .unsupportedScheme, .addressRefused, .tls, .bodyTooLarge, .headersTooLarge, .endUncertain,
            .badContentEncoding, .signatureWanted:
            .answered(.zero, isError: true)
        }
    }
}
