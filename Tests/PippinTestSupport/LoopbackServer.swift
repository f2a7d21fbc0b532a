import Foundation
import Glibc
import Synchronization

@testable import PippinPage

/// A server on 127.0.0.1 that answers exactly what a test tells it to, down to the byte: half headers, wrong lengths,
/// silence. One thread a connection; everything ends with `stop()` or with the object.
public final class LoopbackServer: Sendable {
    /// One parsed request.
    public struct Request: Sendable {
        public let method: String
        public let target: String
        public let headers: HTTPHeaders
        /// Number of the connection it came on, from 1.
        public let connection: Int
        /// As many bytes as Content-Length says.
        public let body: [UInt8]
    }

    /// The server's end of a connection.
    public struct Connection: Sendable {
        fileprivate let socket: Int32

        /// False once the client has gone.
        @discardableResult public func send(_ text: String) -> Bool {
            send(Array(text.utf8))
        }

        @discardableResult public func send(_ bytes: [UInt8]) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(
                        socket, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        /// A complete response with its length.
        @discardableResult public func respond(
            _ status: String = "200 OK", _ fields: [String] = ["Content-Type: text/html"], body: [UInt8] = []
        ) -> Bool {
            let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
            return send(Array(lines.joined(separator: "\r\n").utf8) + body)
        }

        /// What follows on the connection, its end, is a reset for the client.
        public func reset() {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        }

        /// Passes all bytes on to a port of this machine and back, until one side closes.
        public func tunnel(to port: UInt16) {
            let far = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard far >= 0 else { return }
            defer { Glibc.close(far) }
            var address = LoopbackServer.loopbackAddress(port)
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(far, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else { return }
            var block = [UInt8](repeating: 0, count: 65_536)
            var ends = [socket, far].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            while poll(&ends, 2, -1) > 0 {
                for (near, other) in [(0, far), (1, socket)] where ends[near].revents != 0 {
                    let count = recv(ends[near].fd, &block, block.count, 0)
                    guard count > 0 else { return }
                    var sent = 0
                    while sent < count {
                        let more = block.withUnsafeBytes {
                            Glibc.send(other, $0.baseAddress?.advanced(by: sent), count - sent, Int32(MSG_NOSIGNAL))
                        }
                        guard more > 0 else { return }
                        sent += more
                    }
                }
            }
        }

        /// Returns when the client closes or `limit` is over; true if the client has gone.
        @discardableResult public func waitForClose(atMost limit: Duration = .seconds(60)) -> Bool {
            var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let (seconds, attoseconds) = limit.components
            return poll(&watched, 1, Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000)) > 0
        }
    }

    /// What becomes of the connection after an answer.
    public enum After: Sendable {
        case keepOpen, close
    }

    public typealias Answer = @Sendable (Request, Connection) -> After

    public struct SetupError: Error {
        public let errno: Int32
    }

    /// What the threads share; they must not keep the server itself alive.
    private final class Connections: Sendable {
        struct State {
            var open: Set<Int32> = []
            var count = 0
            var isStopped = false
        }

        let state = Mutex(State())

        /// The number of the connection; nil when the server has stopped.
        func add(_ socket: Int32) -> Int? {
            state.withLock { state in
                guard !state.isStopped else { return nil }
                state.open.insert(socket)
                state.count += 1
                return state.count
            }
        }

        func close(_ socket: Int32) {
            state.withLock { state in
                state.open.remove(socket)
                Glibc.close(socket)
            }
        }
    }

    public let port: UInt16
    private let listener: Int32
    private let connections = Connections()

    public init(answer: @escaping Answer) throws {
        (listener, port) = try Self.listen()
        let listener = listener
        let connections = connections
        Thread {
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { break }
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                guard let number = connections.add(socket) else {
                    close(socket)
                    break
                }
                Thread {
                    Self.serve(Connection(socket: socket), number: number, answer: answer)
                    connections.close(socket)
                }.start()
            }
            close(listener)
        }.start()
    }

    deinit {
        stop()
    }

    public func stop() {
        connections.state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            for socket in state.open { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// How many connections clients have opened.
    public var connectionCount: Int { connections.state.withLock { $0.count } }

    public func url(_ path: String = "/", host: String = "127.0.0.1") -> String {
        "http://\(host):\(port)\(path)"
    }

    /// Ports handed out by `freePort`: tests run side by side, and the system offers a port again as soon as it is closed.
    private static let handedOut = Mutex<Set<UInt16>>([])

    /// A port that was free a moment ago, for servers that bind it themselves. No two calls of a process get the same.
    public static func freePort() throws -> UInt16 {
        try handedOut.withLock { handedOut in
            while true {
                let (socket, port) = try listen()
                close(socket)
                if handedOut.insert(port).inserted { return port }
            }
        }
    }

    /// Whether something answers connections to `port`.
    static func isListening(_ port: UInt16) -> Bool {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(probe) }
        var address = loopbackAddress(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopbackAddress(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    private static func listen() throws -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw SetupError(errno: errno) }
        var address = loopbackAddress(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && Glibc.listen(listener, 128) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else {
            let error = SetupError(errno: errno)
            close(listener)
            throw error
        }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private static func serve(_ connection: Connection, number: Int, answer: Answer) {
        var buffer: [UInt8] = []
        while let request = readRequest(connection, &buffer, number: number) {
            guard answer(request, connection) == .keepOpen else { return }
        }
    }

    /// Reads up to the empty line, and a body of known length.
    private static func readRequest(_ connection: Connection, _ buffer: inout [UInt8], number: Int) -> Request? {
        let end = Array("\r\n\r\n".utf8)
        var block = [UInt8](repeating: 0, count: 16_384)
        while true {
            if let range = buffer.firstRange(of: end) {
                let lines = String(decoding: buffer[..<range.lowerBound], as: UTF8.self).components(
                    separatedBy: "\r\n")
                buffer.removeSubrange(..<range.upperBound)
                let words = lines[0].split(separator: " ")
                guard words.count == 3 else { return nil }
                var headers = HTTPHeaders()
                for line in lines.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    guard parts.count == 2 else { return nil }
                    headers.append(name: String(parts[0]), value: parts[1].trimmingCharacters(in: .whitespaces))
                }
                let length = headers["Content-Length"].flatMap { Int($0) } ?? 0
                guard (0...(1 << 26)).contains(length) else { return nil }
                while buffer.count < length {
                    let count = recv(connection.socket, &block, block.count, 0)
                    guard count > 0 else { return nil }
                    buffer.append(contentsOf: block[..<count])
                }
                let body = Array(buffer.prefix(length))
                buffer.removeFirst(length)
                return Request(
                    method: String(words[0]), target: String(words[1]), headers: headers, connection: number, body: body
                )
            }
            let count = recv(connection.socket, &block, block.count, 0)
            guard count > 0, buffer.count < 1 << 20 else { return nil }
            buffer.append(contentsOf: block[..<count])
            // A method is letters; TLS begins with a byte that is none.
            guard buffer[0] >= 0x41 else { return nil }
        }
    }
}
