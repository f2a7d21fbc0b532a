import Foundation
import PippinPage

/// The times that a crawl spent at each limit. They show whether politeness or capacity limits it.
public struct CrawlPace: Sendable, Equatable {
    /// The reason why the crawl did not start another visit.
    public enum Limit: String, Sendable, CaseIterable {
        /// There was room for more visits, but every host with work had to wait for its delay.
        case politeness
        /// As many visits were in flight as `fetch.concurrency` allows.
        case capacity
        /// No other URL was known, so the crawl waited for requests in flight.
        case work
        /// As many pages as allowed had been read and waited for files of their sites.
        case pagesHeld = "pages-held"
        /// As many pages as `render.concurrency` allows were computing in the browser, and no visit could start.
        case rendering
        /// All open pages of the browser waited for the turns of hosts that have their files, and no visit could start.
        case renderedFiles = "rendered-files"
        /// Bodies, documents and waiting pages used all the memory of `fetch.memory`.
        case memory
        /// The crawl was ending: it started nothing more and waited for requests in flight.
        case ending
    }

    /// The time at each limit.
    public private(set) var times: [Limit: Duration] = [:]
    private var current = Limit.work
    private var since = Duration.zero

    /// Starts without any time.
    public init() {}

    /// Notes the limit from now on.
    mutating func change(to limit: Limit, at now: Duration) {
        if now > since { times[current, default: .zero] += now - since }
        current = limit
        since = now
    }

    /// The sum of all times.
    public var total: Duration { times.values.reduce(.zero, +) }

    /// The share of the time at a limit, from 0 to 1.
    public func share(of limit: Limit) -> Double {
        let total = total
        return total > .zero ? (times[limit] ?? .zero) / total : 0
    }

    /// The limit with the longest time; if several are equal, the first in the order of the cases. Nil if no time has passed.
    public var mostly: Limit? {
        var best: Limit?
        for limit in Limit.allCases where times[limit] ?? .zero > best.flatMap({ times[$0] }) ?? .zero { best = limit }
        return best
    }
}

/// The host that a crawl waits for while no request is in flight.
public struct CrawlWait: Sendable, Equatable, Codable {
    /// The first host that may be asked.
    public let host: String
    /// The reason as half a sentence: `robots.txt 503`
    public let reason: String
    /// The time at which the host may be asked.
    public let until: Date
    /// The number of further hosts that have work and must wait too.
    public let otherHosts: Int

    /// The wait as a sentence: `waiting for down.localhost: robots.txt 503, next try 02:28:05`
    ///
    /// - Parameter zone: the time zone of the times.
    public func sentence(in zone: TimeZone = .current) -> String {
        let others = otherHosts > 0 ? " and \(otherHosts) more" : ""
        return "waiting for \(host)\(others): \(reason), next try \(Self.clock(until, zone))"
    }

    /// The time of day, with the date if it is more than 24 hours away.
    private static func clock(_ date: Date, _ zone: TimeZone) -> String {
        guard abs(date.timeIntervalSince1970) < 1e11, date.timeIntervalSinceNow < 86_400 else {
            return InternetTime.text(date)
        }
        let second = Int(date.timeIntervalSince1970.rounded(.up)) + zone.secondsFromGMT(for: date)
        let ofDay = (second % 86_400 + 86_400) % 86_400
        return [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { String("\(100 + $0)".dropFirst()) }.joined(
            separator: ":")
    }
}

extension CrawlWait {
    /// The shortest wait that is reported.
    private static let shortestWait = Duration.seconds(2)

    /// Nil if the wait is too short or no host has work.
    ///
    /// - Parameter until: the time at which the first host may be asked.
    init?(until: Duration, _ schedule: PolitenessSchedule, date: Date, now: Duration) {
        guard until - now >= Self.shortestWait, let host = schedule.firstInLine(now: now) else { return nil }
        let trouble = schedule.trouble(host: host)?.brief
        self.host = host
        reason =
            switch schedule.hold(host: host, now: now) {
            case .resting(_, let failures):
                trouble ?? (failures == 1 ? "its last request failed" : "its last \(failures) requests failed")
            case .delay: trouble ?? "the pause between two requests to it"
            case .quietHours: "quiet hours"
            case .address(let address, _): "the pause between two requests to \(address)"
            case .addressResting(let address, _, let failures):
                "the last \(Wording.count(failures, "request")) to hosts on its address, \(address), failed"
            case .lookUp: "its name to be looked up"
            case .nothingQueued, .none, .busy: "the pause between any two requests"
            }
        self.until = date.addingTimeInterval((until - now) / .seconds(1))
        otherHosts = max(0, schedule.hostsWithWork - 1)
    }
}
