// The JSON form of microdata (WHATWG HTML §5.5.2).

extension Microdata {
    /// `{"items":[…]}`, texts as they stand in the page.
    public var json: JSONValue {
        jsonWithNotes.json
    }

    /// The JSON form, with a note for every limit that cut it.
    public var jsonWithNotes: (json: JSONValue, notes: [ParseNote]) {
        guard hasMarkup else { return (["items": []], []) }
        let found = MicrodataItems(document, lenient: false, limits: limits)
        var form = MicrodataJSON(microdata: self, found: found)
        let items = found.items.indices.filter { found.items[$0].isTopLevel }.map { form.item($0) }
        return (["items": .array(items)], form.notes)
    }
}

private struct MicrodataJSON {
    let microdata: Microdata
    let found: MicrodataItems
    private var isOnPath: [Bool]
    private var depth = 0
    private var texts: TextBudget
    /// Values still to be written. An item that is the value of several properties is written for each of them, so that a
    /// short page can make a JSON form of any length.
    private var remainingValues: Int
    private var limitReached: String?

    /// Readers of JSON give up between 500 and 1000 levels, and an item takes three.
    private static let maximumNesting = 128

    init(microdata: Microdata, found: MicrodataItems) {
        self.microdata = microdata
        self.found = found
        isOnPath = Array(repeating: false, count: found.items.count)
        texts = TextBudget(microdata.document, microdata.limits)
        remainingValues = microdata.limits.maximumJSONValues
    }

    var notes: [ParseNote] {
        var notes: [ParseNote] = []
        if remainingValues <= 0 {
            notes.append(
                ParseNote(
                    .microdata(.tooLarge),
                    "The JSON form has more than \(microdata.limits.maximumJSONValues) values; the rest was left out."))
        }
        if let limitReached { notes.append(ParseNote(.microdata(.tooLarge), limitReached)) }
        if texts.isExhausted { notes.append(texts.note(.microdata(.textsTooLong))) }
        return notes
    }

    mutating func item(_ index: Int) -> JSONValue {
        let item = found.items[index]
        isOnPath[index] = true
        depth += 1
        defer {
            isOnPath[index] = false
            depth -= 1
        }
        var names: [String] = []
        var values: [[JSONValue]] = []
        var places: [String: Int] = [:]
        for property in item.properties where property.isForward && remainingValues > 0 {
            for name in microdata.tokens(of: .itemprop, on: property.element) {
                guard remainingValues > 0 else { break }
                remainingValues -= 1
                let value = value(of: property)
                if let place = places[name] {
                    values[place].append(value)
                } else {
                    places[name] = names.count
                    names.append(name)
                    values.append([value])
                }
            }
        }
        var properties = JSONObject()
        for (name, values) in zip(names, values) { properties.set(name, .array(values)) }
        var object = JSONObject()
        let types = microdata.tokens(of: .itemtype, on: item.element)
        if !types.isEmpty { object.set("type", .array(types.map { .string($0) })) }
        if let id = microdata.identifier(of: item.element) { object.set("id", .string(id)) }
        object.set("properties", .object(properties))
        return .object(object)
    }

    private mutating func value(of property: MicrodataItems.Property) -> JSONValue {
        if let item = property.item {
            // The standard's word for an item that is met again inside itself.
            if isOnPath[item] { return "ERROR" }
            if depth >= Self.maximumNesting {
                limitReached = "Items nest deeper than \(Self.maximumNesting)."
                return "ERROR"
            }
            return self.item(item)
        }
        switch microdata.value(of: property.element) {
        case .text(let text), .url(let text): return .string(text)
        case .content:
            let text = microdata.document.textBytes(of: property.element)
            return .string(texts.takeText(of: property.element) ? String(decoding: text, as: UTF8.self) : "")
        }
    }
}
