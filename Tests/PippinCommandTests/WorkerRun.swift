import Foundation
import Glibc
import PippinTestSupport
import Synchronization

@testable import PippinPage

/// Hosts on loopback whose pages link among themselves and to each other, and a job in shards that crawls them.
final class ShardedSite: Sendable {
    private struct State {
        var asked: [String: Int] = [:]
        var latency = 0.004
    }

    private let state = Mutex(State())
    private let serverBox = Mutex<LoopbackServer?>(nil)
    let hosts: Int
    let pages: Int

    init(hosts: Int, pages: Int) throws {
        (self.hosts, self.pages) = (hosts, pages)
        let server = try LoopbackServer { [weak self] request, connection in
            self?.answer(request, connection) ?? .close
        }
        serverBox.withLock { $0 = server }
    }

    private func answer(_ request: LoopbackServer.Request, _ connection: LoopbackServer.Connection)
        -> LoopbackServer.After
    {
        let name = String((request.headers["Host"] ?? "").prefix { $0 != ":" })
        let latency = state.withLock { state in
            state.asked[name + request.target, default: 0] += 1
            return state.latency
        }
        Thread.sleep(forTimeInterval: latency)
        guard let host = (0..<hosts).first(where: { self.name($0) == name }),
            let page = request.target == "/" ? 0 : Int(request.target.dropFirst()), page < pages
        else {
            connection.respond("404 Not Found")
            return .keepOpen
        }
        let next = "<a href=/\((page + 1) % pages)>next</a><a href=\(url((host + 1) % hosts, page))>neighbor</a>"
        connection.respond(
            body: Array("<title>Page \(page) of \(name)</title><p>Words of \(page) \(host)</p>\(next)".utf8))
        return .keepOpen
    }

    func name(_ host: Int) -> String { "h\(host).localhost" }
    func url(_ host: Int, _ page: Int) -> String {
        serverBox.withLock { $0?.url(page == 0 ? "/" : "/\(page)", host: name(host)) ?? "" }
    }

    /// How often each page was asked for.
    var asked: [String: Int] {
        state.withLock { $0.asked.filter { !$0.key.hasSuffix("robots.txt") && !$0.key.contains("well-known") } }
    }
    /// The number of all requests.
    var requests: Int { state.withLock { $0.asked.values.reduce(0, +) } }
    func forgetAsked() { state.withLock { $0.asked = [:] } }
    func answer(after latency: Double) { state.withLock { $0.latency = latency } }

    func writeJob(in folder: borrowing ScratchFolder, cluster: String = "{}", perAddress: String = "0s") throws {
        try folder.write((0..<hosts).map { url($0, 0) }.joined(separator: "\n") + "\n", to: "seeds.txt")
        try folder.write(
            """
            politeness: { delay: 10ms, delay_per_address: \(perAddress), adaptive: false }
            fetch: { allow_private_networks: true, retries: 0 }
            scope: { sitemaps: false, max_depth: 1000 }
            records: all
            storage: one
            cluster: \(cluster)
            output: { ndjson: one.ndjson }

            """, to: "config.yaml")
    }
}

/// One try of a worker: the binary, its input held open, its output in a file.
final class WorkerRun {
    struct Line: Sendable {
        let kind: String
        let sequence: Int
        let key: String
        let json: String
    }

    private let process = Process()
    private let input = Pipe()
    private let output: URL
    private let errorFile: URL

    /// - Parameter output: a file for standard output, in place of one that `told` reads.
    init(_ folder: URL, storage: String, _ options: [String] = [], lines: [String], output other: String? = nil) throws
    {
        let name = UUID().uuidString
        output = folder.appending(path: "output-\(name)")
        errorFile = folder.appending(path: "errors-\(name)")
        for file in [output, errorFile] { try Data().write(to: file) }
        process.executableURL = PippinProcess.binary
        process.arguments = ["worker", "--config", "config.yaml", "--storage", storage] + options
        process.currentDirectoryURL = folder
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: other.map { URL(filePath: $0) } ?? output)
        process.standardError = try FileHandle(forWritingTo: errorFile)
        // The worker may be gone before it has read everything.
        Glibc.signal(SIGPIPE, SIG_IGN)
        try process.run()
        try? input.fileHandleForReading.close()
        give(lines)
    }

    func give(_ lines: [String]) {
        // A worker that has ended reads no more.
        try? input.fileHandleForWriting.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    static func begin(
        _ shard: Int, of count: Int, epoch: Int = 1, for duration: String = "60s", cursor: String? = nil,
        isRestored: Bool = false
    ) -> String {
        let cursor = cursor.map { "\"\($0)\"" } ?? "null"
        return
            #"{"v":3,"type":"begin","turn":\#(epoch),"shard":\#(shard),"shards":\#(count),"by":"site-1","for":"\#(duration)","cursor":\#(cursor),"restored":\#(isRestored)}"#
    }

    static let end = #"{"type":"end"}"#

    static func lease(forSeconds seconds: Double) -> String {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        return #"{"type":"lease","until":\#(Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 + seconds)}"#
    }

    static func address(_ address: String, place: Int = 0, of count: Int = 1) -> String {
        #"{"type":"address","address":"\#(address)","place":\#(place),"of":\#(count)}"#
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }
    func closeInput() { try? input.fileHandleForWriting.close() }
    var isRunning: Bool { process.isRunning }

    /// The exit status, or 128 and the signal.
    func status() async throws -> Int32 {
        let process = self.process
        try await PippinProcess.onItsOwnThread { process.waitUntilExit() }
        return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }

    var errors: String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

    /// What was told; nil without `done`.
    func told() throws -> (lines: [Line], cursor: String, done: JSONValue)? {
        let text = try String(contentsOf: output, encoding: .utf8)
        let lines = text.split(separator: "\n").map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Line(kind: columns[0], sequence: Int(columns[1]) ?? -1, key: columns[2], json: columns[3])
        }
        guard let last = lines.last, last.kind == "done" else { return nil }
        var parser = JSONParser()
        let done = try parser.parse(last.json)
        return (Array(lines.dropLast()), done["cursor"]?.string ?? "", done)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
}
