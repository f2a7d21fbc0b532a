import Foundation
import Synchronization

@testable import PippinPage

/// A search index on loopback that takes nothing but bulk requests, holds them to the letter of the protocol, and misbehaves
/// when a test says so.
public final class BulkIndexServer: Sendable {
    public enum Behavior: Sendable {
        case proper
        /// Takes nothing and answers with a status.
        case status(String, fields: [String] = [])
        /// Takes everything and closes the connection without an answer.
        case takesAndCuts
        /// Takes everything, and the connection ends in the middle of the answer.
        case takesAndCutsAnswer
        case cuts
        /// Resets the connection.
        case resets
        /// Says nothing until the client has gone.
        case silent
        /// Takes all but some documents, which get this status and type of error.
        case refuses(Set<String>, status: Int, error: String = "some_exception")
        /// Takes all but the last document, and says nothing of it.
        case forgetsLast
        /// Takes everything and answers with this.
        case answers(String)
    }

    public struct State: Sendable {
        /// Source of each document; nil for one that was deleted.
        public var documents: [String: String?] = [:]
        public var versions: [String: Int] = [:]
        /// Identifiers of each request.
        public var requests: [[String]] = []
        /// Sources of each document that were taken, nil for deletions, in their order.
        public var taken: [String: [String?]] = [:]
        public var authorizations: [String?] = []
        /// What was wrong with the requests.
        public var faults: [String] = []
        public var behaviors: [Behavior] = []
        public var maximumBytes = Int.max
    }

    private let state = Mutex(State())
    private let serverBox = Mutex<LoopbackServer?>(nil)
    private let hold: (@Sendable (Int) -> Void)?

    /// - Parameters:
    ///   - behaviors: of the requests one after the other; proper afterwards.
    ///   - hold: called with the number of each request before it is answered, from 1.
    public init(_ behaviors: [Behavior] = [], hold: (@Sendable (Int) -> Void)? = nil) throws {
        self.hold = hold
        state.withLock { $0.behaviors = behaviors }
        let server = try LoopbackServer { [weak self] request, connection in
            self?.answer(request, connection) ?? .close
        }
        serverBox.withLock { $0 = server }
    }

    /// The server of the index.
    public var url: String { serverBox.withLock { $0?.url("") ?? "" } }
    public var faults: [String] { state.withLock { $0.faults } }
    public var requests: [[String]] { state.withLock { $0.requests } }
    /// Documents that are there, sorted.
    public var documents: [String] {
        state.withLock { state in state.documents.filter { $0.value != nil }.keys.sorted() }
    }

    /// Reads or changes what the index knows and does.
    public func withState<Value>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

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
        case .proper: connection.respond("200 OK", json, body: Self.answer(take(actions)))
        case .status(let line, let fields):
            connection.respond(line, json + fields, body: Array("{\"error\":\"no\"}".utf8))
        case .takesAndCuts:
            _ = take(actions)
            return .close
        case .takesAndCutsAnswer:
            let body = Self.answer(take(actions))
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(Array(body[..<(body.count / 2)]))
            return .close
        case .cuts: return .close
        case .resets:
            connection.reset()
            return .close
        case .silent:
            connection.waitForClose()
            return .close
        case .refuses(let identifiers, let status, let error):
            let items = take(actions, refusing: identifiers, with: (status, error))
            connection.respond("200 OK", json, body: Self.answer(items))
        case .forgetsLast:
            connection.respond("200 OK", json, body: Self.answer(take(actions.dropLast())))
        case .answers(let text):
            _ = take(actions)
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
                ["index", "delete", "update"].contains(operation)
            else {
                fault("no action: \(String(decoding: line, as: UTF8.self))")
                continue
            }
            let version = parameters["version"] as? Int
            let names = Set(parameters.keys).subtracting(["_index"])
            if names != (version == nil ? ["_id"] : ["_id", "version", "version_type"])
                || version != nil && parameters["version_type"] as? String != "external_gte"
                || parameters["_index"].map({ $0 as? String != "pages" }) ?? false
            {
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
            if operation == "update" {
                guard version == nil, let next = lines.next(),
                    let update = try? JSONSerialization.jsonObject(with: Data(next)) as? [String: Any],
                    Array(update.keys) == ["doc"], let document = update["doc"] as? [String: Any],
                    let part = try? JSONSerialization.data(withJSONObject: document)
                else {
                    fault("no update of \(identifier)")
                    continue
                }
                source = String(decoding: part, as: UTF8.self)
            }
            if actions.contains(where: { $0.identifier == identifier }) { fault("\(identifier) twice") }
            actions.append(Action(operation: operation, identifier: identifier, version: version, source: source))
        }
        if actions.isEmpty { fault("an empty request") }
        return actions
    }

    /// - Returns: the items of the answer.
    private func take(
        _ actions: [Action], refusing refused: Set<String> = [], with refusal: (status: Int, error: String) = (0, "")
    ) -> [String] {
        state.withLock { state in
            actions.map { action -> String in
                var result = "\"status\":\(action.operation == "index" ? 201 : 200)"
                if refused.contains(action.identifier) {
                    result = Self.error(refusal.status, refusal.error, "because")
                } else if let source = action.source, source.contains("\"title\":\"unfit\"") {
                    result = Self.error(400, "mapper_parsing_exception", "unfit")
                } else if let version = action.version, version < state.versions[action.identifier] ?? -1 {
                    result = Self.error(409, "version_conflict_engine_exception", "old")
                } else if action.operation == "update" {
                    guard let known = state.documents[action.identifier] ?? nil, let part = action.source,
                        let merged = Self.merged(known, part)
                    else {
                        result = Self.error(404, "document_missing_exception", "missing")
                        return "{\"update\":{\"_index\":\"pages\",\(result)}}"
                    }
                    state.documents[action.identifier] = .some(merged)
                    state.taken[action.identifier, default: []].append(part)
                    if let version = state.versions[action.identifier] {
                        state.versions[action.identifier] = version + 1
                    }
                } else {
                    if action.operation == "delete", state.documents[action.identifier, default: nil] == nil {
                        result = "\"result\":\"not_found\",\"status\":404"
                    }
                    state.documents[action.identifier] = .some(action.source)
                    state.taken[action.identifier, default: []].append(action.source)
                    if let version = action.version { state.versions[action.identifier] = version }
                }
                return "{\"\(action.operation)\":{\"_index\":\"pages\",\(result)}}"
            }
        }
    }

    /// A document with the values of a part of one, as an update puts them in: objects member by member.
    private static func merged(_ document: String, _ part: String) -> String? {
        func merged(_ old: JSONValue, _ new: JSONValue) -> JSONValue {
            guard var object = old.object, let members = new.object else { return new }
            for member in members {
                object[member.key] = object[member.key].map { merged($0, member.value) } ?? member.value
            }
            return .object(object)
        }
        var (old, new) = (JSONParser(), JSONParser())
        guard let old = try? old.parse(Array(document.utf8)), let new = try? new.parse(Array(part.utf8)) else {
            return nil
        }
        return String(decoding: merged(old, new).bytes(), as: UTF8.self)
    }

    private static func error(_ status: Int, _ type: String, _ reason: String) -> String {
        "\"status\":\(status),\"error\":{\"type\":\"\(type)\",\"reason\":\"\(reason)\"}"
    }

    private static func answer(_ items: [String]) -> [UInt8] {
        let hasErrors = items.contains { $0.contains("\"error\"") }
        return Array("{\"took\":1,\"errors\":\(hasErrors),\"items\":[\(items.joined(separator: ","))]}".utf8)
    }
}
