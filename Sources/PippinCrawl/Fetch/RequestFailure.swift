import PippinPage

/// The reason why a request has no answer of use: the URL and the cause. Crawls, single requests, files of sites, robots.txt and
/// the requests of rendered pages all have this one type. Its `detail` is kept in logs and storages and can be read back.
///
/// A new cause needs a case and a `Kind`; the compiler then asks for the rest.
public struct RequestFailure: ReportedError, Sendable, Hashable {
    public indirect enum Cause: Sendable, Hashable {
        // The URL was requested.

        /// The exchange gave no response.
        case failed(FetchError)
        /// A status that does not mean what was asked for.
        case status(Int)
        /// It redirects to an address that is not an http URL; with that address, which may be empty.
        case badRedirect(String)
        /// It redirects to a URL that may not be requested in its place.
        case redirectRefused(to: String)
        /// A redirect leads back to where the request was.
        case redirectLoop
        case tooManyRedirects
        /// Reading the answer took longer than `fetch.reading_timeout`.
        case readingTimedOut

        // The URL was not requested.

        /// robots.txt forbids it; with a sentence that names the rule.
        case disallowed(String)
        /// Without robots.txt nothing of the origin is allowed (RFC 9309 §2.3.1.4); with the reason why it is missing.
        case robotsUnreachable(RequestFailure)
        case notHTTP
        /// The host is public, and there is no contact.
        case contactMissing
        /// The host is public, and the contact is an example that reaches nobody.
        case contactIsPlaceholder
        /// Neither on the page's site nor on a host that the crawl covers.
        case outOfScope
        /// The page's host was only met over http; association files need https.
        case notOverHTTPS
        /// Another shard of the job asks the host.
        case otherShard
        /// The driver has not named the host's address for this shard yet.
        case addressNotNamed
        /// The host needs a longer rest than the run waits.
        case hostLeft
        /// The host needs this much more rest, and a command does not wait so long.
        case hostRests(for: Duration)
        /// This many requests in a row to hosts on the same address failed.
        case addressRests(String, failures: Int)
        /// This many names of the same registered domain do not exist.
        case namesMissing(String, count: Int)
        /// Scripts of a rendered page may only ask with GET, and with a POST that only reads: all else may change something.
        case method(String)
        /// Scripts of a rendered page ask for more files than this.
        case tooManyFiles(limit: Int)
        /// The files of a rendered page are too large.
        case filesTooLarge
    }

    /// The URL of the last request, or of the one that was not made.
    public let url: WebURL
    public let cause: Cause

    public init(_ cause: Cause, asking url: WebURL) {
        self.cause = cause
        self.url = url
    }

    /// The error if the exchange gave no response; otherwise nil.
    public var error: FetchError? { if case .failed(let error) = cause { error } else { nil } }

    /// The status if it is the cause; otherwise nil.
    public var status: Int? { if case .status(let status) = cause { status } else { nil } }

    /// The failure of robots.txt if that is the cause; otherwise this failure.
    public var root: RequestFailure { if case .robotsUnreachable(let rules) = cause { rules.root } else { self } }
}

// MARK: Codes

extension RequestFailure {
    /// Stable name of the cause. `status` and `failed` are followed by what they hold in a `code`.
    enum Kind: String, Sendable, CaseIterable {
        case failed, status
        case badRedirect = "redirect-broken"
        case redirectRefused = "redirect-refused"
        case redirectLoop = "redirect-loop"
        case tooManyRedirects = "too-many-redirects"
        case readingTimedOut = "reading-timed-out"
        case disallowed
        case robotsUnreachable = "robots-unreachable"
        case notHTTP = "not-http"
        case contactMissing = "contact-missing"
        case contactIsPlaceholder = "contact-is-placeholder"
        case outOfScope = "out-of-scope"
        case notOverHTTPS = "not-over-https"
        case otherShard = "other-shard"
        case addressNotNamed = "address-not-named"
        case hostLeft = "host-left"
        case hostRests = "host-rests"
        case addressRests = "address-rests"
        case namesMissing = "names-missing"
        case method
        case tooManyFiles = "too-many-files"
        case filesTooLarge = "files-too-large"

        /// Stable name in counters and log lines of files of sites, which know fewer causes.
        var fileCode: String {
            switch self {
            case .badRedirect: Self.redirectRefused.rawValue
            case .contactIsPlaceholder: Self.contactMissing.rawValue
            case .notHTTP: Self.outOfScope.rawValue
            case .hostRests, .addressRests, .namesMissing: Self.hostLeft.rawValue
            default: rawValue
            }
        }
    }

    /// Stable: `failed-tls`, `status-503`, `redirect-broken`, `host-left`, `reading-timed-out`.
    public var code: String {
        switch cause {
        case .failed(let error): "\(Kind.failed.rawValue)-\(error.code)"
        case .status(let status): "\(Kind.status.rawValue)-\(status)"
        default: cause.kind.rawValue
        }
    }

    /// Stable name in the JSON of a rendering if our rules forbade the request; nil if it was made.
    public var refusalCode: String? {
        switch cause {
        case .disallowed: "disallowed"
        case .robotsUnreachable: "robots_unreachable"
        case .addressNotNamed, .hostLeft, .hostRests, .addressRests, .namesMissing: "host_left"
        case .method: "method"
        case .tooManyFiles, .filesTooLarge: "too_many"
        case .notHTTP, .contactMissing, .contactIsPlaceholder, .outOfScope, .notOverHTTPS, .otherShard,
            .failed(.notAllowed), .failed(.addressRefused):
            "not_allowed"
        case .failed, .status, .badRedirect, .redirectRefused, .redirectLoop, .tooManyRedirects, .readingTimedOut: nil
        }
    }

    /// Code, URL, and what the cause holds, separated by spaces, for logs and storages.
    public var detail: String { [code, url.href, cause.words].compactMap { $0 }.joined(separator: " ") }

    /// Reads a `detail`. Nil if the text is none, or its code is not known.
    public init?(detail: String) {
        let parts = detail.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 2, let url = WebURL(parts[1]),
            let cause = Cause(code: parts[0], words: parts.count > 2 ? parts[2] : nil)
        else { return nil }
        self.init(cause, asking: url)
    }
}

extension RequestFailure.Cause {
    var kind: RequestFailure.Kind {
        switch self {
        case .failed: .failed
        case .status: .status
        case .badRedirect: .badRedirect
        case .redirectRefused: .redirectRefused
        case .redirectLoop: .redirectLoop
        case .tooManyRedirects: .tooManyRedirects
        case .readingTimedOut: .readingTimedOut
        case .disallowed: .disallowed
        case .robotsUnreachable: .robotsUnreachable
        case .notHTTP: .notHTTP
        case .contactMissing: .contactMissing
        case .contactIsPlaceholder: .contactIsPlaceholder
        case .outOfScope: .outOfScope
        case .notOverHTTPS: .notOverHTTPS
        case .otherShard: .otherShard
        case .addressNotNamed: .addressNotNamed
        case .hostLeft: .hostLeft
        case .hostRests: .hostRests
        case .addressRests: .addressRests
        case .namesMissing: .namesMissing
        case .method: .method
        case .tooManyFiles: .tooManyFiles
        case .filesTooLarge: .filesTooLarge
        }
    }

    /// What the cause holds beside its code; nil if nothing.
    fileprivate var words: String? {
        switch self {
        case .failed(let error): error.detail
        case .badRedirect(let target), .redirectRefused(let target): String(target.prefix(200))
        case .disallowed(let sentence): sentence
        case .robotsUnreachable(let rules): rules.detail
        case .hostRests(let time): "\(time.components.seconds)"
        case .addressRests(let address, let failures): "\(failures) \(address)"
        case .namesMissing(let domain, let count): "\(count) \(domain)"
        case .method(let method): method
        case .tooManyFiles(let limit): "\(limit)"
        case .status, .redirectLoop, .tooManyRedirects, .readingTimedOut, .notHTTP, .contactMissing,
            .contactIsPlaceholder,
            .outOfScope, .notOverHTTPS, .otherShard, .addressNotNamed, .hostLeft, .filesTooLarge:
            nil
        }
    }

    fileprivate init?(code: String, words: String?) {
        let text = words ?? ""
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        let number = parts.first.flatMap { Int($0) }
        let kindAndRest = code.split(separator: "-", maxSplits: 1).map(String.init)
        switch RequestFailure.Kind(rawValue: code) ?? RequestFailure.Kind(rawValue: kindAndRest.first ?? "") {
        case .failed:
            guard kindAndRest.count == 2, let error = FetchError(code: kindAndRest[1], detail: words) else {
                return nil
            }
            self = .failed(error)
        case .status:
            guard kindAndRest.count == 2, let status = Int(kindAndRest[1]) else { return nil }
            self = .status(status)
        case .badRedirect: self = .badRedirect(text)
        case .redirectRefused: self = .redirectRefused(to: text)
        case .redirectLoop: self = .redirectLoop
        case .tooManyRedirects: self = .tooManyRedirects
        case .readingTimedOut: self = .readingTimedOut
        case .disallowed: self = .disallowed(text)
        case .robotsUnreachable:
            guard let rules = RequestFailure(detail: text) else { return nil }
            self = .robotsUnreachable(rules)
        case .notHTTP: self = .notHTTP
        case .contactMissing: self = .contactMissing
        case .contactIsPlaceholder: self = .contactIsPlaceholder
        case .outOfScope: self = .outOfScope
        case .notOverHTTPS: self = .notOverHTTPS
        case .otherShard: self = .otherShard
        case .addressNotNamed: self = .addressNotNamed
        case .hostLeft: self = .hostLeft
        case .hostRests: self = .hostRests(for: .seconds(number ?? 0))
        case .addressRests:
            guard parts.count == 2, let number else { return nil }
            self = .addressRests(parts[1], failures: number)
        case .namesMissing:
            guard parts.count == 2, let number else { return nil }
            self = .namesMissing(parts[1], count: number)
        case .method: self = .method(text)
        case .tooManyFiles: self = .tooManyFiles(limit: number ?? 0)
        case .filesTooLarge: self = .filesTooLarge
        case nil: return nil
        }
    }

    // MARK: What follows from it

    /// Whether the request was made, so that it has a log line of its own.
    var wasAsked: Bool {
        switch self {
        case .failed, .status, .badRedirect, .redirectRefused, .redirectLoop, .tooManyRedirects, .readingTimedOut: true
        default: false
        }
    }

    /// Whether a later request may succeed without anybody having changed anything.
    var mayPass: Bool {
        switch self {
        case .status(let status): StatusMeaning(status).isTrouble
        case .failed(let error): error.retry != .never
        case .robotsUnreachable, .addressNotNamed, .hostLeft, .hostRests, .addressRests, .namesMissing, .otherShard:
            true
        default: false
        }
    }
}

extension RequestFailure {
    /// Whether Pippin did not ask for a reason of its own, so that the site is not to blame.
    public var isOwnDoing: Bool {
        if case .disallowed = cause { false } else { root.refusalCode != nil }
    }

    /// Whether it concerns the whole host, not only one URL.
    var concernsHost: Bool {
        switch cause {
        case .failed(let error): error.concernsHost
        case .status(let status): StatusMeaning(status).isTrouble
        default: false
        }
    }

    /// The exit status of a command that needs the answer.
    public var exitStatus: ExitStatus {
        switch cause {
        case .disallowed: .findings
        case .contactMissing, .contactIsPlaceholder, .notHTTP: .usage
        default: .unavailable
        }
    }
}

// MARK: Words

extension RequestFailure {
    public var description: String { explanation(.flag) }

    /// A sentence without its full stop: `https://shop.example/robots.txt cannot be fetched: it answers with status 503`
    public var clause: String { clause(isPlain: false) }

    /// - Parameter isPlain: whether the message of a library is left out, which may differ from one try to the next.
    func clause(isPlain: Bool) -> String {
        switch cause {
        case .disallowed(let sentence): "robots.txt does not allow \(url.href): \(sentence.withoutFullStop)"
        case .robotsUnreachable(let rules): "\(url.href) may not be fetched, because \(rules.clause(isPlain: isPlain))"
        case .notHTTP, .contactMissing, .contactIsPlaceholder: "\(url.href) is not asked for: \(reason)"
        default: "\(url.href) cannot be fetched: \(reason(isPlain: isPlain))"
        }
    }

    /// The cause alone, as a clause in which “it” is the URL: `it answers with status 503`
    public var reason: String { reason(isPlain: false) }

    private func reason(isPlain: Bool) -> String {
        switch cause {
        case .failed(let error): error.clause(asking: url, isPlain: isPlain)
        case .status(let status): "it answers with status \(status)"
        case .badRedirect(""): "it redirects without saying where to"
        case .badRedirect(let location): "it redirects to \"\(location.prefix(200))\", which is no page"
        case .redirectRefused(let target): "it redirects to \(target.prefix(200))"
        case .redirectLoop: "its redirects come back to where they were"
        case .tooManyRedirects: "its redirects do not end"
        case .readingTimedOut: "reading it took longer than \(Setting.readingTimeout.key) allows"
        case .disallowed(let sentence): "robots.txt does not allow it (\(sentence.withoutFullStop))"
        case .robotsUnreachable(let rules): rules.clause(isPlain: isPlain)
        case .notHTTP: "it is neither http nor https"
        case .contactMissing: "its host is public, and no contact is configured"
        case .contactIsPlaceholder: "its host is public, and the contact is an example that reaches nobody"
        case .outOfScope: "it lies on another site"
        case .notOverHTTPS: "its host was only met over http"
        case .otherShard: "another shard of the job asks its host"
        case .addressNotNamed: "the address of \(url.politenessHost) is new, and the next turn asks it"
        case .hostLeft: "\(url.politenessHost) wants more rest than the run waits"
        case .hostRests(let time): "\(url.politenessHost) wants no request for \(time.words) more"
        case .addressRests(let address, let failures):
            "the last \(Wording.count(failures, "request")) to hosts on its address, \(address), failed"
        case .namesMissing(let domain, let count): "\(count) names under \(domain) have no address"
        case .method(let method): "a \(method) request may change something"
        case .tooManyFiles(let limit): "the page asks for more than \(limit) files"
        case .filesTooLarge: "the page's files are too large"
        }
    }

    /// A short form for texts that name the host: `robots.txt 503`
    var brief: String {
        guard let status else { return reason }
        return "\(url.path == "/robots.txt" ? "robots.txt" : String(url.path.prefix(60))) \(status)"
    }

    /// The remedy, without a full stop; nil if there is none.
    public func remedy(_ spelling: Setting.Spelling) -> String? {
        switch cause {
        case .failed(let error): error.remedy(spelling)
        case .status, .badRedirect:
            url.path == "/robots.txt"
                ? "A server that has no robots.txt must answer with 404, or nothing there may be visited" : nil
        case .robotsUnreachable(let rules): rules.remedy(spelling)
        case .contactMissing, .contactIsPlaceholder:
            "Give \(Setting.contact.spelled(spelling)) a URL or mail address where its owner reaches you"
        case .hostRests: "Try again then"
        default: nil
        }
    }

    /// The failure and its remedy, without the last full stop.
    public func explanation(_ spelling: Setting.Spelling) -> String { join(clause, remedy(spelling)) }

    /// The explanation for a reader who knows the URL.
    public func briefExplanation(_ spelling: Setting.Spelling) -> String { join(reason, remedy(spelling)) }

    private func join(_ clause: String, _ remedy: String?) -> String { clause + (remedy.map { ". \($0)" } ?? "") }
}

extension String {
    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
