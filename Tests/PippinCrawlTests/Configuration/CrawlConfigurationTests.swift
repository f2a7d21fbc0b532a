import Testing

@testable import PippinCrawl

@Suite struct CrawlConfigurationTests {
    private func read(_ yaml: String) throws -> CrawlConfiguration {
        try CrawlConfiguration(yaml: yaml, file: "/etc/pippin/crawl-config.yaml")
    }

    private func message(_ yaml: String) -> String {
        do {
            _ = try CrawlConfiguration(yaml: yaml, file: "crawl-config.yaml")
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test func `an empty file is the defaults, with paths beside the file`() throws {
        let configuration = try read("# nothing\n")
        var expected = CrawlConfiguration()
        expected.seedsPath = "/etc/pippin/seeds.txt"
        expected.storagePath = "/etc/pippin/crawl-data"
        #expect(configuration == expected)
    }

    @Test func `records have the pages' texts where the job asks for them`() throws {
        #expect(try read("records: all\n").maximumTextBytes == nil)
        let group = try read("records: { keep: all, text: true }\n")
        #expect(group.records == .all && group.maximumTextBytes == 16_000)
        #expect(try read("records: { text: true, max_text: 200K }\n").maximumTextBytes == 200_000)
        #expect(try read("records: { text: false }\n") == read("# nothing\n"))
    }

    @Test func `records without a file of their own lie in the job's storage`() throws {
        let first = try read("storage: news-data\n")
        let second = try read("storage: shop-data/\n")
        #expect(first.output.recordsPath(storage: first.storagePath) == "/etc/pippin/news-data/records.ndjson")
        #expect(second.output.recordsPath(storage: second.storagePath) == "/etc/pippin/shop-data/records.ndjson")
        let named = try read("storage: news-data\noutput: { ndjson: out/news.ndjson }\n")
        #expect(named.output.recordsPath(storage: named.storagePath) == "/etc/pippin/out/news.ndjson")
    }

    @Test func `every key is read`() throws {
        let configuration = try read(
            """
            agent:
              product: Pomona
              contact: mailto-not@example.org
              robots_agents: [Pomona]
            seeds: /var/seeds.txt
            scope: { follow: domain, allow_hosts: ["*.example.net"], include: ["*"], exclude: ["*/x*"], max_depth: 3,
                     max_pages: 10_000, max_pages_per_host: 50, sitemaps: no }
            politeness:
              { delay: 500ms, max_crawl_delay: 1m, connections_per_host: 2, adaptive: false, delay_per_address: 300ms,
                max_rate_per_address: 12.5, max_requests_per_second: 2.5, quiet_hours: "22:00-06:00 Europe/Berlin", quiet_delay: 1m }
            hosts: { Example.ORG: { delay: 5s, max_crawl_delay: 2m, connections: 3,
                                    quiet_hours: ["Sat 10:00-12:00", "12:00-13:00"], quiet_delay: 9s },
                     "*.example.net": {} }
            fetch: { concurrency: 8, connect_timeout: 1.5s, timeout: 1m, reading_timeout: 2s, max_body: 200K, memory: 64M, max_redirects: 5, retries: 0,
                     retry_delay: 0s, max_wait: 1h, allow_private_networks: true, ca_file: ca.pem }
            recrawl: { min_interval: 30m, default_interval: 12h, max_interval: 7d }
            records: all
            app_lookup: "\(#filePath)"
            storage: data
            output: { ndjson: out/records.ndjson, ndjson_rotation: { size: 100M, after: 7d, keep: 30d }, log: out/crawl.jsonl, summary: /var/summary.json,
                      metrics: out/pippin.prom, metrics_port: 9464, warc: archive,
                      warc_rotation: { size: 2G, after: 1d, keep: 365d }, search_index: true }
            log_format: json
            log_level: debug
            """)
        #expect(configuration.agent.userAgent == "Mozilla/5.0 (compatible; Pomona/0.1.0; +mailto-not@example.org)")
        #expect(configuration.output.hasSearchIndex)
        #expect(configuration.agent.robotsAgents == ["Pomona"])
        #expect(configuration.seedsPath == "/var/seeds.txt")
        #expect(configuration.scope.follow == .domain)
        #expect(configuration.scope.maximumPages == 10_000)
        #expect(configuration.scope.sitemaps == false)
        #expect(configuration.politeness.delay == .milliseconds(500))
        #expect(configuration.politeness.delayPerAddress == .milliseconds(300))
        #expect(configuration.politeness.maximumRatePerAddress == 12.5)
        #expect(configuration.politeness.maximumRequestsPerSecond == 2.5)
        #expect(!configuration.politeness.quietHours.isEmpty && configuration.politeness.quietDelay == .seconds(60))
        #expect(configuration.hosts.written.keys.sorted() == ["*.example.net", "example.org"])
        let host = configuration.hosts.written["example.org"]
        #expect(host?.delay == .seconds(5) && host?.maximumCrawlDelay == .seconds(120) && host?.connections == 3)
        #expect(host?.quietHours.isEmpty == false && host?.quietDelay == .seconds(9))
        #expect(configuration.maximumConnectionsPerHost == 3)
        #expect(configuration.fetch.connectTimeout == .milliseconds(1500))
        #expect(configuration.fetch.readingTimeout == .seconds(2))
        #expect(configuration.fetch.maximumBodyBytes == 200_000)
        #expect(configuration.fetch.memoryBytes == 64_000_000)
        #expect(configuration.fetch.certificateAuthorityPath == "/etc/pippin/ca.pem")
        #expect(configuration.recrawl.maximumInterval == .seconds(7 * 86_400))
        #expect(configuration.records == .all)
        #expect(configuration.appLookupPath == #filePath)
        #expect(configuration.output.ndjsonPath == "/etc/pippin/out/records.ndjson")
        #expect(configuration.output.logPath == "/etc/pippin/out/crawl.jsonl")
        #expect(configuration.output.summaryPath == "/var/summary.json")
        #expect(configuration.output.metricsPath == "/etc/pippin/out/pippin.prom")
        #expect(configuration.output.metricsPort == 9464)
        #expect(configuration.messages.format == .json)
        #expect(configuration.messages.level == .debug)
        #expect(configuration.output.archivePath == "/etc/pippin/archive")
        #expect(
            configuration.output.ndjsonRotation
                == .init(maximumBytes: 100_000_000, maximumAge: .seconds(7 * 86_400), keep: .seconds(30 * 86_400)))
        #expect(
            configuration.output.archiveRotation
                == .init(maximumBytes: 2_000_000_000, maximumAge: .seconds(86_400), keep: .seconds(365 * 86_400)))
    }

    @Test func `the product stands first among the agents that robots may name`() throws {
        let configuration = try read("agent: { product: Pomona }")
        #expect(configuration.agent.robotsAgents == ["Pomona", "Applebot", "Googlebot"])
        #expect(configuration.agent.userAgent == "Mozilla/5.0 (compatible; Pomona/0.1.0)")
    }

    @Test(arguments: [
        (
            "politness:\n  delay: 1s",
            "crawl-config.yaml:1:1: unknown key \"politness\"; did you mean \"politeness\"?"
        ),
        (
            "politeness:\n  dealy: 1s",
            "crawl-config.yaml:2:3: unknown key \"dealy\" in politeness; did you mean \"delay\"?"
        ),
        (
            "recrawl: { often: yes }",
            "crawl-config.yaml:1:12: unknown key \"often\" in recrawl; "
                + "known keys: min_interval, default_interval, max_interval, misses, forget_after"
        ),
        (
            "politeness:\n  delay: 1",
            "crawl-config.yaml:2:10: politeness.delay: 1 has no unit; write 1s, or another of ms, s, m, h and d"
        ),
        (
            "fetch:\n  max_body: 1000000",
            "crawl-config.yaml:2:13: fetch.max_body: 1000000 has no unit; write a size like 200K, 10M or 1G"
        ),
        (
            "fetch: { timeout: soon }",
            "crawl-config.yaml:1:19: fetch.timeout: expected a duration like 500ms, 10s, 5m, 24h or 30d, found \"soon\""
        ),
        (
            "scope: { follow: hots }",
            "crawl-config.yaml:1:18: scope.follow: expected one of page, host, domain, any, found \"hots\"; "
                + "did you mean \"host\"?"
        ),
        (
            "output: { metrics_port: 70000 }",
            "crawl-config.yaml:1:25: output.metrics_port: 70000 is not between 0 and 65535"
        ),
        (
            "output: { ndjson_rotation: { keep: 30d } }",
            "crawl-config.yaml:1:36: output.ndjson_rotation.keep: means nothing without size or after: no file is ended"
        ),
        (
            "output: { warc_rotation: { siez: 1G } }",
            "crawl-config.yaml:1:28: unknown key \"siez\" in output.warc_rotation; did you mean \"size\"?"
        ),
        (
            "log_format: jsno",
            "crawl-config.yaml:1:13: log_format: expected one of text, json, found \"jsno\"; did you mean \"json\"?"
        ),
        (
            "output: { lgo: x }",
            "crawl-config.yaml:1:11: unknown key \"lgo\" in output; did you mean \"log\"?"
        ),
        (
            "scope: { max_pages: many }",
            "crawl-config.yaml:1:21: scope.max_pages: expected a whole number, found \"many\""
        ),
        (
            "scope: { max_pages: 0 }",
            "crawl-config.yaml:1:21: scope.max_pages: 0 is not between 1 and 1000000000"
        ),
        (
            "scope: { include: \"*\" }",
            "crawl-config.yaml:1:19: scope.include: expected a list like [a, b], found \"*\""
        ),
        (
            "politeness: { adaptive: 1 }",
            "crawl-config.yaml:1:25: politeness.adaptive: expected true or false, found \"1\""
        ),
        (
            "records: { max_text: 2K }",
            "crawl-config.yaml:1:22: records.max_text: means nothing without text: true"
        ),
        (
            "records: all\napp_lookup: /nowhere/lookup.json",
            "crawl-config.yaml:2:13: app_lookup: /nowhere/lookup.json does not exist; leave the key out to do without"
        ),
        (
            "politeness: { max_requests_per_second: 5/s }",
            "crawl-config.yaml:1:40: politeness.max_requests_per_second: expected a number, found \"5/s\""
        ),
        (
            "politeness: { max_rate_per_address: 101 }",
            "crawl-config.yaml:1:37: politeness.max_rate_per_address: 101 is not between 0.001 and 100.0"
        ),
        (
            "politeness: { max_requests_per_second: 0 }",
            "crawl-config.yaml:1:40: politeness.max_requests_per_second: 0 is not between 0.001 and 100000.0"
        ),
        (
            "politeness: { quiet_hours: night }",
            "crawl-config.yaml:1:28: politeness.quiet_hours: \"night\" are no days; write Mon, Mon-Fri or Sat,Sun"
        ),
        (
            "politeness: { quiet_delay: 10s }",
            "crawl-config.yaml:1:28: politeness.quiet_delay: means nothing without quiet_hours"
        ),
        (
            "hosts:\n  https://example.org/: { delay: 1s }",
            "crawl-config.yaml:2:25: hosts.https://example.org/: \"https://example.org/\" must be a host name, "
                + "or *. and a domain, in quotes"
        ),
        (
            "seeds: [a]",
            "crawl-config.yaml:1:8: seeds: expected the path of a file, such as seeds.txt, found a list"
        ),
        (
            "storage: 2026",
            "crawl-config.yaml:1:10: storage: expected text, found \"2026\"; put it in quotes if it is meant"
        ),
        ("agent: Pippin", "crawl-config.yaml:1:8: agent: expected keys and values here, found \"Pippin\""),
        (
            "agent: { contact: nobody }",
            "crawl-config.yaml:1:19: agent.contact: \"nobody\" must be an http(s) URL or a mail address"
        ),
        (
            "agent: { product: Pippin/2 }",
            "crawl-config.yaml:1:19: agent.product: \"Pippin/2\" must be letters, - and _ only (RFC 9309 §2.2.1)"
        ),
        (
            "recrawl: { min_interval: 2h, max_interval: 1h }",
            "crawl-config.yaml:1:44: recrawl.max_interval: must not be shorter than min_interval"
        ),
    ])
    func `a mistake is named with its place and its remedy`(yaml: String, expected: String) {
        #expect(message(yaml) == expected)
    }

    @Test(arguments: [
        "https://you.example.org/bot?a=1&b=2", "https://you.example.org/#bot",
        "https://you.example.org/[x]*%20'\"`|>{}!,",
        "mail+crawler@you.example.org", "http://[::1]/bot", "https://you.example.org:8443/~me;x=1",
        "no@you.example.org",
    ])
    func `a flag takes every legal contact, as no YAML is between`(contact: String) throws {
        var configuration = CrawlConfiguration()
        try configuration.take(contact, over: \.agent.contact, key: "agent.contact", flag: "--contact")
        #expect(configuration.agent.contact == contact)
        #expect(configuration.agent.contactProblem == nil)
    }

    @Test(arguments: [
        ("https://you.example/bot (de)", "https://you.example/bot%20%28de%29"),
        ("https://you.example/über", "https://you.example/%C3%BCber"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"), ("mailto:me@you.example", "me@you.example"),
        ("https://you.example/\r\nCookie: x", "https://you.example/Cookie:%20x"),
    ])
    func `a contact that a header cannot hold is escaped`(contact: String, told: String) throws {
        var configuration = CrawlConfiguration()
        try configuration.take(contact, over: \.agent.contact, key: "agent.contact", flag: "--contact")
        #expect(configuration.agent.contact == told)
        #expect(configuration.agent.userAgent.hasSuffix("; +\(told))"))
    }

    @Test(arguments: [
        ("null", "--contact: \"null\" must be an http(s) URL or a mail address"),
        ("", "--contact: \"\" must be an http(s) URL or a mail address"),
        ("a b@you.example", "--contact: \"a b@you.example\" must be an http(s) URL or a mail address"),
        (
            "a@you.example\nproduct: x",
            "--contact: \"a@you.example\nproduct: x\" must be an http(s) URL or a mail address"
        ),
        ("42", "--contact: \"42\" must be an http(s) URL or a mail address"),
    ])
    func `a contact that is none is told by its flag`(contact: String, expected: String) {
        var configuration = CrawlConfiguration()
        let error = #expect(throws: ConfigurationError.self) {
            try configuration.take(contact, over: \.agent.contact, key: "agent.contact", flag: "--contact")
        }
        #expect(error?.description == expected)
    }

    @Test(arguments: [
        ("5", "--delay: 5 has no unit; write 5s, or another of ms, s, m, h and d"),
        ("~", "--delay: expected a duration like 500ms, 10s, 5m, 24h or 30d, found \"~\""),
        ("2h", "--delay: 2h is not between 0s and 1h"),
        ("'1s'", "--delay: expected a duration like 500ms, 10s, 5m, 24h or 30d, found \"'1s'\""),
    ])
    func `flags are read by the same rules as the file, and told without a place in it`(value: String, expected: String)
    {
        var configuration = CrawlConfiguration()
        let error = #expect(throws: ConfigurationError.self) {
            try configuration.take(value, over: \.politeness.delay, key: "politeness.delay", flag: "--delay")
        }
        #expect(error?.description == expected)
        #expect(configuration == CrawlConfiguration())
    }

    @Test func `the contact that we ship reaches nobody`() throws {
        for text in ["https://example.org/bot", "HTTPS://EXAMPLE.ORG/bot"] {
            #expect(try read("agent: { contact: \"\(text)\" }").agent.contactProblem == .placeholder)
        }
        #expect(try read("agent: { contact: you@example.org }").agent.contactProblem == nil)
        #expect(CrawlConfiguration().agent.contactProblem == .missing)
    }

    @Test func `keys written twice and broken YAML are errors with a place`() {
        #expect(message("scope:\n  follow: host\n  follow: any").hasSuffix("keep one"))
        #expect(message("scope:\n  follow: host\n  follow: any").hasPrefix("crawl-config.yaml:"))
        #expect(message("scope: [").hasPrefix("crawl-config.yaml:"))
        #expect(message("scope: [").contains("not valid YAML"))
    }

    @Test func `a file that cannot be read is an error`() {
        let error = #expect(throws: ConfigurationError.self) {
            try CrawlConfiguration(contentsOf: "/nonexistent/config.yaml")
        }
        #expect(error?.description == "/nonexistent/config.yaml: there is no such file")
    }

    @Test func `durations are written back as short as they can be`() {
        for text in ["250ms", "1s", "90s", "5m", "24h", "30d"] {
            guard case .value(let duration) = DurationText.parse(text) else {
                Issue.record("\(text) is a duration")
                continue
            }
            #expect(DurationText.parse(DurationText.describe(duration)) == .value(duration))
        }
        #expect(DurationText.describe(.seconds(86_400)) == "1d")
        #expect(DurationText.parse("5") == .unitMissing)
        #expect(DurationText.parse("500ms") == .value(.milliseconds(500)))
        #expect(DurationText.parse("1.5s") == .value(.milliseconds(1500)))
        #expect(DurationText.parse("10m") == .value(.seconds(600)))
        #expect(DurationText.parse("24h") == .value(.seconds(86_400)))
        for text in ["", "s", "-1s", "1 s", "1.2.3s", "1e9d", "99999999999999999999d", "1w", ".5s", "٣s"] {
            #expect(DurationText.parse(text) == .malformed, "\(text)")
        }
    }
}

@Suite struct SeedsTests {
    private func message(_ text: String) -> String {
        do {
            _ = try Seeds.parse(text, file: "seeds.txt")
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test func `a seed carries what its line says of the app`() throws {
        let seeds = try Seeds.parse(
            """
            # support pages
            https://example.org/help#top kind=support app=123456789 bundle=org.example.app package=org.example.app_x  # x

            \thttps://example.org/\r
            https://example.org/
            """, file: "seeds.txt")
        #expect(seeds.map(\.url.href) == ["https://example.org/help#top", "https://example.org/"])
        #expect(seeds[0].kind == .support)
        #expect(seeds[0].storeIdentifier == "123456789")
        #expect(seeds[0].bundleIdentifier == "org.example.app")
        #expect(seeds[0].packageName == "org.example.app_x")
        #expect(!seeds[1].namesAnApp)
    }

    @Test(arguments: [
        (
            "\nexample.org",
            "seeds.txt:2: \"example.org\" is not a URL; a seed line starts with one, like https://example.org/app"
        ),
        (
            "ftp://example.org/",
            "seeds.txt:1: \"ftp://example.org/\" cannot be crawled; a seed must be an http or https URL"
        ),
        ("https://a.test/ kind=help", "seeds.txt:1: kind: \"help\" is neither support nor marketing"),
        ("https://a.test/ bundel=x.y", "seeds.txt:1: unknown key \"bundel\"; did you mean \"bundle\"?"),
        (
            "https://a.test/ support",
            "seeds.txt:1: \"support\" is not understood; write kind=, app=, bundle=, package= or render="
        ),
        (
            "https://a.test/ app=id123",
            "seeds.txt:1: app: \"id123\" is not an App Store ID; it is the number in the app's store URL"
        ),
        ("https://a.test/ app=1 app=2", "seeds.txt:1: app: is written twice on this line; keep one"),
        ("https://a.test/ bundle=app", "seeds.txt:1: bundle: \"app\" is not of the form org.example.app"),
    ])
    func `a mistake is named with its line and its remedy`(text: String, expected: String) {
        #expect(message(text) == expected)
    }
}
