import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// The sink against an index that is strict, and unkind on purpose.
@Suite struct OpenSearchSinkTests {
    /// What the sink waited for between its tries.
    private final class Pauses: Sendable {
        let lengths = Mutex<[Duration]>([])
        let during = Mutex<(@Sendable () async throws -> Void)?>(nil)
        var list: [Duration] { lengths.withLock { $0 } }
    }

    private final class Written: Sendable {
        let count = Atomic<Int>(0)
    }

    private let pauses = Pauses()

    private func sink(
        _ server: BulkIndexServer, change: (inout OpenSearchSettings) -> Void = { _ in }
    ) throws -> OpenSearchSink {
        var settings = OpenSearchSettings(url: try #require(WebURL(server.url)), index: "pages")
        change(&settings)
        let pauses = pauses
        return try OpenSearchSink(settings, linger: .seconds(86_400)) { length in
            pauses.lengths.withLock { $0.append(length) }
            let action = pauses.during.withLock { action in
                defer { action = nil }
                return action
            }
            try await action?()
        }
    }

    private static func upsert(_ identifier: String, title: String = "A page") -> RecordChange {
        var record = DeepLinkRecord(
            uniqueIdentifier: identifier, domainIdentifier: "a.test", url: identifier,
            fetchedAt: Date(timeIntervalSince1970: 0), contentHash: "0")
        record.title = title
        return .upsert(RecordDocument(record))
    }

    private static func delete(_ identifier: String) -> RecordChange {
        .delete(RecordDeletion(uniqueIdentifier: identifier, reason: "gone", at: Date(timeIntervalSince1970: 0)))
    }

    private static func pages(_ numbers: Range<Int>) -> [RecordChange] {
        numbers.map { upsert("https://a.test/\($0)") }
    }

    @Test func `records and deletions arrive in batches, deleting what is not there is fine`() async throws {
        let server = try BulkIndexServer()
        let sink = try sink(server) { $0.batchRecords = 4 }
        try await sink.write(Self.pages(0..<10))
        try await sink.write([Self.delete("https://a.test/3"), Self.delete("https://a.test/never")])
        try await sink.flush()
        #expect(server.faults == [])
        #expect(server.documents.count == 9)
        #expect(server.requests.map(\.count) == [4, 4, 4])
        #expect(await sink.counts == OpenSearchSink.Counts(indexed: 10, deleted: 2))
        try await sink.flush()
        #expect(server.requests.count == 3)
    }

    @Test func `batches are bounded in bytes, and a request that is too large is halved`() async throws {
        let server = try BulkIndexServer()
        let small = try sink(server) { $0.batchBytes = 1000 }
        try await small.write(Self.pages(0..<12))
        try await small.flush()
        #expect(server.requests.allSatisfy { $0.count < 6 } && server.documents.count == 12)

        let narrow = try BulkIndexServer()
        narrow.withState { $0.maximumBytes = 1500 }
        let sink = try sink(narrow)
        try await sink.write(
            Self.pages(0..<20) + [Self.upsert("https://a.test/big", title: String(repeating: "x", count: 2000))])
        try await sink.flush()
        #expect(narrow.documents.count == 20 && narrow.faults == [])
        #expect(await sink.rejections.map(\.status) == [413])
        #expect(pauses.list.isEmpty)
    }

    @Test func `an overloaded index is asked again later, as late as it wants`() async throws {
        let server = try BulkIndexServer([
            .status("429 Too Many Requests", fields: ["Retry-After: 7"]), .status("503 Service Unavailable"), .cuts,
            .takesAndCuts, .answers("{\"items\":[]}"), .answers("<html>"),
        ])
        let sink = try sink(server)
        try await sink.write(Self.pages(0..<3))
        try await sink.flush()
        // What is closed unanswered on a kept connection, curl repeats itself on a new one, without a pause.
        #expect(pauses.list == [7, 1, 2, 4, 8].map { .seconds($0) })
        #expect(server.requests.count == 7 && server.documents.count == 3 && server.faults == [])
        #expect(await sink.counts.indexed == 3)
        #expect(await sink.counts.retriedRequests == 5)
    }

    @Test func `only what was not taken is sent again, and what is unfit is told once`() async throws {
        let server = try BulkIndexServer([
            .refuses(["https://a.test/1", "https://a.test/2"], status: 429),
            .refuses(["https://a.test/2"], status: 503),
        ])
        let sink = try sink(server)
        try await sink.write(Self.pages(0..<4) + [Self.upsert("https://a.test/bad", title: "unfit")])
        try await sink.flush()
        #expect(server.requests.map(\.count) == [5, 2, 1])
        #expect(server.documents.count == 4)
        #expect(
            await sink.rejections == [
                .init(identifier: "https://a.test/bad", status: 400, reason: "mapper_parsing_exception: unfit")
            ])
        #expect(await sink.counts == .init(indexed: 4, rejected: 1, retriedItems: 3))
    }

    @Test func `an older record never overtakes a newer deletion`() async throws {
        let identifier = "https://a.test/1"
        let server = try BulkIndexServer([.refuses([identifier], status: 429)])
        let sink = try sink(server) { $0.batchRecords = 1 }
        // While the record waits to be sent again, its page goes away.
        pauses.during.withLock { $0 = { try await sink.write([Self.delete(identifier)]) } }
        try await sink.write([Self.upsert(identifier)])
        try await sink.flush()
        #expect(server.documents == [])
        #expect(server.requests.count == 2)
        #expect(await sink.counts == .init(deleted: 1, superseded: 1, retriedItems: 1))

        // In one batch, the last one counts.
        let second = try BulkIndexServer()
        let other = try self.sink(second)
        try await other.write([
            Self.upsert(identifier), Self.delete(identifier), Self.upsert(identifier, title: "Back"),
        ])
        try await other.flush()
        #expect(second.requests == [[identifier]] && second.documents == [identifier])
    }

    @Test func `numbered changes are safe from replays`() async throws {
        let server = try BulkIndexServer([.takesAndCuts])
        let sink = try sink(server)
        try await sink.write([OpenSearchSink.NumberedChange(Self.upsert("https://a.test/1"), number: 5)])
        try await sink.flush()
        // A consumer that lost its cursor sends old changes once more.
        try await sink.write([OpenSearchSink.NumberedChange(Self.delete("https://a.test/1"), number: 4)])
        try await sink.flush()
        #expect(server.documents == ["https://a.test/1"] && server.faults == [])
        #expect(await sink.counts == .init(indexed: 1, superseded: 1, retriedRequests: 1))
    }

    @Test func `an index that stays out of order ends the crawl, and nothing more is taken`() async throws {
        let server = try BulkIndexServer(Array(repeating: .status("503 Service Unavailable"), count: 50))
        let sink = try sink(server) { $0.patience = .seconds(20) }
        try await sink.write(Self.pages(0..<2))
        await #expect(throws: OpenSearchSink.Failure.outOfOrder("it answers with status 503")) {
            try await sink.flush()
        }
        await #expect(throws: OpenSearchSink.Failure.self) { try await sink.write(Self.pages(2..<3)) }
        await #expect(throws: OpenSearchSink.Failure.self) { try await sink.flush() }
        #expect(server.requests.count == 6)
    }

    @Test func `what will never work is not tried again`() async throws {
        let server = try BulkIndexServer([.status("401 Unauthorized")])
        let sink = try sink(server)
        try await sink.write(Self.pages(0..<1))
        await #expect(throws: OpenSearchSink.Failure.refused(status: 401, reason: "{\"error\":\"no\"}")) {
            try await sink.flush()
        }
        #expect(server.requests.count == 1)
    }

    @Test func `writers wait when the index is slow`() async throws {
        let written = Written()
        let server = try BulkIndexServer { number in
            // The first request is answered when the queue is full: 4 batches of 5, of which the last write waits.
            let end = ContinuousClock.now + .seconds(300)
            while number == 1, written.count.load(ordering: .acquiring) < 19, ContinuousClock.now < end {
                sched_yield()
            }
        }
        let sink = try sink(server) { $0.batchRecords = 5 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sink.write(Self.pages(0..<5)) }
            group.addTask {
                try await waitUntil("the index has a request") { !server.requests.isEmpty }
                for number in 5..<60 {
                    try await sink.write(Self.pages(number..<(number + 1)))
                    let count = written.count.add(1, ordering: .acquiringAndReleasing).newValue
                    if count == 19 { #expect(server.requests.count == 1) }
                }
            }
            try await group.waitForAll()
        }
        try await sink.flush()
        #expect(server.documents.count == 60 && server.faults == [])
    }

    @Test func `long identifiers are hashed`() async throws {
        let long = "https://a.test/" + String(repeating: "a", count: 600)
        let server = try BulkIndexServer()
        let sink = try sink(server)
        try await sink.write([Self.upsert(long), Self.upsert("https://a.test/ü\"\\\n")])
        try await sink.flush()
        #expect(server.faults == [])
        #expect(server.documents.first == "https://a.test/ü\"\\\n")
        #expect(server.documents.last == OpenSearchBulk.documentIdentifier(long))
        #expect(OpenSearchBulk.documentIdentifier(long).utf8.count == 71)
    }

    @Test func `credentials come from the environment or a file, and are not sent in the clear`() async throws {
        let server = try BulkIndexServer()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let netrc = folder.appending(path: "netrc")
        try Data("machine 127.0.0.1 login pippin password secret\n".utf8).write(to: netrc)
        let sink = try sink(server) { $0.credentialsPath = netrc.path }
        try await sink.write(Self.pages(0..<1))
        try await sink.flush()
        #expect(server.withState { $0.authorizations } == ["Basic cGlwcGluOnNlY3JldA=="])

        var settings = OpenSearchSettings(url: try #require(WebURL("https://search.example.org:9200")), index: "pages")
        settings.credentialsVariable = "AUTH"
        #expect(try settings.credentials(environment: ["AUTH": "u:p"]) == .basic("u:p"))
        #expect(try settings.credentials(environment: ["AUTH": "ApiKey abc"]) == .field("ApiKey abc"))
        #expect(throws: OpenSearchSink.Failure.self) { try settings.credentials(environment: [:]) }
        #expect(throws: OpenSearchSink.Failure.self) { try settings.credentials(environment: ["AUTH": "a\r\nB: c"]) }
        settings.url = try #require(WebURL("http://search.example.org:9200"))
        #expect(throws: OpenSearchSink.Failure.self) { try settings.credentials(environment: ["AUTH": "u:p"]) }
    }

    @Test func `the configuration names the index`() throws {
        func read(_ text: String) throws -> OpenSearchSettings? {
            try CrawlConfiguration(yaml: "output:\n  opensearch: \(text)", file: "/etc/crawl.yaml").output.openSearch
        }
        let settings = try read(
            "{ url: \"https://s.example:9200/\", index: pages-1, ca_file: ca.pem, auth_env: X, batch_records: 10, "
                + "batch_bytes: 1M, timeout: 5s, give_up_after: 1h }")
        #expect(settings?.bulkURL.hasPrefix("https://s.example:9200/pages-1/_bulk?") == true)
        #expect(settings?.certificateAuthorityPath == "/etc/ca.pem" && settings?.batchBytes == 1_000_000)
        #expect(try read("null") == nil)
        for wrong in [
            "{ index: pages }", "{ url: \"https://s.example\" }", "{ url: \"https://u:p@s.example\", index: pages }",
            "{ url: \"https://s.example\", index: Pages }",
            "{ url: \"https://s.example\", index: pages, auth_env: A, auth_file: b }",
            "{ url: \"ftp://s.example\", index: pages }",
        ] {
            #expect(throws: ConfigurationError.self, "\(wrong)") { try read(wrong) }
        }
    }

    private static func object(_ path: String) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: Repository.root.appending(path: path)))
                as? [String: Any])
    }

    /// Members of an object and of all objects in it, with points between: `deepLinks.verification.status`.
    private static func paths(_ properties: [String: Any], below path: String = "") throws -> [String] {
        try properties.flatMap { name, value -> [String] in
            var value = try #require(value as? [String: Any])
            value = value["items"] as? [String: Any] ?? value
            let alternatives = (value["oneOf"] as? [[String: Any]] ?? []) + [value]
            // What the mapping keeps whole has no fields of its own.
            let inner = alternatives.compactMap { $0["properties"] as? [String: Any] }
            return try [path + name] + inner.flatMap { try paths($0, below: path + name + ".") }
        }
    }

    @Test func `the example's mapping knows every field of a record, also inside of others`() throws {
        let mappings = try #require(try Self.object("Examples/opensearch/pages.json")["mappings"] as? [String: Any])
        let properties = try #require(mappings["properties"] as? [String: [String: Any]])
        let definitions = try #require(try Self.object("Docs/record.schema.json")["$defs"] as? [String: [String: Any]])
        let record = try #require(definitions["record"]?["properties"] as? [String: Any])
        let whole = properties.filter { $0.value["enabled"] as? Bool == false }.keys + ["recipe.nutrition"]
        let known = Set(try Self.paths(properties))
        let expected = Set(try Self.paths(record)).filter { path in !whole.contains { path.hasPrefix($0 + ".") } }
        #expect(expected.subtracting(known).sorted() == [])
        // Fields that records do not have are copies of others.
        let copies = Set(
            properties.values.flatMap {
                [$0] + (($0["properties"] as? [String: [String: Any]])?.values.map { $0 } ?? [])
            }
            .flatMap { $0["copy_to"] as? [String] ?? [] })
        #expect(known.subtracting(expected) == copies && !copies.isEmpty)
    }
}
