import CZlib
import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Archives of real exchanges, read back by us and by warcio.
@Suite struct WARCArchiveTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "pippin-warc-\(UUID().uuidString)")
    }

    private static let page =
        "<!doctype html><title>Pie</title>" + String(repeating: "<p>Apples and butter.", count: 50)

    /// Answers by path: plain, in chunks, packed, unchanged, binary.
    private static let answer: LoopbackServer.Answer = { request, connection in
        let html = "Content-Type: text/html; charset=utf-8"
        switch request.target {
        case "/chunks":
            let half = page.utf8.count / 2
            let bytes = Array(page.utf8)
            connection.send("HTTP/1.1 200 Fine\r\n\(html)\r\ntransfer-encoding: chunked\r\nX-Odd:  kept \r\n\r\n")
            for part in [bytes[..<half], bytes[half...]] {
                connection.send(Array("\(String(part.count, radix: 16))\r\n".utf8) + part + Array("\r\n".utf8))
            }
            connection.send("0\r\n\r\n")
        case "/packed":
            connection.respond(
                "200 OK", [html, "Content-Encoding: gzip"], body: PackedBytes.deflate(Array(page.utf8 + [0x21]), .gzip))
        case "/unchanged" where request.headers["If-None-Match"] != nil:
            connection.send("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n")
        case "/unchanged":
            connection.respond("200 OK", [html, "ETag: \"1\""], body: Array("<p>The same".utf8))
        case "/early":
            connection.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
            connection.respond("200 OK", [html], body: Array("<p>Late".utf8))
        case "/film":
            connection.respond("200 OK", ["Content-Type: video/mp4"], body: [0, 1, 2, 3])
        case "/empty":
            connection.respond("404 Not Found", [html])
        default:
            connection.respond("200 OK", [html], body: Array(page.utf8))
        }
        return .keepOpen
    }

    private func exchange() throws -> LoopbackExchange {
        try LoopbackExchange(configure: { $0.keepsExchanges = true }, answer: Self.answer)
    }

    /// Seconds of the archive's clock, one later at each look.
    private func archive(
        _ rotation: CrawlConfiguration.Rotation = .init(maximumBytes: 1_000_000), at date: Date = MadeUpTime.start
    ) throws -> WARCArchive {
        try WARCArchive(
            folder: folder.path, userAgent: "PippinTest/1.0", rotation: rotation, date: { date })
    }

    private func fetch(
        _ paths: [String], with exchange: LoopbackExchange, into archive: WARCArchive
    ) async throws -> [FetchResponse] {
        let fetcher = ArchivingFetcher(exchange.fetcher, archive: archive)
        var responses: [FetchResponse] = []
        for path in paths {
            var request = try exchange.request(path)
            if path == "/unchanged", responses.contains(where: { $0.url.path == path }) { request.entityTag = "\"1\"" }
            responses.append(try await fetcher.fetch(request).get())
        }
        return responses
    }

    private func files(_ suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(suffix) }.sorted()
            .map { folder.appending(path: $0) }
    }

    private func inflate(_ bytes: ArraySlice<UInt8>) throws -> (text: String, length: Int) {
        var stream = z_stream()
        let isReady = pippin_inflateInit2(&stream, 31) == Z_OK
        try #require(isReady)
        defer { inflateEnd(&stream) }
        var input = Array(bytes)
        var output = [UInt8](repeating: 0, count: 1 << 20)
        let (result, left) = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                return (CZlib.inflate(&stream, Z_FINISH), Int(stream.avail_in))
            }
        }
        try #require(result == Z_STREAM_END)
        return (String(decoding: output[..<Int(stream.total_out)], as: UTF8.self), bytes.count - left)
    }

    /// All records of a file, one gzip member each.
    private func records(_ file: URL) throws -> [String] {
        let bytes = [UInt8](try Data(contentsOf: file))
        var records: [String] = []
        var offset = 0
        while offset < bytes.count {
            let (text, length) = try inflate(bytes[offset...])
            records.append(text)
            offset += length
        }
        return records
    }

    private static let paths = [
        "/", "/chunks", "/packed", "/unchanged", "/unchanged", "/early", "/film", "/empty", "/again?b&a",
    ]

    @Test func `a run that shares the folder leaves a file alone that another one is writing`() async throws {
        let exchange = try exchange()
        let first = try archive()
        _ = try await fetch(["/a"], with: exchange, into: first)
        let second = try archive()
        _ = try await fetch(["/packed"], with: exchange, into: second)
        _ = try await fetch(["/chunks"], with: exchange, into: first)
        try await second.close()
        try await first.close()
        #expect(try files(".open").isEmpty)
        let targets = try files(".warc.gz").map { file in
            try records(file).filter { $0.contains("WARC-Type: request") }.count
        }
        #expect(targets == [2, 1])
        #expect(try files(".cdxj").count == 2)
    }

    @Test func `what crossed the wire is kept, without chunks, and repetitions refer to what they repeat`() async throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        let exchange = try exchange()
        let archive = try archive()
        let responses = try await fetch(Self.paths, with: exchange, into: archive)
        try await archive.close()
        #expect(responses[2].body.last == 0x21 && responses.allSatisfy { $0.exchange == nil })
        let file = try #require(try files(".warc.gz").first)
        let records = try records(file)
        let kinds = records.map { String($0.split(separator: "\r\n")[1]) }
        let pairs = [
            "response", "revisit", "response", "response", "revisit", "response", "response", "response", "revisit",
        ]
        #expect(kinds == (["warcinfo"] + pairs.flatMap { [$0, "request"] }).map { "WARC-Type: \($0)" })

        #expect(
            records[0].contains("format: WARC File Format 1.1\r\n")
                && records[0].contains("http-header-user-agent: PippinTest/1.0"))
        #expect(records[1].hasSuffix("\r\n\r\n\(Self.page)\r\n\r\n"))
        #expect(records[1].contains("WARC-IP-Address: 127.0.0.1\r\n"))
        #expect(
            records[2].contains(
                "\r\n\r\nGET / HTTP/1.1\r\nHost: 127.0.0.1:\(exchange.server.port)\r\nUser-Agent: PippinTest"))
        // In chunks it is the same page: only the head is kept, byte by byte but for the coding that is gone.
        #expect(records[3].contains("identical-payload-digest\r\n"))
        #expect(
            records[3].contains(
                "\r\n\r\nHTTP/1.1 200 Fine\r\nContent-Type: text/html; charset=utf-8\r\nX-Crawler-Transfer-Encoding: chunked\r\nX-Odd:  kept \r\n\r\n\r\n\r\n"
            ))
        #expect(records[3].contains("WARC-Refers-To-Target-URI: \(exchange.server.url("/"))\r\n"))
        #expect(records[5].contains("Content-Encoding: gzip\r\n"))
        #expect(records[9].contains("revisit/server-not-modified\r\n") && records[9].contains("If-None-Match") == false)
        #expect(records[10].contains("\r\nIf-None-Match: \"1\"\r\n"))
        #expect(records[11].contains("\r\n\r\nHTTP/1.1 200 OK\r\n") && !records[11].contains("103 Early"))
        #expect(records[13].contains("WARC-Truncated: unspecified\r\n") && !records[13].contains("WARC-Payload-Digest"))

        let index = try String(contentsOf: #require(try files(".cdxj").first), encoding: .utf8).split(separator: "\n")
        #expect(index.count == 9 && index == index.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        let port = exchange.server.port
        #expect(index.contains { $0.hasPrefix("127.0.0.1:\(port))/again?a&b ") && $0.contains("warc/revisit") })
        let bytes = [UInt8](try Data(contentsOf: file))
        for line in index {
            var parser = JSONParser()
            let entry = try parser.parse(String(line.split(separator: " ", maxSplits: 2)[2]))
            let offset = try #require(entry["offset"]?.string.flatMap { Int($0) })
            let length = try #require(entry["length"]?.string.flatMap { Int($0) })
            let record = try inflate(bytes[offset..<(offset + length)]).text
            #expect(record.contains("WARC-Target-URI: \(entry["url"]?.string ?? "")\r\n"))
            #expect(entry["filename"]?.string == file.lastPathComponent)
        }
    }

    @Test func `a rendered page stands beside its answer, to which it refers`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let exchange = try exchange()
        let archive = try archive()
        let response = try #require(try await fetch(["/"], with: exchange, into: archive).first)
        let fetcher = ArchivingFetcher(exchange.fetcher, archive: archive)
        await fetcher.keep(rendering: Array("<!DOCTYPE html><p>made".utf8), of: response)
        try await archive.close()
        let file = try #require(try files(".warc.gz").first)
        let records = try records(file)
        #expect(records.count == 4)
        let original = try #require(
            records[1].split(separator: "\r\n").first { $0.hasPrefix("WARC-Record-ID: ") }?.dropFirst(16))
        #expect(records[3].contains("WARC-Type: conversion\r\n"))
        #expect(records[3].contains("WARC-Refers-To: \(original)\r\n"))
        #expect(records[3].contains("WARC-Target-URI: \(exchange.server.url("/"))\r\n"))
        #expect(records[3].hasSuffix("\r\n\r\n<!DOCTYPE html><p>made\r\n\r\n"))
        let index = try String(contentsOf: #require(try files(".cdxj").first), encoding: .utf8)
        #expect(index.split(separator: "\n").count == 1)
        try TestTool("warcio").run(["check", "-v", file.path], in: folder)
    }

    @Test func `a question stands with its method and body, and is no capture of its address`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let exchange = try exchange()
        let archive = try archive()
        let fetcher = ArchivingFetcher(exchange.fetcher, archive: archive)
        var request = try exchange.request("/unchanged")
        _ = try await fetcher.fetch(request).get()
        request.method = .post(Array(#"{"query":"{ a }"}"#.utf8))
        request.scriptFields = ScriptFields([("Content-Type", "application/json")])
        for _ in 0..<2 { _ = try await fetcher.fetch(request).get() }
        // A later 304 refers to the page.
        request = try exchange.request("/unchanged")
        request.entityTag = "\"1\""
        _ = try await fetcher.fetch(request).get()
        let open = try #require(try files(".open").first)
        let whole = try Data(contentsOf: open)
        try await archive.close()
        let file = try #require(try files(".warc.gz").first)
        let records = try records(file)
        #expect(
            records.dropFirst().map { String($0.split(separator: "\r\n")[1]) }
                == ["response", "request", "response", "request", "response", "request", "revisit", "request"].map {
                    "WARC-Type: \($0)"
                })
        for place in [4, 6] {
            #expect(records[place].contains("\r\n\r\nPOST /unchanged HTTP/1.1\r\n"))
            #expect(records[place].hasSuffix("\r\n\r\n{\"query\":\"{ a }\"}\r\n\r\n"))
            #expect(records[place - 1].contains("X-Request-Method: POST\r\n"))
        }
        #expect(records[7].contains("WARC-Refers-To-Target-URI: \(exchange.server.url("/unchanged"))\r\n"))
        let index = try String(contentsOf: #require(try files(".cdxj").first), encoding: .utf8)
        #expect(index.split(separator: "\n").count == 2)
        try TestTool("warcio").run(["check", "-v", file.path], in: folder)
        // The same after a kill.
        for file in try files("") { try FileManager.default.removeItem(at: file) }
        try whole.write(to: open)
        try await self.archive().close()
        let again = try String(contentsOf: #require(try files(".cdxj").first), encoding: .utf8)
        #expect(again == index)
    }

    @Test func `warcio finds every file right, and reads the same captures from it`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let warcio = try TestTool("warcio")
        let exchange = try exchange()
        let archive = try archive(.init(maximumBytes: 3000))
        _ = try await fetch(Self.paths + Self.paths, with: exchange, into: archive)
        try await archive.close()
        let files = try files(".warc.gz")
        #expect(files.count > 1)
        try warcio.run(["check", "-v"] + files.map(\.path), in: folder)
        var captures = 0
        for file in files {
            let output = folder.appending(path: "index.json")
            try warcio.run(
                ["index", "-f", "offset,warc-type,warc-target-uri,http:status", "-o", output.path, file.path],
                in: folder)
            let lines = try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
            captures += lines.count { $0.contains("\"response\"") || $0.contains("\"revisit\"") }
            let index = try String(
                contentsOf: folder.appending(path: file.lastPathComponent.replacing(".warc.gz", with: ".cdxj")),
                encoding: .utf8)
            for line in lines where line.contains("\"response\"") {
                let offset = line.split(separator: "\"")[3]
                #expect(index.contains("\"offset\":\"\(offset)\""), "\(line)")
            }
        }
        #expect(captures == 2 * Self.paths.count)
    }

    @Test func `a file that a kill cut is fixed, and later runs know what is in it`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let exchange = try exchange()
        // The run is killed: nothing closes the archive, and half a record is at the end.
        do { _ = try await fetch(["/", "/unchanged", "/packed"], with: exchange, into: archive()) }
        let open = try #require(try files(".open").first)
        let whole = try Data(contentsOf: open)
        try FileManager.default.removeItem(at: open)
        try (whole + whole.prefix(200).dropLast(3)).write(to: open)

        // An index of somebody else's is no obstacle.
        try Data([0x66, 0xFF, 0xFE, 0x0A]).write(to: folder.appending(path: "zz-foreign.cdxj"))
        let second = try archive()
        #expect(second.cutFiles.map(\.lostBytes) == [197] && second.cutFiles.map(\.keptBytes) == [UInt64(whole.count)])
        #expect(try files(".open").isEmpty)
        #expect(try Data(contentsOf: #require(try files(".warc.gz").first)) == whole)
        let index = try String(contentsOf: #require(try files(".cdxj").first), encoding: .utf8)
        #expect(index.split(separator: "\n").count == 3 && index.contains("\"mime\":\"text/html\",\"status\":\"200\""))
        _ = try await fetch(["/chunks", "/unchanged"], with: exchange, into: second)
        try await second.close()
        #expect(try files(".warc.gz").count == 2)
        let later = try records(try files(".warc.gz")[1])
        #expect(later.count { $0.contains("WARC-Type: revisit") } == 2)

        // Whatever the place of the cut: complete records stay, nothing else.
        for length in stride(from: 0, to: whole.count, by: 37) {
            let cut = FileManager.default.temporaryDirectory.appending(path: "pippin-warc-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: cut, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: cut) }
            try whole.prefix(length).write(to: cut.appending(path: "a.warc.gz.open"))
            let cuts = try WARCFile.recoverAll(in: cut)
            let fixed = (try? Data(contentsOf: cut.appending(path: "a.warc.gz"))) ?? Data()
            #expect(fixed.count <= length && whole.prefix(fixed.count) == fixed)
            // What is lost is told.
            let lost = UInt64(length - fixed.count)
            #expect(cuts.map(\.lostBytes) == (lost == 0 ? [] : [lost]))
        }
    }

    @Test func `a file ends when the memory for its index is full, and what it has stays known`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let exchange = try exchange()
        let archive = try WARCArchive(
            folder: folder.path, userAgent: "PippinTest/1.0", memoryBytes: 4000, date: { MadeUpTime.start })
        _ = try await fetch(["/", "/packed", "/early", "/unchanged", "/x", "/y", "/z"], with: exchange, into: archive)
        try await archive.close()
        let files = try files(".warc.gz")
        #expect(files.count > 1)
        let all = try files.flatMap { try records($0) }
        #expect(all.count { $0.contains("WARC-Type: revisit") } == 3)
    }

    @Test func `trouble with the disk is told at once and thrown at the end`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let exchange = try exchange()
        let archive = try archive()
        try FileManager.default.removeItem(at: folder)
        _ = try await fetch(["/"], with: exchange, into: archive)
        var told = archive.troubles.makeAsyncIterator()
        let first: Void? = await told.next()
        #expect(first != nil)
        await #expect(throws: WARCArchive.Trouble.self) { try await archive.close() }
    }

    @Test func `chunks are taken apart strictly`() {
        func data(_ text: String) -> String? {
            RawExchange.dechunked(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(data("5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: x\r\n\r\n") == "hello!")
        #expect(data("0\r\n\r\n") == "")
        for wrong in ["", "5\r\nhell", "5\r\nhello", "ffffffffff\r\n", "x\r\n", "5\r\nhelloX\r\n0\r\n\r\n"] {
            #expect(data(wrong) == nil, "\(wrong)")
        }
    }

    @Test func `keys of indexes sort a host's pages together`() throws {
        for (url, key) in [
            ("https://www.Example.org/A/?b=2&a=1", "org,example)/a?a=1&b=2"),
            ("http://example.org:8080", "org,example:8080)/"),
            ("http://10.0.0.1/x", "10.0.0.1)/x"), ("http://[::1]/", "[::1])/"),
        ] {
            #expect(CDXJLine.key(of: try #require(WebURL(url))) == key)
        }
        #expect(WARCTime.field(Date(timeIntervalSince1970: 951_827_696)) == "2000-02-29T12:34:56Z")
        #expect(WARCTime.stamp(MadeUpTime.start) == "20261121000000")
        #expect(WARCRecord.digest([]) == "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ")
    }
}
