import PippinPage

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

extension FetchError {
    /// Stable name of the kind of failure.
    public enum Kind: String, Sendable, CaseIterable {
        case unsupportedScheme = "unsupported-scheme"
        case notAllowed = "not-allowed"
        case hostNotFound = "host-not-found"
        case lookUpFailed = "look-up-failed"
        case addressRefused = "address-refused"
        case connectionFailed = "connection-failed"
        case timedOut = "timed-out"
        case tls
        case bodyTooLarge = "body-too-large"
        case headersTooLarge = "headers-too-large"
        case truncatedBody = "truncated-body"
        case endUncertain = "end-uncertain"
        case badContentEncoding = "bad-content-encoding"
        case protocolError = "protocol-error"
        case tooCostly = "too-costly"
        case cancelled
    }

    public var kind: Kind {
        switch self {
        case .unsupportedScheme: .unsupportedScheme
        case .notAllowed: .notAllowed
        case .hostNotFound: .hostNotFound
        case .lookUpFailed: .lookUpFailed
        case .addressRefused: .addressRefused
        case .connectionFailed: .connectionFailed
        case .timedOut: .timedOut
        case .tls: .tls
        case .bodyTooLarge: .bodyTooLarge
        case .headersTooLarge: .headersTooLarge
        case .truncatedBody: .truncatedBody
        case .endUncertain: .endUncertain
        case .badContentEncoding: .badContentEncoding
        case .protocolError: .protocolError
        case .tooCostly: .tooCostly
        case .cancelled: .cancelled
        }
    }

    /// Stable name of the kind of failure.
    public var code: String { kind.rawValue }

    /// What the code leaves out; with the code it says all that `FetchError+Words.swift` needs.
    public var detail: String? {
        switch self {
        case .unsupportedScheme(let text), .lookUpFailed(let text), .addressRefused(let text),
            .connectionFailed(let text), .timedOut(let text), .badContentEncoding(let text), .protocolError(let text),
            .tooCostly(let text):
            text
        case .notAllowed(let refusal): refusal.rawValue
        case .tls(let fault, let reason): "\(fault.rawValue): \(reason)"
        case .bodyTooLarge(let limit): "more than \(limit) bytes"
        case .hostNotFound, .headersTooLarge, .truncatedBody, .endUncertain, .cancelled: nil
        }
    }
}
