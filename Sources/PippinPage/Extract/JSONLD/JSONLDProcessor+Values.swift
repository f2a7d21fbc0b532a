// JSON-LD 1.1 API §5.3.2, Value Expansion, and steps 15 to 20 of §5.1.2: what is left of a map that was read.

extension JSONLDProcessor {
    /// A scalar as a value object or a reference; nil for an empty identifier.
    func expandValue(
        _ value: JSONValue, property: String, _ context: JSONLDContext
    ) throws(JSONLDError) -> JSONValue? {
        let term = context.term(property)
        if let text = value.string, let type = term?.type {
            // 1, 2
            if type == "@id" || type == "@vocab" {
                // An empty address comes from a template and does not mean the page.
                if options.isLenient, text.trimmingHTMLSpace().isEmpty { return nil }
                let id = type == "@id" ? try expandIdentifier(text, context) : try expandType(text, context)
                // `@name` is an account, not a reserved keyword.
                if options.isLenient, id.map(JSONLDKeyword.hasForm) ?? true { return ["@value": value] }
                return ["@id": id.map(JSONValue.string) ?? .null]
            }
        }
        // 3
        var result: JSONObject = ["@value": value]
        if let type = term?.type, type != "@id", type != "@vocab", type != "@none" {
            // 4
            result.set("@type", .string(type))
        } else if value.string != nil {
            // 5
            if let language = term?.language ?? context.language { result.set("@language", .string(language)) }
            if let direction = term?.direction ?? context.direction {
                result.set("@direction", .string(direction.rawValue))
            }
        }
        return .object(result)
    }

    /// 15 to 20
    func finish(_ state: NodeState) throws(JSONLDError) -> JSONValue? {
        var result = state.result
        if let value = result["@value"] {
            // 15
            if try isNothing(value, result) { return nil }
        } else if let type = result["@type"], type.array == nil {
            // 16
            result.set("@type", [type])
        } else if let content = result["@list"] ?? result["@set"] {
            // 17
            guard result.count == 1 || (result.count == 2 && result["@index"] != nil) else {
                throw failure(.invalidSetOrListObject, "An object with @list or @set has other members.")
            }
            if result["@set"] != nil { return content.isNull ? nil : content }
        }
        // 18
        if result.count == 1, result["@language"] != nil { return nil }
        // 19
        if state.property == nil || state.property == "@graph" {
            if result.isEmpty || result["@value"] != nil || result["@list"] != nil { return nil }
            if result.count == 1, result["@id"] != nil { return nil }
        }
        return .object(result)
    }

    /// 15.1 to 15.5: whether a value object is well formed, and whether it holds nothing.
    private func isNothing(_ value: JSONValue, _ result: JSONObject) throws(JSONLDError) -> Bool {
        for member in result.members {
            switch member.key {
            case "@value", "@direction", "@index", "@language", "@type": continue
            default:
                throw failure(
                    .invalidValueObject, "An object with @value has \(member.key.quotedInMessage) beside it.")
            }
        }
        let type = result["@type"]
        if type != nil, result["@language"] != nil || result["@direction"] != nil {
            throw failure(.invalidValueObject, "An object with @value has a type and a language or direction.")
        }
        if type?.string == "@json" || type == ["@json"] { return false }
        if value.isNull || value.array?.isEmpty == true { return true }
        if result["@language"] != nil, value.string == nil {
            throw failure(.invalidLanguageTaggedValue, "Only texts have a language, not \(value.quotedInMessage).")
        }
        if let type {
            guard let iri = type.string, IRISyntax.isWellFormed(iri) else {
                throw failure(.invalidTypedValue, "The type of a value is an IRI, not \(type.quotedInMessage).")
            }
        }
        return false
    }
}
