import Foundation
import Logging
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Archives of pages in all codings, read as a crawl would have read them.
@Suite struct ArchiveReadingTests {
    private static let page = "<!doctype html><html><title>Pie</title><p>Apples and butter."

    private static func record(
        _ path: String, kind: WARCRecord.Kind = .response, type: String = "application/http; msgtype=response",
        fields: [(String, String)] = [], block: [UInt8]
    ) -> [UInt8] {
        var record = WARCRecord(kind, date: MadeUpTime.start, contentType: type, block: block)
        record.set("WARC-Target-URI", path.contains(":") ? path : "https://example.org\(path)")
        for (name, value) in fields { record.set(name, value) }
        return record.bytes
    }

    private static func response(
        _ path: String, status: String = "200 OK", _ headers: [String] = [], type: String = "text/html",
        fields: [(String, String)] = [], body: [UInt8]
    ) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status)", "Content-Type: \(type)"] + headers
        return record(path, fields: fields, block: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    /// What a reading of files gives: a line `PATH OUTCOME TITLE` for each page.
    private func reading(
        _ files: [[UInt8]], configuration: CrawlConfiguration = CrawlConfiguration(), threads: CrawlThreads? = nil
    ) async throws -> (lines: [String], tally: ArchiveReading.Tally, troubles: [String]) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-archive-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var paths: [String] = []
        for (number, bytes) in files.enumerated() {
            let file = folder.appending(path: "\(number).warc")
            try Data(bytes).write(to: file)
            paths.append(file.path)
        }
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let reading = ArchiveReading(
            configuration: configuration,
            threads: threads ?? CrawlThreads(timeout: .seconds(60), logger: logger)
        ) { page in
            var words = [page.url.pathAndQuery, page.outcome.code]
            if case .recorded(let record, _, _) = page.outcome { words.append(record.title ?? "untitled") }
            if case .none(let outcome) = page.outcome, let detail = outcome.detail { words.append(detail) }
            return Array((words.joined(separator: " ") + "\n").utf8)
        }
        let output = Mutex<[UInt8]>([])
        let troubles = Mutex<[String]>([])
        let tally = try await reading.run(paths) { lines in
            output.withLock { $0 += lines }
        } report: { trouble in
            let text = trouble.description.replacing(folder.path + "/", with: "")
            troubles.withLock { $0.append(text) }
        }
        let lines = String(decoding: output.withLock { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
        return (lines, tally, troubles.withLock { $0 })
    }

    // MARK: Codings

    @Test func `a body is read in its codings, and where the archive has removed them`() async throws {
        let page = Array(Self.page.utf8)
        let packed = PackedBytes.deflate(page, .gzip)
        func chunked(_ body: [UInt8]) -> [UInt8] {
            Array("\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8)
        }
        let chunks = "Transfer-Encoding: chunked"
        let gzip = "Content-Encoding: gzip"
        let records = [
            Self.response("/plain", body: page),
            Self.response("/chunked", [chunks], body: chunked(page)),
            Self.response("/chunks-removed", [chunks], body: page),
            Self.response("/gzip", [gzip], body: packed),
            Self.response("/gzip-removed", [gzip], body: page),
            Self.response("/both", [gzip, chunks], body: chunked(packed)),
            Self.response("/chunks-removed-gzip", [gzip, chunks], body: packed),
            Self.response("/deflate", ["Content-Encoding: deflate"], body: PackedBytes.deflate(page, .rawDeflate)),
            Self.response("/br-removed", ["Content-Encoding: br"], body: page),
            Self.response("/zstd-removed", ["Content-Encoding: zstd"], body: Array("<title>Pie</title>".utf8)),
            Self.response("/renamed", ["X-Crawl-Content-Encoding: gzip"], body: page),
            Self.response("/unknown-removed", ["Content-Encoding: compress"], body: page),
            Self.response("/untyped", type: "", body: page),
        ]
        let (lines, tally, troubles) = try await reading([Array(records.joined())])
        #expect(troubles.isEmpty && tally.records == records.count)
        #expect(lines.count == records.count && lines.allSatisfy { $0.hasSuffix(" recorded Pie") }, "\(lines)")
    }

    @Test func `of a cut body what is there is read, and a damaged one is a failure`() async throws {
        let long = Array((Self.page + (0..<20_000).map { "<p>\($0)" }.joined()).utf8)
        let packed = PackedBytes.deflate(long, .gzip)
        let cut = ("WARC-Truncated", "length")
        let gzip = "Content-Encoding: gzip"
        let records = [
            Self.response("/cut", fields: [cut], body: Array(long.prefix(9_000))),
            Self.response("/cut-gzip", [gzip], fields: [cut], body: Array(packed.prefix(9_000))),
            Self.response(
                "/cut-chunk", ["Transfer-Encoding: chunked"], fields: [cut],
                body: Array("fffff\r\n".utf8) + long.prefix(9_000)),
            Self.response("/half-gzip", [gzip], body: Array(packed.prefix(9_000))),
            Self.response("/bad-gzip", [gzip], body: [0x1F, 0x8B, 8, 0] + [UInt8](repeating: 0xFF, count: 99)),
        ]
        let (lines, _, _) = try await reading([Array(records.joined())])
        #expect(
            lines == [
                "/cut recorded Pie", "/cut-gzip recorded Pie", "/cut-chunk recorded Pie",
                "/half-gzip failed-truncated-body", "/bad-gzip failed-bad-content-encoding gzip",
            ])
    }

    @Test func `a body that is larger than a crawl takes is a failure, packed or not`() async throws {
        var configuration = CrawlConfiguration()
        configuration.fetch.maximumBodyBytes = 100_000
        let large = Array((Self.page + String(repeating: "<p>x", count: 100_000)).utf8)
        let records = [
            Self.response("/plain", body: large),
            Self.response("/packed", ["Content-Encoding: gzip"], body: PackedBytes.deflate(large, .gzip)),
            Self.response("/film", type: "video/mp4", body: large),
            Self.record("/resource", kind: .resource, type: "text/html", block: large),
            Self.response("/next", body: Array(Self.page.utf8)),
        ]
        let (lines, _, _) = try await reading([Array(records.joined())], configuration: configuration)
        let codes = lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        #expect(
            codes == [
                "/plain failed-body-too-large", "/packed failed-body-too-large", "/resource failed-body-too-large",
                "/next recorded",
            ], "\(lines)")
    }

    // MARK: Outcomes

    @Test func `every answer to a page request has the outcome that a visit would have`() async throws {
        let page = Array(Self.page.utf8)
        let head = Array("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n".utf8)
        let records = [
            Self.record("/info", kind: .warcinfo, block: page),
            Self.record("/asked", kind: .request, block: page),
            Self.record("dns:example.org", type: "text/dns", block: page),
            Self.record("/picture", block: Array("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n".utf8) + page),
            Self.response("/header", ["X-Robots-Tag: noindex"], body: page),
            Self.response("/meta", body: Array("<meta name=robots content=noindex>".utf8) + page),
            Self.response("/googlebot", ["X-Robots-Tag: googlebot: noindex"], body: page),
            Self.response("/moved", status: "301 Moved", ["Location: /there"], body: page),
            Self.response("/nowhere", status: "302 Found", body: page),
            Self.response("/app", status: "303 See Other", ["Location: app://x"], body: page),
            Self.response(
                "/refresh", body: Array("<meta http-equiv=refresh content='0;url=/there'>".utf8) + page),
            Self.response("/gone", status: "404 Not Found", body: page),
            Self.response("/broken", status: "500 Oops", body: page),
            Self.response("/empty", body: []),
            Self.response("/feed", type: "application/rss+xml", body: Array("<rss/>".utf8)),
            Self.record("/again", kind: .revisit, block: head),
            Self.record("/bare-again", kind: .revisit, block: []),
            Self.record("/again-gone", kind: .revisit, block: Array("HTTP/1.1 410 Gone\r\n\r\n".utf8)),
            Self.record("/resource", kind: .resource, type: "text/html; charset=utf-8", block: page),
            Self.record("/log", kind: .resource, type: "text/plain", block: page),
            Self.record("urn:x", kind: .resource, type: "text/html", block: page),
        ]
        let (lines, tally, troubles) = try await reading([Array(records.joined())])
        #expect(
            lines == [
                "/header noindex", "/meta noindex", "/googlebot recorded Pie",
                "/moved redirected https://example.org/there", "/nowhere redirect-broken",
                "/app redirected-to-app app://x",
                "/refresh redirected https://example.org/there", "/gone gone 404", "/broken server-error 500",
                "/empty empty", "/again revisit", "/bare-again revisit", "/again-gone gone 410",
                "/resource recorded Pie",
            ])
        #expect(troubles.isEmpty && tally.records == records.count && tally.pages == lines.count)
    }

    @Test func `records without what they need are named`() async throws {
        let page = Self.response("/page", body: Array(Self.page.utf8))
        let dateless = String(decoding: page, as: UTF8.self).replacing("WARC-Date", with: "WARC-Days")
        let records = [
            page, Array(dateless.utf8), Self.record("/empty", block: [0x0A]),
            Self.record("/half", block: Array("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n".utf8)),
        ]
        let (lines, tally, troubles) = try await reading([Array(records.joined())])
        #expect(lines == ["/page recorded Pie"] && tally.damages == 3)
        #expect(
            troubles == [
                "0.warc: the record at byte \(page.count) has no WARC-Date that can be read",
                "0.warc: the record at byte \(page.count + dateless.utf8.count) is a response without a status line",
                "0.warc: the record at byte \(records[..<3].joined().count) is a response whose fields do not end",
            ])
    }

    @Test func `deep links say that no association file was asked for`() async throws {
        let banner = "<meta name=apple-itunes-app content='app-id=123, app-argument=https://example.org/x'>"
        let body = Array("\(banner)<title>App</title>".utf8)
        let url = try #require(WebURL("https://example.org/"))
        let answer = ArchivedPage.outcome(
            of: FetchResponse(
                url: url, status: 200, headers: HTTPHeaders([("Content-Type", "text/html")]), body: body,
                fetchedAt: MadeUpTime.start),
            agent: CrawlConfiguration.Agent(), limits: .standard)
        guard case .recorded(let record, _, _) = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        let verification = try #require(record.deepLinks.first?.verification)
        #expect(verification.status == .unchecked && verification.reason?.hasSuffix("was not asked for.") == true)
    }

    // MARK: Many pages and files

    @Test func `lines keep the order of the archives, and a foreign file stops nothing`() async throws {
        func file(_ numbers: Range<Int>) -> [UInt8] {
            Array(
                numbers.map { number in
                    let text = "<title>\(number)</title>" + String(repeating: "<p>long", count: number % 7 * 900)
                    return PackedBytes.deflate(Self.response("/\(number)", body: Array(text.utf8)), .gzip)
                }.joined())
        }
        let (lines, tally, troubles) = try await reading([
            file(0..<300), Array("no archive".utf8), [], file(300..<310).dropLast(12),
        ])
        #expect(lines == (0..<309).map { "/\($0) recorded \($0)" })
        #expect(tally.files == 4 && tally.damages == 3 && troubles.count == 3)
        #expect(
            troubles.first
                == "1.warc: is not a WARC file: what is at byte 0 does not begin with WARC/1.0 or WARC/1.1, and no record was found"
        )
        #expect(troubles[1] == "2.warc: is empty")
    }

    @Test(.ends) func `a page that computes without end gets a line, in its place`() async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let threads = CrawlThreads(timeout: .milliseconds(50), grace: .milliseconds(50), count: 2, logger: logger) {
            url, interruption in
            while url.path == "/1", !interruption.isSet {}
        }
        let records = (0..<4).map { Self.response("/\($0)", body: Array("<title>\($0)</title>".utf8)) }
        let (lines, _, _) = try await reading([Array(records.joined())], threads: threads)
        #expect(lines == ["/0 recorded 0", "/1 reading-timed-out", "/2 recorded 2", "/3 recorded 3"])
    }

    @Test func `a file that is not there ends the reading before it begins`() async throws {
        let reading = ArchiveReading(logger: Logger(label: "test")) { _ in [] }
        await #expect(throws: ConfigurationError.self) {
            _ = try await reading.run(["-", "/nowhere.warc"]) { _ in
            } report: { _ in
            }
        }
    }
}
