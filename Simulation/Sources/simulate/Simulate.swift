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
        let written: [(any SimulationPlan)?] =
            arguments.count == 1 ? [Plan(arguments[0]), ClusterPlan(arguments[0])] : []
        if let plan = written.lazy.compactMap(\.self).first {
            let report = try await plan.run(scratch: scratch)
            show(plan, report)
            if let path = ProcessInfo.processInfo.environment["PIPPIN_SIZES"] {
                let lines = [StorageSizes.header] + report.sizes.map(\.line)
                try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
            }
            exit(report.violations.isEmpty ? 0 : 1)
        }
        let range = arguments.last?.split(separator: "-").compactMap { UInt64($0) } ?? []
        let size = arguments.first.flatMap { Plan.Size(rawValue: $0) }
        guard arguments.count == 2, size != nil || arguments[0] == "cluster", let first = range.first,
            let last = range.last, first <= last
        else {
            print(
                "usage: simulate small|year|large|cluster FIRST-LAST, or simulate \"PLAN\" as a failing seed prints it")
            exit(2)
        }
        if let size {
            exit(try await run(first...last, { Plan(seed: $0, size: size) }, meeting: RarePath.ofJob, scratch: scratch))
        }
        exit(try await run(first...last, { ClusterPlan(seed: $0) }, meeting: RarePath.ofCluster, scratch: scratch))
    }

    private static func run<Plan: SimulationPlan>(
        _ seeds: ClosedRange<UInt64>, _ plan: @escaping @Sendable (UInt64) -> Plan, meeting expected: Set<RarePath>,
        scratch: URL
    ) async throws -> Int32 {
        let start = ContinuousClock.now
        var (failed, requests, lines) = (0, 0, 0)
        var rare: [RarePath: Int] = [:]
        try await Simulation.run(seeds, plan, scratch: scratch) { seed, report in
            requests += report.requests
            lines += report.lines
            rare.merge(report.rare, uniquingKeysWith: +)
            guard !report.violations.isEmpty else {
                if seeds.count == 1 { show(plan(seed), report) }
                return
            }
            failed += 1
            guard failed <= 3 else {
                print("seed \(seed) fails: \(report.violations[0])")
                return
            }
            let (smaller, smallest) = try await Simulation.shrink(plan(seed), scratch: scratch)
            print("seed \(seed) fails. The smallest plan that fails too:")
            show(smaller, smallest)
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            "\(seeds.count) seeds in \(Int(seconds)) s, \((Double(seeds.count) / seconds).formatted(.number.precision(.fractionLength(1)))) a second: "
                + "\(failed) failed; \(requests) requests, \(lines) lines of records")
        for path in RarePath.allCases where expected.contains(path) { print("  \(path.rawValue): \(rare[path] ?? 0)") }
        let unmet = expected.filter { rare[$0] == nil }
        if failed > 0 { return 1 }
        return seeds.count >= 1_000 && !unmet.isEmpty ? 3 : 0
    }

    /// Prints at once, also into a pipe.
    private static func print(_ text: String) {
        Swift.print(text)
        fflush(nil)
    }

    private static func show(_ plan: some SimulationPlan, _ report: SimulationReport) {
        for line in report.trace { print("  \(line)") }
        for line in report.lastRequests { print("    \(line)") }
        for violation in report.violations.prefix(5) { print("  ✗ \(violation)") }
        print("  fingerprint \(String(report.fingerprint, radix: 16)), again: make simulate PLAN=\"\(plan)\"")
    }
}
