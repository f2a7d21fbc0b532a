import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// `pippin extract --warc` on archives that Pippin, wget and warcio wrote.
@Suite(.slow) struct ExtractArchiveTests {
    private static let site = Repository.root.appending(path: "Examples/demo-site")

    private static func lines(_ text: String) throws -> [JSONValue] {
        var parser = JSONParser()
        return try text.split(separator: "\n").map { try parser.parse(String($0)) }
    }

    /// The parts of a record that do not depend on other pages, other files of the site, or the crawl.
    ///
    /// - Parameter crawled: the record of the crawl, which may have taken some from a feed.
    private static func ownParts(_ record: JSONValue, of crawled: JSONValue) throws -> JSONObject {
        var parts = try #require(record.object)
        let ofFeeds = (crawled["provenance"]?.object?.members ?? []).filter { $0.value.string == "feed" }.map(\.key)
        for key in ["seeds", "popularity", "provenance", "deepLinks", "structuredDataScore", "iconURL"] + ofFeeds {
            parts[key] = nil
        }
        return parts
    }

    // MARK: Our own

    @Test func `the archive of a crawl gives the records of the crawl`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await DemoProcess.serving(site: Self.site, folder: folder) { _ in
            let crawl = try await PippinProcess.run(
                "pippin crawl --config crawl-config.yaml --quiet --delay 0s --warc archive", in: folder)
            #expect([0, 3].contains(crawl.status), "\(crawl.errors)")
        }
        let run = try await PippinProcess.run("pippin extract --warc archive/*.warc.gz", in: folder)
        #expect(run.status == 0, "\(run.errors)")
        let lines = try Self.lines(run.output)
        var archived: [String: JSONValue] = [:]
        for line in lines { if let url = line["url"]?.string, let record = line["record"] { archived[url] = record } }
        let crawled = try Self.lines(try String(contentsOf: folder.appending(path: "records.ndjson"), encoding: .utf8))
            .filter { $0["schemaVersion"] != nil && $0["deleted"] == nil }
        #expect(crawled.count > 50)
        for record in crawled {
            let url = try #require(record["url"]?.string)
            let found = try #require(archived[url], "\(url)")
            #expect(try Self.ownParts(found, of: record) == Self.ownParts(record, of: record), "\(url)")
            for link in found["deepLinks"]?.array ?? [] {
                #expect(["unchecked", "unverifiable"].contains(link["verification"]?["status"]?.string))
            }
        }
        let outcomes = Set(lines.compactMap { $0["outcome"]?.string })
        #expect(
            outcomes.isSuperset(of: ["recorded", "noindex", "redirected", "gone", "redirected-to-app"]), "\(outcomes)")
        #expect(lines.allSatisfy { ($0["record"] == nil) == ($0["outcome"]?.string != "recorded") })
        #expect(lines.allSatisfy { ($0["facts"] == nil) == ($0["outcome"]?.string != "recorded") })

        let records = try await PippinProcess.run(
            "cat archive/*.warc.gz | pippin extract --warc --records-only -", in: folder)
        #expect(try Self.lines(records.output) == lines.compactMap { $0["record"] })
        let banners = try await PippinProcess.run(
            "pippin extract --warc --syntax smart-app-banner archive/*.warc.gz", in: folder)
        let facts = try Self.lines(banners.output).compactMap { $0["facts"]?.object }
        #expect(
            facts.count == archived.count && facts.allSatisfy { $0.members.allSatisfy { $0.key == "smartAppBanner" } })
        #expect(facts.contains { !$0.isEmpty })
    }

    @Test func `an index gives what its archive gives, from files and from a host`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await DemoProcess.serving(site: Self.site, folder: folder) { _ in
            let crawl = try await PippinProcess.run(
                "pippin crawl --config crawl-config.yaml --quiet --delay 0s --warc archive", in: folder)
            #expect([0, 3].contains(crawl.status), "\(crawl.errors)")
        }
        let whole = try await PippinProcess.run("pippin extract --warc --no-facts archive/*.warc.gz", in: folder)
        func places(_ text: String) throws -> [String] {
            try Self.lines(text).map { line in
                let record = line["record"]?["title"]?.string ?? ""
                let place = ["offset", "length"].map { "\(line["warc"]?[$0]?.integer ?? -1)" }.joined(separator: "+")
                return "\(line["url"]?.string ?? "") \(line["outcome"]?.string ?? "") \(place) \(record)"
            }.sorted()
        }
        let expected = try places(whole.output)
        #expect(expected.count > 50)

        // An index of another program, packed, and our own.
        let archive = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "archive").path)
                .first { $0.hasSuffix(".warc.gz") })
        try TestTool("cdxj-indexer").run(
            ["--sort", "-o", "foreign.cdxj", "archive/\(archive)"], in: folder)
        let foreign = Array(try Data(contentsOf: folder.appending(path: "foreign.cdxj")))
        try Data(PackedBytes.deflate(foreign, .gzip)).write(to: folder.appending(path: "foreign.gz"))
        let commands = [
            "pippin extract --cdxj --no-facts archive/*.cdxj",
            "pippin extract --cdxj --no-facts --archives archive foreign.cdxj",
            "pippin extract --cdxj --no-facts --archives archive - < foreign.gz",
        ]
        for command in commands {
            let run = try await PippinProcess.run(command, in: folder)
            #expect(run.status == 0, "\(command): \(run.errors)")
            #expect(try places(run.output) == expected, "\(command)")
        }
        let pages = try await PippinProcess.run("pippin extract --cdxj --only-pages archive/*.cdxj", in: folder)
        #expect(try Self.lines(pages.output).allSatisfy { $0["status"]?.integer == 200 })
        #expect(try Self.lines(pages.output).count < expected.count)

        // The same from a host, whose name the configuration has.
        let bytes = Array(try Data(contentsOf: folder.appending(path: "archive/\(archive)")))
        let server = try LoopbackServer { request, connection in
            let sides = (request.headers["Range"] ?? "").replacing("bytes=", with: "").split(separator: "-")
                .compactMap { Int($0) }
            if request.target == "/data/\(archive)", sides.count == 2, sides[0] <= sides[1], sides[1] < bytes.count {
                connection.respond(
                    "206 Partial Content", ["Content-Range: bytes \(sides[0])-\(sides[1])/\(bytes.count)"],
                    body: Array(bytes[sides[0]...sides[1]]))
            } else {
                connection.respond("404 Not Found")
            }
            return .close
        }
        defer { server.stop() }
        try scratch.write(
            """
            agent: { contact: a@example.net }
            politeness: { delay: 0s }
            fetch: { allow_private_networks: true }
            extract: { ranges_from: "\(server.url("/data/"))" }
            """, to: "ranges.yaml")
        let ranges = try await PippinProcess.run(
            "pippin extract --cdxj --ranges --no-facts -c ranges.yaml foreign.gz", in: folder)
        #expect(ranges.status == 0, "\(ranges.errors)")
        #expect(try places(ranges.output) == expected)
        try scratch.write("agent: { contact: a@example.net }\n", to: "none.yaml")
        let none = try await PippinProcess.run("pippin extract --cdxj --ranges -c none.yaml foreign.gz", in: folder)
        #expect(none.status == 2 && none.errors.contains("extract.ranges_from"), "\(none.errors)")
        for words in ["--warc --cdxj x", "--ranges x", "--cdxj --ranges x", "--cdxj --url http://a.test/ x"] {
            #expect(try await PippinProcess.run("pippin extract \(words)", in: folder).status == 2, "\(words)")
        }
    }

    @Test func `the facts of an archived page are those of the page in a file`() async throws {
        let scratch = try ScratchFolder()
        try scratch.write("<!doctype html><title>Pie</title><meta property=og:title content=Apple>", to: "page.html")
        try scratch.write(
            """
            import sys, io
            from warcio.warcwriter import WARCWriter
            with open("page.warc.gz", "wb") as out:
                writer = WARCWriter(out, gzip=True)
                writer.write_record(writer.create_warc_record("https://a.test/", "resource",
                    payload=open("page.html", "rb"), warc_content_type="text/html"))
            """, to: "write.py")
        let script = try String(contentsOf: scratch.url.appending(path: "write.py"), encoding: .utf8)
        let verdict = try PythonJudge(importing: "warcio").run("import os; os.chdir('\(scratch.url.path)')\n" + script)
        #expect(verdict.status == 0, "\(verdict.output)")
        let single = try await PippinProcess.run("pippin extract page.html --url https://a.test/", in: scratch.url)
        let archived = try await PippinProcess.run("pippin extract --warc page.warc.gz", in: scratch.url)
        var parser = JSONParser()
        var expected = try #require(try parser.parse(single.output).object)
        expected["record"] = nil
        let line = try #require(try Self.lines(archived.output).first)
        #expect(line["facts"]?.object == expected)
        #expect(line["warc"]?["type"]?.string == "resource" && line["warc"]?["file"]?.string == "page.warc.gz")
    }

    // MARK: Others

    @Test(arguments: ["1.0", "1.1"], [true, false])
    func `an archive that warcio wrote is read at the offsets that warcio finds`(version: String, gzip: Bool)
        async throws
    {
        let scratch = try ScratchFolder()
        let name = gzip ? "a.warc.gz" : "a.warc"
        let verdict = try PythonJudge(importing: "warcio").run(
            """
            import io, sys, zlib
            from warcio.archiveiterator import ArchiveIterator
            from warcio.statusandheaders import StatusAndHeaders
            from warcio.warcwriter import WARCWriter
            path, version, gzip = sys.argv[1], sys.argv[2], sys.argv[3] == "true"
            packer = zlib.compressobj(9, zlib.DEFLATED, 31)
            page = lambda n: b"<!doctype html><title>Page %d</title>" % n
            packed = packer.compress(page(2)) + packer.flush()
            chunked = b"%x\\r\\n" % len(page(3)) + page(3) + b"\\r\\n0\\r\\n\\r\\n"
            with open(path, "wb") as out:
                writer = WARCWriter(out, gzip=gzip, warc_version=version)
                writer.write_record(writer.create_warcinfo_record("a.warc", {"software": "warcio"}))
                for n, (extra, body) in enumerate([([], page(1)), ([("Content-Encoding", "gzip")], packed),
                                                   ([("Transfer-Encoding", "chunked")], chunked)], 1):
                    head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")] + extra, protocol="HTTP/1.1")
                    response = writer.create_warc_record(f"https://a.test/{n}", "response", payload=io.BytesIO(body), http_headers=head)
                    question = writer.create_warc_record(f"https://a.test/{n}", "request", payload=io.BytesIO(b""),
                        http_headers=StatusAndHeaders("GET / HTTP/1.1", [("Host", "a.test")], is_http_request=True))
                    writer.write_request_response_pair(question, response)
                head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
                writer.write_record(writer.create_revisit_record("https://a.test/4", "sha1:X", "https://a.test/1",
                    "2020-01-02T03:04:05Z", http_headers=head))
            with open(path, "rb") as file:
                iterator = ArchiveIterator(file)
                for record in iterator:
                    if record.rec_type in ("response", "revisit"):
                        record.raw_stream.read()
                        print(record.rec_headers["WARC-Target-URI"], iterator.get_record_offset(), iterator.get_record_length())
            """, [scratch.url.appending(path: name).path, version, "\(gzip)"])
        #expect(verdict.status == 0, "\(verdict.output)")
        let run = try await PippinProcess.run("pippin extract --warc --no-facts \(name)", in: scratch.url)
        #expect(run.status == 0, "\(run.errors)")
        let lines = try Self.lines(run.output)
        let places = lines.map { line in
            let place = line["warc"]
            return "\(line["url"]?.string ?? "") \(place?["offset"]?.integer ?? -1) \(place?["length"]?.integer ?? -1)"
        }
        // warcio leaves the line ends after a plain record out of its length (ISO 28500 §4 has them in it).
        let found = verdict.output.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return "\(words[0]) \(words[1]) \((Int(words[2]) ?? 0) + (gzip ? 0 : 4))"
        }
        #expect(places == found)
        #expect(lines.map { $0["record"]?["title"]?.string } == ["Page 1", "Page 2", "Page 3", nil])
        #expect(lines.last?["outcome"]?.string == "revisit")
        #expect(lines.last?["warc"]?["refersTo"]?["url"]?.string == "https://a.test/1")
    }

    @Test(arguments: ["", "--no-warc-compression"])
    func `an archive that wget wrote is read`(option: String) async throws {
        let wget = try TestTool("wget")
        let scratch = try ScratchFolder()
        let server = try LoopbackServer { request, connection in
            switch request.target {
            case "/":
                connection.respond(body: Array("<title>Home</title><a href=/next>next</a><a href=/old>old</a>".utf8))
            case "/next":
                connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "13\r\n<title>Next</title>\r\n0\r\n\r\n")
            case "/old": connection.respond("301 Moved", ["Content-Type: text/html", "Location: /next"])
            default: connection.respond("404 Not Found", body: Array("<title>Nothing</title>".utf8))
            }
            return .keepOpen
        }
        let site = "http://127.0.0.1:\(server.port)"
        // It ends with 8, because robots.txt is not there.
        let arguments = ["-q", "-r", "-nH", "--warc-file=site", "--delete-after"] + (option.isEmpty ? [] : [option])
        let log = scratch.url.appending(path: "wget.log")
        let process = try wget.start(arguments + [site + "/"], in: scratch.url, log: log)
        try await PippinProcess.onItsOwnThread { process.waitUntilExit() }
        let run = try await PippinProcess.run("pippin extract --warc site.warc*", in: scratch.url)
        #expect(run.status == 0, "\(run.errors)")
        let lines = try Self.lines(run.output)
        let told = Set(
            lines.map { line in
                let url = (line["url"]?.string ?? "").replacing(site, with: "")
                return "\(url) \(line["outcome"]?.string ?? "") \(line["record"]?["title"]?.string ?? "")"
            })
        #expect(told == ["/ recorded Home", "/next recorded Next", "/old redirected ", "/robots.txt gone "])
    }

    // MARK: Trouble

    @Test func `damage and foreign files are named, and the rest is read`() async throws {
        let scratch = try ScratchFolder()
        func record(_ number: Int) -> [UInt8] {
            let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>\(number)</title>"
            let fields = [
                "WARC/1.0", "WARC-Type: response", "WARC-Target-URI: https://a.test/\(number)",
                "WARC-Date: 2026-01-02T03:04:05Z", "Content-Type: application/http; msgtype=response",
                "Content-Length: \(block.utf8.count)", "", block, "", "",
            ]
            return PackedBytes.deflate(Array(fields.joined(separator: "\r\n").utf8), .gzip)
        }
        var second = record(2)
        second[60] ^= 0xFF
        let start = record(1).count
        try Data(record(1) + second + record(3)).write(to: scratch.url.appending(path: "a.warc.gz"))
        try scratch.write("<!doctype html><title>No archive</title>", to: "page.html")
        let run = try await PippinProcess.run(
            "pippin extract --warc --no-facts a.warc.gz page.html a.warc.gz", in: scratch.url)
        #expect(run.status == 3)
        #expect(try Self.lines(run.output).map { $0["record"]?["title"]?.string } == ["1", "3", "1", "3"])
        #expect(run.errors.contains("pippin: a.warc.gz: the record at byte \(start) has a wrong checksum\n"))
        #expect(
            run.errors.contains("pippin: page.html: is not a WARC file: what is at byte 0 does not begin with WARC/1.0")
        )
        #expect(run.errors.hasSuffix("pippin: 3 files with 4 records, 4 of pages; 4 recorded; 3 damaged places\n"))
    }

    @Test(arguments: [
        ("--warc", "Missing expected argument"), ("--warc none.warc", "none.warc: there is no such file in "),
        ("--warc .", ".: is a folder; name a file"), ("--warc - -", "Standard input can be read once."),
        ("--warc a --format nquads", "--format nquads does not go with --warc or --cdxj."),
        ("--warc a --url https://a.test/", "--url does not go"),
        ("--warc a --records-only --no-facts", "--records-only does not go with"),
        ("a --no-facts", "go with --warc"), ("a b", "One page at a time"), ("", "Missing expected argument '<page>'"),
    ])
    func `what does not go together is said before anything is read`(line: String, words: String) async throws {
        let scratch = try ScratchFolder()
        let run = try await PippinProcess.run("pippin extract \(line)", in: scratch.url)
        #expect(run.status == 2 && run.output.isEmpty && run.errors.contains(words), "\(run.errors)")
    }
}
