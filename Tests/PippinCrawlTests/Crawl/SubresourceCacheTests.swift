import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// What is kept of the files that rendered pages ask for: in one run, and for later ones.
@Suite struct SubresourceCacheTests {
    private static let date = MadeUpTime.start

    private static func response(
        _ fields: [(String, String)], status: Int = 200, body: String = "x", at date: Date = date,
        url: String = "https://a.test/app.js"
    ) throws -> FetchResponse {
        FetchResponse(
            url: try #require(WebURL(url)), status: status,
            headers: HTTPHeaders(fields.map { (name: $0.0, value: $0.1) }),
            body: Array(body.utf8), fetchedAt: date)
    }

    private static func httpDate(_ seconds: TimeInterval) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date.addingTimeInterval(seconds))
    }

    // MARK: RFC 9111

    struct Lifetime: Sendable, CustomTestStringConvertible {
        let fields: [(String, String)]
        /// Seconds; nil if it may not be kept.
        let data: Int?
        let script: Int?
        var status = 200

        init(_ fields: [(String, String)], data: Int?, script: Int?, status: Int = 200) {
            (self.fields, self.data, self.script, self.status) = (fields, data, script, status)
        }
        init(_ control: String, _ seconds: Int?) {
            self.init([("Cache-Control", control)], data: seconds, script: seconds)
        }

        var testDescription: String {
            "\(status) " + fields.map { "\($0.0): \($0.1)" }.joined(separator: "; ")
        }
    }

    @Test(arguments: [
        Lifetime("max-age=60", 60), Lifetime("Max-Age=\"60\" , public", 60),
        Lifetime("max-age=60, max-age=5", 60),
        // What cannot be read is stale (§4.2.1); what is too large is very long (§1.2.2).
        Lifetime("max-age=soon", 0), Lifetime("max-age=-1", 0),
        Lifetime("max-age=99999999999999999999", 31_536_000),
        // A private cache (§5.2.2.7, §5.2.2.10).
        Lifetime("private, max-age=60", 60), Lifetime("s-maxage=5, max-age=60", 60),
        Lifetime("max-age=31536000, immutable", 31_536_000),
        Lifetime("max-age=60, must-revalidate", 60),
        Lifetime("no-store", nil), Lifetime("no-store, max-age=60", nil),
        Lifetime("must-understand, no-store, max-age=60", 60),
        Lifetime("no-cache, max-age=60", 0), Lifetime("no-cache=\"set-cookie, x\", max-age=60", 0),
        // A name in quotes is no directive.
        Lifetime("ext=\"no-store, x\", max-age=60", 60),
        Lifetime([("Expires", httpDate(300)), ("Date", httpDate(0))], data: 300, script: 300),
        Lifetime([("Expires", "0")], data: 0, script: 0),
        Lifetime([("Cache-Control", "max-age=10"), ("Expires", httpDate(300))], data: 10, script: 10),
        // Its age counts (§4.2.3): the larger of what a cache on the way says and what the clocks show.
        Lifetime([("Cache-Control", "max-age=100"), ("Age", "30")], data: 70, script: 70),
        Lifetime(
            [("Cache-Control", "max-age=100"), ("Age", "30"), ("Date", httpDate(-40))], data: 60, script: 60),
        Lifetime([("Cache-Control", "max-age=100"), ("Age", "200")], data: 0, script: 0),
        // Rules of thumb (§4.2.2): a tenth of the time without a change, at most a day; an hour for a script.
        Lifetime([("Last-Modified", httpDate(-1000))], data: 100, script: 3600),
        Lifetime([("Last-Modified", httpDate(-10_000_000))], data: 86_400, script: 86_400),
        Lifetime([], data: 0, script: 3600),
        // What varies by more than the origin is never the same (§4.1).
        Lifetime([("Cache-Control", "max-age=60"), ("Vary", "Accept, Origin")], data: 60, script: 60),
        Lifetime([("Cache-Control", "max-age=60"), ("Vary", "accept, *")], data: nil, script: nil),
        Lifetime([("Cache-Control", "max-age=60")], data: 60, script: 60, status: 404),
        Lifetime([("Cache-Control", "max-age=60")], data: nil, script: nil, status: 500),
        Lifetime([("Cache-Control", "max-age=60")], data: nil, script: nil, status: 429),
    ])
    func `an answer is fresh for as long as a private cache may use it`(_ expected: Lifetime) throws {
        let response = try Self.response(expected.fields, status: expected.status)
        let data = CacheLifetime(of: response, isScript: false)
        let script = CacheLifetime(of: response, isScript: true)
        #expect(data?.freshFor == expected.data.map { .seconds($0) })
        #expect(script?.freshFor == expected.script.map { .seconds($0) })
    }

    // MARK: In a crawl

    private static let shell = "<div id=\"root\"></div><script src=\"/app.js\"></script>"

    /// A site with pages that have one script.
    ///
    /// - Parameter later: how far the calendar is ahead.
    private func site(pages: Int, fields: [(String, String)], later: Duration = .zero) -> FakeWeb {
        let web = FakeWeb(time: MadeUpTime(calendar: later))
        for page in 0..<pages {
            web.page("https://a.test/\(page)", links: ["/\(page + 1)"], deepLink: false, body: Self.shell)
        }
        web["https://a.test/app.js"] = [FakeWeb.Answer(headers: fields, body: "<h1>Clowns</h1>")]
        return web
    }

    private func crawl(
        _ web: FakeWeb, delay: Duration = .seconds(1), folder: String? = nil
    ) async throws -> FakeCrawl {
        try await FakeCrawl.run(
            web, seeds: ["https://a.test/0"],
            configure: {
                $0.render.mode = .always
                $0.records = .all
                $0.politeness.delay = delay
            }, renderer: FakeRenderer(), subresourceFolder: folder)
    }

    private func requests(_ web: FakeWeb) -> [FakeWeb.LogEntry] {
        web.log.filter { $0.purpose == .subresource }
    }

    @Test func `a file that all pages share is asked for once`() async throws {
        let web = site(pages: 5, fields: [("Cache-Control", "max-age=3600")])
        let crawl = try await crawl(web)
        #expect(crawl.records.count == 5)
        #expect(requests(web).count == 1)
    }

    /// Asks for the same on every page, twice at a time.
    private struct AskingRenderer: Renderer {
        let request: Subresource

        func render(
            _ page: FetchResponse, loading loader: any SubresourceLoader
        ) async -> Result<RenderedPage, RenderFailure> {
            async let first = loader.load(request)
            async let second = loader.load(request)
            _ = await (first, second)
            return .success(RenderedPage(html: page.body + Array("<p>Rendered".utf8)))
        }
    }

    /// Requests of scripts whose answers are nobody else's, and one whose answer is.
    private static let asked: [(method: FetchRequest.Method, fields: [(name: String, value: String)], shared: Bool)] = [
        (.post(Array("{}".utf8)), [("Content-Type", "application/json")], false),
        (.preflight(of: "POST", fields: "x-key"), [], false), (.get, [("Authorization", "x")], false),
        (.get, [("X-Key", "x"), ("Accept", "a/b")], false), (.get, [("Accept", "a/b")], true), (.get, [], true),
    ]

    @Test(arguments: asked.indices, [nil, "failed", "status"] as [String?])
    func `what is for one page only is neither shared nor kept nor made again`(_ index: Int, _ trouble: String?)
        async throws
    {
        let (method, fields, isShared) = Self.asked[index]
        let web = site(pages: 3, fields: [("Cache-Control", "max-age=3600"), ("ETag", "\"1\"")])
        if trouble == "failed" { web["https://a.test/app.js"] = [FakeWeb.Answer(failure: .endUncertain)] }
        if trouble == "status" { web["https://a.test/app.js"] = [.status(503)] }
        let request = Subresource(
            url: try #require(WebURL("https://a.test/app.js")), kind: .data, method: method,
            fields: ScriptFields(fields))
        let crawl = try await FakeCrawl.run(
            web, seeds: ["https://a.test/0"],
            configure: {
                $0.render.mode = .always
                $0.records = .all
            }, renderer: AskingRenderer(request: request))
        #expect(crawl.records.count == 3)
        let made = requests(web)
        #expect(made.allSatisfy { $0.method == method && $0.entityTag == nil })
        if isShared, trouble == nil { #expect(made.count == 1) }
        // Two for each of three pages. GET is made once more, over another version of HTTP.
        if !isShared { #expect(made.count == (trouble == "failed" && method == .get ? 12 : 6)) }
        CrawlPolitenessTests.expectPolite(web, delay: .seconds(1))
    }

    @Test func `what is not fresh any more is validated, and its body is not sent again`()
        async throws
    {
        let web = site(pages: 5, fields: [("Cache-Control", "no-cache"), ("ETag", "\"1\"")])
        let crawl = try await crawl(web)
        #expect(crawl.records.allSatisfy { $0.provenance.contains { $0.source == .scripts } })
        #expect(requests(web).map(\.entityTag) == [nil] + Array(repeating: "\"1\"", count: 4))
        #expect(crawl.siteFiles(.subresource) == ["found": 5])
        CrawlPolitenessTests.expectPolite(web, delay: .seconds(1))
    }

    @Test func `what may not be kept is asked for by each page`() async throws {
        let web = site(pages: 3, fields: [("Cache-Control", "no-store"), ("ETag", "\"1\"")])
        _ = try await crawl(web)
        #expect(requests(web).map(\.entityTag) == [nil, nil, nil])
    }

    @Test func `a kept file that has changed is replaced`() async throws {
        let web = site(pages: 3, fields: [])
        web["https://a.test/app.js"] = [1, 2, 2].map {
            FakeWeb.Answer(
                headers: [("Cache-Control", "no-cache"), ("ETag", "\"\($0)\"")], body: "<h1>\($0)</h1>")
        }
        _ = try await crawl(web)
        #expect(requests(web).map(\.entityTag) == [nil, "\"1\"", "\"2\""])
    }

    @Test func `a later run uses what an earlier one has kept, and validates the rest`() async throws {
        let folder = try ScratchFolder()
        let first = site(pages: 1, fields: [("Cache-Control", "max-age=3600")])
        _ = try await crawl(first, folder: folder.url.path)
        #expect(requests(first).count == 1)
        let second = site(pages: 2, fields: [("Cache-Control", "max-age=3600")], later: .seconds(60))
        let crawl = try await crawl(second, folder: folder.url.path)
        #expect(requests(second).isEmpty)
        #expect(crawl.records.allSatisfy { $0.provenance.contains { $0.source == .scripts } })
        let other = try ScratchFolder()
        let tag = [("Cache-Control", "no-cache"), ("ETag", "\"1\"")]
        _ = try await self.crawl(site(pages: 1, fields: tag), folder: other.url.path)
        let third = site(pages: 1, fields: tag, later: .seconds(60))
        _ = try await self.crawl(third, folder: other.url.path)
        #expect(requests(third).map(\.entityTag) == ["\"1\""])
    }

    @Test func `files of a host come at exactly the pace that it allows`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        let names = (0..<20).map { "/\($0).js" }
        web.page(
            "https://a.test/0", deepLink: false,
            body: "<div id=\"root\"></div>" + names.map { "<script src=\"\($0)\"></script>" }.joined())
        for name in names { web["https://a.test" + name] = [.text("<p>x</p>")] }
        _ = try await crawl(web, delay: .seconds(2))
        let files = requests(web)
        #expect(files.count == 20)
        for (one, next) in zip(files, files.dropFirst()) {
            #expect(next.start - one.end == .seconds(2))
        }
    }

    // MARK: On disk

    private static func id(_ number: Int, origin: String? = nil) throws -> SiteFileID {
        SiteFileID(
            kind: .subresource, url: try #require(WebURL("https://a.test/\(number).js")),
            pageOrigin: origin)
    }

    private func store(_ folder: URL, bytes: Int = 1_000_000) -> SubresourceStore {
        SubresourceStore(folder: folder.path, maximumBytes: bytes, clock: .continuous)
    }

    private static func entry(_ body: String, isForAll: Bool = false) throws -> SubresourceCache.Entry {
        SubresourceCache.Entry(
            response: try response([("ETag", "\"1\""), ("X", "ä \"b\"")], body: body),
            freshUntil: date.addingTimeInterval(3600), isForAllOrigins: isForAll)
    }

    /// The body of a kept answer; nil if there is none.
    private func body(_ store: SubresourceStore, _ number: Int, origin: String? = nil) async throws -> String? {
        await store.read(try Self.id(number, origin: origin)).map { String(decoding: $0.response.body, as: UTF8.self) }
    }

    @Test func `what was written is read again as it was`() async throws {
        let folder = try ScratchFolder()
        let entry = try Self.entry("body\nwith lines")
        await store(folder.url).write(entry, try Self.id(1))
        let found = await store(folder.url).read(try Self.id(1))
        let read = try #require(found)
        #expect(read.response.body == entry.response.body)
        #expect(read.response.headers == entry.response.headers)
        #expect(read.freshUntil == entry.freshUntil)
        let missing = try await body(store(folder.url), 2)
        #expect(missing == nil)
        // Another origin's page gets it only if every origin may have it.
        let ofOther = try await body(store(folder.url), 1, origin: "https://b.test")
        #expect(ofOther == nil)
        await store(folder.url).write(
            try Self.entry("for all", isForAll: true), try Self.id(3, origin: "https://b.test"))
        let ofAll = try await body(store(folder.url), 3, origin: "https://c.test")
        #expect(ofAll == "for all")
    }

    @Test func `a damaged file is a miss, and goes`() async throws {
        let damages: [(inout Data) -> Void] = [
            { $0 = Data() }, { $0 = $0.dropLast() }, { $0.append(1) }, { $0[$0.count - 1] ^= 1 }, { $0[2] ^= 1 },
            { $0 = Data(count: $0.count) }, { $0 = Data("{}\nbody".utf8) }, { $0 = Data("no line".utf8) },
        ]
        for damage in damages {
            let folder = try ScratchFolder()
            await store(folder.url).write(try Self.entry("body"), try Self.id(1))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            let file = folder.url.appending(path: try #require(names.first))
            var data = try Data(contentsOf: file)
            damage(&data)
            try data.write(to: file)
            let found = try await body(store(folder.url), 1)
            #expect(found == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        }
    }

    @Test func `the longest unused go when there is no room, also those of earlier runs`() async throws {
        let folder = try ScratchFolder()
        let kept = store(folder.url, bytes: 100_000)
        // Each takes a block of 4,096 bytes.
        for number in 0..<24 { await kept.write(try Self.entry("\(number)"), try Self.id(number)) }
        let used = try await body(kept, 0)
        #expect(used == "0")
        for number in 24..<30 { await kept.write(try Self.entry("\(number)"), try Self.id(number)) }
        var found: [String?] = []
        for number in [0, 1, 29] { found.append(try await body(kept, number)) }
        #expect(found == ["0", nil, "29"])
        // What a killed run was writing goes, and a smaller limit holds at once.
        try Data("half".utf8).write(to: folder.url.appending(path: "1.answer.new"))
        _ = try await body(store(folder.url, bytes: 50_000), 99)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(left.count * 4096 <= 50_000)
        #expect(!left.contains("1.answer.new"))
    }

    private final class Told: Sendable { let count = Mutex(0) }

    @Test func `a folder that cannot be written costs nothing but a warning`() async throws {
        let folder = try ScratchFolder()
        let path = folder.url.appending(path: "file")
        try Data().write(to: path)
        let told = Told()
        let kept = SubresourceStore(folder: path.path + "/x", maximumBytes: 1_000_000, clock: .continuous) { _ in
            told.count.withLock { $0 += 1 }
        }
        for number in 1...2 { await kept.write(try Self.entry("\(number)"), try Self.id(number)) }
        let found = try await body(kept, 1)
        #expect(found == nil)
        #expect(told.count.withLock { $0 } == 1)
    }

    @Test func `memory is bounded, and the longest unused goes first`() throws {
        var cache = SubresourceCache(maximumBytes: 100_000)
        for number in 0..<60 {
            let response = try Self.response(
                [("Cache-Control", "max-age=60")], body: String(repeating: "x", count: 1000))
            cache.keep(response, try Self.id(number), isScript: true)
            // The first is used again and again.
            _ = cache.find(try Self.id(0))
        }
        let found = try [0, 1, 59].map { cache.find(try Self.id($0)) != nil }
        #expect(found == [true, false, true])
    }
}
