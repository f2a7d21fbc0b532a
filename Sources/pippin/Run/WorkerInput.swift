import Foundation
import PippinCrawl
import PippinStore
import Synchronization

/// Standard input of a worker: what it is to do, and the line by which its driver holds it.
///
/// A thread of its own reads it to the end. When it ends before the work is done, the driver is dead or has lost interest, and the
/// process ends at once: what was visited is on disk. So it does when a lease runs out that the driver has not renewed: another machine may
/// have the shard by then.
final class WorkerInput: Sendable {
    /// The input ended too early.
    static let ended = ReportedFailure(
        "standard input ended before \"end\"; the turn can be tried again", .interrupted)

    /// Batches of lines up to `end`.
    let batches: AsyncThrowingStream<[ShardTurn.Line], any Error>
    private let continuation: AsyncThrowingStream<[ShardTurn.Line], any Error>.Continuation
    private let descriptor: Int32
    /// How many batches may wait. A driver that is faster waits.
    private let room = DispatchSemaphore(value: 2)
    private let isDone = Atomic(false)
    private let lease = ShardLease()

    /// As many lines as are queued in one transaction.
    private static let linesAtATime = 500
    /// The bytes after which a batch ends. So the longest lines come one at a time.
    private static let bytesAtATime = 1024 * 1024

    init(descriptor: Int32) {
        self.descriptor = descriptor
        (batches, continuation) = AsyncThrowingStream.makeStream()
    }

    func start() {
        let thread = Thread { self.read() }
        thread.name = "input"
        thread.start()
    }

    /// Makes room for one more batch.
    func tookBatch() { room.signal() }

    /// From now on the input may end.
    func workIsDone() {
        isDone.store(true, ordering: .sequentiallyConsistent)
        lease.end()
    }

    // MARK: On the thread

    private func read() {
        var lines = InputLines { InputLines.piece(of: self.descriptor) }
        do {
            try readOrder(&lines)
        } catch {
            continuation.finish(throwing: error)
            return
        }
        continuation.finish()
        waitForEnd(&lines)
    }

    private func readOrder(_ lines: inout InputLines) throws {
        var batch: [ShardTurn.Line] = []
        var batchBytes = 0
        func hand() {
            guard !batch.isEmpty else { return }
            room.wait()
            continuation.yield(batch)
            (batch, batchBytes) = ([], 0)
        }
        while true {
            // What has come is worked on while more comes.
            if !lines.hasLine { hand() }
            guard let line = try lines.next() else { throw Self.ended }
            let (number, message) = (lines.number, try WorkerMessage(line: line, number: lines.number))
            switch message {
            case .begin where number != 1:
                throw WorkerProtocolError(line: number, problem: "\"begin\" comes once, on the first line")
            case .request where number == 1, .popularity where number == 1, .address where number == 1,
                .record where number == 1, .lease where number == 1, .end where number == 1:
                throw WorkerProtocolError(line: 1, problem: "the first line must be \"begin\"")
            case .begin, .request, .popularity, .address, .record:
                batch.append(ShardTurn.Line(number: number, message: message))
                batchBytes += line.count
            case .lease(let end): lease.extend(to: end)
            case .end: return hand()
            }
            if batch.count >= Self.linesAtATime || batchBytes >= Self.bytesAtATime { hand() }
        }
    }

    /// Takes leases until the end of the input, and ends the process if the work is not done by then.
    private func waitForEnd(_ lines: inout InputLines) {
        do {
            while let line = try lines.next() {
                guard case .lease(let end) = try WorkerMessage(line: line, number: lines.number) else {
                    throw WorkerProtocolError(line: lines.number, problem: "only \"lease\" comes after \"end\"")
                }
                lease.extend(to: end)
            }
        } catch {
            guard !isDone.load(ordering: .sequentiallyConsistent) else { return }
            writeError("pippin: \(error)")
            _exit(ExitStatus.usage.rawValue)
        }
        guard !isDone.load(ordering: .sequentiallyConsistent) else { return }
        _exit(ExitStatus.interrupted.rawValue)
    }
}
