import Foundation
import Testing

@testable import PippinCrawl

/// Two runs never write one output.
@Suite final class OutputLockTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-lock-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        // Left behind at worst, in a temporary folder.
        try? FileManager.default.removeItem(at: folder)
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    @Test func `an output has one writer at a time, whichever way its path is spelled`() throws {
        try Data("{}\n".utf8).write(to: folder.appending(path: "records.ndjson"))
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: "alias"), withDestinationURL: folder.appending(path: "records.ndjson"))
        do {
            let first = try OutputLock([.file(path("records.ndjson"), "the records")], owner: "storage one")
            for spelling in ["records.ndjson", "./records.ndjson", "alias"] {
                let error = #expect(throws: OutputLock.Held.self) {
                    try OutputLock([.file(path(spelling), "the records")], owner: "storage two")
                }
                let text = error?.description ?? ""
                #expect(text.contains(path(spelling)) && text.contains("storage one"), "\(text)")
                #expect(text.contains("process \(ProcessInfo.processInfo.processIdentifier)"), "\(text)")
            }
            withExtendedLifetime(first) {}
        }
        #expect(!FileManager.default.fileExists(atPath: path("records.ndjson.lock")))
        _ = try OutputLock([.file(path("records.ndjson"), "the records")], owner: "storage two")
    }

    @Test func `a run that cannot have one of its outputs leaves the others free`() throws {
        let other = try OutputLock([.folder(path("report"), "the report")], owner: "one")
        #expect(throws: OutputLock.Held.self) {
            try OutputLock([.file(path("log"), "the crawl log"), .folder(path("report/"), "the report")], owner: "two")
        }
        _ = try OutputLock([.file(path("log"), "the crawl log")], owner: "three")
        withExtendedLifetime(other) {}
    }

    @Test func `one place for two outputs of a run is refused`() throws {
        let error = #expect(throws: OutputLock.Shared.self) {
            try OutputLock([.file(path("x"), "the records"), .file(path("./x"), "the crawl log")], owner: "one")
        }
        #expect(error?.description.contains("for the records and for the crawl log") == true)
    }

    @Test func `what is no file is for everybody`() throws {
        let first = try OutputLock([.file("/dev/null", "the summary")], owner: "one")
        let second = try OutputLock([.file("/dev/null", "the summary")], owner: "two")
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a lock whose holder was killed is free, though its file is left`() throws {
        try Data("process 1, storage gone".utf8).write(to: folder.appending(path: "log.lock"))
        _ = try OutputLock([.file(path("log"), "the crawl log")], owner: "one")
    }
}

@Suite struct TroublesTests {
    private struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private func raised(_ troubles: Troubles) -> String {
        do {
            try troubles.raise()
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test func `every step is made, the first error counts and the others are told`() async {
        var troubles = Troubles()
        var steps: [Int] = []
        for number in 1...3 {
            await troubles.attempt {
                steps.append(number)
                throw Fault(description: "step \(number)")
            }
        }
        #expect(await troubles.attempt { 7 } == 7)
        #expect(steps == [1, 2, 3])
        #expect(raised(troubles) == "step 1; step 2; step 3")
    }

    @Test
    func `one trouble that several steps meet is told once, and why something stopped says more than that it did`()
        async
    {
        var troubles = Troubles()
        troubles.note(CancellationError())
        troubles.note(NDJSONSink.WriteError(path: "standard output", errorNumber: EPIPE))
        troubles.note(Fault(description: "disk"))
        troubles.note(Fault(description: "disk"))
        #expect(raised(troubles) == "disk")
        #expect(raised(Troubles()) == "none")
    }

    private struct FailingSink: RecordSink {
        let name: String
        let flushed: @Sendable (String) -> Void

        func write(_ changes: [RecordChange]) async throws {}
        func flush() async throws {
            flushed(name)
            throw Fault(description: name)
        }
    }

    @Test func `a sink that cannot be flushed does not keep the others from it`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let frontier = MemoryFrontier(sinks: ["a", "b"].map { FailingSink(name: $0) { continuation.yield($0) } })
        let error = await #expect(throws: Troubles.Several.self) { try await frontier.flush() }
        #expect(error?.description == "a; b")
        continuation.finish()
        #expect(await stream.reduce(into: []) { $0.append($1) } == ["a", "b"])
    }
}
