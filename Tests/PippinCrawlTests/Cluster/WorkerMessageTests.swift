import Foundation
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// What a worker understands of its input.
@Suite struct WorkerMessageTests {
    private func message(_ line: String) throws -> WorkerMessage {
        try WorkerMessage(line: Array(line.utf8)[...], number: 3)
    }

    private static let begin =
        #"{"v":3,"type":"begin","turn":7,"shard":3,"shards":16,"by":"site-1","for":"10m","cursor":"9f3c-2""#

    @Test func `an order says which epoch of which shard`() throws {
        guard case .begin(var order) = try message(Self.begin + #","rate":2.5,"pages":40,"new":true}"#) else {
            Issue.record("no order")
            return
        }
        for (address, place, count) in [
            ("203.0.113.7", 1, 3), ("203.0.113.7", 2, 3), ("203.0.113.7", 1, 3), ("2001:db8::5", 0, 1),
        ] {
            let every = count == 3 ? #","every":0.25"# : ""
            let line = #"{"type":"address","address":"\#(address)","place":\#(place),"of":\#(count)\#(every)}"#
            guard case .address(let address, let slots, let interval) = try message(line) else {
                Issue.record("no address")
                return
            }
            try order.add(address, slots, every: interval, line: 4)
        }
        #expect(order.epoch == 7 && order.shard == Shard(3, of: 16) && order.duration == .seconds(600))
        #expect(order.cursor == "9f3c-2" && order.rate == 2.5 && order.pages == 40)
        var configuration = CrawlConfiguration()
        configuration.scope.maximumPages = 100
        configuration.lay(order)
        #expect(configuration.cluster.shard == order.shard)
        #expect(configuration.scope.maximumPages == 40 && configuration.scope.hostLimit == 210)
        #expect(configuration.politeness.maximumRequestsPerSecond == 2.5)
        let addresses = configuration.cluster.addresses
        guard case .slots(let slots) = addresses["203.0.113.7"] else {
            Issue.record("no slots")
            return
        }
        #expect(slots.places == [1, 2] && slots.count == 3)
        #expect(addresses.interval(of: "203.0.113.7") == .milliseconds(250))
        #expect(addresses.interval(of: "2001:db8::") == nil)
        #expect(addresses["2001:db8::"] == .whole && addresses["203.0.113.8"] == .nothing)
        var ignoring = CrawlConfiguration()
        ignoring.cluster.sharedAddresses = .ignore
        ignoring.lay(order)
        #expect(ignoring.cluster.addresses == .all && AddressShares.all["203.0.113.7"] == .whole)
        var alone = CrawlConfiguration()
        alone.lay(EpochOrder(epoch: 1, shard: try #require(Shard(0, of: 1)), duration: .seconds(1)))
        #expect(alone.cluster.addresses == .all)
    }

    @Test func `the places of one address are of one number of slots`() throws {
        var order = EpochOrder(epoch: 1, shard: try #require(Shard(0, of: 3)), duration: .seconds(1))
        for (text, place, count) in [("192.0.2.1", 0, 3), ("192.0.2.2", 0, 1)] {
            let address = try #require(NetworkAddress(text))
            try order.add(address, try #require(AddressSlots(place: place, of: count)), line: 1)
            let other = try #require(AddressSlots(place: 1, of: 2))
            let error = #expect(throws: WorkerProtocolError.self) { try order.add(address, other, line: 7) }
            let says = "standard input:7: the places of \(text) have different \"of\" or \"every\""
            #expect(error?.description == says)
            let slots = try #require(AddressSlots(place: place, of: count))
            let quicker = #expect(throws: WorkerProtocolError.self) {
                try order.add(address, slots, every: .seconds(1), line: 7)
            }
            #expect(quicker?.description == says)
        }
    }

    @Test func `a null is a field that is missing`() throws {
        let line = Self.begin.replacing(#""9f3c-2""#, with: "null") + #","rate":null,"pages":null,"run":null}"#
        guard case .begin(let order) = try message(line) else {
            Issue.record("no order")
            return
        }
        #expect(order.cursor == nil && order.rate == nil && order.pages == nil && order.runBegan == nil)
    }

    @Test(arguments: [
        ("", "is not JSON"), ("[]", "\"type\" must be"), (#"{"type":"stop"}"#, "\"type\" must be"),
        (begin.replacing("\"v\":3", with: "\"v\":2") + "}", "\"v\" must be 3"),
        (begin.replacing("\"turn\":7", with: "\"turn\":0") + "}", "\"turn\" must be"),
        (begin.replacing("\"shard\":3", with: "\"shard\":16") + "}", "\"shard\" must be"),
        (begin.replacing("\"shards\":16", with: "\"shards\":-1") + "}", "\"shard\" must be"),
        (begin.replacing("site-1", with: "host-1") + "}", "\"by\" must be site-1"),
        (begin.replacing("10m", with: "10") + "}", "\"for\" must be a duration"),
        (begin.replacing("\"9f3c-2\"", with: "4") + "}", "\"cursor\" must be"),
        (begin + #","rate":0}"#, "\"rate\" must be"), (begin + #","pages":-1}"#, "\"pages\" must be"),
        (#"{"type":"address","address":"a.test","place":0,"of":2}"#, "\"address\" needs an IP address"),
        (#"{"type":"address","address":"192.0.2.1","place":2,"of":2}"#, "\"address\" needs an IP address"),
        (#"{"type":"address","address":"192.0.2.1","place":0}"#, "\"address\" needs an IP address"),
        (#"{"type":"address","address":"192.0.2.1","place":0,"of":2,"every":0}"#, "\"every\" must be"),
        (#"{"type":"address","address":"192.0.2.1","place":0,"of":2,"every":"1s"}"#, "\"every\" must be"),
        (#"{"type":"popularity","key":"https://a.test/","value":1.5}"#, "\"popularity\" needs"),
        (#"{"type":"popularity","key":"a","value":0.5}"#, "\"popularity\" needs"),
        (#"{"type":"request","key":"ftp://a.test/"}"#, "must be an http or https URL"),
        (#"{"type":"request","key":"https://user@a.test/"}"#, "must be an http or https URL"),
        (#"{"type":"request","key":"https://a.test/","depth":-1}"#, "\"depth\" must be"),
        (#"{"type":"request","key":"https://a.test/","depth":1,"discovery":"luck"}"#, "\"discovery\" must"),
        (#"{"type":"request","key":"https://a.test/","depth":1,"discovery":"outlink","seed":{}}"#, "\"seed\" must"),
        (
            #"{"type":"request","key":"https://a.test/","depth":1,"discovery":"outlink","seed":{"url":"https://a.test/","landed":["a b"]}}"#,
            "\"seed\" must"
        ),
        (
            #"{"type":"request","key":"https://a.test/","depth":1,"discovery":"sitemap","seed":{"url":"https://a.test/"},"sitemapOf":"a/b","sitemapLevel":0}"#,
            "\"sitemapOf\" must"
        ),
        (
            #"{"type":"request","key":"https://a.test/","depth":1,"discovery":"sitemap","seed":{"url":"https://a.test/"},"sitemap":{"news":3}}"#,
            "\"sitemap\" is not"
        ),
    ])
    func `a line that is not understood is refused with what is wrong`(line: String, says: String) {
        let error = #expect(throws: WorkerProtocolError.self) { try message(line) }
        #expect(error?.description.hasPrefix("standard input:3: ") == true)
        #expect(error?.problem.contains(says) == true, "\(error?.problem ?? "")")
        #expect(error?.exitStatus == .usage)
    }

    @Test func `a request arrives as it was sent`() throws {
        let seed = Seed(
            url: try #require(WebURL("https://a.test/s")), kind: .marketing, storeIdentifier: "12",
            bundleIdentifier: "t.a.b",
            packageName: "t.a", landingHosts: ["b.test"])
        var request = CrawlRequest(
            url: try #require(WebURL("https://b.test/x?utm_source=y#z")), depth: 4, seed: seed, discovery: .redirect,
            standsForSeed: true)
        request.redirects = [try #require(WebURL("https://a.test/s"))]
        request.modifiedAt = Date(timeIntervalSince1970: 1_795_000_000)
        request.sitemap.alternates = ["android-app://t.a/https/b.test/x"]
        request.sitemap.feed = SitemapFacts.Feed(published: "2026-03-01T10:00:00Z", authors: ["Ann \"Lee\""])
        request.sitemap.images = [SitemapFacts.Image(url: "https://b.test/\t.png", alt: "An \"image\"\n")]
        var writer = JSONWriter()
        request.write(to: &writer, shard: 5)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(!text.contains("\t") && !text.contains("\n"))
        guard case .request(let arrived) = try message(#"{"type":"request","# + text.dropFirst()) else {
            Issue.record("no request")
            return
        }
        #expect(arrived == request)
        let sitemap = CrawlRequest(
            url: try #require(WebURL("https://b.test/map.xml")), target: .sitemap(host: "a.test", level: 1), depth: 1,
            seed: seed, discovery: .sitemap)
        writer.removeAll()
        sitemap.write(to: &writer, shard: 0)
        guard
            case .request(let map) = try message(
                #"{"type":"request","# + String(decoding: writer.bytes, as: UTF8.self).dropFirst())
        else {
            Issue.record("no request")
            return
        }
        #expect(map == sitemap && map.mailKey == "sitemap:https://b.test/map.xml")
    }

    // MARK: Configuration

    @Test func `the configuration says how a job is cut`() throws {
        let yaml = "cluster: { shards: 16, turn: 10m, links: true, shared_addresses: ignore }"
        let cluster = try CrawlConfiguration(yaml: yaml, file: "c.yaml").cluster
        #expect(cluster.shards == 16 && cluster.epoch == .seconds(600) && cluster.tellsLinks)
        #expect(cluster.sharedAddresses == .ignore)
        #expect(CrawlConfiguration().cluster.sharedAddresses == .slots && CrawlConfiguration().cluster.keepsSnapshots)
        #expect(try !CrawlConfiguration(yaml: "cluster: { snapshots: false }", file: "c.yaml").cluster.keepsSnapshots)
        for (wrong, says) in [
            ("{ shard: 3 }", "did you mean \"shards\"?"), ("{ shards: 0 }", "0 is not between 1 and 65536"),
            ("{ turn: 10 }", "has no unit"), ("{ snapshots: 6 }", "expected true or false"),
            ("{ shared_addresses: yes }", "expected one of slots, ignore"),
        ] {
            let error = #expect(throws: ConfigurationError.self) {
                try CrawlConfiguration(yaml: "cluster: " + wrong, file: "c.yaml")
            }
            #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
        }
    }

    @Test(arguments: [
        ("{}", 30.0, 1.0),
        ("{ delay: 2s, max_crawl_delay: 10s }", 10, 2),
        ("{ delay: 20s, max_crawl_delay: 10s, delay_per_address: 250ms }", 20, 0.25),
        ("{ max_crawl_delay: 10s }\nhosts: { a.test: { delay: 1m } }", 60, 1),
        ("{ max_crawl_delay: 10s }\nhosts: { a.test: { max_crawl_delay: 90s } }", 90, 1),
        (#"{ quiet_hours: ["01:00-02:00"], quiet_delay: 2m }"#, 120, 1),
        ("{}\nhosts: { a.test: { quiet_hours: [\"01:00-02:00\"], quiet_delay: 3m } }", 180, 1),
    ])
    func `a driver gets the durations of a job in seconds`(
        politeness: String, longestDelay: Double, delayPerAddress: Double
    ) throws {
        let configuration = try CrawlConfiguration(
            yaml: "cluster: { turn: 5m }\npoliteness: " + politeness, file: "c.yaml")
        let times = configuration.timesForDrivers()
        #expect(times["turn"]?.double == 300)
        #expect(times["longestDelay"]?.double == longestDelay)
        #expect(times["delayPerAddress"]?.double == delayPerAddress)
        #expect(configuration.timesForDrivers(epoch: .milliseconds(1500))["turn"]?.double == 1.5)
    }

    /// Every key of `output` but the archive's, so that a new one is not forgotten.
    @Test func `a driver gets a sentence for each output that a cluster does not have`() throws {
        let output = """
            { ndjson: r.ndjson, ndjson_rotation: { size: 1G }, report: site, log: c.jsonl, summary: s.json,
              metrics: m.prom, metrics_port: 0, warc: w, warc_rotation: { size: 1G }, search_index: true,
              opensearch: { url: "http://localhost:9200", index: pages } }
            """
        let configuration = try CrawlConfiguration(yaml: "output: " + output, file: "c.yaml")
        let leftOut = configuration.timesForDrivers()["leftOut"]?.array?.compactMap(\.string) ?? []
        #expect(
            leftOut.map { $0.split(separator: " ")[0] } == [
                "output.ndjson", "output.report", "output.log", "output.summary", "output.metrics",
                "output.metrics_port", "output.search_index", "output.opensearch",
            ])
        #expect(
            leftOut.first
                == "output.ndjson is not used on a cluster: `pippin_spark records` writes the records of all shards")
        let archiving = try CrawlConfiguration(yaml: "output: { warc: w }", file: "c.yaml")
        #expect(archiving.timesForDrivers()["leftOut"]?.array == [])
        #expect(configuration.output.ofWorker.leftOutByWorkers.isEmpty)
    }
}
