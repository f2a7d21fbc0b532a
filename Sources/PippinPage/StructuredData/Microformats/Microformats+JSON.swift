// The canonical JSON of microformats2 (microformats2 parsing, "parse a document for microformats").

extension Microformats {
    /// `{"items":[…],"rels":{…},"rel-urls":{…}}`.
    public var json: JSONValue { jsonWithNotes.json }

    /// The JSON form, with a note for every limit that was reached.
    public var jsonWithNotes: (json: JSONValue, notes: [ParseNote]) {
        var form = MicroformatsJSON(self)
        let items = items.indices.filter { self.items[$0].isTopLevel }.map { form.item($0) }
        let (relations, addresses) = form.relations()
        return (
            ["items": .array(items), "rels": .object(relations), "rel-urls": .object(addresses)], form.notes
        )
    }
}

private struct MicroformatsJSON {
    private let microformats: Microformats
    private let document: HTMLDocument
    private var values: MicroformatsValues
    /// The remaining number of values; one in many items counts as many, because its lines are indented as often. An item that is
    /// the value of several properties is written for each of them.
    private var remainingValues: Int
    private var depth = 0
    private var isTooDeep = false

    /// The limit of nested items. JSON readers stop at 500 to 1000 levels, and an item takes four.
    private static let maximumNesting = 100

    init(_ microformats: Microformats) {
        self.microformats = microformats
        document = microformats.document
        values = MicroformatsValues(microformats)
        remainingValues = microformats.limits.maximumJSONValues
    }

    var notes: [ParseNote] {
        var notes: [ParseNote] = []
        if remainingValues <= 0 {
            notes.append(
                ParseNote(
                    .microformats(.tooLarge),
                    "The JSON form has more than \(microformats.limits.maximumJSONValues) values; the rest was left out."
                ))
        }
        if isTooDeep {
            notes.append(
                ParseNote(.microformats(.tooLarge), "Items nest deeper than \(Self.maximumNesting)."))
        }
        if values.texts.isExhausted { notes.append(values.texts.note(.microformats(.textsTooLong))) }
        return notes
    }

    // MARK: Items

    mutating func item(_ index: Int) -> JSONValue { .object(object(index).object) }

    /// An item, and the values that may stand for it: of `name` and `url`, if it states them.
    private mutating func object(_ index: Int) -> (object: JSONObject, name: JSONValue?, url: JSONValue?) {
        let item = microformats.items[index]
        depth += 1
        defer { depth -= 1 }
        var names: [String] = []
        var lists: [[JSONValue]] = []
        var places: [String: Int] = [:]
        var stated: [String: JSONValue] = [:]
        var day: String?
        for property in item.properties {
            guard remainingValues > 0 else { break }
            remainingValues -= depth
            guard let value = value(of: property, &day) else { continue }
            let name = property.name
            if stated[name] == nil, property.kind != .impliedName, property.kind != .impliedURL {
                stated[name] = value
            }
            if let place = places[name] {
                lists[place].append(value)
            } else {
                places[name] = names.count
                names.append(name)
                lists.append([value])
            }
        }
        var properties = JSONObject()
        for (name, list) in zip(names, lists) { properties.set(name, .array(list)) }
        var object = JSONObject()
        object.set("type", .array(item.types.map { .string($0) }))
        object.set("properties", .object(properties))
        if document.elements[item.element].name == .area {
            for (name, value) in document.attributes(of: item.element) where name == "shape" || name == "coords" {
                if values.takes(bytes: value.utf8.count) { object.set(name, .string(value)) }
            }
        }
        if let id = values.copied(.id, of: item.element), !id.isEmpty { object.set("id", .string(id)) }
        if let language = values.language(of: item.element) { object.set("lang", .string(language)) }
        let children = children(of: item)
        if !children.isEmpty { object.set("children", .array(children)) }
        return (object, stated["name"], stated["url"])
    }

    private mutating func children(of item: Microformats.Item) -> [JSONValue] {
        var children: [JSONValue] = []
        for child in item.children where remainingValues > 0 {
            guard depth < Self.maximumNesting else {
                isTooDeep = true
                break
            }
            remainingValues -= depth
            children.append(self.item(child))
        }
        return children
    }

    private mutating func value(of property: Microformats.Property, _ day: inout String?) -> JSONValue? {
        let simple = values.value(of: property, day: &day)
        guard let item = property.item else { return simple.map(Self.json) }
        guard depth < Self.maximumNesting else {
            isTooDeep = true
            return simple.map(Self.json)
        }
        let inner = self.object(item)
        var object = inner.object
        // An item stands for its name or its address, where it states one.
        let stated: JSONValue? =
            switch property.kind {
            case .text: inner.name
            case .url: inner.url
            default: nil
            }
        if let stated {
            object.set("value", stated["value"] ?? stated)
            if property.kind == .url, let alt = stated["alt"] { object.set("alt", alt) }
        } else if let simple {
            for (name, value) in Self.members(of: simple) { object.set(name, value) }
        }
        return .object(object)
    }

    private static func json(_ value: MicroformatsValues.Value) -> JSONValue {
        if case .text(let text) = value { return .string(text) }
        var object = JSONObject()
        for (name, value) in members(of: value) { object.set(name, value) }
        return .object(object)
    }

    private static func members(of value: MicroformatsValues.Value) -> [(String, JSONValue)] {
        switch value {
        case .text(let text): [("value", .string(text))]
        case .photo(let url, let alt): [("value", .string(url)), ("alt", .string(alt))]
        case .markup(let html, let text, let language):
            [("html", .string(html)), ("value", .string(text))]
                + (language.map { [("lang", JSONValue.string($0))] } ?? [])
        }
    }

    // MARK: Relations

    /// The links with `rel`, by its words and by their addresses ("parse a hyperlink element for rel microformats").
    mutating func relations() -> (relations: JSONObject, addresses: JSONObject) {
        struct Link {
            var words: Set<String> = []
            var members = JSONObject()
        }
        var order: [String] = []
        var links: [String: Link] = [:]
        var words: [String] = []
        var addresses: [String: (list: [JSONValue], seen: Set<String>)] = [:]
        let elements = [HTMLName.a, .area, .link].flatMap { document.elements(named: $0) }
            .filter { document.has(.rel, on: $0) && document.has(.href, on: $0) }.sorted()
        for element in elements where remainingValues > 0 && !microformats.limits.isInterrupted {
            guard let rel = document.bytes(of: .rel, on: element)?.splitOnHTMLSpace(), !rel.isEmpty,
                let url = values.href(of: element)
            else { continue }
            let isFirst = links[url] == nil
            if isFirst { order.append(url) }
            for token in rel.prefix(microformats.limits.maximumTokens) where remainingValues > 0 {
                remainingValues -= 1
                let word = String(decoding: token, as: UTF8.self)
                if addresses[word] == nil { words.append(word) }
                if addresses[word, default: ([], [])].seen.insert(url).inserted {
                    addresses[word]?.list.append(.string(url))
                }
                links[url, default: Link()].words.insert(word)
            }
            for name in [HTMLName.media, .hreflang, .type, .title] {
                guard let value = values.copied(name, of: element), links[url]?.members[name.spelling] == nil else {
                    continue
                }
                links[url]?.members.set(name.spelling, .string(value))
            }
            if isFirst {
                let text = values.content(of: element, images: .none)
                if !text.isEmpty { links[url]?.members.set("text", .string(text)) }
            }
        }
        var relations = JSONObject()
        for word in words { relations.set(word, .array(addresses[word]?.list ?? [])) }
        var byAddress = JSONObject()
        for url in order {
            guard let link = links[url] else { continue }
            var object = JSONObject("rels", .array(link.words.sorted().map { .string($0) }))
            for member in link.members { object.set(member.key, member.value) }
            byAddress.set(url, .object(object))
        }
        return (relations, byAddress)
    }
}
