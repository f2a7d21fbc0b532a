import Foundation
import PippinPage

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

extension CrawlConfiguration.Fetch {
    /// The wait before a request is repeated, in addition to its host's delay. Nil if it was repeated often enough, or if
    /// the failure is permanent.
    ///
    /// - Parameters:
    ///   - attempt: the number of repetitions so far.
    ///   - error: the reason why there was no answer, if there was none.
    func retryDelay(attempt: Int, after error: FetchError?) -> Duration? {
        if let error, error.isAskedAgainAtOnce(attempt: attempt) { return .zero }
        return attempt < retries ? retryDelay * (1 << min(attempt, 16)) : nil
    }
}
