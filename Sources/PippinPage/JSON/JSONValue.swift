/// A JSON value (RFC 8259). Numbers keep their text, objects the order of their keys.
public struct JSONValue: Sendable, Hashable {
    /// The six kinds of JSON values.
    public enum Content: Sendable, Hashable {
        case null
        case bool(Bool)
        /// The number's text. `JSONValue.integer` and `JSONValue.double` make it from a Swift number.
        case number(String)
        case string(String)
        case array([JSONValue])
        case object(JSONObject)
    }

    /// The value without its place.
    public let content: Content
    private let start: UInt32

    /// The value's offset in the text, in bytes; 0 for values that were not read from a text. Equality ignores it.
    public var offset: Int { Int(start) }

    init(_ content: Content, at offset: Int = 0) {
        self.content = content
        start = UInt32(truncatingIfNeeded: offset)
    }

    public static func == (a: JSONValue, b: JSONValue) -> Bool { a.content == b.content }
    public func hash(into hasher: inout Hasher) { hasher.combine(content) }

    /// The value `null`.
    public static var null: JSONValue { JSONValue(.null) }
    /// A Boolean value.
    public static func bool(_ value: Bool) -> JSONValue { JSONValue(.bool(value)) }
    /// A number.
    ///
    /// - Parameter text: a number in JSON's syntax.
    public static func number(_ text: String) -> JSONValue { JSONValue(.number(text)) }
    /// A string.
    public static func string(_ value: String) -> JSONValue { JSONValue(.string(value)) }
    /// An array.
    public static func array(_ elements: [JSONValue]) -> JSONValue { JSONValue(.array(elements)) }
    /// An object.
    public static func object(_ object: JSONObject) -> JSONValue { JSONValue(.object(object)) }

    /// A whole number.
    public static func integer(_ value: Int) -> JSONValue { .number(String(value)) }

    /// A number. Infinities and NaN become `null`, because JSON does not have them.
    public static func double(_ value: Double) -> JSONValue {
        JSONWriter.text(of: value).map { .number($0) } ?? .null
    }

    /// The string; nil for other values.
    public var string: String? { if case .string(let value) = content { value } else { nil } }
    /// The elements of an array; nil for other values.
    public var array: [JSONValue]? { if case .array(let value) = content { value } else { nil } }
    /// The object; nil for other values.
    public var object: JSONObject? { if case .object(let value) = content { value } else { nil } }
    /// The Boolean; nil for other values.
    public var bool: Bool? { if case .bool(let value) = content { value } else { nil } }
    /// The value as an integer; nil for fractions, numbers beyond `Int`, and other values.
    public var integer: Int? { if case .number(let text) = content { Int(text) } else { nil } }
    /// The value as a `Double`; nil if it is not a number.
    public var double: Double? { if case .number(let text) = content { Double(text) } else { nil } }
    /// Whether the value is `null`.
    public var isNull: Bool { if case .null = content { true } else { false } }

    /// The value of a key; nil without that key, and for values that are not objects.
    public subscript(key: String) -> JSONValue? { object?[key] }

    /// The kind of value as a noun for sentences.
    var kind: String {
        switch content {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The object that begins at an offset of the text; nil if none does.
    func object(at offset: Int) -> JSONObject? {
        var value = self
        while true {
            if let object = value.object, value.offset == offset { return object }
            // What begins last before the offset holds it.
            let inner: JSONValue? =
                switch value.content {
                case .array(let elements): elements.last { $0.offset <= offset }
                case .object(let object): object.members.last { $0.value.offset <= offset }?.value
                case .null, .bool, .number, .string: nil
                }
            guard let inner, inner.offset > value.offset || value.object == nil else { return nil }
            value = inner
        }
    }

    /// Collects the offsets of keys, or of string values, that equal a text. Searches all levels and stops at `limit`.
    func findOffsets(of text: String, isKey: Bool, upTo limit: Int, _ offsets: inout [Int]) {
        guard offsets.count < limit else { return }
        switch content {
        case .string(let value): if !isKey, value == text { offsets.append(offset) }
        case .array(let elements):
            for element in elements { element.findOffsets(of: text, isKey: isKey, upTo: limit, &offsets) }
        case .object(let object):
            for member in object.members {
                if isKey, member.key == text { offsets.append(member.keyOffset) }
                member.value.findOffsets(of: text, isKey: isKey, upTo: limit, &offsets)
            }
        case .null, .bool, .number: break
        }
    }

    /// The value as UTF-8, without white space or indented by two spaces.
    public func bytes(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.value(self)
        return writer.bytes
    }

    /// The value as text, without white space or indented by two spaces.
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

extension JSONObject {
    /// The offset of a key of the object itself, or of a string value of one of its members; nil without one.
    func offset(of text: String, isKey: Bool) -> Int? {
        for member in members {
            if isKey {
                if member.key == text { return member.keyOffset }
            } else if let value = (member.value.array ?? [member.value]).first(where: { $0.string == text }) {
                return value.offset
            }
        }
        return nil
    }
}

/// The members of a JSON object in written order; each key occurs once.
public struct JSONObject: Sendable, Hashable, Sequence, ExpressibleByDictionaryLiteral {
    /// A key and its value.
    public struct Member: Sendable, Hashable {
        /// The key.
        public let key: String
        /// The value.
        public fileprivate(set) var value: JSONValue
        fileprivate var keyStart: UInt32

        /// The offset of the key's opening quote in the text, in bytes.
        var keyOffset: Int { Int(keyStart) }

        public static func == (a: Member, b: Member) -> Bool { a.key == b.key && a.value == b.value }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(key)
            hasher.combine(value)
        }
    }

    /// The members, in written order.
    public private(set) var members: [Member] = []
    /// Finds keys, only in objects with many. With a few keys, a linear search is faster.
    private var positions = PositionTable()
    private static let manyKeys = 12

    /// Creates an object without members.
    public init() {}

    /// An object with one member.
    init(_ key: String, _ value: JSONValue) { members = [Member(key: key, value: value, keyStart: 0)] }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        members.reserveCapacity(elements.count)
        for (key, value) in elements { self[key] = value }
    }

    /// The number of members.
    public var count: Int { members.count }
    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }
    /// The keys, in written order.
    public var keys: [String] { members.map(\.key) }

    mutating func reserveCapacity(_ count: Int) {
        members.reserveCapacity(count)
        if count > Self.manyKeys { positions.reserveCapacity(count) }
    }

    public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }

    private func position(of key: String) -> Int? {
        guard members.count > Self.manyKeys else { return members.firstIndex { $0.key == key } }
        return positions.position(of: PositionTable.Hash(of: key)) { members[$0].key == key }
    }

    /// The position of a key; a new key comes last, with the value null.
    private mutating func place(of key: String) -> (position: Int, isNew: Bool) {
        let count = members.count
        if count > Self.manyKeys {
            let hash = PositionTable.Hash(of: key)
            if let known = positions.position(of: hash, where: { members[$0].key == key }) { return (known, false) }
            positions.append(hash, at: count)
        } else if let known = members.firstIndex(where: { $0.key == key }) {
            return (known, false)
        }
        members.append(Member(key: key, value: .null, keyStart: 0))
        if count == Self.manyKeys { index() }
        return (count, true)
    }

    /// The value of a key. Setting an existing key keeps its place; setting nil removes it.
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

    /// Sets the value of a key. Returns false if the key existed and its value was replaced.
    @discardableResult
    public mutating func set(_ key: String, _ value: JSONValue) -> Bool {
        set(key, value, keyOffset: 0)
    }

    /// Sets the value of a key.
    ///
    /// - Parameter keyOffset: the offset of the key in the text. If a key is repeated, the last value and offset count.
    @discardableResult
    mutating func set(_ key: String, _ value: JSONValue, keyOffset: Int) -> Bool {
        let (position, isNew) = place(of: key)
        members[position].value = value
        members[position].keyStart = UInt32(truncatingIfNeeded: keyOffset)
        return isNew
    }

    /// Changes the value of a key; the value of a new key is null before.
    mutating func change(_ key: String, _ change: (_ value: inout JSONValue, _ isNew: Bool) -> Void) {
        let (position, isNew) = place(of: key)
        change(&members[position].value, isNew)
    }

    /// The member with a key, including its offsets.
    func member(_ key: String) -> Member? { position(of: key).map { members[$0] } }

    private mutating func index() {
        positions.removeAll()
        guard members.count > Self.manyKeys else { return }
        for (position, member) in members.enumerated() {
            positions.append(PositionTable.Hash(of: member.key), at: position)
        }
    }

    public static func == (a: JSONObject, b: JSONObject) -> Bool { a.members == b.members }
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

/// Setters for optional fields. Unknown and empty fields are left out.
extension JSONObject {
    /// Sets the key if there is a value.
    public mutating func put(_ key: String, _ value: String?) {
        if let value { self[key] = .string(value) }
    }

    /// Sets the key to the serialized URL if there is one.
    public mutating func put(_ key: String, _ value: WebURL?) {
        if let value { self[key] = .string(value.href) }
    }

    /// Sets the key if there is a number.
    public mutating func put(_ key: String, _ value: Int?) {
        if let value { self[key] = .integer(value) }
    }

    /// Sets the key to `true`, or does nothing if the flag is false.
    public mutating func putFlag(_ key: String, _ value: Bool) {
        if value { self[key] = true }
    }

    /// Sets the key to an array of strings if there are any.
    public mutating func put(_ key: String, _ values: [String]) {
        if !values.isEmpty { self[key] = .array(values.map { .string($0) }) }
    }

    /// Sets the key to the array of `json` of each value, if there are values.
    public mutating func put<Value>(_ key: String, _ values: [Value], _ json: (Value) -> JSONValue) {
        if !values.isEmpty { self[key] = .array(values.map(json)) }
    }

    mutating func put(_ notes: [ParseNote]) {
        put("notes", notes) { $0.json }
    }

    /// An object with the fields that `fill` writes.
    public static func with(_ fill: (inout JSONObject) -> Void) -> JSONValue {
        var object = JSONObject()
        fill(&object)
        return .object(object)
    }
}

extension ParseNote {
    /// The object as a JSON value.
    public var json: JSONValue {
        JSONObject.with {
            $0.put("code", code.rawValue)
            $0.put("message", message)
            $0.put("line", line)
            $0.put("column", column)
            if further > 0 { $0["further"] = .integer(further) }
        }
    }
}
