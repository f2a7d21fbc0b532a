import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

@Suite struct CrawlLogTests {
    private let web = FakeWeb(time: MadeUpTime())

    private func temporaryFile() -> String {
        FileManager.default.temporaryDirectory.appending(path: "pippin-\(UUID().uuidString)/log/crawl.jsonl").path
    }

    /// The lines of a log, each of which must be whole.
    private func lines(_ path: String) throws -> [JSONValue] {
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        #expect(text.isEmpty || text.hasSuffix("\n"))
        return try text.split(separator: "\n").map { line in
            var parser = JSONParser()
            return try parser.parse(Array(line.utf8))
        }
    }

    private func crawlAndRead(
        _ seeds: [String], configure: @escaping (inout CrawlConfiguration) -> Void = { _ in }
    ) async throws -> (crawl: FakeCrawl, lines: [JSONValue]) {
        let path = temporaryFile()
        let log = try CrawlLog(path: path)
        let crawl = try await FakeCrawl.run(web, seeds: seeds, configure: configure, log: log)
        return (crawl, try lines(path))
    }

    private func line(_ lines: [JSONValue], _ url: String) throws -> JSONValue {
        try #require(lines.first { $0["url"]?.string == url }, "no line for \(url)")
    }

    @Test func `every visit and every file of a site has a line, with what decided`() async throws {
        web.robots("https://a.test", "User-agent: *\nAllow: /open\nDisallow: /private/")
        web.page("https://a.test/", links: ["/1", "/private/x", "/moved", "/gone", "/shop", "/plain"])
        web.page("https://a.test/1")
        web["https://a.test/moved"] = [.redirect(301, to: "/1?from=moved")]
        web.page("https://a.test/1?from=moved", canonical: "/1")
        web["https://a.test/shop"] = [.redirect(302, to: "myapp://shop")]
        web.page("https://a.test/plain", deepLink: false)
        let (crawl, lines) = try await crawlAndRead(["https://a.test/"])

        let robots = try line(lines, "https://a.test/robots.txt")
        #expect(robots["kind"]?.string == "robots")
        #expect(robots["outcome"]?.string == "found")
        #expect(robots["status"]?.integer == 200)

        let seed = try line(lines, "https://a.test/")
        #expect(seed["kind"]?.string == "page")
        #expect(seed["outcome"]?.string == "recorded")
        #expect(seed["record"]?.string == "https://a.test/")
        #expect(seed["discovery"]?.string == "seed")
        #expect(seed["depth"]?.integer == 0)
        #expect(seed["host"]?.string == "a.test")
        #expect(seed["attempt"]?.integer == 0)
        let first = try line(lines, "https://a.test/1")
        #expect(first["seed"]?.string == "https://a.test/")
        #expect(first["depth"]?.integer == 1)
        #expect(first["bytes"]?.integer ?? 0 > 100)
        #expect(first["seconds"]?["total"]?.double ?? 0 > 0)
        #expect(first["seconds"]?["queued"]?.double ?? 0 >= 1)

        let forbidden = try line(lines, "https://a.test/private/x")
        #expect(forbidden["outcome"]?.string == "disallowed")
        #expect(forbidden["robots"]?["line"]?.integer == 3)
        #expect(forbidden["robots"]?["rule"]?.string == "Disallow: /private/")
        #expect(forbidden["robots"]?["agent"]?.string == "*")
        #expect(forbidden["seconds"] == nil, "nothing was asked")

        #expect(try line(lines, "https://a.test/moved")["target"]?.string == "https://a.test/1?from=moved")
        let twin = try line(lines, "https://a.test/1?from=moved")
        #expect(twin["outcome"]?.string == "duplicate")
        #expect(twin["target"]?.string == "https://a.test/1")
        #expect(try line(lines, "https://a.test/gone")["outcome"]?.string == "gone")
        #expect(try line(lines, "https://a.test/gone")["detail"]?.string == "404")
        #expect(try line(lines, "https://a.test/shop")["target"]?.string == "myapp://shop")
        #expect(try line(lines, "https://a.test/plain")["outcome"]?.string == "without-deep-links")
        #expect(lines.count { $0["kind"]?.string == "page" } == crawl.outcomes.values.reduce(0, +))
        #expect(lines.count { $0["start"] != nil } == crawl.web.log.count)
        let association = try line(lines, "https://a.test/.well-known/apple-app-site-association")
        #expect(association["kind"]?.string == "apple-association")
        #expect(association["outcome"]?.string == "status")
        #expect(association["status"]?.integer == 404)
    }

    @Test func `a visit that is tried again has a line for each try, and its last word is the one without againIn`()
        async throws
    {
        web["https://a.test/"] = [
            .status(500), .failure(.timedOut("no answer within 30 s")), .html("<title>x</title>"),
        ]
        let (_, lines) = try await crawlAndRead(["https://a.test/"]) { $0.records = .all }
        let tries = lines.filter { $0["kind"]?.string == "page" }
        #expect(tries.map { $0["outcome"]?.string } == ["server-error", "failed-timed-out", "recorded"])
        #expect(tries.map { $0["attempt"]?.integer } == [0, 1, 2])
        #expect(tries.map { $0["againIn"] != nil } == [true, true, false])
        #expect(tries.map { $0["status"]?.integer } == [500, nil, 200])
    }

    @Test func `seeds that the scope refuses, and hosts whose rules cannot be fetched, are told`() async throws {
        web["https://b.test/robots.txt"] = [.status(503)]
        web.page("https://a.test/")
        let (_, lines) = try await crawlAndRead(["https://a.test/", "https://a.test/print", "https://b.test/"]) {
            $0.scope.exclude = ["*/print"]
        }
        #expect(try line(lines, "https://a.test/print")["outcome"]?.string == "excluded-excluded")
        #expect(try line(lines, "https://b.test/")["outcome"]?.string == "robots-unreachable")
        let robots = lines.filter { $0["url"]?.string == "https://b.test/robots.txt" }
        #expect(robots.map { $0["outcome"]?.string } == ["unreachable", "unreachable", "unreachable"])
        #expect(robots.map { $0["attempt"]?.integer } == [0, 1, 2])
    }

    @Test func `the pauses between the requests of a host can be had from the log`() async throws {
        let seeds = web.addSites(3, pages: 20, seed: 2)
        let (crawl, lines) = try await crawlAndRead(seeds) { $0.politeness.delay = .milliseconds(700) }
        var requests = 0
        for (host, asked) in Dictionary(grouping: lines.filter { $0["start"] != nil }, by: { $0["host"]?.string }) {
            requests += asked.count
            let times = try asked.map { line in
                let text = try #require(line["start"]?.string)
                let start = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
                return (start: start, seconds: try #require(line["seconds"]?["total"]?.double))
            }.sorted { $0.start < $1.start }
            for (earlier, later) in zip(times, times.dropFirst()) {
                // Moments are written to the millisecond.
                let pause = later.start.timeIntervalSince(earlier.start) - earlier.seconds
                #expect(pause > 0.698, "\(host ?? "") \(pause)")
            }
        }
        #expect(requests == crawl.web.log.count)
    }

    @Test func `a log is appended to, and begun anew when it was moved away`() throws {
        let path = temporaryFile()
        let url = try #require(WebURL("https://a.test/"))
        func entry(_ outcome: String) -> CrawlLogEntry {
            CrawlLogEntry(
                time: MadeUpTime.start, kind: "page", url: url, host: "a.test", seed: Seed(url: url), attempt: 0,
                outcome: outcome)
        }
        try CrawlLog(path: path).write(entry("first"))
        let log = try CrawlLog(path: path)
        log.write(entry("second"))
        #expect(try lines(path).map { $0["outcome"]?.string } == ["first", "second"])
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        log.write(entry("third"))
        #expect(try lines(path).map { $0["outcome"]?.string } == ["third"])
        #expect(try lines(path + ".1").count == 2)
        #expect(try lines(path).first?["time"]?.string == "2026-11-21T00:00:00.000Z")
    }

    @Test func `a log that cannot be written ends the crawl and names the file`() async throws {
        web.page("https://a.test/")
        let log = try CrawlLog(path: "/dev/full")
        await #expect(throws: OutputError(path: "/dev/full", what: "the crawl log", errorNumber: ENOSPC)) {
            try await FakeCrawl.run(web, seeds: ["https://a.test/"], log: log)
        }
    }

    // MARK: Codes

    private static let document = Repository.root.appending(path: "Docs/CrawlLog.md")

    /// The words in backquotes that begin the entries of a section.
    private func documented(_ heading: String) throws -> [String] {
        let text = try String(contentsOf: Self.document, encoding: .utf8)
        let sections = text.components(separatedBy: "\n## ")
        let section = try #require(sections.first { $0.hasPrefix(heading) }, "no section \(heading)")
        return section.split(separator: "\n").filter { $0.hasPrefix("- `") }.compactMap {
            $0.split(separator: "`").dropFirst().first.map(String.init)
        }
    }

    @Test func `the table of outcomes has every code there is, and no other`() throws {
        #expect(Set(VisitOutcome.allCodes).count == VisitOutcome.allCodes.count)
        let codes = try documented("Outcomes of visits")
        let refusals = try documented("Reasons of the scope")
        let failures = try documented("Failures")
        #expect(refusals.sorted() == CrawlScope.Refusal.allCases.map(\.rawValue).sorted())
        #expect(failures.sorted() == FetchError.Kind.allCases.map(\.rawValue).sorted())
        var spelledOut: [String] = []
        for code in codes {
            switch code {
            case "excluded-REASON", "redirect-refused-REASON":
                spelledOut += refusals.map { code.replacing("REASON", with: $0) }
            case "failed-FAILURE": spelledOut += failures.map { code.replacing("FAILURE", with: $0) }
            case CrawlLogEntry.stopped: break
            default: spelledOut.append(code)
            }
        }
        #expect(spelledOut.sorted() == VisitOutcome.allCodes.sorted())
        #expect(codes.contains(CrawlLogEntry.stopped))
    }

    @Test func `the table of site files has every code there is, and no other`() throws {
        // What only a page's scripts can ask for never reaches a file.
        let causes = Set(RequestFailure.Kind.allCases).subtracting([.method, .tooManyFiles, .filesTooLarge])
        let codes = SiteFileVisit.Answer.allCodes + Set(causes.map(\.fileCode))
        #expect(try documented("Outcomes of files of sites").sorted() == codes.sorted())
        #expect(
            try documented("Kinds").sorted() == (["page", "sitemap"] + SiteFileKind.allCases.map(\.rawValue)).sorted())
    }

    @Test func `a code is made of its kind and what it carries`() throws {
        let url = try #require(WebURL("https://a.test/"))
        #expect(VisitOutcome.excluded(.tooDeep).code == "excluded-too-deep")
        #expect(VisitOutcome.redirectRefused(to: url, .otherHost).code == "redirect-refused-other-host")
        #expect(VisitOutcome.failed(.bodyTooLarge(limit: 5)).code == "failed-body-too-large")
        #expect(VisitOutcome.failed(.bodyTooLarge(limit: 5)).detail == "more than 5 bytes")
    }
}
