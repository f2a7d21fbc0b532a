import PippinPage
import PippinReport
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinServe

/// The Model Context Protocol in lines, as `pippin mcp` speaks it.
@Suite struct MCPSessionTests {
    private final class Output: Sendable {
        private let lines = Mutex<[JSONValue]>([])
        private let (arrivals, continuation) = AsyncStream<JSONValue>.makeStream()

        func take(_ bytes: [UInt8]) {
            #expect(bytes.last == 0x0A && !bytes.dropLast().contains(0x0A))
            var parser = JSONParser()
            guard let value = try? parser.parse(bytes) else {
                Issue.record("no JSON: \(String(decoding: bytes, as: UTF8.self))")
                return
            }
            lines.withLock { $0.append(value) }
            continuation.yield(value)
        }

        var all: [JSONValue] { lines.withLock { $0 } }

        /// The next answer.
        func next() async -> JSONValue? {
            for await value in arrivals { return value }
            return nil
        }
    }

    private static func spoken(
        makeCard: (@Sendable (WebURL) async throws -> ReportCard)? = nil,
        _ body: (MCPSession, Output) async throws -> Void
    ) async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        var settings = WebSettings(storage: storage.folder)
        settings.makeCard = makeCard
        let output = Output()
        let session = try MCPSession(settings) { output.take($0) }
        try await body(session, output)
        try await session.end()
    }

    private static func line(_ value: JSONValue) -> ArraySlice<UInt8> { value.bytes()[...] }

    @Test func `both eras are spoken on one line after another`() async throws {
        try await Self.spoken { session, output in
            try await session.receive(Self.line(MCPRouteTests.request("server/discover", id: "d")))
            #expect(await output.next()?["result"]?["resultType"]?.string == "complete")
            try await session.receive(Self.line(["jsonrpc": "2.0", "id": 0, "method": "ping"]))
            #expect(await output.next()?["result"]?.object?.isEmpty == true)
            // Before a session has begun, any other request says its revision.
            try await session.receive(Self.line(["jsonrpc": "2.0", "id": 1, "method": "tools/list"]))
            #expect(await output.next()?["error"]?["code"]?.integer == -32602)
            try await session.receive(
                Self.line([
                    "jsonrpc": "2.0", "id": 2, "method": "initialize",
                    "params": ["protocolVersion": "2025-11-25", "capabilities": [:], "clientInfo": [:]],
                ]))
            #expect(await output.next()?["result"]?["protocolVersion"]?.string == "2025-11-25")
            try await session.receive(Self.line(["jsonrpc": "2.0", "method": "notifications/initialized"]))
            try await session.receive(Self.line(["jsonrpc": "2.0", "id": 3, "method": "ping"]))
            #expect(await output.next()?["result"]?.object?.isEmpty == true)
            try await session.receive(Self.line(MCPRouteTests.call("search", ["q": "pie"], id: 4)))
            let found = await output.next()
            #expect(found?["id"]?.integer == 4)
            #expect(found?["result"]?["structuredContent"]?["untrustedData"]?["count"]?.integer == 1)
        }
    }

    @Test func `a card that is cancelled is given up and not answered, and other requests go on`() async throws {
        let (isGivenUp, givenUp) = AsyncStream<Bool>.makeStream()
        let (hasBegun, begun) = AsyncStream<Void>.makeStream()
        try await Self.spoken(
            makeCard: { _ in
                begun.yield()
                do {
                    try await Task.sleep(for: .seconds(600))
                } catch {
                    givenUp.yield(true)
                    throw error
                }
                givenUp.yield(false)
                throw CancellationError()
            },
            { session, output in
                try await session.receive(
                    Self.line(MCPRouteTests.call("card", ["url": "https://kitchen.test/"], id: "slow")))
                for await _ in hasBegun { break }
                try await session.receive(
                    Self.line(MCPRouteTests.call("card", ["url": "https://kitchen.test/"], id: "slow")))
                #expect(await output.next()?["error"]?["code"]?.integer == -32600)
                try await session.receive(
                    Self.line([
                        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": ["requestId": "slow"],
                    ]))
                for await isGivenUp in isGivenUp {
                    #expect(isGivenUp)
                    break
                }
                try await session.receive(Self.line(MCPRouteTests.call("search", ["q": "pie"], id: 2)))
                #expect(await output.next()?["id"]?.integer == 2)
                // The end of the input gives up what asks others.
                try await session.receive(
                    Self.line(MCPRouteTests.call("card", ["url": "https://kitchen.test/"], id: "last")))
                for await _ in hasBegun { break }
                try await session.end()
                #expect(output.all.compactMap { $0["id"]?.string } == ["slow"])
            })
    }

    @Test func `no more than a handful is answered at once`() async throws {
        try await Self.spoken { session, output in
            let lines = (0..<40).map { Self.line(MCPRouteTests.call("search", ["q": "pie"], id: .integer($0))) }
            try await session.receiveAtOnce(lines)
            var (found, refused) = (0, 0)
            while found + refused < 40 {
                let answer = await output.next()
                if answer?["error"]?["message"]?.string?.contains("being answered") == true {
                    refused += 1
                } else {
                    found += 1
                }
            }
            #expect(found == 16 && refused == 24)
        }
    }

    /// Each gets an answer of at most a kilobyte and does not disturb those after it.
    @Test func `hostile lines are refused, bounded and at once`() async throws {
        try await Self.spoken { session, output in
            var random = FixedRandom(seed: 7)
            let lines = HostileMessages.all(using: &random)
            #expect(lines.count > 300)
            for bytes in lines {
                try await session.receive(bytes[...])
                try await session.receive(Self.line(MCPRouteTests.request("server/discover", id: "after")))
                while let answer = await output.next(), answer["id"]?.string != "after" {
                    #expect(
                        answer["jsonrpc"]?.string == "2.0" && answer["result"] == nil, "\(answer.text().prefix(300))")
                    #expect(answer["error"]?["code"]?.integer ?? 0 < 0)
                    #expect(answer.bytes().count < 1_200, "\(answer.text().prefix(2_000))")
                }
            }
            // Answers may come after those of later lines.
            #expect(output.all.count <= 2 * lines.count)
        }
    }
}

extension MCPSession {
    /// Takes lines without a pause in which one of them could be answered.
    fileprivate func receiveAtOnce(_ lines: [ArraySlice<UInt8>]) throws {
        for line in lines { try receive(line) }
    }
}
