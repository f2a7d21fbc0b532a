import Foundation
import NIOCore
import NIOEmbedded
import PippinTestSupport
import Testing

@testable import PippinServe

/// Connections that are slow, idle or too many.
@Suite struct ConnectionTests {
    private static let token = "0123456789abcdef0123456789abcdef"
    private static let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private static let style = "GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private static let form =
        "POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(WebRequest.formType)\r\n"
        + "Content-Length: 1000\r\n\r\ntoken="

    // MARK: Too many

    @Test(.slow, .ends) func `as many idle connections as one likes silence nobody`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        let limits = ConnectionLimits()
        try await storage.served(token: Self.token) { client async throws in
            var open: [WebConnection] = []
            for number in 0..<limits.connections + 60 {
                // Nothing, half a header, half a body.
                open.append(try client.open(["", "GET /healthz HTTP/1.1\r\nHost: local", Self.form][number % 3]))
                if number % 50 == 0 || number > limits.connections {
                    #expect(try await client.get("/healthz").status == 200, "\(number)")
                }
            }
            #expect(open[0].isClosed(within: 5))
        }
    }

    @Test(.ends) func `connections that give way are counted`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(connections: ConnectionLimits(connections: 16)) { client async throws in
            let slow = try (0..<40).map { _ in try client.open() }
            #expect(slow[0].isClosed(within: 5))
            func number(_ name: String, in metrics: String) throws -> Int {
                let lines = metrics.split(separator: "\n")
                let value = try #require(lines.first { $0.hasPrefix(name + " ") }).split(separator: " ").last
                return try #require(value.flatMap { Int($0) })
            }
            // Several threads take connections in, so the last ones may come after the first question.
            var replaced = 0
            for _ in 0..<50 where replaced < 24 {
                let metrics = try await client.get("/metrics").body
                #expect(try number("pippin_serve_connections", in: metrics) <= 16)
                #expect(try number("pippin_serve_requests_in_flight", in: metrics) == 1)
                replaced = try number("pippin_serve_connections_closed_total{reason=\"replaced\"}", in: metrics)
            }
            #expect(replaced >= 24)
            withExtendedLifetime(slow) {}
        }
    }

    private static func channel(_ address: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
        try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
        return channel
    }

    @Test func `the address with the most connections gives one up`() throws {
        let table = ConnectionTable(ConnectionLimits(connections: 3))
        let start = ContinuousClock.now
        let reader = try Self.channel("192.0.2.1")
        // One household.
        let flood = try (1...3).map { try Self.channel("2001:db8::\($0)") }
        table.enter(reader, now: start)
        for (number, channel) in flood.enumerated() { table.enter(channel, now: start + .seconds(number + 1)) }
        #expect(reader.isActive && !flood[0].isActive && flood[1].isActive && flood[2].isActive)
        table.leave(flood[0])
        // Nobody loses an answer that is being made.
        for channel in [reader, flood[1], flood[2]] { table.set(.working, of: channel, now: start + .seconds(4)) }
        let late = try Self.channel("192.0.2.9")
        table.enter(late, now: start + .seconds(5))
        #expect(!late.isActive && reader.isActive && flood[1].isActive && flood[2].isActive)
        table.set(.answering, of: flood[1], now: start + .seconds(6))
        let next = try Self.channel("192.0.2.9")
        table.enter(next, now: start + .seconds(10))
        #expect(next.isActive && !flood[1].isActive)
    }

    @Test func `the one that has got nowhere for the longest time gives way, whatever it does`() throws {
        let table = ConnectionTable(ConnectionLimits(connections: 3))
        let start = ContinuousClock.now
        let all = try (0..<5).map { _ in try Self.channel("127.0.0.1") }
        for channel in all[..<3] { table.enter(channel, now: start) }
        // A client that takes its answer gets on; that of an unread answer does not.
        table.set(.answering, of: all[0], now: start + .seconds(3))
        table.set(.answering, of: all[1], now: start + .seconds(1))
        table.set(.waiting, of: all[2], now: start + .seconds(2))
        table.enter(all[3], now: start + .seconds(4))
        #expect(all.map(\.isActive) == [true, false, true, true, true])
        table.enter(all[4], now: start + .seconds(5))
        #expect(all.map(\.isActive) == [true, false, false, true, true])
    }

    @Test func `an address of another machine has its own number, this machine has not`() throws {
        let table = ConnectionTable(ConnectionLimits(connections: 10, connectionsPerAddress: 2))
        for (address, left) in [("192.0.2.1", 2), ("2001:db8::1", 2), ("127.0.0.1", 4), ("::1", 4)] {
            let all = try (0..<4).map { _ in try Self.channel(address) }
            for channel in all { table.enter(channel) }
            #expect(all.filter(\.isActive).count == left, "\(address)")
            for channel in all { table.leave(channel) }
        }
    }

    // MARK: Too slow

    @Test(.ends, arguments: ["GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ", form, ""])
    func `a request that trickles, and a connection without one, are closed after a while`(start: String) async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        let limits = ConnectionLimits(idle: .milliseconds(400), body: .milliseconds(400))
        try await storage.served(token: Self.token, connections: limits) { client async throws in
            let open = try client.open(start)
            if start.isEmpty {
                #expect(open.isClosed(within: 20))
            } else {
                // Each byte takes less time than there is for all.
                while open.send("a") { try await Task.sleep(for: .milliseconds(50)) }
            }
            let reason = start == Self.form ? "slow_body" : "idle"
            let metrics = try await client.get("/metrics", ["Authorization: Bearer \(Self.token)"]).body
            #expect(metrics.contains("closed_total{reason=\"\(reason)\"} 1\n"))
        }
    }

    @Test(.ends) func `a client that takes no answer loses the connection`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(connections: ConnectionLimits(stall: .milliseconds(300))) { client async throws in
            let open = try client.open()
            let requests = String(repeating: Self.style, count: 5_000)
            // The send ends when the server has closed the connection: it reads no more than it answers.
            while open.send(requests) {}
            #expect(try await client.get("/metrics").body.contains("closed_total{reason=\"slow_reader\"} 1\n"))
        }
    }

    @Test(.slow, .ends) func `a client that takes its answers slowly, but takes them, gets all`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        // Three seconds for each piece of 64 KiB. This one takes some 100 kB a second, and much longer for all.
        try await storage.served(connections: ConnectionLimits(stall: .seconds(3))) { client async throws in
            let size = try await client.get("/style.css").body.utf8.count
            let count = 800_000 / size + 1
            let open = try WebConnection(port: client.port, buffer: 16_384)
            #expect(open.send(String(repeating: Self.style, count: count)))
            open.finish()
            var taken = 0
            while case let bytes = open.receive(16_384), !bytes.isEmpty {
                taken += bytes.count
                try await Task.sleep(for: .milliseconds(50))
            }
            let metrics = try await client.get("/metrics").body
            let closed = metrics.split(separator: "\n").filter { $0.contains("closed_total") }
            #expect(taken > count * size, "errno \(errno), \(closed)")
            #expect(!metrics.contains("slow_reader"))
        }
    }

    // MARK: Requests ahead

    @Test func `requests in a row are answered in order, also if the client ends its side`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let targets = (0..<100).map { "/nothing-\($0)" }
            let open = try client.open()
            for target in targets { #expect(open.send("HEAD \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")) }
            #expect(open.send(Self.health))
            open.finish()
            let text = String(decoding: open.receiveAll(), as: UTF8.self)
            #expect(text.components(separatedBy: "HTTP/1.1 404 ").count == targets.count + 1)
            #expect(text.hasSuffix("\r\n\r\nok\n"))
        }
    }

    @Test func `a flood of requests before an end costs the connection, nobody else`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let open = try client.open()
            // All of it has room in the buffers on the way, so that the end is seen before the answers are made.
            #expect(open.send(String(repeating: Self.health, count: 1_500)))
            open.finish()
            #expect(open.isClosed(within: 20))
            #expect(try await client.get("/healthz").status == 200)
        }
    }

    @Test(.slow, .ends) func `250 clients that read no answers are held off, others are answered`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let requests = Array(String(repeating: Self.style, count: 500).utf8)
            let open = try (0..<250).map { _ in try WebConnection(port: client.port, buffer: 16_384) }
            // What the server takes comes to an end: what the system keeps in between, and a little more.
            var taken = [Int](repeating: 0, count: open.count)
            var isTaking = true
            for _ in 0..<40 where isTaking {
                isTaking = false
                for (number, connection) in open.enumerated() {
                    let sent = connection.sent(of: requests, waits: false)
                    taken[number] += sent
                    if sent > 0 { isTaking = true }
                }
                #expect(try await client.get("/healthz").status == 200)
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(!isTaking)
            #expect(try #require(taken.max()) < 600_000)
            let held = try #require(
                try await client.get("/metrics").body.firstMatch(of: /requests_total{[^}]*style[^}]*} (\d+)/)
                    .flatMap { Int($0.output.1) })
            // Each one's answers fill what the system keeps of them, and no more are made.
            let size = try await client.get("/style.css").body.utf8.count
            #expect(held * size < 250 * 600_000)
        }
    }

    // MARK: The end

    @Test(.ends) func `the server ends as it should while connections are coming`() async throws {
        for round in 0..<10 {
            let storage = try await ServedStorage()
            defer { storage.remove() }
            try await storage.served { client async throws in
                // More than are looked at at once. The first ones wait for nothing, the last ones are accepted while it ends.
                let open = try (0..<120).map { number in try client.open(number % 2 == 0 ? Self.health : "") }
                if round % 2 == 0 { #expect(open[0].receive().starts(with: Array("HTTP/1.1 200".utf8))) }
            }
        }
    }
}
