import Foundation
import Glibc
import PippinCrawl
import PippinReport
import PippinStore
import PippinTestSupport

@testable import PippinPage
@testable import PippinServe

/// A storage with records, served on a free port for as long as a test's body runs.
struct ServedStorage: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-served-\(UUID().uuidString)")

    /// - Parameter records: written as visits would, in order.
    init(_ records: [DeepLinkRecord] = [.plain]) async throws {
        let storage = try CrawlStorage(folder: folder)
        let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl())
        for record in records {
            guard let url = WebURL(record.uniqueIdentifier) else {
                preconditionFailure("\(record.uniqueIdentifier) is no URL")
            }
            var visit = FinishedVisit(
                request: CrawlRequest(url: url, seed: Seed(url: url), discovery: .seed, standsForSeed: true),
                outcome: .recorded, finishedAt: MadeUpTime.start, next: RecrawlPolicy.Next(wait: .seconds(86_400)),
                changes: [.upsert(RecordDocument(record))])
            visit.recordIdentifier = record.uniqueIdentifier
            _ = try await frontier.finish(visit)
        }
        try SearchIndexer(folder: folder).catchUp()
    }

    func delete(_ address: String) async throws {
        let frontier = try CrawlStorage(folder: folder).frontier(recrawl: CrawlConfiguration.Recrawl())
        guard let url = WebURL(address) else { preconditionFailure("\(address) is no URL") }
        let deletion = RecordDeletion(uniqueIdentifier: address, reason: "gone", at: MadeUpTime.start)
        _ = try await frontier.finish(
            FinishedVisit(
                request: CrawlRequest(url: url, seed: Seed(url: url), discovery: .seed, standsForSeed: true),
                outcome: .recorded, finishedAt: MadeUpTime.start, next: RecrawlPolicy.Next(wait: .seconds(86_400)),
                changes: [.delete(deletion)]))
    }

    func remove() {
        // Left behind at worst, in a temporary folder.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Serves it while `body` runs.
    func served(
        token: String? = nil, names: [String] = [], keys: String? = nil, origins: [String] = [],
        fetchPicture: (@Sendable (WebURL, Int) async -> [UInt8]?)? = nil,
        scalePicture: (@Sendable ([UInt8], Int) async -> [UInt8]?)? = nil,
        clicks: URL? = nil, makeCard: (@Sendable (WebURL) async throws -> ReportCard)? = nil,
        connections: ConnectionLimits = ConnectionLimits(),
        _ body: @escaping @Sendable (WebClient) async throws -> Void
    ) async throws {
        var settings = WebSettings(storage: folder)
        settings.port = 0
        settings.token = try token.map { try AccessToken($0, source: "test") }
        settings.names = names
        if let keys {
            let file = folder.appending(path: "keys.txt")
            try Data(keys.utf8).write(to: file)
            settings.keys = try OperatorFile(file.path, otherwise: SearchKeys.none) {
                try SearchKeys(InputFile.text(at: $0), source: "keys.txt")
            }
        }
        settings.allowedOrigins = try AllowedOrigins(origins)
        settings.fetchPicture = fetchPicture
        settings.scalePicture = scalePicture
        settings.makeCard = makeCard
        settings.clicks = clicks
        settings.connections = connections
        try await WebServer(settings).withServer { port in
            // The client blocks its thread. On Swift's own ones, of which there are as many as cores, it would keep the server from
            // answering.
            try await withTaskExecutorPreference(BlockingExecutor("pippin.test.client")) {
                try await body(WebClient(port: port))
            }
        }
    }
}

extension DeepLinkRecord {
    static let plain = DeepLinkRecord.titled("Apple pie", at: "https://kitchen.test/pie")

    static func titled(_ title: String, at address: String) -> DeepLinkRecord {
        var record = DeepLinkRecord(
            uniqueIdentifier: address, domainIdentifier: WebURL(address)?.host ?? "", url: address,
            fetchedAt: MadeUpTime.start, contentHash: title)
        record.title = title
        return record
    }
}

/// Sends requests to a server of this machine, byte by byte as written, and reads the answers.
struct WebClient: Sendable {
    struct Reply: Sendable {
        let status: Int
        let fields: [String: String]
        let body: String

        func json() throws -> JSONValue {
            var parser = JSONParser()
            return try parser.parse(body)
        }
    }

    struct Silence: Error {}

    let port: Int

    func get(_ target: String, _ fields: [String] = []) async throws -> Reply {
        try await send("GET \(target) HTTP/1.1", ["Host: 127.0.0.1:\(port)"] + fields)
    }

    func post(
        _ target: String, _ body: String, _ fields: [String] = [], type: String = WebRequest.formType
    ) async throws -> Reply {
        try await send(
            "POST \(target) HTTP/1.1",
            [
                "Host: 127.0.0.1:\(port)", "Content-Type: \(type)",
                "Content-Length: \(body.utf8.count)",
            ] + fields, body: body)
    }

    /// A path with a parameter, encoded.
    static func target(_ path: String, _ name: String, _ value: String) -> String {
        LocalLink(path, [name: value]).description
    }

    /// Sends a request on a connection of its own, and reads until the server closes it.
    func send(_ line: String, _ fields: [String], body: String = "") async throws -> Reply {
        let (status, fields, body) = try await answer(to: line, fields, body)
        return Reply(status: status, fields: fields, body: String(decoding: body, as: UTF8.self))
    }

    /// The answer as it is sent, which may be compressed.
    func bytes(of target: String, _ fields: [String]) async throws -> (fields: [String: String], body: [UInt8]) {
        let (_, fields, body) = try await answer(
            to: "GET \(target) HTTP/1.1", ["Host: 127.0.0.1:\(port)"] + fields, "")
        return (fields, body)
    }

    private func answer(
        to line: String, _ fields: [String], _ body: String
    ) async throws -> (status: Int, fields: [String: String], body: [UInt8]) {
        let text = ([line] + fields + ["Connection: close", "", ""]).joined(separator: "\r\n") + body
        let answer = try await exchange(Array(text.utf8))
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { throw Silence() }
        let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        var found: [String: String] = [:]
        for field in head.dropFirst() {
            let sides = field.split(separator: ":", maxSplits: 1).map(String.init)
            if sides.count == 2 { found[sides[0].lowercased()] = sides[1].trimmingCharacters(in: .whitespaces) }
        }
        let status = head.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (status ?? 0, found, Array(answer[end.upperBound...]))
    }

    /// Opens a connection, and sends what need not be a whole request.
    func open(_ text: String = "") throws -> WebConnection {
        let connection = try WebConnection(port: port)
        guard text.isEmpty || connection.send(text) else { throw Silence() }
        return connection
    }

    /// The bytes that come back until the server closes the connection. A thread of its own waits for them: the server needs
    /// Swift's threads, of which there are as many as cores.
    func exchange(_ bytes: [UInt8]) async throws -> [UInt8] {
        try await withTaskExecutorPreference(BlockingExecutor("test.client")) {
            let connection = try WebConnection(port: port)
            // A server that refuses a large request closes while it is being sent.
            _ = connection.send(bytes)
            return connection.receiveAll()
        }
    }
}

/// A connection to a server of this machine, until it is released. Its calls block.
final class WebConnection: Sendable {
    private let descriptor: Int32

    /// - Parameters:
    ///   - patience: how many seconds it waits for bytes.
    ///   - buffer: how many bytes the system keeps of what is not read, and of what is not sent, about; nil leaves that to the system.
    init(port: Int, patience: Int = 60, buffer: Int? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        Self.set(SO_RCVTIMEO, timeval(tv_sec: patience, tv_usec: 0), on: descriptor)
        Self.set(SO_SNDTIMEO, timeval(tv_sec: patience, tv_usec: 0), on: descriptor)
        if let buffer {
            Self.set(SO_RCVBUF, CInt(buffer), on: descriptor)
            Self.set(SO_SNDBUF, CInt(buffer), on: descriptor)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw WebClient.Silence() }
    }

    deinit { close(descriptor) }

    private static func set<Value>(_ option: Int32, _ value: Value, on descriptor: Int32) {
        withUnsafePointer(to: value) {
            _ = setsockopt(descriptor, SOL_SOCKET, option, $0, socklen_t(MemoryLayout<Value>.size))
        }
    }

    /// Sends what the server, and the buffers on the way, take.
    ///
    /// - Parameter waits: whether it waits until they take it.
    /// - Returns: whether they have taken all of it.
    func send(_ bytes: some Collection<UInt8>, waits: Bool = true) -> Bool {
        sent(of: bytes, waits: waits) == bytes.count
    }

    func send(_ text: String) -> Bool { send(text.utf8) }

    /// Sends as `send` does, and tells how many bytes were taken.
    func sent(of bytes: some Collection<UInt8>, waits: Bool) -> Int {
        let bytes = Array(bytes)
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// Says that nothing more is sent.
    func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// At most so many bytes; none if the server has closed the connection, or sends nothing for too long.
    func receive(_ maximum: Int = 65_536) -> [UInt8] {
        var piece = [UInt8](repeating: 0, count: maximum)
        let count = recv(descriptor, &piece, maximum, 0)
        return count > 0 ? Array(piece[..<count]) : []
    }

    /// The bytes that come until the server closes the connection.
    func receiveAll() -> [UInt8] {
        var answer: [UInt8] = []
        while case let bytes = receive(), !bytes.isEmpty { answer += bytes }
        return answer
    }

    /// Whether the server closes it within some seconds. What comes before is dropped.
    func isClosed(within seconds: Int) -> Bool {
        Self.set(SO_RCVTIMEO, timeval(tv_sec: seconds, tv_usec: 0), on: descriptor)
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count == 0 { return true }
            if count < 0 { return errno != EAGAIN && errno != EWOULDBLOCK }
        }
    }
}

extension String {
    /// The tags of a page as a browser splits them, without quoted values: in these, a text may say what it likes.
    var tagsWithoutValues: [String] {
        matches(of: /<[a-zA-Z](?:[^>"]|"[^"]*")*>/).map { String($0.output.replacing(/"[^"]*"/, with: "")) }
    }
}
