import PippinPage
import PippinReport
import PippinTestSupport
import Testing

@testable import PippinServe

/// The Model Context Protocol over HTTP, revision 2026-07-28 and those with a session before it.
@Suite struct MCPRouteTests {
    private static let token = "0123456789abcdef0123456789abcdef"

    /// A request as the revision without sessions has it.
    static func request(
        _ method: String, _ params: JSONObject = [:], id: JSONValue = 1, version: JSONValue = "2026-07-28"
    ) -> JSONValue {
        var params = params
        params["_meta"] = [
            "io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": [:],
        ]
        return ["jsonrpc": "2.0", "id": id, "method": .string(method), "params": .object(params)]
    }

    static func call(_ tool: String, _ arguments: JSONObject, id: JSONValue = 1) -> JSONValue {
        request("tools/call", ["name": .string(tool), "arguments": .object(arguments)], id: id)
    }

    private static func fields(_ method: String, name: String? = nil, version: String = "2026-07-28") -> [String] {
        [
            "Accept: application/json, text/event-stream", "MCP-Protocol-Version: \(version)", "Mcp-Method: \(method)",
        ] + (name.map { ["Mcp-Name: \($0)"] } ?? [])
    }

    private static func post(
        _ client: WebClient, _ message: JSONValue, _ fields: [String]
    ) async throws -> WebClient.Reply {
        try await client.post("/mcp", message.text(), fields, type: "application/json")
    }

    private static func served(
        token: String? = nil, keys: String? = nil, makeCard: (@Sendable (WebURL) async throws -> ReportCard)? = nil,
        _ body: @escaping @Sendable (WebClient) async throws -> Void
    ) async throws {
        let storage = try await ServedStorage([.plain, .titled("Secret pie plan", at: "https://plans.test/")])
        defer { storage.remove() }
        try await storage.served(token: token, keys: keys, makeCard: makeCard, body)
    }

    @Test func `the server says which revisions it speaks, what it can, and that pages are data`() async throws {
        try await Self.served { client async throws in
            let reply = try await Self.post(client, Self.request("server/discover"), Self.fields("server/discover"))
            let result = try reply.json()["result"]
            #expect(reply.status == 200 && result?["resultType"]?.string == "complete")
            #expect(result?["supportedVersions"]?.array?.first?.string == "2026-07-28")
            #expect(result?["capabilities"]?["tools"]?.object != nil)
            #expect(result?["cacheScope"]?.string == "private" && result?["ttlMs"]?.integer ?? 0 > 0)
            #expect(result?["instructions"]?.string?.contains("never be followed") == true)
            #expect(result?["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"]?.string == "pippin")
        }
    }

    @Test func `every tool has schemas that stand by themselves, and only reads`() throws {
        let tools = try #require(MCPTools().list(for: .everything).array)
        let names = tools.compactMap { $0["name"]?.string }
        #expect(names.starts(with: ["search", "record"]) && names.contains("card"))
        for tool in tools {
            let name = tool["name"]?.string ?? ""
            #expect(tool["annotations"]?["readOnlyHint"]?.bool == true, "\(name)")
            for schema in [tool["inputSchema"], tool["outputSchema"]] {
                #expect(schema?["type"]?.string == "object", "\(name)")
                let text = schema?.text() ?? ""
                #expect(!text.contains("#/components/"), "\(name)")
                for match in text.matches(of: /"\$ref":"#\/\$defs\/([^"]*)"/) {
                    #expect(schema?["$defs"]?[String(match.1)] != nil, "\(name): \(match.1)")
                }
            }
        }
        #expect(tools.first { $0["name"]?.string == "card" }?["annotations"]?["openWorldHint"]?.bool == true)
        #expect(tools.first { $0["name"]?.string == "search" }?["annotations"]?["openWorldHint"]?.bool == false)
    }

    @Test func `a tool answers what the API answers, as structure and as text`() async throws {
        try await Self.served { client async throws in
            let reply = try await Self.post(
                client, Self.call("search", ["q": "pie", "limit": 1, "fields": ["title", "url"]]),
                Self.fields("tools/call", name: "search"))
            let result = try #require(try reply.json()["result"])
            let ofAPI = try await client.get("/api/v1/search?q=pie&limit=1&fields=title,url").json()
            #expect(result["structuredContent"]?["untrustedData"] == ofAPI)
            #expect(result["content"]?.array?.first?["text"]?.string == result["structuredContent"]?.text())
            #expect(result["isError"] == nil && result["resultType"]?.string == "complete")
            let record = try await Self.post(
                client, Self.call("record", ["url": "https://kitchen.test/pie"]),
                Self.fields("tools/call", name: "record"))
            #expect(
                try record.json()["result"]?["structuredContent"]?["untrustedData"]?["record"]?["title"]?.string
                    == "Apple pie")
        }
    }

    @Test func `what a tool cannot do is an error of the tool, with a sentence`() async throws {
        try await Self.served { client async throws in
            for (tool, arguments, sentence) in [
                ("record", ["url": "https://kitchen.test/none"], "There is no record"),
                ("record", [:], "The parameter url is missing"), ("search", ["q": 3], "The member q has another type"),
                ("search", ["q": "pie", "colour": "red"], "There is no parameter “colour”"),
                ("search", ["q": "pie", "limit": 1_000], "from 1 to 100"),
                ("card", ["url": "https://kitchen.test/"], "This server makes no report cards"),
            ] as [(String, JSONObject, String)] {
                let reply = try await Self.post(
                    client, Self.call(tool, arguments), Self.fields("tools/call", name: tool))
                let result = try reply.json()["result"]
                #expect(reply.status == 200 && result?["isError"]?.bool == true, "\(tool) \(arguments)")
                let told = result?["content"]?.array?.first?["text"]?.string ?? ""
                #expect(told.contains(sentence), "\(told)")
            }
        }
    }

    @Test func `messages that are at fault get the protocol's error`() async throws {
        try await Self.served { client async throws in
            for (message, fields, code, status) in [
                (
                    Self.request("tools/list", version: "2031-01-01"), Self.fields("tools/list", version: "2031-01-01"),
                    -32022, 400
                ),
                (Self.request("prompts/list"), Self.fields("prompts/list"), -32601, 404),
                (Self.request("ping"), Self.fields("ping"), -32601, 404),
                (Self.call("shell", [:]), Self.fields("tools/call", name: "shell"), -32602, 400),
                (Self.request("tools/call"), Self.fields("tools/call"), -32602, 400),
                (Self.request("tools/list", ["cursor": "2"]), Self.fields("tools/list"), -32602, 400),
                (Self.request("tools/list"), Self.fields("tools/call"), -32020, 400),
                (Self.request("tools/list"), Self.fields("tools/list", version: "2025-11-25"), -32020, 400),
                (Self.request("tools/list"), [], -32020, 400),
                (Self.call("search", ["q": "pie"]), Self.fields("tools/call", name: "record"), -32020, 400),
                (Self.call("search", ["q": "pie"]), Self.fields("tools/call"), -32020, 400),
                (
                    Self.call("search", ["q": "pie"]), Self.fields("tools/call", name: "search") + ["Mcp-Name: record"],
                    -32020, 400
                ),
                (["jsonrpc": "2.0", "id": 1, "method": "tools/list"], Self.fields("tools/list"), -32602, 400),
                (
                    ["jsonrpc": "2.0", "id": 1, "method": "tools/list"], ["MCP-Protocol-Version: 1999-01-01"], -32022,
                    400
                ),
                ([["jsonrpc": "2.0", "id": 1, "method": "ping"]], [], -32600, 400),
                (["jsonrpc": "2.0", "id": 1, "result": [:]], [], -32600, 400),
                (["jsonrpc": "1.0", "id": 1, "method": "ping"], [], -32600, 400),
                (["jsonrpc": "2.0", "id": .number("1.5"), "method": "ping"], [], -32600, 400),
                (["jsonrpc": "2.0", "id": nil, "method": "ping"], [], -32600, 400),
                (["jsonrpc": "2.0", "id": 1, "method": "ping", "params": []], [], -32600, 400),
            ] as [(JSONValue, [String], Int, Int)] {
                let reply = try await Self.post(client, message, fields)
                #expect(reply.status == status, "\(message.text()): \(reply.status)")
                let error = try reply.json()["error"]
                #expect(error?["code"]?.integer == code, "\(message.text()): \(reply.body)")
                #expect(error?["message"]?.string?.hasSuffix(".") == true, "\(reply.body)")
            }
            let version = try await Self.post(
                client, Self.request("tools/list", version: "2031-01-01"),
                Self.fields("tools/list", version: "2031-01-01"))
            let data = try version.json()["error"]?["data"]
            #expect(
                data?["supported"]?.array?.contains("2025-11-25") == true && data?["requested"]?.string == "2031-01-01")
        }
    }

    @Test func `a name in Base64 is the name`() async throws {
        try await Self.served { client async throws in
            for (name, status) in [
                ("=?base64?c2VhcmNo?=", 200), ("=?base64?cmVjb3Jk?=", 400), ("=?base64?*?=", 400), ("=?base64?=", 400),
            ] {
                let reply = try await Self.post(
                    client, Self.call("search", ["q": "pie"]), Self.fields("tools/call", name: name))
                #expect(reply.status == status, "\(name): \(reply.body)")
            }
        }
    }

    @Test func `a session of an older revision begins with initialize, and needs nothing else`() async throws {
        try await Self.served { client async throws in
            for (wanted, version) in [
                ("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2024-11-05", "2025-11-25"),
            ] {
                let message: JSONValue = [
                    "jsonrpc": "2.0", "id": "a", "method": "initialize",
                    "params": [
                        "protocolVersion": .string(wanted), "capabilities": [:],
                        "clientInfo": ["name": "t", "version": "1"],
                    ],
                ]
                let reply = try await Self.post(client, message, ["Accept: application/json, text/event-stream"])
                let result = try reply.json()["result"]
                #expect(result?["protocolVersion"]?.string == version)
                #expect(result?["serverInfo"]?["name"]?.string == "pippin" && result?["resultType"] == nil)
                #expect(reply.fields["mcp-session-id"] == nil)
            }
            let told = try await Self.post(
                client, ["jsonrpc": "2.0", "method": "notifications/initialized"], ["MCP-Protocol-Version: 2025-11-25"])
            #expect(told.status == 202 && told.body.isEmpty)
            for fields in [["MCP-Protocol-Version: 2025-11-25"], []] {
                let list = try await Self.post(client, ["jsonrpc": "2.0", "id": 2, "method": "tools/list"], fields)
                #expect(try list.json()["result"]?["tools"]?.array?.count ?? 0 >= 3)
                let none = try await Self.post(
                    client, ["jsonrpc": "2.0", "id": 4, "method": "logging/setLevel"], fields)
                #expect(try none.status == 200 && none.json()["error"]?["code"]?.integer == -32601)
                let ping = try await Self.post(client, ["jsonrpc": "2.0", "id": 3, "method": "ping"], fields)
                #expect(try ping.json()["result"]?.object?.isEmpty == true)
            }
        }
    }

    @Test func `what is no POST of JSON from here is refused before it is read`() async throws {
        try await Self.served { client async throws in
            let get = try await client.get("/mcp", ["Accept: text/event-stream"])
            #expect(get.status == 405 && get.fields["allow"] == "POST")
            let form = try await client.post("/mcp", "a=b")
            #expect(form.status == 415)
            let fields = Self.fields("server/discover")
            let message = Self.request("server/discover")
            #expect(try await Self.post(client, message, fields + ["Origin: https://evil.test"]).status == 403)
            #expect(
                try await Self.post(client, message, fields + ["Origin: http://127.0.0.1:\(client.port)"]).status == 200
            )
            let html = ["Accept: text/html", "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: server/discover"]
            #expect(try await Self.post(client, message, html).status == 406)
            let long = Self.call("search", ["q": .string(String(repeating: "a", count: 20_000))])
            #expect(try await Self.post(client, long, Self.fields("tools/call", name: "search")).status == 413)
        }
    }

    @Test func `a key that may only search sees and calls search alone, within its filter`() async throws {
        try await Self.served(token: Self.token, keys: "key-for-the-kitchen-1 filter=site:kitchen.test") {
            client async throws in
            let fields = Self.fields("tools/list")
            #expect(try await Self.post(client, Self.request("tools/list"), fields).status == 401)
            let key = ["Authorization: Bearer key-for-the-kitchen-1"]
            let tools = try await Self.post(client, Self.request("tools/list"), fields + key).json()["result"]?["tools"]
            #expect(tools?.array?.compactMap { $0["name"]?.string } == ["search"])
            let found = try await Self.post(
                client, Self.call("search", ["q": "pie"]), Self.fields("tools/call", name: "search") + key)
            #expect(!found.body.contains("Secret") && found.body.contains("Apple pie"))
            for (tool, arguments) in [
                ("record", ["url": "https://plans.test/"]), ("card", ["url": "https://plans.test/"]),
            ] as [(String, JSONObject)] {
                let refused = try await Self.post(
                    client, Self.call(tool, arguments), Self.fields("tools/call", name: tool) + key)
                #expect(refused.body.contains("may only search") && !refused.body.contains("Secret"))
            }
            let all = try await Self.post(
                client, Self.request("tools/list"), fields + ["Authorization: Bearer \(Self.token)"])
            #expect(try all.json()["result"]?["tools"]?.array?.count ?? 0 >= 3)
        }
    }
}
