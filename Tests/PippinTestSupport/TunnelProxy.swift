import Synchronization

@testable import PippinPage

/// An HTTP proxy on 127.0.0.1 that takes CONNECT only, remembers what it was asked for, and leads every tunnel to ports of this
/// machine.
public final class TunnelProxy: Sendable {
    /// One request to the proxy.
    public struct Asked: Sendable, Equatable {
        /// The target: `192.0.2.1:443`.
        public let target: String
        /// The whole Proxy-Authorization field.
        public let authorization: String?
        /// The names of all fields, in small letters.
        public let fields: [String]
    }

    private final class Memory: Sendable {
        let asked = Mutex<[Asked]>([])
    }

    private let memory = Memory()
    private let server: LoopbackServer

    /// - Parameters:
    ///   - port: the port where all tunnels end; nil: the port of the target.
    ///   - status: what the proxy answers; no tunnel is opened unless it begins with 200.
    public init(to port: UInt16? = nil, status: @escaping @Sendable (Asked) -> String = { _ in "200 Connected" }) throws
    {
        let memory = memory
        server = try LoopbackServer { request, connection in
            let asked = Asked(
                target: request.method == "CONNECT" ? request.target : "\(request.method) \(request.target)",
                authorization: request.headers["Proxy-Authorization"],
                fields: request.headers.fields.map { $0.name.lowercased() })
            memory.asked.withLock { $0.append(asked) }
            let status = request.method == "CONNECT" ? status(asked) : "405 Method Not Allowed"
            guard status.hasPrefix("200"),
                let end = port ?? request.target.split(separator: ":").last.flatMap({ UInt16($0) })
            else {
                connection.respond(status, ["Content-Type: text/plain"], body: Array("The proxy says no.".utf8))
                return .close
            }
            connection.send("HTTP/1.1 \(status)\r\n\r\n")
            connection.tunnel(to: end)
            return .close
        }
    }

    public var url: String { "http://127.0.0.1:\(server.port)" }

    /// All requests so far.
    public var asked: [Asked] { memory.asked.withLock { $0 } }
}
