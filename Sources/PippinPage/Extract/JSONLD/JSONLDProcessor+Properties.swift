// JSON-LD 1.1 API §5.1.2, steps 13.5 to 13.14: members that are properties.

extension JSONLDProcessor {
    func expandProperty(
        _ name: String, _ key: String, _ value: JSONValue, _ state: inout NodeState
    ) throws(JSONLDError) {
        let term = state.context.term(key)
        // 13.5
        let container = term?.container ?? []
        var expanded: JSONValue?
        if term?.type == "@json" {
            // 13.6
            expanded = ["@value": value, "@type": "@json"]
        } else if container.contains(.language), let map = value.object {
            expanded = .array(try expandLanguageMap(map, term, state.context))
        } else if !container.isDisjoint(with: [.index, .type, .id]), let map = value.object {
            expanded = .array(try expandMap(map, key, term, state.context))
        } else {
            // 13.9
            expanded = try expand(value, property: key, context: state.context)
        }
        // 13.10
        guard var expanded else { return }
        // 13.11
        if container.contains(.list), expanded["@list"] == nil {
            expanded = ["@list": .array(Optional(expanded).elements)]
        }
        // 13.12
        if container.contains(.graph), container.isDisjoint(with: [.id, .index]) {
            expanded = .array(
                Optional(expanded).elements.map { ["@graph": .array(Optional($0).elements)] })
        }
        if term?.isReverse == true {
            // 13.13
            var reverse = state.result["@reverse"]?.object ?? JSONObject()
            state.result.set("@reverse", .null)
            for item in Optional(expanded).elements {
                try checkReverseValue(item)
                reverse.add(item, to: name)
            }
            state.result["@reverse"] = .object(reverse)
        } else {
            // 13.14
            state.result.add(expanded, to: name)
        }
    }

    /// 13.7
    private func expandLanguageMap(
        _ map: JSONObject, _ term: JSONLDTerm?, _ context: JSONLDContext
    ) throws(JSONLDError) -> [JSONValue] {
        var result: [JSONValue] = []
        let direction = term?.direction ?? .some(context.direction)
        for member in map.members {
            for item in member.value.array ?? [member.value] {
                if item.isNull { continue }
                guard item.string != nil else {
                    path.append(member.key)
                    throw failure(
                        .invalidLanguageMapValue, "A language map holds texts, not \(item.quotedInMessage).")
                }
                var value: JSONObject = ["@value": item]
                if try expandName(member.key, context) != "@none" { value.set("@language", .string(member.key)) }
                if let direction = direction ?? nil { value.set("@direction", .string(direction.rawValue)) }
                result.append(.object(value))
            }
        }
        return result
    }

    /// 13.8: index, id and type maps.
    private func expandMap(
        _ map: JSONObject, _ key: String, _ term: JSONLDTerm?, _ context: JSONLDContext
    ) throws(JSONLDError) -> [JSONValue] {
        let container = term?.container ?? []
        var result: [JSONValue] = []
        // 13.8.2
        let indexKey = term?.index ?? "@index"
        let isPropertyIndex = container.contains(.index) && indexKey != "@index"
        let indexProperty = isPropertyIndex ? try expandName(indexKey, context) : nil
        for member in map.members {
            path.append(member.key)
            // 13.8.3.1–13.8.3.3
            var mapContext = context
            if !container.isDisjoint(with: [.id, .type]) { mapContext = context.previous ?? context }
            if container.contains(.type), let type = mapContext.term(member.key), type.context != nil {
                mapContext = try scopedContext(
                    of: type, on: mapContext, overridesProtected: false, isPropagated: false)
            }
            // 13.8.3.4
            let expandedIndex = try expandName(member.key, context)
            // 13.8.3.5, 13.8.3.6
            let values = JSONValue.array(member.value.array ?? [member.value])
            let items = try expand(values, property: key, context: mapContext, fromMap: true).elements
            for var item in items {
                // 13.8.3.7.1
                if container.contains(.graph), !item.isGraphObject {
                    item = ["@graph": .array(Optional(item).elements)]
                }
                guard case .object(var object) = item.content else { continue }
                if isPropertyIndex {
                    // 13.8.3.7.2
                    if expandedIndex != "@none", let indexProperty {
                        let value = try expandValue(.string(member.key), property: indexKey, context)
                        var values = value.map { [$0] } ?? []
                        values += object[indexProperty].elements
                        object[indexProperty] = .array(values)
                        if object["@value"] != nil {
                            throw failure(
                                .invalidValueObject,
                                "A text in the map of \(key.quotedInMessage) cannot have properties."
                            )
                        }
                    }
                } else if container.contains(.index) {
                    // 13.8.3.7.3
                    if object["@index"] == nil, expandedIndex != "@none" { object["@index"] = .string(member.key) }
                } else if container.contains(.id) {
                    // 13.8.3.7.4
                    if object["@id"] == nil, expandedIndex != "@none" {
                        object["@id"] = try expandNodeIdentifier(member.key, context).map(JSONValue.string)
                    }
                } else if container.contains(.type), expandedIndex != "@none" {
                    // 13.8.3.7.5
                    var types: [JSONValue] = expandedIndex.map { [.string($0)] } ?? []
                    types += object["@type"].elements
                    object["@type"] = .array(types)
                }
                result.append(.object(object))
            }
            path.removeLast()
        }
        return result
    }
}
