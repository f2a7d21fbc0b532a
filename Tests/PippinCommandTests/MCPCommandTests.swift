import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// `pippin mcp`, and `/mcp` of `pippin serve`, held against the protocol's official Python client in its newest version and in the one of
/// the revision before, and against what Docs/Agents.md shows.
@Suite(.slow) struct MCPCommandTests {
    /// The environments that `Scripts/setup.sh test` makes, and the revision that their client speaks.
    private static let clients = [
        (".build/agents/bin/python3", "2026-07-28"), (".build/agentsbefore/bin/python3", "2025-11-25"),
    ]
    private static let token = "0123456789abcdef0123456789abcdef"

    /// Runs `body` beside the demo's hosts, in a folder where they were crawled.
    private static func withJob(_ body: (_ folder: URL, _ page: String) async throws -> Void) async throws {
        let scratch = try ScratchFolder()
        let site = Repository.root.appending(path: "Examples/demo-site")
        try await DemoProcess.serving(site: site, folder: scratch.url) { demo in
            let crawled = try await PippinProcess.run(
                "pippin crawl --config crawl-config.yaml --quiet", in: scratch.url)
            #expect([0, 3].contains(crawled.status), "\(crawled.errors)")
            try await body(scratch.url, try demo.origin(of: "shop.example") + "/products/mug.html")
        }
    }

    private static func client(
        _ python: String, _ page: String, _ arguments: String, in folder: URL
    ) async throws -> PippinProcess {
        let path = Repository.root.appending(path: python).path
        try #require(
            FileManager.default.isExecutableFile(atPath: path), "This test needs \(python): run Scripts/setup.sh test.")
        let script = Repository.root.appending(path: "Scripts/mcp-client.py").path
        return try await PippinProcess.run("exec '\(path)' '\(script)' '\(page)' \(arguments)", in: folder)
    }

    @Test func `the official clients of both eras use every tool, over both transports`() async throws {
        try await Self.withJob { folder, page in
            for (python, revision) in Self.clients {
                let run = try await Self.client(
                    python, page, "stdio '\(PippinProcess.binary.path)' mcp --config crawl-config.yaml", in: folder)
                #expect(run.status == 0, "\(run.output)\n\(run.errors)")
                #expect(run.output.hasPrefix("connected: \(revision), pippin\n"), "\(run.output)")
                let steps = ["search", "record", "why", "robots", "association", "card"].map { "\n\($0): " }
                for step in steps + ["\nrefused: There is no record of"] {
                    #expect(run.output.contains(step), "\(run.output)")
                }
            }
            try await Self.served(folder) { url in
                for (python, revision) in Self.clients {
                    let all = try await Self.client(python, page, "http \(url) \(Self.token)", in: folder)
                    #expect(all.status == 0 && all.output.contains("card: "), "\(all.output)\n\(all.errors)")
                    #expect(all.output.hasPrefix("connected: \(revision), pippin\n"), "\(all.output)")
                    let search = try await Self.client(python, page, "http \(url) key-that-may-only-search", in: folder)
                    #expect(search.status == 0, "\(search.output)\n\(search.errors)")
                    #expect(search.output.contains("tools: search\n") && !search.output.contains("record: "))
                }
            }
        }
    }

    /// Serves the job while `body` runs, with a token and a key that may only search.
    private static func served(_ folder: URL, _ body: (_ url: String) async throws -> Void) async throws {
        for (name, text) in [("token.txt", token), ("keys.txt", "key-that-may-only-search")] {
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
        let arguments = [
            "serve", "--config", "crawl-config.yaml", "--port", "0", "--token-file", "token.txt", "--keys-file",
            "keys.txt",
        ]
        try await ServerProcess.serving(arguments, in: folder) { try await body($0 + "mcp") }
    }

    @Test func `the session of the page is what happens`() async throws {
        try await Self.withJob { folder, _ in
            let blocks = DocumentedBlock.all(of: "Docs/Agents.md").filter { $0.lines.first?.hasPrefix("> ") == true }
            let block = try #require(blocks.first)
            let sent = block.lines.filter { $0.hasPrefix("> ") }.map { String($0.dropFirst(2)) }
            try Data((sent.joined(separator: "\n") + "\n").utf8).write(to: folder.appending(path: "sent"))
            let run = try await PippinProcess.run("pippin mcp --config crawl-config.yaml < sent", in: folder)
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            let got = try run.output.split(separator: "\n").map {
                try JSONSerialization.jsonObject(with: Data($0.utf8))
            }
            let shown = block.lines.filter { $0.hasPrefix("< ") }.map { String($0.dropFirst(2)) }
            #expect(shown.count == got.count && shown.count >= 4)
            for line in shown {
                let sample = try JSONSerialization.jsonObject(with: Data(line.utf8))
                let faults = got.map { DocumentedBlock.difference(sample, $0) }
                #expect(faults.contains(nil), "\(line): \(faults.compactMap(\.self))")
            }
        }
    }

    @Test func `the clients' configurations of the page connect`() async throws {
        let blocks = DocumentedBlock.all(of: "Docs/Agents.md").filter { $0.language == "json" }
        var documents: [JSONValue] = []
        for block in blocks {
            var parser = JSONParser()
            documents.append(try parser.parse(block.lines.joined()))
        }
        let starting = documents.compactMap { $0["mcpServers"]?["pippin"] }
        let asking = documents.compactMap { $0["servers"]?["pippin"] }
        let (started, asked) = (try #require(starting.first), try #require(asking.first))
        #expect(started["command"]?.string == "pippin")
        let arguments = (started["args"]?.array ?? []).compactMap(\.string)
        #expect(arguments.count == 5)
        #expect(asked["type"]?.string == "http" && asked["url"]?.string?.hasSuffix("/mcp") == true)
        #expect(asked["headers"]?["Authorization"]?.string == "Bearer ${input:token}")
        try await Self.withJob { folder, page in
            let here = arguments.map {
                $0.replacing("/home/me/job", with: folder.path).replacing("crawl-data", with: "storage")
            }
            let run = try await Self.client(
                Self.clients[0].0, page, "stdio '\(PippinProcess.binary.path)' '\(here.joined(separator: "' '"))'",
                in: folder)
            #expect(run.status == 0, "\(run.output)\n\(run.errors)")
        }
    }

    @Test func `only messages are on standard output, and the end of the input is the end`() async throws {
        try await Self.withJob { folder, page in
            let lines = [
                "", "no JSON", String(repeating: "x", count: 10 << 20), #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
                #"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
                // It takes seconds, and nobody waits for it behind the end of the input.
                #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"card","arguments":{"url":"\#(page)"}}}"#,
                #"{"jsonrpc":"2.0","id":4,"method":"ping"}"#,
            ]
            try Data((lines.joined(separator: "\n") + "\nno end of a line").utf8).write(
                to: folder.appending(path: "sent"))
            let run = try await PippinProcess.run("pippin mcp --config crawl-config.yaml < sent", in: folder)
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            var parser = JSONParser()
            let answers = try run.output.split(separator: "\n").map { try parser.parse(Array($0.utf8)) }
            #expect(answers.compactMap { $0["error"]?["code"]?.integer } == [-32700, -32600, -32700])
            #expect(answers.compactMap { $0["id"]?.integer }.sorted() == [1, 2, 4])
            #expect(run.output.utf8.count < 10_000)
            try Data(lines[3].utf8).write(to: folder.appending(path: "sent"))
            let last = try await PippinProcess.run("pippin mcp --config crawl-config.yaml < sent", in: folder)
            #expect(last.output == #"{"jsonrpc":"2.0","id":1,"result":{}}"# + "\n", "\(last.output)\(last.errors)")
            let none = try await PippinProcess.run("pippin mcp --storage nowhere < /dev/null", in: folder)
            #expect(none.status == 6 && none.output.isEmpty, "\(none.errors)")
        }
    }
}
