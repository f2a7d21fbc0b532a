import Foundation
import PippinPage
import PippinTestSupport
import Synchronization

/// A search index on loopback that takes nothing but bulk requests, holds them to the letter of the protocol, and misbehaves
/// when a test says so.
final class BulkIndexServer: Sendable {
    enum Behavior: Sendable {
        case proper
        /// Takes nothing and answers with a status.
        case status(String, fields: [String] = [])
        /// Takes everything and closes the connection without an answer.
        case takesAndCuts
        case cuts
        /// Takes all but some documents, which get this status.
        case refuses(Set<String>, status: Int)
        /// Takes everything and answers with this.
        case answers(String)
    }

    struct State {
        /// Source of each document; nil for one that was deleted.
        var documents: [String: String?] = [:]
        var versions: [String: Int] = [:]
        /// Identifiers of each request.
        var requests: [[String]] = []
        var authorizations: [String?] = []
        /// What was wrong with the requests.
        var faults: [String] = []
        var behaviors: [Behavior] = []
        var maximumBytes = Int.max
    }

    let state = Mutex(State())
    private let serverBox = Mutex<LoopbackServer?>(nil)
    private let hold: (@Sendable (Int) -> Void)?

    /// - Parameters:
    ///   - behaviors: of the requests one after the other; proper afterwards.
    ///   - hold: called with the number of each request before it is answered, from 1.
    init(_ behaviors: [Behavior] = [], hold: (@Sendable (Int) -> Void)? = nil) throws {
        self.hold = hold
        state.withLock { $0.behaviors = behaviors }
        let server = try LoopbackServer { [weak self] request, connection in
            self?.answer(request, connection) ?? .close
        }
        serverBox.withLock { $0 = server }
    }

    var url: String { serverBox.withLock { $0?.url("") ?? "" } }
    var faults: [String] { state.withLock { $0.faults } }
    var requests: [[String]] { state.withLock { $0.requests } }
    /// Documents that are there, sorted.
    var documents: [String] { state.withLock { state in state.documents.filter { $0.value != nil }.keys.sorted() } }

    private struct Action {
        let operation: String
        let identifier: String
        let version: Int?
        let source: String?
    }

    private func answer(
        _ request: LoopbackServer.Request, _ connection: LoopbackServer.Connection
    ) -> LoopbackServer.After {
        let actions = read(request)
        let (behavior, number, maximum) = state.withLock { state in
            state.requests.append(actions.map(\.identifier))
            state.authorizations.append(request.headers["Authorization"])
            return (
                state.behaviors.isEmpty ? .proper : state.behaviors.removeFirst(), state.requests.count,
                state.maximumBytes
            )
        }
        hold?(number)
        let json = ["Content-Type: application/json"]
        if request.body.count > maximum {
            connection.respond("413 Content Too Large", json, body: Array("{}".utf8))
            return .keepOpen
        }
        switch behavior {
        case .proper: connection.respond("200 OK", json, body: take(actions, refusing: [], status: 0))
        case .status(let line, let fields):
            connection.respond(line, json + fields, body: Array("{\"error\":\"no\"}".utf8))
        case .takesAndCuts:
            _ = take(actions, refusing: [], status: 0)
            return .close
        case .cuts: return .close
        case .refuses(let identifiers, let status):
            connection.respond("200 OK", json, body: take(actions, refusing: identifiers, status: status))
        case .answers(let text):
            _ = take(actions, refusing: [], status: 0)
            connection.respond("200 OK", json, body: Array(text.utf8))
        }
        return .keepOpen
    }

    private func fault(_ text: String) { state.withLock { $0.faults.append(text) } }

    /// Reads a bulk request the way the index does, without any kindness.
    private func read(_ request: LoopbackServer.Request) -> [Action] {
        if request.method != "POST" { fault("method \(request.method)") }
        if !request.target.hasPrefix("/pages/_bulk") { fault("target \(request.target)") }
        if request.headers["Content-Type"] != "application/x-ndjson" { fault("no NDJSON") }
        if request.headers["Expect"] != nil || request.headers["Transfer-Encoding"] != nil { fault("not sent plainly") }
        if request.body.last != 0x0A { fault("no newline at the end") }
        var actions: [Action] = []
        var lines = request.body.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().makeIterator()
        while let line = lines.next() {
            guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: [String: Any]],
                let (operation, parameters) = object.first, object.count == 1,
                let identifier = parameters["_id"] as? String, !identifier.isEmpty, identifier.utf8.count <= 512,
                ["index", "delete"].contains(operation)
            else {
                fault("no action: \(String(decoding: line, as: UTF8.self))")
                continue
            }
            let version = parameters["version"] as? Int
            if (version == nil) != (parameters["version_type"] == nil) || parameters.count != (version == nil ? 1 : 3) {
                fault("parameters of \(identifier)")
            }
            var source: String?
            if operation == "index" {
                guard let next = lines.next(),
                    let record = try? JSONSerialization.jsonObject(with: Data(next)) as? [String: Any]
                else {
                    fault("no source of \(identifier)")
                    continue
                }
                if record["uniqueIdentifier"] as? String != identifier, !identifier.hasPrefix("sha256:") {
                    fault("\(identifier) is not of its record")
                }
                source = String(decoding: next, as: UTF8.self)
            }
            if actions.contains(where: { $0.identifier == identifier }) { fault("\(identifier) twice") }
            actions.append(Action(operation: operation, identifier: identifier, version: version, source: source))
        }
        if actions.isEmpty { fault("an empty request") }
        return actions
    }

    private func take(_ actions: [Action], refusing refused: Set<String>, status: Int) -> [UInt8] {
        let items = state.withLock { state in
            actions.map { action -> String in
                var result = "\"status\":\(action.operation == "index" ? 201 : 200)"
                if refused.contains(action.identifier) {
                    result = "\"status\":\(status),\"error\":{\"type\":\"some_exception\",\"reason\":\"because\"}"
                } else if let source = action.source, source.contains("\"title\":\"unfit\"") {
                    result = "\"status\":400,\"error\":{\"type\":\"mapper_parsing_exception\",\"reason\":\"unfit\"}"
                } else if let version = action.version, version <= state.versions[action.identifier] ?? -1 {
                    result =
                        "\"status\":409,\"error\":{\"type\":\"version_conflict_engine_exception\",\"reason\":\"old\"}"
                } else {
                    if action.operation == "delete", state.documents[action.identifier, default: nil] == nil {
                        result = "\"result\":\"not_found\",\"status\":404"
                    }
                    state.documents[action.identifier] = .some(action.source)
                    if let version = action.version { state.versions[action.identifier] = version }
                }
                return "{\"\(action.operation)\":{\"_index\":\"pages\",\(result)}}"
            }
        }
        let hasErrors = items.contains { $0.contains("\"error\"") }
        return Array("{\"took\":1,\"errors\":\(hasErrors),\"items\":[\(items.joined(separator: ","))]}".utf8)
    }
}
