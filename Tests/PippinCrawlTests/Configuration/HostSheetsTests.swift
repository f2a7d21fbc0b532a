import Testing

@testable import PippinCrawl
@testable import PippinPage

/// `hosts` in the configuration: what is different for single hosts.
@Suite struct HostSheetsTests {
    private func read(_ yaml: String) throws -> CrawlConfiguration {
        try CrawlConfiguration(yaml: yaml, file: "crawl-config.yaml")
    }

    private func places(_ configuration: CrawlConfiguration, _ host: String) -> [String] {
        configuration.settings(of: host).map { "\($0.name)=\($0.value) \($0.places.joined(separator: " + "))" }
    }

    @Test func `for each key the most specific sheet that has it counts, and else the crawl's setting`() throws {
        let configuration = try read(
            """
            scope: { exclude: ["*/print/*"], max_depth: 5 }
            politeness: { quiet_hours: "01:00-02:00" }
            hosts:
              "*.example.org": { delay: 10s, max_depth: 2, exclude: ["*/tags/*"], recrawl: { max_interval: 6h } }
              www.Example.org: { max_depth: 3, max_pages: 7, render: auto, records: all, quiet_hours: "Mon-Wed 22:00-06:00 UTC" }
              "*.www.example.org": { include: ["*/app/*"] }
            """)
        #expect(
            places(configuration, "www.example.org") == [
                "delay=10s hosts.*.example.org", "max_crawl_delay=30s politeness.max_crawl_delay",
                "connections=1 politeness.connections_per_host",
                "quiet_hours=01:00-02:00 UTC, Mon,Tue,Wed 22:00-06:00 UTC politeness.quiet_hours + hosts.www.example.org",
                "max_depth=3 hosts.www.example.org", "max_pages=7 hosts.www.example.org", "include=all scope.include",
                "exclude=*/print/*, */tags/* scope.exclude + hosts.*.example.org",
                "render=auto hosts.www.example.org", "recrawl=1h to 6h, first 6h hosts.*.example.org",
                "records=all hosts.www.example.org",
            ])
        let below = configuration.settings(of: "m.www.example.org")
        #expect(below.first { $0.name == "include" }?.places == ["hosts.*.www.example.org"])
        #expect(below.first { $0.name == "max_depth" }?.value == "2")
        #expect(below.first { $0.name == "max_pages" }?.places == ["scope.max_pages_per_host"])
        #expect(configuration.settings(of: "example.org").isEmpty)
        #expect(configuration.recrawl(of: "www.example.org").maximumInterval == .seconds(6 * 3600))
        #expect(configuration.recrawl(of: "example.org") == configuration.recrawl)
    }

    @Test(arguments: [
        (
            "hosts: { a.example: { dealy: 1s } }",
            "1:23: unknown key \"dealy\" in hosts.a.example; did you mean \"delay\"?"
        ),
        (
            "hosts: { a.example: { delay: 100ms } }",
            "1:30: hosts.a.example.delay: less than 200ms is for private hosts only"
        ),
        (
            "hosts: { a.example: { max_crawl_delay: 1s } }",
            "1:40: hosts.a.example.max_crawl_delay: must not be shorter than politeness.max_crawl_delay, which is 30s"
        ),
        (
            "hosts: { \"*.10.0.0.1\": { delay: 1s } }",
            "1:24: hosts.*.10.0.0.1: \"*.10.0.0.1\" can never match: no host is below an address; write the address alone"
        ),
        (
            "hosts: { \"*\": { delay: 1s } }",
            "1:15: hosts.*: every host is what the settings outside of hosts are for; write it there"
        ),
        (
            "hosts: { a.example/x: { delay: 1s } }",
            "1:23: hosts.a.example/x: \"a.example/x\" must be a host name, or *. and a domain, in quotes"
        ),
        (
            "hosts: { a.example: {}, A.example: {} }",
            "1:36: hosts.A.example: \"a.example\" is written more than once; keep one"
        ),
        (
            "politeness: { hosts: { a.example: { delay: 1s } } }",
            "1:22: politeness.hosts: write it at the top, as hosts: { example.org: { delay: 5s } }"
        ),
        (
            "render: { mode: auto, hosts: { a.example: never } }",
            "1:30: render.hosts: write it at the top, as hosts: { example.org: { render: auto } }"
        ),
        (
            "hosts: { a.example: { recrawl: { max_interval: 1m } } }",
            "1:48: hosts.a.example.recrawl.max_interval: must not be shorter than min_interval"
        ),
    ])
    func `a mistake is named with its place`(yaml: String, expected: String) {
        let error = #expect(throws: ConfigurationError.self) { try read(yaml) }
        #expect(error?.description == "crawl-config.yaml:" + expected)
    }
}
