import Foundation
import GRDB
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// Records on their way from a storage into an index that is strict, slow and unkind: nothing is lost, nothing is marked
/// delivered before it is, and no older version takes the place of a newer one.
@Suite struct IndexFollowerTests {
    private let folder = StorageFolder()

    /// A request may take as long as a busy machine needs, and a record may be tried for as long as the test likes: pauses do not
    /// last, and are counted all the same.
    private func settings(_ server: BulkIndexServer) throws -> OpenSearchSettings {
        var settings = OpenSearchSettings(url: try #require(WebURL(server.url)), index: "pages")
        settings.timeout = .seconds(600)
        settings.patience = .seconds(86_400)
        return settings
    }

    /// - Parameters:
    ///   - change: of the settings, such as a short time limit for a server that leaves requests without an answer.
    ///   - wait: what happens in place of a pause.
    private func follower(
        _ store: StoreUnderTest, _ server: BulkIndexServer, change: (inout OpenSearchSettings) -> Void = { _ in },
        wait: @escaping @Sendable () async throws -> Void = {}
    ) throws -> (follower: IndexFollower, sink: OpenSearchSink) {
        var settings = try settings(server)
        change(&settings)
        let sink = try OpenSearchSink(settings, linger: .seconds(86_400)) { _ in try await wait() }
        return (try IndexFollower(storage: store.storage, sink: sink, settings: settings), sink)
    }

    private func fill(_ store: StoreUnderTest, _ numbers: Range<Int>, says: String = "page") async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in numbers {
                group.addTask { try await store.upsert("https://a.test/\(number)", says: "\(says) \(number)") }
            }
            try await group.waitForAll()
        }
    }

    /// What the feed says should be in the index: title by identifier.
    private func listed(_ storage: CrawlStorage) throws -> [String: String] {
        var titles: [String: String] = [:]
        try storage.feed.read(since: nil) {
            if !$0.isDeletion { titles[$0.identifier] = String(decoding: $0.document, as: UTF8.self) }
        }
        return titles
    }

    private func contents(_ server: BulkIndexServer) -> [String: String] {
        server.withState { $0.documents.compactMapValues { $0 } }
    }

    private func kept(_ store: StoreUnderTest, _ server: BulkIndexServer) throws -> Int64 {
        try IndexFollower.keptPlace(of: IndexFollower.name(of: try settings(server)), in: store.storage).sequence
    }

    // MARK: Delivery

    @Test func `all arrives in batches, and nothing a second time`() async throws {
        let store = try StoreUnderTest(folder)
        try await fill(store, 0..<1200)
        try await store.delete("https://a.test/7")
        let server = try BulkIndexServer()
        try await follower(store, server).follower.catchUp()
        #expect(server.faults == [] && server.requests.map(\.count) == [500, 500, 200])
        #expect(try contents(server) == listed(store.storage))
        try await follower(store, server).follower.catchUp()
        #expect(server.requests.count == 3)
        #expect(try kept(store, server) == store.storage.feed.end().sequence)
    }

    @Test func `popularities arrive as updates, and a document that the index lost comes whole with the next run`()
        async throws
    {
        let store = try StoreUnderTest(folder)
        try await fill(store, 0..<20)
        let server = try BulkIndexServer()
        try await follower(store, server).follower.catchUp()
        let records = try store.storage.read { database in
            try Int64.fetchAll(database, sql: "SELECT record FROM popularity ORDER BY record")
        }
        try await store.frontier.deliver(records.map { (record: $0, value: 300 + $0) })
        server.withState { $0.documents["https://a.test/3"] = nil }
        try await follower(store, server).follower.catchUp()
        let updates = server.withState { $0.taken.mapValues { $0.count } }
        #expect(server.faults == [] && updates["https://a.test/4"] == 2 && updates["https://a.test/3"] == 1)
        #expect(server.documents.count == 19)
        let next = try follower(store, server).follower
        store.storage.endChanges()
        try await next.follow()
        func parsed(_ documents: [String: String]) throws -> NSDictionary {
            try documents.mapValues { try JSONSerialization.jsonObject(with: Data($0.utf8)) } as NSDictionary
        }
        #expect(try parsed(contents(server)) == parsed(listed(store.storage)))
        #expect(server.faults == [])
    }

    @Test func `another index, or the same one elsewhere, is fed from the beginning`() async throws {
        let store = try StoreUnderTest(folder)
        try await fill(store, 0..<10)
        let first = try BulkIndexServer()
        try await follower(store, first).follower.catchUp()
        let second = try BulkIndexServer()
        try await follower(store, second).follower.catchUp()
        #expect(second.documents == first.documents && second.documents.count == 10)
    }

    @Test func `the cursor moves when the index has acknowledged, and not before`() async throws {
        let store = try StoreUnderTest(folder)
        try await fill(store, 0..<1200)
        let seen = Mutex<[Int64]>([])
        let serverBox = Mutex<BulkIndexServer?>(nil)
        let server = try BulkIndexServer([
            .proper, .status("503 Service Unavailable"), .takesAndCuts, .proper, .status("429 Too Many Requests"),
        ]) { _ in
            let position = serverBox.withLock { $0 }.flatMap { try? kept(store, $0) } ?? -1
            seen.withLock { $0.append(position) }
        }
        serverBox.withLock { $0 = server }
        defer { serverBox.withLock { $0 = nil } }
        try await follower(store, server).follower.catchUp()
        // At the first request nothing was delivered; at each other one what was acknowledged before it.
        let positions = seen.withLock { $0 }
        #expect(positions.first == 0 && Set(positions) == [0, 500, 1000], "\(positions)")
        #expect(positions == positions.sorted())
        #expect(try kept(store, server) == 1200)
        #expect(try contents(server) == listed(store.storage))
    }

    @Test func `whatever the index does to a request, everything arrives`() async throws {
        let store = try StoreUnderTest(folder)
        try await fill(store, 0..<700)
        let server = try BulkIndexServer([
            .status("429 Too Many Requests", fields: ["Retry-After: 3"]), .status("500 Internal Server Error"), .cuts,
            .resets, .silent, .takesAndCuts, .takesAndCutsAnswer, .forgetsLast, .answers("{\"items\":["),
            .answers("<html>Sign in"), .refuses(["https://a.test/3", "https://a.test/4"], status: 429),
            .refuses(["https://a.test/3"], status: 503), .status("502 Bad Gateway"),
        ])
        // For the silent one. A request that a busy machine delays is made again, and does no harm.
        let (follower, sink) = try follower(store, server) { $0.timeout = .milliseconds(500) }
        try await follower.catchUp()
        #expect(try contents(server) == listed(store.storage))
        #expect(server.faults == [])
        let counts = await sink.counts
        #expect(counts.indexed == 700 && counts.rejected == 0 && counts.retriedRequests >= 9)
        #expect(try kept(store, server) == 700)
    }

    @Test func `a crash between the acknowledgement and its keeping sends again, and nothing old`() async throws {
        let copy = StorageFolder()
        let server: BulkIndexServer
        let original = folder
        do {
            let store = try StoreUnderTest(folder)
            try await fill(store, 0..<100)
            server = try BulkIndexServer { number in
                // What a killed run leaves behind: everything sent, nothing kept.
                if number == 1 { try? FileManager.default.copyItem(at: original.url, to: copy.url) }
            }
            try await follower(store, server).follower.catchUp()
            #expect(try kept(store, server) == 100)
        }
        let store = try StoreUnderTest(copy)
        #expect(try kept(store, server) == 0)
        try await store.upsert("https://a.test/3", says: "newer")
        try await store.delete("https://a.test/4")
        try await follower(store, server).follower.catchUp()
        #expect(try contents(server) == listed(store.storage))
        // Of what had changed only the newer state was sent.
        let taken = server.withState { $0.taken }
        #expect(taken["https://a.test/3"]?.map { $0?.contains("newer") } == [false, true])
        #expect(taken["https://a.test/4"]?.map { $0 == nil } == [false, true])
        #expect(taken["https://a.test/5"]?.count == 2)
    }

    @Test func `while the index is slow no more is read than it has room for`() async throws {
        let store = try StoreUnderTest(folder)
        try await fill(store, 0..<3000)
        let gate = DispatchSemaphore(value: 0)
        let server = try BulkIndexServer { number in
            if number == 1 { gate.wait() }
        }
        let (follower, sink) = try follower(store, server) { $0.batchRecords = 50 }
        async let following: Void = follower.follow()
        try await waitUntil("the index has a request") { !server.requests.isEmpty }
        // Meanwhile the crawl goes on as if nothing were.
        try await fill(store, 3000..<4000)
        #expect(await sink.queuedCount <= IndexFollower.stretch)
        #expect(server.requests.count == 1)
        gate.signal()
        store.storage.endChanges()
        try await following
        #expect(server.requests.allSatisfy { $0.count <= 50 })
        #expect(try contents(server) == listed(store.storage))
    }

    @Test func `versions of a record arrive in their order, also where the index fails all the time`() async throws {
        let store = try StoreUnderTest(folder)
        var random = MadeUpNumbers(state: 11)
        let names = (0..<12).map { "https://a.test/\($0)" }
        let server = try BulkIndexServer(
            (0..<400).map { _ -> BulkIndexServer.Behavior in
                switch random.next() % 7 {
                case 0: .status("503 Service Unavailable")
                case 1: .takesAndCuts
                case 2: .takesAndCutsAnswer
                case 3: .refuses([names[Int(random.next() % 12)], names[Int(random.next() % 12)]], status: 429)
                case 4: .forgetsLast
                default: .proper
                }
            })
        let (follower, _) = try follower(store, server, change: { $0.batchRecords = 3 }, wait: { await Task.yield() })
        async let following: Void = follower.follow()
        for version in 1...400 {
            let name = names[Int(random.next() % 12)]
            if random.next() % 4 == 0 {
                try await store.delete(name)
            } else {
                try await store.upsert(name, says: "version \(version) of \(name)")
            }
        }
        store.storage.endChanges()
        try await following
        #expect(server.faults == [])
        #expect(try contents(server) == listed(store.storage))
        for (name, sources) in server.withState({ $0.taken }) {
            let versions = sources.compactMap { $0 }.compactMap { source in
                source.firstMatch(of: /version ([0-9]+) of/).flatMap { Int($0.1) }
            }
            #expect(versions == versions.sorted(), "\(name)")
        }
    }

    // MARK: Refusals

    @Test func `what the mapping refuses is told, holds up nothing, and is offered again in the next run`() async throws
    {
        let store = try StoreUnderTest(folder)
        try await fill(store, 0..<600)
        let unfit: Set<String> = ["https://a.test/1", "https://a.test/2", "https://a.test/3"]
        let server = try BulkIndexServer([
            .refuses(unfit, status: 400, error: "mapper_parsing_exception"),
            .refuses(unfit, status: 400, error: "mapper_parsing_exception"),
            .refuses(unfit, status: 400, error: "mapper_parsing_exception"),
        ])
        let (first, sink) = try follower(store, server)
        try await first.catchUp()
        #expect(server.documents.count == 597 && server.requests.count == 2)
        #expect(await sink.counts.rejected == 3)
        #expect(try kept(store, server) == 600)

        // The mapping is as it was: the three are offered once, and stay on the list.
        store.storage.endChanges()
        let (second, again) = try follower(store, server)
        try await second.follow()
        #expect(server.requests.last.map(Set.init) == unfit)
        #expect(await again.counts.rejected == 3)

        // One changes and one goes; the mapping is fixed.
        try await store.upsert("https://a.test/1", says: "fit")
        try await store.delete("https://a.test/2")
        let (third, _) = try follower(store, server)
        try await third.follow()
        #expect(server.requests.dropFirst(3) == [["https://a.test/3"], ["https://a.test/1", "https://a.test/2"]])
        #expect(try contents(server) == listed(store.storage))
        // Nothing is left on the list.
        let (fourth, _) = try follower(store, server)
        try await fourth.follow()
        #expect(server.requests.count == 5)
        #expect(server.faults == [])
    }

    @Test(arguments: [(404, "index_not_found_exception"), (403, "security_exception"), (400, "index_closed_exception")])
    func `an index that takes nothing is not a matter of records`(status: Int, error: String) async throws {
        let store = try StoreUnderTest(folder)
        try await fill(store, 0..<20)
        let all = Set((0..<20).map { "https://a.test/\($0)" })
        let server = try BulkIndexServer([.refuses(all, status: status, error: error)])
        await #expect(throws: OpenSearchSink.Failure.refused(status: status, reason: "\(error): because")) {
            try await follower(store, server).follower.catchUp()
        }
        #expect(try kept(store, server) == 0)
        try await follower(store, server).follower.catchUp()
        #expect(try contents(server) == listed(store.storage))
    }

    @Test func `an index whose disk is full is waited for`() async throws {
        let store = try StoreUnderTest(folder)
        try await fill(store, 0..<20)
        let all = Set((0..<20).map { "https://a.test/\($0)" })
        let server = try BulkIndexServer([
            .refuses(all, status: 403, error: "cluster_block_exception"),
            .refuses(all, status: 429, error: "cluster_block_exception"),
        ])
        let (follower, sink) = try follower(store, server)
        try await follower.catchUp()
        #expect(await sink.counts == .init(indexed: 20, retriedItems: 40))
    }

    @Test func `an index that stays away ends the delivery, and the next run begins where it was`() async throws {
        let store = try StoreUnderTest(folder)
        try await fill(store, 0..<700)
        let server = try BulkIndexServer(
            [.proper] + Array(repeating: .status("503 Service Unavailable"), count: 40))
        let (first, sink) = try follower(store, server) { $0.patience = .seconds(60) }
        await #expect(throws: OpenSearchSink.Failure.outOfOrder("it answers with status 503")) {
            try await first.catchUp()
        }
        #expect(await sink.counts.indexed == 500)
        #expect(try kept(store, server) == 500)
        server.withState { $0.behaviors = [] }
        try await follower(store, server).follower.catchUp()
        #expect(server.requests.last?.count == 200)
        #expect(try contents(server) == listed(store.storage))
    }
}

/// Numbers that look random and are the same each time.
private struct MadeUpNumbers {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
