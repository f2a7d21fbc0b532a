/// Values by name, for names that are mostly looked up in vain: those of a page's `meta` elements.
struct NameTable<Value: Sendable>: Sendable {
    private let values: [String: Value]
    /// A bit for each name by its length, its first and its last byte. Most other names have none and need not be hashed.
    private let bits: [UInt64]

    /// - Parameter values: of two values of one name, the last counts.
    init(_ values: some Sequence<(String, Value)>) {
        self.values = Dictionary(values) { $1 }
        var bits = [UInt64](repeating: 0, count: 64)
        for var name in self.values.keys {
            let bit = name.withUTF8(Self.bit)
            bits[bit >> 6] |= 1 << UInt64(bit & 63)
        }
        self.bits = bits
    }

    subscript(_ name: String) -> Value? {
        var name = name
        return name.withUTF8 { self[$0] }
    }

    subscript(_ name: UnsafeBufferPointer<UInt8>) -> Value? {
        let bit = Self.bit(of: name)
        guard bits[bit >> 6] & 1 << UInt64(bit & 63) != 0 else { return nil }
        return values[String(decoding: name, as: UTF8.self)]
    }

    private static func bit(of name: UnsafeBufferPointer<UInt8>) -> Int {
        guard let first = name.first else { return 0 }
        return (Int(first) &* 31 &+ Int(name[name.count - 1]) &* 257 &+ name.count &* 131) & 4_095
    }
}
