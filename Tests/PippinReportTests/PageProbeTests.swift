import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// What a report card asks of the network beside the page: bounded, under every host's rules, and with pauses.
@Suite struct PageProbeTests {
    private let web = FakeWeb(time: MadeUpTime())

    /// 60 × 40 pixels, in bytes that are text too.
    private static let picture = FakeWeb.Answer(
        headers: [("Content-Type", "image/gif")], body: "GIF89a\u{3C}\u{0}\u{28}\u{0}\u{0}\u{0}\u{0};")

    private static func image(_ url: String) -> String { "<meta property=\"og:image\" content=\"\(url)\">" }

    private func probes(_ address: String = "https://a.test/mug") async throws -> PageProbes {
        var configuration = CrawlConfiguration()
        configuration.agent.contact = "https://example.net/bot"
        let settings = configuration
        let url = try #require(WebURL(address))
        return try await web.time.run { [web] in
            var single = SingleFetch(configuration: settings, fetcher: web, clock: web.time.clock)
            let response = try await single.fetch(url, purpose: .page).get()
            let facts = PageFacts(
                PageSource(
                    url: response.url, headers: response.headers, bytes: response.body, fetchedAt: response.fetchedAt))
            let record = RecordBuilder.conclusion(from: facts, now: response.fetchedAt).record
            var known = KnownProbes()
            return await single.probes(
                of: facts, record: record, response: response, for: ReportCard.Profile.all.crawler, knowing: &known)
        }
    }

    private func requests(_ purpose: FetchRequest.Purpose) -> [String] {
        web.log.filter { $0.purpose == purpose }.sorted { $0.start < $1.start }.map(\.url)
    }

    @Test func `pictures are asked for, the result's first, and at most five`() async throws {
        let names = (1...8).map { "https://pictures.example.org/\($0).gif" }
        for name in names { web[name] = [Self.picture] }
        web[names[1]] = [.status(404)]
        web[names[2]] = [.redirect(to: "/1.gif")]
        web.page("https://a.test/mug", head: names.map(Self.image).joined())
        let images = try #require(try await probes().images.value)
        #expect(images.map(\.url.href) == Array(names.prefix(5)))
        #expect(images.map(\.status) == [200, 404, 200, 200, 200])
        #expect(images[0].format == .gif && images[0].width == 60 && images[0].height == 40)
        #expect(images[0].bytes?.count == 14 && images[1].bytes == nil)
        #expect(images[2].redirects.map(\.href) == [names[0]])
        #expect(requests(.image).count == 6)
        let starts = web.log.filter { $0.host == "pictures.example.org" }.map(\.start).sorted()
        for (one, next) in zip(starts, starts.dropFirst()) { #expect(next - one >= .seconds(1)) }
    }

    @Test func `the rules of a picture's host come first, for Pippin and for Applebot`() async throws {
        web.robots("https://p.test", "User-agent: Applebot\nDisallow: /x\n\nUser-agent: Pippin\nAllow: /")
        web.robots("https://q.test", "User-agent: Pippin\nDisallow: /\n\nUser-agent: Applebot\nAllow: /")
        web["https://r.test/robots.txt"] = [.status(500)]
        for host in "pqr" { web["https://\(host).test/x.gif"] = [Self.picture] }
        web.page("https://a.test/mug", head: "pqr".map { Self.image("https://\($0).test/x.gif") }.joined())
        let images = try #require(try await probes().images.value)
        #expect(images.map { try? $0.isAllowed?.get() } == [false, true, nil])
        let failure = try #require(#expect(throws: RequestFailure.self) { try images[2].isAllowed?.get() })
        #expect(failure.root.status == 500 && !failure.isOwnDoing)
        #expect(images.map(\.status) == [200, nil, nil])
        #expect(images[1].failure?.reason.contains("robots.txt does not allow it") == true)
        #expect(requests(.image) == ["https://p.test/x.gif"])
        #expect(requests(.robots).filter { $0.contains("r.test") }.count == 1)
    }

    @Test func `redirects of a picture end`() async throws {
        web["https://a.test/x.gif"] = [.redirect(to: "/x.gif")]
        web["https://a.test/y.gif"] = [.redirect(to: "/y.gif#y")]
        web["https://a.test/ping.gif"] = [.redirect(to: "/pong.gif")]
        web["https://a.test/pong.gif"] = [.redirect(to: "/ping.gif")]
        for hop in 0..<9 { web["https://a.test/c\(hop).gif"] = [.redirect(to: "/c\(hop + 1).gif")] }
        web.page("https://a.test/mug", head: ["x", "y", "ping", "c0"].map { Self.image("/\($0).gif") }.joined())
        let images = try #require(try await probes().images.value)
        #expect(images.allSatisfy { $0.status == nil })
        #expect(
            images.compactMap(\.failure?.code) == Array(repeating: "redirect-loop", count: 3) + ["too-many-redirects"])
        // Where they come back, nothing is asked for twice.
        #expect(requests(.image).count == 8)
    }

    @Test func `http is asked once, and its redirect not followed`() async throws {
        web.page("https://a.test/mug")
        web["http://a.test/mug"] = [.redirect(to: "https://a.test/mug")]
        let plain = try #require(try await probes().plainAddress.value)
        #expect(plain.status == 301 && plain.location?.href == "https://a.test/mug")
        web["http://a.test/robots.txt"] = [.failure(.connectionFailed("refused"))]
        #expect(try await probes().plainAddress.value?.status == nil)
        web["http://a.test/robots.txt"] = [.text("User-agent: *\nDisallow: /")]
        #expect(try await probes().plainAddress.reason?.contains("robots.txt") == true)
        web.page("https://a.test:8443/mug")
        #expect(try await probes("https://a.test:8443/mug").plainAddress.reason?.contains("port 8443") == true)
    }

    @Test func `another canonical address is looked at, the page's own is not asked for again`() async throws {
        web.page("https://a.test/mug", canonical: "https://a.test/cup")
        web.page("https://a.test/cup", canonical: "https://a.test/mug", head: "<meta name=robots content=noindex>")
        let seen = try #require(try await probes().canonical.value)
        #expect(seen.status == 200 && seen.isNoindex && seen.canonical?.href == "https://a.test/mug")
        web.page("https://a.test/mug", canonical: "https://a.test/mug")
        #expect(try await probes().canonical.value == nil)
    }

    @Test func `the page is asked for again with its validators`() async throws {
        web["https://a.test/mug"] = [.html("<title>x</title>", headers: [("ETag", "\"7\"")])]
        #expect(try await probes().revalidation.value?.status == 304)
        web["https://a.test/mug"] = [.html("<title>x</title>")]
        #expect(try await probes().revalidation.reason?.contains("neither ETag") == true)
    }

    @Test func `the rules of other hosts are read, of three at most`() async throws {
        let hosts = (1...5).map { "https://cdn\($0).test" }
        web.robots(hosts[0], "User-agent: *\nDisallow: /")
        web.page("https://a.test/mug", head: hosts.map { "<script src=\"\($0)/x.js\"></script>" }.joined())
        let rules = try #require(try await probes().hostRules.value)
        #expect(rules.map(\.origin) == Array(hosts.prefix(3)))
        #expect(requests(.page).allSatisfy { !$0.contains("cdn") })
    }

    @Test func `without a contact no other public host is asked`() async throws {
        web.page("http://127.0.0.1/mug", head: Self.image("https://pictures.example.org/1.gif"))
        let url = try #require(WebURL("http://127.0.0.1/mug"))
        let images = try await web.time.run { [web] in
            var single = SingleFetch(configuration: CrawlConfiguration(), fetcher: web, clock: web.time.clock)
            let response = try await single.fetch(url, purpose: .page).get()
            let facts = PageFacts(
                PageSource(
                    url: response.url, headers: response.headers, bytes: response.body, fetchedAt: response.fetchedAt))
            let record = RecordBuilder.conclusion(from: facts, now: response.fetchedAt).record
            var known = KnownProbes()
            return await single.probes(
                of: facts, record: record, response: response, for: ReportCard.Profile.all.crawler, knowing: &known
            ).images
        }
        let image = try #require(images.value?.first)
        #expect(image.failure?.cause == .contactMissing)
        #expect(throws: RequestFailure.self) { try image.isAllowed?.get() }
        #expect(web.log.allSatisfy { $0.host == "127.0.0.1" })
    }

    // MARK: Association files

    @Test(arguments: ["/.well-known", ""])
    func `an association file with .json at its end is an error of its own`(folder: String) async throws {
        let place = "https://a.test\(folder)/apple-app-site-association.json"
        web[place] = [.json(FakeWeb.appleFile(app: "ABCDE12345.test.a", patterns: ["/*"]))]
        func findings() async throws -> [Finding] {
            let site = try #require(WebURL("https://a.test/"))
            let found = try await web.time.run { [web] in
                var configuration = CrawlConfiguration()
                configuration.agent.contact = "https://example.org/bot"
                var single = SingleFetch(configuration: configuration, fetcher: web, clock: web.time.clock)
                return try await single.hostAssociations(of: site)
            }
            var files = SiteAssociations()
            files[found.wellKnown.url] = found
            var evidence = PageEvidence(missing: "it was not asked for")
            evidence.association = .made(AssociationEvidence(files: files))
            return ReportCard(url: found.wellKnown.url, evidence: evidence).findings.filter { $0.check.id == "L13" }
        }
        let served = try await findings().filter { $0.outcome == .error }
        #expect(served.map(\.noteCode?.rawValue) == ["aasa-json-extension"])
        #expect(served.first?.place?.name == place)
        web["https://a.test/.well-known/apple-app-site-association"] = [.status(403)]
        #expect(try await findings().map(\.noteCode?.rawValue) == ["aasa-json-extension"])
    }

    // MARK: Apple's CDN

    private static let cdn = "https://app-site-association.cdn-apple.com"

    private func copies(of sites: [String]) async throws -> [AppleCDNEvidence] {
        var configuration = CrawlConfiguration()
        configuration.agent.contact = "https://example.net/bot"
        let settings = configuration
        let urls = try sites.map { try #require(WebURL($0)) }
        return try await web.time.run { [web] in
            var single = SingleFetch(configuration: settings, fetcher: web, clock: web.time.clock)
            // The second page of a host needs no second request.
            var known = KnownProbes()
            _ = await single.copiesAtApple(of: urls, knowing: &known)
            return await single.copiesAtApple(of: urls, knowing: &known)
        }
    }

    @Test func `Apple's CDN is asked once a host, under its rules, for three hosts at most`() async throws {
        web[Self.cdn + "/a/v1/a.example.org"] = [.json(FakeWeb.appleFile(app: "ABCDE12345.a", patterns: ["/*"]))]
        web[Self.cdn + "/a/v1/b.example.org"] = [
            .status(
                404, headers: [("Apple-Failure-Reason", "SWCERR00101 Bad HTTP Response"), ("Apple-From", "https://b")])
        ]
        web[Self.cdn + "/a/v1/c.example.org"] = [.status(503)]
        let sites = ["a", "a", "b", "c", "d"].map { "https://\($0).example.org/" } + ["https://127.0.0.1/"]
        let copies = try await copies(of: sites)
        #expect(copies.map(\.site.host) == ["a.example.org", "b.example.org", "c.example.org"])
        guard case .file(let file) = copies[0].answer else { return #expect(Bool(false), "\(copies[0].answer)") }
        #expect(file.isUsable)
        guard case .failure(let failure) = copies[1].answer else { return #expect(Bool(false)) }
        #expect(failure.reason == "SWCERR00101 Bad HTTP Response" && failure.source == "https://b")
        guard case .unseen(let clause) = copies[2].answer else { return #expect(Bool(false)) }
        #expect(clause.contains("503"))
        #expect(requests(.robots) == [Self.cdn + "/robots.txt"])
        #expect(requests(.associationFile).count == 3)
        let log = web.log.sorted { $0.start < $1.start }
        #expect(zip(log, log.dropFirst()).allSatisfy { $1.start - $0.end >= .seconds(1) })
    }

    @Test func `what the CDN's robots.txt forbids is not asked for`() async throws {
        web.robots(Self.cdn, "User-agent: *\nDisallow: /")
        guard case .unseen(let clause)? = try await copies(of: ["https://a.example.org/"]).first?.answer else {
            return #expect(Bool(false))
        }
        #expect(clause.contains("robots.txt"), "\(clause)")
        #expect(requests(.associationFile).isEmpty)
    }
}
