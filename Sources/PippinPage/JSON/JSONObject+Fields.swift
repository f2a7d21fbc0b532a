// Writing optional fields: what is unknown or empty is left out.

extension JSONObject {
    /// Sets the key where there is a value.
    public mutating func put(_ key: String, _ value: String?) {
        if let value { self[key] = .string(value) }
    }

    /// Sets the key to the serialized URL where there is one.
    public mutating func put(_ key: String, _ value: WebURL?) {
        if let value { self[key] = .string(value.href) }
    }

    /// Sets the key where there is a number.
    public mutating func put(_ key: String, _ value: Int?) {
        if let value { self[key] = .integer(value) }
    }

    /// Sets the key to `true`, or leaves it out.
    public mutating func putFlag(_ key: String, _ value: Bool) {
        if value { self[key] = true }
    }

    /// Sets the key to an array, if that has elements.
    public mutating func put(_ key: String, _ values: [String]) {
        if !values.isEmpty { self[key] = .array(values.map { .string($0) }) }
    }

    /// Sets the key to an array of what `json` makes of each value, if there are values.
    public mutating func put<Value>(_ key: String, _ values: [Value], _ json: (Value) -> JSONValue) {
        if !values.isEmpty { self[key] = .array(values.map(json)) }
    }

    mutating func put(_ notes: [ParseNote]) {
        put("notes", notes) { $0.json }
    }

    /// An object with the fields that `fill` writes.
    public static func with(_ fill: (inout JSONObject) -> Void) -> JSONValue {
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
