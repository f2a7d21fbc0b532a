/// The structured items of a page in one shape, whichever syntax they were written in.
///
/// Items refer to each other by index, so that graphs with cycles (JSON-LD's `@id`, microdata's `itemref`) stay flat.
public struct StructuredData: Sendable {
    public var items: [StructuredItem]

    public init(items: [StructuredItem] = []) {
        self.items = items
    }

    /// Adds the items of another syntax; what refers to an item there refers to the same item here.
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
    public enum Syntax: String, Sendable, CaseIterable {
        case microdata, rdfa
        case jsonLD = "json-ld"
    }

    public struct Property: Sendable {
        /// Bare name (`ratingValue`) for the schema.org vocabulary, an absolute IRI for all others.
        public var name: String
        public var value: Value

        public init(name: String, value: Value) {
            self.name = name
            self.value = value
        }
    }

    public enum Value: Sendable {
        /// Text as written (numbers and booleans too), with its language where one is declared.
        case text(String, language: String?)
        /// A URL the syntax knows to be one (`href`, `src`, `@id`), absolute where it could be resolved.
        case url(String)
        /// Index into `StructuredData.items`.
        case item(Int)
    }

    public var syntax: Syntax
    /// Bare names (`Recipe`) for types of schema.org, however its address is spelt; absolute IRIs for all others.
    public var types: [String]
    /// Absolute identifier, where one is given.
    public var id: String?
    /// In page order; a property with several values stands several times.
    public var properties: [Property]
    /// Stands in the page by itself, not inside another item. Nodes of a JSON-LD `@graph` are top-level, even where
    /// others refer to them by `@id`.
    public var isTopLevel: Bool
    /// Where it starts in the page, 1-based: for JSON-LD, where its script does.
    public var line: Int?
    public var column: Int?

    public init(
        syntax: Syntax, types: [String] = [], id: String? = nil, properties: [Property] = [], isTopLevel: Bool = true,
        line: Int? = nil, column: Int? = nil
    ) {
        self.syntax = syntax
        self.types = types
        self.id = id
        self.properties = properties
        self.isTopLevel = isTopLevel
        self.line = line
        self.column = column
    }

    /// Values of a property, in page order.
    public func values(_ name: String) -> [Value] {
        properties.compactMap { $0.name == name ? $0.value : nil }
    }
}
