import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// What an observer leaves with a URL stays with it, and goes with its page.
@Suite struct ObservationTableTests {
    /// Leaves the outcome of each visit, with the URL as details.
    private struct Scribe: VisitObserver {
        func observe(_ visit: VisitObservation) -> KeptObservation? {
            guard !visit.isRepeated else { return nil }
            let isRead = visit.seen.page != nil
            return KeptObservation(
                entry: Array(visit.outcome.code.utf8), details: isRead ? Array(visit.request.url.href.utf8) : nil,
                weight: visit.request.url.href.utf8.count, stands: isRead, mayPass: visit.outcome.bearing == .misses)
        }
    }

    /// The entries, each with that of a later failure, sorted; and the details.
    private func kept(_ job: JobUnderTest) throws -> (entries: [String], details: [String]) {
        var (entries, details): ([String], [String]) = ([], [])
        try job.folder.open().keptObservations().read { entry in
            let failure = entry.failure.map { ", then " + String(decoding: $0.bytes, as: UTF8.self) } ?? ""
            entries.append(String(decoding: entry.bytes, as: UTF8.self) + failure)
        } _: {
            details.append(String(decoding: $0, as: UTF8.self))
        }
        return (entries.sorted(), details)
    }

    @Test func `a page that fails keeps its entry beside the failure, and one that goes takes all along`() async throws
    {
        let job = JobUnderTest()
        job.page("https://a.test/", links: ["/1"])
        job.page("https://a.test/1", says: "one")
        let month = Duration.seconds(40 * 86_400)
        _ = try await job.run(observer: Scribe()) { $0.fetch.retries = 0 }
        #expect(try kept(job).entries == ["recorded", "recorded"])
        #expect(try kept(job).details == ["https://a.test/1", "https://a.test/"])
        job.web["https://a.test/1"] = [.status(500)]
        _ = try await job.run(after: month, observer: Scribe()) { $0.fetch.retries = 0 }
        #expect(try kept(job).entries == ["recorded", "recorded, then server-error"])
        #expect(try kept(job).details.count == 2)
        // Nobody looks on, and the page is gone.
        job.web["https://a.test/1"] = [.status(410)]
        _ = try await job.run(after: month) { $0.fetch.retries = 0 }
        #expect(try kept(job).entries == ["recorded"])
        #expect(try kept(job).details == ["https://a.test/"])
    }

    @Test func `details are kept of the greatest weights alone, however many there are`() throws {
        let storage = try StorageFolder().open()
        func visit(_ outcome: VisitOutcome) throws -> FinishedVisit {
            FinishedVisit(
                request: CrawlRequest(
                    url: try #require(WebURL("https://a.test/")),
                    seed: Seed(url: try #require(WebURL("https://a.test/"))), discovery: .seed),
                outcome: outcome, finishedAt: MadeUpTime.start,
                next: RecrawlPolicy(CrawlConfiguration.Recrawl()).next(after: .firstVisit, isMiss: false, previous: nil)
            )
        }
        try storage.write { database in
            let table = try ObservationTable(database, misses: 3, keptDetails: 5)
            for number in 1...40 {
                let kept = KeptObservation(
                    entry: [1], details: [2], weight: number * 7 % 41, stands: true, mayPass: false)
                try table.apply(kept, of: visit(.recorded), url: Int64(number))
                let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM card") ?? 0
                #expect(count < 10)
            }
            let kept = try Int.fetchAll(database, sql: "SELECT weight FROM card ORDER BY weight DESC LIMIT 5")
            #expect(kept == [40, 39, 38, 37, 36])
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM judgement") == 40)
            // A page that goes takes its entry and its details along.
            for number in 1...40 { try table.apply(nil, of: visit(.gone(status: 404)), url: Int64(number)) }
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM judgement") == 0)
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM card") == 0)
        }
    }
}
