import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// `output.report` of a job: no run leaves a poorer report behind than it found.
@Suite struct ReportKeepingTests {
    private func report(in folder: URL) throws -> JSONValue {
        var parser = JSONParser()
        return try parser.parse([UInt8](Data(contentsOf: folder.appending(path: "report/report.json"))))
    }

    private func cards(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/report/pages").sorted()
    }

    @Test func `a run that reads nothing leaves the report as it is, and one that reads little has all of it`()
        async throws
    {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        let titles = Dictionary(uniqueKeysWithValues: (1...6).map { ($0, "Page \($0)") })
        site.show(titles, linking: 1...6)
        try site.writeJob(in: folder, output: "report: report")
        let crawl = "pippin crawl"
        let first = try await PippinProcess.run(crawl, in: folder.url)
        #expect(first.status == 0, "\(first.errors)")
        #expect(try report(in: folder.url)["totals"]?["pages"]?.integer == 7)
        let before = try cards(in: folder.url)
        #expect(before.count == 7)
        let overview = try Data(contentsOf: folder.url.appending(path: "report/index.html"))

        // Nothing is due.
        let idle = try await PippinProcess.run(crawl, in: folder.url)
        #expect(idle.status == 0, "\(idle.errors)")
        #expect(idle.errors.contains("the report stays as it was"), "\(idle.errors)")
        #expect(try Data(contentsOf: folder.url.appending(path: "report/index.html")) == overview)
        #expect(try cards(in: folder.url) == before)

        // All is due, and the run ends after two pages.
        try ChangingSite.letTimePass(in: folder.url)
        let short = try await PippinProcess.run(crawl + " --max-pages 2", in: folder.url)
        #expect(short.status == 4, "\(short.errors)")
        let partly = try report(in: folder.url)
        #expect(partly["totals"]?["pages"]?.integer == 7)
        #expect(partly["totals"]?["earlier"]?.integer == 5)
        #expect(partly["ending"]?.string == "page-limit")
        #expect(try cards(in: folder.url) == before)
        for card in before {
            let html = try String(contentsOf: folder.url.appending(path: "report/pages/\(card)"), encoding: .utf8)
            #expect(html.contains("<title>Report card: http://127.0.0.1") && html.contains("What to fix"), "\(card)")
        }
    }

    @Test func `a crawl without storage that is stopped does not replace the report of a whole one`() async throws {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        site.show(Dictionary(uniqueKeysWithValues: (1...6).map { ($0, "Page \($0)") }), linking: 1...6)
        try site.writeJob(in: folder)
        let crawl =
            "pippin crawl \(site.url("/")) --config crawl-config.yaml --report report --out out.ndjson"
        let whole = try await PippinProcess.run(crawl + " --quiet", in: folder.url)
        #expect(whole.status == 0, "\(whole.errors)")
        let stopped = try await PippinProcess.run(
            """
            \(crawl) --delay 1s --log log.jsonl 2> stopped & job=$!
            until grep -q '"kind":"page"' log.jsonl 2> /dev/null; do sleep 0.05; done
            kill -INT $job; wait $job; echo $?; cat stopped >&2
            """, in: folder.url)
        #expect(stopped.output.hasSuffix("5\n"), "\(stopped.output) \(stopped.errors)")
        #expect(stopped.errors.contains("the earlier report stays as it was"), "\(stopped.errors)")
        #expect(try report(in: folder.url)["totals"]?["pages"]?.integer == 7)
        #expect(try report(in: folder.url)["ending"]?.string == "finished")
    }
}
