/// Numbers that look random and are the same in every run (SplitMix64).
public struct SeededNumbers: Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number below `limit`, which is at least 1.
    public mutating func upTo(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }

    /// The first number below `limit`.
    public func first(upTo limit: Int) -> Int {
        var copy = self
        return copy.upTo(limit)
    }

    /// A number that belongs to a text.
    public static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
