import Foundation
import Logging
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Records that an index names: read at their places from files and from a host, and believed only if they are what the line says.
@Suite struct IndexedReadingTests {
    // MARK: Archives and their indexes

    /// An archive of pages, one gzip member each, and a line for each.
    private struct Archive {
        static let name = "crawl/segment-1/CC-TEST-00000.warc.gz"
        var bytes: [UInt8] = []
        var lines: [String] = []
        var places: [(offset: Int, length: Int)] = []

        init(_ paths: [String] = ["/a", "/b", "/c"], packs: Bool = true) throws {
            for path in paths {
                let body = Array("<!doctype html><title>Page \(path)</title><p>Apples.".utf8)
                let head = Array("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n".utf8)
                var record = WARCRecord(
                    .response, date: MadeUpTime.start, contentType: "application/http; msgtype=response",
                    block: head + body)
                record.set("WARC-Target-URI", "https://example.org\(path)")
                let member = packs ? PackedBytes.deflate(record.bytes, .gzip) : record.bytes
                let url = try #require(WebURL("https://example.org\(path)"))
                places.append((bytes.count, member.count))
                lines.append(
                    CDXJLine(
                        url: url, stamp: "20261121080000", mime: "text/html", status: 200,
                        digest: String(WARCRecord.digest(body).dropFirst(5)), offset: UInt64(bytes.count),
                        length: member.count, file: Self.name
                    ).text)
                bytes += member
            }
        }

        /// A line of the first page with other members; nil removes one.
        func line(_ changes: [String: String?], key: String = "org,example)/a 20261121080000") throws -> String {
            var parser = JSONParser()
            let text = try #require(lines[0].split(separator: " ", maxSplits: 2).last)
            var object = try #require(try parser.parse(String(text)).object)
            for (name, value) in changes { object[name] = value.map { .string($0) } }
            return "\(key) \(String(decoding: JSONValue.object(object).bytes(), as: UTF8.self))"
        }
    }

    private struct Result {
        var pages: [String] = []
        var tally = ArchiveReading.Tally()
        var troubles: [String] = []
    }

    private func read(
        _ index: [UInt8], _ archive: Archive, host: (base: WebURL, single: SingleFetch)? = nil, onlyPages: Bool = false,
        seesLines: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) async throws -> Result {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        let file = folder.appending(path: Archive.name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(archive.bytes).write(to: file)
        let path = folder.appending(path: "index").path
        try Data(index).write(to: URL(filePath: path))
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let reading = ArchiveReading(
            configuration: CrawlConfiguration(), threads: CrawlThreads(timeout: .seconds(60), logger: logger)
        ) { page in
            let title: String? = if case .recorded(let record, _, _) = page.outcome { record.title } else { nil }
            let place = page.place
            return Array(
                "\(page.url.path) \(page.outcome.code) \(place.file) \(place.offset)+\(place.length ?? 0) \(title ?? "")\n"
                    .utf8)
        }
        let output = Mutex<[UInt8]>([])
        let troubles = Mutex<[String]>([])
        var result = Result()
        result.tally = try await reading.run(
            indexes: [path], in: host.map { .host($0.base, $0.single.exchanges) } ?? .folder(nil), onlyPages: onlyPages,
            write: { lines in
                output.withLock { $0 += lines }
                seesLines(lines)
            },
            report: { trouble in
                troubles.withLock { $0.append(trouble.description.replacing(folder.path + "/", with: "")) }
            })
        result.pages = String(decoding: output.withLock { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
        result.troubles = troubles.withLock { $0 }
        return result
    }

    private func read(_ lines: [String], _ archive: Archive, onlyPages: Bool = false) async throws -> Result {
        try await read(Array(lines.map { $0 + "\n" }.joined().utf8), archive, onlyPages: onlyPages)
    }

    private static func told(_ archive: Archive, _ path: String, _ number: Int) -> String {
        let place = archive.places[number]
        return "\(path) recorded \(Archive.name) \(place.offset)+\(place.length) Page \(path)"
    }

    // MARK: From files

    @Test(arguments: [true, false])
    func `records are read in the order of the lines, each at its place`(packs: Bool) async throws {
        let archive = try Archive(packs: packs)
        let result = try await read([archive.lines[2], archive.lines[0], archive.lines[1]], archive)
        #expect(
            result.pages == [
                Self.told(archive, "/c", 2), Self.told(archive, "/a", 0), Self.told(archive, "/b", 1),
            ])
        #expect(result.tally == ArchiveReading.Tally(files: 1, records: 3, outcomes: ["recorded": 3], damages: 0))
        #expect(result.troubles == [])
    }

    @Test func `an index may be packed in members, end without a line end, and say things of itself`() async throws {
        let archive = try Archive()
        let first = PackedBytes.deflate(
            Array("!meta 0 {\"format\": \"cdxj\"}\r\n\n\(archive.lines[0])\r\n".utf8), .gzip)
        let second = PackedBytes.deflate(Array("\(archive.lines[1])\n\(archive.lines[2])".utf8), .gzip)
        for index in [first + second, Array(archive.lines.joined(separator: "\n").utf8)] {
            let result = try await read(index, archive)
            #expect(result.pages.count == 3 && result.troubles == [])
        }
    }

    @Test func `only pages are asked for, if that is wanted`() async throws {
        let archive = try Archive()
        let lines = try [
            archive.lines[0], archive.line(["status": "404"]), archive.line(["mime": "image/png"]),
            archive.line(["mime": "unk", "mime-detected": "text/html"]), archive.line(["mime": "warc/revisit"]),
            archive.line(["status": nil]), archive.line(["mime-detected": "application/pdf"]),
        ]
        #expect(try await read(lines, archive, onlyPages: true).pages.count == 2)
        #expect(try await read(lines, archive).pages.count == lines.count)
    }

    // MARK: Hostile indexes

    @Test func `a line that names no record of its URL is told with its number, and the others are read`() async throws
    {
        let archive = try Archive()
        let last = archive.places[2]
        let huge = String(repeating: "x", count: 1 << 20)
        let cases: [(line: String, words: String)] = try [
            ("org,example)/a", "is not of CDXJ"), ("{}", "is not of CDXJ"),
            (" CDX N b a m s k r M S V g", "is not of CDXJ"),
            (archive.line([:], key: "org,example)/a 2026"), "is not of CDXJ"),
            ("org,example)/a 20261121080000 {\"url\":", "has no JSON"),
            ("org,example)/a 20261121080000 [1]", "has no \"url\""),
            (archive.line(["url": "ftp://example.org/a"]), "has no \"url\""),
            (archive.line(["url": "https://example.org/\(huge)"]), "is longer than 65536 bytes"),
            (archive.line(["offset": "-1"]), "has no \"offset\""), (archive.line(["offset": nil]), "has no \"offset\""),
            (archive.line(["offset": "99999999999999999999"]), "has no \"offset\""),
            (archive.line(["offset": "1e3"]), "has no \"offset\""), (archive.line(["length": ""]), "has no \"length\""),
            (archive.line(["length": "0"]), "has a \"length\" of 0 bytes"),
            (archive.line(["length": "999999999999"]), "has a \"length\" of 999999999999 bytes"),
            (archive.line(["offset": "\(archive.bytes.count)"]), "which ends before byte"),
            (archive.line(["offset": "999999999999999"]), "which ends before byte"),
            (archive.line(["offset": "1"]), "which does not begin with WARC/"),
            (archive.line(["length": "\(archive.places[0].length - 9)"]), "which is cut"),
            (
                archive.line(["offset": "\(last.offset)", "length": "\(last.length)"]),
                "which is of https://example.org/c"
            ),
            (archive.line(["digest": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]), "whose payload has another digest"),
            (archive.line(["digest": "sha1:short"]), "no SHA-1 in base 32"),
            (archive.line(["digest": "0189"]), "no SHA-1"),
            (archive.line(["filename": "missing.warc.gz"]), "No such file"),
            (archive.line(["filename": "crawl"]), "no file"),
        ]
        for (line, words) in cases {
            let result = try await read([archive.lines[1], line, archive.lines[2]], archive)
            #expect(result.pages == [Self.told(archive, "/b", 1), Self.told(archive, "/c", 2)], "\(words)")
            #expect(
                result.troubles.count == 1 && result.troubles[0].hasPrefix("index:2: the line "), "\(result.troubles)")
            #expect(result.troubles.first?.contains(words) == true, "\(words): \(result.troubles)")
            #expect(result.tally.damages == 1)
        }
    }

    @Test(arguments: [
        "../index", "/etc/passwd", "crawl/../../index", "..", ".", "", "crawl//x", "crawl/./x", "http://evil.test/x",
        "//evil.test/x", "crawl\\x", "x?y", "x#y", "%2e%2e/x", "a\u{0}b", "x y", "käse.warc.gz", "crawl/", "file:x",
        String(repeating: "x", count: 1_001),
    ])
    func `no name of a file leads out of the folder or to another host`(name: String) async throws {
        let archive = try Archive()
        let result = try await read([archive.line(["filename": name])], archive)
        #expect(result.pages == [])
        #expect(result.troubles.count == 1 && result.troubles[0].contains("has no \"filename\" that stays"), "\(name)")
    }

    @Test func `digests may be labelled, missing or of another algorithm, and ranges may overlap`() async throws {
        let archive = try Archive()
        let digest = try #require(IndexedPlace(Array(archive.lines[0].utf8), maximumBodyBytes: 1_000).payloadDigest)
        #expect(digest.count == 20)
        let all = "\(archive.places[0].length + archive.places[1].length)"
        for change in [["digest": "sha256:00"], ["digest": "-"], ["digest": nil], ["length": all]]
            as [[String: String?]]
        {
            let result = try await read([archive.line(change), archive.lines[0]], archive)
            #expect(result.pages.count == 2 && result.troubles == [], "\(change)")
        }
    }

    @Test func `bombs, cuts and damage of an index end it with a sentence`() async throws {
        let archive = try Archive()
        let line = Array((archive.lines[0] + "\n").utf8)
        let good = PackedBytes.deflate(line, .gzip)
        let bomb = PackedBytes.deflate([UInt8](repeating: 0x20, count: 100 << 20), .gzip)
        let cases: [(bytes: [UInt8], pages: Int, sentence: String)] = [
            (good + bomb, 1, "index: grows to more than 100 times the size of the file, after line 1"),
            (good + good.dropLast(4), 2, "index: is cut: the file ends within a gzip member, after line 2"),
            (good + [1, 2, 3], 1, "index: is not a whole gzip member, after line 1"),
        ]
        for (bytes, pages, sentence) in cases {
            let result = try await read(bytes, archive)
            #expect(result.pages.count == pages && result.troubles == [sentence])
        }
        // A megabyte without a line end is a line, and so is what follows it.
        let long = [UInt8](repeating: 0x61, count: 1 << 20) + [0x0A]
        let result = try await read(long + long + line + long.dropLast(), archive)
        #expect(result.pages.count == 1)
        #expect(result.troubles.map { $0.prefix(8) } == ["index:1:", "index:2:", "index:4:"])
    }

    @Test func `a bomb in a record is told, and takes no memory`() async throws {
        var archive = try Archive(["/a"])
        var record = Array("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 999999999999\r\n\r\n".utf8)
        record += [UInt8](repeating: 0x20, count: 100 << 20)
        archive.bytes = PackedBytes.deflate(record, .gzip)
        let line = try archive.line(["length": "\(archive.bytes.count)", "digest": nil])
        let result = try await read([line], archive)
        #expect(result.pages == [])
        #expect(result.troubles.count == 1 && result.troubles[0].contains("grows to more than 100 times"))
    }

    // MARK: From a host

    @Test func `the host is an address of a folder, without secrets and queries`() throws {
        func base(_ value: String) throws -> String? {
            try CrawlConfiguration(yaml: "extract: { ranges_from: \(value) }\n", file: "crawl-config.yaml").rangesFrom?
                .href
        }
        #expect(try base("https://data.commoncrawl.org/") == "https://data.commoncrawl.org/")
        #expect(try base("http://127.0.0.1:8080/data/") == "http://127.0.0.1:8080/data/")
        #expect(try base("null") == nil)
        for value in [
            "ftp://a.test/", "https://a.test/x", "https://a.test/?q=/", "\"https://a.test/#/\"", "https://u:p@a.test/",
            "x", "[]",
        ] {
            #expect(throws: ConfigurationError.self, "\(value)") { try base(value) }
        }
    }

    /// Answers a request for a part; `bytes` is what was asked for.
    private typealias Answer = @Sendable (_ bytes: [UInt8], _ range: String, LoopbackServer.Connection) -> Void

    private func readFromHost(
        _ lines: [String], _ archive: Archive, robots: String = "",
        seesLines: @escaping @Sendable ([UInt8]) -> Void = { _ in }, answer: @escaping Answer
    ) async throws -> (result: Result, requests: [String]) {
        let bytes = archive.bytes
        let asked = Mutex<[String]>([])
        let server = try LoopbackServer { request, connection in
            if request.target == "/robots.txt" {
                connection.respond("200 OK", ["Content-Type: text/plain"], body: Array(robots.utf8))
                return .close
            }
            let fields = ["Range", "Accept-Encoding", "User-Agent"].map { request.headers[$0] ?? "none" }
            asked.withLock { $0.append(([request.target] + fields).joined(separator: " | ")) }
            let sides = fields[0].replacing("bytes=", with: "").split(separator: "-").compactMap { Int($0) }
            guard sides.count == 2, sides[0] <= sides[1], sides[1] < bytes.count else {
                connection.respond("416 Range Not Satisfiable")
                return .close
            }
            answer(Array(bytes[sides[0]...sides[1]]), "\(sides[0])-\(sides[1])", connection)
            return .close
        }
        defer { server.stop() }
        var configuration = CrawlConfiguration()
        configuration.agent.contact = "a@example.net"
        configuration.fetch.allowPrivateNetworks = true
        let fetcher = try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        let base = try #require(WebURL(server.url("/data/")))
        let single = SingleFetch(configuration: configuration, fetcher: fetcher)
        let result = try await read(
            Array(lines.map { $0 + "\n" }.joined().utf8), archive, host: (base, single),
            seesLines: seesLines)
        await fetcher.shutdown()
        return (result, asked.withLock { $0 })
    }

    private static let good: Answer = { bytes, range, connection in
        connection.respond("206 Partial Content", ["Content-Range: bytes \(range)/*"], body: bytes)
    }

    @Test func `a host is asked for exactly the parts, under our name`() async throws {
        let archive = try Archive()
        let (result, requests) = try await readFromHost(
            [archive.lines[1], archive.lines[0]], archive, answer: Self.good)
        #expect(result.pages == [Self.told(archive, "/b", 1), Self.told(archive, "/a", 0)])
        #expect(result.troubles == [])
        let places = archive.places
        #expect(requests.count == 2)
        for (request, place) in zip(requests, [places[1], places[0]]) {
            let range = "bytes=\(place.offset)-\(place.offset + place.length - 1)"
            #expect(request.hasPrefix("/data/\(Archive.name) | \(range) | identity | "), "\(request)")
            #expect(request.contains("Pippin"))
        }
    }

    @Test func `a line is written before the host gives the next record`() async throws {
        let archive = try Archive()
        let written = Mutex(0)
        let asked = Mutex(0)
        let ahead = Mutex<[Int]>([])
        let result = try await readFromHost(
            archive.lines, archive,
            seesLines: { lines in
                let count = lines.count { $0 == 0x0A }
                written.withLock { $0 += count }
            },
            answer: { bytes, range, connection in
                let before = asked.withLock { number in
                    number += 1
                    return number - 1
                }
                // A slow host, as long as it takes.
                let deadline = ContinuousClock.now + .seconds(30)
                while written.withLock({ $0 }) < before, ContinuousClock.now < deadline { usleep(10_000) }
                ahead.withLock { $0.append(written.withLock { $0 }) }
                Self.good(bytes, range, connection)
            }
        ).result
        #expect(result.pages.count == 3 && result.troubles == [])
        #expect(ahead.withLock { $0 } == [0, 1, 2])
    }

    @Test func `what is not exactly the part is refused with words`() async throws {
        let archive = try Archive(["/a"])
        let cases: [(Answer, String)] = [
            (
                { bytes, _, connection in connection.respond("200 OK", [], body: bytes) },
                "the host serves no parts (status 200)"
            ),
            ({ _, _, connection in connection.respond("404 Not Found") }, "was answered with status 404"),
            ({ _, _, connection in connection.respond("416 Range Not Satisfiable") }, "(status 416)"),
            (
                { _, _, connection in connection.respond("302 Found", ["Location: http://evil.test/x"]) },
                "leads to another place (status 302)"
            ),
            (
                { bytes, _, connection in connection.respond("206 Partial Content", [], body: bytes) },
                "gave \"\" for bytes"
            ),
            (
                { bytes, _, connection in
                    connection.respond("206 Partial Content", ["Content-Range: bytes 1-9/*"], body: bytes)
                }, "gave \"bytes 1-9/*\" for bytes"
            ),
            (
                { bytes, range, connection in
                    connection.respond("206 Partial Content", ["Content-Range: bytes \(range)/1"], body: bytes)
                }, "for bytes 0 to"
            ),
            (
                { bytes, range, connection in
                    connection.respond(
                        "206 Partial Content", ["Content-Range: bytes \(range)/*"], body: Array(bytes.dropLast()))
                }, "bytes for \(archive.places[0].length)"
            ),
            (
                { bytes, range, connection in
                    connection.respond("206 Partial Content", ["Content-Range: bytes \(range)/*"], body: bytes + [0])
                }, "cannot be fetched"
            ),
            (
                { bytes, range, connection in
                    connection.respond(
                        "206 Partial Content", ["Content-Range: bytes \(range)/*", "Content-Encoding: gzip"],
                        body: PackedBytes.deflate(bytes, .gzip))
                }, "cannot be fetched"
            ),
            (
                { bytes, range, connection in
                    connection.respond(
                        "206 Partial Content", ["Content-Range: bytes \(range)/*"],
                        body: [UInt8](repeating: 0x41, count: bytes.count))
                }, "does not begin with WARC/"
            ),
        ]
        for (answer, words) in cases {
            let result = try await readFromHost(archive.lines, archive, answer: answer).result
            #expect(result.pages == [], "\(words)")
            #expect(result.troubles.count == 1 && result.troubles[0].contains(words), "\(words): \(result.troubles)")
        }
    }

    @Test func `robots.txt of the host holds, and a host that gives nothing is not asked for ever`() async throws {
        let archive = try Archive(["/a"])
        let lines = Array(repeating: archive.lines[0], count: 50)
        let closed = try await readFromHost(
            lines, archive, robots: "User-agent: *\nDisallow: /data/\n", answer: Self.good)
        #expect(closed.requests == [] && closed.result.pages == [])
        #expect(closed.result.troubles.first?.contains("robots.txt") == true)
        #expect(closed.result.troubles.count == 21)
        #expect(
            closed.result.troubles.last
                == "index:20: the line is the last that was read: the host gave none of 20 parts")
    }
}
