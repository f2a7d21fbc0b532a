import Dispatch
import Foundation
import PippinCrawl
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinServe

/// Searches that take long.
@Suite struct SearchQueueTests {
    /// Keeps whoever comes until it is opened.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        let arrivals = Mutex<[Int]>([])

        func pass(_ number: Int) {
            arrivals.withLock { $0.append(number) }
            semaphore.wait()
            semaphore.signal()
        }

        func open() { semaphore.signal() }
    }

    @Test func `while long searches run and wait, pages are answered and further searches are refused`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        var settings = WebSettings(storage: storage.folder)
        settings.port = 0
        let limits = settings.searches
        let server = try WebServer(settings)
        let gate = Gate()
        try await server.withServer { port in
            let client = WebClient(port: port)
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { gate.open() }
                for number in 0..<limits.running {
                    group.addTask { _ = try await server.context.search { _ in gate.pass(number) } }
                }
                while gate.arrivals.withLock({ $0.count }) < limits.running { await Task.yield() }
                for number in 0..<limits.waiting {
                    group.addTask {
                        do { _ = try await server.context.search { _ in gate.pass(number) } } catch is WebRefusal {
                            // On a slow machine, the test takes longer than they wait.
                        }
                    }
                }
                while server.context.searches.waitingCount < limits.waiting { await Task.yield() }
                let refused = try await client.get("/api/v1/search?q=pie")
                #expect(refused.status == 503)
                #expect(refused.fields["retry-after"] == "5")
                #expect(try await client.get("/api/v1/suggest?q=pi").status == 503)
                #expect(try await client.get("/healthz").status == 200)
                #expect(try await client.get("/").status == 200)
                for _ in 0..<8 {
                    let record = WebClient.target("/record", "url", "https://kitchen.test/pie")
                    #expect(try await client.get(record).status == 200)
                }
            }
            let found = try await client.get("/api/v1/search?q=pie")
            #expect(found.status == 200)
            #expect(found.body.contains("https://kitchen.test/pie"))
        }
    }

    @Test func `those that wait get their turn in order`() async throws {
        let queue = SearchQueue(SearchQueue.Limits(running: 1, waiting: 8, patience: .seconds(60)))
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await queue.run(for: "a") { gate.pass(0) } }
            while gate.arrivals.withLock({ $0.isEmpty }) { await Task.yield() }
            for number in 1...8 {
                group.addTask { try await queue.run(for: "a") { gate.pass(number) } }
                while queue.waitingCount < number { await Task.yield() }
            }
            gate.open()
            try await group.waitForAll()
        }
        #expect(gate.arrivals.withLock { $0 } == Array(0...8))
    }

    @Test func `one that waits too long or is cancelled leaves its place to others`() async throws {
        let queue = SearchQueue(SearchQueue.Limits(running: 1, waiting: 1, patience: .milliseconds(50)))
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await queue.run(for: "a") { gate.pass(0) } }
            while gate.arrivals.withLock({ $0.isEmpty }) { await Task.yield() }
            await #expect(throws: WebRefusal.self) { try await queue.run(for: "a") { gate.pass(1) } }
            #expect(queue.waitingCount == 0)
            let cancelled = Task { try await queue.run(for: "a") { gate.pass(2) } }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            #expect(queue.waitingCount == 0)
            gate.open()
            try await group.waitForAll()
        }
        #expect(try await queue.run(for: "a") { 7 } == 7)
        #expect(gate.arrivals.withLock { $0 } == [0])
    }

    @Test func `one client cannot fill the queue, nor take all places`() async throws {
        let queue = SearchQueue(SearchQueue.Limits(running: 2, waiting: 4, patience: .seconds(60)))
        let gate = Gate()
        let refused = Mutex<[Int]>([])
        let search = { @Sendable (number: Int, client: String) async throws in
            do { try await queue.run(for: client) { gate.pass(number) } } catch is WebRefusal {
                refused.withLock { $0.append(number) }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2 { group.addTask { try await search(number, "greedy") } }
            while gate.arrivals.withLock({ $0.count }) < 2 { await Task.yield() }
            for number in 2..<6 {
                group.addTask { try await search(number, "greedy") }
                while queue.waitingCount < number - 1 { await Task.yield() }
            }
            // Its next one is refused itself; others take the place of its last ones, as long as it has more than they.
            for (number, client) in [(6, "greedy"), (7, "other"), (8, "third"), (9, "other")] {
                let before = refused.withLock { $0.count }
                group.addTask { try await search(number, client) }
                while refused.withLock({ $0.count }) == before { await Task.yield() }
            }
            #expect(refused.withLock { $0 } == [6, 5, 4, 9])
            gate.open()
            try await group.waitForAll()
        }
        let order = gate.arrivals.withLock { $0 }
        #expect(Set(order.prefix(2)) == [0, 1])
        // Whose searches run is passed over, as long as others wait. Which of the first two ends first, nobody knows.
        #expect(Set(order[2...]) == [2, 3, 7, 8])
        #expect(order[2..<4].contains(7) && order.firstIndex(of: 2) ?? 0 < order.firstIndex(of: 3) ?? 0)
    }
}
