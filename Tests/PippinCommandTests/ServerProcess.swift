import Foundation
import Testing

/// `pippin serve` or `pippin notify` in a process of its own.
enum ServerProcess {
    /// Serves while `body` runs, which gets the address that the server says when it listens.
    ///
    /// - Parameter arguments: of pippin; port 0 takes a free one.
    static func serving(
        _ arguments: [String], in folder: URL, _ body: (_ address: String) async throws -> Void
    ) async throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = PippinProcess.binary
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        let greeting = try await PippinProcess.onItsOwnThread {
            try process.run()
            return String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        }
        let result: Result<Void, any Error>
        do {
            let address = try #require(greeting.firstMatch(of: /http:\/\/\S+\//), "\(greeting)")
            result = .success(try await body(String(address.0)))
        } catch {
            result = .failure(error)
        }
        process.terminate()
        try await PippinProcess.onItsOwnThread { process.waitUntilExit() }
        try result.get()
    }
}
