import PippinCrawl
import PippinPage
import PippinStore

/// One client of the Model Context Protocol that has started this program, and speaks with it in lines.
///
/// Requests are answered at the same time, and each answer is written as soon as it is there. A client that reads no answers is not
/// read either.
public actor MCPSession {
    /// The longest line, in bytes: what HTTP takes of a body, and four times more. Requests have some hundred bytes.
    public static let maximumLineBytes = 4 * WebLimits.bodyBytes
    /// Requests that are answered at once. An agent asks for a handful.
    private static let maximumInFlight = 16

    private let server: MCPServer
    private let write: @Sendable ([UInt8]) throws -> Void
    /// Whether the client has begun a session, as older revisions have it.
    private var isInitialized = false
    private var inFlight: [JSONValue: (work: Task<Void, Never>, asksOthers: Bool)] = [:]
    private var failure: (any Error)?

    /// - Parameters:
    ///   - settings: the job, and how report cards are made. The rest is for servers of the network.
    ///   - write: writes a line. It may block.
    /// - Throws: `StorageError` if there is no storage.
    public init(_ settings: WebSettings, write: @escaping @Sendable ([UInt8]) throws -> Void) throws {
        server = MCPServer(context: try WebContext(settings))
        self.write = write
    }

    /// Keeps the search index up to date until the task is cancelled.
    public nonisolated func keepUp() async { await server.context.keepUp() }

    /// Takes the next line.
    ///
    /// - Throws: the error of a write that has failed, so that nobody can be answered any more.
    public func receive(_ line: ArraySlice<UInt8>) throws {
        if let failure { throw failure }
        guard line.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) else { return }
        let message: MCPMessage
        do throws(MCPMessage.Unreadable) {
            message = try MCPMessage(line)
        } catch {
            return try write(error.answer + [0x0A])
        }
        guard let id = message.id else { return take(notification: message) }
        if let refusal = refusal(of: message, id) { return try write(refusal.answer(to: id) + [0x0A]) }
        // A client may ask whether we are there before it begins (revision 2025-11-25, Lifecycle).
        let isInSession =
            message.version == nil && (isInitialized || ["initialize", "ping"].contains(message.method))
        if isInSession, message.method == "initialize" { isInitialized = true }
        let asksOthers =
            message.method == "tools/call" && server.tools.asksOthers(message.params["name"]?.string)
        let server = server
        let work = Task {
            let answer = await server.answer(message, isInSession: isInSession, .everything)
            // A request that was cancelled gets no answer.
            finish(id, Task.isCancelled ? nil : answer)
        }
        inFlight[id] = (work, asksOthers)
    }

    /// Says that a line was too long to be taken.
    public func refuseLongLine() throws {
        if let failure { throw failure }
        let error = MCPError(
            .invalidRequest, "The message is longer than \(Self.maximumLineBytes) bytes.")
        try write(error.answer(to: nil) + [0x0A])
    }

    /// The input has ended: what asks others is given up, and what only reads the storage is answered still.
    ///
    /// - Throws: the error of a write that has failed.
    public func end() async throws {
        for request in inFlight.values where request.asksOthers { request.work.cancel() }
        while let request = inFlight.values.first { await request.work.value }
        if let failure { throw failure }
    }

    /// Gives up all that is being answered.
    public func giveUp() {
        for request in inFlight.values { request.work.cancel() }
    }

    private func take(notification message: MCPMessage) {
        guard message.method == "notifications/cancelled", let id = message.params["requestId"] else { return }
        inFlight[id]?.work.cancel()
    }

    private func refusal(of message: MCPMessage, _ id: JSONValue) -> MCPError? {
        if inFlight[id] != nil {
            return MCPError(.invalidRequest, "A request with this id is still being answered.")
        }
        guard inFlight.count < Self.maximumInFlight else {
            return MCPError(
                .internalError, "\(Self.maximumInFlight) requests are being answered. Ask again when one is.")
        }
        return nil
    }

    private func finish(_ id: JSONValue, _ answer: MCPAnswer?) {
        inFlight[id] = nil
        guard let answer, failure == nil else { return }
        do {
            try write(answer.bytes + [0x0A])
        } catch {
            failure = error
        }
    }
}
