import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// A shard whose disk was lost takes over what it has told.
@Suite struct LostShardsTests {
    private func told(_ record: DeepLinkRecord, popularity: Double? = nil) throws -> ToldRecord {
        var document = RecordDocument(record).bytes
        if let popularity { document = DeepLinkRecord.document(document, linkPopularity: popularity) }
        let line = Array(#"{"type":"record","key":"\#(record.uniqueIdentifier)","record":"#.utf8) + document + [0x7D]
        guard case .record(let told) = try WorkerMessage(line: line[...], number: 1) else {
            preconditionFailure("no record")
        }
        return told
    }

    private func take(_ record: ToldRecord, into store: StoreUnderTest) async throws -> Int {
        let scope = CrawlScope(CrawlConfiguration(), seeds: [Seed(url: record.page)])
        return try await store.frontier.takeOver([(record, record.request(in: scope))]).added
    }

    @Test(arguments: [2, 3])
    func `each shard may lose its disk, and the records are those of a job that lost none`(count: Int) async throws {
        func job() async throws -> ShardsUnderTest {
            let seeds = FakeWeb(time: MadeUpTime()).addSites(6, pages: 10, seed: 7)
            let job = try ShardsUnderTest(count, seeds: seeds)
            _ = job.web.addSites(6, pages: 10, seed: 7)
            job.configuration.scope.follow = .domain
            try await job.runToEnd()
            // Some pages go.
            for site in 0..<6 {
                job.web["https://site\(site).test/p3"] = [.status(410)]
                job.web["https://site\(site).test/p5"] = [.redirect(to: "/p6")]
            }
            return job
        }
        let untouched = try await job()
        let before = untouched.records
        for shard in 0..<count {
            let job = try await job()
            #expect(job.records.keys.sorted() == before.keys.sorted())
            job.lose(shard)
            try await job.runToEnd()
            let mine = { (key: String) in job.shard(of: WebURL(key)?.politenessHost ?? "") == shard }
            for (key, record) in job.records {
                let path = WebURL(key)?.path
                let isGone = mine(key) && (path == "/p3" || path == "/p5")
                #expect((record == nil) == (isGone || before[key] == .some(nil)), "\(key)")
            }
        }
    }

    @Test func `a record is taken over once, with the history of its links and its popularity`() async throws {
        let store = try StoreUnderTest(StorageFolder())
        var record = DeepLinkRecord.of("https://a.test/x", says: "Water")
        record.fetchedAt = MadeUpTime.start
        let told = try told(record, popularity: 0.75)
        #expect(try await take(told, into: store) == 1)
        #expect(try await take(told, into: store) == 0)
        var documents: [String] = []
        let end = try store.storage.feed.read(since: nil) {
            documents.append(String(decoding: $0.document, as: UTF8.self))
        }
        #expect(documents.count == 1 && documents[0].contains("\"popularity\":0.75"))
        #expect(documents[0].contains("\"provenance\":{\"popularity\":\"link-graph\"}"))
        let leased = try await store.frontier.lease(limit: 10, perHost: 10)
        #expect(leased.map(\.url.href) == ["https://a.test/x"])
        #expect(leased.first?.previous?.recordIdentifier == "https://a.test/x")
        #expect(leased.first?.previous?.hasValidators == false)
        // Its page is gone.
        try await store.delete("https://a.test/x")
        #expect(try store.storage.feed.summary(since: end) == ["-https://a.test/x"])
        // What is told to be deleted does not come back.
        #expect(try await take(told, into: store) == 0)
    }

    @Test func `a page that was visited before its record came back is visited again`() async throws {
        let store = try StoreUnderTest(StorageFolder())
        _ = try await store.frontier.add([.page("https://a.test/x")])
        let page = try await store.frontier.lease(limit: 1, perHost: 1)[0]
        _ = try await store.frontier.finish(.of(page, .gone(status: 410)))
        #expect(try await take(try told(.of("https://a.test/x", says: "Water")), into: store) == 1)
        let again = try await store.frontier.lease(limit: 1, perHost: 1)
        #expect(again.first?.previous?.recordIdentifier == "https://a.test/x")
        // A page has one record.
        #expect(try await take(try told(.of("https://a.test/x#part", says: "Water")), into: store) == 0)
        #expect(try await store.frontier.unfinishedCount() == 1)
    }

    @Test func `a seed stays one, although its record comes back first`() async throws {
        let job = try ShardsUnderTest(1, seeds: ["https://a.test/start"])
        job.web.page("https://a.test/start", links: ["/in/x"])
        job.web.page("https://a.test/in/x")
        // Only a seed needs to match nothing.
        job.configuration.scope.include = ["*/in/*"]
        try await job.runToEnd()
        job.lose(0)
        try await job.runToEnd()
        #expect(job.records.mapValues { $0 != nil } == ["https://a.test/start": true, "https://a.test/in/x": true])
    }
}
