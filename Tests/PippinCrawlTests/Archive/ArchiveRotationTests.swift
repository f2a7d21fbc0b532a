import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Archives that do not grow for ever.
@Suite struct ArchiveRotationTests {
    private typealias Rotation = CrawlConfiguration.Rotation

    private let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-old-\(UUID().uuidString)")
    private static let day = 86_400.0

    /// Answers on a day: a page that stays and is not sent again to those who have it, a copy of it, and a page of that day.
    private struct Site: Fetcher {
        let date: Date

        func fetch(_ request: FetchRequest) async -> Result<FetchResponse, FetchError> {
            let isKnown = request.url.path == "/same" && request.entityTag == "\"1\""
            let body = request.url.path == "/new" ? "<p>\(date)" : "<p>The same"
            var response = FetchResponse(
                url: request.url, status: isKnown ? 304 : 200, headers: HTTPHeaders(),
                body: isKnown ? [] : Array(body.utf8), fetchedAt: date)
            var exchange = RawExchange()
            exchange.requestHead = Array("GET \(request.url.path) HTTP/1.1\r\n\r\n".utf8)
            exchange.responseHead = Array("HTTP/1.1 \(response.status) Fine\r\nContent-Type: text/html\r\n\r\n".utf8)
            exchange.wireBody = response.body
            response.exchange = exchange
            return .success(response)
        }

        func addresses(of host: String) async -> Result<[NetworkAddress], FetchError> { .success([]) }
    }

    private func date(_ days: Double) -> Date { MadeUpTime.start.addingTimeInterval(days * Self.day) }

    private func archive(_ rotation: Rotation, at days: Double) throws -> WARCArchive {
        let date = date(days)
        return try WARCArchive(folder: folder.path, userAgent: "Test", rotation: rotation, date: { date })
    }

    private func fetch(into archive: WARCArchive, at days: Double) async throws {
        let fetcher = ArchivingFetcher(Site(date: date(days)), archive: archive)
        for path in ["same", "copy", "new"] {
            let url = try #require(WebURL("https://example.org/\(path)"))
            var request = FetchRequest(url: url, purpose: .page, maximumBodyBytes: 1000, timeout: .seconds(1))
            if path == "same", days > 0 { request.entityTag = "\"1\"" }
            _ = try await fetcher.fetch(request).get()
        }
    }

    private func run(_ rotation: Rotation, at days: Double) async throws {
        let archive = try archive(rotation, at: days)
        try await fetch(into: archive, at: days)
        try await archive.close()
    }

    private func names(_ suffix: String = ".warc.gz") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(suffix) }.sorted()
    }

    /// The times of all exchanges. Everything to which a revisit refers must be there.
    private func times(_ comment: Comment) throws -> Set<String> {
        var (times, bodies, references): (Set<String>, Set<[String]>, [[String]]) = ([], [], [])
        for name in try names() {
            let descriptor = open(folder.appending(path: name).path, O_RDONLY)
            defer { close(descriptor) }
            let reader = WARCReader(descriptor: descriptor)
            while let reading = try reader.next(keeping: { _ in 0 }) {
                guard case .record(let record) = reading, let date = record.fields["WARC-Date"] else { continue }
                let uri = record.fields["WARC-Target-URI"] ?? ""
                switch record.kind {
                case .response: bodies.insert([uri, date])
                case .revisit:
                    let earlier = ["WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"].map { record.fields[$0] ?? "" }
                    references.append(earlier)
                default: continue
                }
                times.insert(date)
            }
        }
        let lost = references.filter { !bodies.contains($0) }
        #expect(lost.isEmpty && !references.isEmpty, comment)
        return times
    }

    private func expectOrder(_ comment: Comment) {
        let check = ArchiveCheck(folder: folder.path, isFull: true)
        #expect(check.problems.isEmpty, comment)
    }

    @Test(.slow) func `old files go, and never one to which a later one refers`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let rotation = Rotation(keep: .seconds(Int(10 * Self.day)))
        var most = 0
        for day in 0..<70 {
            try await run(rotation, at: Double(day))
            let times = try times("day \(day)")
            expectOrder("day \(day)")
            for earlier in max(0, day - 10)...day {
                #expect(times.contains(WARCTime.field(date(Double(earlier)))), "day \(earlier) on day \(day)")
            }
            most = max(most, times.count)
        }
        #expect(most <= 20)
        #expect(try names().count == names(".cdxj").count)
    }

    @Test(arguments: [nil, Duration.seconds(20 * 86_400)])
    func `a page with a body of before refers to that one when it is not modified`(keep: Duration?) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = try #require(WebURL("https://example.org/"))
        for (day, body) in [(4, "A"), (5, "B"), (6, "A"), (7, "")] {
            let archive = try archive(Rotation(keep: keep), at: Double(day))
            let isKnown = await archive.hasBody(of: url)
            #expect(isKnown || day == 4)
            let status = body.isEmpty ? 304 : 200
            await archive.keep(
                FetchResponse(
                    url: url, status: status, headers: HTTPHeaders(), body: Array(body.utf8),
                    fetchedAt: date(Double(day))),
                of: RawExchange(
                    responseHead: Array("HTTP/1.1 \(status) Fine\r\n\r\n".utf8), wireBody: Array(body.utf8)))
            try await archive.close()
        }
        let last = try #require(try names().last)
        let descriptor = open(folder.appending(path: last).path, O_RDONLY)
        defer { close(descriptor) }
        let reader = WARCReader(descriptor: descriptor)
        var referred: String?
        while let reading = try reader.next(keeping: { _ in 0 }) {
            if case .record(let record) = reading, record.kind == .revisit {
                referred = record.fields["WARC-Refers-To-Date"]
            }
        }
        #expect(referred == WARCTime.field(date(4)))
    }

    @Test(.slow) func `an archive that was kept for ever loses old files when nothing refers to them`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for day in 0..<30 { try await run(Rotation(), at: Double(day)) }
        // Another day, another length: each run's files say themselves to what they refer.
        for day in 30..<75 {
            let keep = Int((day < 50 ? 10 : 7) * Self.day)
            try await run(Rotation(keep: .seconds(keep)), at: Double(day))
            _ = try times("day \(day)")
            expectOrder("day \(day)")
        }
        let times = try times("the end")
        #expect(times.count <= 14 && times.allSatisfy { $0 > WARCTime.field(date(75 - 16)) }, "\(times.sorted())")
    }

    @Test func `what a run has not wholly removed goes with the next`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let rotation = Rotation(keep: .seconds(Int(10 * Self.day)))
        try await run(rotation, at: 0)
        let old = try #require(try names().first)
        try FileManager.default.removeItem(
            at: folder.appending(path: old.replacing(".warc.gz", with: ".cdxj")))
        try await run(rotation, at: 40)
        #expect(try names().count == 1 && !names().contains(old))
        expectOrder("")
    }

    @Test func `a file that another run is writing keeps what it may refer to, and foreign files stay`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await run(Rotation(), at: 0)
        let foreign = [
            "crawl-2020.warc.gz", "crawl-2020.cdxj", "pippin-2020.warc.gz", "pippin-2020.cdxj", "pippin-notes.txt",
        ]
        for name in foreign { try Data().write(to: folder.appending(path: name)) }
        let old = try names()
        let other = try archive(Rotation(), at: 50)
        try await fetch(into: other, at: 50)
        let keep = Rotation(keep: .seconds(Int(10 * Self.day)))
        try await run(keep, at: 50)
        #expect(try Set(old).isSubset(of: names()))
        try await other.close()
        _ = try times("both")
        try await run(keep, at: 90)
        #expect(try names().count == 3, "the foreign one, and that of the last day")
        #expect(try Set(foreign).isSubset(of: names("")))
    }

    @Test func `a file is ended when it is old`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let now = Mutex(date(0))
        let archive = try WARCArchive(
            folder: folder.path, userAgent: "Test", rotation: Rotation(maximumAge: .seconds(3600)),
            date: { now.withLock(\.self) })
        for hour in [0, 0.5, 0.99, 1, 1.5, 2.5] {
            now.withLock { $0 = date(hour / 24) }
            try await fetch(into: archive, at: hour / 24)
        }
        try await archive.close()
        #expect(try names() == ["000000", "010000", "023000"].map { "pippin-20261121\($0)-00000.warc.gz" })
    }
}
