/// Finds the values that a JSONPath query means, in a bounded number of steps.
struct JSONPathEvaluation {
    private let document: JSONValue
    /// Values that may still be looked at. Below 0, the search has ended early.
    private(set) var steps: Int
    /// Expressions that came from the document, as filters ask for the same one many times.
    private var expressions: [String: RegularExpression?] = [:]

    private static let maximumExpressions = 16

    init(_ document: JSONValue, steps: Int) {
        self.document = document
        self.steps = steps
    }

    var isExhausted: Bool { steps < 0 }

    mutating func nodes(of segments: [JSONPath.Segment], from start: JSONValue) -> [JSONValue] {
        var nodes = [start]
        for segment in segments {
            var found: [JSONValue] = []
            for node in nodes {
                if segment.isDescendant {
                    selectInside(node, segment, &found)
                } else {
                    select(segment, of: node, &found)
                }
                if isExhausted { break }
            }
            nodes = found
        }
        return nodes
    }

    /// RFC 9535 §2.5.2: of the value and all inside of it, each before what it has.
    private mutating func selectInside(_ node: JSONValue, _ segment: JSONPath.Segment, _ found: inout [JSONValue]) {
        var pending = [node]
        while let node = pending.popLast(), !isExhausted {
            steps -= 1
            select(segment, of: node, &found)
            switch node.content {
            case .array(let elements): pending += elements.reversed()
            case .object(let object): pending += object.members.reversed().map(\.value)
            case .null, .bool, .number, .string: break
            }
        }
    }

    private mutating func select(_ segment: JSONPath.Segment, of node: JSONValue, _ found: inout [JSONValue]) {
        for selector in segment.selectors where !isExhausted {
            let count = found.count
            switch selector {
            case .name(let name):
                // Keys are equal if their characters are, and not only if they look the same.
                if let member = node.object?.member(name), member.key.utf8.elementsEqual(name.utf8) {
                    found.append(member.value)
                }
            case .wildcard: found += Self.children(of: node)
            case .index(let index):
                if let elements = node.array {
                    let place = index < 0 ? elements.count + index : index
                    if elements.indices.contains(place) { found.append(elements[place]) }
                }
            case .slice(let start, let end, let step): found += Self.slice(node.array ?? [], start, end, step)
            case .filter(let condition):
                for child in Self.children(of: node) where holds(condition, of: child) { found.append(child) }
            }
            steps -= 1 + found.count - count
        }
    }

    private static func children(of node: JSONValue) -> [JSONValue] {
        switch node.content {
        case .array(let elements): elements
        case .object(let object): object.members.map(\.value)
        case .null, .bool, .number, .string: []
        }
    }

    /// RFC 9535 §2.3.4.2.2.
    private static func slice(_ elements: [JSONValue], _ start: Int?, _ end: Int?, _ step: Int) -> [JSONValue] {
        let count = elements.count
        guard step != 0, count > 0 else { return [] }
        func place(_ index: Int) -> Int { index >= 0 ? index : count + index }
        if step > 0 {
            let lower = min(max(place(start ?? 0), 0), count)
            let upper = min(max(place(end ?? count), 0), count)
            return stride(from: lower, to: upper, by: step).map { elements[$0] }
        }
        let upper = min(max(start.map(place) ?? count - 1, -1), count - 1)
        let lower = min(max(end.map(place) ?? -1, -1), count - 1)
        return stride(from: upper, to: lower, by: step).map { elements[$0] }
    }

    // MARK: Filters

    private mutating func holds(_ condition: JSONPath.Condition, of node: JSONValue) -> Bool {
        steps -= 1
        // Half of a search may find what the whole does not.
        return !isExhausted && decides(condition, of: node) && !isExhausted
    }

    private mutating func decides(_ condition: JSONPath.Condition, of node: JSONValue) -> Bool {
        switch condition {
        case .any(let parts):
            for part in parts where holds(part, of: node) { return true }
            return false
        case .all(let parts):
            for part in parts where !holds(part, of: node) { return false }
            return true
        case .not(let inner): return !holds(inner, of: node)
        case .exists(let query): return !nodes(of: query, from: node).isEmpty
        case .comparison(let left, let comparison, let right):
            return compare(value(of: left, node), comparison, value(of: right, node))
        case .matches(let operand, let pattern, let whole):
            guard let text = value(of: operand, node)?.string else { return false }
            let expression: RegularExpression?
            switch pattern {
            case .written(let written): expression = written
            case .from(let operand): expression = value(of: operand, node)?.string.flatMap { self.expression($0) }
            }
            return expression?.isFound(in: text, whole: whole, steps: &steps) ?? false
        }
    }

    private mutating func nodes(of query: JSONPath.InnerQuery, from node: JSONValue) -> [JSONValue] {
        nodes(of: query.segments, from: query.isAbsolute ? document : node)
    }

    private mutating func expression(_ text: String) -> RegularExpression? {
        guard text.utf8.count <= RegularExpression.maximumLength else { return nil }
        steps -= text.utf8.count / 16
        if let known = expressions[text] { return known }
        steps -= 100 + 10 * text.utf8.count
        let expression = try? RegularExpression(text, .interoperable)
        if expressions.count < Self.maximumExpressions { expressions[text] = .some(expression) }
        return expression
    }

    /// The value of an operand; nil for Nothing (RFC 9535 §2.4.1).
    private mutating func value(of operand: JSONPath.Operand, _ node: JSONValue) -> JSONValue? {
        switch operand {
        case .literal(let value): return value
        case .query(let query): return nodes(of: query, from: node).first
        case .length(let operand):
            switch value(of: operand, node)?.content {
            case .string(let text):
                steps -= text.utf8.count / 8
                return .integer(text.unicodeScalars.count)
            case .array(let elements): return .integer(elements.count)
            case .object(let object): return .integer(object.count)
            case .null, .bool, .number, .none: return .none
            }
        case .count(let query): return .integer(nodes(of: query, from: node).count)
        case .value(let query):
            let found = nodes(of: query, from: node)
            // `nil` could also be JSON's null.
            return found.count == 1 ? Optional(found[0]) : .none
        }
    }

    /// RFC 9535 §2.3.5.2.2.
    private mutating func compare(_ a: JSONValue?, _ comparison: JSONPath.Comparison, _ b: JSONValue?) -> Bool {
        switch comparison {
        case .equal: equal(a, b)
        case .notEqual: !equal(a, b)
        case .less: less(a, b)
        case .greater: less(b, a)
        case .lessOrEqual: less(a, b) || equal(a, b)
        case .greaterOrEqual: less(b, a) || equal(a, b)
        }
    }

    private mutating func equal(_ a: JSONValue?, _ b: JSONValue?) -> Bool {
        steps -= 1
        guard !isExhausted else { return false }
        switch (a?.content, b?.content) {
        case (.none, .none): return true
        case (.null, .null): return true
        case (.bool(let a), .bool(let b)): return a == b
        case (.number, .number):
            if let a = a?.integer, let b = b?.integer { return a == b }
            return a?.double == b?.double
        case (.string(let a), .string(let b)):
            steps -= min(a.utf8.count, b.utf8.count) / 64
            return a.utf8.count == b.utf8.count && a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)):
            guard a.count == b.count else { return false }
            for (a, b) in zip(a, b) where !equal(a, b) { return false }
            return true
        case (.object(let a), .object(let b)):
            guard a.count == b.count else { return false }
            for member in a.members {
                guard let other = b.member(member.key), other.key.utf8.elementsEqual(member.key.utf8),
                    equal(member.value, other.value)
                else { return false }
            }
            return true
        default: return false
        }
    }

    private mutating func less(_ a: JSONValue?, _ b: JSONValue?) -> Bool {
        switch (a?.content, b?.content) {
        case (.number, .number):
            if let a = a?.integer, let b = b?.integer { return a < b }
            guard let a = a?.double, let b = b?.double else { return false }
            return a < b
        case (.string(let a), .string(let b)):
            steps -= min(a.utf8.count, b.utf8.count) / 64
            // The order of UTF-8 is that of the characters' numbers.
            return a.utf8.lexicographicallyPrecedes(b.utf8)
        default: return false
        }
    }
}
