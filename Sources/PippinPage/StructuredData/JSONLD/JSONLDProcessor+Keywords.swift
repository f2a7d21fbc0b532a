// JSON-LD 1.1 API §5.1.2, step 13.4: members that are keywords.

extension JSONLDProcessor {
    func expandKeyword(
        _ keyword: String, _ key: String, _ value: JSONValue, _ state: inout NodeState
    ) throws(JSONLDError) {
        // 13.4.1
        if state.property?.key == "@reverse" {
            throw failure(.invalidReversePropertyMap, "@reverse holds properties, not \(keyword).")
        }
        // 13.4.2
        var isCollected = !options.isVersion10 && (keyword == "@included" || keyword == "@type")
        // By the standard, a reverse property before `@reverse` is a collision, but one after it is not. Leniently, neither is.
        if options.isLenient && keyword == "@reverse" { isCollected = true }
        if state.result[keyword] != nil, !isCollected {
            throw failure(.collidingKeywords, "Two members of an object stand for \(keyword).")
        }
        switch keyword {
        case "@id":
            guard let text = value.string else {
                throw failure(.invalidIDValue, "@id is a text, not \(value.quotedInMessage).")
            }
            state.result.set(keyword, try expandNodeIdentifier(text, state.context).map(JSONValue.string) ?? .null)
        case "@type": try expandTypes(value, &state)
        case "@graph":
            let graph = try expand(value, property: .graph, context: state.context)
            state.result[keyword] = .array(graph.elements)
        case "@included":
            if !options.isVersion10 { try expandIncluded(value, &state) }
        case "@value": try expandLiteral(value, &state)
        case "@language":
            guard value.string != nil else {
                throw failure(.invalidLanguageTaggedString, "@language is a text, not \(value.quotedInMessage).")
            }
            state.result[keyword] = value
        case "@direction":
            if options.isVersion10 { return }
            guard value.string == "ltr" || value.string == "rtl" else {
                throw failure(.invalidBaseDirection, "@direction is \"ltr\" or \"rtl\", not \(value.quotedInMessage).")
            }
            state.result[keyword] = value
        case "@index":
            guard value.string != nil else {
                throw failure(.invalidIndexValue, "@index is a text, not \(value.quotedInMessage).")
            }
            state.result[keyword] = value
        case "@list":
            // A list that is not the value of a property is dropped.
            guard let property = state.property, property.key != "@graph" else { return }
            let list = try expand(value, property: name(property.key, state.context), context: state.context)
            state.result[keyword] = .array(list.elements)
        case "@set":
            var property = state.property
            if let key = property?.key { property = try name(key, state.context) }
            state.result.set(keyword, try expand(value, property: property, context: state.context) ?? .null)
        case "@reverse": try expandReverse(value, &state)
        case "@nest": state.nests.append(key)
        // Keywords of contexts have no meaning in a node.
        default: break
        }
    }

    /// Expands `@type` (13.4.4).
    private func expandTypes(_ value: JSONValue, _ state: inout NodeState) throws(JSONLDError) {
        let isArray = value.array != nil
        var types: [JSONValue] = state.result["@type"].map { $0.array ?? [$0] } ?? []
        let hadTypes = !types.isEmpty || state.result["@type"] != nil
        for element in value.array ?? [value] {
            guard let text = element.string else {
                throw failure(
                    .invalidTypeValue, "@type is a text or an array of texts, not \(element.quotedInMessage).")
            }
            types.append(try expandType(text, state.typeScopedContext).map(JSONValue.string) ?? .null)
        }
        if isArray || hadTypes {
            state.result["@type"] = .array(types)
        } else if let type = types.first {
            state.result["@type"] = type
        }
    }

    /// Expands `@included` (13.4.6).
    private func expandIncluded(_ value: JSONValue, _ state: inout NodeState) throws(JSONLDError) {
        let included = try expand(value, property: nil, context: state.context).elements
        guard !included.isEmpty || value.array != nil, included.allSatisfy(\.isNodeObject) else {
            throw failure(.invalidIncludedValue, "@included holds nodes, not \(value.quotedInMessage).")
        }
        for node in included { state.result.add(node, to: "@included") }
        if included.isEmpty, state.result["@included"] == nil { state.result["@included"] = [] }
    }

    /// Expands `@value` (13.4.7).
    private func expandLiteral(_ value: JSONValue, _ state: inout NodeState) throws(JSONLDError) {
        if state.isJSONLiteral {
            if options.isVersion10 {
                throw failure(.invalidValueObjectValue, "JSON-LD 1.0 has no JSON literals.")
            }
        } else if value.object != nil || value.array != nil {
            // Items keep an object or array as JSON text.
            _ = try skippingMistakes { () throws(JSONLDError) in
                throw failure(.invalidValueObjectValue, "@value is a single value, not \(value.quotedInMessage).")
            }
        }
        state.result.set("@value", value)
    }

    /// Expands `@reverse` (13.4.13).
    private func expandReverse(_ value: JSONValue, _ state: inout NodeState) throws(JSONLDError) {
        guard value.object != nil else {
            throw failure(.invalidReverseValue, "@reverse is an object, not \(value.quotedInMessage).")
        }
        let expanded = try expand(value, property: .reverse, context: state.context)?.object ?? JSONObject()
        for member in expanded.members where member.key == "@reverse" {
            for property in member.value.object?.members ?? [] {
                state.result.add(property.value, to: property.key)
            }
        }
        var reverse = state.result["@reverse"]?.object ?? JSONObject()
        var isChanged = false
        for member in expanded.members where member.key != "@reverse" {
            isChanged = true
            for item in member.value.array ?? [member.value] where try isReverseValue(item) {
                reverse.add(item, to: member.key)
            }
        }
        if isChanged { state.result["@reverse"] = .object(reverse) }
    }

    /// Whether an expanded value can be the subject of a reverse property: only nodes can. If mistakes are skipped, other
    /// values give a note and false.
    func isReverseValue(_ item: JSONValue) throws(JSONLDError) -> Bool {
        let isNode: Void? = try skippingMistakes { () throws(JSONLDError) in
            if item["@value"] == nil, item["@list"] == nil { return }
            throw failure(.invalidReversePropertyValue, "A reverse property has nodes as values, not texts or lists.")
        }
        return isNode != nil
    }
}

extension JSONValue? {
    /// The elements of an array, the value itself in other cases, none for nil.
    var elements: [JSONValue] {
        guard let self else { return [] }
        return self.array ?? [self]
    }
}

extension JSONValue {
    /// Whether this is an object without `@value`, `@list` and `@set`.
    var isNodeObject: Bool {
        guard let object else { return false }
        return object["@value"] == nil && object["@list"] == nil && object["@set"] == nil
    }

    /// Whether this is a graph object (JSON-LD 1.1 §9.5): `@graph`, and at most `@id` and `@index` beside it.
    var isGraphObject: Bool {
        guard let object, object["@graph"] != nil else { return false }
        return object.members.allSatisfy { $0.key == "@graph" || $0.key == "@id" || $0.key == "@index" }
    }
}

extension JSONObject {
    /// "Add value" of the standard with `as array` true.
    mutating func add(_ value: JSONValue, to key: String) {
        change(key) { known, isNew in
            if isNew {
                known = value.array == nil ? .array([value]) : value
                return
            }
            var values = known.array ?? [known]
            // The object releases its copy first, so that appending does not copy the array.
            known = .null
            if case .array(let more) = value.content { values += more } else { values.append(value) }
            known = .array(values)
        }
    }
}

// JSON-LD 1.1 API §5.1.2, steps 13.5 to 13.14: members that are properties.

extension JSONLDProcessor {
    func expandProperty(
        _ iri: String, _ name: JSONLDName, _ value: JSONValue, _ state: inout NodeState
    ) throws(JSONLDError) {
        let term = name.term
        // 13.5
        let container = term?.container ?? []
        var expanded: JSONValue?
        if term?.type == "@json" {
            // 13.6
            expanded = ["@value": value, "@type": "@json"]
        } else if container.contains(.language), let map = value.object {
            expanded = .array(try expandLanguageMap(map, term, state.context))
        } else if !container.isDisjoint(with: [.index, .type, .id]), let map = value.object {
            expanded = .array(try expandMap(map, name, state.context))
        } else {
            // 13.9
            expanded = try expand(value, property: name, context: state.context)
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
            for item in Optional(expanded).elements where try isReverseValue(item) { reverse.add(item, to: iri) }
            state.result["@reverse"] = .object(reverse)
        } else {
            // 13.14
            state.result.add(expanded, to: iri)
        }
    }

    /// Expands a language map (13.7).
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
                if try name(member.key, context).iri != "@none" { value.set("@language", .string(member.key)) }
                if let direction = direction ?? nil { value.set("@direction", .string(direction.rawValue)) }
                result.append(.object(value))
            }
        }
        return result
    }

    /// Expands an index, id or type map (13.8).
    private func expandMap(
        _ map: JSONObject, _ property: JSONLDName, _ context: JSONLDContext
    ) throws(JSONLDError) -> [JSONValue] {
        let container = property.term?.container ?? []
        var result: [JSONValue] = []
        // 13.8.2
        let indexKey = property.term?.index ?? "@index"
        let isPropertyIndex = container.contains(.index) && indexKey != "@index"
        let indexProperty = isPropertyIndex ? try name(indexKey, context) : nil
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
            let expandedIndex = try name(member.key, context).iri
            // 13.8.3.5, 13.8.3.6
            let values = JSONValue.array(member.value.array ?? [member.value])
            let mapProperty = try mapContext === context ? property : name(property.key, mapContext)
            let items = try expand(values, property: mapProperty, context: mapContext, fromMap: true).elements
            for var item in items {
                // 13.8.3.7.1
                if container.contains(.graph), !item.isGraphObject {
                    item = ["@graph": .array(Optional(item).elements)]
                }
                guard case .object(var object) = item.content else { continue }
                if isPropertyIndex {
                    // 13.8.3.7.2
                    if expandedIndex != "@none", let indexProperty, let iri = indexProperty.iri {
                        let value = try expandValue(.string(member.key), indexProperty.term, context)
                        var values = value.map { [$0] } ?? []
                        values += object[iri].elements
                        object[iri] = .array(values)
                        if object["@value"] != nil {
                            throw failure(
                                .invalidValueObject,
                                "A text in the map of \(property.key.quotedInMessage) cannot have properties."
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
                result.append(JSONValue(.object(object), at: item.offset))
            }
            path.removeLast()
        }
        return result
    }
}
