/// A histogram of durations.
public struct TimeHistogram: Sendable, Equatable {
    /// The upper ends of the classes, inclusive. A last class has all longer durations. They range from half a millisecond
    /// (reading a page) to half an hour (waiting for a slow host's turn).
    static let bounds: [Duration] = [
        .microseconds(500), .milliseconds(1), .microseconds(2500), .milliseconds(5), .milliseconds(10),
        .milliseconds(25),
        .milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1), .milliseconds(2500),
        .seconds(5), .seconds(10), .seconds(30), .seconds(60), .seconds(300), .seconds(1800),
    ]

    /// The count of each class: one for each bound, and one for longer durations.
    private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    private(set) var sum = Duration.zero

    public init() {}

    /// How many durations were counted.
    public var count: Int { counts.reduce(0, +) }

    /// Counts a duration.
    public mutating func add(_ time: Duration) {
        var low = 0
        var high = Self.bounds.count
        while low < high {
            let middle = (low + high) / 2
            if time <= Self.bounds[middle] { high = middle } else { low = middle + 1 }
        }
        counts[low] += 1
        sum += time
    }
}
