import PippinPage

/// `Docs/record.schema.json`, which is part of the program: which fields records have, and what the description of the API says of them.
enum APIRecordSchema {
    private static let definitions: JSONObject = {
        var parser = JSONParser(limits: .ownText)
        do {
            let document = try parser.parse(PackageResources.record_schema_json)
            guard let definitions = document["$defs"]?.object else {
                preconditionFailure("record.schema.json has no $defs")
            }
            return definitions
        } catch {
            preconditionFailure("record.schema.json is no JSON: \(error)")
        }
    }()

    // MARK: Components of the description

    private static let start = "#/$defs/"

    /// The definitions as components of OpenAPI 3.1, whose schemas are of the same dialect (JSON Schema 2020-12): `Record`,
    /// `RecordDeletion`, `RecordPopularity` and what they consist of.
    static let components: JSONObject = {
        var components = JSONObject()
        for member in definitions.members { components[name(ofComponent: member.key)] = moved(member.value) }
        return components
    }()

    private static func name(ofComponent definition: String) -> String {
        definition == "record" ? "Record" : "Record" + definition.prefix(1).uppercased() + definition.dropFirst()
    }

    /// The schema with references to components.
    private static func moved(_ schema: JSONValue) -> JSONValue {
        if let elements = schema.array { return .array(elements.map(moved)) }
        guard let object = schema.object else { return schema }
        var moved = JSONObject()
        for member in object.members {
            if member.key == "$ref", let target = member.value.string, target.hasPrefix(start) {
                moved["$ref"] = APISchema.reference(name(ofComponent: String(target.dropFirst(start.count))))["$ref"]
            } else {
                moved[member.key] = Self.moved(member.value)
            }
        }
        return .object(moved)
    }

    // MARK: Fields

    /// The fields of records, with those within them: `title`, `deepLinks.url`. Lists have the fields of their elements.
    static let fields: Set<String> = walked.fields
    /// Objects whose members have any names: `custom`.
    static let open: Set<String> = walked.open

    private static let walked: (fields: Set<String>, open: Set<String>) = {
        var (fields, open): (Set<String>, Set<String>) = ([], [])
        // No record is as deep. A definition that has itself in it would go on for ever.
        func walk(_ schema: JSONValue, _ path: [String], _ depth: Int) {
            guard depth < 16 else { return }
            if let target = schema["$ref"]?.string, target.hasPrefix(start),
                let definition = definitions[String(target.dropFirst(start.count))]
            {
                walk(definition, path, depth + 1)
            }
            for key in ["anyOf", "oneOf", "allOf"] {
                for branch in schema[key]?.array ?? [] { walk(branch, path, depth + 1) }
            }
            if let items = schema["items"] { walk(items, path, depth + 1) }
            for member in schema["properties"]?.object?.members ?? [] {
                fields.insert((path + [member.key]).joined(separator: "."))
                walk(member.value, path + [member.key], depth + 1)
            }
            if schema["additionalProperties"]?.object != nil { open.insert(path.joined(separator: ".")) }
        }
        walk(["$ref": "#/$defs/record"], [], 0)
        return (fields, open)
    }()
}
