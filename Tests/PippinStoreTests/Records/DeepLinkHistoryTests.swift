import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// What a storage remembers of the deep links of its records.
@Suite struct DeepLinkHistoryTests {
    private let folder = StorageFolder()
    private let page = "https://a.test/1"

    private func link(
        _ status: DeepLinkRecord.Verification.Status, app: String? = "901", url: String? = "https://a.test/1",
        reason: String? = nil
    ) -> DeepLinkRecord.DeepLink {
        var link = DeepLinkRecord.DeepLink(platform: .iOS, sources: [.smartAppBanner])
        (link.storeIdentifier, link.url) = (app, url)
        link.verification = DeepLinkRecord.Verification(status: status, reason: reason)
        return link
    }

    /// The record as a visit finds it, so many hours after the start.
    private func write(
        _ links: [DeepLinkRecord.DeepLink], after hours: Double, says: String = "one", to store: StoreUnderTest
    ) async throws {
        var record = DeepLinkRecord.of(page, says: says, at: MadeUpTime.start + hours * 3600)
        record.deepLinks = links
        try await store.write(.upsert(RecordDocument(record)))
    }

    private func changes(_ store: StoreUnderTest) throws -> [DeepLinkChange] {
        var changes: [DeepLinkChange] = []
        try DeepLinkHistory(database: store.storage.database).read { changes.append($0) }
        return changes
    }

    /// `+3 changed 901 verified→not-covered`: hours after the start.
    private func lines(_ store: StoreUnderTest) throws -> [String] {
        try changes(store).map { change in
            "+\(Int(change.at.timeIntervalSince(MadeUpTime.start)) / 3600) \(change.kind.rawValue) \(change.app ?? "-") "
                + "\(change.before?.status.rawValue ?? "")→\(change.now?.status.rawValue ?? "")"
        }
    }

    /// Since when the deep links' statuses hold, as the stored record says it.
    private func since(_ store: StoreUnderTest) throws -> [String] {
        var since: [String] = []
        try store.storage.feed.read(since: nil) { change in
            var parser = JSONParser()
            for link in try parser.parse(change.document)["deepLinks"]?.array ?? [] {
                since.append(link["verification"]?["since"]?.string ?? "-")
            }
        }
        return since
    }

    private func moment(_ hours: Double) -> String { InternetTime.text(MadeUpTime.start + hours * 3600) }

    @Test func `a link that breaks and is fixed is told, each time with what was before`() async throws {
        let store = try StoreUnderTest(folder)
        try await write([link(.verified)], after: 0, to: store)
        #expect(try since(store) == [moment(0)])
        try await write([link(.notCovered, reason: "The file is not there: 404.")], after: 3, to: store)
        #expect(try since(store) == [moment(3)])
        try await write([link(.verified)], after: 5, to: store)
        #expect(
            try lines(store) == [
                "+0 added 901 →verified", "+3 changed 901 verified→not-covered", "+5 changed 901 not-covered→verified",
            ])
        let broke = try #require(try changes(store).dropFirst().first)
        #expect(broke.identifier == page && broke.reason == "The file is not there: 404.")
        #expect(broke.before?.since == MadeUpTime.start && broke.now?.since == MadeUpTime.start + 3 * 3600)
        #expect(broke.before?.url == "https://a.test/1")
    }

    @Test func `an unchanged link keeps its date, and is no change of the record`() async throws {
        let store = try StoreUnderTest(folder)
        try await write([link(.verified)], after: 0, to: store)
        let cursor = try store.storage.feed.end()
        try await write([link(.verified)], after: 3, to: store)
        #expect(try store.storage.feed.end() == cursor)
        // Another text of the page is another version; the link's status holds since the first visit.
        try await write([link(.verified)], after: 5, says: "other", to: store)
        #expect(try store.storage.feed.end() != cursor && since(store) == [moment(0)])
        // An address that changes is told; the status goes on.
        try await write([link(.verified, url: "https://a.test/1?b")], after: 7, to: store)
        #expect(try since(store) == [moment(0)])
        let last = try #require(try changes(store).last)
        #expect(
            last.before?.url == "https://a.test/1" && last.now?.url == "https://a.test/1?b" && last.kind == .changed)
        #expect(try changes(store).count == 2)
    }

    @Test func `links that go and come back, and those of a deleted record, are told`() async throws {
        let store = try StoreUnderTest(folder)
        try await write([link(.verified), link(.unverifiable, app: "902", url: nil)], after: 0, to: store)
        try await write([link(.verified)], after: 1, to: store)
        try await write([link(.verified), link(.unverifiable, app: "902", url: nil)], after: 2, to: store)
        #expect(try since(store) == [moment(0), moment(2)])
        try await store.write(
            .delete(RecordDeletion(uniqueIdentifier: page, reason: "gone", at: MadeUpTime.start + 3 * 3600)))
        try await write([link(.verified)], after: 4, to: store)
        #expect(
            try lines(store) == [
                "+0 added 901 →verified", "+0 added 902 →unverifiable", "+1 removed 902 unverifiable→",
                "+2 added 902 →unverifiable", "+3 removed 901 verified→", "+3 removed 902 unverifiable→",
                "+4 added 901 →verified",
            ])
        #expect(try changes(store).filter { $0.kind == .removed }.last?.reason == "The record was deleted: gone.")
        #expect(try since(store) == [moment(4)])
    }

    @Test func `the app that a link is of may become known`() async throws {
        let store = try StoreUnderTest(folder)
        try await write([link(.verified, app: nil)], after: 0, to: store)
        var known = link(.verified)
        known.bundleIdentifier = "org.example.a"
        try await write([known], after: 1, to: store)
        #expect(try changes(store).count == 1 && since(store) == [moment(0)])
        // Without an app, custom schemes and hosts are compared.
        let links = DeepLinkState(link(.unverifiable, app: nil, url: "shows://1"))
        #expect(links.isSameLink(as: DeepLinkState(link(.unverifiable, app: nil, url: "shows://2"))))
        #expect(!links.isSameLink(as: DeepLinkState(link(.unverifiable, app: nil, url: "other://1"))))
        #expect(!links.isSameLink(as: DeepLinkState(link(.unverifiable, app: "901", url: "shows://2"))))
    }

    @Test func `of many changes the last are kept, and what is there is never forgotten`() async throws {
        let store = try StoreUnderTest(folder)
        for hour in 0..<200 {
            let status: DeepLinkRecord.Verification.Status = hour.isMultiple(of: 2) ? .verified : .notCovered
            try await write(
                [link(.verified, app: "1"), link(status, app: "2"), link(.verified, app: "\(hour + 10)")],
                after: Double(hour), to: store)
        }
        let changes = try changes(store)
        #expect(changes.count == DeepLinkTable.maximumRows)
        #expect(changes.first?.app == "1" && changes.first?.at == MadeUpTime.start)
        #expect(changes.last?.at == MadeUpTime.start + 199 * 3600)
        #expect(try since(store) == [moment(0), moment(199), moment(199)])
        let history = try StorageReader(folder: folder.url).history(of: try #require(WebURL(page)))
        #expect(history?.deepLinks == changes)
    }

    @Test func `a record of the version before has its links since its own date`() async throws {
        let store = try StoreUnderTest(folder)
        try await write([link(.verified)], after: 0, to: store)
        try store.storage.write { try $0.execute(sql: "DELETE FROM deepLink") }
        try await write([link(.verified)], after: 1, says: "other", to: store)
        #expect(try since(store) == [moment(0)] && lines(store) == ["+0 added 901 →verified"])
        try await write([], after: 2, says: "third", to: store)
        #expect(try lines(store) == ["+0 added 901 →verified", "+2 removed 901 verified→"])
    }

    @Test func `records without deep links leave no rows`() async throws {
        let store = try StoreUnderTest(folder)
        try await write([], after: 0, to: store)
        try await write([], after: 1, says: "other", to: store)
        #expect(try changes(store).isEmpty)
    }
}
