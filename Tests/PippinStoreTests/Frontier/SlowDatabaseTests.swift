import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinStore

/// Databases that somebody else keeps busy, or whose disk is slow.
@Suite(.ends)
struct SlowDatabaseTests {
    @Test func `databases that are slow stop no other task, however many they are`() async throws {
        // More than Swift has threads.
        let folders = (0...ProcessInfo.processInfo.activeProcessorCount + 1).map { _ in StorageFolder() }
        let stores = try folders.map { try StoreUnderTest($0) }
        let (isHeld, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for store in stores {
            let database = store.storage.database
            Thread {
                try? database.writeWithoutTransaction { _ in
                    isHeld.signal()
                    // A test that fails ends too.
                    _ = ends.wait(timeout: .now() + 120)
                }
            }.start()
            await withCheckedContinuation { continuation in
                Thread {
                    isHeld.wait()
                    continuation.resume()
                }.start()
            }
        }
        let (writes, writeBegins) = AsyncStream.makeStream(of: Void.self)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                group.addTask {
                    writeBegins.yield()
                    try await store.upsert("https://a.test/", says: "kept")
                }
            }
            group.addTask {
                var begun = 0
                for await _ in writes {
                    begun += 1
                    if begun == stores.count { break }
                }
                for _ in 0..<1_000 { await Task.yield() }
                #expect(ContinuousClock.now - start < .seconds(100))
                for _ in stores { ends.signal() }
            }
            try await group.waitForAll()
        }
        for store in stores { #expect(try store.storage.feed.summary() == ["+https://a.test/"]) }
    }
}
