import Dispatch
import Foundation
import PippinServe

/// The lines that an agent's program sends, read on a thread of its own: nothing else waits for it.
final class MCPInput: Sendable {
    let lines: AsyncStream<InputLines.Line>
    private let continuation: AsyncStream<InputLines.Line>.Continuation
    private let descriptor: Int32
    /// How many lines may wait. A client that is faster waits.
    private let room = DispatchSemaphore(value: 4)

    init(descriptor: Int32) {
        self.descriptor = descriptor
        (lines, continuation) = AsyncStream.makeStream()
    }

    func start() {
        let thread = Thread { self.read() }
        thread.name = "input"
        thread.start()
    }

    /// Makes room for one more line.
    func tookLine() { room.signal() }

    private func read() {
        var lines = InputLines(maximumBytes: MCPSession.maximumLineBytes, endsLastLine: true) {
            InputLines.piece(of: self.descriptor)
        }
        while let line = lines.nextLine() {
            room.wait()
            continuation.yield(line)
        }
        continuation.finish()
    }
}
