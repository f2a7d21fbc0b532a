// JSON-LD 1.1 API §5.1.2, Expansion Algorithm: what holds for every element, and the contexts of a map.

extension JSONLDProcessor {
    /// A map while its members are read.
    struct NodeState {
        var result = JSONObject()
        /// Keys that mean `@nest`.
        var nests: [String] = []
        /// The active context, and the one before types changed it.
        var context: JSONLDContext
        let typeScopedContext: JSONLDContext
        /// The active property.
        var property: String?
        var isJSONLiteral = false
    }

    /// Expands an element; nil if it has no content.
    ///
    /// - Parameters:
    ///   - property: the active property.
    ///   - fromMap: whether the element is a value of an index, id or type map.
    func expand(
        _ element: JSONValue, property: String?, context: JSONLDContext, fromMap: Bool = false
    ) throws(JSONLDError) -> JSONValue? {
        switch element.content {
        case .null: return nil
        case .array(let elements): return .array(try expandArray(elements, property, context, fromMap: fromMap))
        case .object(let object): return try expandMap(object, property, context, fromMap: fromMap)
        case .bool, .number, .string:
            // 4
            guard let property, property != "@graph" else { return nil }
            var context = context
            if let term = context.term(property), term.context != nil {
                context = try scopedContext(of: term, on: context, overridesProtected: true, isPropagated: true)
            }
            return try expandValue(element, property: property, context)
        }
    }

    /// 5
    private func expandArray(
        _ elements: [JSONValue], _ property: String?, _ context: JSONLDContext, fromMap: Bool
    ) throws(JSONLDError) -> [JSONValue] {
        let isList = property.flatMap(context.term)?.container.contains(.list) == true
        var result: [JSONValue] = []
        result.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            path.append(String(index))
            if let expanded = try expand(element, property: property, context: context, fromMap: fromMap) {
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

    /// 6 to 20
    private func expandMap(
        _ object: JSONObject, _ property: String?, _ active: JSONLDContext, fromMap: Bool
    ) throws(JSONLDError) -> JSONValue? {
        var context = active
        // 3
        let propertyTerm = property.flatMap(active.term)
        // 7
        if let previous = active.previous, !fromMap, try !isValueOrReference(object, active) { context = previous }
        // 8
        if let propertyTerm, propertyTerm.context != nil {
            context = try scopedContext(of: propertyTerm, on: context, overridesProtected: true, isPropagated: true)
        }
        // 9
        if let local = object["@context"] { context = try process(local, on: context, Scope(baseURL: baseURL)) }
        // 10
        var state = NodeState(context: context, typeScopedContext: context, property: property)
        // 11
        var typeKeys: [String] = []
        for member in object.members where try expandName(member.key, context) == "@type" {
            typeKeys.append(member.key)
        }
        if typeKeys.count > 1 { typeKeys.sort(by: Self.precedes) }
        for key in typeKeys { try applyTypeScopedContexts(of: object[key] ?? .null, &state) }
        // 12
        if let first = typeKeys.first, let value = object[first],
            case .string(let type)? = (value.array.map({ $0.last }) ?? value)?.content
        {
            state.isJSONLiteral = try expandName(type, state.context) == "@json"
        }
        // 13, 14
        try expandMembers(object, &state)
        return try finish(state)
    }

    /// 7: an object with a value, or with nothing but an identifier, is no new node.
    private func isValueOrReference(_ object: JSONObject, _ context: JSONLDContext) throws(JSONLDError) -> Bool {
        for member in object.members {
            let name = try expandName(member.key, context)
            if name == "@value" || (name == "@id" && object.count == 1) { return true }
        }
        return false
    }

    /// 11.2
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

    /// By code points.
    static func precedes(_ a: String, _ b: String) -> Bool {
        a.utf8.lexicographicallyPrecedes(b.utf8)
    }

    /// 13 and 14
    func expandMembers(_ object: JSONObject, _ state: inout NodeState) throws(JSONLDError) {
        let outerNests = state.nests
        state.nests = []
        for member in object.members where member.key != "@context" {
            // 13.2, 13.3
            guard let name = try expandName(member.key, state.context) else { continue }
            let isKeyword = JSONLDKeyword.isKeyword(name)
            guard isKeyword || name.utf8.contains(UInt8(ascii: ":")) else { continue }
            path.append(member.key)
            if isKeyword {
                try expandKeyword(name, member.key, member.value, &state)
            } else {
                try expandProperty(name, member.key, member.value, &state)
            }
            path.removeLast()
        }
        // 14
        let nests = state.nests
        for key in nests { try expandNest(key, object[key] ?? .null, &state) }
        state.nests = outerNests
    }

    /// 14.1, 14.2
    private func expandNest(_ key: String, _ value: JSONValue, _ state: inout NodeState) throws(JSONLDError) {
        path.append(key)
        let outer = (state.context, state.property)
        // Steps 3 and 8 with the nesting key as active property.
        if let term = state.context.term(key), term.context != nil {
            state.context = try scopedContext(
                of: term, on: state.context, overridesProtected: true, isPropagated: true)
        }
        state.property = key
        for nested in value.array ?? [value] {
            guard let object = nested.object else {
                throw failure(.invalidNestValue, "@nest holds objects, not \(nested.quotedInMessage).")
            }
            for member in object.members where try expandName(member.key, state.context) == "@value" {
                throw failure(.invalidNestValue, "@nest holds members of a node, not a value.")
            }
            try expandMembers(object, &state)
        }
        (state.context, state.property) = outer
        path.removeLast()
    }
}
