import Foundation
import PippinTestSupport
import Testing

@Suite struct AssociationCommandTests {
    private static let apple = #"""
        {"applinks": {"details": [{"appIDs": ["ABCDE12345.org.example.shop"], "components": [
          {"/": "/buy/old/*", "exclude": true},
          {"/": "/buy/*"}]}]}}
        """#
    private static let android =
        #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app","package_name":"org.example.shop","sha256_cert_fingerprints":["\#(Array(repeating: "A7", count: 32).joined(separator: ":"))"]}}]"#

    // MARK: Files

    @Test func `Apple's file is shown and asked`() async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.apple, to: "aasa")
        let shown = try await PippinProcess.run("pippin association aasa", in: folder.url)
        #expect(shown.status == 0)
        #expect(
            shown.output == """
                apple-app-site-association by its content, \(Self.apple.utf8.count) bytes
                ABCDE12345.org.example.shop
                  line 2: NOT /buy/old/*
                  line 3: /buy/*

                """)
        for (path, answer, status) in [
            ("/buy/1", "match  ABCDE12345.org.example.shop  /buy/*  (line 3)\n", 0 as Int32),
            ("/buy/old/1", "block  ABCDE12345.org.example.shop  NOT /buy/old/*  (line 2)\n", 1),
            ("https://example.org/sell", "unset\n", 1),
        ] {
            let run = try await PippinProcess.run("pippin association - --match \(path) < aasa", in: folder.url)
            #expect(run.output == answer && run.status == status, "\(run.errors)")
        }
        let bare = try await PippinProcess.run("pippin association aasa --match /buy", in: folder.url)
        #expect(
            bare.output.hasPrefix(
                "match  ABCDE12345.org.example.shop  /buy/*  (line 3)\nnote: Only the rule for slashes decides"))
        let traced = try await PippinProcess.run("pippin association aasa --match /Buy --trace", in: folder.url)
        #expect(traced.output.contains("upper and lower case"))
        let other = try await PippinProcess.run("pippin association aasa --match /buy/1 --app A.b", in: folder.url)
        #expect(other.output == "unset\n")
    }

    @Test func `asset links are told by what is in them`() async throws {
        let folder = try ScratchFolder()
        try folder.write("\n" + Self.android, to: "links")
        let shown = try await PippinProcess.run("pippin association links", in: folder.url)
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.hasPrefix("assetlinks.json by its content, "))
        #expect(shown.output.contains("org.example.shop: delegate_permission/common.handle_all_urls\n"))
        let run = try await PippinProcess.run("pippin association links --match /any", in: folder.url)
        #expect(run.output.hasPrefix("match  org.example.shop  (line 2)\nnote: "), "\(run.output)")
        let json = try await PippinProcess.run("pippin association links --match /any --json", in: folder.url)
        #expect(json.output.contains("\"outcome\": \"vouched\""), "\(json.output)")

        try folder.write("[7]", to: "bad")
        let bad = try await PippinProcess.run("pippin association bad", in: folder.url)
        #expect(bad.status == 1)
        #expect(
            bad.output.hasSuffix(
                "error: line 1, column 2: The statement does not count: it is a number and no object. [assetlinks-malformed-statement]\n"
            ))
        try folder.write("nothing", to: "assetlinks.json")
        let named = try await PippinProcess.run("pippin association assetlinks.json --match /", in: folder.url)
        #expect(named.status == 1 && named.output.isEmpty)
        #expect(named.errors.contains("line 1, column 1: The file is not valid JSON"), "\(named.errors)")
    }

    @Test func `wrong usage is told`() async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.apple, to: "aasa")
        for line in ["pippin association missing", "pippin association aasa --match nowhere", "pippin association"] {
            let run = try await PippinProcess.run(line, in: folder.url)
            #expect(run.status == 2 && run.output.isEmpty, "\(line)")
        }
        let domain = try await PippinProcess.run("pippin association example.org", in: folder.url)
        #expect(domain.status == 2)
        #expect(domain.errors.contains("--contact"))
    }

    // MARK: Domains

    /// Serves a site of some hosts over HTTPS.
    private func serving<Answer>(
        _ files: [String: String], _ body: (URL, DemoProcess) async throws -> Answer
    ) async throws -> Answer {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        for (path, text) in files {
            let file = folder.appending(path: "site/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return try await DemoProcess.serving(site: folder.appending(path: "site"), folder: folder) { demo in
            try await body(folder, demo)
        }
    }

    private static let flags = "--allow-private-networks --ca-file ca.pem"
    private static let json = #"{"headers": {"Content-Type": "application/json"}}"#

    @Test func `the files of a domain are fetched, shown and asked`() async throws {
        let files = [
            "good.example/.well-known/apple-app-site-association": Self.apple,
            "good.example/.well-known/assetlinks.json": Self.android,
            "good.example/responses.json":
                #"{"/.well-known/apple-app-site-association": \#(Self.json), "/.well-known/assetlinks.json": \#(Self.json)}"#,
        ]
        try await serving(files) { folder, demo in
            let origin = try demo.origin(of: "good.example")
            let shown = try await PippinProcess.run("pippin association \(origin) \(Self.flags)", in: folder)
            #expect(shown.status == 0, "\(shown.output)\(shown.errors)")
            #expect(shown.output.contains("\(origin)/.well-known/apple-app-site-association: good\n"))
            #expect(shown.output.contains("\(origin)/apple-app-site-association: none\n"))
            #expect(shown.output.contains("\(origin)/.well-known/assetlinks.json: good\n"))
            #expect(!shown.output.contains("error:"))
            let domain = origin.replacing("https://", with: "")
            let match = try await PippinProcess.run(
                "pippin association \(domain) --match /buy/1 \(Self.flags)", in: folder)
            #expect(match.status == 0, "\(match.errors)")
            #expect(
                match.output.hasPrefix(
                    "match  ABCDE12345.org.example.shop  /buy/*  (line 3)\nmatch  org.example.shop  (line 1)\n"))
            let json = try await PippinProcess.run("pippin association \(origin) --json \(Self.flags)", in: folder)
            #expect(json.output.contains("\"inForce\": true"))
            let foreign = try await PippinProcess.run(
                "pippin association \(origin) --match https://elsewhere.example/ \(Self.flags)", in: folder)
            #expect(foreign.status == 2)
        }
    }

    @Test func `a redirect is not followed, and the copy at the root is told from the other`() async throws {
        let moved = "/.well-known/apple-app-site-association"
        let files = [
            "moved.example/apple-app-site-association": Self.apple,
            "moved.example/responses.json":
                #"{"\#(moved)": {"status": 301, "location": "/apple-app-site-association"}}"#,
            "two.example/.well-known/apple-app-site-association": Self.apple,
            "two.example/apple-app-site-association": #"{"applinks":{}}"#,
        ]
        try await serving(files) { folder, demo in
            let origin = try demo.origin(of: "moved.example")
            let run = try await PippinProcess.run("pippin association \(origin) \(Self.flags)", in: folder)
            #expect(run.status == 1)
            #expect(run.output.contains("which devices do not follow. [association-redirected]"), "\(run.output)")
            #expect(run.output.contains("[aasa-root-only]"))
            let two = try await PippinProcess.run(
                "pippin association \(try demo.origin(of: "two.example")) \(Self.flags)", in: folder)
            #expect(two.output.contains("[aasa-root-copy-differs]"), "\(two.output)")
        }
    }

    @Test func `robots rules, certificates and hosts without files are told`() async throws {
        let files = [
            "closed.example/robots.txt": "User-agent: *\nDisallow: /.well-known/",
            "closed.example/.well-known/apple-app-site-association": Self.apple,
            "empty.example/index.html": "<p>",
        ]
        try await serving(files) { folder, demo in
            let closed = try demo.origin(of: "closed.example")
            let run = try await PippinProcess.run("pippin association \(closed) \(Self.flags)", in: folder)
            #expect(run.output.contains("[association-disallowed]"), "\(run.output)")
            let asked = try await PippinProcess.run(
                "pippin association \(closed) --match /buy/1 \(Self.flags)", in: folder)
            #expect(asked.status == 1 && asked.output.isEmpty && asked.errors.contains("association-disallowed"))
            let empty = try demo.origin(of: "empty.example")
            let none = try await PippinProcess.run("pippin association \(empty) \(Self.flags)", in: folder)
            #expect(none.status == 1 && none.output.contains("[association-missing]"), "\(none.output)")
            let untrusted = try await PippinProcess.run(
                "pippin association \(empty) --allow-private-networks", in: folder)
            #expect(untrusted.status == 1 && untrusted.output.contains("[association-no-tls]"), "\(untrusted.output)")
            #expect(untrusted.errors.contains("Add its authority with --ca-file"), "\(untrusted.errors)")
        }
    }
}
