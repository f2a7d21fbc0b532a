/// Collects the items of all JSON-LD scripts of a page.
struct JSONLDItems {
    private(set) var items: [StructuredItem] = []
    private var indexByID: [String: Int] = [:]
    /// Values that refer to a node by `@id`. They are resolved at the end because the node may come later.
    private var references: [(item: Int, property: Int, key: String)] = []
    private(set) var notes: BoundedNotes
    let limits: ReadingLimits
    /// The current script.
    private var script: JSONLDScriptText?
    private var scriptNumber = 0
    /// The codes of the script's notes.
    private var noted: Set<ParseNote.Code> = []

    init(limits: ReadingLimits) {
        self.limits = limits
        notes = BoundedNotes(maximum: limits.maximumNotes)
    }

    mutating func begin(_ script: JSONLDScriptText) {
        self.script = script
        scriptNumber += 1
        noted = []
    }

    /// Turns references to known nodes into links between items.
    mutating func finish() -> StructuredData {
        for reference in references {
            guard let target = indexByID[reference.key] else { continue }
            items[reference.item].properties[reference.property].value = .item(target)
        }
        return StructuredData(items: items)
    }

    /// The key of a node; blank node identifiers belong to one script.
    private func key(of id: String) -> String {
        id.hasPrefix("_:") ? "\(id) \(scriptNumber)" : id
    }

    // MARK: Nodes

    /// The content of one node object.
    struct Content {
        var types: [String] = []
        var properties: [StructuredItem.Property] = []
        /// Indices in `properties` of values that refer to a node by `@id`.
        var references: [(property: Int, id: String)] = []

        mutating func append(_ name: String, _ value: StructuredItem.Value) {
            properties.append(StructuredItem.Property(name: name, value: value))
        }

        /// Adds an identifier. It becomes a link if the page has that node and the property is about nodes.
        mutating func append(_ name: String, reference id: String) {
            if !SchemaOrgVocabulary.plainAddressTerms.contains(name) { references.append((properties.count, id)) }
            append(name, .url(id))
        }
    }

    /// The item of a node, and whether the node is its first.
    struct Node {
        let index: Int
        let isNew: Bool
    }

    /// The item of a node; nodes with the same `@id` are one item. Nil if the limit is reached.
    ///
    /// - Parameter offset: offset of the node's object in the script; 0 if it is not known.
    mutating func node(id: String?, isTopLevel: Bool, offset: Int) -> Node? {
        let key = id.map(key(of:))
        if let key, let known = indexByID[key] {
            if isTopLevel { items[known].isTopLevel = true }
            return Node(index: known, isNew: false)
        }
        guard items.count < limits.maximumItems, !limits.isInterrupted else {
            note(
                .jsonLD(.tooManyItems),
                "The page has more than \(limits.maximumItems) JSON-LD nodes; the rest was not read.")
            return nil
        }
        items.append(
            StructuredItem(
                syntax: .jsonLD, id: id, isTopLevel: isTopLevel,
                place: script.flatMap { $0.quickPlace(at: offset) ?? $0.element }))
        if let key { indexByID[key] = items.count - 1 }
        return Node(index: items.count - 1, isNew: true)
    }

    mutating func add(_ content: Content, to index: Int) {
        for type in content.types where items[index].types.count < 100 && !items[index].types.contains(type) {
            items[index].types.append(type)
        }
        let offset = items[index].properties.count
        items[index].properties += content.properties
        for reference in content.references {
            references.append((index, offset + reference.property, key(of: reference.id)))
        }
    }

    /// Adds a reverse property: `subject` has `item` as a value.
    mutating func addReverse(_ name: String, of item: Int, to subject: Int) {
        items[subject].properties.append(StructuredItem.Property(name: name, value: .item(item)))
    }

    /// Removes the item of a node if it is new and has no types or properties. Returns whether it was removed.
    mutating func removeIfSilent(_ node: Node) -> Bool {
        guard node.isNew, node.index == items.count - 1, items[node.index].types.isEmpty,
            items[node.index].properties.isEmpty
        else { return false }
        if let id = items[node.index].id { indexByID[key(of: id)] = nil }
        items.removeLast()
        return true
    }

    /// Adds a node as a value. A node with only an `@id` becomes a reference.
    mutating func append(_ node: Node, as name: String, to content: inout Content) {
        if let id = items[node.index].id, removeIfSilent(node) {
            content.append(name, reference: id)
        } else {
            content.append(name, .item(node.index))
        }
    }

    // MARK: Notes

    /// Adds a note, once per code and script: the same mistake repeats in every node.
    ///
    /// - Parameter offset: offset of the key or string.
    mutating func note(_ code: ParseNote.Code, _ message: String, at offset: Int? = nil, once: Bool = true) {
        guard noted.insert(code).inserted || !once else { return }
        let place = offset.flatMap { script?.place(at: $0) } ?? script?.element.lineAndColumn
        notes.add(code, message, line: place?.line, column: place?.column)
    }
}

/// The text of a script and its start in the page.
struct JSONLDScriptText {
    let text: ArraySlice<UInt8>
    /// The start of the `script` element, and the end of its start tag. The text begins one column to the right of that.
    let element: SourcePlace
    let start: SourcePlace
    /// The page and the offset of the text in it, if the text stands there as it was read.
    let source: (page: SourceLines, offset: Int)?
    /// How the text was read.
    let reading: Reading

    enum Reading {
        case asWritten
        /// After decoding its character references.
        case decoded(CharacterReferences.Decoded)
        /// A string of the script that contains JSON. Its escapes make places in it unknown.
        case inString
    }

    /// A place of the page.
    ///
    /// - Parameter offset: offset in the text that was read.
    func place(at offset: Int) -> (line: Int, column: Int)? {
        let written: Int
        switch reading {
        case .asWritten: written = offset
        case .decoded(let decoded): written = decoded.writtenOffset(of: offset)
        case .inString: return nil
        }
        if let source { return source.page.place(at: source.offset + written) }
        var lines = LineCounter()
        let found = text.withUnsafeBufferPointer { lines.place(of: written, in: $0) }
        let start = start.lineAndColumn
        return (start.line + found.line - 1, found.line == 1 ? start.column + found.column : found.column)
    }

    /// A place of the page, where it can be had without counting from the beginning of the script. Every node has one, and a
    /// script has many nodes.
    func quickPlace(at offset: Int) -> SourcePlace? {
        guard offset > 0 || text.first == UInt8(ascii: "{"), case .asWritten = reading, let source else { return nil }
        return SourcePlace(lines: source.page, offset: UInt32(clamping: source.offset + offset))
    }

    /// The offset in the text of a place of the page; nil if it is not in the text, or not known.
    func offset(of place: (line: Int, column: Int)) -> Int? {
        guard case .asWritten = reading, let source,
            let offset = source.page.offset(line: place.line, column: place.column),
            offset >= source.offset, offset - source.offset < text.count
        else { return nil }
        return offset - source.offset
    }
}

/// Turns expanded JSON-LD into items.
struct JSONLDExpandedItems {
    func read(_ expanded: [JSONValue], into items: inout JSONLDItems) {
        for value in expanded { readTopLevel(value, &items) }
    }

    private func readTopLevel(_ value: JSONValue, _ items: inout JSONLDItems) {
        guard case .object(let object) = value.content else { return }
        if let graph = object["@graph"], object.members.allSatisfy({ $0.key == "@graph" || $0.key == "@id" }) {
            for element in Optional(graph).elements { readTopLevel(element, &items) }
        } else if object.count > 1 || object["@id"] == nil {
            _ = node(object, at: value.offset, isTopLevel: true, &items)
        }
    }

    /// Nil if the limit of items is reached.
    private func node(
        _ object: JSONObject, at offset: Int, isTopLevel: Bool, _ items: inout JSONLDItems
    ) -> JSONLDItems.Node? {
        guard let node = items.node(id: object["@id"]?.string, isTopLevel: isTopLevel, offset: offset) else {
            return nil
        }
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
                    for value in Optional(property.value).elements {
                        guard let object = value.object else { continue }
                        guard let subject = self.node(object, at: value.offset, isTopLevel: false, &items) else {
                            break
                        }
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
            if case .number(let number) = literal.content {
                content.append(name, .number(number))
            } else if let text = literal.literalText {
                let isNumber = object["@type"]?.string.map { XSDLexical.isNumber(text, datatype: $0) } ?? false
                content.append(
                    name, isNumber ? .number(text) : .text(text, language: object["@language"]?.string))
            }
        } else if let list = object["@list"] {
            for element in Optional(list).elements { read(element, name, into: &content, &items) }
        } else if object.count == 1, let id = object["@id"] {
            if let id = id.string { content.append(name, reference: id) }
        } else if let node = node(object, at: value.offset, isTopLevel: false, &items) {
            items.append(node, as: name, to: &content)
        }
    }
}

extension JSONValue {
    /// The text of a literal; JSON literals as JSON text. Nil for null.
    var literalText: String? {
        switch content {
        case .string(let text), .number(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .null: nil
        case .array, .object: text()
        }
    }
}
