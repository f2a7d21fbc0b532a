import Foundation
import PippinCrawl
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinPage

/// `pippin why` and `pippin status` after a crawl of the demo site.
@Suite struct WhyCommandTests {
    @Test func `why tells each fate of a URL of the demo, and status where the job stands`() async throws {
        let folder = try ScratchFolder()
        let site = Repository.root.appending(path: "Examples/demo-site")
        try await DemoProcess.serving(site: site, folder: folder.url) { demo in
            let crawled = try await PippinProcess.run("pippin crawl --config crawl-config.yaml --quiet", in: folder.url)
            #expect([0, 3].contains(crawled.status), "\(crawled.errors)")
            let clownfair = try demo.origin(of: "clownfair.example")
            let shop = try demo.origin(of: "shop.example")
            // What the first line and the decisions must hold.
            let fates: [(url: String, verdict: String, mentions: String, status: Int32)] = [
                ("\(clownfair)/", "recorded", "record: Its record is \(clownfair)/", 0),
                ("\(clownfair)/backstage/keys.html", "disallowed", "robots: The robots.txt", 0),
                (
                    "\(clownfair)/backstage/keys.html", "disallowed",
                    "\(clownfair)/support.html, first on \(clownfair)/.\n", 0
                ),
                ("\(clownfair)/backstage/keys.html", "disallowed", "links: Pages that link here: \(clownfair)/.\n", 0),
                ("\(clownfair)/draft.html", "noindex", "asks not to be indexed", 0),
                ("\(clownfair)/events/cancelled.html", "gone", "outcome: The page is not there: 410.", 0),
                ("\(clownfair)/app", "redirected-to-app", "It leads into an app: clownfair://home.", 0),
                (
                    "\(clownfair)/old-opening", "redirected",
                    "leads-to: \(clownfair)/events/opening-night.html ended as recorded; its record is \(clownfair)/events/",
                    0
                ),
                (
                    "\(clownfair)/spring.html", "duplicate",
                    "leads-to: \(clownfair)/events/spring.html ended as recorded; its record is", 0
                ),
                ("\(shop)/brochure.pdf", "not-a-page", "It has none", 0),
                ("\(clownfair)/sitemap.xml", "sitemap", "record: It has none: it is a sitemap.", 0),
                ("\(try demo.origin(of: "down.example"))/menu.html", "queued", "waits until", 0),
                (
                    "\(shop)/calendar/2026/11/calendar/2026/11/calendar/2026/11/", "out-of-scope",
                    "[repeated-segments]",
                    1
                ),
                ("\(clownfair)/nothing-links-here", "never-seen", "has not met it", 1),
                ("https://elsewhere.example/", "out-of-scope", "[other-host]", 1),
            ]
            for fate in fates {
                let run = try await PippinProcess.run(
                    "pippin why '\(fate.url)' --config crawl-config.yaml", in: folder.url)
                #expect(run.status == fate.status, "\(fate.url): \(run.errors)")
                #expect(run.output.hasPrefix("\(fate.verdict)  "), "\(run.output)")
                #expect(run.output.contains(fate.mentions), "\(run.output)")
                let json = try await PippinProcess.run(
                    "pippin why '\(fate.url)' --config crawl-config.yaml --json", in: folder.url)
                var parser = JSONParser()
                let object = try parser.parse(Array(json.output.utf8))
                #expect(object["verdict"]?.string == fate.verdict)
                #expect(object["decisions"]?.array?.isEmpty == false)
            }
            let status = try await PippinProcess.run("pippin status --config crawl-config.yaml", in: folder.url)
            #expect(status.status == 0, "\(status.errors)")
            #expect(status.output.hasPrefix("No run goes on.\n"), "\(status.output)")
            #expect(status.output.contains("its pace set by politeness"), "\(status.output)")
            #expect(status.output.contains("  recorded\n"))
            let json = try await PippinProcess.run("pippin status --storage storage --json", in: folder.url)
            var parser = JSONParser()
            let object = try parser.parse(Array(json.output.utf8))
            #expect(object["state"]?.string == "idle")
            #expect(object["queue"]?["known"]?.integer ?? 0 > 80)
            #expect(object["pace"]?["requestsTooEarly"]?.integer == 0)
            #expect(object["runs"]?.array?.count == 1)
        }
    }

    @Test func `words that a server chose cannot command the terminal`() async throws {
        let folder = try ScratchFolder()
        let server = try LoopbackServer { request, connection in
            switch request.target {
            case "/robots.txt":
                connection.respond("200 OK", ["Content-Type: text/plain"], body: Array("User-agent: *\nDisallow:".utf8))
            default: connection.respond("200 OK", ["Content-Type: text/\u{1B}]0"], body: Array("x".utf8))
            }
            return .keepOpen
        }
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/"
        _ = try await PippinProcess.run(
            "pippin crawl \(url) --allow-private-networks --storage kept --delay 1ms", in: folder.url)
        let run = try await PippinProcess.run("pippin why \(url) --storage kept", in: folder.url)
        #expect(run.output.hasPrefix("not-a-page  "), "\(run.output)")
        #expect(run.output.contains("text/\u{FFFD}]0"))
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test func `a shard names the shard that a URL belongs to`() async throws {
        let folder = try ScratchFolder()
        let hosts = (0..<40).map { "site\($0).example" }
        let own = try #require(hosts.first { Shard.number(ofHost: $0, among: 4) == 1 })
        let other = try #require(hosts.first { Shard.number(ofHost: $0, among: 4) == 3 })
        do {
            let storage = try CrawlStorage(folder: folder.url.appending(path: "shard"))
            let shard = try #require(Shard(1, of: 4))
            _ = try storage.begin(EpochOrder(epoch: 1, shard: shard, duration: .seconds(60)), at: Date())
        }
        let foreign = try await PippinProcess.run("pippin why https://\(other)/ --storage shard", in: folder.url)
        #expect(foreign.output.hasPrefix("other-shard  "), "\(foreign.output)\(foreign.errors)")
        #expect(
            foreign.output.contains(
                "This storage is shard 1 of 4, and the URL belongs to shard 3: ask its storage."))
        #expect(foreign.status == 1)
        let unseen = try await PippinProcess.run("pippin why https://\(own)/ --storage shard", in: folder.url)
        #expect(unseen.output.hasPrefix("never-seen  "), "\(unseen.output)")
    }

    @Test func `a job in shards is asked as a whole`() async throws {
        let folder = try ScratchFolder()
        let hosts = (0..<40).map { "site\($0).example" }
        for number in [0, 1, 3] {
            let storage = try CrawlStorage(folder: folder.url.appending(path: "job/shards/0\(number)"))
            let shard = try #require(Shard(number, of: 4))
            let epoch = try storage.begin(EpochOrder(epoch: 1, shard: shard, duration: .seconds(60)), at: Date())
            let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl(), epoch: epoch)
            let host = try #require(hosts.first { shard.owns($0) })
            let url = try #require(WebURL("https://\(host)/"))
            _ = try await frontier.add([CrawlRequest(url: url, depth: 0, seed: Seed(url: url), discovery: .seed)])
            try await frontier.close(keeping: [])
        }
        for (number, place) in [(0, "job"), (1, "job/shards"), (3, "job")] {
            let host = try #require(hosts.first { Shard.number(ofHost: $0, among: 4) == number })
            let answer = try await PippinProcess.run("pippin why https://\(host)/ --storage \(place)", in: folder.url)
            #expect(answer.output.hasPrefix("queued  ") && answer.status == 0, "\(answer.output)\(answer.errors)")
        }
        let host = try #require(hosts.first { Shard.number(ofHost: $0, among: 4) == 2 })
        let lost = try await PippinProcess.run("pippin why https://\(host)/ --storage job", in: folder.url)
        #expect(lost.status == 6 && lost.errors.contains("belongs to shard 2 of 4, whose storage is not here"))
    }

    @Test func `why names the sheet that each setting of the host comes from`() async throws {
        let folder = try ScratchFolder()
        _ = try CrawlStorage(folder: folder.url.appending(path: "kept"))
        try folder.write("https://www.shop.example/\n", to: "seeds.txt")
        try folder.write(
            """
            storage: kept
            agent: { contact: bot@shop.example }
            hosts:
              "*.shop.example": { delay: 5s, max_depth: 2 }
              www.shop.example: { max_depth: 4 }
            """, to: "crawl-config.yaml")
        let run = try await PippinProcess.run("pippin why https://www.shop.example/x", in: folder.url)
        #expect(run.output.contains("\n  settings of www.shop.example:\n    delay: 5s  (hosts.*.shop.example)\n"))
        #expect(run.output.contains("\n    max_depth: 4  (hosts.www.shop.example)\n"), "\(run.output)\(run.errors)")
        #expect(run.output.contains("\n    records: deep-linked  (records)\n"))
        let json = try await PippinProcess.run("pippin why https://www.shop.example/x --json", in: folder.url)
        var parser = JSONParser()
        let settings = try parser.parse(Array(json.output.utf8))["settings"]?.array ?? []
        #expect(settings.first?["name"]?.string == "delay" && settings.first?["value"]?.string == "5s")
        #expect(settings.first?["from"]?.array?.map(\.string) == ["hosts.*.shop.example"])
        let other = try await PippinProcess.run("pippin why https://shop.example/", in: folder.url)
        #expect(!other.output.contains("settings of"), "\(other.output)")
    }

    @Test func `without a storage both say so`() async throws {
        let folder = try ScratchFolder()
        for command in ["status --storage nowhere", "why https://a.test/ --storage nowhere"] {
            let run = try await PippinProcess.run("pippin \(command)", in: folder.url)
            #expect(run.status == 6, "\(run.errors)")
            #expect(run.errors.contains("no job has written into it"))
        }
        #expect(try await PippinProcess.run("pippin status", in: folder.url).status == 2)
        #expect(try await PippinProcess.run("pippin why mailto:x", in: folder.url).status == 2)
    }
}
