/// The 64-bit FNV-1a hash: the same in every run and on every machine, and quick for short texts. It is not cryptographic: an
/// attacker can make texts with equal hashes.
@frozen public struct FNV1a: Sendable, Hashable {
    /// The hash of the bytes added so far.
    public var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Starts with the hash of no bytes.
    @inlinable public init() {}

    /// Starts a different hash function.
    ///
    /// - Parameter seed: with another seed, the same bytes have another hash.
    @inlinable public init(seed: UInt64) { value ^= seed }

    /// The hash of all bytes.
    @inlinable public static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash = FNV1a()
        hash.add(bytes)
        return hash.value
    }

    /// Adds a byte.
    @inlinable public mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    /// Adds bytes, in order.
    @inlinable public mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
    }
}
