/// The items of all JSON-LD scripts of a page while they are collected, by the walk and from expanded form alike.
struct JSONLDItems {
    private(set) var items: [StructuredItem] = []
    private var indexByID: [String: Int] = [:]
    /// Values that name a node by its `@id`; the node may come later.
    private var references: [(item: Int, property: Int, key: String)] = []
    private(set) var notes: [ParseNote] = []
    let limits: ReadingLimits
    /// The script being read.
    private var script = JSONLDScriptText()
    private var scriptNumber = 0
    /// Where the script's notes start.
    private var firstNote = 0

    init(limits: ReadingLimits) {
        self.limits = limits
    }

    mutating func begin(_ script: JSONLDScriptText) {
        self.script = script
        scriptNumber += 1
        firstNote = notes.count
    }

    /// References to nodes that were found become links between items.
    mutating func finish() -> StructuredData {
        for reference in references {
            guard let target = indexByID[reference.key] else { continue }
            items[reference.item].properties[reference.property].value = .item(target)
        }
        return StructuredData(items: items)
    }

    /// Blank node identifiers are a script's own.
    private func key(of id: String) -> String {
        id.hasPrefix("_:") ? "\(id) \(scriptNumber)" : id
    }

    // MARK: Nodes

    /// What one node object says of its item.
    struct Content {
        var types: [String] = []
        var properties: [StructuredItem.Property] = []
        /// Places in `properties` that name a node by its `@id`.
        var references: [(property: Int, id: String)] = []

        mutating func append(_ name: String, _ value: StructuredItem.Value) {
            properties.append(StructuredItem.Property(name: name, value: value))
        }

        /// An identifier: the node of that name, if the page has it and the property is about nodes.
        mutating func append(_ name: String, reference id: String) {
            if !SchemaOrgVocabulary.plainAddressTerms.contains(name) { references.append((properties.count, id)) }
            append(name, .url(id))
        }
    }

    /// Which item a node is, and whether it is the first to be.
    struct Node {
        let index: Int
        let isNew: Bool
    }

    /// The item of a node; nodes of one `@id` are one item. Nil when there are too many.
    mutating func node(id: String?, isTopLevel: Bool) -> Node? {
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
                syntax: .jsonLD, id: id, isTopLevel: isTopLevel, line: script.place.line, column: script.place.column))
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

    /// A node that has another as a value, said from the other's side.
    mutating func addReverse(_ name: String, of item: Int, to subject: Int) {
        items[subject].properties.append(StructuredItem.Property(name: name, value: .item(item)))
    }

    /// Takes back the item of a node that turned out to say nothing; whether it did.
    mutating func removeIfSilent(_ node: Node) -> Bool {
        guard node.isNew, node.index == items.count - 1, items[node.index].types.isEmpty,
            items[node.index].properties.isEmpty
        else { return false }
        if let id = items[node.index].id { indexByID[key(of: id)] = nil }
        items.removeLast()
        return true
    }

    /// A node as a value; one that says nothing but its identifier is a reference.
    mutating func append(_ node: Node, as name: String, to content: inout Content) {
        if let id = items[node.index].id, removeIfSilent(node) {
            content.append(name, reference: id)
        } else {
            content.append(name, .item(node.index))
        }
    }

    // MARK: Notes

    /// Once a code and script: the same slip is made in every node.
    ///
    /// - Parameter offset: of the key or string that the note is about; its place is behind the quote.
    mutating func note(_ code: ParseNote.Code, _ message: String, at offset: Int? = nil, once: Bool = true) {
        guard notes.count < limits.maximumNotes else { return }
        if once, notes[firstNote...].contains(where: { $0.code == code }) { return }
        let place = offset.flatMap { script.place(at: $0 + 1) } ?? script.place
        notes.append(ParseNote(code, message, line: place.line, column: place.column))
    }
}

/// The text of a script and where it starts in the page.
struct JSONLDScriptText {
    var text: ArraySlice<UInt8> = []
    var place = (line: 1, column: 1)
    /// The text that was read, where that is another one.
    var reading = Reading.asWritten

    enum Reading {
        case asWritten
        /// Its character references were decoded first.
        case decoded(CharacterReferences.Decoded)
        /// It stands in a string of the script, whose escapes hide where.
        case inString
    }

    /// A place of the page.
    ///
    /// - Parameter offset: in the text that was read.
    func place(at offset: Int) -> (line: Int, column: Int)? {
        let written: Int
        switch reading {
        case .asWritten: written = offset
        case .decoded(let decoded): written = decoded.writtenOffset(of: offset)
        case .inString: return nil
        }
        var lines = LineCounter()
        let found = text.withUnsafeBufferPointer { lines.place(of: written, in: $0) }
        return (place.line + found.line - 1, found.line == 1 ? place.column + found.column : found.column)
    }
}
