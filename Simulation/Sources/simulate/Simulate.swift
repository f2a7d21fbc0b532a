import Foundation
import Simulation

/// `simulate SIZE FIRST-LAST` runs the plans of seeds; `simulate "seed=… hosts=…"` runs one plan. With `PIPPIN_SIZES=FILE`, one plan
/// writes what its files took after each process, as CSV. Ends with 1 if a promise was broken,
/// and with 3 if something rare never happened in a night of 1,000 seeds or more.
@main
struct Simulate {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let memory = URL(filePath: "/dev/shm")
        let scratch =
            FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        if arguments.count == 1, let plan = Plan(arguments[0]) {
            let report = try await Simulation.run(plan, scratch: scratch)
            show(plan, report)
            if let path = ProcessInfo.processInfo.environment["PIPPIN_SIZES"] {
                let lines = [StorageSizes.header] + report.sizes.map(\.line)
                try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
            }
            exit(report.violations.isEmpty ? 0 : 1)
        }
        let range = arguments.last?.split(separator: "-").compactMap { UInt64($0) } ?? []
        guard arguments.count == 2, let size = Plan.Size(rawValue: arguments[0]), let first = range.first,
            let last = range.last, first <= last
        else {
            print("usage: simulate small|year|large FIRST-LAST, or simulate \"PLAN\" as a failing seed prints it")
            exit(2)
        }
        exit(try await run(size, first...last, scratch: scratch))
    }

    private static func run(_ size: Plan.Size, _ seeds: ClosedRange<UInt64>, scratch: URL) async throws -> Int32 {
        let start = ContinuousClock.now
        var (failed, requests, lines) = (0, 0, 0)
        var rare: [RarePath: Int] = [:]
        try await Simulation.run(size, seeds, scratch: scratch) { seed, report in
            requests += report.requests
            lines += report.lines
            rare.merge(report.rare, uniquingKeysWith: +)
            guard !report.violations.isEmpty else {
                if seeds.count == 1 { show(Plan(seed: seed, size: size), report) }
                return
            }
            failed += 1
            guard failed <= 3 else {
                print("seed \(seed) fails: \(report.violations[0])")
                return
            }
            let (plan, smallest) = try await Simulation.shrink(Plan(seed: seed, size: size), scratch: scratch)
            print("seed \(seed) fails. The smallest plan that fails too:")
            show(plan, smallest)
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            "\(seeds.count) seeds in \(Int(seconds)) s, \((Double(seeds.count) / seconds).formatted(.number.precision(.fractionLength(1)))) a second: "
                + "\(failed) failed; \(requests) requests, \(lines) lines of records")
        for path in RarePath.allCases { print("  \(path.rawValue): \(rare[path] ?? 0)") }
        let unmet = RarePath.allCases.filter { rare[$0] == nil }
        if failed > 0 { return 1 }
        return seeds.count >= 1_000 && !unmet.isEmpty ? 3 : 0
    }

    /// Prints at once, also into a pipe.
    private static func print(_ text: String) {
        Swift.print(text)
        fflush(nil)
    }

    private static func show(_ plan: Plan, _ report: SimulationReport) {
        for line in report.trace { print("  \(line)") }
        for line in report.lastRequests { print("    \(line)") }
        for violation in report.violations.prefix(5) { print("  ✗ \(violation)") }
        print("  fingerprint \(String(report.fingerprint, radix: 16)), again: make simulate PLAN=\"\(plan)\"")
    }
}
