import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// What foreign files and servers write reaches a terminal as text, whatever command shows it and in whatever form.
@Suite struct HostileOutputTests {
    /// Escape, C1, bidirectional, zero-width and tag characters, a line separator.
    private static let marks =
        "\u{1B}]0;owned\u{7}\u{9B}31m\u{7F}\u{202E}gpj\u{2066}\u{200B}\u{2028}\u{FEFF}\u{61C}\u{E0041}"
    private static let escapedMarks = #"\u001b]0;owned\u0007\u009b31m\u202egpj\u200b"#

    /// What none of the outputs may hold.
    private static func foreign(_ text: String) -> [String] {
        text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x09, 0x0A: false
            case 0..<0x20, 0x7F...0x9F, 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
                0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
                true
            default: false
            }
        }.map { "U+" + String($0.value, radix: 16) }
    }

    private static let files: [(name: String, text: String)] = [
        (
            "page.html",
            """
            <!doctype html><title>\(marks)</title><meta name="description" content="\(marks)"><link rel=canonical href="/\(marks)">
            <meta property="og:title" content="\(marks)"><meta name="apple-itunes-app" content="app-id=1, app-argument=\(marks)">
            <div itemscope itemtype="https://schema.org/Thing"><b itemprop=name>\(marks)</b></div>
            <script type="application/ld+json">{"@context":"https://schema.org","@type":"Thing","name":"\(escapedMarks)"}</script>
            <a href="/\(marks)">\(marks)</a>
            """
        ),
        (
            "robots.txt",
            "User-agent: *\nDisallow: /\(marks)\n\(marks): x\nDisallow: /*\(marks)\nDisallow: /\nSitemap: /\(marks)\n"
        ),
        (
            "sitemap.xml",
            """
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.test/\u{9B}\u{202E}</loc>
            <image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><image:loc>https://a.test/i</image:loc>
            <image:title>\u{9B}\u{202E}\u{E0041}</image:title></image:image></url><url><loc>http://[\u{202E}</loc></url></urlset>
            """
        ),
        (
            "association",
            #"{"applinks":{"\#(marks.dropFirst(2))":1,"details":[{"appIDs":["\#(escapedMarks)","ABCDE12345.a.b"],"#
                + #""components":[{"/":"/\#(escapedMarks)","comment":"\#(escapedMarks)"},{"/":"*"}]}]}}"#
        ),
        ("data.jsonld", #"{"https://a.test/p":"\#(escapedMarks)","@id":"https://a.test/"}"#),
        ("bad.jsonld", #"{"@context":"https://a.test/\#(escapedMarks)"}"#),
        ("broken.jsonld", "{\"\(marks)"),
    ]

    @Test(arguments: [
        "extract page.html --url https://a.test/", "extract page.html --url https://a.test/ --format nquads",
        "validate page.html --url https://a.test/", "validate page.html --url https://a.test/ --format json",
        "validate page.html --url https://a.test/ --format html",
        "validate page.html --url https://a.test/ --format sarif",
        "validate page.html --url https://a.test/ --format junit",
        "validate page.html --url https://a.test/ --association association",
        "robots robots.txt --agent x --url https://a.test/page", "sitemap sitemap.xml --url https://a.test/sitemap.xml",
        "association association", "association association --json", "association association --match /x --trace",
        "json-ld expand data.jsonld --url https://a.test/", "json-ld to-rdf data.jsonld --url https://a.test/",
        "json-ld expand bad.jsonld --url https://a.test/", "json-ld to-rdf broken.jsonld --url https://a.test/",
        "url 'https://a.test/'$(printf '\\033[31m')", "robots $(printf '\\033[31m') --agent x --url x",
        "$(printf '\\033[31m')", "validate $(printf '\\033[31m').html",
    ])
    func `no command hands on what commands a terminal`(line: String) async throws {
        let folder = try ScratchFolder()
        for file in Self.files { try folder.write(file.text, to: file.name) }
        let run = try await PippinProcess.run("pippin \(line)", in: folder.url)
        #expect(!run.output.isEmpty || !run.errors.isEmpty)
        #expect(Self.foreign(run.output) == [], "standard output")
        #expect(Self.foreign(run.errors) == [], "standard error")
    }

    @Test func `JSON and N-Quads mean the same as before`() async throws {
        let folder = try ScratchFolder()
        for file in Self.files { try folder.write(file.text, to: file.name) }
        let json = try await PippinProcess.run("pippin extract page.html --url https://a.test/", in: folder.url)
        var parser = JSONParser()
        let title = try parser.parse(Array(json.output.utf8))["metadata"]?["title"]?.string
        #expect(title?.contains("31m\u{7F}\u{202E}gpj\u{2066}\u{200B}") == true, "\(title ?? "none")")
        let quads = try await PippinProcess.run(
            "pippin json-ld to-rdf data.jsonld --url https://a.test/", in: folder.url)
        #expect(quads.output.contains(#"]0;owned\u0007\u009b31m\u202egpj\u200b"#), "\(quads.output)")
    }

    @Test func `a server's words and passwords in links reach no terminal, log or report`() async throws {
        let folder = try ScratchFolder()
        let server = try LoopbackServer { request, connection in
            switch request.target {
            case "/robots.txt": connection.respond("404 No \(Self.marks.prefix(3))", [], body: [])
            case "/":
                let page =
                    "<!doctype html><title>x</title><a href=/escapes>1</a><a href=/secret>2</a>"
                    + "<a href='http://me:hunter2@127.0.0.1/'>3</a>"
                connection.respond("200 OK", ["Content-Type: text/html"], body: Array(page.utf8))
            case "/escapes": connection.respond("302 \u{1B}[2J", ["Location: mailto:\u{1B}[31m\u{202E}"], body: [])
            default: connection.respond("302 Found", ["Location: http://me:hunter2@127.0.0.1:1/x"], body: [])
            }
            return .keepOpen
        }
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/"
        let crawl = try await PippinProcess.run(
            """
            pippin crawl \(url) --allow-private-networks --storage kept --delay 1ms --records all --log-level debug \
                --log crawl.jsonl --summary summary.json --report report --out records.ndjson
            """, in: folder.url)
        var told = [crawl.output, crawl.errors]
        for line in [
            "why \(url)secret --storage kept", "why \(url)secret --storage kept --json", "status --storage kept",
            "status --storage kept --json", "extract \(url)escapes --allow-private-networks",
            "extract \(url)secret --allow-private-networks", "validate \(url)secret --allow-private-networks",
            "validate \(url)secret --allow-private-networks --format json",
        ] {
            let run = try await PippinProcess.run("pippin \(line)", in: folder.url)
            told += [run.output, run.errors]
        }
        for name in ["crawl.jsonl", "summary.json", "report/index.html", "report/report.json"] {
            told.append(try String(contentsOf: folder.url.appending(path: name), encoding: .utf8))
        }
        for text in told {
            #expect(Self.foreign(text) == [])
            #expect(!text.contains("hunter2"), "\(text)")
        }
        #expect(told.contains { $0.contains("http://***@127.0.0.1:1/x") })
    }
}
