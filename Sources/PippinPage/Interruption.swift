import Synchronization

/// Lets somebody else end a reading: whoever reads foreign bytes looks at it every few hundred steps, and returns early with
/// what it has. The result of an interrupted reading is worthless, and its caller throws it away; so no note says it.
///
/// It only ever goes from not set to set.
public final class Interruption: Sendable {
    private let flag = Atomic(false)

    public init() {}

    /// Whether the reading should return. Looking costs as much as reading a variable; what was written before the flag was
    /// set is not promised to be seen.
    public var isSet: Bool { flag.load(ordering: .relaxed) }

    public func set() { flag.store(true, ordering: .relaxed) }
}
