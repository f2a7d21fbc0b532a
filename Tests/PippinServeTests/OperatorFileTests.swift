import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinServe

/// Files of the operator that change while the server runs.
@Suite struct OperatorFileTests {
    private struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    /// The lines of a file, as long as none is `bad`.
    private static func lines(_ path: String) throws -> [String] {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        if lines.contains("bad") { throw Unusable(description: "a line is bad") }
        return lines
    }

    @Test func `a file is read again when it has changed, and one that cannot be used changes nothing`() throws {
        let folder = try ScratchFolder()
        let path = folder.url.appending(path: "keys").path
        let now = Mutex(ContinuousClock.now)
        let reads = Mutex(0)
        var day: Double = 1
        /// Writes the file, long ago: each time on another day.
        func write(_ text: String) throws {
            try folder.write(text, to: "keys")
            day += 1
            let date = Date(timeIntervalSince1970: 1_000_000 + day * 86_400)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
        try write("one")
        let read = { @Sendable (path: String) throws -> [String] in
            reads.withLock { $0 += 1 }
            return try Self.lines(path)
        }
        let file = try OperatorFile(path, clock: { now.withLock { $0 } }, read: read)
        var told: [String] = []
        func value(after seconds: Double = 1) -> [String] {
            now.withLock { $0 += .seconds(seconds) }
            return file.value { told.append($0) }
        }
        #expect(value(after: 0.5) == ["one"])
        try write("one\ntwo")
        #expect(value(after: 0.4) == ["one"], "It is looked at once a second.")
        #expect(value() == ["one", "two"])
        for _ in 0..<5 { #expect(value() == ["one", "two"]) }
        #expect(reads.withLock { $0 } == 2)
        try write("bad")
        for _ in 0..<3 { #expect(value() == ["one", "two"]) }
        #expect(told == ["a line is bad; what the file said before counts"])
        try FileManager.default.removeItem(atPath: path)
        for _ in 0..<3 { #expect(value() == ["one", "two"]) }
        #expect(told.count == 2)
        try write("three")
        #expect(value() == ["three"])
        try write("bad")
        #expect(value() == ["three"])
        #expect(told.count == 3)
    }

    @Test func `of a file that cannot be used nothing counts, if that was asked for`() throws {
        let folder = try ScratchFolder()
        try folder.write("one", to: "keys")
        let now = Mutex(ContinuousClock.now)
        let path = folder.url.appending(path: "keys").path
        let file = try OperatorFile(path, otherwise: ["none"], clock: { now.withLock { $0 } }, read: Self.lines)
        var told: [String] = []
        for (text, expected) in [("one", ["one"]), ("bad", ["none"]), ("two", ["two"])] {
            try folder.write(text, to: "keys")
            now.withLock { $0 += .seconds(1) }
            #expect(file.value { told.append($0) } == expected)
        }
        try FileManager.default.removeItem(atPath: path)
        for _ in 0..<2 {
            now.withLock { $0 += .seconds(1) }
            #expect(file.value { told.append($0) } == ["none"])
        }
        #expect(told.first == "a line is bad; nothing of the file counts any more" && told.count == 2)
    }

    @Test func `a second change within the same moment is seen`() throws {
        let folder = try ScratchFolder()
        let path = folder.url.appending(path: "keys").path
        try folder.write("one", to: "keys")
        let now = Mutex(ContinuousClock.now)
        let file = try OperatorFile(path, clock: { now.withLock { $0 } }, read: Self.lines)
        var date = Date()
        for text in ["two", "six", "ten"] {
            try folder.write(text, to: "keys")
            // The same time and size.
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
            date = try #require(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
            now.withLock { $0 += .seconds(1) }
            #expect(file.value { Issue.record("\($0)") } == [text])
        }
    }
}
