/// Reads expanded JSON-LD as items: the same items that the walk finds in a plain document.
struct JSONLDExpandedItems {
    func read(_ expanded: [JSONValue], into items: inout JSONLDItems) {
        for value in expanded { readTopLevel(value, &items) }
    }

    private func readTopLevel(_ value: JSONValue, _ items: inout JSONLDItems) {
        guard case .object(let object) = value.content else { return }
        if let graph = object["@graph"], object.members.allSatisfy({ $0.key == "@graph" || $0.key == "@id" }) {
            for element in Optional(graph).elements { readTopLevel(element, &items) }
        } else if object.count > 1 || object["@id"] == nil {
            _ = node(object, isTopLevel: true, &items)
        }
    }

    /// Nil if the limit of items is reached.
    private func node(_ object: JSONObject, isTopLevel: Bool, _ items: inout JSONLDItems) -> JSONLDItems.Node? {
        guard let node = items.node(id: object["@id"]?.string, isTopLevel: isTopLevel) else { return nil }
        var content = JSONLDItems.Content()
        for member in object.members {
            switch member.key {
            case "@type":
                for case .string(let type) in Optional(member.value).elements.prefix(100).lazy.map(\.content) {
                    let name = SchemaOrgVocabulary.itemName(of: type)
                    if name != SchemaOrgVocabulary.address, !JSONLDKeyword.hasForm(name) { content.types.append(name) }
                }
            case "@graph", "@included":
                for element in Optional(member.value).elements { readTopLevel(element, &items) }
            case "@reverse":
                for property in member.value.object?.members ?? [] {
                    for case .object(let object) in Optional(property.value).elements.lazy.map(\.content) {
                        guard let subject = self.node(object, isTopLevel: false, &items) else { break }
                        items.addReverse(
                            SchemaOrgVocabulary.itemName(of: property.key), of: node.index, to: subject.index)
                    }
                }
            case _ where member.key.utf8.first == UInt8(ascii: "@"): continue
            default:
                let name = SchemaOrgVocabulary.itemName(of: member.key)
                for value in Optional(member.value).elements { read(value, name, into: &content, &items) }
            }
        }
        items.add(content, to: node.index)
        if isTopLevel { _ = items.removeIfSilent(node) }
        return node
    }

    private func read(
        _ value: JSONValue, _ name: String, into content: inout JSONLDItems.Content, _ items: inout JSONLDItems
    ) {
        guard case .object(let object) = value.content else { return }
        if let literal = object["@value"] {
            guard let text = literal.literalText else { return }
            content.append(name, .text(text, language: object["@language"]?.string))
        } else if let list = object["@list"] {
            for element in Optional(list).elements { read(element, name, into: &content, &items) }
        } else if object.count == 1, let id = object["@id"] {
            if let id = id.string { content.append(name, reference: id) }
        } else if let node = node(object, isTopLevel: false, &items) {
            items.append(node, as: name, to: &content)
        }
    }
}
