import Foundation
import PippinPage

/// A parameter of the API: its limits are checked with each request, and are what the description says.
struct APIParameter: Sendable {
    enum Kind: Sendable {
        /// How many Unicode scalars, as JSON Schema counts.
        case text(ClosedRange<Int>)
        /// A URL in ASCII.
        case address(maximum: Int)
        case number(ClosedRange<Int>, usual: Int)
        case flag
        /// One of these words; the first if it is missing.
        case choice([String])
        /// Names of records' fields with commas between them.
        case fields
        /// Words with commas between them: letters, digits, `-` and `_`.
        case words(maximum: Int)
        /// A text that an earlier answer had.
        case cursor(pattern: String, maximum: Int)
    }

    let name: String
    let about: String
    let kind: Kind
    var isRequired = false

    static let query = APIParameter(
        name: "q", about: "What is searched for, in the language of Docs/Search.md.",
        kind: .text(1...WebLimits.queryLength), isRequired: true)

    /// - Parameter more: a further sentence.
    static func fields(_ more: String = "") -> APIParameter {
        APIParameter(
            name: "fields",
            about: "The fields that are shown of a record, and those within them. Without it, all are shown."
                + (more.isEmpty ? "" : " " + more),
            kind: .fields)
    }

    /// The schema of its values (JSON Schema 2020-12).
    fileprivate var schema: JSONValue {
        switch kind {
        case .text(let length):
            ["type": "string", "minLength": .integer(length.lowerBound), "maxLength": .integer(length.upperBound)]
        case .address(let maximum):
            ["type": "string", "minLength": 1, "maxLength": .integer(maximum), "pattern": "^[!-~]+$"]
        case .number(let range, let usual):
            [
                "type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
                "default": .integer(usual),
            ]
        case .flag: ["type": "boolean", "default": false]
        case .choice(let words):
            ["type": "string", "enum": .array(words.map { .string($0) }), "default": .string(words.first ?? "")]
        case .fields:
            [
                "type": "array", "minItems": 1, "maxItems": .integer(RecordFields.maximum),
                "items": APISchema.reference("RecordField"),
            ]
        case .words(let maximum):
            [
                "type": "array", "minItems": 1, "maxItems": .integer(maximum),
                "items": ["type": "string", "pattern": .string("^\(Self.word)$")],
            ]
        case .cursor(let pattern, let maximum):
            ["type": "string", "pattern": .string(pattern), "maxLength": .integer(maximum)]
        }
    }

    private static let word = "[A-Za-z0-9_-]{1,64}"

    /// Whether it is a list, which a query or a form has with commas between its elements, in one parameter.
    var isList: Bool {
        switch kind {
        case .fields, .words: true
        case .text, .address, .number, .flag, .choice, .cursor: false
        }
    }

    fileprivate var json: JSONValue {
        var parameter: JSONObject = [
            "name": .string(name), "in": "query", "description": .string(about), "required": .bool(isRequired),
            "schema": schema,
        ]
        if isList {
            parameter["style"] = "form"
            parameter["explode"] = false
        }
        return .object(parameter)
    }

    /// An object whose members are parameters.
    static func object(_ parameters: [APIParameter]) -> JSONValue {
        var properties = JSONObject()
        for parameter in parameters { properties[parameter.name] = parameter.property }
        let required = parameters.filter(\.isRequired).map { JSONValue.string($0.name) }
        return [
            "type": "object", "properties": .object(properties), "required": .array(required),
            "additionalProperties": false,
        ]
    }

    /// As a member of a form.
    fileprivate var property: JSONValue {
        var members = schema.object ?? JSONObject()
        members["description"] = .string(about)
        return .object(members)
    }

    /// - Throws: `WebRefusal` if the parameter breaks its limits.
    func check(_ query: WebQuery) throws(WebRefusal) {
        guard query[name] != nil else {
            guard !isRequired else { throw WebRefusal(.badRequest, "The parameter \(name) is missing.") }
            return
        }
        switch kind {
        case .text(let length):
            _ = try query.text(name, minimum: length.lowerBound, maximum: length.upperBound)
        case .address(let maximum):
            let text = try query.text(name, minimum: 1, maximum: maximum)
            guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw WebRefusal(
                    .badRequest, "The parameter \(name) must be a URL in ASCII, with other characters percent-encoded.")
            }
        case .number(let range, let usual): _ = try query.number(name, in: range, default: usual)
        case .flag: _ = try query.flag(name)
        case .choice(let words): _ = try query.choice(name, of: words)
        case .fields: _ = try RecordFields(query[name] ?? "")
        case .words(let maximum):
            let words = (query[name] ?? "").split(separator: ",", omittingEmptySubsequences: false)
            guard words.count <= maximum,
                words.allSatisfy({ $0.range(of: "^\(Self.word)$", options: .regularExpression) != nil })
            else {
                throw WebRefusal(
                    .badRequest,
                    "The parameter \(name) must be up to \(maximum) words of letters, digits, - and _, with commas between them."
                )
            }
        case .cursor(let pattern, let maximum):
            let text = try query.text(name, minimum: 1, maximum: maximum)
            guard text.range(of: pattern, options: .regularExpression) != nil else {
                throw WebRefusal(.badRequest, "The parameter \(name) is not the next of an answer.")
            }
        }
    }
}

/// What makes an operation a tool of agents (`MCPTools`).
struct APITool: Sendable {
    let title: String
    /// Further sentences for whoever chooses among the tools.
    var advice: [String] = []
    /// Whether a call asks hosts of others.
    var asksOthers = false
}

/// What the API does at one route: checks requests, and describes itself in OpenAPI 3.1.
struct APIOperation: Sendable {
    let id: String
    let summary: String
    var parameters: [APIParameter] = []
    /// The schema of the JSON that a POST has as its body, in place of a form with the parameters.
    var body: JSONValue?
    /// The media type of the answer.
    var type = "application/json"
    /// The schema of the answer.
    let schema: JSONValue
    /// Statuses other than those that every route may have.
    var refusals: [Int] = []
    /// Nil of what agents do not get.
    var tool: APITool?

    /// - Throws: `WebRefusal` if parameters are unknown, repeated or out of bounds, or not where the method has them.
    func check(_ request: WebRequest) throws(WebRefusal) {
        var query = request.query
        if request.method == .post {
            try query.allowing([])
            // Whoever answers reads it.
            if body != nil { return }
            query = try request.form()
        }
        try query.allowing(parameters.map(\.name))
        for parameter in parameters { try parameter.check(query) }
    }

    /// - Parameter needsToken: whether a token is needed.
    func json(_ method: WebRequest.Method, needsToken: Bool) -> JSONValue {
        var answers = JSONObject()
        answers["200"] = [
            "description": .string(summary), "content": .object([type: ["schema": schema]]),
        ]
        if method == .get {
            answers["304"] = ["description": "If-None-Match has the answer's ETag: the client has it already."]
        }
        let statuses =
            [400, 405, 414, 421, 431, 500, 503] + (needsToken ? [401, 403, 429] : [])
            + (method == .post ? [403, 413, 415] : [])
            + refusals
        for status in Set(statuses).sorted() {
            answers["\(status)"] = ["$ref": .string("#/components/responses/\(status)")]
        }
        var operation: JSONObject = [
            "operationId": .string(id), "summary": .string(summary), "responses": .object(answers),
        ]
        switch method {
        case .get: if !parameters.isEmpty { operation["parameters"] = .array(parameters.map(\.json)) }
        case .post: operation["requestBody"] = form
        }
        if needsToken { operation["security"] = [["token": []]] }
        return .object(operation)
    }

    /// The parameters of a POST, as the form that is its body.
    private var form: JSONValue {
        if let body { return ["required": true, "content": .object([WebRequest.jsonType: ["schema": body]])] }
        var content: JSONObject = ["schema": APIParameter.object(parameters)]
        var encoding = JSONObject()
        for parameter in parameters where parameter.isList {
            encoding[parameter.name] = ["style": "form", "explode": false]
        }
        if !encoding.members.isEmpty { content["encoding"] = .object(encoding) }
        return ["required": true, "content": .object([WebRequest.formType: .object(content)])]
    }
}

/// Pieces of schemas.
enum APISchema {
    static let text: JSONValue = ["type": "string"]
    static let flag: JSONValue = ["type": "boolean"]
    static let count: JSONValue = ["type": "integer", "minimum": 0]
    static let number: JSONValue = ["type": "number"]
    static func list(_ items: JSONValue) -> JSONValue { ["type": "array", "items": items] }

    static func described(_ text: String, _ schema: JSONValue) -> JSONValue {
        var members = schema.object ?? JSONObject()
        members["description"] = .string(text)
        return .object(members)
    }

    /// An object. A `?` behind a name says that it may be missing.
    static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        var properties = JSONObject()
        var required: [JSONValue] = []
        for (name, schema) in members {
            let isOptional = name.hasSuffix("?")
            let name = isOptional ? String(name.dropLast()) : name
            properties[name] = schema
            if !isOptional { required.append(.string(name)) }
        }
        return ["type": "object", "properties": .object(properties), "required": .array(required)]
    }

    static let componentsPath = "#/components/schemas/"
    static func reference(_ name: String) -> JSONValue { ["$ref": .string(componentsPath + name)] }
}
