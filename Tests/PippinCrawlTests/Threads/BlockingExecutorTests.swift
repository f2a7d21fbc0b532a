import Foundation
import PippinPage
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl

/// What blocks holds up nobody else, and can be cancelled.
@Suite(.ends)
struct BlockingExecutorTests {
    private func deletion(_ number: Int) -> RecordChange {
        .delete(
            RecordDeletion(
                uniqueIdentifier: "https://a.test/\(number)", reason: "gone", at: Date(timeIntervalSince1970: 0)))
    }

    @Test func `sinks whose readers are slow stop no other task, however many they are`() async throws {
        // More than Swift has threads.
        let pipes = try (0...ProcessInfo.processInfo.activeProcessorCount + 1).map { _ in try FullPipe() }
        let sinks = pipes.map { NDJSONSink(descriptor: $0.writeEnd, name: "a pipe") }
        let (flushes, flushBegins) = AsyncStream.makeStream(of: Void.self)
        let othersGoOn = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sink in sinks {
                group.addTask {
                    try await sink.write([deletion(1)])
                    flushBegins.yield()
                    try await sink.flush()
                }
            }
            group.addTask {
                var begun = 0
                for await _ in flushes {
                    begun += 1
                    if begun == sinks.count { break }
                }
                for _ in 0..<50 { await Task.yield() }
                othersGoOn.signal()
            }
            let went = await withCheckedContinuation { continuation in
                Thread { continuation.resume(returning: othersGoOn.wait(timeout: .now() + 120) == .success) }.start()
            }
            #expect(went)
            for pipe in pipes { #expect(await pipe.lines(1).count == 1) }
            try await group.waitForAll()
        }
    }

    @Test func `a write that nobody reads ends when its task is cancelled, and loses nothing`() async throws {
        let pipe = try FullPipe()
        let sink = NDJSONSink(descriptor: pipe.writeEnd, name: "standard output")
        try await sink.write([deletion(1)])
        let flush = Task { try await sink.flush() }
        flush.cancel()
        await #expect(throws: NDJSONSink.WriteError(path: "standard output", errorNumber: ECANCELED)) {
            try await flush.value
        }
        try await sink.write([deletion(2)])
        async let lines = pipe.lines(2)
        try await sink.flush()
        #expect(await lines.map { $0.contains("https://a.test/1\"") } == [true, false])
    }

    @Test func `an actor that blocks is not on the threads of the task that calls it`() async throws {
        actor Blocking {
            private let executor = BlockingExecutor("test")
            nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
            private(set) var turns = 0

            func takeTurn() { turns += 1 }
            var thread: pthread_t { pthread_self() }
        }
        let blocking = Blocking()
        let here = MadeUpTime()
        let threads = try await here.run {
            let own = pthread_self()
            return (own, await blocking.thread, pthread_self())
        }
        #expect(threads.0 == threads.2 && threads.0 != threads.1)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { await blocking.takeTurn() } }
        }
        #expect(await blocking.turns == 100)
    }
}
