import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinReport

/// `pippin crawl --report` over the demo site's pages for the checks, in a process of its own.
@Suite struct CrawlReportTests {
    @Test func `checks of the whole site fail on their failing page and not on their passing page`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await DemoProcess.serving(
            site: Repository.root.appending(path: "Examples/demo-site"), folder: folder
        ) { demo in
            let origin = try demo.origin(of: "checks.example")
            let run = try await PippinProcess.run(
                "pippin crawl --config crawl-config.yaml --seeds seeds-checks.txt --delay 0s --report report --out records.ndjson",
                in: folder)
            // Findings change nothing about it; a page of the demo is there to fail.
            #expect([0, 3].contains(run.status), "\(run.errors)")
            #expect(run.errors.contains("report/index.html"))
            let data = try Data(contentsOf: folder.appending(path: "report/report.json"))
            let kept = try ReportSchema.siteReport.verdict(of: Array(data.filter { $0 != 0x0A }))
            #expect(kept.status == 0, "\(kept.output.prefix(4_000))")
            let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            #expect(report["complete"] as? Bool == true)
            let checks = try #require(report["checks"] as? [[String: Any]])
            for id in CheckPages.ofTheWholeSite.sorted() {
                let check = checks.first { $0["check"] as? String == id }
                let examples = check?["examples"] as? [[String: Any]] ?? []
                let urls = examples.compactMap { $0["url"] as? String }
                let severity = Check.all.first { $0.id == id }?.severity.rawValue
                #expect(check?["outcome"] as? String == severity, "\(id)")
                #expect(urls.contains { $0.hasSuffix("/\(id)-fails.html") }, "\(id): \(urls)")
                #expect(!urls.contains { $0.hasSuffix("/\(id)-passes.html") }, "\(id): \(urls)")
            }
            #expect(report["orphans"] as? [String] == [origin + "/D10-fails.html", origin + "/D11-fails.html"])
            let cards = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/report/pages")
            #expect(cards.contains { $0.hasSuffix("-checks.localhost-L04-fails.html") }, "\(cards)")
            let page = try String(contentsOf: folder.appending(path: "report/index.html"), encoding: .utf8)
            #expect(page.contains("<title>Site report: checks.localhost</title>"))
        }
    }
}
