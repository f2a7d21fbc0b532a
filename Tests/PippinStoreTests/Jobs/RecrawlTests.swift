import Foundation
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// What a second visit may find, and what becomes of the record then.
@Suite struct RecrawlTests {
    private let job = JobUnderTest()
    private var web: FakeWeb { job.web }
    private let day = Duration.seconds(86_400 + 3600)
    private let page = "https://a.test/1"

    /// A seed that answers 304, and the page under test.
    private func begin(tag: String? = nil) async throws {
        job.page("https://a.test/", links: ["/1"], tag: "\"a\"")
        job.page(page, says: "one", tag: tag)
        #expect(try await job.run().changes.count == 2)
    }

    // MARK: The page

    @Test func `a permanent redirect deletes the old record and gives a new one`() async throws {
        try await begin()
        web[page] = [.redirect(301, to: "/2")]
        job.page("https://a.test/2", says: "one")
        #expect(try await job.run(after: day).changes.sorted() == ["+https://a.test/2", "-https://a.test/1"])
    }

    @Test func `a temporary redirect keeps the record, and is looked at again soon`() async throws {
        try await begin()
        web[page] = [.redirect(302, to: "/later")]
        web["https://a.test/later"] = [.status(404)]
        #expect(try await job.run(after: day).changes.isEmpty)
        job.page(page, says: "one, again")
        #expect(try await job.run(after: .seconds(3700)).changes == ["+https://a.test/1"])
    }

    @Test func `a page that opens no app any more loses its record, and gets it back when it does`() async throws {
        try await begin()
        web[page] = [.html("<title>x</title>one")]
        let second = try await job.run(after: day)
        #expect(second.changes == ["-https://a.test/1"] && second.outcomes["without-deep-links"] == 1)
        job.page(page, says: "one")
        #expect(try await job.run(after: day).changes == ["+https://a.test/1"])
    }

    @Test(arguments: [FetchError.truncatedBody, .badContentEncoding("gzip"), .bodyTooLarge(limit: 1)])
    func `half a page says nothing at once, and deletes when nothing better comes`(error: FetchError) async throws {
        try await begin()
        web[page] = [.failure(error)]
        var deletions: [Bool] = []
        for _ in 0..<3 { deletions.append(try await !job.run(after: day) { $0.fetch.retries = 0 }.changes.isEmpty) }
        #expect(deletions == [false, false, true])
    }

    @Test func `a change in what is recorded is a change, though the text is the same`() async throws {
        try await begin()
        web[page] = [
            .html("<title>another title</title><meta name=apple-itunes-app content='app-id=1, app-argument=app:x'>one")
        ]
        #expect(try await job.run(after: day).changes == ["+https://a.test/1"])
        let history = try #require(try job.folder.history(of: page))
        #expect(history.changeCount == 1 && history.rhythm == .seconds(43_200))
    }

    @Test func `a page whose day has come is deleted, although it was not modified`() async throws {
        job.page("https://a.test/", links: ["/1"], tag: "\"a\"")
        let until = InternetTime.text(web.time.date.addingTimeInterval(86_400))
        web.page(page, head: "<meta name=robots content='unavailable_after: \(until)'>")
        web[page] = web[page].map { FakeWeb.Answer(headers: $0.headers + [("ETag", "\"1\"")], body: $0.body) }
        #expect(try await job.run().changes.count == 2)
        #expect(try await job.run(after: day).changes == ["-https://a.test/1"])
    }

    // MARK: Not modified

    @Test func `validators are sent as they were given, and replaced by those of a 304`() async throws {
        try await begin(tag: "W/\"weak\"")
        web[page] = [FakeWeb.Answer(status: 304, headers: [("ETag", "W/\"newer\"")])]
        for _ in 0..<2 { #expect(try await job.run(after: .seconds(40 * 86_400)).outcomes["not-modified"] == 2) }
        #expect(job.visits(of: page).map(\.entityTag) == [nil, "W/\"weak\"", "W/\"newer\""])
    }

    @Test func `a 304 that nobody asked for loses no page`() async throws {
        try await begin()
        web[page] = [.status(304)]
        for _ in 0..<5 {
            let again = try await job.run(after: .seconds(40 * 86_400))
            #expect(again.changes.isEmpty && again.outcomes["refused"] == 1)
        }
        job.page(page, says: "one, and well")
        #expect(try await job.run(after: .seconds(40 * 86_400)).changes == ["+https://a.test/1"])
    }

    @Test func `a 304 that forbids the index has the page read again`() async throws {
        try await begin(tag: "\"1\"")
        let noindex = [("X-Robots-Tag", "noindex"), ("ETag", "\"1\"")]
        // The first answer was given to the first run.
        web[page] = [
            .html("never"), FakeWeb.Answer(status: 304, headers: noindex), .html("<p>one", headers: [noindex[0]]),
        ]
        let second = try await job.run(after: day)
        #expect(second.changes == ["-https://a.test/1"] && second.outcomes["noindex"] == 1)
        #expect(job.visits(of: page).map(\.entityTag) == [nil, "\"1\"", nil])
    }

    @Test func `a change of the site's association file reaches pages that were not modified`() async throws {
        web.associations("https://a.test", app: "ABCDE12345.org.example.app", patterns: ["/other/*"])
        job.page("https://a.test/", tag: "\"a\"")
        web[page] = [.html("<title>x</title>nothing of an app", headers: [("ETag", "\"1\"")])]
        let seeds = ["https://a.test/", page]
        #expect(try await job.run(seeds: seeds).changes == ["+https://a.test/"])
        // As it was: two 304s, and one request for each association file.
        let second = try await job.run(after: day, seeds: seeds)
        #expect(second.outcomes == ["not-modified": 2] && second.changes.isEmpty)
        web.associations("https://a.test", app: "ABCDE12345.org.example.app")
        let third = try await job.run(after: day + day, seeds: seeds)
        #expect(third.changes.sorted() == ["+https://a.test/", "+https://a.test/1"])
        #expect(try job.record(page)?.contains("ABCDE12345.org.example.app") == true)
        // It cannot be fetched for a while: that changes nothing.
        web["https://a.test/.well-known/apple-app-site-association"] = [.status(503)]
        let fourth = try await job.run(after: .seconds(40 * 86_400), seeds: seeds)
        #expect(fourth.outcomes == ["not-modified": 2] && fourth.changes.isEmpty)
        // It is gone: that does.
        web["https://a.test/.well-known/apple-app-site-association"] = [.status(404)]
        let fifth = try await job.run(after: .seconds(40 * 86_400), seeds: seeds)
        #expect(fifth.changes.sorted() == ["+https://a.test/", "-https://a.test/1"])
    }

    /// A link that the scope refuses is not kept, and a page that is not modified gives no links.
    @Test(arguments: [false, true])
    func `a wider scope reaches what unmodified pages link to`(isOfSheet: Bool) async throws {
        let narrow = { @Sendable (configuration: inout CrawlConfiguration) in
            var sheet = HostSheet()
            sheet.exclude = ["*/private/*"]
            if isOfSheet {
                configuration.hosts = HostSheets(["a.test": sheet])
            } else {
                configuration.scope.exclude = sheet.exclude ?? []
            }
        }
        job.page("https://a.test/", links: ["/1", "/private/2"], tag: "\"a\"")
        job.page(page, says: "one", tag: "\"1\"")
        job.page("https://a.test/private/2", says: "two", tag: "\"2\"")
        let month = Duration.seconds(40 * 86_400)
        #expect(try await job.run(configure: narrow).changes.count == 2)
        let same = try await job.run(after: month, configure: narrow)
        #expect(same.outcomes == ["not-modified": 2])
        // What was read again is the same, and is not delivered.
        #expect(try await job.run(after: month).changes == ["+https://a.test/private/2"])
        #expect(try await job.run(after: month).outcomes == ["not-modified": 3])
    }

    @Test func `what the operator changes reaches pages that were not modified`() async throws {
        job.page("https://a.test/", tag: "\"a\"")
        web[page] = [.html("<title>x</title>nothing of an app", headers: [("ETag", "\"1\"")])]
        let seeds = ["https://a.test/", page]
        #expect(try await job.run(seeds: seeds).changes == ["+https://a.test/"])
        let all = try await job.run(after: day, seeds: seeds) { $0.records = .all }
        #expect(all.changes == ["+https://a.test/1"])
        let fewer = try await job.run(after: day + day, seeds: seeds)
        #expect(fewer.changes == ["-https://a.test/1"])
        let told = try await job.run(
            after: .seconds(40 * 86_400), seeds: ["https://a.test/ app=1 bundle=org.example.app", page])
        #expect(told.changes == ["+https://a.test/"])
        #expect(try job.record("https://a.test/")?.contains("org.example.app") == true)
    }

    // MARK: Sitemaps

    private func sitemap(_ urls: [String], modified: Date, alternate: String? = nil) {
        let date = InternetTime.text(modified)
        let link = alternate.map { "<xhtml:link rel='alternate' href='\($0)'/>" } ?? ""
        web["https://a.test/sitemap.xml"] = [
            .xml(
                "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>"
                    + urls.map { "<url><loc>\($0)</loc><lastmod>\(date)</lastmod>\(link)</url>" }.joined()
                    + "</urlset>")
        ]
    }

    @Test func `a sitemap's date brings a page back early, but not before the shortest interval`() async throws {
        job.page("https://a.test/", links: ["/1"], tag: "\"a\"")
        job.page(page, says: "one", tag: "\"1\"")
        sitemap([page], modified: web.time.date.addingTimeInterval(-86_400))
        let configure: (inout CrawlConfiguration) -> Void = {
            $0.scope.sitemaps = true
            $0.recrawl.defaultInterval = .seconds(7200)
        }
        _ = try await job.run(configure: configure)
        for _ in 0..<4 { _ = try await job.run(after: day, configure: configure) }
        // By now it is left alone for 7,200 s × 1.5⁴, ten hours.
        let before = job.visits(of: page).count
        _ = try await job.run(after: .seconds(7300), configure: configure)
        #expect(job.visits(of: page).count == before)
        job.page(page, says: "two", tag: "\"2\"")
        sitemap([page], modified: web.time.date)
        let hinted = try await job.run(after: .seconds(7300), configure: configure)
        #expect(hinted.changes == ["+https://a.test/1"])
    }

    @Test func `a sitemap that says "now" of every page is believed less and less`() async throws {
        job.page("https://a.test/", links: ["/1"], tag: "\"a\"")
        job.page(page, says: "one", tag: "\"1\"")
        let hours = 24 * 20
        for _ in 0..<hours {
            sitemap([page], modified: web.time.date.addingTimeInterval(86_400 * 365))
            _ = try await job.run(after: .seconds(3660)) {
                $0.scope.sitemaps = true
                $0.recrawl.defaultInterval = .seconds(3600)
            }
        }
        // Its rhythm alone, from one hour to half as much again each time, comes to fourteen visits in twenty days.
        let visits = job.visits(of: page).count
        #expect(visits < 20, "\(visits) visits in \(hours) hours")
        #expect(visits >= 12)
        #expect(job.visits(of: "https://a.test/sitemap.xml").count > 200)
    }

    @Test func `a sitemap is asked for at the usual interval, however long it has been the same`() async throws {
        job.page("https://a.test/", tag: "\"a\"")
        sitemap(["https://a.test/"], modified: web.time.date)
        web["https://a.test/sitemap.xml"] = web["https://a.test/sitemap.xml"].map {
            FakeWeb.Answer(headers: $0.headers + [("ETag", "\"s\"")], body: $0.body)
        }
        for _ in 0..<10 { _ = try await job.run(after: day) { $0.scope.sitemaps = true } }
        #expect(job.visits(of: "https://a.test/sitemap.xml").count == 10)
    }

    @Test func `an app that a sitemap comes to name reaches a page that was not modified`() async throws {
        job.page("https://a.test/", links: ["/1"], tag: "\"a\"")
        web[page] = [.html("<title>x</title>one", headers: [("ETag", "\"1\"")])]
        sitemap([page], modified: web.time.date.addingTimeInterval(-86_400))
        #expect(try await job.run { $0.scope.sitemaps = true }.changes == ["+https://a.test/"])
        sitemap(
            [page], modified: web.time.date.addingTimeInterval(-86_400), alternate: "android-app://org.example/app/one")
        #expect(try await job.run(after: day) { $0.scope.sitemaps = true }.changes == ["+https://a.test/1"])
    }

    // MARK: The operator

    @Test func `pages of a seed that was taken off the list go with it, unless another seed covers their host`()
        async throws
    {
        job.page("https://a.test/", links: ["/1"], tag: "\"a\"")
        job.page(page, tag: "\"1\"")
        job.page("https://b.test/", links: ["/1"], tag: "\"b\"")
        job.page("https://b.test/1", tag: "\"1\"")
        job.page("https://b.test/support", tag: "\"s\"")
        let all = ["https://a.test/", "https://b.test/", "https://b.test/support"]
        #expect(try await job.run(seeds: all).changes.count == 5)
        // b.test has another seed, which its records name from now on.
        let fewer = try await job.run(after: day, seeds: ["https://a.test/", "https://b.test/support"])
        #expect(fewer.changes.sorted() == ["+https://b.test/", "+https://b.test/1"])
        #expect(try job.record("https://b.test/1")?.contains(#""seeds":["https://b.test/support"]"#) == true)
        let last = try await job.run(after: day + day, seeds: ["https://a.test/"])
        #expect(last.changes.sorted() == ["-https://b.test/", "-https://b.test/1", "-https://b.test/support"])
        #expect(last.outcomes["excluded-other-host"] == 3)
        // Back on the list.
        let back = try await job.run(after: .seconds(200 * 86_400), seeds: all)
        #expect(back.changes.sorted() == ["+https://b.test/", "+https://b.test/1", "+https://b.test/support"])
    }

    @Test func `a robots.txt that cannot be fetched deletes nothing, however long`() async throws {
        try await begin()
        web["https://a.test/robots.txt"] = [.status(500)]
        for _ in 0..<5 {
            let run = try await job.run(after: .seconds(40 * 86_400)) { $0.fetch.retries = 0 }
            #expect(run.changes.isEmpty)
        }
    }
}
