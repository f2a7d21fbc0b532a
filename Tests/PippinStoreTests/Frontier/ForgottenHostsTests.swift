import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// Hosts are forgotten after their URLs, and never so soon that they could be asked too soon.
@Suite struct ForgottenHostsTests {
    private let folder = StorageFolder()
    private let calendar = TestCalendar()

    /// Hosts after a run with nothing to do.
    private func hostsAfterRun(
        _ body: (SQLiteFrontier) async throws -> Void = { _ in }
    ) async throws -> [String: Int64] {
        let store = try StoreUnderTest(folder, calendar: calendar)
        try await body(store.frontier)
        try await store.frontier.close(keeping: [])
        let status = try StorageStatus(StorageReader(folder: folder.url), now: calendar.now)
        let hosts = try store.storage.read { database in
            try Row.fetchAll(database, sql: "SELECT name, id FROM host").map {
                ($0["name"] as String, $0["id"] as Int64)
            }
        }
        #expect(status.hosts == hosts.count)
        return Dictionary(uniqueKeysWithValues: hosts)
    }

    private func clock(_ host: String, rest: Duration) -> HostClock {
        HostClock(
            host: host, savedAt: calendar.now, rest: rest, crawlDelay: nil, responseTime: .zero,
            failuresInARow: 0,
            openings: 0, address: nil, trouble: nil)
    }

    @Test func `hosts without URLs are forgotten once nothing says when they may be asked`()
        async throws
    {
        let day = 86_400.0
        let first = try await hostsAfterRun { frontier in
            _ = try await frontier.clocks(of: [
                "asked.test", "resting.test", "ruled.test", "suspended.test",
            ])
            _ = try await frontier.add([.page("https://kept.test/")])
            try await frontier.keep([
                clock("asked.test", rest: .zero), clock("resting.test", rest: .seconds(6 * day)),
            ])
            try await frontier.keep(
                StoredRobots(
                    origin: "https://ruled.test", host: "ruled.test", text: "User-agent: *\nDisallow: /\n",
                    until: calendar.now + 6 * day))
            try await frontier.suspend(hosts: ["suspended.test"], until: calendar.now + 6 * day)
        }
        #expect(first.count == 5)
        calendar.advance(day)
        #expect(try await hostsAfterRun().count == 5, "a day is too short")
        calendar.advance(3 * day)
        let left: Set = ["kept.test", "resting.test", "ruled.test", "suspended.test"]
        #expect(try await Set(hostsAfterRun().keys) == left)
        calendar.advance(5 * day)
        #expect(try await Set(hostsAfterRun().keys) == ["kept.test"])
        // Numbers of hosts that are gone are in links, and given to nobody else.
        let last = try await hostsAfterRun { _ = try await $0.add([.page("https://new.test/")]) }
        #expect(try #require(last["new.test"]) > (first.values.max() ?? 0))
    }

    @Test func `a host that a run which died may have asked rests from when it is found`()
        async throws
    {
        do {
            let store = try StoreUnderTest(folder, calendar: calendar)
            _ = try await store.frontier.clocks(of: ["asked.test"])
        }
        calendar.advance(10 * 86_400)
        #expect(try await hostsAfterRun().count == 1)
        // Known now, it is asked again by a run that dies.
        calendar.advance(1.5 * 86_400)
        do {
            let store = try StoreUnderTest(folder, calendar: calendar)
            _ = try await store.frontier.clocks(of: ["asked.test"])
        }
        calendar.advance(1 * 86_400)
        #expect(try await hostsAfterRun().count == 1)
        calendar.advance(3 * 86_400)
        #expect(try await hostsAfterRun().isEmpty)
    }
}
