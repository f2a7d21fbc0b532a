import Foundation

/// Python as a judge that shares no code with us: runs a script with the modules that it needs.
public struct PythonJudge: Sendable {
    public struct Verdict: Sendable {
        public let status: Int32
        /// What it printed, complaints included.
        public let output: String
    }

    private let python: String

    /// - Parameter modules: what the script imports beside the standard library. Which Python has it differs: Debian's
    ///   packages are the system's, warcio is in the environment that `Scripts/setup.sh test` makes.
    public init(importing modules: String...) throws {
        let imports = modules.map { "import \($0)\n" }.joined()
        for candidate in try TestTool.paths(of: "python3") + ["/usr/bin/python3"] {
            if modules.isEmpty || (try? Self.run(candidate, imports, [], input: []))?.status == 0 {
                python = candidate
                return
            }
        }
        throw TestTool.Failure(
            description: "This test needs Python with \(modules.joined(separator: ", ")): run Scripts/setup.sh test.")
    }

    /// Runs a script to its end.
    public func run(_ script: String, _ arguments: [String] = [], input: [UInt8] = []) throws -> Verdict {
        try Self.run(python, script, arguments, input: input)
    }

    private static func run(
        _ python: String, _ script: String, _ arguments: [String], input: [UInt8]
    ) throws -> Verdict {
        // In a file: a pipe would have to be filled while the output is read.
        let file = FileManager.default.temporaryDirectory.appending(path: "pippin-judge-\(UUID().uuidString)")
        try Data(input).write(to: file)
        defer { unlink(file.path) }
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = ["-c", script] + arguments
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Verdict(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
    }
}
