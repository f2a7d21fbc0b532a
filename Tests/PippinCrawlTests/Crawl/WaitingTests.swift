import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// No waiting in silence, and none for what cannot come.
@Suite struct WaitingTests {
    private let web = FakeWeb(time: MadeUpTime(), slowest: .milliseconds(20))

    @Test(arguments: [
        FetchError.hostNotFound, .addressRefused("10.0.0.1"), .tls(.untrusted, reason: "self-signed certificate"),
    ])
    func `a host that cannot be reached at all is asked once, and its seeds end after one rest`(error: FetchError)
        async throws
    {
        web["https://a.test/robots.txt"] = [.failure(error)]
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/", "https://a.test/b"])
        #expect(crawl.outcomes == ["robots-unreachable": 2])
        #expect(crawl.summary.duration < .seconds(15))
        #expect(web.log.count == 1)
        let url = try #require(WebURL("https://a.test/robots.txt"))
        #expect(crawl.summary.failedSeeds.count == 2)
        for failed in crawl.summary.failedSeeds {
            #expect(failed.reason.contains(error.explanation(asking: url, .key)), "\(failed.reason)")
        }
        #expect(crawl.summary.statistics.troubles["a.test"]?.code == "failed-\(error.code)")
    }

    @Test func `while nothing is in flight it is known for whom, why and until when it waits`() async throws {
        web["https://down.test/robots.txt"] = [.status(503, headers: [("Retry-After", "300")])]
        web.page("https://up.test/")
        let time = web.time
        let crawl = try await FakeCrawl.run(
            web, seeds: ["https://down.test/", "https://up.test/"],
            start: { crawler in
                Task(executorPreference: time) {
                    await time.sleep(until: .seconds(60))
                    let waiting = crawler.statistics.waiting
                    #expect(waiting?.host == "down.test")
                    #expect(waiting?.reason == "robots.txt 503")
                    #expect(waiting?.otherHosts == 0)
                    let seconds = waiting.map { $0.until.timeIntervalSince(time.date) } ?? 0
                    #expect(seconds > 200 && seconds < 300, "\(seconds)")
                }
            })
        // There is no next run that could ask: a crawl that keeps nothing waits.
        #expect(crawl.outcomes["robots-unreachable"] == 1)
        #expect(crawl.summary.ending == .finished)
        #expect(web.log.filter { $0.host == "down.test" }.count > 1)
    }

    @Test func `a wait is a sentence with the time of the day`() throws {
        let zone = try #require(TimeZone(identifier: "UTC"))
        let wait = CrawlWait(
            host: "down.localhost", reason: "robots.txt 503", until: Date(timeIntervalSince1970: 1_700_000_000),
            otherHosts: 0)
        #expect(wait.sentence(in: zone) == "waiting for down.localhost: robots.txt 503, next try 22:13:20")
        let more = CrawlWait(host: "a.test", reason: "x", until: wait.until, otherHosts: 2)
        #expect(more.sentence(in: zone).hasPrefix("waiting for a.test and 2 more: x, next try "))
    }

    @Test func `the last request's trouble stands with its host until an answer comes`() throws {
        var schedule = PolitenessSchedule(PolitenessSchedule.Settings(CrawlConfiguration()))
        let url = try #require(WebURL("https://a.test/robots.txt"))
        let request = try #require(SiteFileRequest(robotsFor: url, seed: Seed(url: url)))
        func ask(_ trouble: RequestFailure?, _ sign: PolitenessSchedule.HostSign, at now: Duration) {
            schedule.add(.siteFile(request), now: now)
            _ = schedule.next(now: now)
            _ = schedule.finished(host: "a.test", sign: sign, trouble: trouble, now: now)
        }
        ask(RequestFailure(.status(503), asking: url), .troubled(retryAfter: nil), at: .zero)
        #expect(schedule.trouble(host: "a.test")?.brief == "robots.txt 503")
        // The next run knows it too.
        let clock = try #require(schedule.clock(host: "a.test", now: .zero))
        var next = PolitenessSchedule(PolitenessSchedule.Settings(CrawlConfiguration()))
        next.restore(clock, now: .zero)
        #expect(next.trouble(host: "a.test")?.code == "status-503")
        ask(nil, .answered(.milliseconds(5), isError: false), at: .seconds(100))
        #expect(schedule.trouble(host: "a.test") == nil)
    }
}
