import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// What becomes of known URLs when a job's settings change between two runs.
@Suite struct ChangedSettingsTests {
    private let folder = StorageFolder()
    private let calendar = TestCalendar()
    private let seeds = [Seed(url: WebURL("https://news.test/")!)]

    private func configuration(_ yaml: String = "") throws -> CrawlConfiguration {
        try CrawlConfiguration(yaml: "agent: { contact: \"https://example.org/bot\" }\n" + yaml, file: "pippin.yaml")
    }

    /// A run that plans by the configuration, visits what is named, and ends.
    @discardableResult private func run(
        _ configuration: CrawlConfiguration, visits: [(String, VisitOutcome)] = []
    ) async throws -> (replanned: SQLiteFrontier.Replanned, leased: [String]) {
        let storage = try folder.open()
        let frontier = try storage.frontier(
            recrawl: configuration.recrawl, scope: CrawlScope(configuration, seeds: seeds),
            date: { [calendar] in calendar.now })
        let replanned = try await frontier.follow(SettingsKey(configuration, seeds: seeds))
        for (url, outcome) in visits {
            let request = CrawlRequest.page(url)
            let sign: RecrawlPolicy.Sign = outcome == .recorded ? .firstVisit : .absent
            let next = RecrawlPolicy(configuration.recrawl(of: request.host)).next(
                after: sign, isMiss: false, previous: nil)
            _ = try await frontier.finish(.of(request, outcome, at: calendar.now, wait: next.wait))
        }
        let leased = try await frontier.lease(limit: 100, perHost: 100).map(\.url.href).sorted()
        try await frontier.close(keeping: [])
        let differences = try storage.read { try KeptCounts.differences($0).first }
        #expect(differences == [])
        return (replanned, leased)
    }

    private let pages: [(String, VisitOutcome)] = [
        ("https://news.test/", .recorded), ("https://news.test/gone", .gone(status: 404)),
        ("https://shop.test/", .recorded),
    ]

    @Test func `lower intervals count for what is known, on the hosts that have them`() async throws {
        try await run(configuration(), visits: pages)
        calendar.advance(2 * 3600)
        #expect(try await run(configuration()).replanned == SQLiteFrontier.Replanned())
        let sheet = "hosts: { shop.test: { recrawl: { min_interval: 10m, default_interval: 1h } } }"
        let ofShop = try await run(configuration(sheet))
        #expect(ofShop.replanned == SQLiteFrontier.Replanned(sooner: 1) && ofShop.leased == ["https://shop.test/"])
        let all = "recrawl: { min_interval: 10m, default_interval: 1h }"
        #expect(
            try StorageReader(folder: folder.url).dueByNewSettings(
                configuration(all), seeds: seeds, now: calendar.now) == 1)
        let ofAll = try await run(configuration(all))
        // A page that was not there waits for four times as long.
        #expect(ofAll.replanned == SQLiteFrontier.Replanned(sooner: 2))
        #expect(ofAll.leased == ["https://news.test/", "https://shop.test/"])
        calendar.advance(3 * 3600)
        let later = try await run(configuration(all))
        #expect(later.replanned == SQLiteFrontier.Replanned() && later.leased.count == 3)
    }

    @Test func `longer intervals leave what is planned`() async throws {
        try await run(configuration(), visits: pages)
        calendar.advance(86_400)
        let longer = try await run(configuration("recrawl: { min_interval: 2d, default_interval: 7d }"))
        #expect(longer.replanned == SQLiteFrontier.Replanned() && longer.leased.count == 2)
    }

    @Test func `what the configuration refused is looked at when it changes, and nothing else`() async throws {
        let visits =
            pages + [
                ("https://news.test/a", .excluded(.excluded)), ("https://news.test/deep", .excluded(.tooDeep)),
                ("https://news.test/trap", .excluded(.repeatedSegments)), ("https://news.test/robots", .disallowed),
                ("https://news.test/away", .redirectRefused(to: WebURL("https://other.test/")!, .otherHost)),
                ("https://10.0.0.1/", .failed(.addressRefused("10.0.0.1"))),
            ]
        try await run(configuration(), visits: visits)
        let same = try await run(configuration("recrawl: { misses: 9 }"))
        #expect(same.replanned == SQLiteFrontier.Replanned() && same.leased.isEmpty)
        for change in [
            "scope: { follow: any }", "scope: { max_depth: 9 }", "scope: { exclude: [\"*/b\"] }",
            "scope: { include: [\"*\"] }", "scope: { allow_hosts: [other.test] }",
            "hosts: { news.test: { max_depth: 9 } }",
            "hosts: { news.test: { exclude: [\"*/b\"] } }", "fetch: { allow_private_networks: true }",
        ] {
            let changed = try configuration(change)
            let due = try StorageReader(folder: folder.url).dueByNewSettings(changed, seeds: seeds, now: calendar.now)
            let found = try await run(changed)
            #expect(found.replanned == SQLiteFrontier.Replanned(refused: 4) && due == 4, "\(change)")
            let refused = [
                "https://10.0.0.1/", "https://news.test/a", "https://news.test/away", "https://news.test/deep",
            ]
            #expect(found.leased == refused, "\(change)")
            // As they were refused before.
            try await run(changed, visits: visits)
        }
    }

    @Test func `a plan that was broken off is made by the next run`() async throws {
        try await run(configuration(), visits: pages)
        calendar.advance(2 * 3600)
        let changed = try configuration("recrawl: { min_interval: 10m, default_interval: 1h }")
        do {
            let storage = try folder.open()
            let frontier = try storage.frontier(recrawl: changed.recrawl, date: { [calendar] in calendar.now })
            let broken = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await frontier.follow(SettingsKey(changed, seeds: seeds))
            }
            #expect(try await broken.value == SQLiteFrontier.Replanned())
            try await frontier.close(keeping: [])
        }
        #expect(try await run(changed).leased == ["https://news.test/", "https://shop.test/"])
    }

    @Test func `a storage of an earlier version is planned by its first run`() async throws {
        try await run(configuration(), visits: pages)
        try folder.open().write { try $0.execute(sql: "UPDATE store SET intervals = NULL, refusals = NULL") }
        #expect(try await run(configuration()).replanned == SQLiteFrontier.Replanned())
        try folder.open().write { try $0.execute(sql: "UPDATE store SET intervals = NULL, refusals = NULL") }
        let found = try await run(configuration("recrawl: { max_interval: 2h, default_interval: 1h }"))
        #expect(found.replanned == SQLiteFrontier.Replanned(sooner: 3))
    }
}
