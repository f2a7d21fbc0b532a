import Foundation
import PippinCrawl
import Synchronization

/// What the servers of a simulated web saw, over all processes of a job.
public final class WebLog: Sendable {
    /// A request.
    public struct Entry: Sendable, CustomStringConvertible {
        /// The number of the process that sent it.
        public let process: Int
        public let url: String
        public let host: String
        public let path: String
        public let purpose: FetchRequest.Purpose
        public let address: String?
        public let start: Duration
        /// When its answer had arrived; nil if the crawler was dead by then.
        public internal(set) var end: Duration?
        /// The status that was sent; nil if the connection failed.
        public let status: Int?
        /// The rest that the answer asks for.
        public let retryAfter: Duration?

        public var description: String {
            let time = start.formatted(
                .time(pattern: .hourMinuteSecond(padHourToLength: 2, fractionalSecondsLength: 3)))
            let answer = end == nil ? "unanswered" : status.map { "\($0)" } ?? "failed"
            return "\(time) \(purpose) \(url): \(answer)\(retryAfter.map { ", Retry-After \($0)" } ?? "")"
        }
    }

    private let state = Mutex<[Entry]>([])

    func entries(from number: Int) -> ArraySlice<Entry> { state.withLock { $0[number...] } }
    subscript(_ number: Int) -> Entry { state.withLock { $0[number] } }
    var count: Int { state.withLock { $0.count } }

    func begin(_ entry: Entry) -> Int {
        state.withLock {
            $0.append(entry)
            return $0.count - 1
        }
    }

    func end(_ number: Int, at time: Duration) { state.withLock { $0[number].end = time } }
}
