import Foundation
import PippinCrawl
import PippinStore

/// A process with a folder on a disk of its own. It lives until its work is done, or until a fault ends it.
///
/// A process that is killed is not stopped by force, which Swift cannot do to tasks. Its disk is copied at that moment; from then on
/// it reaches no server and its disk is forgotten, and it is cancelled so that it ends. The next process works on the copy.
final class SimulatedProcess<Value: Sendable>: Sendable {
    /// How a process ended.
    enum End: Sendable {
        case finished(Value)
        case failed(any Error)
        case killed
        case lostPower(writes: Int)
        /// All of it waits for ever.
        case hung
    }

    /// What a process shares with the faults that end it.
    private struct Fate: Sendable {
        var disk: FaultyDisk?
        var task: Task<Value, any Error>?
        var stop: (@Sendable () -> Void)?
        var isDead = false
        /// Whether half of the write is done after which it dies.
        var isHalfway = false
        var end: End?
        var copy: URL?
        var failure: (any Error)?
        /// Gets how the process's task ended, or nil if it hangs.
        var onEnd: CheckedContinuation<Result<Value, any Error>?, Never>?
    }

    private final class Guarded: @unchecked Sendable {
        // `unchecked` because the state is only reached with the lock held. `Mutex` wants closures that the compiler cannot check here.
        private let lock = NSLock()
        private var state = Fate()

        func withLock<Result>(_ body: (inout Fate) -> Result) -> Result { lock.withLock { body(&state) } }
    }

    private let fate = Guarded()
    private let folder: URL
    private let copy: URL
    private let seed: UInt64
    private let fault: Plan.Fault?
    private let time: MadeUpTime
    private let look: @Sendable () -> Void

    /// - Parameters:
    ///   - folder: what is in it is kept for the next process; nothing else is.
    ///   - copy: a place for the copy of the folder; there is nothing yet.
    ///   - seed: decides what a power cut takes.
    ///   - look: is called at the moment of death before the power goes.
    init(
        in folder: URL, copy: URL, seed: UInt64, fault: Plan.Fault?, time: MadeUpTime,
        look: @escaping @Sendable () -> Void = {}
    ) {
        (self.folder, self.copy, self.seed, self.fault) = (folder, copy, seed, fault)
        (self.time, self.look) = (time, look)
    }

    var isAlive: Bool { fate.withLock { !$0.isDead } }

    /// Ends it as a signal would that cannot be caught.
    func kill() { die(cuttingPower: false) }

    private func die(cuttingPower cutsPower: Bool) {
        guard let disk = fate.withLock({ $0.isDead ? nil : $0.disk }) else { return }
        look()
        do {
            let lost = try disk.copy(to: copy, cuttingPower: cutsPower ? seed : nil)
            fate.withLock { fate in
                fate.isDead = true
                fate.copy = copy
                fate.end = cutsPower ? .lostPower(writes: lost) : .killed
            }
        } catch {
            fate.withLock { ($0.isDead, $0.failure) = (true, error) }
        }
        fate.withLock { $0.task }?.cancel()
    }

    /// What becomes of an operation of its disk.
    private func judge(_ number: UInt64) -> FaultyDisk.Verdict {
        guard isAlive else { return .happens }
        switch fault {
        case .killWriting(let operation) where number == operation: die(cuttingPower: false)
        case .killHalfway(let append):
            if fate.withLock({ $0.isHalfway }) {
                die(cuttingPower: false)
            } else if fate.withLock({ $0.disk })?.appends == append {
                fate.withLock { $0.isHalfway = true }
                return .isShort
            }
        case .powerCutWriting(let operation) where number == operation: die(cuttingPower: true)
        case .diskFails(let operation, let errno) where number == operation: return .fails(errno)
        case .diskIsFull(let operation) where number >= operation && number < operation + 50: return .isShort
        default: break
        }
        return .happens
    }

    /// Is called before each step of the time in which it lives, with the number of the step.
    func step(_ step: Int) {
        switch fault {
        case .kill(let place) where step == place: die(cuttingPower: false)
        case .powerCut(let place) where step == place: die(cuttingPower: true)
        case .stop(let place) where step == place: fate.withLock { $0.stop }?()
        case .clock(let place, let seconds) where step == place: time.setCalendar(by: .seconds(seconds))
        default: break
        }
    }

    /// Is called when all of it waits for ever.
    func hang() { ended(nil) }

    /// Says how the task ended, once.
    private func ended(_ result: Result<Value, any Error>?) {
        let onEnd = fate.withLock { fate in
            defer { fate.onEnd = nil }
            return fate.onEnd
        }
        onEnd?.resume(returning: result)
    }

    /// Lets it live.
    ///
    /// - Parameter body: its work. It says what stops it in order.
    func run(
        _ body:
            @escaping @Sendable (_ onStart: @Sendable (@escaping @Sendable () -> Void) -> Void) async throws -> Value
    ) async throws -> End {
        let disk = try FaultyDisk(folder: folder) { [unowned self] in judge($0) }
        let isDead = fate.withLock { fate in
            fate.disk = disk
            return fate.isDead
        }
        let task = Task(executorPreference: time) { [fate] in
            try await body { stop in fate.withLock { $0.stop = stop } }
        }
        let wasKilled = fate.withLock { fate in
            fate.task = task
            return fate.isDead || isDead
        }
        if wasKilled { task.cancel() }
        let result: Result<Value, any Error>? = await withCheckedContinuation { continuation in
            fate.withLock { $0.onEnd = continuation }
            // In its time, so that nothing else happens before it is known.
            Task(executorPreference: time) { self.ended(await task.result) }
        }
        if case .success? = result, fault == .powerCutAtEnd, isAlive {
            look()
            _ = try disk.copy(to: copy, cuttingPower: seed)
            fate.withLock { $0.copy = copy }
        }
        disk.end()
        let (end, left, failure) = fate.withLock { fate in
            // These hold the process's time, which holds them.
            (fate.task, fate.stop, fate.disk) = (nil, nil, nil)
            return (fate.end, fate.copy, fate.failure)
        }
        if let failure { throw failure }
        if let left, result != nil {
            try FileManager.default.removeItem(at: folder)
            try FileManager.default.moveItem(at: left, to: folder)
        }
        if let end, result != nil { return end }
        switch result {
        case .success(let value): return .finished(value)
        case .failure(let error): return .failed(error)
        case nil: return .hung
        }
    }
}
