/// How long things took, counted by classes of duration.
struct TimeHistogram: Sendable, Equatable {
    /// Upper ends of the classes, each included; a last class has all that took longer. From reading a page in half a millisecond
    /// to waiting for a slow host's turn for half an hour.
    static let bounds: [Duration] = [
        .microseconds(500), .milliseconds(1), .microseconds(2500), .milliseconds(5), .milliseconds(10),
        .milliseconds(25),
        .milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1), .milliseconds(2500),
        .seconds(5), .seconds(10), .seconds(30), .seconds(60), .seconds(300), .seconds(1800),
    ]

    /// One for each bound, and one for what took longer.
    private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    private(set) var sum = Duration.zero

    init() {}

    var count: Int { counts.reduce(0, +) }

    mutating func add(_ time: Duration) {
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
