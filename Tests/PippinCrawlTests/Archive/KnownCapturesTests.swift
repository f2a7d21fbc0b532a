import Foundation
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// What an archive knows of earlier runs, in a memory that is too small for all of it.
@Suite struct KnownCapturesTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-known-\(UUID().uuidString)")

    private static let capturesADay = 1000

    private static func url(_ day: Int, _ number: Int) -> String { "https://example.org/\(day)/\(number)" }

    private static func digest(_ day: Int, _ number: Int) -> String { WARCRecord.digest("\(day) \(number)".utf8) }

    /// The archives of some nights, with as many revisits as captures.
    private func archives(of days: ClosedRange<Int>) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for day in days {
            let name = "pippin-202611\(day < 10 ? "0" : "")\(day)000000-00000"
            var lines: [String] = []
            for number in 0..<Self.capturesADay {
                for mime in ["text/html", "warc/revisit"] {
                    lines.append(
                        CDXJLine(
                            url: try #require(WebURL(Self.url(day, number))), stamp: "20261101000000", mime: mime,
                            status: 200, digest: Self.digest(day, number), offset: 0, length: 1,
                            file: name + ".warc.gz"
                        ).text)
                }
            }
            lines.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: folder.appending(path: name + ".cdxj"))
            try Data().write(to: folder.appending(path: name + ".warc.gz"))
        }
    }

    /// How many captures of a day are known, by URL and by body.
    private func count(_ known: KnownCaptures, of day: Int, open: [String] = []) -> Int {
        (0..<Self.capturesADay).count { number in
            let (url, digest) = (Self.url(day, number), Self.digest(day, number))
            let byURL = known.capture(url: url, open: open)
            return byURL?.digest == digest && known.capture(digest: digest, open: open)?.url == url
        }
    }

    @Test func `of more captures than fit, the newest are known`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try archives(of: 1...10)
        // Room for the captures of two days.
        var known = try KnownCaptures(in: folder, memoryBytes: 4000 * 16)
        #expect(count(known, of: 10) > 950)
        #expect(count(known, of: 1) == 0)

        // A run makes more of them than fit.
        var open: [String] = []
        for day in 11...13 {
            for number in 0..<Self.capturesADay {
                known.add(url: Self.url(day, number), digest: Self.digest(day, number), line: open.count)
                open.append(
                    CDXJLine(
                        url: try #require(WebURL(Self.url(day, number))), stamp: "20261111000000", mime: "text/html",
                        status: 200, digest: Self.digest(day, number), offset: 0, length: 1, file: "open.warc.gz"
                    ).text)
            }
        }
        #expect(count(known, of: 13, open: open) > 950)
    }

    @Test func `the last capture of a URL counts, before and after its file is finished`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try archives(of: 1...2)
        var known = try KnownCaptures(in: folder, memoryBytes: 1_000_000)
        let url = Self.url(1, 7)
        let open = try ["20261103000000", "20261103000001"].enumerated().map { number, stamp in
            CDXJLine(
                url: try #require(WebURL(url)), stamp: stamp, mime: "text/html", status: 200,
                digest: Self.digest(3, number), offset: 0, length: 1, file: "pippin-20261103000000-00000.warc.gz"
            ).text
        }
        for (number, _) in open.enumerated() { known.add(url: url, digest: Self.digest(3, number), line: number) }
        #expect(known.capture(url: url, open: open)?.date == "2026-11-03T00:00:01Z")

        try Data(open.map { $0 + "\n" }.joined().utf8).write(
            to: folder.appending(path: "pippin-20261103000000-00000.cdxj"))
        try Data().write(to: folder.appending(path: "pippin-20261103000000-00000.warc.gz"))
        try known.finished(index: "pippin-20261103000000-00000.cdxj")
        for known in [known, try KnownCaptures(in: folder, memoryBytes: 1_000_000)] {
            #expect(known.capture(url: url, open: [])?.digest == Self.digest(3, 1))
            #expect(known.capture(digest: Self.digest(3, 0), open: [])?.date == "2026-11-03T00:00:00Z")
        }
    }

    @Test func `what is in a file that was removed is not known`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try archives(of: 1...3)
        let known = try KnownCaptures(in: folder, memoryBytes: 1_000_000)
        #expect((1...3).map { count(known, of: $0) } == [1000, 1000, 1000])
        try FileManager.default.removeItem(at: folder.appending(path: "pippin-20261101000000-00000.warc.gz"))
        try FileManager.default.removeItem(at: folder.appending(path: "pippin-20261103000000-00000.cdxj"))
        #expect((1...3).map { count(known, of: $0) } == [0, 1000, 0])
    }

    @Test func `the archive's memory is part of the crawl's`() {
        var configuration = CrawlConfiguration()
        #expect(configuration.archiveMemoryBytes == 0)
        configuration.output.archivePath = "archive"
        let crawler = Crawler(
            configuration: configuration, seeds: [], fetcher: NoFetcher(), frontier: MemoryFrontier())
        #expect(crawler.memory.limit + configuration.archiveMemoryBytes == configuration.fetch.memoryBytes)
        #expect(configuration.archiveMemoryBytes == WARCArchive.standardMemoryBytes)
    }

    private struct NoFetcher: Fetcher {
        func fetch(_ request: FetchRequest) async -> Result<FetchResponse, FetchError> { .failure(.cancelled) }
        func addresses(of host: String) async -> Result<[NetworkAddress], FetchError> { .success([]) }
    }
}
