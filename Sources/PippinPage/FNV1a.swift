/// The 64-bit FNV-1a hash: the same in every run and on every machine, and quick for short texts. It is not cryptographic: who
/// wants two texts with the same hash can make them.
@frozen public struct FNV1a: Sendable, Hashable {
    /// Of the bytes added so far.
    public var value: UInt64 = 0xCBF2_9CE4_8422_2325

    @inlinable public init() {}

    /// - Parameter seed: makes another hash of the same bytes.
    @inlinable public init(seed: UInt64) { value ^= seed }

    /// The hash of all bytes.
    @inlinable public static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash = FNV1a()
        hash.add(bytes)
        return hash.value
    }

    @inlinable public mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    @inlinable public mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
    }
}
