import PippinPage

/// The structured data of a page as people check it: every item with its type, its properties, its syntax and its line, items
/// inside items.
///
/// It shows what is written, not what the record makes of it. Each item is shown once; a second mention refers to it.
struct ItemTree: Sendable {
    struct Item: Sendable {
        let types: [String]
        let id: String?
        let syntax: StructuredItem.Syntax
        let line: Int?
        let column: Int?
        var properties: [Property] = []
        var propertiesLeftOut = 0

        var name: String { types.isEmpty ? "Item without a type" : types.joined(separator: ", ") }
    }

    struct Property: Sendable {
        let name: String
        let value: Value
    }

    indirect enum Value: Sendable {
        case text(String)
        case item(Item)
        /// An item that is shown elsewhere: its name, and its line.
        case reference(String, line: Int?)
    }

    /// A page of a shop may have thousands of items; these are enough to see what was understood.
    static let maximumItems = 300
    static let maximumProperties = 60
    static let maximumDepth = 8
    static let maximumCharacters = 200

    private(set) var items: [Item] = []
    /// How many items of the first level are not shown.
    private(set) var leftOut = 0

    init() {}

    init(_ data: StructuredData) {
        var builder = Builder(items: data.items)
        for index in data.items.indices where data.items[index].isTopLevel {
            guard let item = builder.item(index, depth: 0) else {
                leftOut += 1
                continue
            }
            items.append(item)
        }
    }

    private struct Builder {
        let items: [StructuredItem]
        var shown: Set<Int> = []

        mutating func item(_ index: Int, depth: Int) -> Item? {
            guard shown.count < maximumItems, shown.insert(index).inserted else { return nil }
            let source = items[index]
            var item = Item(
                types: source.types.prefix(5).map { Snippet.cut($0, to: 100) },
                id: source.id.map { Snippet.cut($0, to: maximumCharacters) }, syntax: source.syntax,
                line: source.line, column: source.column)
            for property in source.properties.prefix(maximumProperties) {
                item.properties.append(
                    Property(
                        name: Snippet.cut(property.name, to: 100), value: value(property.value, depth: depth + 1)))
            }
            item.propertiesLeftOut = source.properties.count - item.properties.count
            return item
        }

        private mutating func value(_ value: StructuredItem.Value, depth: Int) -> Value {
            switch value {
            case .text(let text, _), .number(let text): return .text(Self.short(text))
            case .url(let url): return .text(Self.short(url))
            case .item(let index):
                guard items.indices.contains(index) else { return .text("") }
                let other = items[index]
                if !other.isTopLevel, depth < maximumDepth, let item = item(index, depth: depth) { return .item(item) }
                return .reference(
                    other.types.isEmpty ? "item" : Snippet.cut(other.types.joined(separator: ", "), to: 100),
                    line: other.line)
            }
        }

        private static func short(_ text: String) -> String {
            // A description may be a whole article; white space in it is layout.
            let start = String(text.prefix(maximumCharacters * 4))
            return Snippet.cut(
                start.split(whereSeparator: \.isWhitespace).joined(separator: " "), to: maximumCharacters)
        }
    }
}

extension ItemTree.Item {
    /// `JSON-LD, line 12`
    var origin: String { syntax.label + (line.map { ", line \($0)" } ?? "") }

    var json: JSONValue {
        JSONObject.with {
            $0["types"] = .array(types.map { .string($0) })
            $0.put("id", id)
            $0.put("syntax", syntax.rawValue)
            $0.put("line", line)
            $0.put("column", column)
            $0["properties"] = .array(
                properties.map { property in
                    JSONObject.with {
                        $0.put("name", property.name)
                        switch property.value {
                        case .text(let text): $0.put("value", text)
                        case .item(let item): $0["item"] = item.json
                        case .reference(let name, let line):
                            $0["see"] = JSONObject.with {
                                $0.put("type", name)
                                $0.put("line", line)
                            }
                        }
                    }
                })
            if propertiesLeftOut > 0 { $0.put("propertiesLeftOut", propertiesLeftOut) }
        }
    }
}

extension ItemTree {
    /// The tree for a terminal, a line for each property, up to a number of lines.
    func lines(upTo maximum: Int) -> [String] {
        var lines: [String] = []
        var more = 0
        func add(_ depth: Int, _ text: String) {
            if lines.count < maximum {
                lines.append(String(repeating: "  ", count: depth + 1) + text)
            } else {
                more += 1
            }
        }
        func add(_ item: Item, _ depth: Int, after label: String) {
            add(depth, "\(label)\(item.name) (\(item.origin))")
            for property in item.properties {
                switch property.value {
                case .text(let text): add(depth + 1, "\(property.name): \(Snippet.cut(text, to: 70))")
                case .item(let inner): add(inner, depth + 1, after: "\(property.name): ")
                case .reference(let name, let line):
                    add(depth + 1, "\(property.name): → \(name)" + (line.map { ", line \($0)" } ?? ""))
                }
            }
            if item.propertiesLeftOut > 0 { add(depth + 1, "… and \(item.propertiesLeftOut) more") }
        }
        for item in items { add(item, 0, after: "") }
        if more > 0 { lines.append("  … and \(Wording.count(more, "line")) more: --format html or json shows them") }
        if leftOut > 0 { lines.append("  … and \(Wording.count(leftOut, "item")) more") }
        return lines
    }
}
