import Foundation
import Logging
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Readings on threads of their own, some of which never end by themselves.
@Suite(.ends)
struct CrawlThreadsTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Readers that compute until the test ends.
    final class Obsession: Sendable {
        private let isOver = Atomic(false)

        func compute(heeding interruption: Interruption? = nil) {
            while !isOver.load(ordering: .relaxed), interruption?.isSet != true {}
        }

        func end() { isOver.store(true, ordering: .relaxed) }
    }

    private static func threads(
        count: Int = 2, timeout: Duration = .milliseconds(50), grace: Duration = .milliseconds(50),
        rehearsal: (@Sendable (WebURL, Interruption) -> Void)? = nil
    ) -> CrawlThreads {
        CrawlThreads(timeout: timeout, grace: grace, count: count, logger: logger, rehearsal: rehearsal)
    }

    private static func expectTimedOut<Answer>(
        _ end: ReadingEnd<Answer>, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .timedOut = end else {
            Issue.record("\(end)", sourceLocation: sourceLocation)
            return
        }
    }

    private func url(_ text: String = "https://a.test/") throws -> WebURL { try #require(WebURL(text)) }

    @Test func `readings are answered, more of them than threads`() async throws {
        let threads = Self.threads(timeout: .seconds(100))
        defer { threads.close() }
        let url = try url()
        let answers = await withTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask {
                    if case .read(let answer) = await threads.read(url, { _ in number }) { answer } else { -1 }
                }
            }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(answers == Set(0..<200))
    }

    @Test func `a reading that takes too long is interrupted, and its answer does not count`() async throws {
        let threads = Self.threads(count: 1, grace: .seconds(1000))
        defer { threads.close() }
        let obsession = Obsession()
        let url = try url()
        Self.expectTimedOut(await threads.read(url) { interruption in obsession.compute(heeding: interruption) })
        // The thread that heeded it goes on.
        guard case .read(7) = await threads.read(url, { _ in 7 }) else {
            Issue.record("nothing is read any more")
            return
        }
    }

    @Test func `a reading that goes on with what another has read is interrupted by the same`() async throws {
        let threads = Self.threads(count: 1, grace: .seconds(1000))
        defer { threads.close() }
        let obsession = Obsession()
        let url = try url()
        guard case .read(let interruption) = await threads.read(url, { $0 }) else {
            Issue.record("nothing was read")
            return
        }
        #expect(!interruption.isSet)
        // It asks the interruption that it was read with, as the checks of a report card do.
        Self.expectTimedOut(
            await threads.read(url, interruption: interruption) { _ in obsession.compute(heeding: interruption) })
        #expect(interruption.isSet)
        // What was interrupted once is not read again.
        Self.expectTimedOut(await threads.read(url, interruption: interruption) { _ in 7 })
    }

    @Test func `more pages than threads that take too long end no crawl if they heed the interruption`() async throws {
        let threads = Self.threads(grace: .seconds(1000))
        defer { threads.close() }
        let url = try url()
        for _ in 0..<17 {
            let obsession = Obsession()
            Self.expectTimedOut(await threads.read(url) { obsession.compute(heeding: $0) })
        }
        #expect(threads.failure == nil)
        guard case .read(7) = await threads.read(url, { _ in 7 }) else {
            Issue.record("nothing is read any more")
            return
        }
    }

    @Test func `readings that heed nothing are given up, and others take their places`() async throws {
        let threads = Self.threads()
        let obsession = Obsession()
        defer {
            obsession.end()
            threads.close()
        }
        let url = try url()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    Self.expectTimedOut(await threads.read(url) { _ in obsession.compute() })
                }
            }
        }
        guard case .read(7) = await threads.read(url, { _ in 7 }) else {
            Issue.record("nothing is read any more")
            return
        }
        #expect(threads.failure == nil)
    }

    @Test func `threads that hang are replaced so many times, then nothing waits for them`() async throws {
        let threads = Self.threads(count: 1, timeout: .milliseconds(10), grace: .milliseconds(10))
        let obsession = Obsession()
        defer {
            obsession.end()
            threads.close()
        }
        let url = try url("https://hostile.test/page")
        for _ in 0..<CrawlThreads.maximumLost {
            Self.expectTimedOut(await threads.read(url) { _ in obsession.compute() })
        }
        guard case .stopped = await threads.read(url, { _ in 7 }) else {
            Issue.record("somebody reads still")
            return
        }
        #expect(threads.failure?.count == CrawlThreads.maximumLost)
        #expect(threads.failure?.description.contains("https://hostile.test/page") == true)
    }

    @Test func `who is cancelled waits for no reading, begun or not`() async throws {
        let threads = Self.threads(count: 1, timeout: .seconds(1000), grace: .seconds(1000))
        let obsession = Obsession()
        defer {
            obsession.end()
            threads.close()
        }
        let url = try url()
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let reading = Task {
            await threads.read(url) { _ in
                beginning.yield()
                obsession.compute()
            }
        }
        for await _ in begun { break }
        let waiting = Task { await threads.read(url) { _ in } }
        waiting.cancel()
        reading.cancel()
        for task in [waiting, reading] {
            guard case .stopped = await task.value else {
                Issue.record("a reading was waited for")
                return
            }
        }
    }

    @Test func `tasks go on while every thread computes`() async throws {
        let threads = Self.threads(count: 1, timeout: .seconds(1000), grace: .seconds(1000))
        defer { threads.close() }
        let obsession = Obsession()
        let url = try url()
        let end = try await threads.run {
            async let reading = threads.read(url) { _ in
                obsession.compute()
                return 7
            }
            for _ in 0..<10 { try await Task.sleep(for: .milliseconds(1)) }
            obsession.end()
            return await reading
        }
        guard case .read(7) = end else {
            Issue.record("\(end)")
            return
        }
    }

    @Test func `a task that comes after the end still runs`() async throws {
        let threads = Self.threads()
        threads.close()
        #expect(try await threads.run { 7 } == 7)
    }

    @Test func `closing gives up what is in the queue`() async throws {
        let threads = Self.threads(count: 1, timeout: .seconds(1000))
        threads.close()
        guard case .stopped = await threads.read(try url(), { _ in 7 }) else {
            Issue.record("a closed reader reads")
            return
        }
    }

    // MARK: Crawls

    @Test func `two hosts whose pages never end do not stop a crawl`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        let obsession = Obsession()
        defer { obsession.end() }
        var seeds: [String] = []
        for number in 1...20 {
            let origin = "https://good\(number).test"
            seeds.append(origin + "/")
            web.page(origin + "/", links: [origin + "/1", origin + "/2"])
            for page in 1...2 { web.page("\(origin)/\(page)") }
        }
        for host in ["heedless", "heeding"] {
            seeds.append("https://\(host).test/")
            web.page("https://\(host).test/")
        }
        // Whose robots.txt, association files or manifests never end.
        for host in ["rules", "files"] {
            seeds.append("https://\(host).test/")
            web.page("https://\(host).test/", head: "<link rel=manifest href=/manifest.json>")
            web.robots("https://\(host).test", "User-agent: *\nAllow: /\n")
            web["https://\(host).test/manifest.json"] = [.json("{}")]
        }
        let threads = Self.threads(
            timeout: .seconds(1), grace: .milliseconds(200),
            rehearsal: { url, interruption in
                switch url.href {
                case "https://heedless.test/", "https://rules.test/robots.txt": obsession.compute()
                case "https://heeding.test/", "https://files.test/manifest.json":
                    obsession.compute(heeding: interruption)
                default: break
                }
            })
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        configuration.politeness.delay = .zero
        configuration.politeness.adaptive = false
        configuration.fetch.retries = 0
        let sink = MemorySink()
        let crawler = Crawler(
            configuration: configuration, seeds: try Seeds.parse(seeds.joined(separator: "\n"), file: "seeds.txt"),
            fetcher: web, frontier: MemoryFrontier(sinks: [sink]), logger: Self.logger, threads: threads)
        let summary = try await crawler.run()
        let recorded = Set(await sink.records.map(\.url))
        for number in 1...20 {
            for page in ["", "1", "2"] { #expect(recorded.contains("https://good\(number).test/\(page)")) }
        }
        #expect(recorded.contains("https://files.test/"))
        #expect(
            summary.statistics.outcomes == ["recorded": 61, "reading-timed-out": 2, "robots-unreachable": 1])
        #expect(summary.statistics.siteFiles["manifest-reading-timed-out"] == 1)
        // Once, although it failed.
        #expect(web.log.count { $0.url == "https://heedless.test/" } == 1)
    }

    @Test func `a visit whose reading was given up waits for as long as one that found nothing`() throws {
        let outcome = VisitOutcome.readingTimedOut
        #expect(outcome.code == "reading-timed-out")
        #expect(outcome.trouble == nil)
        #expect(!outcome.servesSeed)
        // As with other answers that are no page, one such visit costs no record.
        #expect(outcome.bearing == .misses)
    }
}
