/// The microdata of a page (WHATWG HTML, chapter 5).
///
/// `json` is the standard's JSON form of what the standard calls items; `structuredData` also has what people meant:
/// items without `itemscope`, properties outside any item, texts with their white space collapsed. In both a `content`
/// attribute gives the value of any element, as in W3C's edition and as search engines read it.
public struct Microdata: Sendable {
    let document: HTMLDocument
    let baseURL: WebURL
    let limits: ReadingLimits
    public private(set) var structuredData = StructuredData()
    public private(set) var notes: [ParseNote] = []
    /// Names and `itemref` multiply: an element of many names may be named by many items.
    private var remainingProperties = 0

    /// - Parameter baseURL: the document base URL (`HTMLDocument.baseURL`).
    public init(_ document: HTMLDocument, baseURL: WebURL, limits: ReadingLimits = .standard) {
        self.document = document
        self.baseURL = baseURL
        self.limits = limits
        guard hasMarkup else { return }
        let found = MicrodataItems(document, lenient: true, limits: limits)
        notes = found.notes
        structuredData = read(found)
    }

    /// Most pages have none, and knowing that costs nothing.
    var hasMarkup: Bool {
        document.hasAttribute(.itemscope) || document.hasAttribute(.itemprop) || document.hasAttribute(.itemtype)
            || document.hasAttribute(.itempropReverse)
    }

    // MARK: Items for the record

    private mutating func read(_ found: MicrodataItems) -> StructuredData {
        var texts = TextBudget(document, limits)
        remainingProperties = limits.maximumItems.multipliedReportingOverflow(by: 10).partialValue
        var items = found.items.map { item in
            let place = document.place(of: item.element)
            return StructuredItem(
                syntax: .microdata, types: types(of: item.element), id: joiningIdentifier(of: item.element),
                properties: properties(item.properties, &texts), isTopLevel: item.isTopLevel,
                line: place.line, column: place.column)
        }
        if let first = found.orphans.first {
            let place = document.place(of: first.element)
            items.append(
                StructuredItem(
                    syntax: .microdata, properties: properties(found.orphans, &texts), isTopLevel: true,
                    line: place.line, column: place.column))
        }
        if texts.isExhausted { notes.append(texts.note(.microdata(.textsTooLong))) }
        if remainingProperties <= 0 {
            notes.append(
                ParseNote(
                    .microdata(.tooManyItems), "The page has too many microdata properties; the rest was not read."))
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
                case .text(let text): value = .text(text.trimmingHTMLSpace(), language: nil)
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
                result.append(StructuredItem.Property(name: SchemaOrgVocabulary.shortened(name), value: value))
            }
        }
        return result
    }

    /// Names may be separated by commas, which the standard does not have.
    private mutating func lenientNames(of element: HTMLDocument.Index) -> [String] {
        let names = tokens(of: .itemprop, on: element)
        noteCrowd(names, "itemprop", element)
        guard names.contains(where: { $0.utf8.contains(UInt8(ascii: ",")) && !IRIReference.hasScheme($0) }) else {
            return names
        }
        note(.microdata(.itempropComma), "The names of an itemprop are separated by commas.", element)
        return names.flatMap { name in
            IRIReference.hasScheme(name) ? [name] : name.split(separator: ",").map(String.init)
        }
    }

    private func readableText(of element: HTMLDocument.Index, _ texts: inout TextBudget) -> String {
        if document.elements[element].name == .input { return inputDescription(element) }
        return texts.takeText(of: element) ? document.collapsedText(of: element) : ""
    }

    /// schema.org's way to describe what an action takes in: `<input itemprop="query-input" name="q" required>` is
    /// `required name=q`.
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
        guard notes.count < limits.maximumNotes else { return }
        let place = document.place(of: element)
        notes.append(ParseNote(code, message, line: place.line, column: place.column))
    }
}
