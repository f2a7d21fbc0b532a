import PippinPage

/// The revisions of the Model Context Protocol that the server speaks.
enum MCPRevision {
    /// Revisions without a session: each request says which revision it is of.
    static let stateless = ["2026-07-28"]
    /// Revisions whose sessions begin with `initialize`, the newest first. What is used here of the second is the same.
    static let withSession = ["2025-11-25", "2025-06-18"]
    static let all = stateless + withSession
}

/// An error of the protocol (JSON-RPC 2.0 §5.1): the message itself is at fault. What a tool cannot do is a result of its own.
struct MCPError: Error, Sendable {
    enum Code: Int, Sendable {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParams = -32602
        case internalError = -32603
        case headerMismatch = -32020
        case unsupportedVersion = -32022
    }

    let code: Code
    /// A sentence for whoever has written the client.
    let sentence: String
    var data: JSONValue?

    init(_ code: Code, _ sentence: String, data: JSONValue? = nil) {
        self.code = code
        self.sentence = sentence
        self.data = data
    }

    static func unsupported(_ version: String) -> MCPError {
        MCPError(
            .unsupportedVersion, "This server does not speak the revision \(Wording.quoted(version, to: 40)).",
            data: [
                "supported": .array(MCPRevision.all.map { .string($0) }),
                "requested": .string(String(version.prefix(40))),
            ])
    }

    /// The error as the answer to a request.
    ///
    /// - Parameter id: that of the request; nil if it could not be read.
    func answer(to id: JSONValue?) -> [UInt8] {
        var error: JSONObject = ["code": .integer(code.rawValue), "message": .string(sentence)]
        error["data"] = data
        return (["jsonrpc": "2.0", "id": id ?? .null, "error": .object(error)] as JSONValue).bytes()
    }
}

/// A message of a client: one JSON-RPC object, a request or a notification.
struct MCPMessage: Sendable {
    /// Nil of a notification, which gets no answer.
    let id: JSONValue?
    let method: String
    let params: JSONObject

    /// The member of a request's `_meta` that says which revision it is of.
    static let versionKey = "io.modelcontextprotocol/protocolVersion"
    static let capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
    static let serverKey = "io.modelcontextprotocol/serverInfo"

    /// A request nests its arguments a few levels deep. What is deeper is refused before it is looked at.
    static let limits: ReadingLimits = {
        var limits = ReadingLimits()
        limits.maximumJSONDepth = 16
        limits.maximumJSONValues = 2_000
        return limits
    }()

    /// - Throws: `Unreadable`, with the request's id as far as it could be read.
    init(_ bytes: ArraySlice<UInt8>) throws(Unreadable) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Unreadable(nil, MCPError(.parseError, "The message is not UTF-8."))
        }
        var parser = JSONParser(limits: Self.limits)
        let value: JSONValue
        do {
            value = try parser.parse(bytes)
        } catch {
            throw Unreadable(nil, MCPError(.parseError, "The message is no JSON: \(error)."))
        }
        guard let object = value.object else {
            let what = value.array == nil ? "is no object" : "is a batch, and each message comes by itself"
            throw Unreadable(nil, MCPError(.invalidRequest, "The message \(what)."))
        }
        let id = object["id"]
        func refused(_ sentence: String) -> Unreadable {
            Unreadable(id.flatMap { Self.isUsable($0) ? $0 : nil }, MCPError(.invalidRequest, sentence))
        }
        // Programs differ in which of two equal keys they take.
        guard parser.notes.isEmpty else { throw refused("The message has a key twice, or half a character.") }
        if let id, !Self.isUsable(id) { throw refused("The id must be a text of up to 200 bytes or a whole number.") }
        guard object["jsonrpc"]?.string == "2.0" else { throw refused("The member jsonrpc must be \"2.0\".") }
        guard let method = object["method"]?.string else {
            throw refused("The message has no method. As this server asks nothing, it is no answer either.")
        }
        var members = JSONObject()
        if let params = object["params"] {
            guard let given = params.object else { throw refused("The member params must be an object.") }
            members = given
        }
        self.id = id
        self.method = method
        self.params = members
    }

    /// A message that cannot be taken for one.
    struct Unreadable: Error {
        /// Its id; nil if it has none of use.
        let id: JSONValue?
        let error: MCPError

        init(_ id: JSONValue?, _ error: MCPError) {
            self.id = id
            self.error = error
        }

        var answer: [UInt8] { error.answer(to: id) }
    }

    /// An id comes back with the answer, so it must not be long.
    private static func isUsable(_ id: JSONValue) -> Bool {
        if let text = id.string { return text.utf8.count <= 200 }
        return id.integer != nil
    }

    var isNotification: Bool { id == nil }

    /// The revision that a request without a session names; nil if there is none, as in sessions.
    var version: JSONValue? { params["_meta"]?[Self.versionKey] }

    /// - Throws: `MCPError` if the request lacks what each has without a session.
    func checkEnvelope() throws(MCPError) {
        let meta = params["_meta"]?.object ?? JSONObject()
        for key in [Self.versionKey, Self.capabilitiesKey] where meta[key] == nil {
            throw MCPError(.invalidParams, "The member \(key) of params._meta is missing.")
        }
        guard let version = meta[Self.versionKey]?.string else {
            throw MCPError(.invalidParams, "The member \(Self.versionKey) of params._meta must be a text.")
        }
        guard MCPRevision.stateless.contains(version) else { throw .unsupported(version) }
        guard meta[Self.capabilitiesKey]?.object != nil else {
            throw MCPError(.invalidParams, "The member \(Self.capabilitiesKey) of params._meta must be an object.")
        }
    }
}
