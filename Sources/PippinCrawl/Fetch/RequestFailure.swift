import PippinPage

/// The reason why the robots.txt of an origin could not be fetched. Until it is, nothing there is allowed (RFC 9309 §2.3.1.4).
public typealias RobotsFailure = RequestFailure

/// A failure that concerns more than its URL: the host, or all URLs under a robots.txt.
public struct RequestFailure: Error, Sendable, Hashable {
    /// The reason for the failure.
    public enum Cause: Sendable, Hashable {
        /// There was no answer.
        case failed(FetchError)
        /// 429, 5xx, or another status that means neither a file nor its absence.
        case status(Int)
        /// It redirects to an address that is not an http URL; with that address.
        case badRedirect(String)
        /// It redirects to a host that wants more rest than the run waits.
        case hostLeft
        /// Reading the answer took longer than `fetch.reading_timeout`.
        case readingTimedOut
        /// It was not requested, because this many requests in a row to hosts on the same address failed.
        case addressRests(String, failures: Int)
        /// It was not requested, because this many names of the same registered domain do not exist.
        case namesMissing(String, count: Int)
    }

    /// The last requested URL: the file, or a redirect target.
    public let url: WebURL
    /// The reason for the failure.
    public let cause: Cause

    /// Creates a failure.
    public init(_ cause: Cause, asking url: WebURL) {
        self.cause = cause
        self.url = url
    }

    /// Stable: `failed-tls`, `status-503`, `redirect-broken`, `host-left`, `reading-timed-out`.
    public var code: String {
        switch cause {
        case .failed(let error): "failed-\(error.code)"
        case .status(let status): "status-\(status)"
        case .badRedirect: "redirect-broken"
        case .hostLeft: "host-left"
        case .readingTimedOut: "reading-timed-out"
        case .addressRests: "address-rests"
        case .namesMissing: "names-missing"
        }
    }

    /// The error if there was no answer; otherwise nil.
    var error: FetchError? { if case .failed(let error) = cause { error } else { nil } }

    /// The status if it is the cause; otherwise nil.
    public var status: Int? {
        if case .status(let status) = cause { status } else { nil }
    }

    /// Code, URL, and the message of a library or server, separated by spaces, for logs and storages. `Words(detail:)` reads it.
    public var detail: String {
        [code, url.href, Words(self).words].compactMap { $0 }.joined(separator: " ")
    }

    /// Half a sentence: `https://shop.example/robots.txt cannot be fetched: it answers with status 503`
    public var clause: String { Words(self).clause }

    /// The clause without the message of a library or server.
    var plainClause: String { Words(self, isPlain: true).clause }

    /// The remedy, without a full stop; nil if there is none.
    public func remedy(_ spelling: Setting.Spelling) -> String? { Words(self).remedy(spelling) }

    /// The failure and its remedy, without the last full stop.
    public func explanation(_ spelling: Setting.Spelling) -> String { Words(self).explanation(spelling) }
}

extension RequestFailure {
    /// The parts of the failure that messages need, also made from a stored `detail`.
    public struct Words: Sendable, Equatable {
        /// The code of the failure.
        public let code: String
        /// The last requested URL.
        public let url: WebURL
        /// The message of a library or server, if any.
        public let words: String?

        /// The words of a failure.
        ///
        /// - Parameter isPlain: whether an error's own message is left out.
        public init(_ failure: RequestFailure, isPlain: Bool = false) {
            code = failure.code
            url = failure.url
            words =
                switch failure.cause {
                case .failed(let error): isPlain ? nil : error.detail
                case .badRedirect(let location): String(location.prefix(200))
                case .addressRests(let address, let failures): "\(failures) \(address)"
                case .namesMissing(let domain, let count): "\(count) \(domain)"
                case .status, .hostLeft, .readingTimedOut: nil
                }
        }

        /// Nil if the text is not a `RequestFailure.detail`.
        public init?(detail: String) {
            let parts = detail.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count >= 2, let url = WebURL(parts[1]) else { return nil }
            code = String(parts[0])
            self.url = url
            words = parts.count > 2 ? String(parts[2]) : nil
        }

        private var kind: FetchError.Kind? {
            code.hasPrefix("failed-") ? FetchError.Kind(rawValue: String(code.dropFirst(7))) : nil
        }

        /// Half a sentence, as in `RequestFailure`.
        public var clause: String { "\(url.href) cannot be fetched: \(cause)" }

        /// A short form for texts that name the host: `robots.txt 503`
        var brief: String {
            guard code.hasPrefix("status-") else { return cause }
            let name = url.path == "/robots.txt" ? "robots.txt" : String(url.path.prefix(60))
            return "\(name) \(code.dropFirst(7))"
        }

        /// The cause alone.
        public var cause: String {
            if let kind { return kind.clause(detail: words, asking: url) }
            if code.hasPrefix("status-") { return "it answers with status \(code.dropFirst(7))" }
            let parts = words?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
            return switch code {
            case "address-rests" where parts.count == 2:
                "the last \(parts[0]) requests to hosts on its address, \(parts[1]), failed"
            case "names-missing" where parts.count == 2: "\(parts[0]) names under \(parts[1]) have no address"
            case "redirect-broken": "it redirects to \"\(words ?? "")\", which is no page"
            case "host-left": "\(url.politenessHost) wants more rest than the run waits"
            case "reading-timed-out": "reading it takes longer than \(Setting.readingTimeout.key) allows"
            default: code
            }
        }

        /// The remedy, without a full stop; nil if there is none.
        public func remedy(_ spelling: Setting.Spelling) -> String? {
            if let kind { return kind.remedy(detail: words, spelling) }
            let isWrongAnswer = code.hasPrefix("status-") || code == "redirect-broken"
            return isWrongAnswer && url.path == "/robots.txt"
                ? "A server that has no robots.txt must answer with 404, or nothing there may be visited" : nil
        }

        /// The failure and its remedy, without the last full stop.
        public func explanation(_ spelling: Setting.Spelling) -> String {
            clause + (remedy(spelling).map { ". \($0)" } ?? "")
        }
    }
}
