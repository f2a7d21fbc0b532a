/// The microdata of a page (WHATWG HTML, chapter 5).
///
/// `json` is the standard's JSON form of the standard's items. `structuredData` is read leniently: it includes items without
/// `itemscope` and properties outside of items, and white space is collapsed. In both, a `content` attribute gives the value of
/// any element, as in W3C's edition and in search engines.
public struct Microdata: Sendable {
    let document: HTMLDocument
    let baseURL: WebURL
    let limits: ReadingLimits
    /// The items, read leniently.
    public private(set) var structuredData = StructuredData()
    /// Leniencies used and limits reached while reading.
    public private(set) var notes: [ParseNote] = []
    private var collected: BoundedNotes
    /// The remaining number of properties. Many items may refer to one element with many names, so the total is limited.
    private var remainingProperties = 0

    /// Reads the items of a page.
    ///
    /// - Parameter baseURL: the document base URL (`HTMLDocument.baseURL`).
    public init(_ document: HTMLDocument, baseURL: WebURL, limits: ReadingLimits = .standard) {
        self.document = document
        self.baseURL = baseURL
        self.limits = limits
        collected = BoundedNotes(maximum: limits.maximumNotes)
        guard hasMarkup else { return }
        let found = MicrodataItems(document, lenient: true, limits: limits)
        collected = found.notes
        structuredData = read(found)
        notes = collected.finished()
    }

    /// Whether the page has microdata; most pages do not.
    var hasMarkup: Bool {
        document.hasAttribute(.itemscope) || document.hasAttribute(.itemprop) || document.hasAttribute(.itemtype)
            || document.hasAttribute(.itempropReverse)
    }

    // MARK: Items for the record

    private mutating func read(_ found: MicrodataItems) -> StructuredData {
        var texts = TextBudget(document, limits)
        remainingProperties = limits.maximumItems.multipliedReportingOverflow(by: 10).partialValue
        var items = found.items.map { item in
            StructuredItem(
                syntax: .microdata, types: types(of: item.element), id: joiningIdentifier(of: item.element),
                properties: properties(item.properties, &texts), isTopLevel: item.isTopLevel,
                place: document.place(of: item.element), element: item.element)
        }
        if let first = found.orphans.first {
            items.append(
                StructuredItem(
                    syntax: .microdata, properties: properties(found.orphans, &texts), isTopLevel: true,
                    place: document.place(of: first.element), element: first.element))
        }
        if texts.isExhausted { collected.add([texts.note(.microdata(.textsTooLong))]) }
        if remainingProperties <= 0 {
            collected.add(
                .microdata(.tooManyItems), "The page has too many microdata properties; the rest was not read.")
        }
        return StructuredData(items: items)
    }

    private mutating func types(of element: HTMLDocument.Index) -> [String] {
        let written = tokens(of: .itemtype, on: element)
        let types = written.map { SchemaOrgVocabulary.shortened($0) }
        noteCrowd(types, "itemtype", element)
        for (type, short) in zip(written, types) where type != short && !SchemaOrgVocabulary.isSpelledOut(type) {
            note(
                .microdata(.itemtypeSpelling),
                "The itemtype is written \"\(type.prefix(200))\", not \"https://schema.org/\(short.prefix(200))\".",
                element)
        }
        for type in types where type.isEmpty || type.utf8.contains(UInt8(ascii: ",")) {
            note(.microdata(.itemtypeInvalid), "\"\(type)\" is no itemtype.", element)
        }
        return types
    }

    private mutating func properties(
        _ properties: [MicrodataItems.Property], _ texts: inout TextBudget
    ) -> [StructuredItem.Property] {
        var result: [StructuredItem.Property] = []
        result.reserveCapacity(properties.count)
        for property in properties where property.isForward && remainingProperties > 0 && !limits.isInterrupted {
            let value: StructuredItem.Value
            if let item = property.item {
                value = .item(item)
            } else {
                switch self.value(of: property.element) {
                case .text(let written):
                    let text = written.trimmingHTMLSpace()
                    value = isNumber(text, property.element) ? .number(text) : .text(text, language: nil)
                case .url(let url):
                    value = .url(url)
                    if let address = wrappedAddress(of: property.element) {
                        note(
                            .microdata(.urlWrapped),
                            "An address is wrapped over lines; it is read as \"\(String(decoding: address.prefix(200), as: UTF8.self))\".",
                            property.element)
                    }
                case .content:
                    value = .text(readableText(of: property.element, &texts), language: nil)
                }
            }
            for name in lenientNames(of: property.element) {
                remainingProperties -= 1
                result.append(
                    StructuredItem.Property(
                        name: SchemaOrgVocabulary.shortened(name), value: value, element: property.element))
            }
        }
        return result
    }

    /// The names of an `itemprop`. Commas separate names too, although the standard does not allow them.
    private mutating func lenientNames(of element: HTMLDocument.Index) -> [String] {
        let names = tokens(of: .itemprop, on: element)
        noteCrowd(names, "itemprop", element)
        guard names.contains(where: { $0.utf8.contains(UInt8(ascii: ",")) && !IRIReference.hasScheme($0) }) else {
            return names
        }
        note(.microdata(.itempropComma), "The names of an itemprop are separated by commas.", element)
        return names.flatMap { name in
            IRIReference.hasScheme(name)
                ? [name] : name.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) }
        }
    }

    /// The values of `data` and `meter` are for programs, so their point is a decimal mark (Microdata to RDF §5.1).
    private func isNumber(_ text: String, _ element: HTMLDocument.Index) -> Bool {
        let name = document.elements[element].name
        return (name == .data || name == .meter) && XSDLexical.numberType(text) != nil
    }

    private func readableText(of element: HTMLDocument.Index, _ texts: inout TextBudget) -> String {
        if document.elements[element].name == .input { return inputDescription(element) }
        return texts.takeText(of: element) ? document.collapsedText(of: element) : ""
    }

    /// schema.org's description of an action's input: `<input itemprop="query-input" name="q" required>` becomes `required
    /// name=q`.
    private func inputDescription(_ element: HTMLDocument.Index) -> String {
        var parts: [String] = []
        if document.has(.required, on: element) { parts.append("required") }
        if let name = document.value(of: .name, on: element) { parts.append("name=\(name)") }
        return parts.isEmpty ? document.value(of: .value, on: element) ?? "" : parts.joined(separator: " ")
    }

    private mutating func noteCrowd(_ names: [String], _ attribute: String, _ element: HTMLDocument.Index) {
        guard names.count >= limits.maximumTokens else { return }
        note(
            .microdata(.tooManyNames),
            "An \(attribute) has more than \(limits.maximumTokens) names; the first are read.",
            element)
    }

    private mutating func note(_ code: ParseNote.Code, _ message: String, _ element: HTMLDocument.Index) {
        let document = document
        collected.add(code, message, at: document.place(of: element))
    }
}

// The microdata attributes of one element (WHATWG HTML §5.2.2–5.2.4).

extension Microdata {
    enum Value {
        /// The value of an attribute.
        case text(String)
        /// An absolute address; empty if the attribute is missing or not a URL.
        case url(String)
        /// The text of the element.
        case content
    }

    /// The value of a property that is not an item: the `content` attribute (W3C), or else the attribute in the standard's
    /// table.
    func value(of element: HTMLDocument.Index) -> Value {
        if let content = document.value(of: .content, on: element) { return .text(content) }
        switch document.elements[element].name {
        case .meta: return .text("")
        case .audio, .embed, .iframe, .img, .source, .track, .video: return .url(address(.src, element))
        case .a, .area, .link: return .url(address(.href, element))
        case .object: return .url(address(.data, element))
        case .data, .meter: return .text(document.value(of: .value, on: element) ?? "")
        case .time: return document.value(of: .datetime, on: element).map(Value.text) ?? .content
        default: return .content
        }
    }

    private func address(_ attribute: HTMLName, _ element: HTMLDocument.Index) -> String {
        guard let reference = document.value(of: attribute, on: element) else { return "" }
        return WebURL(written: reference, base: baseURL)?.href ?? ""
    }

    /// The item's global identifier.
    func identifier(of element: HTMLDocument.Index) -> String? {
        document.value(of: .itemid, on: element).flatMap { WebURL(written: $0, base: baseURL)?.href }
    }

    /// The identifier that joins the item with others of the page. By the standard, an empty `itemid` is the page's address.
    /// Here it is ignored, because templates leave it empty.
    func joiningIdentifier(of element: HTMLDocument.Index) -> String? {
        let isEmpty = document.bytes(of: .itemid, on: element)?.trimmingHTMLSpace().isEmpty ?? true
        return isEmpty ? nil : identifier(of: element)
    }

    /// The element's address if it is wrapped over lines.
    func wrappedAddress(of element: HTMLDocument.Index) -> ArraySlice<UInt8>? {
        let attribute: HTMLName =
            switch document.elements[element].name {
            case .a, .area, .link: .href
            case .object: .data
            default: .src
            }
        return document.bytes(of: attribute, on: element).flatMap { WrittenAddress.unwrapped($0)?[...] }
    }

    /// The distinct tokens of an attribute, in order, up to a limit.
    func tokens(of attribute: HTMLName, on element: HTMLDocument.Index) -> [String] {
        guard let bytes = document.bytes(of: attribute, on: element) else { return [] }
        let tokens = bytes.splitOnHTMLSpace().prefix(limits.maximumTokens)
        if tokens.count == 1, let token = tokens.first { return [String(decoding: token, as: UTF8.self)] }
        var seen: Set<String> = []
        return tokens.map { String(decoding: $0, as: UTF8.self) }.filter { seen.insert($0).inserted }
    }
}

// The JSON form of microdata (WHATWG HTML §5.5.2).

extension Microdata {
    /// `{"items":[…]}`, with texts as in the page.
    public var json: JSONValue {
        jsonWithNotes.json
    }

    /// The JSON form, with a note for every limit that was reached.
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
    /// The remaining number of values. An item that is the value of several properties is written for each of them, so without
    /// a limit a short page could produce JSON of any length.
    private var remainingValues: Int
    private var limitReached: String?

    /// The limit of nested items. JSON readers stop at 500 to 1000 levels, and an item takes three.
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
            // The standard's value for an item that contains itself.
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
