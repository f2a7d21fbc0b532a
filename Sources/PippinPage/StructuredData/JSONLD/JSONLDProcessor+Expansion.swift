// JSON-LD 1.1 API §5.1.2, Expansion Algorithm: the steps for every element, and the contexts of a map.

extension JSONLDProcessor {
    /// The state of a map while its members are expanded.
    struct NodeState {
        var result = JSONObject()
        /// Keys that expand to `@nest`.
        var nests: [String] = []
        /// The active context, and the context before types changed it.
        var context: JSONLDContext
        let typeScopedContext: JSONLDContext
        /// The active property.
        var property: JSONLDName?
        var isJSONLiteral = false
    }

    /// Expands an element; nil if it has no content.
    ///
    /// - Parameters:
    ///   - property: the active property.
    ///   - fromMap: whether the element is a value of an index, id or type map.
    func expand(
        _ element: JSONValue, property: JSONLDName?, context: JSONLDContext, fromMap: Bool = false
    ) throws(JSONLDError) -> JSONValue? {
        switch element.content {
        case .null: return nil
        case .array(let elements): return .array(try expandArray(elements, property, context, fromMap: fromMap))
        case .object(let object):
            return try expandMap(
                object, at: element.offset, property, context, fromMap: fromMap)
        case .bool, .number, .string:
            // 4
            guard let property, property.key != "@graph" else { return nil }
            guard let term = property.term, term.context != nil else {
                return try expandValue(element, property.term, context)
            }
            let scoped = try scopedContext(of: term, on: context, overridesProtected: true, isPropagated: true)
            return try expandValue(element, scoped.term(property.key), scoped)
        }
    }

    /// Expands an array (step 5).
    private func expandArray(
        _ elements: [JSONValue], _ property: JSONLDName?, _ context: JSONLDContext, fromMap: Bool
    ) throws(JSONLDError) -> [JSONValue] {
        let isList = property?.term?.container.contains(.list) == true
        var result: [JSONValue] = []
        result.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            path.append(String(index))
            let expanded = try skippingMistakes { () throws(JSONLDError) in
                try expand(element, property: property, context: context, fromMap: fromMap)
            }
            if let expanded = expanded ?? nil {
                if let elements = expanded.array {
                    if isList { result.append(["@list": .array(elements)]) } else { result += elements }
                } else {
                    result.append(expanded)
                }
            }
            path.removeLast()
        }
        return result
    }

    /// Expands a map (steps 6 to 20).
    private func expandMap(
        _ object: JSONObject, at offset: Int, _ property: JSONLDName?, _ active: JSONLDContext, fromMap: Bool
    ) throws(JSONLDError) -> JSONValue? {
        var context = active
        // 7
        if let previous = active.previous, !fromMap, try !isValueOrReference(object, active) { context = previous }
        // 8
        if let term = property?.term, term.context != nil {
            context = try scopedContext(of: term, on: context, overridesProtected: true, isPropagated: true)
        }
        // 9
        if let local = localContext(of: object) { context = try process(local, on: context, Scope(baseURL: baseURL)) }
        // 10
        var state = NodeState(context: context, typeScopedContext: context, property: property)
        state.result.reserveCapacity(object.count)
        // 11
        var names = try names(of: object, context)
        var typeKeys: [String] = []
        for name in names where name.iri == "@type" { typeKeys.append(name.key) }
        if typeKeys.count > 1 { typeKeys.sort(by: Self.precedes) }
        for key in typeKeys { try applyTypeScopedContexts(of: object[key] ?? .null, &state) }
        // 12
        if let first = typeKeys.first, let value = object[first],
            case .string(let type)? = (value.array.map({ $0.last }) ?? value)?.content
        {
            state.isJSONLiteral = try name(type, state.context).iri == "@json"
        }
        // 13, 14
        if state.context !== context { names = try self.names(of: object, state.context) }
        try expandMembers(object, names, &state)
        // The node keeps its place, for reports.
        guard let expanded = try finish(state) else { return nil }
        return expanded.object.map { JSONValue(.object($0), at: offset) } ?? expanded
    }

    private func localContext(of object: JSONObject) -> JSONValue? {
        if let context = object["@context"] { return context }
        guard options.skipsMistakes else { return nil }
        return object.members.first { $0.key.utf8.first == UInt8(ascii: "@") && $0.key.asciiLowercased == "@context" }?
            .value
    }

    /// Step 7: true for an object with `@value`, or with nothing but `@id`. Neither begins a new node.
    private func isValueOrReference(_ object: JSONObject, _ context: JSONLDContext) throws(JSONLDError) -> Bool {
        for member in object.members {
            let name = try name(member.key, context).iri
            if name == "@value" || (name == "@id" && object.count == 1) { return true }
        }
        return false
    }

    /// Applies the contexts of types (step 11.2).
    private func applyTypeScopedContexts(of value: JSONValue, _ state: inout NodeState) throws(JSONLDError) {
        var types: [String] = []
        for case .string(let type) in (value.array ?? [value]).lazy.map(\.content) {
            if state.typeScopedContext.term(type)?.context != nil { types.append(type) }
        }
        if types.count > 1 { types.sort(by: Self.precedes) }
        for type in types {
            guard let term = state.typeScopedContext.term(type) else { continue }
            state.context = try scopedContext(
                of: term, on: state.context, overridesProtected: false, isPropagated: false)
        }
    }

    /// Orders texts by code points.
    static func precedes(_ a: String, _ b: String) -> Bool {
        a.utf8.lexicographicallyPrecedes(b.utf8)
    }

    /// Expands the members of a map (steps 13 and 14).
    ///
    /// - Parameter names: the expanded keys, in the order of the members.
    func expandMembers(
        _ object: JSONObject, _ names: [JSONLDName], _ state: inout NodeState
    ) throws(JSONLDError) {
        let outerNests = state.nests
        state.nests = []
        for (member, name) in zip(object.members, names) where member.key != "@context" {
            // 13.2, 13.3
            guard let iri = name.iri else { continue }
            let isKeyword = JSONLDKeyword.isKeyword(iri)
            guard isKeyword || iri.utf8.has(UInt8(ascii: ":")) || state.context.keepsNames else { continue }
            if isKeyword, member.key != iri, member.key.utf8.first == UInt8(ascii: "@") {
                note(
                    .jsonLD(.keywordCase), "\(member.key.quotedInMessage) is written \"\(iri)\".",
                    at: member.keyOffset)
            }
            path.append(member.key)
            _ = try skippingMistakes { () throws(JSONLDError) in
                if isKeyword {
                    try expandKeyword(iri, member.key, member.value, &state)
                } else {
                    try expandProperty(iri, name, member.value, &state)
                }
            }
            path.removeLast()
        }
        // 14
        let nests = state.nests
        for key in nests {
            _ = try skippingMistakes { () throws(JSONLDError) in try expandNest(key, object[key] ?? .null, &state) }
        }
        state.nests = outerNests
    }

    /// Expands the nested members of one key (14.1, 14.2).
    private func expandNest(_ key: String, _ value: JSONValue, _ state: inout NodeState) throws(JSONLDError) {
        path.append(key)
        let outer = (state.context, state.property)
        defer { (state.context, state.property) = outer }
        // Steps 3 and 8 with the nesting key as active property.
        if let term = state.context.term(key), term.context != nil {
            state.context = try scopedContext(
                of: term, on: state.context, overridesProtected: true, isPropagated: true)
        }
        state.property = try name(key, state.context)
        for nested in value.array ?? [value] {
            guard let object = nested.object else {
                throw failure(.invalidNestValue, "@nest holds objects, not \(nested.quotedInMessage).")
            }
            let names = try names(of: object, state.context)
            if names.contains(where: { $0.iri == "@value" }) {
                throw failure(.invalidNestValue, "@nest holds members of a node, not a value.")
            }
            try expandMembers(object, names, &state)
        }
        path.removeLast()
    }
}

// JSON-LD 1.1 API §5.3.2, Value Expansion, and steps 15 to 20 of §5.1.2, which complete an expanded map.

extension JSONLDProcessor {
    /// Expands a scalar to a value object or a reference; nil for an empty identifier.
    ///
    /// - Parameter term: the definition of the active property.
    func expandValue(
        _ value: JSONValue, _ term: JSONLDTerm?, _ context: JSONLDContext
    ) throws(JSONLDError) -> JSONValue? {
        if let text = value.string, let type = term?.type {
            // 1, 2
            if type == "@id" || type == "@vocab" {
                // An empty address usually comes from an unfilled template. It is not a reference to the page.
                if options.isLenient, text.trimmingHTMLSpace().isEmpty { return nil }
                let id = type == "@id" ? try expandIdentifier(text, context) : try expandType(text, context)
                // Text such as `@name` is an account name, not a reserved keyword.
                if options.isLenient, id.map(JSONLDKeyword.hasForm) ?? true {
                    return .object(JSONObject("@value", value))
                }
                return .object(JSONObject("@id", id.map(JSONValue.string) ?? .null))
            }
        }
        // 3
        var result = JSONObject("@value", value)
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

    /// Completes an expanded map (steps 15 to 20); nil if nothing is left of it.
    func finish(_ state: NodeState) throws(JSONLDError) -> JSONValue? {
        var result = state.result
        if let value = result["@value"] {
            // 15
            let isEmpty = try skippingMistakes { () throws(JSONLDError) in try isNothing(value, result) }
            if isEmpty == true { return nil }
        } else if let type = result["@type"], type.array == nil {
            // 16
            result.set("@type", [type])
        } else if let content = result["@list"] ?? result["@set"] {
            // 17
            _ = try skippingMistakes { () throws(JSONLDError) in
                if result.count == 1 || (result.count == 2 && result["@index"] != nil) { return }
                throw failure(.invalidSetOrListObject, "An object with @list or @set has other members.")
            }
            if result["@set"] != nil { return content.isNull ? nil : content }
        }
        // 18
        if result.count == 1, result["@language"] != nil { return nil }
        // 19
        if state.property == nil || state.property?.key == "@graph" {
            if result.isEmpty || result["@value"] != nil || result["@list"] != nil { return nil }
            if result.count == 1, result["@id"] != nil { return nil }
        }
        return .object(result)
    }

    /// 15.1 to 15.5: checks the form of a value object. Returns true if its value is null or an empty array.
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
