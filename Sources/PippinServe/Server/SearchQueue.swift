import Foundation
import PippinCrawl
import Synchronization

/// Lets a few searches run at the same time, each on a thread of its own; the others wait in order.
///
/// A search computes, so more of them than cores would only take longer, all of them, and with them whatever else is asked. Nobody
/// fills the queue alone: a free place goes to the client who has the fewest running, and when too many wait, the last one of the
/// client with the most makes room.
final class SearchQueue: Sendable {
    struct Limits: Sendable {
        /// Searches that run at the same time: one a core, so that each is as fast as it can be. The index has four connections to
        /// its database, and one stays for others than searches.
        var running = min(3, ProcessInfo.processInfo.activeProcessorCount)
        /// Searches that wait. There are connections left for everything else.
        var waiting = 64
        /// How long they wait.
        var patience = Duration.seconds(5)
    }

    private struct Waiting {
        let number: Int
        let client: String
        /// Gets the place that became free, or nil.
        let turn: CheckedContinuation<Int?, Never>
    }

    private struct State {
        var free: [Int]
        /// By client.
        var running: [String: Int] = [:]
        var waiting: [Waiting] = []
        var lastNumber = 0
        var refused = 0

        /// Takes a place that is free.
        mutating func place(for client: String) -> Int? {
            guard let place = free.popLast() else { return nil }
            running[client, default: 0] += 1
            return place
        }

        /// The last one that waits for the client who has most waiting, if that has more than another one would have then.
        mutating func room(for client: String) -> Waiting? {
            let counts = waiting.reduce(into: [String: Int]()) { $0[$1.client, default: 0] += 1 }
            guard let most = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
                most.value > counts[client, default: 0] + 1,
                let last = waiting.lastIndex(where: { $0.client == most.key })
            else { return nil }
            return waiting.remove(at: last)
        }

        /// The one whose turn is next.
        mutating func next() -> Waiting? {
            let counts = running
            let next = waiting.indices.min { a, b in
                (counts[waiting[a].client, default: 0], a) < (counts[waiting[b].client, default: 0], b)
            }
            guard let next else { return nil }
            running[waiting[next].client, default: 0] += 1
            return waiting.remove(at: next)
        }
    }

    private let threads: [BlockingExecutor]
    private let limits: Limits
    private let state: Mutex<State>

    init(_ limits: Limits = Limits()) {
        threads = (0..<limits.running).map { BlockingExecutor("pippin.serve.search-\($0)") }
        self.limits = limits
        state = Mutex(State(free: Array(0..<limits.running)))
    }

    /// How many wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs a search when it is its turn.
    ///
    /// - Parameter client: who has asked for it.
    /// - Throws: `WebRefusal` if too many wait or it waits too long, and the errors of `work`.
    func run<Answer: Sendable>(
        for client: String, _ work: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        guard let place = await place(for: client) else {
            try Task.checkCancellation()
            state.withLock { $0.refused += 1 }
            throw WebRefusal(
                .serviceUnavailable, "Too many searches run at once. Try again in a few seconds.",
                fields: [(.retryAfter, "\(max(1, limits.patience.components.seconds))")])
        }
        defer { leave(place, client) }
        return try await withTaskExecutorPreference(threads[place]) { try work() }
    }

    private func place(for client: String) async -> Int? {
        if let place = state.withLock({ $0.place(for: client) }) { return place }
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        async let _ = giveUpLater(number)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let (ended, answer) = state.withLock { state -> (CheckedContinuation<Int?, Never>?, Int?) in
                    // Whoever is cancelled from now on finds itself among the waiting.
                    if Task.isCancelled { return (turn, nil) }
                    // One may have become free in between.
                    if let place = state.place(for: client) { return (turn, place) }
                    var leaving: Waiting?
                    if state.waiting.count >= limits.waiting {
                        leaving = state.room(for: client)
                        guard leaving != nil else { return (turn, nil) }
                    }
                    state.waiting.append(Waiting(number: number, client: client, turn: turn))
                    return (leaving?.turn, nil)
                }
                ended?.resume(returning: answer)
            }
        } onCancel: {
            giveUp(number)
        }
    }

    /// Ends the wait of a search when its patience is over. Cancelled when the wait has ended otherwise.
    private func giveUpLater(_ number: Int) async {
        do { try await Task.sleep(for: limits.patience) } catch { return }
        giveUp(number)
    }

    private func giveUp(_ number: Int) {
        let waiting = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
        }
        waiting?.turn.resume(returning: nil)
    }

    private func leave(_ place: Int, _ client: String) {
        let next: Waiting? = state.withLock { state in
            let left = state.running[client, default: 1] - 1
            state.running[client] = left == 0 ? nil : left
            let next = state.next()
            if next == nil { state.free.append(place) }
            return next
        }
        next?.turn.resume(returning: place)
    }

    /// Writes the counters as families of Prometheus.
    func write(to text: inout PrometheusExposition) {
        let (running, waiting, refused) = state.withLock {
            ($0.running.values.reduce(0, +), $0.waiting.count, $0.refused)
        }
        text.family(
            "pippin_serve_searches", .gauge, "Searches and completions, by whether they run or wait.",
            [(["state": "running"], Double(running)), (["state": "waiting"], Double(waiting))])
        text.counter("pippin_serve_searches_refused_total", "Searches that too many others were before.", refused)
    }
}
