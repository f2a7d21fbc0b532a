import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// A run of a job does not wait for a host that rests long: the next one asks it, and not before its time.
@Suite struct RestingHostTests {
    private let job = JobUnderTest()

    @Test func `a job whose only work left rests ends, says so, and comes back`() async throws {
        job.web["https://a.test/robots.txt"] = [.status(503, headers: [("Retry-After", "300")]), .status(404)]
        job.page("https://a.test/")
        let first = try await job.run()
        #expect(first.summary.ending == .hostsRest)
        #expect(first.summary.duration < .seconds(2))
        #expect(first.summary.hostsLeft == ["a.test"] && first.summary.unvisited == 1)
        let failed = try #require(first.summary.failedSeeds.first)
        #expect(failed.code == "host-left")
        #expect(failed.reason.contains("https://a.test/robots.txt cannot be fetched: it answers with status 503"))
        #expect(first.summary.limitations.contains { $0.message.contains("a.test (robots.txt 503)") })

        // The host is left in peace, and the run that finds it so says why.
        let early = try await job.run(after: .seconds(100))
        #expect(job.web.log.count == 1)
        #expect(early.summary.failedSeeds.first?.reason.contains("it answers with status 503") == true)
        let url = try #require(WebURL("https://a.test/"))
        let history = try StorageReader(folder: job.folder.url).history(of: url, now: job.web.time.date)
        let host = try #require(history).host
        #expect(host.trouble?.code == "status-503" && host.blockReason?.contains("status 503") == true)

        let second = try await job.run(after: .seconds(250))
        #expect(second.outcomes == ["recorded": 1])
        #expect((job.web.log.dropFirst().first?.start ?? .zero) >= .seconds(300))
        let later = try StorageReader(folder: job.folder.url).history(of: url)
        #expect(later?.visits.last?.outcome == "recorded" && later?.host.trouble == nil)
    }

    @Test func `a short rest is waited for`() async throws {
        job.web["https://a.test/robots.txt"] = [.status(503, headers: [("Retry-After", "30")]), .status(404)]
        job.page("https://a.test/")
        let short = try await job.run()
        #expect(short.summary.ending == .finished && short.outcomes == ["recorded": 1])
    }

    @Test func `a host whose certificate has run out is left after a few pages`() async throws {
        let pages = (1...30).map { "https://a.test/\($0)" }
        job.page("https://a.test/", links: pages)
        for page in pages { job.page(page) }
        func configure(_ configuration: inout CrawlConfiguration) {
            configuration.recrawl.defaultInterval = .seconds(3600)
        }
        let first = try await job.run(configure: configure)
        #expect(first.outcomes == ["recorded": 31])
        let asked = job.web.log.count
        for page in ["https://a.test/"] + pages {
            job.web[page] = [.failure(.tls(.expired, reason: "certificate has expired"))]
        }
        let second = try await job.run(after: .seconds(3 * 3600), configure: configure)
        #expect(second.outcomes == ["failed-tls": 3])
        #expect(job.web.log.count == asked + 3)
        #expect(second.summary.hostsLeft == ["a.test"])
        #expect(second.summary.statistics.troubles["a.test"]?.code == "failed-tls")
        // Nothing is lost by it.
        #expect(second.changes.isEmpty)
    }
}
