// Reads items directly from JSON-LD scripts: fast for plain schema.org documents, for which expansion gives the same items, and
// tolerant for documents that expansion cannot read (unavailable contexts, errors).

/// Walks the documents of a page.
struct JSONLDWalk {
    private let start: JSONLDTerms

    init(base: String) {
        start = JSONLDTerms(base: base)
    }

    func read(_ document: JSONValue, into items: inout JSONLDItems) {
        for value in document.array ?? [document] { readTopLevel(value, start, &items) }
    }

    // MARK: Nodes

    private func readTopLevel(_ value: JSONValue, _ terms: JSONLDTerms, _ items: inout JSONLDItems) {
        switch value.content {
        case .array(let elements):
            for element in elements { readTopLevel(element, terms, &items) }
        case .object(let object):
            let inner = extended(terms, by: object)
            let isOnlyGraph = object.members.allSatisfy {
                let keyword = inner.keyword(for: $0.key)
                return keyword == "@graph" || keyword == "@context" || keyword == "@id" || $0.value.isNull
            }
            if isOnlyGraph {
                if let graph = inner.value(of: "@graph", in: object) { readTopLevel(graph, inner, &items) }
            } else {
                _ = node(object, inner, isTopLevel: true, &items)
            }
        default: break
        }
    }

    private func extended(_ terms: JSONLDTerms, by object: JSONObject) -> JSONLDTerms {
        if let context = object["@context"] { return terms.adding(context) }
        for member in object.members where member.key.utf8.first == UInt8(ascii: "@") {
            if member.key.lowercased() == "@context" { return terms.adding(member.value) }
        }
        return terms
    }

    /// The item of a node object. Nil if the limit is reached.
    private func node(
        _ object: JSONObject, _ terms: JSONLDTerms, isTopLevel: Bool, _ items: inout JSONLDItems
    ) -> JSONLDItems.Node? {
        let id = terms.value(of: "@id", in: object)?.string.flatMap(terms.identifier)
        guard let node = items.node(id: id, isTopLevel: isTopLevel) else { return nil }
        var content = JSONLDItems.Content()
        readMembers(of: object, terms, item: node.index, into: &content, &items)
        items.add(content, to: node.index)
        if isTopLevel { _ = items.removeIfSilent(node) }
        return node
    }

    private func readMembers(
        of object: JSONObject, _ terms: JSONLDTerms, item: Int, into content: inout JSONLDItems.Content,
        _ items: inout JSONLDItems
    ) {
        for member in object.members {
            if let keyword = terms.keyword(for: member.key) {
                if member.key.utf8.first == UInt8(ascii: "@") && member.key != keyword {
                    items.note(
                        .jsonLD(.keywordCase), "\"\(member.key)\" is written \"\(keyword)\".", at: member.keyOffset)
                }
                readKeyword(keyword, member.value, terms, item: item, into: &content, &items)
                continue
            }
            let definition = terms.definition(of: member.key)
            // A key that the context maps to null is ignored.
            if let definition, definition.iri == nil { continue }
            let name = terms.name(for: member.key)
            if definition?.isReverse == true {
                readReverse(name, member.value, terms, item: item, &items)
            } else {
                readValue(
                    member.value, ValueContext(name: name, definition: definition, terms: terms), into: &content, &items
                )
            }
        }
    }

    private func readKeyword(
        _ keyword: String, _ value: JSONValue, _ terms: JSONLDTerms, item: Int, into content: inout JSONLDItems.Content,
        _ items: inout JSONLDItems
    ) {
        switch keyword {
        case "@type":
            // No real node has more types; without a limit, joining nodes would be quadratic.
            for case .string(let type) in (value.array ?? [value]).prefix(100).lazy.map(\.content) where !type.isEmpty {
                let type = type.trimmingHTMLSpace()
                if !type.isEmpty, !JSONLDKeyword.hasForm(type) { content.types.append(terms.name(for: type)) }
            }
        case "@graph", "@included": readTopLevel(value, terms, &items)
        case "@nest":
            for case .object(let nested) in (value.array ?? [value]).lazy.map(\.content) {
                readMembers(of: nested, terms, item: item, into: &content, &items)
            }
        case "@reverse":
            for member in value.object?.members ?? [] {
                readReverse(terms.name(for: member.key), member.value, terms, item: item, &items)
            }
        default: break
        }
    }

    /// Nodes that have this item as a value.
    private func readReverse(
        _ name: String, _ value: JSONValue, _ terms: JSONLDTerms, item: Int, _ items: inout JSONLDItems
    ) {
        for case .object(let object) in (value.array ?? [value]).lazy.map(\.content) {
            let inner = extended(terms, by: object)
            guard let subject = node(object, inner, isTopLevel: false, &items) else { return }
            items.addReverse(name, of: item, to: subject.index)
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

        /// The language of texts; schema.org's dates have none.
        var language: String? {
            guard let language = definition?.language else {
                guard let language = terms.language else { return nil }
                return terms.isSchemaOrg && SchemaOrgVocabulary.dateTerms.contains(name) ? nil : language
            }
            return language.isEmpty ? nil : language
        }
    }

    private func readValue(
        _ value: JSONValue, _ context: ValueContext, into content: inout JSONLDItems.Content,
        _ items: inout JSONLDItems
    ) {
        switch value.content {
        case .null: break
        case .string(let text):
            if context.isAddress {
                readAddress(text, context, into: &content)
            } else {
                content.append(context.name, .text(text, language: context.language))
            }
        case .number(let text): content.append(context.name, .text(text, language: nil))
        case .bool(let flag): content.append(context.name, .text(flag ? "true" : "false", language: nil))
        case .array(let elements):
            for element in elements { readValue(element, context, into: &content, &items) }
        case .object(let object): readObject(object, context, into: &content, &items)
        }
    }

    /// Reads an address. An empty one comes from a template and is ignored; `@name` is an account, not an address.
    private func readAddress(_ text: String, _ context: ValueContext, into content: inout JSONLDItems.Content) {
        if let address = context.terms.address(text) {
            if !text.trimmingHTMLSpace().isEmpty { content.append(context.name, reference: address) }
        } else {
            content.append(context.name, .text(text, language: nil))
        }
    }

    private func readObject(
        _ object: JSONObject, _ context: ValueContext, into content: inout JSONLDItems.Content,
        _ items: inout JSONLDItems
    ) {
        let terms = extended(context.terms, by: object)
        if let literal = terms.value(of: "@value", in: object) {
            readLiteral(literal, object, context, into: &content)
        } else if let list = terms.value(of: "@list", in: object) ?? terms.value(of: "@set", in: object) {
            readValue(list, context, into: &content, &items)
        } else if let container = context.definition?.container, container != .none {
            readMap(object, container, context, into: &content, &items)
        } else if object.count == 1, let id = terms.value(of: "@id", in: object)?.string {
            if let id = terms.identifier(id) { content.append(context.name, reference: id) }
        } else if let node = node(object, terms, isTopLevel: false, &items) {
            items.append(node, as: context.name, to: &content)
        }
    }

    private func readLiteral(
        _ literal: JSONValue, _ object: JSONObject, _ context: ValueContext, into content: inout JSONLDItems.Content
    ) {
        guard let text = literal.literalText else { return }
        let language = context.terms.value(of: "@language", in: object)?.string
        content.append(context.name, .text(text, language: language))
    }

    /// JSON-LD 1.1 §4.6: objects whose keys are languages, indexes or identifiers instead of properties.
    private func readMap(
        _ map: JSONObject, _ container: JSONLDTerms.Definition.Container, _ context: ValueContext,
        into content: inout JSONLDItems.Content, _ items: inout JSONLDItems
    ) {
        for member in map.members {
            switch container {
            case .language:
                for case .string(let text) in (member.value.array ?? [member.value]).lazy.map(\.content) {
                    let language = member.key == "@none" ? nil : member.key
                    content.append(context.name, .text(text, language: language))
                }
            case .id:
                guard case .object(var object) = member.value.content else { continue }
                if object["@id"] == nil && member.key != "@none" { object["@id"] = .string(member.key) }
                if let node = node(object, extended(context.terms, by: object), isTopLevel: false, &items) {
                    items.append(node, as: context.name, to: &content)
                }
            case .index, .none:
                var plain = context.definition
                plain?.container = .none
                readValue(
                    member.value, ValueContext(name: context.name, definition: plain, terms: context.terms),
                    into: &content, &items)
            }
        }
    }
}

extension JSONValue {
    /// A literal as text, JSON as JSON; nil for null.
    var literalText: String? {
        switch content {
        case .string(let text), .number(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .null: nil
        case .array, .object: text()
        }
    }
}
