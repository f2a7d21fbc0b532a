import Foundation
import PippinPage

/// The answer of one request for robots.txt (RFC 9309 §2.3.1).
enum RobotsAnswer: Sendable {
    /// Rules, and how long they are valid. An unavailable file (4xx) is `RobotsFile.allowAll`.
    case rules(RobotsFile, keep: Duration)
    /// The next address.
    case redirected(to: WebURL)
    /// The host is in trouble, so nothing there is allowed; with the pause that it asks for.
    case unreachable(RequestFailure, retryAfter: Duration? = nil)

    /// RFC 9309 §2.4: not longer than 24 hours.
    static let longestKept = Duration.seconds(86_400)
    /// The time until unreachable rules are requested again.
    static let unreachableFor = Duration.seconds(3600)
    /// The shortest time for which a file is kept, even if it is stale at once, because pages come faster than rules change.
    static let shortestKept = Duration.seconds(3600)
    /// RFC 9309 §2.3.1.2: follow at least five consecutive redirects.
    static let maximumHops = 5
    /// The limit of the body. Only the beginning of a longer one counts (`FetchRequest.takesBeginning`). It is one byte more
    /// than `RobotsFile` reads, so that `RobotsFile` notices a longer file.
    static let maximumBodyBytes = RobotsFile.maximumBytes + 1
    /// The time limit. It is short, because rules are small and everything waits for them.
    static let timeout = Duration.seconds(10)

    init(
        _ result: Result<FetchResponse, RequestFailure>, of request: SiteFileRequest, limits: ReadingLimits = .standard
    ) {
        switch result {
        case .failure(let failure): self = .unreachable(failure)
        case .success(let response):
            let failure = RequestFailure(.status(response.status), asking: request.url)
            if request.kind.purpose.isAnswered(by: response.status) {
                self = .rules(
                    RobotsFile(bytes: response.body, url: request.originURL, limits: limits),
                    keep: Self.lifetime(of: response))
            } else if let redirect = response.redirect {
                guard case .page(let target) = redirect.target else {
                    self = .unreachable(RequestFailure(.badRedirect(redirect.location), asking: request.url))
                    return
                }
                self =
                    request.hops < Self.maximumHops
                    ? .redirected(to: target) : .rules(.allowAll, keep: Self.longestKept)
            } else if response.meaning.isTrouble {
                self = .unreachable(failure, retryAfter: response.retryAfter)
            } else if (400...499).contains(response.status) {
                self = .rules(.allowAll, keep: Self.longestKept)
            } else {
                self = .unreachable(failure)
            }
        }
    }

    static func lifetime(of response: FetchResponse) -> Duration {
        for value in response.headers.values("Cache-Control") {
            for directive in value.split(separator: ",") {
                let parts = directive.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].trimmingPrefix(while: \.isWhitespace).lowercased() == "max-age",
                    let seconds = Int64(parts[1].prefix { $0.isNumber })
                else { continue }
                return min(max(.seconds(min(seconds, 86_400)), shortestKept), longestKept)
            }
        }
        return longestKept
    }
}
