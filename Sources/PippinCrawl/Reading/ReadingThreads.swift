import DequeModule
import Dispatch
import Foundation
import Glibc
import Logging
import PippinPage
import Synchronization

/// The threads that compute: they read pages, sitemaps, feeds, robots.txt, association files and manifests, and build records.
///
/// Reading takes as long as foreign bytes want. On Swift's own threads, of which there are as many as cores, a few such pages
/// would stop everything: the loop, the timers, the signals. Here they stop nothing, because somebody looks at the time:
///
///     read ──► queue ──► a thread computes ──► the task goes on with the answer
///                              │ fetch.reading_timeout of its processor's time: the interruption is set
///                              │ a second later: given up; the thread is left to itself, another takes its place
///                              ▼
///                        the task goes on without an answer
///
/// Time is what the thread has computed, not what the clock says: a busy machine makes no page hostile. A run that is stopped
/// at once (its task is cancelled) waits for no reading.
final class ReadingThreads: Sendable {
    /// So many readings hang that no more threads are started.
    struct Exhausted: Error, CustomStringConvertible {
        let count: Int
        let last: String

        var description: String {
            "\(count) pages compute without end, the last of them \(last), and nothing else can be read any more. "
                + "They are not visited again soon: run the crawl again, and report the addresses in the log as a defect"
        }
    }

    /// What a reading may compute after its interruption, before it is given up.
    static let usualGrace = Duration.seconds(1)
    /// How much longer by the clock a reading is waited for that computes nothing.
    private static let slowness = 10
    static let usualCount = max(1, ProcessInfo.processInfo.activeProcessorCount)
    /// Threads that are left to themselves at a time. Every one of them takes a share of a core, at the lowest priority.
    static let maximumLost = 16
    /// As threads of Swift have; readers of nested values need some hundred KB.
    private static let stackBytes = 8 << 20

    private struct Running {
        let reading: any ReadingToMake
        /// Of the thread's processor time, nanoseconds.
        let start: Int
        /// Processor time and time of the clock.
        var interruptedAt: (computed: Int, passed: Int)?
    }

    private struct Worker {
        let clock: clockid_t
        /// The kernel's number of the thread.
        let thread: id_t?
        var running: Running?
    }

    private struct State {
        var queue: Deque<any ReadingToMake> = []
        var workers: [Int: Worker] = [:]
        var lastNumber = 0
        /// Threads that take from the queue.
        var threadCount = 0
        var idleCount = 0
        var lost = 0
        var isWatched = false
        var isClosed = false
        var exhausted: Exhausted?
    }

    private let state = Mutex(State())
    /// One signal for each reading in the queue, and for each thread when it closes.
    private let work = DispatchSemaphore(value: 0)
    private let watch = DispatchSemaphore(value: 0)
    private let count: Int
    /// Nanoseconds.
    private let timeout: Int
    private let grace: Int
    private let logger: Logger
    /// Runs before every reading on its thread: the tests' hostile reader.
    private let rehearsal: (@Sendable (WebURL, Interruption) -> Void)?

    /// - Parameters:
    ///   - timeout: how long a reading may compute.
    ///   - count: how many readings are made at a time; 0 makes each where it is asked for, and nobody looks at the time.
    init(
        timeout: Duration, grace: Duration = usualGrace, count: Int = usualCount, logger: Logger,
        rehearsal: (@Sendable (WebURL, Interruption) -> Void)? = nil
    ) {
        self.count = count
        self.timeout = max(1, Int(timeout / .nanoseconds(1)))
        self.grace = max(1, Int(grace / .nanoseconds(1)))
        self.logger = logger
        self.rehearsal = rehearsal
    }

    /// Why nothing can be read any more.
    var failure: Exhausted? { state.withLock { $0.exhausted } }

    /// Computes on one of the threads.
    ///
    /// - Parameters:
    ///   - url: what is read, for the log.
    ///   - compute: must look at the interruption, and return early when it is set; its answer does not count then. It must not
    ///     wait for anything, and has no effects but its answer, because it may go on when nobody waits for it any more.
    func read<Answer: Sendable>(
        _ url: WebURL, _ compute: @escaping @Sendable (Interruption) -> Answer
    ) async -> ReadingEnd<Answer> {
        var work = compute
        if let rehearsal {
            work = { interruption in
                rehearsal(url, interruption)
                return compute(interruption)
            }
        }
        guard count > 0 else { return .read(work(Interruption())) }
        let reading = AwaitedReading<Answer>(of: url, work)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if reading.wait(with: continuation) { enqueue(reading) }
            }
        } onCancel: {
            reading.giveUp(.stopped)
        }
    }

    /// The threads end; what is in the queue still is given up.
    func close() {
        let (left, threads) = state.withLock { state -> (Deque<any ReadingToMake>, Int) in
            state.isClosed = true
            defer { state.queue = [] }
            return (state.queue, state.threadCount)
        }
        for reading in left { reading.giveUp(.stopped) }
        for _ in 0..<threads { work.signal() }
        watch.signal()
    }

    private func enqueue(_ reading: any ReadingToMake) {
        enum Next {
            case wake
            case start(watch: Bool)
            case refuse
        }
        let next = state.withLock { state -> Next in
            guard !state.isClosed, state.exhausted == nil || state.threadCount > 0 else { return .refuse }
            state.queue.append(reading)
            guard state.idleCount < state.queue.count, state.threadCount < count, state.exhausted == nil else {
                return .wake
            }
            state.threadCount += 1
            defer { state.isWatched = true }
            return .start(watch: !state.isWatched)
        }
        switch next {
        case .refuse: return reading.giveUp(.stopped)
        case .wake: break
        case .start(let mustWatch):
            start { self.takeReadings() }
            if mustWatch { start { self.watchReadings() } }
        }
        work.signal()
    }

    private func start(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = "reading"
        thread.stackSize = Self.stackBytes
        thread.start()
    }

    // MARK: Reading

    private func takeReadings() {
        var clock = clockid_t()
        pthread_getcpuclockid(pthread_self(), &clock)
        let thread = Self.kernelNumber
        let number = state.withLock { state in
            state.lastNumber += 1
            state.workers[state.lastNumber] = Worker(clock: clock, thread: thread)
            return state.lastNumber
        }
        while let reading = take(number, clock: clock) {
            reading.run()
            // Somebody else has its place.
            if !hasPlace(number) { return }
        }
    }

    private func take(_ number: Int, clock: clockid_t) -> (any ReadingToMake)? {
        state.withLock { $0.idleCount += 1 }
        work.wait()
        let start = Self.time(clock)
        return state.withLock { state in
            state.idleCount -= 1
            guard let reading = state.queue.popFirst() else {
                state.workers[number] = nil
                state.threadCount -= 1
                return nil
            }
            state.workers[number]?.running = Running(reading: reading, start: start)
            return reading
        }
    }

    private func hasPlace(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.workers[number] == nil else {
                state.workers[number]?.running = nil
                return true
            }
            state.lost -= 1
            return false
        }
    }

    /// Of the thread that asks: glibc's function for it is not to be had from Swift.
    private static var kernelNumber: id_t? {
        var text = [CChar](repeating: 0, count: 64)
        let size = text.count
        let count = readlink("/proc/thread-self", &text, size)
        // "PID/task/TID"
        guard count > 0 else { return nil }
        let path = String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").last.flatMap { id_t($0) }
    }

    private static func time(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    // MARK: Watching

    /// Looks again when the reading that is nearest to its time can have come to it. One that begins meanwhile has more left.
    private func watchReadings() {
        var wait = timeout
        while true {
            _ = watch.wait(timeout: .now() + .nanoseconds(max(wait, 10_000_000)))
            var overdue: [any ReadingToMake] = []
            var replacements = 0
            let next = state.withLock { state -> Int? in
                state.isClosed ? nil : look(&state, &overdue, &replacements)
            }
            guard let next else { return }
            wait = next
            for reading in overdue {
                logger.warning(
                    "\(reading.url.href) is given up: it computes for \(timeout / 1_000_000) ms and does not stop; its thread is left to itself"
                )
                reading.giveUp(.timedOut)
            }
            for _ in 0..<replacements { start { self.takeReadings() } }
            if let left = takeLeft() { for reading in left { reading.giveUp(.stopped) } }
        }
    }

    private func look(_ state: inout State, _ overdue: inout [any ReadingToMake], _ replacements: inout Int) -> Int {
        var next = timeout
        for (number, worker) in state.workers {
            guard let running = worker.running else { continue }
            let computed = Self.time(worker.clock)
            guard let interruptedAt = running.interruptedAt else {
                let left = running.start + timeout - computed
                if left > 0 {
                    next = min(next, left)
                } else {
                    running.reading.interruption.set()
                    state.workers[number]?.running?.interruptedAt = (computed, Self.time(CLOCK_MONOTONIC))
                    next = min(next, grace / 10)
                }
                continue
            }
            let passed = Self.time(CLOCK_MONOTONIC)
            guard
                computed - interruptedAt.computed >= grace || passed - interruptedAt.passed >= grace * Self.slowness
            else {
                next = min(next, grace / 10)
                continue
            }
            overdue.append(running.reading)
            state.workers[number] = nil
            state.lost += 1
            // On Linux this is the priority of a thread. If it is refused, the thread only takes more of the machine.
            if let thread = worker.thread { _ = setpriority(Int32(PRIO_PROCESS.rawValue), thread, 19) }
            if state.lost < Self.maximumLost {
                replacements += 1
            } else {
                state.threadCount -= 1
                state.exhausted = state.exhausted ?? Exhausted(count: state.lost, last: running.reading.url.href)
            }
        }
        return next
    }

    /// What nobody is left to read.
    private func takeLeft() -> Deque<any ReadingToMake>? {
        state.withLock { state in
            guard state.threadCount == 0, state.exhausted != nil else { return nil }
            defer { state.queue = [] }
            return state.queue
        }
    }
}
