import Foundation

/// A program of the system that tests run: found in PATH, or the test says what to install.
public struct TestTool: Sendable {
    /// Whether this is the fast tier of the tests (`make test-fast`), which starts no other programs.
    static let isFastRun = ProcessInfo.processInfo.environment["PIPPIN_FAST_TESTS"] != nil

    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    private let path: String

    public init(_ name: String) throws(Failure) {
        guard let found = try Self.paths(of: name).first else {
            throw Failure(
                description:
                    "This test needs the program \(name), which is not in PATH: install it, or run Scripts/setup.sh test."
            )
        }
        path = found
    }

    /// The folder that it lies in.
    public var folder: String { URL(filePath: path).deletingLastPathComponent().path }

    /// Where programs of a name are, the first to be preferred.
    static func paths(of name: String) throws(Failure) -> [String] {
        if isFastRun {
            throw Failure(
                description: "This test starts \(name): mark it with .slow, and make test-fast skips it.")
        }
        // Servers live in sbin, which is not in every user's PATH.
        let judges = Repository.root.appending(path: ".build/judges/bin").path
        let folders = "\(judges):" + (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/usr/local/sbin"
        return folders.split(separator: ":").map { "\($0)/\(name)" }
            .filter(FileManager.default.isExecutableFile(atPath:))
    }

    /// Runs it to its end in `folder`; what it printed is in the error if it failed.
    public func run(_ arguments: [String], in folder: URL) throws {
        let log = folder.appending(path: "\(UUID().uuidString).log")
        let process = try start(arguments, in: folder, log: log)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = try String(contentsOf: log, encoding: .utf8)
            throw Failure(description: "\(path) \(arguments.joined(separator: " ")) failed: \(text)")
        }
    }

    /// Starts it in `folder`; what it prints goes to the file `log`.
    public func start(_ arguments: [String], in folder: URL, log: URL) throws -> Process {
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try output.close()
        return process
    }
}
