import PippinCrawl
import PippinPage

/// Lets those come one after the other who order what asks hosts of others: only so do the pauses between two requests to a host hold
/// for several orders too. A few orders wait; more are refused.
actor FetchQueue {
    struct Limits: Sendable {
        /// How many orders may wait for the one that is worked on.
        var waiting = 2
        /// Time for one order, with all pauses: a page, robots.txt, association files and pictures of several hosts.
        var time = Duration.seconds(60)
    }

    private let limits: Limits
    private let executor = BlockingExecutor("pippin.serve.fetch")
    private var isBusy = false
    private var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    private var lastNumber = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Works on an order when those before it are done.
    ///
    /// - Throws: `CancellationError` if nobody waits for it any more. Then nobody is asked for it either. `WebRefusal` if too many wait,
    ///   it takes too long, or nothing may be fetched.
    func run<Answer: Sendable>(_ work: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
        let ordered = ContinuousClock.now
        try await takePermit()
        defer { passPermit() }
        try Task.checkCancellation()
        // The connection would be closed before the answer, and a host asked for nobody.
        guard ContinuousClock.now - ordered + limits.time < .seconds(WebLimits.requestSeconds) else {
            throw WebRefusal(
                .tooManyRequests, "Those before took long. Try again in ten seconds.", fields: [(.retryAfter, "10")])
        }
        return try await inTime(work)
    }

    private func takePermit() async throws {
        guard isBusy else {
            isBusy = true
            return
        }
        guard waiting.count < limits.waiting else {
            throw WebRefusal(
                .tooManyRequests, "Hosts are being asked for others. Try again in ten seconds.",
                fields: [(.retryAfter, "10")])
        }
        lastNumber += 1
        let number = lastNumber
        let hasPermit = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Before this, a cancellation finds nothing to give up.
                if Task.isCancelled {
                    continuation.resume(returning: false)
                } else {
                    waiting.append((number, continuation))
                }
            }
        } onCancel: {
            Task { await self.giveUp(number) }
        }
        if !hasPermit { throw CancellationError() }
    }

    private func passPermit() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().continuation.resume(returning: true) }
    }

    private func giveUp(_ number: Int) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: index).continuation.resume(returning: false)
    }

    private func inTime<Answer: Sendable>(
        _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let time = limits.time
        do {
            return try await withThrowingTaskGroup(of: Answer?.self) { group in
                // Reading a page computes, so it has a thread for it: Swift's own ones answer the other requests.
                group.addTask(executorPreference: executor) { try await work() }
                group.addTask {
                    try await Task.sleep(for: time)
                    return nil
                }
                defer { group.cancelAll() }
                guard let first = try await group.next(), let answer = first else {
                    throw WebRefusal(
                        .gatewayTimeout,
                        "It took longer than \(DurationWords.text(seconds: Int(time / .seconds(1)))): a host answers slowly, or asks for long pauses. "
                            + "In a terminal, pippin waits longer.")
                }
                return answer
            }
        } catch let refusal as FetchRefusal {
            throw WebRefusal(.forbidden, refusal.sentence)
        }
    }
}
