import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore
@testable import Simulation

/// A job with an archive, on a disk that loses power.
@Suite struct ArchivedJobTests {
    /// Answers as curl keeps them.
    private struct Wire: Fetcher {
        let web: FakeWeb

        func fetch(_ request: FetchRequest) async -> Result<FetchResponse, FetchError> {
            await web.fetch(request).map { response in
                var response = response
                let type = response.headers["Content-Type"] ?? "text/html"
                response.exchange = RawExchange(
                    requestHead: Array("GET \(request.url.path) HTTP/1.1\r\n\r\n".utf8),
                    responseHead: Array(
                        "HTTP/1.1 \(response.status) Fine\r\nContent-Type: \(type)\r\n\r\n".utf8),
                    wireBody: response.body)
                return response
            }
        }

        func addresses(of host: String) async -> Result<[NetworkAddress], FetchError> {
            await web.addresses(of: host)
        }
    }

    private let scratch = FileManager.default.temporaryDirectory.appending(path: "pippin-\(UUID().uuidString)")
    private static let pages = 40

    private static var web: FakeWeb {
        let web = FakeWeb(time: MadeUpTime())
        for host in 0..<4 {
            for page in 0..<pages {
                let links = [2 * page + 1, 2 * page + 2].filter { $0 < pages }.map { "/p\($0)" }
                web["https://h\(host).test/\(page == 0 ? "" : "p\(page)")"] = [
                    .appPage("https://h\(host).test/p\(page)", says: "Page \(page) of \(host). ", links: links)
                ]
            }
        }
        return web
    }

    /// One run of a job in the folder, wired like the command's.
    private static func crawl(into folder: URL, _ web: FakeWeb) async throws -> CrawlSummary {
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        let settled = configuration
        let seeds = try Seeds.parse((0..<4).map { "https://h\($0).test/" }.joined(separator: "\n"), file: "seeds.txt")
        let time = web.time
        let storage = try CrawlStorage(folder: folder.appending(path: "storage"))
        let archive = try WARCArchive(
            folder: folder.appending(path: "archive").path, userAgent: "Test",
            rotation: CrawlConfiguration.Rotation(maximumBytes: 15_000), date: { time.date }, executor: time.actors)
        let frontier = try storage.frontier(
            recrawl: settled.recrawl, limits: FrontierLimits(settled, seeds: seeds.count), date: { time.date },
            executor: time.actors)
        let follower = try FeedFollower(
            storage: storage, path: folder.appending(path: "records.ndjson").path, executor: time.actors,
            pause: { await time.sleep(until: time.now + .milliseconds(50)) })
        return try await time.run {
            let crawler = Crawler(
                configuration: settled, seeds: seeds, fetcher: ArchivingFetcher(Wire(web: web), archive: archive),
                frontier: frontier, clock: time.clock)
            return try await withThrowingTaskGroup(of: Void.self) { beside in
                beside.addTask { for await _ in archive.troubles { crawler.stop() } }
                beside.addTask { try await follower.follow() }
                let summary = try await crawler.run()
                storage.endChanges()
                try await archive.close()
                try await beside.waitForAll()
                return summary
            }
        }
    }

    /// The URLs that a storage remembers as visited, and the hosts whose robots.txt it has.
    private static func visited(in folder: URL) throws -> Set<String> {
        guard CrawlStorage.exists(in: folder) else { return [] }
        return try CrawlStorage(folder: folder).read { database in
            var visited: Set<String> = []
            try StoreStatement(database, "SELECT url FROM url_view WHERE outcome IS NOT NULL").rows {
                visited.insert($0.text(0))
            }
            try StoreStatement(database, "SELECT host.name FROM rules JOIN host ON host.id = rules.host").rows {
                visited.insert("https://\($0.text(0))/robots.txt")
            }
            return visited
        }
    }

    /// The URLs that an archive has answers of. Every file must be whole, and have its index.
    private static func captured(in folder: URL) throws -> Set<String> {
        var captured: Set<String> = []
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names.sorted() where name.hasSuffix(".warc.gz") {
            let descriptor = open(folder.appending(path: name).path, O_RDONLY)
            defer { close(descriptor) }
            let reader = WARCReader(descriptor: descriptor)
            var count = 0
            while let reading = try reader.next(keeping: { _ in 0 }) {
                guard case .record(let record) = reading else {
                    Issue.record("\(name): \(reading)")
                    break
                }
                guard record.kind == .response || record.kind == .revisit, let url = record.url else { continue }
                captured.insert(url.href)
                count += 1
            }
            let index = folder.appending(path: name.replacing(".warc.gz", with: ".cdxj"))
            let lines = (try? String(contentsOf: index, encoding: .utf8))?.split(separator: "\n") ?? []
            #expect(lines.count == count && lines.allSatisfy { $0.contains(name) }, "\(name)")
        }
        return captured
    }

    @Test(.slow) func `a loss of power takes no exchange of a visit that is remembered`() async throws {
        defer { try? FileManager.default.removeItem(at: scratch) }
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let copies = Mutex<[URL]>([])
        let watched = Mutex<FaultyDisk?>(nil)
        let scratch = scratch
        let disk = try FaultyDisk(folder: scratch.appending(path: "disk")) { operation in
            guard operation % 101 == 0, let disk = watched.withLock(\.self) else { return .happens }
            let copy = scratch.appending(path: "cut-\(operation)")
            do {
                try disk.copy(to: copy, cuttingPower: operation)
                copies.withLock { $0.append(copy) }
            } catch {
                Issue.record(error)
            }
            return .happens
        }
        watched.withLock { $0 = disk }
        let web = Self.web
        let summary = try await Self.crawl(into: disk.folder, web)
        watched.withLock { $0 = nil }
        disk.end()
        #expect(summary.statistics.pages == 4 * Self.pages)

        let moments = copies.withLock(\.self)
        var (visits, incomplete) = (0, 0)
        for copy in moments {
            let archive = try WARCArchive(folder: copy.appending(path: "archive").path, userAgent: "Test")
            try await archive.close()
            let captured = try Self.captured(in: copy.appending(path: "archive"))
            let visited = try Self.visited(in: copy.appending(path: "storage"))
            visits += visited.count
            if captured.count < 4 * Self.pages + 4 { incomplete += 1 }
            let gone = visited.subtracting(captured).sorted()
            #expect(
                gone.isEmpty, "\(copy.lastPathComponent): \(gone.count) of \(visited.count), as \(gone.first ?? "")")
        }
        // Otherwise it would prove little.
        #expect(
            moments.count > 30 && visits > 1000 && incomplete > 30,
            "\(moments.count) moments, \(visits) visits, \(incomplete) archives of a part")
    }

    @Test func `visits whose exchanges could not be archived are not remembered`() async throws {
        defer { try? FileManager.default.removeItem(at: scratch) }
        let isFull = Mutex(false)
        let disk = try FaultyDisk(folder: scratch.appending(path: "archive")) { operation in
            if operation > 100 { isFull.withLock { $0 = true } }
            return isFull.withLock(\.self) ? .fails(ENOSPC) : .happens
        }
        let web = Self.web
        await #expect(throws: WARCArchive.Trouble.self) { try await Self.crawl(into: scratch, web) }
        disk.end()
        let archive = try WARCArchive(folder: scratch.appending(path: "archive").path, userAgent: "Test")
        try await archive.close()
        let visited = try Self.visited(in: scratch.appending(path: "storage"))
        let captured = try Self.captured(in: scratch.appending(path: "archive"))
        #expect(!visited.isEmpty && visited.isSubset(of: captured), "\(visited.subtracting(captured).sorted())")
    }
}
