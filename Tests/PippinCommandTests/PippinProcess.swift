import Foundation
import PippinTestSupport
import Testing

/// Runs the `pippin` that was built beside the tests.
struct PippinProcess {
    let status: Int32
    let output: String
    let errors: String

    static let binary: URL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "pippin")

    /// - Parameter line: a line as one types it into a shell; `pippin` in it is the binary under test.
    static func run(_ line: String, in folder: URL) async throws -> PippinProcess {
        try await onItsOwnThread { try runAndWait(line, in: folder) }
    }

    /// What blocks would keep one of the threads that Swift's tasks share.
    static func onItsOwnThread<Value: Sendable>(_ body: @Sendable @escaping () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }

    private static func runAndWait(_ line: String, in folder: URL) throws -> PippinProcess {
        let output = folder.appending(path: "output-\(UUID().uuidString)")
        let errors = folder.appending(path: "errors-\(UUID().uuidString)")
        defer {
            for file in [output, errors] where FileManager.default.fileExists(atPath: file.path) {
                try? FileManager.default.removeItem(at: file)
            }
        }
        for file in [output, errors] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", line]
        process.currentDirectoryURL = folder
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = binary.deletingLastPathComponent().path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        let ended = PippinProcess(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
        // Help lists statuses: `1 findings`.
        for text in [ended.output, ended.errors] where !line.contains("--help") {
            if let fault = NumberWords.fault(in: text) { Issue.record("\(line) says: \(fault)") }
        }
        return ended
    }
}
