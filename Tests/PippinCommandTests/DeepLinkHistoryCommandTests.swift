import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// A site breaks its association file between two runs of a job: what `why`, `export --history` and the record say.
@Suite struct DeepLinkHistoryCommandTests {
    private static let file =
        #"{"applinks": {"details": [{"appIDs": ["ABCDE12345.org.example.app"], "components": [{"/": "/open/*"}]}]}}"#

    private static func parsed(_ text: some StringProtocol) throws -> JSONValue {
        var parser = JSONParser()
        return try parser.parse(Array(text.utf8)[...])
    }

    @Test(.slow) func `a deep link that breaks is told with its day and with what it was`() async throws {
        let nginx = try NginxServer(
            sites: [
                "shows": """
                location = /.well-known/apple-app-site-association { default_type application/json; alias association; }
                location = /open/1 {
                    return 200 "<!doctype html><title>One</title><meta name=apple-itunes-app content='app-id=123456789, app-argument=https://$host:$server_port/open/1'><p>The first of all shows.";
                }
                """
            ]
        ) { certificates in
            try Data(Self.file.utf8).write(to: certificates.folder.appending(path: "association"))
        }
        let folder = try ScratchFolder()
        let page = nginx.origin(ofSite: "shows") + "/open/1"
        try folder.write("\(page) app=123456789 bundle=org.example.app\n", to: "seeds.txt")
        try folder.write(
            """
            agent: { contact: "https://example.org/bot" }
            politeness: { delay: 0s, adaptive: false }
            fetch: { allow_private_networks: true, retries: 0, ca_file: "\(nginx.certificates.authorityPath)" }
            scope: { sitemaps: false }
            records: all
            storage: storage
            output: { ndjson: records.ndjson }

            """, to: "crawl-config.yaml")
        func crawl() async throws -> JSONValue {
            let run = try await PippinProcess.run("pippin crawl --quiet", in: folder.url)
            #expect(run.status == 0, "\(run.errors)")
            let records = try String(contentsOf: folder.url.appending(path: "records.ndjson"), encoding: .utf8)
            let record = try Self.parsed(try #require(records.split(separator: "\n").last))
            return try #require(record["deepLinks"]?.array?.first)
        }

        let first = try await crawl()
        #expect(first["verification"]?["status"]?.string == "verified", "\(first)")
        let began = try #require(first["verification"]?["since"]?.string)
        // Nothing has changed: no new record, and no new row.
        try await Task.sleep(for: .milliseconds(1_100))
        try ChangingSite.letTimePass(in: folder.url)
        _ = try await crawl()
        let quiet = try await PippinProcess.run("pippin export --history", in: folder.url)
        #expect(quiet.output.split(separator: "\n").count == 1, "\(quiet.output)")

        try Data("Sorry".utf8).write(to: nginx.certificates.folder.appending(path: "association"))
        func judged() async throws -> String {
            let card = try await PippinProcess.run(
                "pippin validate \(page) --storage storage --allow-private-networks --ca-file \(nginx.certificates.authorityPath) --format json",
                in: folder.url)
            let findings = try Self.parsed(card.output)["findings"]?.array ?? []
            return findings.filter { $0["check"]?.string == "L27" }.compactMap { $0["message"]?.string }.joined()
        }
        let link = "The iOS deep link of “123456789” to “\(page)”"
        #expect(
            try await judged().hasPrefix("\(link) was verified since \(began.prefix(10)), and is not covered now: "))
        try ChangingSite.letTimePass(in: folder.url)
        let second = try await crawl()
        #expect(second["verification"]?["status"]?.string == "not-covered", "\(second)")
        let broke = try #require(second["verification"]?["since"]?.string)
        #expect(broke > began)

        let export = try await PippinProcess.run("pippin export --history", in: folder.url)
        #expect(export.status == 0 && export.errors.isEmpty, "\(export.errors)")
        let lines = try export.output.split(separator: "\n").map { try Self.parsed($0) }
        #expect(lines.map { $0["change"]?.string } == ["added", "changed"])
        let last = try #require(lines.last)
        #expect(last["uniqueIdentifier"]?.string == page && last["storeIdentifier"]?.string == "123456789")
        #expect(
            last["at"]?.string == broke && last["since"]?.string == broke && last["status"]?.string == "not-covered")
        #expect(last["previous"]?["status"]?.string == "verified" && last["previous"]?["since"]?.string == began)
        #expect(last["reason"]?.string?.contains("JSON") == true)

        let why = try await PippinProcess.run("pippin why \(page)", in: folder.url)
        #expect(why.status == 0, "\(why.errors)")
        #expect(why.output.contains("deep-link: ios 123456789 opens with \(page): not-covered since \(broke)."))
        #expect(why.output.contains("  deep links: 2 changes:\n    \(began)  ios 123456789  added, verified"))
        #expect(why.output.contains("\(broke)  ios 123456789  not-covered, was verified since \(began): "))
        let json = try Self.parsed(try await PippinProcess.run("pippin why \(page) --json", in: folder.url).output)
        #expect(json["deepLinkHistory"]?.array == lines)

        #expect(try await judged().hasPrefix("\(link) was verified, and is not covered since \(broke.prefix(10)): "))
        let unread = try await PippinProcess.run("pippin validate \(page) --storage nowhere", in: folder.url)
        #expect(unread.status == 6, "\(unread.errors)")

        let wrong = try await PippinProcess.run("pippin export --history --limit 1", in: folder.url)
        #expect(wrong.status == 2 && wrong.errors.contains("--history writes all"))
    }

    @Test func `a crawl without a storage does not know since when`() async throws {
        let server = try LoopbackServer { _, connection in
            connection.respond(
                body: Array("<title>One</title><meta name=apple-itunes-app content='app-id=123456789'>".utf8))
            return .keepOpen
        }
        defer { server.stop() }
        let folder = try ScratchFolder()
        let run = try await PippinProcess.run(
            "pippin crawl http://127.0.0.1:\(server.port)/ --allow-private-networks --delay 1ms", in: folder.url)
        let record = try Self.parsed(try #require(run.output.split(separator: "\n").first))
        let verification = try #require(record["deepLinks"]?.array?.first?["verification"])
        #expect(verification["status"] != nil && verification["since"] == nil)
    }
}
