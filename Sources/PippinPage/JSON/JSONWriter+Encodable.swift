import Foundation

extension JSONWriter {
    /// Writes a value as its `Codable` conformance has it, so that `JSONDecoder` reads it back. Members without a value are left
    /// out, a date is a text (RFC 3339), and the keys of a dictionary are sorted.
    public mutating func encoded(_ value: some Encodable) throws {
        let encoder = WritingEncoder(self)
        try encoder.write(value)
        self = encoder.writer
    }
}

/// Writes while a value encodes itself. Stored forms do without nested arrays and super encoders.
private final class WritingEncoder: Encoder {
    private(set) var writer: JSONWriter
    /// How to end the containers that are open, outermost first.
    private var ends: [(inout JSONWriter) -> Void] = []

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ writer: JSONWriter) { self.writer = writer }

    func write(_ value: some Encodable) throws {
        switch value {
        case let text as String: writer.string(text)
        case let flag as Bool: writer.bool(flag)
        case let number as any BinaryInteger: writer.integer(Int(clamping: number))
        case let number as Double: writer.double(number)
        case let date as Date: writer.string(InternetTime.text(date))
        case let members as [String: any Encodable]:
            writer.beginObject()
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                writer.key(key)
                try write(value)
            }
            writer.endObject()
        default:
            let outer = ends.count
            try value.encode(to: self)
            while ends.count > outer { ends.removeLast()(&writer) }
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        writer.beginObject()
        ends.append { $0.endObject() }
        return KeyedEncodingContainer(Members(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writer.beginArray()
        ends.append { $0.endArray() }
        return Elements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Elements(encoder: self) }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: WritingEncoder
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) {
            encoder.writer.key(key.stringValue)
            encoder.writer.null()
        }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            encoder.writer.key(key.stringValue)
            try encoder.write(value)
        }

        /// The last thing in its container: the associated values of a case, as Swift encodes them.
        func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Inner> {
            encoder.writer.key(key.stringValue)
            return encoder.container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey: Key) -> any UnkeyedEncodingContainer { WritingEncoder.isNotNested() }
        func superEncoder() -> any Encoder { WritingEncoder.isNotNested() }
        func superEncoder(forKey: Key) -> any Encoder { WritingEncoder.isNotNested() }
    }

    /// The elements of an array, or one value.
    private struct Elements: UnkeyedEncodingContainer, SingleValueEncodingContainer {
        let encoder: WritingEncoder
        var count = 0
        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil() {
            count += 1
            encoder.writer.null()
        }

        mutating func encode<Value: Encodable>(_ value: Value) throws {
            count += 1
            try encoder.write(value)
        }

        func nestedContainer<Inner: CodingKey>(keyedBy: Inner.Type) -> KeyedEncodingContainer<Inner> {
            WritingEncoder.isNotNested()
        }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { WritingEncoder.isNotNested() }
        func superEncoder() -> any Encoder { WritingEncoder.isNotNested() }
    }

    private static func isNotNested() -> Never {
        preconditionFailure("A form that JSONWriter encodes must have no nested arrays and no super encoder.")
    }
}
