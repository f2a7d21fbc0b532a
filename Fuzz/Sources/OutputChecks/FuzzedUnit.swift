import Foundation

/// One input of a fuzz target: tells how long the slowest took for its size, and ends the process when one takes too long.
///
/// The limit is 50 ms of processor a kilobyte, for inputs of a kilobyte or more (a shorter one pays for what every input costs).
/// Instrumented code is slower: `FUZZ_FACTOR`, 1 without it, says how much, and the times are divided by it.
public enum FuzzedUnit {
    private static let slowestAllowed = 50.0
    private static let factor = ProcessInfo.processInfo.environment["FUZZ_FACTOR"].flatMap { Double($0) } ?? 1
    // The fuzzer runs one input at a time.
    nonisolated(unsafe) private static var slowest = 0.0
    nonisolated(unsafe) private static var isTold = false

    public static func run(_ data: UnsafePointer<UInt8>?, _ count: Int, _ property: ([UInt8]) -> Void) -> CInt {
        if !isTold {
            isTold = true
            atexit { FuzzedUnit.tell() }
        }
        let bytes = Array(UnsafeBufferPointer(start: data, count: count))
        var milliseconds = time(property, bytes)
        guard count >= 1024 else { return 0 }
        let kilobytes = Double(count) / 1024
        // A busy host charges its own pauses to the process. A unit that is slow is slow every time.
        for _ in 0..<2 where milliseconds / kilobytes > slowestAllowed {
            milliseconds = min(milliseconds, time(property, bytes))
        }
        let rate = milliseconds / kilobytes
        slowest = max(slowest, rate)
        if rate > slowestAllowed {
            tell()
            // The fuzzer keeps the input of a process that traps.
            fatalError("a slow unit: \(Int(rate)) ms/KB")
        }
        return 0
    }

    private static func tell() {
        FileHandle.standardError.write(Data("slowest unit: \((slowest * 1000).rounded() / 1000) ms/KB\n".utf8))
    }

    /// Milliseconds of processor time, without what the instrumentation costs.
    private static func time(_ property: ([UInt8]) -> Void, _ bytes: [UInt8]) -> Double {
        let start = processorTime()
        property(bytes)
        return (processorTime() - start) / 1e6 / factor
    }

    /// Nanoseconds of this process.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
