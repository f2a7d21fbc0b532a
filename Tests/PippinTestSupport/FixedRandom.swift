import Simulation

/// The numbers of `SeededNumbers` for the library's own methods: `randomElement(using:)`, `Int.random(in:using:)`.
public struct FixedRandom: RandomNumberGenerator {
    private var numbers: SeededNumbers

    public init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

    public mutating func next() -> UInt64 { numbers.next() }

    /// A number below `bound`.
    public mutating func next(_ bound: Int) -> Int { numbers.upTo(bound) }
}
