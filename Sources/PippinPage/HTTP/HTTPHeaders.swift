/// The header fields of a response, in the order of arrival. Names are compared without regard to ASCII letter case (RFC 9110
/// §5.1).
public struct HTTPHeaders: Sendable, Hashable {
    /// One header field.
    public struct Field: Sendable, Hashable {
        /// The name as sent.
        public let name: String
        /// The value as sent.
        public let value: String
    }

    /// All fields, in order.
    public private(set) var fields: [Field]

    /// Starts with the given fields.
    public init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields.map { Field(name: $0.name, value: $0.value) }
    }

    /// Adds a field at the end.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The first value of a field; nil if the field is missing.
    public subscript(name: String) -> String? {
        fields.first { Self.sameName($0.name, name) }?.value
    }

    /// All values of a field that may be repeated, in order. Comma lists are not split.
    public func values(_ name: String) -> [String] {
        fields.filter { Self.sameName($0.name, name) }.map(\.value)
    }

    private static func sameName(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count
            && zip(a.utf8, b.utf8).allSatisfy { $0 == $1 || $0.asciiLowercased == $1.asciiLowercased }
    }
}
