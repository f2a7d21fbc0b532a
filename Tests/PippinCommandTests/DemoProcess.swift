import Foundation
import Testing

/// The demo server in a process of its own. Inside the test's process it would share Swift's few threads with every other
/// test, and on a busy machine answer later than any client waits.
struct DemoProcess: Sendable {
    /// Origins by the host's name in the demo's folder: `shop.example` → `https://shop.localhost:45093`.
    private let origins: [String: String]
    /// What it says when it listens.
    let greeting: String
    /// The process.
    let identifier: Int32

    struct StartError: Error, CustomStringConvertible {
        let description: String
    }

    /// Serves `site` on free ports while `body` runs; `folder` gets `ca.pem`, among others.
    static func serving<Answer>(
        site: URL, folder: URL, _ body: (DemoProcess) async throws -> Answer
    ) async throws -> Answer {
        let (process, greeting) = try await PippinProcess.onItsOwnThread { try launch(site: site, folder: folder) }
        let answer: Result<Answer, any Error>
        do {
            answer = .success(try await body(DemoProcess(greeting, identifier: process.processIdentifier)))
        } catch {
            answer = .failure(error)
        }
        // It has nothing to finish. Who comes after may have its ports.
        kill(process.processIdentifier, SIGKILL)
        try await PippinProcess.onItsOwnThread { process.waitUntilExit() }
        return try answer.get()
    }

    func origin(of host: String) throws -> String {
        try #require(origins[host], "the demo serves \(origins.keys.sorted())")
    }

    private init(_ greeting: String, identifier: Int32) {
        self.greeting = greeting
        self.identifier = identifier
        var origins: [String: String] = [:]
        for line in greeting.split(separator: "\n") {
            let origin = line.trimmingCharacters(in: CharacterSet(charactersIn: " /"))
            guard origin.hasPrefix("https://"), let end = origin.range(of: ".localhost:") else { continue }
            origins[origin[..<end.lowerBound].dropFirst("https://".count) + ".example"] = origin
        }
        self.origins = origins
    }

    private static func launch(site: URL, folder: URL) throws -> (Process, String) {
        let process = Process()
        let pipe = Pipe()
        let errors = folder.appending(path: "demo-errors")
        try Data().write(to: errors)
        process.executableURL = PippinProcess.binary
        process.arguments = ["demo", "--port", "0", "--http-port", "0", "--site", site.path, "--folder", folder.path]
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        // It lists its hosts when it listens, in one piece.
        var text = ""
        while !text.contains("Try:\n") {
            let data = pipe.fileHandleForReading.availableData
            guard !data.isEmpty else {
                throw StartError(description: try String(contentsOf: errors, encoding: .utf8))
            }
            text += String(decoding: data, as: UTF8.self)
        }
        return (process, text)
    }
}
