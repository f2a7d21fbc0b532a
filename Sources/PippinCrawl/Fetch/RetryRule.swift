import Foundation
import PippinPage

/// Whether and when a request without an answer of use is made again. This is the only place that decides it, for the requests of
/// a crawl and for those of commands. The host's delay applies in addition, and a host with one failed address gets its next
/// turn at another (`HostAddresses`).
enum RetryRule: Sendable {
    /// Up to `fetch.retries` times, each time after twice the wait: pages, sitemaps and robots.txt of a crawl. Their hosts serve
    /// other requests meanwhile.
    case later
    /// In the host's next turn, or not at all: files that read pages wait for, and requests of commands.
    case atOnce
    /// What is no GET: nobody knows what the server makes of it.
    case never

    /// The rule of a request of a command or of a page's scripts.
    static func atOnce(_ method: FetchRequest.Method) -> RetryRule { method == .get ? .atOnce : .never }

    /// How often a request is made again at another address at most. A host may have many addresses, and its pages wait meanwhile.
    private static let mostOtherAddresses = 2

    /// The wait before the request is made again; nil if it is not.
    ///
    /// - Parameters:
    ///   - cause: the reason why there was no answer of use; nil if there was one.
    ///   - attempt: the number of repetitions so far.
    ///   - hasAnotherAddress: whether the host has an address that was not tried since the last one failed.
    ///   - retryAfter: the pause that the server asks for.
    func wait(
        after cause: RequestFailure.Cause?, attempt: Int, hasAnotherAddress: Bool = false, retryAfter: Duration? = nil,
        _ settings: CrawlConfiguration.Fetch
    ) -> Duration? {
        if self == .never { return nil }
        // Another version of HTTP helps, so this does not count against the configured retries.
        if cause == .failed(.endUncertain), attempt == 0 { return .zero }
        // The next turn has the signature. Only a server that wants a new one each time comes here more than twice.
        if case .failed(.signatureWanted)? = cause, attempt <= settings.retries + 1 { return .zero }
        switch self {
        case .later:
            let pause = retryAfter ?? .zero
            guard Self.mayHelp(after: cause), attempt < settings.retries, pause <= settings.maximumWait else {
                return nil
            }
            return max(pause, settings.retryDelay * (1 << min(attempt, 16)))
        case .atOnce:
            guard case .failed(let error)? = cause, error.failsAddress, hasAnotherAddress,
                attempt < Self.mostOtherAddresses
            else { return nil }
            return .zero
        case .never: return nil
        }
    }

    /// Whether another attempt in the same run may help.
    private static func mayHelp(after cause: RequestFailure.Cause?) -> Bool {
        switch cause {
        case .failed(let error)?: error.mayPass
        case .status(let status)?: StatusMeaning(status).isTrouble
        default: false
        }
    }
}

extension FetchResponse {
    /// The pause that the server asks for; nil without a valid Retry-After.
    var retryAfter: Duration? { RetryAfter.duration(headers, receivedAt: fetchedAt) }
}

/// The Retry-After field (RFC 9110 §10.2.3): seconds or an HTTP date.
enum RetryAfter {
    /// A date is compared with the server's own `Date`, so that the clocks may differ.
    static func duration(_ headers: HTTPHeaders, receivedAt: Date) -> Duration? {
        guard let text = headers["Retry-After"]?.trimmingPrefix(while: \.isWhitespace), !text.isEmpty else {
            return nil
        }
        let longest = 365.0 * 86_400
        if let seconds = Double(text), seconds.isFinite {
            return .milliseconds(Int64(min(max(seconds, 0), longest) * 1000))
        }
        guard let moment = HTTPDate.date(from: text) else { return nil }
        let base = headers["Date"].flatMap { HTTPDate.date(from: $0) } ?? receivedAt
        return .milliseconds(Int64(min(max(moment.timeIntervalSince(base), 0), longest) * 1000))
    }
}
