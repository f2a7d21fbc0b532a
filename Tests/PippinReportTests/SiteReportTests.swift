import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// The report of a whole crawl: of a site that fails every check that only a crawl can judge.
@Suite struct SiteReportTests {
    private static let text =
        "<p>A hat for every head, felted by hand and blocked on wood, in nine sizes and four colors.</p>"

    private static func head(
        _ url: String, title: String? = nil, description: String? = nil, image: String? = nil, argument: String? = nil
    ) -> String {
        var html = "<!doctype html><html lang=en><head><title>\(title ?? "Page \(url)")</title>"
        html +=
            "<meta name=description content=\"\(description ?? "All there is to say of \(url), in a sentence of its own.")\">"
        if let image { html += "<meta property=\"og:image\" content=\"\(image)\">" }
        if let argument {
            html += "<meta name=\"apple-itunes-app\" content=\"app-id=123456789, app-argument=\(argument)\">"
        }
        return html
    }

    /// `https://hats.test`, which two seeds lead to, a third one that is dead, and a fourth without https.
    private static func web(latencySeed: UInt64 = 1) -> FakeWeb {
        let web = FakeWeb(time: MadeUpTime(), latencySeed: latencySeed)
        let site = "https://hats.test"
        web.robots(site, "User-agent: *\nDisallow: /closed\nSitemap: \(site)/sitemap.xml\n")
        web.robots("http://plain.test", "User-agent: *\nAllow: /\n")
        func page(_ path: String, _ head: String, links: [String] = [], body: String? = nil) {
            web[site + path] = [
                .html(head + "</head><body>" + (body ?? "<p>\(path)</p>" + text) + links.joined() + "</body></html>")
            ]
        }
        func plain(_ path: String) -> String { "<a href=\"\(path)\">x</a>" }
        page(
            "/", head("/", argument: site + "/"),
            links: [
                plain("/1"), plain("/2"), plain("/3"), plain("/twin-a"), plain("/twin-b"), plain("/old"),
                plain("/gone"),
                plain("/closed"), plain("/copy"), "<a rel=nofollow href=\"/shy\">x</a>",
            ])
        page("/1", head("/1", image: "\(site)/logo.png", argument: site + "/"), links: [plain("/deep-1")])
        page("/2", head("/2", title: "Hats", image: "\(site)/logo.png", argument: site + "/"))
        page("/3", head("/3", title: "Hats", image: "\(site)/logo.png", argument: site + "/"))
        for number in 1...5 { page("/deep-\(number)", head("/deep-\(number)"), links: [plain("/deep-\(number + 1)")]) }
        page("/deep-6", head("/deep-6"))
        page(
            "/twin-a", head("/twin-a", description: "The very same description stands on both of the two."),
            body: text + text)
        page(
            "/twin-b", head("/twin-b", description: "The very same description stands on both of the two."),
            body: text + text)
        page("/shy", head("/shy"))
        page("/orphan", head("/orphan"))
        page("/hidden", head("/hidden") + "<meta name=robots content=noindex>")
        page("/copy", head("/copy") + "<link rel=canonical href=\"/1\">")
        web[site + "/old"] = [.redirect(to: "/2")]
        let listed = ["/", "/1", "/2", "/3", "/orphan", "/shy", "/hidden", "/old", "/missing", "/closed", "/copy"]
        web[site + "/sitemap.xml"] = [
            .xml(
                "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"
                    + listed.map { "<url><loc>\(site)\($0)</loc>\($0 == "/2" ? "<lastmod>soon</lastmod>" : "")</url>" }
                    .joined()
                    + "</urlset>")
        ]
        web["http://plain.test/"] = [.html(head("http") + "</head><body>\(text)")]
        web["https://dead.test/robots.txt"] = [.failure(.hostNotFound)]
        return web
    }

    private static let seeds = [
        "https://hats.test/ kind=marketing app=123456789", "http://plain.test/ kind=support", "https://dead.test/",
    ]

    private static func report(
        latencySeed: UInt64 = 1, limits: SiteReportBuilder.Limits = SiteReportBuilder.Limits(),
        configure: (inout CrawlConfiguration) -> Void = { _ in },
        start: @escaping @Sendable (Crawler) -> Void = { _ in }
    ) async throws -> SiteReport {
        try await ReportedCrawl.run(
            web(latencySeed: latencySeed), seeds: seeds, limits: limits,
            configure: {
                $0.scope.sitemaps = true
                $0.fetch.retries = 0
                configure(&$0)
            }, start: start
        ).report
    }

    private func object(_ report: SiteReport) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(report.json.bytes(pretty: true)))
        return try #require(json as? [String: Any])
    }

    private func urls(_ report: SiteReport, _ check: String) -> [String] {
        report.checks.first { $0.check.id == check }?.examples.map { $0.url.replacing("https://hats.test", with: "") }
            ?? []
    }

    private func sentence(_ report: SiteReport, _ check: String, _ path: String) -> String? {
        report.checks.first { $0.check.id == check }?.examples.first { $0.url == "https://hats.test" + path }?.sentence
    }

    // MARK: Checks of a crawl

    @Test func `every check that asks a whole crawl finds its pages`() async throws {
        let report = try await Self.report()
        #expect(urls(report, "D10") == ["/orphan", "/shy", "/deep-4", "/deep-5", "/deep-6"])
        #expect(sentence(report, "D10", "/orphan") == "No link leads here from the seeds.")
        #expect(sentence(report, "D10", "/deep-5") == "6 links from the start, 1 page leads here.")
        #expect(urls(report, "D11") == ["/shy"])
        #expect(
            urls(report, "D12")
                == [
                    "http://plain.test/", "/2", "/deep-1", "/deep-2", "/deep-3", "/deep-4", "/deep-5", "/deep-6",
                    "/twin-a",
                    "/twin-b",
                ])
        #expect(sentence(report, "D12", "/2")?.contains("“soon” is no date") == true)
        #expect(urls(report, "D13") == ["/closed", "/copy", "/hidden", "/missing", "/old"])
        #expect(sentence(report, "D13", "/old") == "A sitemap lists the page, which redirects to https://hats.test/2.")
        #expect(sentence(report, "D13", "/missing")?.contains("status 404") == true)
        #expect(urls(report, "D14") == ["https://dead.test/", "http://plain.test/"])
        let seeds = try #require(report.checks.first { $0.check.id == "D14" }).examples
        #expect(
            seeds.first?.sentence.contains("does not work: its robots.txt cannot be fetched: no address was found for")
                == true,
            "\(seeds.map(\.sentence))")
        #expect(urls(report, "S01") == ["/2", "/3"])
        #expect(sentence(report, "S01", "/2") == "https://hats.test/3 has the same title.")
        #expect(urls(report, "S02") == ["/twin-a", "/twin-b"])
        #expect(urls(report, "T13") == ["/twin-a", "/twin-b"])
        #expect(sentence(report, "S03", "/1") == "3 of the site's 3 pages with a picture show this one.")
        let picture = try #require(report.checks.first { $0.check.id == "S03" })
        #expect(picture.pages.warning == report.indexable)
        #expect(urls(report, "L08") == ["/1", "/2", "/3"])
    }

    @Test func `a page without an app is an error where its site has one`() async throws {
        let report = try await Self.report()
        #expect(sentence(report, "L01", "/orphan")?.contains("though the seeds say") == true)
        #expect(sentence(report, "L01", "/orphan")?.contains("app=123456789") == true)
        let plain = try #require(report.checks.first { $0.check.id == "L01" }?.examples)
        #expect(plain.filter { $0.url.hasPrefix("https://hats.test") }.allSatisfy { $0.outcome == .error })
        let byPages = try await ReportedCrawl.run(
            Self.web(), seeds: ["https://hats.test/", "http://plain.test/"])
        let other = try #require(byPages.report)
        #expect(sentence(other, "L01", "/twin-a")?.contains("such as https://hats.test/.") == true)
        let alone = try #require(other.hosts.first { $0.host == "plain.test" })
        #expect(alone.grades.error == 0)
    }

    @Test func `the lists tell what is where`() async throws {
        let report = try await Self.report()
        #expect(report.orphans.urls == ["https://hats.test/orphan", "https://hats.test/shy"])
        #expect(
            report.broken.map(\.url) == ["https://dead.test/", "https://hats.test/gone", "https://hats.test/missing"])
        #expect(report.broken[1].linkedFrom == ["https://hats.test/"])
        #expect(report.broken[2].isInSitemap && report.broken[2].linkedFrom.isEmpty)
        #expect(report.redirects == 1 && report.duplicates == 1)
        #expect(report.failedSeeds.map(\.url.href) == ["https://dead.test/"])
        #expect(report.sameTitle.map(\.value) == ["Hats"])
        #expect(report.sameContent.map(\.urls) == [["https://hats.test/twin-a", "https://hats.test/twin-b"]])
        #expect(report.depths.first == SiteReport.Depth(links: 0, pages: 2))
        // The two orphans and the page that forbids indexing, which only the sitemap names.
        #expect(report.depths.last == SiteReport.Depth(links: nil, pages: 3))
        #expect(report.deepLinked == 4)
        #expect(report.withoutDeepLinks.count == report.indexable - 4)
        // The site has no association file.
        #expect(report.verified == 0 && report.unverified.reduce(0) { $0 + $1.count } == 4)
        #expect(report.isComplete)
    }

    @Test func `a deep link that the association file verifies works`() async throws {
        let web = Self.web()
        web["https://hats.test/.well-known/apple-app-site-association"] = [
            FakeWeb.Answer(
                headers: [("Content-Type", "application/json")],
                body: """
                    {"applinks":{"details":[{"appIDs":["ABCDE12345.test.hats"],"components":[{"/":"/"}]}]}}
                    """)
        ]
        let crawl = try await ReportedCrawl.run(
            web, seeds: ["https://hats.test/ app=123456789 bundle=test.hats"])
        let report = crawl.report
        // Four banners, all with the home page's address.
        #expect(report.deepLinked == 4 && report.verified == 4 && report.unverified.isEmpty, "\(report.unverified)")
        #expect(report.html.contains("4 with working deep links"))
        let card = try #require(report.cards.first { $0.card.url.path == "/2" }?.card)
        #expect(card.findings.first { $0.check.id == "L11" }?.outcome == .pass)
    }

    @Test func `the JSON form holds what its documentation says`() async throws {
        let json = try object(try await Self.report())
        #expect(json["schemaVersion"] as? Int == 1)
        #expect(json["ending"] as? String == "finished")
        #expect(json["complete"] as? Bool == true)
        let totals = try #require(json["totals"] as? [String: Any])
        #expect(totals["pages"] as? Int == 16)
        #expect(totals["orphans"] as? Int == 2)
        #expect(totals["broken"] as? Int == 3)
        let checks = try #require(json["checks"] as? [[String: Any]])
        let orphan = try #require(checks.first { $0["check"] as? String == "D10" })
        #expect((orphan["pages"] as? [String: Int]) == ["error": 2, "warning": 3, "info": 0])
        #expect(orphan["hosts"] as? Int == 1)
        let example = try #require((orphan["examples"] as? [[String: Any]])?.first)
        #expect(example["url"] as? String == "https://hats.test/orphan")
        #expect((example["remedy"] as? [String: String])?["code"]?.hasPrefix("<a href=") == true)
        let seeds = try #require(json["seeds"] as? [[String: Any]])
        #expect(seeds.compactMap { $0["kind"] as? String } == ["marketing", "support"])
        #expect(seeds.last?["failure"] as? String == "robots-unreachable")
        let hosts = try #require(json["hosts"] as? [[String: Any]])
        #expect(hosts.map { $0["host"] as? String } == ["hats.test", "plain.test", "dead.test"])
        let missing = try #require(json["notCovered"] as? [[String: Any]])
        #expect(missing.contains { $0["code"] as? String == "disallowed" })
        for key in ["worstPages", "withoutDeepLinks", "notVerified", "sameDescription", "sameContent"] {
            #expect((json[key] as? [Any])?.isEmpty == false, "\(key)")
        }
        // Documentation names every key.
        let documentation = try String(
            contentsOf: Repository.root.appending(path: "Docs/ReportCard.md"), encoding: .utf8)
        for key in json.keys { #expect(documentation.contains("`\(key)`"), "\(key) is not in Docs/ReportCard.md") }
    }

    @Test func `what a crawl showed stands in a page's card as if it had been known from the start`() async throws {
        let report = try await Self.report()
        let (_, card) = try #require(report.cards.first { $0.card.url.href == "https://hats.test/orphan" })
        #expect(card.findings.first { $0.check.id == "D10" }?.outcome == .error)
        #expect(!card.findings.contains { $0.sentence.contains("has not ended") })
        #expect(card.evidence.fetch.value != nil && card.evidence.robots.value != nil)
        let ids = card.findings.map(\.check.id) + card.notApplicable.map(\.id)
        #expect(Set(ids) == Set(Check.all.map(\.id)))
        #expect(Set(card.findings.map(\.check.id)).isDisjoint(with: card.notApplicable.map(\.id)))
        // The way of the redirect is told where it leads.
        let target = report.cards.first { $0.card.url.href == "https://hats.test/2" }?.card
        #expect(target?.findings.first { $0.check.id == "T02" } != nil)
    }

    // MARK: Endings and limits

    @Test func `the report does not depend on the order of answers`() async throws {
        let first = try await Self.report(latencySeed: 1)
        for seed in [2, 3] as [UInt64] {
            let other = try await Self.report(latencySeed: seed)
            #expect(other.json == first.json)
            #expect(other.html == first.html)
        }
    }

    @Test func `a crawl that stopped early has a report that says so`() async throws {
        let limited = try await Self.report(configure: { $0.scope.maximumPages = 4 })
        #expect(limited.crawl.ending == .pageLimit && !limited.isComplete)
        #expect(limited.pages > 0)
        #expect(limited.notCovered.contains { $0.code == "page-limit" })
        // What leads to a page may not have been read.
        #expect(limited.checks.allSatisfy { $0.check.id != "D10" || $0.pages.error == 0 })
        #expect(limited.html.contains("reached its page limit"))

        let web = Self.web()
        let stopper = Stopper()
        web.onRequest { number in if number == 8 { stopper.stop() } }
        let interrupted = try await ReportedCrawl.run(
            web, seeds: Self.seeds, configure: { $0.scope.sitemaps = true }, start: { stopper.crawler = $0 }
        ).report
        #expect(interrupted.crawl.ending == .interrupted && !interrupted.isComplete)
        #expect(interrupted.html.contains("was stopped before its end"))
        #expect(try object(interrupted)["ending"] as? String == "interrupted")
    }

    @Test func `beyond its limits a report counts, and says so`() async throws {
        var limits = SiteReportBuilder.Limits()
        limits.pages = 5
        limits.cards = 2
        let small = try await Self.report(limits: limits)
        let whole = try await Self.report()
        #expect(small.pages == whole.pages)
        #expect(small.deepLinked == whole.deepLinked)
        #expect(small.worst.count <= 5 && small.cards.count <= 2)
        #expect(!small.isComplete)
        #expect(small.ownLimits.contains { $0.code == "report-pages" && $0.count > 0 })
        // Checks of single pages are counted whole.
        let counted = small.checks.first { $0.check.id == "T10" }?.pages
        #expect(counted == whole.checks.first { $0.check.id == "T10" }?.pages)

        var few = SiteReportBuilder.Limits()
        few.addresses = 6
        let narrow = try await Self.report(limits: few)
        #expect(narrow.ownLimits.contains { $0.code == "report-links" })
        #expect(narrow.pages == whole.pages && !narrow.isComplete)
        // A page without a place in the graph is not said to be an orphan.
        #expect(narrow.checks.allSatisfy { $0.check.id != "D10" || $0.pages.error == 0 })
    }

    @Test func `the card of a page that scripts make names the file that robots.txt forbids`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web.page("https://a.test/", deepLink: false, body: "<div id=\"root\"></div><script src=\"/app.js\"></script>")
        web["https://a.test/app.js"] = [.text("<h1>Clowns</h1>")]
        web.robots("https://a.test", "User-agent: *\nDisallow: /app.js")
        let report = try await ReportedCrawl.run(
            web, seeds: ["https://a.test/"], configure: { $0.render.mode = .auto }, renderer: FakeRenderer()
        ).report
        #expect(report.checks.first { $0.check.id == "T16" }?.pages.warning == 1)
    }

    // MARK: Files

    @Test func `the folder holds the whole report, and cards of an earlier one are gone`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-report-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let report = try await Self.report()
        let place = try SiteReportFolder(path: folder.path)
        try Data("mine".utf8).write(to: folder.appending(path: "pages/notes.html"))
        try Data(ReportStyle.mark.description.utf8).write(to: folder.appending(path: "pages/099-old.html"))
        try Data("mine".utf8).write(to: folder.appending(path: "pages/2024-recap.html"))
        try place.write(report)
        try place.write(report)
        let cards = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/pages").sorted()
        #expect(cards == (report.cards.map(\.name) + ["2024-recap.html", "notes.html"]).sorted())
        #expect(cards.contains("001-hats.test.html") || cards.contains { $0.hasPrefix("001-hats.test-") })
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["index.html", "pages", "report.json"])
        let card = try String(contentsOf: folder.appending(path: "pages/\(report.cards[0].name)"), encoding: .utf8)
        #expect(card.contains("href=\"../index.html\""))
    }

    @Test(arguments: OutputFile.Readers.allCases)
    func `a report is for its group, or for everyone, whatever the umask`(readers: OutputFile.Readers) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-report-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        // An earlier report for the group alone.
        try await SiteReportFolder(path: folder.path).write(Self.report())
        try await SiteReportFolder(path: folder.path, readers: readers).write(Self.report())
        for name in ["", "index.html", "report.json", "pages"] {
            let path = folder.appending(path: name).path
            let rights = try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
            let ofEveryone = name.hasSuffix(".html") || name.hasSuffix(".json") ? 4 : 5
            #expect(rights & 7 == (readers == .group ? 0 : ofEveryone), "\(name): \(rights)")
        }
    }

    @Test func `the overview of somebody's site is not replaced`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-report-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let overview = folder.appending(path: "index.html")
        try Data("<!DOCTYPE html><title>My site</title>".utf8).write(to: overview)
        let error = #expect(throws: ReportedFailure.self) { try SiteReportFolder(path: folder.path) }
        #expect(error?.description.contains("name another folder") == true)
        #expect(try String(contentsOf: overview, encoding: .utf8).contains("My site"))
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "pages").path))
    }

    @Test func `a folder that cannot be is known before the crawl, and no stranger's link is followed`() throws {
        #expect(throws: ReportedFailure.self) { try SiteReportFolder(path: "/dev/null/report") }
        let link = FileManager.default.temporaryDirectory.appending(path: "pippin-report-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: link) }
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: FileManager.default.temporaryDirectory.path)
        // Only root can give it away.
        guard lchown(link, 65_534, 65_534) == 0 else { return }
        #expect(throws: ReportedFailure.self) { try SiteReportFolder(path: link) }
    }
}

/// Stops a crawl from a request's hook.
// @unchecked because the crawler is set before the first request is made, and only read afterwards.
private final class Stopper: @unchecked Sendable {
    var crawler: Crawler?
    func stop() { crawler?.stop() }
}
