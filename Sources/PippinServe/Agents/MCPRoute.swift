import Foundation
import Hummingbird
import PippinPage

/// The Model Context Protocol over HTTP ("Streamable HTTP"): one message is one POST, and its answer is JSON.
enum MCPRoute {
    static let routes: [WebRoute] = [
        WebRoute(
            method: .post, path: "/mcp", form: .protocolOfItsOwn, isForSearchKeys: true, endsWithClient: true
        ) { request, context in try await answer(request, MCPServer(context: context)) }
    ]

    private static func answer(_ request: WebRequest, _ server: MCPServer) async throws -> WebAnswer {
        guard request.takes(WebRequest.jsonType) else {
            throw WebRefusal(.notAcceptable, "Answers are JSON (\(WebRequest.jsonType)), which Accept leaves out.")
        }
        let body = try request.body(of: WebRequest.jsonType)
        let message: MCPMessage
        do throws(MCPMessage.Unreadable) {
            message = try MCPMessage(body[...])
        } catch {
            return .json(error.answer, status: status(error.error.code))
        }
        let isInSession: Bool
        do throws(MCPError) {
            isInSession = try isOfSession(message, request.fields)
        } catch {
            return .json(error.answer(to: message.id), status: status(error.code))
        }
        // Whoever wants a request to end closes its connection. Other notifications ask for nothing.
        guard !message.isNotification else { return WebAnswer(status: .accepted) }
        guard let answer = await server.answer(message, isInSession: isInSession, request.access) else {
            throw CancellationError()
        }
        // In a session, a status other than 200 says that the message was not taken.
        return .json(answer.bytes, status: isInSession ? .ok : answer.error.map(status) ?? .ok)
    }

    /// Whether a message is of a revision with a session. Proxies go by the header fields, so they must say what the message says.
    private static func isOfSession(_ message: MCPMessage, _ fields: [String: String]) throws(MCPError) -> Bool {
        let version = fields["mcp-protocol-version"]
        guard message.version != nil || version.map(MCPRevision.stateless.contains) ?? false else {
            guard let version, message.method != "initialize" else { return true }
            guard MCPRevision.withSession.contains(version) else { throw .unsupported(version) }
            return true
        }
        // What a notification has to say in them is not settled.
        guard !message.isNotification else { return false }
        func mismatch(_ field: String, _ what: String) -> MCPError {
            MCPError(.headerMismatch, "The header field \(field) is not \(what) of the message.")
        }
        guard version != nil, message.version?.string == version else {
            if message.version == nil { try message.checkEnvelope() }
            throw mismatch("MCP-Protocol-Version", "the protocolVersion in params._meta")
        }
        guard fields["mcp-method"] == message.method else { throw mismatch("Mcp-Method", "the method") }
        if message.method == "tools/call", let name = message.params["name"]?.string {
            guard let field = fields["mcp-name"], decoded(field) == name else { throw mismatch("Mcp-Name", "the name") }
        }
        return false
    }

    /// A value of a header field; those that are not ASCII are in Base64: `=?base64?…?=`. Nil if that is broken.
    private static func decoded(_ field: String) -> String? {
        let (start, end) = ("=?base64?", "?=")
        guard field.hasPrefix(start), field.hasSuffix(end), field.utf8.count >= start.utf8.count + end.utf8.count else {
            return field
        }
        let packed = field.dropFirst(start.count).dropLast(end.count)
        return Data(base64Encoded: String(packed)).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private static func status(_ code: MCPError.Code) -> HTTPStatus {
        switch code {
        case .methodNotFound: .notFound
        case .internalError: .internalServerError
        case .parseError, .invalidRequest, .invalidParams, .headerMismatch, .unsupportedVersion: .badRequest
        }
    }
}
