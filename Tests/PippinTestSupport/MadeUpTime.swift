import Foundation

@testable import PippinCrawl

/// Time that a test makes up. Everything in `run` happens on one thread; when all of it waits, time jumps to the next
/// moment somebody sleeps for. So nothing really sleeps, and the same test runs the same way each time.
///
/// It is an executor, because only an executor knows that every task waits.
public final class MadeUpTime: TaskExecutor {
    private struct Sleeper {
        let id: Int
        let time: Duration
        let continuation: CheckedContinuation<Void, Never>
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
        var jobs: [(job: UnownedJob, actors: UnownedSerialExecutor?)] = []
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var nextID = 0
        var now = Duration.zero
        var isOver = false
    }

    // `unchecked` because every access to the state is made with the condition locked.
    private final class Guarded: @unchecked Sendable {
        let condition = NSCondition()
        var state = State()

        func with<Value>(_ body: (inout State) -> Value) -> Value {
            condition.lock()
            defer { condition.unlock() }
            return body(&state)
        }
    }

    private let guarded = Guarded()

    public init() {
        let guarded = guarded
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

    private enum Work {
        case job(UnownedJob, UnownedSerialExecutor?)
        case wake(CheckedContinuation<Void, Never>)
    }

    private static func nextWork(_ guarded: Guarded) -> Work? {
        guarded.condition.lock()
        defer { guarded.condition.unlock() }
        while true {
            if !guarded.state.jobs.isEmpty {
                let (job, actors) = guarded.state.jobs.removeFirst()
                return .job(job, actors)
            }
            if guarded.state.isOver { return nil }
            if let next = guarded.state.sleepers.indices.min(by: {
                let a = guarded.state.sleepers[$0]
                let b = guarded.state.sleepers[$1]
                return (a.time, a.id) < (b.time, b.id)
            }) {
                let sleeper = guarded.state.sleepers.remove(at: next)
                guarded.state.now = max(guarded.state.now, sleeper.time)
                return .wake(sleeper.continuation)
            }
            guarded.condition.wait()
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job), isolatedTo: nil) }

    private func enqueue(_ job: UnownedJob, isolatedTo actors: UnownedSerialExecutor?) {
        guarded.with { $0.jobs.append((job, actors)) }
        guarded.condition.signal()
    }

    public var actors: any SerialExecutor { Actors(self) }

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
                    state.sleepers.append(Sleeper(id: id, time: time, continuation: continuation))
                    return false
                }
                if goesOn { continuation.resume() } else { guarded.condition.signal() }
            }
        } onCancel: {
            let sleeper: Sleeper? = guarded.with { state in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume()
        }
    }

    /// The calendar starts on 21 November 2026.
    public static let start = Date(timeIntervalSince1970: 1_795_219_200)

    public var date: Date { Self.start.addingTimeInterval(now / .seconds(1)) }

    public var clock: CrawlClock {
        CrawlClock(
            now: { self.now }, sleep: { await self.sleep(until: $0) }, date: { self.date }, isMadeUp: true)
    }
}
