/// The structured items of a page in one form, from any syntax.
///
/// Items refer to each other by index, so graphs with cycles (JSON-LD's `@id`, microdata's `itemref`) stay flat.
public struct StructuredData: Sendable {
    /// The items in page order.
    public var items: [StructuredItem] = []

    /// Adds the items of another syntax, and adjusts their references.
    public mutating func append(_ other: StructuredData) {
        let offset = items.count
        items.reserveCapacity(offset + other.items.count)
        for var item in other.items {
            if offset > 0 {
                for i in item.properties.indices {
                    if case .item(let index) = item.properties[i].value {
                        item.properties[i].value = .item(index + offset)
                    }
                }
            }
            items.append(item)
        }
    }
}

/// One item: a microdata item, an RDFa subject, a JSON-LD node.
public struct StructuredItem: Sendable {
    /// The syntax of an item.
    public enum Syntax: String, Sendable {
        case microdata, rdfa
        case jsonLD = "json-ld"
        /// Microformats have names of their own; their items are translated.
        case microformats

        /// Those in which pages write schema.org itself.
        public static let ofSchemaOrg: [Syntax] = [.microdata, .rdfa, .jsonLD]
    }

    /// One value of a property.
    public struct Property: Sendable {
        /// Bare name (`ratingValue`) for the schema.org vocabulary, an absolute IRI for all others.
        public var name: String
        /// The value.
        public var value: Value
        /// -1 for none: an optional would need twice the memory.
        private let elementNumber: Int32
        /// The element that has the property; nil for JSON-LD, and where it is not known.
        var element: HTMLDocument.Index? { elementNumber < 0 ? nil : Int(elementNumber) }

        /// Creates a property with one value.
        public init(name: String, value: Value, element: HTMLDocument.Index? = nil) {
            self.name = name
            self.value = value
            elementNumber = element.map { Int32(clamping: $0) } ?? -1
        }
    }

    /// The value of a property.
    public enum Value: Sendable {
        /// Text as written (also booleans), and its declared language if there is one.
        case text(String, language: String?)
        /// A number by the syntax, as written: a number of JSON, a literal of a numeric datatype, the value of `data` or `meter`.
        case number(String)
        /// A URL by the syntax (`href`, `src`, `@id`), absolute if it could be resolved.
        case url(String)
        /// Index into `StructuredData.items`.
        case item(Int)

        /// The text or the number; nil for URLs and items.
        var literal: Literal? {
            switch self {
            case .text(let text, _): Literal(text)
            case .number(let text): Literal(text, isNumber: true)
            case .url, .item: nil
            }
        }
    }

    /// A text, and whether the page says that it is a number.
    public struct Literal: Sendable, Hashable, ExpressibleByStringLiteral {
        /// As written.
        public let text: String
        /// Whether it is a number by the syntax. Its point is a decimal mark then: `1.299` is a little more than one, while the
        /// same text may mean more than a thousand.
        public let isNumber: Bool

        /// Creates a literal; without `isNumber`, of a text.
        public init(_ text: String, isNumber: Bool = false) {
            self.text = text
            self.isNumber = isNumber
        }

        /// Creates the literal of a text.
        public init(stringLiteral text: String) { self.init(text) }
    }

    /// The syntax that the item is written in.
    public var syntax: Syntax
    /// Bare names (`Recipe`) for types of schema.org, in whatever spelling its address has; absolute IRIs for all others.
    public var types: [String]
    /// The absolute identifier, if any.
    public var id: String?
    /// In page order; a property with several values occurs several times.
    public var properties: [Property] {
        didSet { index = nil }
    }
    /// Where the values of each property are, if there are many properties.
    private var index: PropertyIndex?
    /// Whether it is not inside another item. Nodes of a JSON-LD `@graph` are top-level, even if others refer to them by `@id`.
    public var isTopLevel: Bool
    /// Where it begins in the page; for JSON-LD of which that is not known, where its script does.
    let place: SourcePlace?
    /// The element that it begins with; nil for JSON-LD.
    let element: HTMLDocument.Index?

    /// The line of `place`, 1-based; nil without a place.
    public var line: Int? { place?.line }
    /// The column of `place`, 1-based; nil without a place.
    public var column: Int? { place?.column }

    /// Creates an item.
    public init(
        syntax: Syntax, types: [String] = [], id: String? = nil, properties: [Property] = [], isTopLevel: Bool = true,
        place: SourcePlace? = nil, element: HTMLDocument.Index? = nil
    ) {
        self.syntax = syntax
        self.types = types
        self.id = id
        self.properties = properties
        self.isTopLevel = isTopLevel
        self.place = place
        self.element = element
    }

    /// Values of a property, in page order.
    public func values(_ name: String) -> [Value] {
        if let index { return index.positions(of: name, in: properties).map { properties[$0].value } }
        return properties.compactMap { $0.name == name ? $0.value : nil }
    }

    /// Where the values of a property are in `properties`; at most 20, because a text is looked for in no more.
    func firstPositions(of name: String) -> [Int] {
        index?.positions(of: name, in: properties, upTo: Self.maximumTexts) ?? []
    }

    /// Values of a property in which a text is looked for.
    static let maximumTexts = 20

    /// Whether properties are found without looking at all of them.
    var isIndexed: Bool { index != nil }

    /// No property has more values; that of all properties together for a small item.
    var mostValues: Int { index?.mostValues ?? properties.count }

    /// Makes properties of a large item as easy to find as those of a small one. Otherwise many references to one large item
    /// would cost as much as many large items.
    mutating func indexProperties() {
        guard properties.count > Self.maximumUnindexed else { return }
        index = PropertyIndex(properties)
    }

    /// To compare a few names is faster than to look one up.
    private static let maximumUnindexed = 32
}

/// Where the values of each property are.
private final class PropertyIndex: Sendable {
    /// A property's first value, by its position, and how many values it has.
    private typealias Name = (first: Int32, count: Int32)

    private let names: [Name]
    private let table: PositionTable
    /// For each value, the position of the property's next one; -1 behind the last.
    private let next: [Int32]
    /// The values of the property with the most.
    let mostValues: Int

    init(_ properties: [StructuredItem.Property]) {
        var names: [Name] = []
        var table = PositionTable()
        var next = [Int32](repeating: -1, count: properties.count)
        for position in properties.indices.reversed() {
            let name = properties[position].name
            let hash = PositionTable.Hash(of: name)
            let first = Int32(truncatingIfNeeded: position)
            if let known = table.position(of: hash, where: { properties[Int(names[$0].first)].name == name }) {
                next[position] = names[known].first
                names[known] = (first, names[known].count + 1)
            } else {
                table.append(hash, at: names.count)
                names.append((first, 1))
            }
        }
        mostValues = names.lazy.map { Int($0.count) }.max() ?? 0
        (self.names, self.table, self.next) = (names, table, next)
    }

    func positions(
        of name: String, in properties: [StructuredItem.Property], upTo maximum: Int = .max
    ) -> [Int] {
        let isSame = { (number: Int) in properties[Int(self.names[number].first)].name == name }
        guard let found = table.position(of: PositionTable.Hash(of: name), where: isSame) else { return [] }
        var positions: [Int] = []
        positions.reserveCapacity(min(Int(names[found].count), maximum))
        var position = names[found].first
        while position >= 0, positions.count < maximum {
            positions.append(Int(position))
            position = next[Int(position)]
        }
        return positions
    }
}
