import Foundation
import PippinCrawl
import PippinPage
import PippinStore

// How long the end of a run takes to rank so many pages with ten links each, and how much memory:
//
// - first: every record gets its popularity, and is delivered again,
// - next: nothing has changed,
// - export: all links with their URLs, as `pippin export --links` reads them.
//
//     swift run -c release LinkGraphBenchmark 100000 1000000
//
// Pages lie on a thousand hosts. Each links to its host's menu (three links), to pages of its host (five) and to other hosts (two),
// and has a record of about one kilobyte. A million pages take up to 4 GB in the folder for temporary files (TMPDIR).

let sizes = CommandLine.arguments.dropFirst().compactMap(Int.init)
guard !sizes.isEmpty else {
    print("Usage: LinkGraphBenchmark PAGES …")
    exit(2)
}
print("| pages | links | visits/s | first ranking | next ranking | memory for it | export | bytes of links |")
print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
for size in sizes { print(try await LinkGraphMeasurement(pages: size).row) }

struct LinkGraphMeasurement {
    private static let hosts = 1_000
    private static let concurrency = 64

    private(set) var row = ""

    init(pages: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-links-\(UUID().uuidString)")
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch {
                print("\(folder.path) is left behind: \(error)")
            }
        }
        let storage = try CrawlStorage(folder: folder)
        let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl())
        var filling = Duration.zero
        for start in stride(from: 0, to: pages, by: 10_000) {
            let visits = (start..<min(start + 10_000, pages)).compactMap { Self.visit($0, of: pages) }
            filling += try await ContinuousClock().measure { try await Self.finish(visits, frontier) }
        }
        try await frontier.close(keeping: [])
        try storage.emptyLog()
        let memory = Self.memory("VmRSS:")
        // The peak is counted from here on (proc(5)).
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let clock = ContinuousClock()
        var ranking: SQLiteFrontier.Ranking?
        let first = try await clock.measure { ranking = try await frontier.rankPages() }
        let peak = Self.memory("VmHWM:")
        guard case .ranked(let changed, let ranked, let links) = ranking, ranked == pages, changed > 0 else {
            fatalError("not ranked: \(String(describing: ranking))")
        }
        let next = try await clock.measure { _ = try await frontier.rankPages() }
        var exported = 0
        let export = try await clock.measure { try StoredLinks(folder: folder).read { _ in exported += 1 } }
        guard exported == links else { fatalError("\(exported) of \(links) links exported") }
        let cells = [
            "\(pages)", "\(links)", "\(Int(Double(pages) / (filling / .seconds(1))))", Self.seconds(first),
            Self.seconds(next), "\((peak - memory) / 1_000) MB", Self.seconds(export),
            "\(try Self.bytesOfLinks(folder) / max(1, links))",
        ]
        row = "| " + cells.joined(separator: " | ") + " |"
    }

    private static func seconds(_ duration: Duration) -> String {
        String(format: "%.1f s", duration / .seconds(1))
    }

    private static func finish(_ visits: [FinishedVisit], _ frontier: SQLiteFrontier) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, visit) in visits.enumerated() {
                if index >= concurrency { try await group.next() }
                group.addTask { _ = try await frontier.finish(visit) }
            }
            try await group.waitForAll()
        }
    }

    private static func request(_ page: Int) -> CrawlRequest? {
        WebURL("https://site\(page % hosts).example/section-\(page / hosts / 20)/an-article-with-a-title-\(page).html")
            .map {
                CrawlRequest(url: $0, depth: 1, seed: seed, discovery: .outlink)
            }
    }

    private static let seed: Seed = {
        guard let url = WebURL("https://site0.example/") else { preconditionFailure("a constant is a URL") }
        return Seed(url: url)
    }()

    private static func visit(_ page: Int, of pages: Int) -> FinishedVisit? {
        guard let request = request(page) else { return nil }
        let host = page % hosts
        let perHost = max(1, pages / hosts)
        var random = UInt64(page) &* 0x9E37_79B9_7F4A_7C15
        func next(_ bound: Int) -> Int {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return Int(random % UInt64(max(1, bound)))
        }
        var targets = [host, hosts + host, 2 * hosts + host]
        // Small numbers are linked more often.
        for _ in 0..<5 { targets.append(next(next(perHost) + 1) * hosts + host) }
        for _ in 0..<2 { targets.append(next(next(perHost) + 1) * hosts + next(next(hosts) + 1)) }
        let links = targets.filter { $0 < pages }.compactMap { self.request($0) }
        var record = DeepLinkRecord(
            uniqueIdentifier: request.key.string, domainIdentifier: request.host, url: request.url.href,
            fetchedAt: Date(), contentHash: String(page, radix: 16))
        record.title = "Article \(page)"
        record.contentDescription = String(repeating: "What the page says of itself. ", count: 15)
        record.snippet = String(repeating: "What is shown under the title. ", count: 8)
        var visit = FinishedVisit(
            request: request, outcome: .recorded, finishedAt: Date(),
            next: RecrawlPolicy.Next(wait: .seconds(86_400)), changes: [.upsert(RecordDocument(record))],
            discovered: links)
        visit.recordIdentifier = request.key.string
        return visit
    }

    /// A line of /proc/self/status, in kilobytes.
    private static func memory(_ name: String) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) })
        else { return 0 }
        return Int(line.filter(\.isNumber)) ?? 0
    }

    /// How long the table of links is, by SQLite's own count of its pages.
    private static func bytesOfLinks(_ folder: URL) throws -> Int {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT sum(length(targets)) FROM link').fetchone()[0])",
            folder.appending(path: "pippin.sqlite").path,
        ]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }
}
