import PippinStore
import PippinTestSupport
import Testing

@testable import PippinCrawl

/// A robots.txt holds for a day (RFC 9309 §2.4), over all runs of a job.
@Suite struct StoredRobotsTests {
    private let job = JobUnderTest()
    private let rules = "https://a.test/robots.txt"
    private let hour = Duration.seconds(3700)

    private func begin(robots: FakeWeb.Answer) async throws {
        job.page("https://a.test/", links: ["/open", "/closed"])
        for path in ["open", "closed"] { job.page("https://a.test/" + path, says: path) }
        job.web[rules] = [robots]
        _ = try await job.run(configure: hourly)
        #expect(job.visits(of: rules).count == 1)
    }

    private func hourly(_ configuration: inout CrawlConfiguration) {
        configuration.recrawl.minimumInterval = .seconds(3600)
        configuration.recrawl.defaultInterval = .seconds(3600)
        configuration.recrawl.maximumInterval = .seconds(3600)
    }

    @Test func `runs of one day ask once, and obey what they were told`() async throws {
        try await begin(robots: .text("User-agent: *\nDisallow: /closed\nCrawl-delay: 30"))
        job.web[rules] = [.text("User-agent: *\nDisallow: /open")]
        for _ in 0..<3 {
            let run = try await job.run(after: hour, configure: hourly)
            #expect(run.outcomes["disallowed"] == 1 && run.summary.statistics.pages == 2)
        }
        #expect(job.visits(of: rules).count == 1)
        #expect(job.visits(of: "https://a.test/closed").isEmpty)
        let starts = job.web.log.map(\.start)
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 >= .seconds(30) })
        // A day after it was fetched it is fetched again.
        let later = try await job.run(after: .seconds(80_000), configure: hourly)
        #expect(later.outcomes["disallowed"] == 1)
        #expect(job.visits(of: rules).count == 2)
        #expect(job.visits(of: "https://a.test/closed").count == 1)
    }

    @Test func `that there is none is kept too, and that it cannot be fetched is not`() async throws {
        try await begin(robots: .status(404))
        _ = try await job.run(after: hour, configure: hourly)
        #expect(job.visits(of: rules).count == 1 && job.visits(of: "https://a.test/").count == 2)

        let other = JobUnderTest()
        other.page("https://a.test/")
        other.web[rules] = [.status(503)]
        _ = try await other.run { $0.fetch.retries = 0 }
        other.web[rules] = [.text("")]
        #expect(try await other.run(after: .seconds(90_000)).changes == ["+https://a.test/"])
    }

    @Test func `rules that would last longer than a day were kept by a wrong calendar, and are fetched`() async throws {
        try await begin(robots: .text("User-agent: *\nDisallow: /closed"))
        do {
            let storage = try job.folder.open()
            try await storage.frontier(recrawl: CrawlConfiguration.Recrawl()).keep(
                StoredRobots(
                    origin: "https://a.test", host: "a.test", text: "User-agent: *\nDisallow: /",
                    until: MadeUpTime.start.addingTimeInterval(30 * 86_400)))
        }
        let run = try await job.run(after: hour, configure: hourly)
        #expect(job.visits(of: rules).count == 2 && run.summary.statistics.pages == 2)
    }
}
