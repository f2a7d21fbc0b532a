import Foundation
import Testing

@testable import PippinCrawl
@testable import PippinPage

@Suite struct NDJSONSinkTests {
    private func deletion(_ number: Int) -> RecordChange {
        .delete(
            RecordDeletion(
                uniqueIdentifier: "https://a.test/\(number)", reason: "gone", at: Date(timeIntervalSince1970: 0)))
    }

    private func temporaryFile() -> String {
        FileManager.default.temporaryDirectory.appending(path: "pippin-\(UUID().uuidString)/out/records.ndjson").path
    }

    @Test func `every change is one line, and what was there before goes or stays as asked`() async throws {
        let path = temporaryFile()
        let sink = try NDJSONSink(path: path)
        try await sink.write((0..<3).map(deletion))
        try await sink.write([deletion(3)])
        try await sink.flush()
        func lines() throws -> [Substring] {
            try String(contentsOf: URL(filePath: path), encoding: .utf8).split(separator: "\n")
        }
        #expect(try lines().count == 4)
        #expect(try lines().allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
        let appending = try NDJSONSink(path: path, appending: true)
        try await appending.write([deletion(4)])
        try await appending.flush()
        #expect(try lines().count == 5)
        _ = try NDJSONSink(path: path)
        #expect(try lines().isEmpty)
    }

    @Test func `a full disk and a folder that cannot be made are errors with the path`() async throws {
        let sink = try NDJSONSink(path: "/dev/full")
        try await sink.write([deletion(1)])
        await #expect(throws: NDJSONSink.WriteError(path: "/dev/full", errorNumber: ENOSPC)) { try await sink.flush() }
        await #expect(throws: NDJSONSink.WriteError.self) { try await sink.write([deletion(2)]) }
        #expect(throws: NDJSONSink.WriteError.self) { try NDJSONSink(path: "/dev/null/records.ndjson") }
    }

    @Test func `a reader that went away is told apart`() async throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        let sink = NDJSONSink(descriptor: ends[1], name: "standard output")
        try await sink.write([deletion(1)])
        do {
            try await sink.flush()
            Issue.record("writing into a closed pipe succeeded")
        } catch let error as NDJSONSink.WriteError {
            #expect(error.isClosedPipe)
            #expect(error.description.hasPrefix("standard output: "))
        }
        close(ends[1])
    }
}
