import Foundation
import PippinCrawl
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinServe

@Suite struct ChangesAPITests {
    private static let addresses = (1...25).map { "https://kitchen.test/\($0)" }

    private static func storage() async throws -> ServedStorage {
        try await ServedStorage(addresses.map { .titled("Pie of \($0)", at: $0) })
    }

    @Test func `the feed comes in pages, and is what export writes`() async throws {
        let storage = try await Self.storage()
        defer { storage.remove() }
        try await storage.delete("https://kitchen.test/7")
        var exported: [JSONValue] = []
        try ChangeFeed(folder: storage.folder).read(since: nil) { change in
            var parser = JSONParser()
            exported.append(try parser.parse(change.document))
        }
        let all = exported
        #expect(all.count == 25 && all.last?["deleted"]?.bool == true)
        try await storage.served { client async throws in
            for limit in [1, 7, 100] {
                var (changes, after, isAtEnd, pages): ([JSONValue], String?, Bool?, Int) = ([], nil, false, 0)
                while isAtEnd == false, pages < 40 {
                    let answer = try await client.get(
                        LocalLink("/api/v1/changes", ["limit": "\(limit)", "after": after]).description
                    ).json()
                    let page = answer["changes"]?.array ?? []
                    #expect(page.count <= limit)
                    changes += page
                    after = answer["next"]?.string
                    isAtEnd = answer["isAtEnd"]?.bool
                    pages += 1
                }
                #expect(changes == all, "\(limit)")
                let end = try await client.get(WebClient.target("/api/v1/changes", "after", after ?? "")).json()
                #expect(end["changes"]?.array?.isEmpty == true && end["next"]?.string == after)
                #expect(end["isAtEnd"]?.bool == true)
            }
            let selected = try await client.get("/api/v1/changes?fields=title&limit=100").json()["changes"]?.array ?? []
            #expect(
                selected.first?.text()
                    == #"{"uniqueIdentifier":"https://kitchen.test/1","title":"Pie of https://kitchen.test/1"}"#)
            #expect(selected.last == all.last)
        }
    }

    @Test func `a cursor of another storage is gone`() async throws {
        let (storage, other) = (try await Self.storage(), try await Self.storage())
        defer { storage.remove() }
        defer { other.remove() }
        let foreign = try "\(ChangeFeed(folder: other.folder).end())"
        let own = try ChangeFeed(folder: storage.folder).end()
        try await storage.served { client async throws in
            for cursor in [foreign, "\(own.identity)-99999999"] {
                let reply = try await client.get(WebClient.target("/api/v1/changes", "after", cursor))
                #expect(reply.status == 410, "\(cursor)")
                #expect(reply.fields["content-type"] == "application/problem+json")
                #expect(reply.body.contains("begin without after"))
            }
        }
    }
}
