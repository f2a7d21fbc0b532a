import Testing

@testable import PippinCrawl
@testable import PippinPage

@Suite struct RenderSettingsTests {
    private func problem(_ yaml: String) -> String {
        do {
            _ = try CrawlConfiguration(yaml: yaml, file: "crawl-config.yaml")
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test func `every key is read, with its unit`() throws {
        let configuration = try CrawlConfiguration(
            yaml: """
                render: { mode: auto, browser: /opt/shell,
                  user: web, concurrency: 3, max_open_pages: 5, settle: 2s, stall: 1s, timeout: 30s, max_requests: 10, max_bytes: 5M,
                  max_elements: 2000, memory: 2G, restart_after: 50, cache: 8M, disk_cache: 9M, webassembly: true,
                  post_for_reading: false }
                """, file: "crawl-config.yaml")
        var expected = RenderSettings()
        expected.mode = .auto
        expected.browserPath = "/opt/shell"
        expected.user = "web"
        (expected.webAssembly, expected.postForReading) = (true, false)
        (expected.concurrency, expected.maximumOpenPages) = (3, 5)
        (expected.settle, expected.stall, expected.timeout) = (.seconds(2), .seconds(1), .seconds(30))
        (expected.maximumRequests, expected.maximumBytes, expected.maximumElements) = (10, 5_000_000, 2_000)
        (expected.memoryBytes, expected.restartAfter, expected.cacheBytes) = (2_000_000_000, 50, 8_000_000)
        expected.diskCacheBytes = 9_000_000
        #expect(configuration.render == expected)
    }

    @Test func `nothing is rendered unless somebody asks for it`() throws {
        let configuration = try CrawlConfiguration(yaml: "", file: "crawl-config.yaml")
        #expect(configuration.render == RenderSettings())
        #expect(configuration.render.mode == .never)
        let plain = try Seeds.parse("https://a.example/", file: "seeds.txt")
        let asking = try Seeds.parse("https://a.example/ render=auto", file: "seeds.txt")
        #expect(!configuration.rendersPages(with: plain))
        #expect(configuration.rendersPages(with: asking))
    }

    @Test func `the most specific entry for a host counts`() throws {
        let configuration = try CrawlConfiguration(
            yaml: """
                render: { mode: auto }
                hosts: { "*.b.example": { render: always }, www.b.example: { render: never } }
                """, file: "c.yaml")
        #expect(configuration.renderMode(of: "a.example") == .auto)
        #expect(configuration.renderMode(of: "shop.b.example") == .always)
        #expect(configuration.renderMode(of: "www.b.example") == .never)
    }

    @Test func `twice as many pages are open as compute, unless the file says otherwise`() throws {
        let settings = try CrawlConfiguration(yaml: "render: { concurrency: 5 }", file: "crawl-config.yaml").render
        #expect(settings.maximumOpenPages == 10)
        #expect(
            problem("render: { concurrency: 5, max_open_pages: 4 }").contains(
                "render.max_open_pages: must be 5 or more, as concurrency is 5"))
    }

    @Test func `a mistake is told with its place`() {
        #expect(
            problem("render: { mode: aut }")
                == "crawl-config.yaml:1:17: render.mode: expected one of never, auto, always, found \"aut\"; did you mean \"auto\"?"
        )
        #expect(problem("render: { moode: auto }").contains("unknown key \"moode\" in render; did you mean \"mode\"?"))
        #expect(problem("render: { memory: 1000 }").contains("has no unit"))
    }

    @Test func `a seed's mode is read, and a wrong one refused`() throws {
        #expect(try Seeds.parse("https://a.example/ render=always", file: "s").first?.renderMode == .always)
        #expect(throws: ConfigurationError.self) { try Seeds.parse("https://a.example/ render=yes", file: "s") }
    }
}
