/// A JSON value (RFC 8259) as it was written: numbers keep their text, objects the order of their keys.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// The number's text; `JSONValue.integer` and `JSONValue.double` make one from a Swift number.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    public static func integer(_ value: Int) -> JSONValue { .number(String(value)) }

    /// JSON has no infinities and no NaN; they become `null`.
    public static func double(_ value: Double) -> JSONValue {
        JSONWriter.text(of: value).map { .number($0) } ?? .null
    }

    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// Value of a number; nil for numbers that no `Int` holds, and for fractions.
    public var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }
    public var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }
    public var isNull: Bool { self == .null }

    /// Member of an object; nil for all other values.
    public subscript(key: String) -> JSONValue? { object?[key] }

    /// The value as UTF-8, without white space or indented by two spaces.
    public func bytes(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.value(self)
        return writer.bytes
    }

    public func text(pretty: Bool = false) -> String {
        String(decoding: bytes(pretty: pretty), as: UTF8.self)
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
    public init(nilLiteral: ()) { self = .null }
}

/// The members of a JSON object in the order they were written; each key stands once.
public struct JSONObject: Sendable, Hashable, Sequence, ExpressibleByDictionaryLiteral {
    public struct Member: Sendable, Hashable {
        public let key: String
        public fileprivate(set) var value: JSONValue
    }

    public private(set) var members: [Member] = []
    /// Where each key stands; kept for objects with many keys only, a few are found faster by looking.
    private var positions: [String: Int] = [:]
    private static let manyKeys = 12

    public init() {}

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (key, value) in elements { self[key] = value }
    }

    public var count: Int { members.count }
    public var isEmpty: Bool { members.isEmpty }
    public var keys: [String] { members.map(\.key) }

    public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }

    private func position(of key: String) -> Int? {
        members.count > Self.manyKeys ? positions[key] : members.firstIndex { $0.key == key }
    }

    /// Setting a key that is there keeps its place; setting nil removes it.
    public subscript(key: String) -> JSONValue? {
        get { position(of: key).map { members[$0].value } }
        set {
            if let newValue {
                set(key, newValue)
            } else if let position = position(of: key) {
                members.remove(at: position)
                index()
            }
        }
    }

    /// Returns false when the key was there and its value has been replaced.
    @discardableResult
    public mutating func set(_ key: String, _ value: JSONValue) -> Bool {
        if let position = position(of: key) {
            members[position].value = value
            return false
        }
        members.append(Member(key: key, value: value))
        if members.count > Self.manyKeys {
            if positions.isEmpty { index() } else { positions[key] = members.count - 1 }
        }
        return true
    }

    private mutating func index() {
        positions.removeAll(keepingCapacity: true)
        guard members.count > Self.manyKeys else { return }
        for (position, member) in members.enumerated() { positions[member.key] = position }
    }

    public static func == (a: JSONObject, b: JSONObject) -> Bool { a.members == b.members }
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}
