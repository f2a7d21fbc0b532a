import PippinPage

/// The 64-bit FNV-1a hash, the same in every run.
struct StableHash: Sendable {
    private var hash = FNV1a()
    var value: UInt64 { hash.value }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        hash.add(bytes)
        // A separator, so that two texts do not hash like their concatenation.
        hash.add(0xFF)
    }

    mutating func add(_ text: String) { add(text.utf8) }

    mutating func add(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { add($0) }
    }

    /// Sixteen bits of the hash, never 0.
    var small: UInt16 {
        let folded = value ^ value >> 32
        return max(1, UInt16(truncatingIfNeeded: folded ^ folded >> 16))
    }
}
