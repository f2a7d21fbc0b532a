// Writing optional fields: what is unknown or empty is left out.

extension JSONObject {
    mutating func put(_ key: String, _ value: String?) {
        if let value { self[key] = .string(value) }
    }

    mutating func put(_ key: String, _ value: WebURL?) {
        if let value { self[key] = .string(value.href) }
    }

    mutating func put(_ key: String, _ value: Int?) {
        if let value { self[key] = .integer(value) }
    }

    /// Only when true.
    mutating func putFlag(_ key: String, _ value: Bool) {
        if value { self[key] = true }
    }

    mutating func put(_ key: String, _ values: [String]) {
        if !values.isEmpty { self[key] = .array(values.map { .string($0) }) }
    }

    mutating func put<Value>(_ key: String, _ values: [Value], _ json: (Value) -> JSONValue) {
        if !values.isEmpty { self[key] = .array(values.map(json)) }
    }

    mutating func put(_ notes: [ParseNote]) {
        put("notes", notes) { $0.json }
    }

    /// An object with the fields that `fill` writes.
    static func with(_ fill: (inout JSONObject) -> Void) -> JSONValue {
        var object = JSONObject()
        fill(&object)
        return .object(object)
    }
}

extension ParseNote {
    public var json: JSONValue {
        JSONObject.with {
            $0.put("code", code.rawValue)
            $0.put("message", message)
            $0.put("line", line)
            $0.put("column", column)
        }
    }
}
