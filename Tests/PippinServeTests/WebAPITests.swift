import Foundation
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinServe

@Suite struct WebAPITests {
    @Test func `the description has exactly the routes of the API`() async throws {
        let description = APIDescription.json(WebRoutes.all, needsToken: false)
        var described: Set<String> = []
        for path in description["paths"]?.object?.members ?? [] {
            for operation in path.value.object?.members ?? [] { described.insert("\(operation.key) \(path.key)") }
        }
        let routed = WebRoutes.all.filter { $0.form == .json }.map { "\($0.method.rawValue.lowercased()) \($0.path)" }
        #expect(described == Set(routed))
        #expect(described.count == routed.count)
        let names = WebRoutes.all.compactMap(\.operation?.id)
        #expect(Set(names).count == names.count)
    }

    @Test func `every reference of the description leads somewhere`() {
        let description = APIDescription.json(WebRoutes.all, needsToken: true)
        for match in description.text().matches(of: /"\$ref":"#\/([^"]*)"/) {
            let target = match.1.split(separator: "/").reduce(description as JSONValue?) { $0?[String($1)] }
            #expect(target != nil, "\(match.1)")
        }
        #expect(description["components"]?["securitySchemes"]?["token"] != nil)
    }

    @Test(arguments: [
        "", "?url=", "?url=https://a.test/&url=https://b.test/", "?url=https://a.test/&x=1", "?url=%C3%BC", "?url=%zz",
        "?url=%ff",
        "?=", "?url=" + String(repeating: "a", count: 2_001),
    ])
    func `parameters that break the description are refused with a problem`(query: String) async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let reply = try await client.get("/api/v1/record\(query)")
            #expect(reply.status == 400)
            #expect(reply.fields["content-type"] == "application/problem+json")
            let problem = try reply.json()
            #expect(problem["status"]?.integer == 400)
            #expect(problem["type"]?.string == "about:blank" && problem["title"]?.string == "Bad Request")
            #expect(problem["detail"]?.string?.isEmpty == false)
        }
    }

    @Test func `an answer says that the index is still being made`() async throws {
        let storage = try await ServedStorage([.plain, .titled("Onion soup", at: "https://kitchen.test/soup")])
        defer { storage.remove() }
        // As long as it lives, the server leaves the index to it.
        let indexer = try SearchIndexer(folder: storage.folder)
        try indexer.startAnew()
        try indexer.catchUp(limit: 1)
        try await storage.served { client async throws in
            let answer = try await client.get("/api/v1/search?q=soup").json()
            #expect(answer["count"]?.integer == 0)
            #expect(answer["isCountExact"]?.bool == false)
            #expect(answer["isIndexComplete"]?.bool == false)
            let page = try await client.get("/?q=soup").body
            #expect(page.contains("No results yet"))
            #expect(page.contains("The index is still being made"))
        }
        withExtendedLifetime(indexer) {}
    }

    @Test func `what became of a URL is told, and what hosts say only by a server that asks them`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let known = try await client.get("/api/v1/why?url=https://kitchen.test/pie").json()
            #expect(known["verdict"]?.string == "recorded" && known["isKnown"]?.bool == true)
            #expect(known["record"]?.string == "https://kitchen.test/pie")
            #expect(known["decisions"]?.array?.contains { $0["name"]?.string == "record" } == true)
            let other = try await client.get("/api/v1/why?url=https://kitchen.test/none").json()
            #expect(other["verdict"]?.string == "never-seen" && other["isKnown"]?.bool == false)
            #expect(try await client.get("/api/v1/why?url=mailto:a").status == 404)
            for path in ["/api/v1/robots", "/api/v1/association"] {
                #expect(try await client.post(path, "url=https://kitchen.test/pie").status == 501)
                #expect(try await client.post(path, "url=ftp://kitchen.test/").status == 404)
                #expect(try await client.post(path, "").status == 400)
            }
            for agents in ["a%20b", "", "a,,b", "a,b,c,d,e,f,g,h,i,j,k"] {
                let reply = try await client.post("/api/v1/robots", "url=https://kitchen.test/&agents=\(agents)")
                #expect(reply.status == 400, "\(agents)")
            }
        }
    }

    @Test func `a record comes with its history and what links to it`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let answer = try await client.get("/api/v1/record?url=https://kitchen.test/pie").json()
            #expect(answer["record"]?["title"]?.string == "Apple pie")
            #expect(answer["linkedFrom"]?["isComplete"]?.bool == true)
            let missing = try await client.get("/api/v1/record?url=https://kitchen.test/none")
            #expect(missing.status == 404)
            #expect(try missing.json()["status"]?.integer == 404)
            #expect(try await client.get("/api/v1/nothing").fields["content-type"] == "application/problem+json")
        }
    }
}
