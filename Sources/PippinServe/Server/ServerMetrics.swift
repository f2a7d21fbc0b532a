import PippinCrawl
import Synchronization

/// What the server has counted since its start.
final class ServerMetrics: Sendable {
    private struct Counters {
        /// By route, then status.
        var requests: [String: [Int: Int]] = [:]
        var searches = TimeHistogram()
    }

    private let counters = Mutex(Counters())

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
        text.histogram("pippin_serve_search_duration_seconds", "Searches in the index.", counters.searches)
    }
}
