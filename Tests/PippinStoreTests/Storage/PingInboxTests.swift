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
        let result = try await inbox.take { changes in
            #expect(changes.allSatisfy { $0.at == Self.at })
            paths += changes.map(\.url.path)
            return []
        }
        #expect(result.waitOn == 0 && result.lost == 0)
        return (paths, result.unreadable)
    }

    @Test func `what was received is taken once`() async throws {
        let folder = try ScratchFolder()
        let inbox = PingInbox(folder.url.appending(path: "new"))
        #expect(try await taken(inbox).paths == [])
        let file = try #require(try inbox.add(urls("/a", "/b"), at: Self.at))
        let same = try #require(try inbox.add(urls("/c"), at: Self.at))
        #expect(same.isSame(as: file) && inbox.holds(file))
        #expect(try await taken(inbox).paths == ["/a", "/b", "/c"])
        #expect(!inbox.holds(file))
        #expect(try await taken(inbox).paths == [])
    }

    @Test func `a run that fails leaves all to the next one, and what comes meanwhile too`() async throws {
        struct Trouble: Error {}
        let folder = try ScratchFolder()
        let inbox = PingInbox(folder.url)
        #expect(try inbox.add(urls("/a"), at: Self.at) != nil)
        await #expect(throws: Trouble.self) { _ = try await inbox.take { _ in throw Trouble() } }
        #expect(try inbox.add(urls("/b"), at: Self.at) != nil)
        #expect(try await taken(inbox).paths == ["/a", "/b"])
    }

    @Test func `half a line of a program that was killed costs no other line`() async throws {
        let folder = try ScratchFolder()
        try folder.write("{\"url\":\"https://h.example/a\",\"a", to: "pings.ndjson")
        let inbox = PingInbox(folder.url)
        #expect(try inbox.add(urls("/b"), at: Self.at) != nil)
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
        #expect(try inbox.add(urls("/a", "/b"), at: Self.at) != nil)
        #expect(try inbox.add(urls("/c"), at: Self.at) == nil)
        #expect(try await taken(inbox).paths == ["/a", "/b"])
        #expect(try inbox.add(urls("/c"), at: Self.at) != nil)
    }

    @Test func `more than one piece is handed on in order`() async throws {
        let folder = try ScratchFolder()
        let inbox = PingInbox(folder.url)
        let many = try (0..<2_500).map { try #require(WebURL("https://h.example/\($0)")) }
        #expect(try inbox.add(many, at: Self.at) != nil)
        #expect(try await taken(inbox).paths == many.map(\.path))
    }

    /// File systems give the number of a file that is gone to the next one.
    @Test func `a file that another program has begun is not the one that was taken`() async throws {
        let folder = try ScratchFolder()
        let (inbox, other) = (PingInbox(folder.url), PingInbox(folder.url))
        for _ in 0..<20 {
            let file = try #require(try inbox.add(urls("/a"), at: Self.at))
            #expect(try await taken(other).paths == ["/a"])
            let next = try #require(try other.add(urls("/b"), at: Self.at))
            #expect(!inbox.holds(file) && !next.isSame(as: file) && inbox.holds(next))
            #expect(try await taken(other).paths == ["/b"])
        }
    }

    @Test func `what a run cannot take waits on, also of a run that died`() async throws {
        struct Trouble: Error {}
        let folder = try ScratchFolder()
        let inbox = PingInbox(folder.url)
        #expect(try inbox.add(urls("/a", "/b"), at: Self.at) != nil)
        await #expect(throws: Trouble.self) { _ = try await inbox.take { _ in throw Trouble() } }
        #expect(try inbox.add(urls("/c", "/d"), at: Self.at) != nil)
        let result = try await inbox.take { $0.filter { ["/b", "/c"].contains($0.url.path) } }
        #expect(result.waitOn == 2 && result.lost == 0 && result.unreadable == 0)
        #expect(try await taken(inbox).paths.sorted() == ["/b", "/c"])
        #expect(try await taken(inbox).paths == [])
    }

    @Test func `what waits on has no more room than others`() async throws {
        let folder = try ScratchFolder()
        let inbox = PingInbox(folder.url, maximumBytes: 150)
        let new = try urls("/c", "/d")
        #expect(try inbox.add(urls("/a", "/b"), at: Self.at) != nil)
        let result = try await inbox.take { changes in
            let added = try inbox.add(new, at: Self.at)
            #expect(added != nil)
            return changes
        }
        #expect(result.waitOn == 0 && result.lost == 2)
        #expect(try await taken(inbox).paths == ["/c", "/d"])
    }
}
