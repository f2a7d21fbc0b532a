import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinServe

/// Whatever is wrong with a request for the API, the answer is a problem object (RFC 9457).
@Suite struct APIProblemsTests {
    private static let token = "0123456789abcdef0123456789abcdef"

    private func expectProblem(_ reply: WebClient.Reply, _ status: Int, _ what: String) throws {
        #expect(reply.status == status, "\(what)")
        #expect(reply.fields["content-type"] == "application/problem+json", "\(what)")
        let problem = try reply.json()
        #expect(problem["type"]?.string == "about:blank", "\(what)")
        #expect(problem["title"]?.string?.isEmpty == false, "\(what)")
        #expect(problem["status"]?.integer == status, "\(what)")
        #expect(problem["detail"]?.string?.last.map { ".?".contains($0) } == true, "\(what)")
    }

    private static let routes = WebRoutes.all.filter { $0.path.hasPrefix("/api/") || $0.path == "/openapi.json" }

    @Test func `every route has problems for methods, parameters, bodies and tokens`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        let authorization = ["Authorization: Bearer \(Self.token)"]
        #expect(Self.routes.count >= 9)
        try await storage.served(token: Self.token) { client async throws in
            for (number, route) in Self.routes.enumerated() {
                let (path, name) = (route.path, "\(route.method) \(route.path)")
                for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
                    let reply = try await client.send(
                        "\(method) \(path) HTTP/1.1", ["Host: 127.0.0.1:\(client.port)"] + authorization)
                    try expectProblem(reply, 405, "\(method) \(path)")
                }
                func ask(_ query: String, _ body: String? = nil, _ fields: [String]) async throws -> WebClient.Reply {
                    guard route.method == .post else { return try await client.get(path + query, fields) }
                    let isJSON = route.operation?.body != nil
                    return try await client.post(
                        path + query, body ?? "", fields, type: isJSON ? "application/json" : WebRequest.formType)
                }
                try expectProblem(try await ask("", nil, []), 401, name)
                // Ten guesses at a token may come at once.
                if number < 10 {
                    try expectProblem(try await ask("", nil, ["Authorization: Bearer wrong-token-wrong"]), 401, name)
                }
                try expectProblem(try await ask("?colour=red", nil, authorization), 400, name)
                try expectProblem(try await ask("?a=%zz", nil, authorization), 400, name)
                try expectProblem(try await ask("?a=1&a=2", nil, authorization), 400, name)
                let long = String(repeating: "a", count: WebLimits.targetBytes)
                try expectProblem(try await ask("?\(long)", nil, authorization), 414, name)
                let fields = (0..<40).map { "X-\($0): " + String(repeating: "b", count: 1_000) }
                try expectProblem(try await ask("", nil, authorization + fields), 431, name)
                if route.method == .post {
                    let body = String(repeating: "a", count: WebLimits.bodyBytes + 1)
                    try expectProblem(try await ask("", body, authorization), 413, name)
                    let other = try await client.post(path, "a", authorization, type: "text/plain")
                    try expectProblem(other, 415, name)
                    try expectProblem(
                        try await ask("", nil, authorization + ["Sec-Fetch-Site: cross-site"]), 403, name)
                }
                let parameters = route.operation?.parameters ?? []
                if parameters.contains(where: \.isRequired) {
                    try expectProblem(try await ask("", "", authorization), 400, name)
                }
                let required = parameters.filter(\.isRequired).map { "\($0.name)=https://kitchen.test/pie" }
                for parameter in parameters {
                    for value in Self.broken(parameter) {
                        let text =
                            (required.filter { !$0.hasPrefix("\(parameter.name)=") } + ["\(parameter.name)=\(value)"])
                            .joined(separator: "&")
                        let reply = try await ask(route.method == .get ? "?\(text)" : "", text, authorization)
                        try expectProblem(reply, 400, "\(name) \(parameter.name)=\(value)")
                    }
                }
            }
            for path in ["/api", "/api/", "/api/v1", "/api/v2/search", "/api/v1/search/", "/api/v1/Search"] {
                let reply = try await client.get(path, authorization)
                #expect(reply.status == 404)
                if path != "/api" { try expectProblem(reply, 404, path) }
            }
            let record = WebClient.target("/api/v1/record", "url", "https://kitchen.test/none")
            try expectProblem(try await client.get(record, authorization), 404, "unknown record")
            let feed = WebClient.target("/api/v1/changes", "after", "9f3c61d2a8b04e57-1042")
            try expectProblem(try await client.get(feed, authorization), 410, "foreign cursor")
        }
    }

    /// Values that break what the description says.
    private static func broken(_ parameter: APIParameter) -> [String] {
        switch parameter.kind {
        case .text(let length): ["", String(repeating: "a", count: length.upperBound + 1), "%ff"]
        case .address: ["", "%C3%BC", String(repeating: "a", count: WebLimits.urlLength + 1)]
        case .number(let range, _):
            ["", "x", "1.5", "%2B1", "\(range.lowerBound - 1)", "\(range.upperBound + 1)", "99999999999999999999"]
        case .flag: ["", "1", "yes", "TRUE"]
        case .fields:
            ["", ",", "title,", "titel", "title.text", "deepLinks.", "custom", "url,url.x"].filter { $0 != "custom" }
        case .words(let maximum):
            ["", ",", "a b", "a,", "%C3%BC", Array(repeating: "a", count: maximum + 1).joined(separator: ",")]
        case .choice(let words): ["", "x", (words.first ?? "").uppercased(), words.joined(separator: ",")]
        case .cursor: ["", "x", "9f3c-", "9f3c-99999999999999999999", "9f3c-5-9-3", String(repeating: "A", count: 64)]
        }
    }

    @Test func `a search has no cursor of another query, and none besides an offset`() async throws {
        let storage = try await ServedStorage([.plain, .titled("Pie chart", at: "https://kitchen.test/chart")])
        defer { storage.remove() }
        try await storage.served { client async throws in
            let next = try await client.get("/api/v1/search?q=pie&limit=1").json()["next"]?.string ?? ""
            #expect(next.utf8.count == 64)
            try expectProblem(try await client.get("/api/v1/search?q=apple&cursor=\(next)"), 400, "other query")
            try expectProblem(try await client.get("/api/v1/search?q=pie&offset=1&cursor=\(next)"), 400, "offset")
            try expectProblem(try await client.get("/api/v1/search?q=pie&exact=true&cursor=\(next)"), 400, "exact")
            #expect(try await client.get("/api/v1/search?q=pie&cursor=\(next)").status == 200)
        }
    }

    @Test func `a body that is no list of queries is a problem, and a query without answer has one`()
        async throws
    {
        let storage = try await ServedStorage([.plain, .titled("Pie chart", at: "https://kitchen.test/chart")])
        defer { storage.remove() }
        try await storage.served { client async throws in
            func post(_ body: String) async throws -> WebClient.Reply {
                try await client.post("/api/v1/search", body, type: "application/json; charset=utf-8")
            }
            let many = Array(repeating: "{\"q\":\"pie\"}", count: WebLimits.queriesAtOnce + 1).joined(separator: ",")
            for body in [
                "", "{", "[]", "{}", "7", "{\"queries\":[]}", "{\"queries\":{}}", "{\"queries\":[\(many)]}",
                "{\"queries\":[{\"q\":\"pie\"}]} x", "{\"queries\":[],\"queries\":[{\"q\":\"pie\"}]}",
                "{\"queries\":[{\"q\":\"pie\"}],\"limit\":1}",
            ] { try expectProblem(try await post(body), 400, body) }
            let broken = [
                "{}", "7", "\"pie\"", "{\"q\":7}", "{\"q\":\"\"}", "{\"q\":\"pie\",\"limit\":\"10\"}",
                "{\"q\":\"pie\",\"limit\":101}",
                "{\"q\":\"pie\",\"limit\":1.5}", "{\"q\":\"pie\",\"exact\":\"true\"}",
                "{\"q\":\"pie\",\"colour\":\"red\"}",
                "{\"q\":\"pie\",\"fields\":\"title\"}", "{\"q\":\"pie\",\"fields\":[\"titel\"]}",
                "{\"q\":\"pie\",\"fields\":[\"title,url\"]}", "{\"q\":\"pie\",\"fields\":[]}",
                "{\"q\":\"pie\",\"cursor\":\"x\"}", "{\"q\":\"pie\",\"offset\":null}",
            ]
            for query in broken {
                let reply = try await post("{\"queries\":[{\"q\":\"pie\"},\(query)]}")
                try expectProblem(reply, 400, query)
                #expect(reply.body.contains("In query 2: "), "\(query)")
            }
            // The cursor of another query is of the right form.
            let next = try await client.get("/api/v1/search?q=pie&exact=true&limit=1").json()["next"]?.string ?? ""
            let others = [
                "{\"q\":\"pie\",\"cursor\":\"\(next)\"}", "{\"q\":\"pie\",\"offset\":1,\"cursor\":\"\(next)\"}",
            ]
            let queries = ["{\"q\":\"pie\"}"] + others + ["{\"q\":\"apple\",\"limit\":1.0}"]
            let reply = try await post("{\"queries\":[\(queries.joined(separator: ","))]}")
            #expect(reply.status == 200)
            let results = try reply.json()["results"]?.array ?? []
            #expect(results.map { $0["count"]?.integer } == [2, nil, nil, 1])
            #expect(results.map { $0["problem"]?["status"]?.integer } == [nil, 400, 400, nil])
            #expect(results[1]["problem"]?["detail"]?.string?.contains("of an answer to this query") == true)
        }
    }
}
