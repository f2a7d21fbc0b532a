// From JSON-LD scripts to items by a direct walk: the context in the page is honored, remote ones are never fetched.
//
// The walk reads what publishers of schema.org write. It is not the expansion algorithm of JSON-LD 1.1: contexts that
// change with a property or a type are not looked at.

/// Collects the items of all scripts of a page.
struct JSONLDWalk {
    private var items: [StructuredItem] = []
    private var indexByID: [String: Int] = [:]
    /// Values that name a node by its `@id`; the node may come later.
    private var references: [(item: Int, property: Int, id: String)] = []
    private(set) var notes: [ParseNote] = []
    private let start: JSONLDTerms
    private let limits: ReadingLimits
    private var line = 0

    init(base: String, limits: ReadingLimits) {
        start = JSONLDTerms(base: base)
        self.limits = limits
    }

    mutating func read(_ document: JSONValue, line: Int) {
        self.line = line
        for value in document.array ?? [document] {
            if let object = value.object, object["@context"] == nil, !hasContextInWrongCase(object) {
                note("json-ld-context-missing", "A JSON-LD script has no @context; it was read as schema.org's.")
            }
            readTopLevel(value, start)
        }
    }

    /// References to nodes that were found become links between items.
    mutating func finish() -> StructuredData {
        for reference in references {
            guard let target = indexByID[reference.id] else { continue }
            items[reference.item].properties[reference.property].value = .item(target)
        }
        return StructuredData(items: items)
    }

    // MARK: Nodes

    private mutating func readTopLevel(_ value: JSONValue, _ terms: JSONLDTerms) {
        switch value {
        case .array(let elements):
            for element in elements { readTopLevel(element, terms) }
        case .object(let object):
            let inner = extended(terms, by: object)
            let isOnlyGraph = object.members.allSatisfy {
                let keyword = inner.keyword(for: $0.key)
                return keyword == "@graph" || keyword == "@context" || keyword == "@id"
            }
            if isOnlyGraph {
                if let graph = inner.value(of: "@graph", in: object) { readTopLevel(graph, inner) }
            } else {
                _ = node(object, inner, isTopLevel: true)
            }
        default: break
        }
    }

    private func hasContextInWrongCase(_ object: JSONObject) -> Bool {
        object.members.contains { $0.key.utf8.first == UInt8(ascii: "@") && $0.key.lowercased() == "@context" }
    }

    private mutating func extended(_ terms: JSONLDTerms, by object: JSONObject) -> JSONLDTerms {
        if let context = object["@context"] { return terms.adding(context) }
        for member in object.members where member.key.utf8.first == UInt8(ascii: "@") {
            if member.key.lowercased() == "@context" { return terms.adding(member.value) }
        }
        return terms
    }

    /// The item of a node object; nodes of one `@id` are one item. Nil when there are too many.
    private mutating func node(_ object: JSONObject, _ terms: JSONLDTerms, isTopLevel: Bool) -> Int? {
        let id = terms.value(of: "@id", in: object)?.string.map(terms.address)
        let index: Int
        if let id, let known = indexByID[id] {
            index = known
            if isTopLevel { items[index].isTopLevel = true }
        } else {
            guard items.count < limits.maximumItems else {
                note(
                    "too-many-items",
                    "The page has more than \(limits.maximumItems) JSON-LD nodes; the rest was not read.")
                return nil
            }
            index = items.count
            items.append(StructuredItem(syntax: .jsonLD, id: id, isTopLevel: isTopLevel, line: line))
            if let id { indexByID[id] = index }
        }
        var content = NodeContent()
        readMembers(of: object, terms, item: index, into: &content)
        add(content, to: index)
        return index
    }

    /// What one node object says of its item.
    private struct NodeContent {
        var types: [String] = []
        var properties: [StructuredItem.Property] = []
        /// Places in `properties` that name a node by its `@id`.
        var references: [(property: Int, id: String)] = []
    }

    private mutating func add(_ content: NodeContent, to index: Int) {
        for type in content.types where items[index].types.count < 100 && !items[index].types.contains(type) {
            items[index].types.append(type)
        }
        let offset = items[index].properties.count
        items[index].properties += content.properties
        for reference in content.references {
            references.append((index, offset + reference.property, reference.id))
        }
    }

    private mutating func readMembers(
        of object: JSONObject, _ terms: JSONLDTerms, item: Int, into content: inout NodeContent
    ) {
        for member in object.members {
            if let keyword = terms.keyword(for: member.key) {
                if member.key.utf8.first == UInt8(ascii: "@") && member.key != keyword {
                    note("json-ld-keyword-case", "\"\(member.key)\" is written \"\(keyword)\".")
                }
                readKeyword(keyword, member.value, terms, item: item, into: &content)
                continue
            }
            let definition = terms.definition(of: member.key)
            // A key that the context maps to null is no data.
            if let definition, definition.iri == nil { continue }
            let name = terms.name(for: member.key)
            if definition?.isReverse == true {
                readReverse(name, member.value, terms, item: item)
            } else {
                readValue(member.value, ValueContext(name: name, definition: definition, terms: terms), into: &content)
            }
        }
    }

    private mutating func readKeyword(
        _ keyword: String, _ value: JSONValue, _ terms: JSONLDTerms, item: Int, into content: inout NodeContent
    ) {
        switch keyword {
        case "@type":
            // More types than any real node has would make joining nodes quadratic.
            for case .string(let type) in (value.array ?? [value]).prefix(100) where !type.isEmpty {
                content.types.append(terms.name(for: type.trimmingHTMLSpace()))
            }
        case "@graph", "@included": readTopLevel(value, terms)
        case "@nest":
            for case .object(let nested) in value.array ?? [value] {
                readMembers(of: nested, terms, item: item, into: &content)
            }
        case "@reverse":
            for member in value.object?.members ?? [] {
                readReverse(terms.name(for: member.key), member.value, terms, item: item)
            }
        default: break
        }
    }

    /// Nodes that have this item as a value.
    private mutating func readReverse(_ name: String, _ value: JSONValue, _ terms: JSONLDTerms, item: Int) {
        for case .object(let object) in value.array ?? [value] {
            let inner = extended(terms, by: object)
            guard let subject = node(object, inner, isTopLevel: false) else { return }
            items[subject].properties.append(StructuredItem.Property(name: name, value: .item(item)))
        }
    }

    // MARK: Values

    private struct ValueContext {
        let name: String
        let definition: JSONLDTerms.Definition?
        let terms: JSONLDTerms

        var isAddress: Bool {
            if let definition, definition.isAddress { return true }
            return terms.isSchemaOrg && SchemaOrgVocabulary.addressTerms.contains(name)
        }

        var language: String? {
            guard let language = definition?.language else { return terms.language }
            return language.isEmpty ? nil : language
        }
    }

    private mutating func readValue(_ value: JSONValue, _ context: ValueContext, into content: inout NodeContent) {
        func append(_ value: StructuredItem.Value) {
            content.properties.append(StructuredItem.Property(name: context.name, value: value))
        }
        switch value {
        case .null: break
        case .string(let text):
            append(context.isAddress ? .url(context.terms.address(text)) : .text(text, language: context.language))
        case .number(let text): append(.text(text, language: nil))
        case .bool(let flag): append(.text(flag ? "true" : "false", language: nil))
        case .array(let elements):
            for element in elements { readValue(element, context, into: &content) }
        case .object(let object):
            let terms = extended(context.terms, by: object)
            if let literal = terms.value(of: "@value", in: object) {
                readLiteral(literal, object, context, into: &content)
            } else if let list = terms.value(of: "@list", in: object) ?? terms.value(of: "@set", in: object) {
                readValue(list, context, into: &content)
            } else if let container = context.definition?.container, container != .none {
                readMap(object, container, context, into: &content)
            } else if let id = terms.value(of: "@id", in: object)?.string, object.count == 1 {
                let id = terms.address(id)
                content.references.append((content.properties.count, id))
                append(.url(id))
            } else if let index = node(object, terms, isTopLevel: false) {
                append(.item(index))
            }
        }
    }

    private mutating func readLiteral(
        _ literal: JSONValue, _ object: JSONObject, _ context: ValueContext, into content: inout NodeContent
    ) {
        let text: String
        switch literal {
        case .string(let string): text = string
        case .number(let number): text = number
        case .bool(let flag): text = flag ? "true" : "false"
        case .null: return
        case .array, .object: text = literal.text()
        }
        let type = context.terms.value(of: "@type", in: object)?.string
        let language = context.terms.value(of: "@language", in: object)?.string
        let isText = literal.string != nil && type == nil
        content.properties.append(
            StructuredItem.Property(
                name: context.name, value: .text(text, language: language ?? (isText ? context.language : nil))))
    }

    /// JSON-LD 1.1 §4.6: objects whose keys are languages, indexes or identifiers instead of properties.
    private mutating func readMap(
        _ map: JSONObject, _ container: JSONLDTerms.Definition.Container, _ context: ValueContext,
        into content: inout NodeContent
    ) {
        for member in map.members {
            switch container {
            case .language:
                for case .string(let text) in member.value.array ?? [member.value] {
                    let language = member.key == "@none" ? nil : member.key
                    content.properties.append(
                        StructuredItem.Property(name: context.name, value: .text(text, language: language)))
                }
            case .id:
                guard case .object(var object) = member.value else { continue }
                if object["@id"] == nil && member.key != "@none" { object["@id"] = .string(member.key) }
                if let index = node(object, extended(context.terms, by: object), isTopLevel: false) {
                    content.properties.append(StructuredItem.Property(name: context.name, value: .item(index)))
                }
            case .index, .none:
                var plain = context.definition
                plain?.container = .none
                readValue(
                    member.value, ValueContext(name: context.name, definition: plain, terms: context.terms),
                    into: &content)
            }
        }
    }

    /// Once a code and script: the same slip is made in every node.
    private mutating func note(_ code: String, _ message: String) {
        guard !notes.contains(where: { $0.code == code && $0.line == line }), notes.count < limits.maximumNotes else {
            return
        }
        notes.append(ParseNote(code, message, line: line))
    }
}
