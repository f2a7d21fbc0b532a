import PippinCrawl
import Synchronization

/// What the server has counted since its start.
final class ServerMetrics: Sendable {
    private struct Counters {
        /// By route, then status.
        var requests: [String: [Int: Int]] = [:]
        var searches = TimeHistogram()
        var requestsInFlight = 0
        var waiting: [AsyncStream<Void>.Continuation] = []
    }

    private let counters = Mutex(Counters())

    /// A request whose answer is not on its way yet.
    final class Flight: Sendable {
        private let metrics: ServerMetrics
        private let hasEnded = Atomic<Bool>(false)

        fileprivate init(_ metrics: ServerMetrics) { self.metrics = metrics }

        /// Ends it. Further calls do nothing.
        func end() {
            guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
            let waiting = metrics.counters.withLock { counters in
                counters.requestsInFlight -= 1
                guard counters.requestsInFlight == 0 else { return [AsyncStream<Void>.Continuation]() }
                defer { counters.waiting = [] }
                return counters.waiting
            }
            for continuation in waiting { continuation.finish() }
        }
    }

    func begin() -> Flight {
        counters.withLock { $0.requestsInFlight += 1 }
        return Flight(self)
    }

    /// Returns when no request is in flight, or when the task is cancelled.
    func waitUntilIdle() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let isIdle = counters.withLock { counters in
            if counters.requestsInFlight > 0 { counters.waiting.append(continuation) }
            return counters.requestsInFlight == 0
        }
        if isIdle { return }
        for await _ in stream {}
    }

    /// - Parameter route: the path of the route, or `other`: paths that a client has made up are no labels.
    func count(route: String, status: Int) {
        counters.withLock { $0.requests[route, default: [:]][status, default: 0] += 1 }
    }

    func search(took time: Duration) {
        counters.withLock { $0.searches.add(time) }
    }

    /// Writes the counters as families of Prometheus.
    func write(to text: inout PrometheusExposition) {
        let counters = counters.withLock { $0 }
        text.family(
            "pippin_serve_requests_total", .counter, "Requests that were answered, by route and status.",
            counters.requests.flatMap { route, statuses in
                statuses.map { (["route": route, "status": "\($0)"], Double($1)) }
            })
        text.gauge(
            "pippin_serve_requests_in_flight", "Requests that are being answered, this one included.",
            Double(counters.requestsInFlight))
        text.histogram("pippin_serve_search_duration_seconds", "Searches in the index.", counters.searches)
    }
}
