import Foundation
import PippinPage
import PippinTestSupport
import Testing

@testable import PippinStore

/// Pages that wait in a file between who receives pings and the job's next run.
@Suite struct PingInboxTests {
    private static let at = Date(timeIntervalSince1970: 1_795_000_000)

    private func urls(_ paths: String...) throws -> [WebURL] {
        try paths.map { try #require(WebURL("https://h.example\($0)")) }
    }

    /// What a run gets, and how many lines it cannot read.
    private func taken(_ inbox: PingInbox) async throws -> (paths: [String], unreadable: Int) {
        var paths: [String] = []
        let unreadable = try await inbox.take { changes in
            #expect(changes.allSatisfy { $0.at == Self.at })
            paths += changes.map(\.url.path)
        }
        return (paths, unreadable)
    }

    @Test func `what was received is taken once`() async throws {
        let folder = try ScratchFolder()
        let inbox = PingInbox(folder.url.appending(path: "new"))
        #expect(inbox.isEmpty)
        #expect(try await taken(inbox).paths == [])
        #expect(try inbox.add(urls("/a", "/b"), at: Self.at))
        #expect(try inbox.add(urls("/c"), at: Self.at) && !inbox.isEmpty)
        #expect(try await taken(inbox).paths == ["/a", "/b", "/c"])
        #expect(inbox.isEmpty)
        #expect(try await taken(inbox).paths == [])
    }

    @Test func `a run that fails leaves all to the next one, and what comes meanwhile too`() async throws {
        struct Trouble: Error {}
        let folder = try ScratchFolder()
        let inbox = PingInbox(folder.url)
        #expect(try inbox.add(urls("/a"), at: Self.at))
        await #expect(throws: Trouble.self) { _ = try await inbox.take { _ in throw Trouble() } }
        #expect(try inbox.add(urls("/b"), at: Self.at))
        #expect(try await taken(inbox).paths == ["/a", "/b"])
    }

    @Test func `half a line of a program that was killed costs no other line`() async throws {
        let folder = try ScratchFolder()
        try folder.write("{\"url\":\"https://h.example/a\",\"a", to: "pings.ndjson")
        let inbox = PingInbox(folder.url)
        #expect(try inbox.add(urls("/b"), at: Self.at))
        let found = try await taken(inbox)
        #expect(found.paths == ["/b"] && found.unreadable == 1)
    }

    @Test func `foreign lines are counted and left out`() async throws {
        let folder = try ScratchFolder()
        let lines = [
            "null", "[]", "x", #"{"url":7,"at":"2026-01-01T00:00:00Z"}"#,
            #"{"url":"file:///etc/passwd","at":"2026-01-01"}"#,
            #"{"url":"https://h.example/"}"#, #"{"url":"https://h.example/","at":"soon"}"#,
        ]
        try folder.write(lines.joined(separator: "\n"), to: "pings.ndjson")
        let found = try await taken(PingInbox(folder.url))
        #expect(found.paths.isEmpty && found.unreadable == lines.count)
    }

    @Test func `what has no room is not taken by half`() async throws {
        let folder = try ScratchFolder()
        let inbox = PingInbox(folder.url, maximumBytes: 150)
        #expect(try inbox.add(urls("/a", "/b"), at: Self.at))
        #expect(try !inbox.add(urls("/c"), at: Self.at))
        #expect(try await taken(inbox).paths == ["/a", "/b"])
        #expect(try inbox.add(urls("/c"), at: Self.at))
    }

    @Test func `more than one piece is handed on in order`() async throws {
        let folder = try ScratchFolder()
        let inbox = PingInbox(folder.url)
        let many = try (0..<2_500).map { try #require(WebURL("https://h.example/\($0)")) }
        #expect(try inbox.add(many, at: Self.at))
        #expect(try await taken(inbox).paths == many.map(\.path))
    }
}
