import DequeModule
import Foundation
import HeapModule
import PippinCrawl

/// Time that a test makes up. Everything in `run` happens on one thread; when all of it waits, time jumps to the next
/// moment somebody sleeps for. So nothing really sleeps, and the same test runs the same way each time.
///
/// It is an executor, because only an executor knows that every task waits.
public final class MadeUpTime: TaskExecutor {
    private struct Sleeper: Comparable {
        let id: Int
        let time: Duration

        static func < (a: Sleeper, b: Sleeper) -> Bool { (a.time, a.id) < (b.time, b.id) }
    }

    /// For actors that name their own executor: with this one they too run in made-up time.
    private final class Actors: SerialExecutor {
        let time: MadeUpTime

        init(_ time: MadeUpTime) { self.time = time }

        func enqueue(_ job: consuming ExecutorJob) {
            time.enqueue(UnownedJob(job), isolatedTo: asUnownedSerialExecutor())
        }
    }

    private struct State {
        var jobs = Deque<(job: UnownedJob, actors: UnownedSerialExecutor?)>()
        /// Those who sleep, the first to wake first. Some were cancelled meanwhile.
        var sleepers = Heap<Sleeper>()
        var sleeping: [Int: CheckedContinuation<Void, Never>] = [:]
        var cancelled: Set<Int> = []
        var nextID = 0
        var now: Duration
        var isOver = false
        /// How many jobs were begun.
        var steps = 0
        var onStep: (@Sendable (Int) -> Void)?
        var onStall: (@Sendable () -> Void)?
        /// How far the calendar is ahead.
        var calendar: Duration
    }

    // `unchecked` because every access to the state is made with the condition locked.
    private final class Guarded: @unchecked Sendable {
        let condition = NSCondition()
        var state: State

        init(_ now: Duration, _ calendar: Duration) { state = State(now: now, calendar: calendar) }

        func with<Value>(_ body: (inout State) -> Value) -> Value {
            condition.lock()
            defer { condition.unlock() }
            return body(&state)
        }
    }

    private let guarded: Guarded
    /// When it began.
    private let beginning: Duration

    /// - Parameters:
    ///   - beginning: the time from which it goes on; the calendar shows it.
    ///   - calendar: how far the calendar is ahead of that.
    public init(from beginning: Duration = .zero, calendar: Duration = .zero) {
        self.beginning = beginning
        let guarded = Guarded(beginning, calendar)
        self.guarded = guarded
        let executor = Unmanaged.passUnretained(self)
        let thread = Thread {
            while let work = Self.nextWork(guarded) {
                let tasks = executor.takeUnretainedValue().asUnownedTaskExecutor()
                switch work {
                case .job(let job, let actors?): job.runSynchronously(isolatedTo: actors, taskExecutor: tasks)
                case .job(let job, nil): job.runSynchronously(on: tasks)
                case .wake(let continuation): continuation.resume()
                }
            }
        }
        thread.stackSize = 8 << 20
        thread.start()
    }

    deinit {
        let guarded = guarded
        guarded.with { $0.isOver = true }
        guarded.condition.signal()
    }

    /// Seconds of real time. Only threads of libraries can bring more work while all wait, and they answer sooner.
    private static let stall: TimeInterval = 60

    private enum Work {
        case job(UnownedJob, UnownedSerialExecutor?)
        case wake(CheckedContinuation<Void, Never>)
    }

    private static func nextWork(_ guarded: Guarded) -> Work? {
        guarded.condition.lock()
        while true {
            if let (job, actors) = guarded.state.jobs.popFirst() {
                guarded.state.steps += 1
                let (number, onStep) = (guarded.state.steps, guarded.state.onStep)
                guarded.condition.unlock()
                onStep?(number)
                return .job(job, actors)
            }
            if guarded.state.isOver {
                guarded.condition.unlock()
                return nil
            }
            while let sleeper = guarded.state.sleepers.popMin() {
                guard let continuation = guarded.state.sleeping.removeValue(forKey: sleeper.id) else { continue }
                guarded.state.now = max(guarded.state.now, sleeper.time)
                guarded.condition.unlock()
                return .wake(continuation)
            }
            guard let onStall = guarded.state.onStall else {
                guarded.condition.wait()
                continue
            }
            if !guarded.condition.wait(until: Date(timeIntervalSinceNow: Self.stall)) {
                guarded.state.onStall = nil
                guarded.condition.unlock()
                onStall()
                guarded.condition.lock()
            }
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job), isolatedTo: nil) }

    private func enqueue(_ job: UnownedJob, isolatedTo actors: UnownedSerialExecutor?) {
        guarded.with { $0.jobs.append((job, actors)) }
        guarded.condition.signal()
    }

    public var actors: any SerialExecutor { Actors(self) }

    /// Says whom to call; nobody any more, if it says nothing. Neither may be the last to hold the time: it would end on its own thread.
    ///
    /// - Parameters:
    ///   - onStep: is called before each job with its number, from 1.
    ///   - onStall: is called when all wait and nobody sleeps for as long as `stall` in real time: they wait for ever.
    func watch(onStep: (@Sendable (Int) -> Void)? = nil, onStall: (@Sendable () -> Void)? = nil) {
        guarded.with { ($0.onStep, $0.onStall) = (onStep, onStall) }
    }

    /// Runs a body, and all tasks and actors in it, in made-up time.
    public func run<Value: Sendable>(_ body: @Sendable @escaping () async throws -> Value) async throws -> Value {
        let value = try await withTaskExecutorPreference(self) { try await body() }
        withExtendedLifetime(self) {}
        return value
    }

    public var now: Duration { guarded.with { $0.now } }

    public func sleep(until time: Duration) async {
        let id = guarded.with { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let goesOn = guarded.with { state in
                    if state.cancelled.remove(id) != nil { return true }
                    state.sleepers.insert(Sleeper(id: id, time: time))
                    state.sleeping[id] = continuation
                    return false
                }
                if goesOn { continuation.resume() } else { guarded.condition.signal() }
            }
        } onCancel: {
            let continuation = guarded.with { state in
                let found = state.sleeping.removeValue(forKey: id)
                if found == nil { state.cancelled.insert(id) }
                return found
            }
            continuation?.resume()
        }
    }

    /// The calendar starts on 21 November 2026.
    public static let start = Date(timeIntervalSince1970: 1_795_219_200)

    /// What the calendar shows at a time.
    public static func date(_ time: Duration) -> Date { start.addingTimeInterval(time / .seconds(1)) }

    public var date: Date { Self.date(guarded.with { $0.now + $0.calendar }) }

    /// Sets the calendar, as an operator or a time server does.
    func setCalendar(by step: Duration) { guarded.with { $0.calendar += step } }

    /// The clock of a process that was started when this time began.
    public var clock: CrawlClock {
        CrawlClock(
            now: { self.now - self.beginning }, sleep: { await self.sleep(until: self.beginning + $0) },
            date: { self.date }, isMadeUp: true)
    }
}
