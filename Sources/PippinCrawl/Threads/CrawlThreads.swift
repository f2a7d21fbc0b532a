import DequeModule
import Dispatch
import Foundation
import Glibc
import Logging
import PippinPage
import Synchronization

/// The threads of a crawl. They run its tasks, read pages, sitemaps, feeds, robots.txt, association files and manifests, and
/// build records.
///
/// The time for a reading depends on foreign bytes. On Swift's own threads, of which there are as many as cores, a few hostile
/// pages would stop everything: the loop, the timers, the signals. Here they cannot, because a watching thread measures the
/// time:
///
///     read ──► queue ──► a thread computes ──► the task goes on with the answer
///                              │ 50 ms on every thread: a helper runs the tasks meanwhile
///                              │ fetch.reading_timeout of its processor's time: the interruption is set
///                              │ a second later: given up; the thread is left to itself, another takes its place
///                              ▼
///                        the task goes on without an answer
///
/// The measured time is the thread's computing time, not the time of the clock, so a busy machine does not make pages look
/// hostile. A run that is stopped at once (its task is cancelled) does not wait for readings.
///
/// Tasks and readings share one queue and as many threads as there are cores. So the thread that runs a visit usually reads its
/// page too, without waking another thread, and visits that end during readings are stored in one transaction.
final class CrawlThreads: TaskExecutor {
    /// Too many readings hang, so no more threads are started.
    struct Exhausted: Error, CustomStringConvertible {
        let count: Int
        let last: String

        var description: String {
            "\(count) pages compute without end, the last of them \(last), and nothing else can be read any more. "
                + "They are not visited again soon: run the crawl again, and report the addresses in the log as a defect"
        }
    }

    /// The computing time of a reading after its interruption, before it is given up.
    static let usualGrace = Duration.seconds(1)
    /// The factor by which the clock's time may exceed this limit, for a reading that does not compute.
    private static let slowness = 10
    static let usualCount = max(1, ProcessInfo.processInfo.activeProcessorCount)
    /// The limit of abandoned threads. Each of them takes a share of a core, at the lowest priority.
    static let maximumLost = 16
    /// The stack size, the same as for Swift's threads. Readers of nested values need some hundred KB.
    private static let stackBytes = 8 << 20
    /// The time between two looks, in nanoseconds, and the number of looks without any work after which the watching thread
    /// rests.
    private static let lookInterval = 50_000_000
    private static let quietLooks = 20

    private struct Running {
        let reading: any ReadingToMake
        /// The thread's CPU time at the start, in nanoseconds.
        let start: Int
        /// The thread's CPU time and the clock's time at the interruption; nil before it.
        var interruptedAt: (computed: Int, passed: Int)?
    }

    private struct Worker {
        let clock: clockid_t
        /// The kernel's number of the thread; nil if unknown.
        let thread: id_t?
        let handle: pthread_t
        var running: Running?
        /// Whether its reading is computed and it now resumes the waiting task.
        var isAnswering = false
        /// The task that got the answer. It continues on this thread, whose caches contain the page.
        var next: UnownedJob?
        /// The number of the work that it has taken; nil while it waits.
        var ticket: Int?
        var ticketAtLastLook: Int?
    }

    private enum Work {
        case job(UnownedJob)
        case reading(any ReadingToMake)
    }

    private struct State {
        /// The last ticket. Tasks and readings are taken in the order of their tickets.
        var ticket = 0
        var jobs: Deque<(ticket: Int, job: UnownedJob)> = []
        var readings: Deque<(ticket: Int, reading: any ReadingToMake)> = []
        var workers: [Int: Worker] = [:]
        var lastNumber = 0
        /// The number of threads that take from the queue, and of those that wait and have not been woken.
        var threadCount = 0
        var idleCount = 0
        var lost = 0
        /// Whether every thread has been busy with one thing for long. Then the helper runs tasks.
        var needsHelp = false
        var hasHelper = false
        var helperWaits = false
        var isWatched = false
        var watchRests = false
        var quietLooks = 0
        var isClosed = false
        var exhausted: Exhausted?

        mutating func next() -> Work? {
            if let job = jobs.first, job.ticket < readings.first?.ticket ?? .max {
                jobs.removeFirst()
                return .job(job.job)
            }
            return readings.popFirst().map { .reading($0.reading) }
        }
    }

    private let state = Mutex(State())
    /// Gets one signal for each waiting thread that is woken.
    private let work = DispatchSemaphore(value: 0)
    private let help = DispatchSemaphore(value: 0)
    private let watch = DispatchSemaphore(value: 0)
    private let count: Int
    /// The computing time of a reading in nanoseconds.
    private let timeout: Int
    private let grace: Int
    private let logger: Logger
    /// Runs before every reading on its thread. Tests use it to simulate hostile pages.
    private let rehearsal: (@Sendable (WebURL, Interruption) -> Void)?

    /// Prepares the threads; they start when there is work.
    ///
    /// - Parameters:
    ///   - timeout: the computing time of a reading.
    ///   - count: the number of readings at a time. With 0, each runs in the calling task, without a time limit.
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

    /// The error after which nothing can be read any more; nil if there is none.
    var failure: Exhausted? { state.withLock { $0.exhausted } }

    /// Runs the tasks of `body` on these threads. Without threads, on those of the caller.
    func run<Answer: Sendable>(_ body: @Sendable () async throws -> Answer) async throws -> Answer {
        guard count > 0 else { return try await body() }
        return try await withTaskExecutorPreference(self) { try await body() }
    }

    /// Runs a computation on one of the threads.
    ///
    /// - Parameters:
    ///   - url: the URL that is read, for the log.
    ///   - interruption: of an earlier reading, if this one continues with what that has read.
    ///   - compute: must check the interruption and return early if it is set; its answer is then ignored. It must not wait
    ///     for anything, and must have no effect except its answer, because it may continue after it was given up.
    func read<Answer: Sendable>(
        _ url: WebURL, interruption: Interruption = Interruption(),
        _ compute: @escaping @Sendable (Interruption) -> Answer
    ) async -> ReadingEnd<Answer> {
        var work = compute
        if let rehearsal {
            work = { interruption in
                rehearsal(url, interruption)
                return compute(interruption)
            }
        }
        guard count > 0 else { return .read(work(interruption)) }
        let reading = AwaitedReading<Answer>(of: url, interruption, work)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if reading.wait(with: continuation) { enqueue(reading) }
            }
        } onCancel: {
            reading.giveUp(.stopped)
        }
    }

    /// Ends the threads once no task is left to run. Queued readings are given up.
    func close() {
        let (left, idle) = state.withLock { state in
            state.isClosed = true
            defer { (state.readings, state.idleCount) = ([], 0) }
            return (state.readings, state.idleCount)
        }
        for entry in left { entry.reading.giveUp(.stopped) }
        for _ in 0..<idle { work.signal() }
        help.signal()
        watch.signal()
    }

    // MARK: Queue

    /// Called by the runtime when a task can continue.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let thread = pthread_self()
        wake { state in
            let reader = state.workers.first { $0.value.isAnswering && $0.value.handle == thread }
            if let reader, reader.value.next == nil {
                state.workers[reader.key]?.next = job
                return false
            }
            state.ticket += 1
            state.jobs.append((state.ticket, job))
            return true
        }
    }

    private func enqueue(_ reading: any ReadingToMake) {
        let isQueued = wake {
            guard !$0.isClosed, $0.exhausted == nil || $0.threadCount > 0 else { return false }
            $0.ticket += 1
            $0.readings.append(($0.ticket, reading))
            return true
        }
        if !isQueued { reading.giveUp(.stopped) }
    }

    /// Adds work to the queue and makes sure that a thread takes it.
    @discardableResult
    private func wake(adding add: (inout State) -> Bool) -> Bool {
        enum Next {
            case idle, start, nobody
        }
        var (next, wakesHelper, watches, wakesWatch) = (Next.nobody, false, false, false)
        let isQueued = state.withLock { state in
            guard add(&state) else { return false }
            if state.idleCount > 0 {
                state.idleCount -= 1
                next = .idle
            } else if state.isClosed || state.exhausted == nil && state.threadCount < count {
                state.threadCount += 1
                next = .start
            }
            wakesHelper = wakeHelper(&state)
            (wakesWatch, state.watchRests) = (state.watchRests, false)
            state.quietLooks = 0
            watches = !state.isWatched && !state.isClosed
            if watches { state.isWatched = true }
            return true
        }
        switch next {
        case .idle: work.signal()
        case .start: start { self.takeWork() }
        case .nobody: break
        }
        if wakesHelper { help.signal() }
        if watches { start { self.watchWork() } } else if wakesWatch { watch.signal() }
        return isQueued
    }

    private func start(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = "crawl"
        thread.stackSize = Self.stackBytes
        thread.start()
    }

    // MARK: Working

    private func takeWork() {
        var clock = clockid_t()
        pthread_getcpuclockid(pthread_self(), &clock)
        let thread = Self.kernelNumber
        let number = state.withLock { state in
            state.lastNumber += 1
            state.workers[state.lastNumber] = Worker(clock: clock, thread: thread, handle: pthread_self())
            return state.lastNumber
        }
        let executor = asUnownedTaskExecutor()
        while let work = take(number, clock: clock) {
            switch work {
            case .job(let job): job.runSynchronously(on: executor)
            case .reading(let reading):
                reading.compute()
                let hasPlace = answers(number)
                reading.answer()
                // Another thread has taken its place.
                if !hasPlace { return }
            }
        }
    }

    private func take(_ number: Int, clock: clockid_t) -> Work? {
        enum Next {
            case take(Work)
            case wait, end
        }
        while true {
            let next = state.withLock { state -> Next in
                state.needsHelp = false
                let job = state.workers[number]?.next
                state.workers[number]?.next = nil
                state.workers[number]?.isAnswering = false
                guard let work = job.map({ .job($0) }) ?? state.next() else {
                    if state.isClosed {
                        state.workers[number] = nil
                        state.threadCount -= 1
                        return .end
                    }
                    state.workers[number]?.ticket = nil
                    state.idleCount += 1
                    return .wait
                }
                state.ticket += 1
                state.workers[number]?.ticket = state.ticket
                if case .reading(let reading) = work {
                    state.workers[number]?.running = Running(reading: reading, start: Self.time(clock))
                }
                return .take(work)
            }
            switch next {
            case .take(let work): return work
            case .wait: work.wait()
            case .end: return nil
            }
        }
    }

    /// Notes that the reading is computed. Returns false if the reading was given up, and its thread abandoned.
    private func answers(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.workers[number] != nil else {
                state.lost -= 1
                return false
            }
            state.workers[number]?.running = nil
            state.workers[number]?.isAnswering = true
            return true
        }
    }

    // MARK: Helping

    private func runJobs() {
        let executor = asUnownedTaskExecutor()
        while true {
            let (job, isClosed) = state.withLock { state -> (UnownedJob?, Bool) in
                let job = state.needsHelp ? state.jobs.popFirst()?.job : nil
                state.helperWaits = job == nil
                if job == nil, state.isClosed { state.hasHelper = false }
                return (job, state.isClosed)
            }
            if let job { job.runSynchronously(on: executor) } else if isClosed { return } else { help.wait() }
        }
    }

    /// Whether the helper must be woken, because there is a task for it.
    private func wakeHelper(_ state: inout State) -> Bool {
        guard state.needsHelp, state.helperWaits, !state.jobs.isEmpty else { return false }
        state.helperWaits = false
        return true
    }

    /// The kernel's number of the calling thread. glibc's function for it cannot be called from Swift.
    private static var kernelNumber: id_t? {
        var text = [CChar](repeating: 0, count: 64)
        let size = text.count
        let count = readlink("/proc/thread-self", &text, size)
        // The link's target has the form "PID/task/TID".
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

    private func watchWork() {
        let interval = max(10_000_000, min(Self.lookInterval, timeout / 2, grace / 2))
        var rests = false
        while true {
            if rests { watch.wait() } else { _ = watch.wait(timeout: .now() + .nanoseconds(interval)) }
            var overdue: [any ReadingToMake] = []
            var replacements = 0
            var (startsHelper, wakesHelper) = (false, false)
            let isClosed = state.withLock { state in
                guard !state.isClosed else { return true }
                look(&state, &overdue, &replacements)
                if state.needsHelp, !state.hasHelper {
                    state.hasHelper = true
                    startsHelper = true
                }
                wakesHelper = wakeHelper(&state)
                rests = state.quietLooks >= Self.quietLooks
                state.watchRests = rests
                return false
            }
            if isClosed { return }
            for reading in overdue {
                logger.warning(
                    "\(reading.url.href) is given up: it computes for \(timeout / 1_000_000) ms and does not stop; its thread is left to itself"
                )
                reading.giveUp(.timedOut)
            }
            for _ in 0..<replacements { start { self.takeWork() } }
            if startsHelper { start { self.runJobs() } }
            if wakesHelper { help.signal() }
            if let left = takeLeft() { for entry in left { entry.reading.giveUp(.stopped) } }
        }
    }

    private func look(_ state: inout State, _ overdue: inout [any ReadingToMake], _ replacements: inout Int) {
        var busy = 0
        var slow = 0
        for (number, worker) in state.workers {
            if worker.ticket != nil { busy += 1 }
            if worker.ticket != nil, worker.ticket == worker.ticketAtLastLook { slow += 1 }
            state.workers[number]?.ticketAtLastLook = worker.ticket
            guard let running = worker.running else { continue }
            let computed = Self.time(worker.clock)
            guard let interruptedAt = running.interruptedAt else {
                if computed - running.start >= timeout {
                    running.reading.interruption.set()
                    state.workers[number]?.running?.interruptedAt = (computed, Self.time(CLOCK_MONOTONIC))
                }
                continue
            }
            let passed = Self.time(CLOCK_MONOTONIC)
            guard
                computed - interruptedAt.computed >= grace || passed - interruptedAt.passed >= grace * Self.slowness
            else { continue }
            overdue.append(running.reading)
            state.workers[number] = nil
            state.lost += 1
            // On Linux this sets the priority of a single thread. If it is refused, the thread just takes more of the machine.
            if let thread = worker.thread { _ = setpriority(Int32(PRIO_PROCESS.rawValue), thread, 19) }
            if state.lost < Self.maximumLost {
                replacements += 1
            } else {
                state.threadCount -= 1
                state.exhausted = state.exhausted ?? Exhausted(count: state.lost, last: running.reading.url.href)
            }
        }
        // This is also true without any threads, because then only the helper can run tasks.
        state.needsHelp = slow == state.workers.count
        let isQuiet = busy == 0 && state.jobs.isEmpty && state.readings.isEmpty
        state.quietLooks = isQuiet ? state.quietLooks + 1 : 0
    }

    /// Removes and returns the queued readings if no thread is left to run them; otherwise nil.
    private func takeLeft() -> Deque<(ticket: Int, reading: any ReadingToMake)>? {
        state.withLock { state in
            guard state.threadCount == 0, state.exhausted != nil else { return nil }
            defer { state.readings = [] }
            return state.readings
        }
    }
}
