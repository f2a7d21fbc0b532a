import Foundation
import GRDB
import PippinTestSupport
import Simulation
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// Counts that are kept beside what they count are those that counting gives, when a run has ended and when one begins that follows a
/// kill.
@Suite struct KeptCountsTests {
    private let folder = StorageFolder()
    private let calendar = TestCalendar()

    private func differences() throws -> [String] {
        try StorageReader(folder: folder.url).read { try KeptCounts.differences($0).first.map(\.description) }
    }

    private func expectNone(_ moment: Comment) throws {
        let found = try differences()
        #expect(found == [], moment)
    }

    /// A request for one of few hosts and paths, so that URLs meet again. Some addresses count as several URLs.
    private static func request(_ numbers: inout SeededNumbers) -> CrawlRequest {
        let path = String(repeating: "long/", count: numbers.upTo(8) == 0 ? 300 : 0) + "\(numbers.upTo(40))"
        let scheme = numbers.upTo(5) == 0 ? "http" : "https"
        var request = CrawlRequest.page("\(scheme)://h\(numbers.upTo(6)).test/\(path)", depth: 1 + numbers.upTo(4))
        let kinds: [CrawlRequest.Discovery] = [.outlink, .outlink, .outlink, .sitemap, .redirect, .canonical, .seed]
        request.discovery = kinds[numbers.upTo(kinds.count)]
        if numbers.upTo(10) == 0 { request.target = .sitemap(host: request.host, level: 0) }
        if request.discovery == .sitemap {
            let alternates = (0..<numbers.upTo(20)).map { "android-app://com.example.app/https/h.test/\($0)" }
            request.sitemap = SitemapFacts(alternates: alternates)
            request.modifiedAt = MadeUpTime.start.addingTimeInterval(Double(numbers.upTo(400_000)))
        }
        return request
    }

    private func finish(_ request: CrawlRequest, _ frontier: SQLiteFrontier, _ numbers: inout SeededNumbers)
        async throws
    {
        let other = Self.request(&numbers)
        let outcomes: [VisitOutcome] = [
            .recorded, .recorded, .recorded, .notModified, .noindex, .gone(status: 404), .serverError(status: 500),
            .duplicate(of: other.url), .redirected(to: other.url, permanent: true), .disallowed,
        ]
        let outcome = outcomes[numbers.upTo(outcomes.count)]
        let identifier = request.key.string
        var changes: [RecordChange] = []
        if case .recorded = outcome, request.isPage {
            // Few contents: records of a host stand for each other.
            let record = DeepLinkRecord.of(identifier, says: "says \(numbers.upTo(9))", at: calendar.now)
            changes = [.upsert(RecordDocument(record))]
        } else if case .gone = outcome {
            changes = [
                .delete(RecordDeletion(uniqueIdentifier: identifier, reason: "gone", at: calendar.now))
            ]
        }
        var found = (0..<numbers.upTo(12)).map { _ in Self.request(&numbers) }
        if case .duplicate = outcome, numbers.upTo(3) > 0 { found.append(other) }
        _ = try await frontier.finish(
            .of(
                request, outcome, at: calendar.now, found: found, wait: .seconds(600 + numbers.upTo(100_000)),
                changes: changes))
    }

    /// A run: finds and visits URLs, a night's worth.
    private func run(_ numbers: inout SeededNumbers, isKilled: Bool) async throws {
        let storage = try folder.open()
        let frontier = try storage.frontier(
            recrawl: CrawlConfiguration.Recrawl(), limits: FrontierLimits(perHost: 15, total: 50),
            date: { [calendar] in calendar.now })
        if !isKilled { try expectNone("at the start") }
        for _ in 0..<30 {
            switch numbers.upTo(4) {
            case 0: _ = try await frontier.add((0..<numbers.upTo(30)).map { _ in Self.request(&numbers) })
            case 1:
                let leased = try await frontier.lease(limit: 1 + numbers.upTo(6), perHost: 4)
                try await frontier.release(leased)
            default:
                for request in try await frontier.lease(limit: 1 + numbers.upTo(6), perHost: 4) {
                    try await finish(request, frontier, &numbers)
                }
            }
            // Counts of hosts are written from time to time.
            if numbers.upTo(3) == 0 { calendar.advance(Double(numbers.upTo(40))) }
        }
        if !isKilled { try await frontier.close(keeping: []) }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `counts are true after every run, and where one begins after a kill`(seed: UInt64) async throws {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<6 {
            try await run(&numbers, isKilled: false)
            try expectNone("after a run")
            calendar.advance(Double(numbers.upTo(100_000)))
            try await run(&numbers, isKilled: true)
        }
    }

    @Test func `wrong counts are found and fixed`() async throws {
        var numbers = SeededNumbers(seed: 1)
        try await run(&numbers, isKilled: false)
        let storage = try folder.open()
        try storage.write {
            try $0.execute(
                sql: """
                    UPDATE host SET urls = urls + 1, load = 99 WHERE id = 1; UPDATE store SET hosts = 7, known = 0, queued = 1, load = 2,
                        records = 3;
                    UPDATE outcome SET urls = 50 WHERE id = 1
                    """)
        }
        let found = try differences().map { $0.prefix { $0 != " " } }
        #expect(
            Set(found) == [
                "host.urls", "host.load", "store.hosts", "store.known", "store.queued", "store.load", "store.records",
                "outcome.urls",
            ])
        try storage.write { try KeptCounts.fix($0) }
        #expect(try differences().isEmpty)
    }
}
