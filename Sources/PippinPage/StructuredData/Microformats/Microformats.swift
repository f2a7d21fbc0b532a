/// The microformats of a page: items in class names (microformats2 parsing, https://microformats.org/wiki/microformats2-parsing),
/// those from before microformats2 included.
///
/// Items are found in one walk and refer to elements. What their properties say is read when it is asked for
/// (`MicroformatsValues`): as JSON (`json`), or as items of schema.org for the record (`structuredData`).
public struct Microformats: Sendable {
    /// An element with a root class name.
    struct Item: Sendable {
        let element: HTMLDocument.Index
        /// The root class names, in alphabetical order.
        let types: [String]
        /// In page order; implied ones last.
        var properties: [Property] = []
        /// Items inside it that are no property's value.
        var children: [Int] = []
        /// Whether it is inside no other item.
        let isTopLevel: Bool
    }

    /// One value of a property.
    struct Property: Sendable {
        let property: MicroformatsProperty
        /// The element with the class name; of an implied property, the item's.
        let element: HTMLDocument.Index
        /// The item that the element begins, if it does.
        let item: Int?

        var name: String { property.name }
        var kind: MicroformatsProperty.Kind { property.kind }
    }

    let document: HTMLDocument
    let baseURL: WebURL
    let limits: ReadingLimits
    /// All items in page order.
    private(set) var items: [Item] = []
    /// Limits that were reached.
    public private(set) var notes: [ParseNote] = []

    /// Whether the page has an item.
    public var isEmpty: Bool { items.isEmpty }

    /// Finds the items of a page.
    ///
    /// - Parameter baseURL: the document base URL (`HTMLDocument.baseURL`).
    public init(_ document: HTMLDocument, baseURL: WebURL, limits: ReadingLimits = .standard) {
        self.init(document, mayHaveItems: Self.mayHaveItems(document), baseURL: baseURL, limits: limits)
    }

    /// - Parameter mayHaveItems: whether a value of `class` has the name of an item.
    init(_ document: HTMLDocument, mayHaveItems: Bool, baseURL: WebURL, limits: ReadingLimits) {
        self.document = document
        self.baseURL = baseURL
        self.limits = limits
        guard mayHaveItems else { return }
        var walk = MicroformatsWalk(document, limits)
        walk.run()
        items = walk.items
        var found = BoundedNotes(maximum: limits.maximumNotes)
        if walk.isCut {
            found.add([
                ParseNote(
                    .microformats(.tooManyItems), "The page has too many microformats; the rest was not read.")
            ])
        }
        noteFaults(&found)
        notes = found.finished()
    }

    /// Times that are of something that has happened or will: durations and birthdays are none.
    private static let moments: Set = ["published", "updated", "start", "end", "reviewed"]

    /// Notes what other readers lose: an event without its beginning, a time that cannot be read.
    private func noteFaults(_ notes: inout BoundedNotes) {
        var values = MicroformatsValues(self)
        for item in items {
            if limits.isInterrupted(after: item.properties.count) { return }
            if item.isTopLevel, item.types.contains("h-event"), !item.properties.contains(where: { $0.name == "start" })
            {
                notes.add(
                    .microformats(.eventWithoutStart), "An h-event does not say when it starts.",
                    at: document.place(of: item.element))
            }
            var day: String?
            for property in item.properties where property.kind == .time && Self.moments.contains(property.name) {
                guard let text = values.value(of: property, day: &day)?.text, !text.isEmpty,
                    SchemaOrg.moment(text) == nil
                else { continue }
                notes.add(
                    .microformats(.timeUnreadable), "dt-\(property.name) “\(text.prefix(100))” is no date.",
                    at: document.place(of: property.element))
            }
        }
    }

    private static func mayHaveItems(_ document: HTMLDocument) -> Bool {
        document.withArena { arena in
            arena.attributes.contains {
                $0.nameNumber == HTMLName.class.rawValue && beginsItem(arena.value(of: $0))
            }
        }
    }

    /// Whether a value of `class` has the name of an item.
    static func beginsItem(_ names: UnsafeBufferPointer<UInt8>) -> Bool {
        var start = 0
        while start < names.count {
            var end = start
            while end < names.count, !names[end].isHTMLSpace { end &+= 1 }
            if end > start {
                switch names[start] {
                case UInt8(ascii: "h"), UInt8(ascii: "v"), UInt8(ascii: "a"), UInt8(ascii: "g"):
                    let name = UnsafeBufferPointer(rebasing: names[start..<end])
                    if MicroformatsNames.isRoot(name) || ClassicMicroformat.isRoot(name) { return true }
                default: break
                }
            }
            start = end &+ 1
        }
        return false
    }
}

/// Finds the items and the elements of their properties, in document order and without recursion: a page nests items as deep as it
/// likes.
struct MicroformatsWalk {
    /// An item whose elements are being walked over.
    private struct Open {
        let item: Int
        let end: HTMLDocument.Index
        /// What class names mean inside it; empty for microformats2.
        let vocabularies: [ClassicMicroformat]
        /// Whether it takes properties that it does not state.
        let implies: Bool
        /// What keeps it from doing so.
        var hasText = false
        var hasURL = false
        var hasItem = false
    }

    /// What the class names of an element say.
    private struct Names {
        var types: [String] = []
        var vocabularies: [ClassicMicroformat] = []
        var implies = false
        var properties: [MicroformatsProperty] = []
    }

    private(set) var items: [Microformats.Item] = []
    /// Whether a limit was reached.
    private(set) var isCut = false

    private let document: HTMLDocument
    private let limits: ReadingLimits
    private var open: [Open] = []
    private var remainingProperties: Int

    init(_ document: HTMLDocument, _ limits: ReadingLimits) {
        self.document = document
        self.limits = limits
        remainingProperties = limits.maximumItems.multipliedReportingOverflow(by: 10).partialValue
    }

    mutating func run() {
        var steps = InterruptibleSteps(limits)
        for element in document.elements.indices {
            if steps.isInterrupted() { return }
            while let last = open.last, last.end <= element { close(last) }
            guard document.elements[element].name != .template, let names = names(of: element) else { continue }
            read(element, names)
            if isCut { break }
        }
        while let last = open.last { close(last) }
    }

    private mutating func read(_ element: HTMLDocument.Index, _ names: Names) {
        var item: Int?
        if !names.types.isEmpty {
            guard items.count < limits.maximumItems else {
                isCut = true
                return
            }
            item = items.count
            items.append(Microformats.Item(element: element, types: names.types, isTopLevel: open.isEmpty))
        }
        if let around = open.last {
            for property in names.properties {
                guard remainingProperties > 0 else {
                    isCut = true
                    return
                }
                remainingProperties -= 1
                items[around.item].properties.append(
                    Microformats.Property(
                        property: property, element: element, item: property.kind == .tag ? nil : item))
                switch property.kind {
                case .text, .markup: open[open.count - 1].hasText = true
                case .url: open[open.count - 1].hasURL = true
                default: break
                }
            }
            if let item {
                open[open.count - 1].hasItem = true
                if names.properties.allSatisfy({ $0.kind == .tag }) { items[around.item].children.append(item) }
            }
        }
        guard let item else { return }
        open.append(
            Open(
                item: item, end: Int(document.elements[element].subtreeEnd), vocabularies: names.vocabularies,
                implies: names.implies))
    }

    /// Adds what an item does not state ("parse for implied properties").
    private mutating func close(_ last: Open) {
        open.removeLast()
        guard last.implies, !last.hasItem else { return }
        let stated = items[last.item].properties
        func imply(_ name: String, _ kind: MicroformatsProperty.Kind) {
            guard !stated.contains(where: { $0.name == name }) else { return }
            items[last.item].properties.append(
                Microformats.Property(
                    property: MicroformatsProperty(kind: kind, name: name), element: items[last.item].element, item: nil
                ))
        }
        if !last.hasText { imply("name", .impliedName) }
        guard !last.hasURL else { return }
        imply("photo", .impliedPhoto)
        imply("url", .impliedURL)
    }

    // MARK: Names

    /// What `class` and `rel` of an element say where it stands; nil for nothing.
    private func names(of element: HTMLDocument.Index) -> Names? {
        var names = Names()
        let around = open.last
        let isClassic = around.map { !$0.vocabularies.isEmpty } ?? false
        var old: [(name: String, vocabulary: ClassicMicroformat)] = []
        var implied: String?
        for index in document.attributeRange(of: element) {
            let attribute = document.attributes[index]
            guard
                attribute.nameNumber == HTMLName.class.rawValue
                    || isClassic && attribute.nameNumber == HTMLName.rel.rawValue
            else { continue }
            let tokens = document.value(of: attribute).splitOnHTMLSpace().prefix(limits.maximumTokens)
            if attribute.nameNumber == HTMLName.rel.rawValue {
                read(relations: tokens, in: around?.vocabularies ?? [], &names)
                continue
            }
            for token in tokens {
                if MicroformatsNames.isRoot(token) {
                    names.types.append(String(decoding: token, as: UTF8.self))
                } else if ClassicMicroformat.mayBeRoot(token) {
                    let name = String(decoding: token, as: UTF8.self)
                    if let found = ClassicMicroformat.named(name), !old.contains(where: { $0.name == name }) {
                        old.append((name, found))
                    }
                }
                guard around != nil else { continue }
                if isClassic {
                    read(class: token, in: around?.vocabularies ?? [], &names, &implied)
                } else if let property = MicroformatsProperty(class: token) {
                    names.properties.append(property)
                }
            }
        }
        if !names.types.isEmpty {
            names.types = Set(names.types).sorted()
            names.implies = true
        } else if !old.isEmpty {
            names.types = Set(old.map(\.vocabulary.type)).sorted()
            names.vocabularies = old.map(\.vocabulary)
        } else if let implied, let root = implied == "item" ? .item : ClassicMicroformat.named(implied) {
            names.types = [root.type]
            names.vocabularies = [root]
            names.implies = true
        }
        if names.properties.count > 1 {
            var seen: Set<MicroformatsProperty> = []
            names.properties.removeAll { !seen.insert($0).inserted }
            // An element is parsed for its properties by their prefixes.
            names.properties.sort { $0.kind.rawValue < $1.kind.rawValue }
        }
        return names.types.isEmpty && names.properties.isEmpty ? nil : names
    }

    private func read(
        class token: ArraySlice<UInt8>, in vocabularies: [ClassicMicroformat], _ names: inout Names,
        _ implied: inout String?
    ) {
        let name = String(decoding: token, as: UTF8.self)
        for vocabulary in vocabularies {
            guard let meaning = vocabulary.properties[name] else { continue }
            names.properties += meaning.properties
            implied = implied ?? meaning.root
        }
    }

    private func read(
        relations: some Sequence<ArraySlice<UInt8>>, in vocabularies: [ClassicMicroformat], _ names: inout Names
    ) {
        let words = Set(relations.map { String(decoding: $0, as: UTF8.self) })
        for vocabulary in vocabularies {
            for relation in vocabulary.relations where relation.words.allSatisfy(words.contains) {
                names.properties += relation.meaning.properties
            }
        }
    }
}
