import PippinPage

/// The schemas that answers and parameters of the API refer to: for its description, and for the tools of agents.
enum APIComponents {
    /// By name, as OpenAPI has them at `#/components/schemas/`.
    static let schemas: JSONObject = {
        var schemas = APIRecordSchema.components
        for member in SearchAPI.components.members { schemas[member.key] = member.value }
        schemas["Problem"] = APISchema.object([
            "type": ["type": "string", "format": "uri-reference"], "title": APISchema.text,
            "status": ["type": "integer", "minimum": 400, "maximum": 599],
            "detail": APISchema.text,
        ])
        schemas["RecordField"] = RecordFields.schema
        schemas["SelectedRecord"] = APISchema.described(
            "A record with the fields that were asked for. Each is as in Record, and may be missing.",
            ["type": "object"])
        return schemas
    }()

    /// A schema with all that it refers to in `$defs`, so that it can be read by itself.
    static func selfContained(_ schema: JSONValue) -> JSONValue {
        var definitions = JSONObject()
        var waiting: [String] = []
        var whole = moved(schema, &waiting).object ?? JSONObject()
        while let name = waiting.popLast() {
            guard definitions[name] == nil, let schema = schemas[name] else { continue }
            definitions[name] = moved(schema, &waiting)
        }
        if !definitions.members.isEmpty { whole["$defs"] = .object(definitions) }
        return .object(whole)
    }

    /// - Parameter names: receives those that the schema refers to.
    private static func moved(_ schema: JSONValue, _ names: inout [String]) -> JSONValue {
        if let elements = schema.array { return .array(elements.map { moved($0, &names) }) }
        guard let object = schema.object else { return schema }
        var result = JSONObject()
        for member in object.members {
            if member.key == "$ref", let target = member.value.string, target.hasPrefix(APISchema.componentsPath) {
                let name = String(target.dropFirst(APISchema.componentsPath.count))
                names.append(name)
                result["$ref"] = .string("#/$defs/\(name)")
            } else {
                result[member.key] = moved(member.value, &names)
            }
        }
        return .object(result)
    }
}
