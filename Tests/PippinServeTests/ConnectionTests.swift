import Foundation
import PippinTestSupport
import Testing

@testable import PippinServe

/// Connections that are slow, idle or too many.
@Suite struct ConnectionTests {
    private static let token = "0123456789abcdef0123456789abcdef"

    @Test(.slow, .ends) func `as many idle connections as one likes silence nobody`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(token: Self.token) { client async throws in
            var open: [WebClient.OpenConnection] = []
            defer { for connection in open { connection.close() } }
            for number in 0..<WebLimits.connections + 60 {
                // Nothing, half a header, half a body.
                let text = [
                    "", "GET /healthz HTTP/1.1\r\nHost: local",
                    "POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(WebRequest.formType)\r\n"
                        + "Content-Length: 100\r\n\r\ntoken=",
                ][number % 3]
                open.append(try client.open(text))
                if number % 50 == 0 || number > WebLimits.connections {
                    #expect(try await client.get("/healthz").status == 200, "\(number)")
                }
            }
            #expect(open[0].isClosed(within: 5))
        }
    }

    @Test(
        .slow, .ends,
        arguments: [
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ",
            "POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: 1000\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n",
            "",
        ])
    func `a request that trickles, and a connection without one, are closed after a while`(start: String) async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(token: Self.token) { client async throws in
            let open = try client.open(start)
            defer { open.close() }
            let begin = ContinuousClock.now
            var isOpen = true
            // Twice as long as the longest deadline.
            while isOpen, ContinuousClock.now - begin < .seconds(4 * WebLimits.idleSeconds) {
                if start.isEmpty {
                    isOpen = !open.isClosed(within: 1)
                } else {
                    isOpen = open.send("a")
                    try await Task.sleep(for: .milliseconds(500))
                }
            }
            #expect(!isOpen)
        }
    }

    @Test(.slow, .ends) func `requests without end that nobody reads the answers of are not all taken`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let open = try client.open()
            defer { open.close() }
            var limit = timeval(tv_sec: 2, tv_usec: 0)
            setsockopt(open.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            let requests = String(repeating: "GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 1_000)
            var sent = 0
            // The system keeps some megabytes; the server must not ask it for more.
            while sent < 2_000, open.send(requests) { sent += 1 }
            #expect(sent < 2_000)
            #expect(try await client.get("/healthz").status == 200)
        }
    }
}
