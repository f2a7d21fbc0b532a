import Foundation
import Glibc
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import pippin

/// Two runs of the demo's job, an hour of made-up time apart, against the demo's server over real sockets; between them a page
/// is edited and another one removed.
@Suite final class DemoComesBackTests {
    private let site: URL
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        site = folder.url.appending(path: "site")
        try FileManager.default.copyItem(at: Repository.root.appending(path: "Examples/demo-site"), to: site)
        try FileManager.default.createDirectory(at: job, withIntermediateDirectories: true)
    }

    private var job: URL { folder.url.appending(path: "job") }

    private static func listen(at port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(bound == 0 && Glibc.listen(descriptor, 1) == 0, "\(String(cString: strerror(errno)))")
        return descriptor
    }

    private func edit(_ page: String, replacing old: String, with new: String) throws {
        let file = site.appending(path: page)
        let text = try String(contentsOf: file, encoding: .utf8)
        try #require(text.contains(old))
        try Data(text.replacing(old, with: new).utf8).write(to: file)
    }

    private struct Run {
        let summary: CrawlSummary
        /// What the feed has since the run began: `+` or `-`, and the identifier.
        let changes: [String]
        let cursor: ChangeFeed.Cursor
    }

    /// One run of the job, some time after now.
    private func run(after wait: TimeInterval) async throws -> Run {
        var configuration = try CrawlConfiguration(contentsOf: job.appending(path: "crawl-config.yaml").path)
        configuration.recrawl.minimumInterval = .seconds(3600)
        configuration.recrawl.defaultInterval = .seconds(3600)
        configuration.recrawl.maximumInterval = .seconds(86_400)
        let date = { @Sendable in Date().addingTimeInterval(wait) }
        let real = CrawlClock.continuous
        let storage = try CrawlStorage(folder: URL(filePath: configuration.storagePath))
        let before = try storage.feed.end()
        let fetcher = try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        let summary = try await Crawler(
            configuration: configuration, seeds: try Seeds.read(contentsOf: configuration.seedsPath), fetcher: fetcher,
            frontier: try storage.frontier(recrawl: configuration.recrawl, date: date),
            clock: CrawlClock(now: real.now, sleep: real.sleep, date: date)
        ).run()
        await fetcher.shutdown()
        var changes: [String] = []
        let cursor = try storage.feed.read(since: before) {
            changes.append(($0.isDeletion ? "-" : "+") + $0.identifier)
        }
        return Run(summary: summary, changes: changes.sorted(), cursor: cursor)
    }

    @Test func `an hour later unchanged pages answer 304, one changed page and one deletion are in the feed`()
        async throws
    {
        let first = try await DemoProcess.serving(site: site, folder: job) { _ in
            let first = try await run(after: 0)
            // At once nothing is due, and the seed that failed is still told of.
            let idle = try await run(after: 0)
            #expect(idle.summary.statistics.requests == 0 && idle.changes.isEmpty)
            #expect(idle.summary.failedSeeds.map(\.code) == ["host-left"])
            return first
        }
        let outcomes = first.summary.statistics.outcomes
        #expect(outcomes["recorded"] == 64 && first.changes.count == 64)
        #expect(first.changes.allSatisfy { $0.hasPrefix("+") })

        try edit("clownfair.example/events/tightrope.html", replacing: "</h1>", with: " (sold out)</h1>")
        try FileManager.default.removeItem(at: site.appending(path: "shop.example/products/umbrella.html"))
        try await DemoProcess.serving(site: site, folder: job) { demo in
            let second = try await run(after: 3600)
            let clownfair = try demo.origin(of: "clownfair.example")
            let shop = try demo.origin(of: "shop.example")
            #expect(
                second.changes == [
                    "+\(clownfair)/events/tightrope.html", "-\(shop)/products/umbrella.html",
                ])
            // All that stood for itself is asked for again but for the two; a feed that a page links to has no record to keep.
            let stood = (outcomes["recorded"] ?? 0) + (outcomes["without-deep-links"] ?? 0) + (outcomes["sitemap"] ?? 0)
            #expect(
                second.summary.statistics.outcomes.filter { !["disallowed", "robots-unreachable"].contains($0.key) }
                    == ["not-modified": stood - 3, "recorded": 1, "gone": 1, "sitemap": 1])
            #expect(second.summary.statistics.statusClasses[3] == stood - 3)
            #expect(second.summary.statistics.deletions == 1)
            #expect(second.summary.statistics.requestsTooEarly == 0)
            // Whoever comes with the first run's cursor gets the same two.
            var sinceFirst: [String] = []
            try ChangeFeed(folder: job.appending(path: "storage")).read(since: first.cursor) {
                sinceFirst.append(($0.isDeletion ? "-" : "+") + $0.identifier)
            }
            #expect(sinceFirst.sorted() == second.changes)
            let why = try await PippinProcess.run(
                "pippin why '\(shop)/products/umbrella.html' --storage job/storage", in: folder.url)
            #expect(why.output.hasPrefix("gone  "))
            #expect(why.output.contains("products/umbrella.html was deleted at 20"), "\(why.output)")
            #expect(why.output.contains("as the page was found gone."))
            let due = try await PippinProcess.run("pippin why '\(clownfair)/' --storage job/storage", in: folder.url)
            #expect(due.output.hasPrefix("not-modified  "))
            #expect(due.output.contains("next: It is visited again by the first run after 20"), "\(due.output)")
        }
    }

    @Test func `a second demo crawl is a second run of the same job, and at other ports a job of its own`() async throws
    {
        func demo(_ more: String = "") async throws -> PippinProcess {
            try await PippinProcess.run(
                "pippin demo --crawl --port 0 --http-port 0 --site site --folder job \(more)", in: folder.url)
        }
        let first = try await demo()
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output.contains("The 64 records, one JSON object a line, are in"))
        let records = try Data(contentsOf: job.appending(path: "records.ndjson"))
        // Each record once; the ranking at the end adds the popularities of those that others link to.
        let lines = String(decoding: records, as: UTF8.self).split(separator: "\n")
        let popularities = lines.filter { $0.contains(#"","popularity":"#) && !$0.contains(#""url":"#) }
        #expect(lines.count - popularities.count == 64 && popularities.count > 20)
        let schema = try RecordSchema.verdict(of: [UInt8](records))
        #expect(schema.status == 0, "\(schema.output)")
        let second = try await demo()
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.output.contains("Nothing has changed since the last run."), "\(second.output)")
        #expect(second.output.contains("64 records."))
        #expect(second.errors.contains("not-modified"))
        #expect(second.errors.contains("/menu.html: "), "a seed that failed is told of")
        let cards = { (run: PippinProcess) in run.output.split(separator: "\n").filter { $0.hasPrefix("  https://") } }
        #expect(cards(second).count == 64)
        #expect(cards(second) == cards(first))

        // Somebody else has the ports.
        let ports = try String(contentsOf: job.appending(path: "ports"), encoding: .utf8)
        let port = try #require(ports.split(separator: " ").first.flatMap { UInt16($0) })
        let descriptor = try Self.listen(at: port)
        defer { close(descriptor) }
        let third = try await demo()
        #expect(third.status == 0, "\(third.errors)")
        #expect(third.errors.hasPrefix("The ports of the last demo are taken."), "\(third.errors)")
        #expect(cards(third).count == 64)
        #expect(try String(contentsOf: job.appending(path: "ports"), encoding: .utf8) != ports)
    }

    @Test func `two demos do not share a folder`() async throws {
        try await DemoProcess.serving(site: site, folder: job) { _ in
            let other = try await PippinProcess.run("pippin demo --crawl --site site --folder job", in: folder.url)
            #expect(other.status == 7)
            #expect(other.errors.contains("another demo is served from job"))
        }
    }
}
