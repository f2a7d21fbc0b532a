import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// Whatever fails at the end of a run, the other steps are made, and the first error is what the run ends with.
@Suite struct EndingTests {
    private static let crawl = "pippin crawl --quiet --log-level error"

    private func job(in folder: borrowing ScratchFolder) throws -> ChangingSite {
        let site = try ChangingSite()
        site.show([1: "One", 2: "Two"], linking: 1...2)
        try site.writeJob(in: folder)
        // As in other tests, a link: put in place, a file would take the place of the device.
        for name in ["full-summary", "full-records", "full-log"] {
            try FileManager.default.createSymbolicLink(
                at: folder.url.appending(path: name), withDestinationURL: URL(filePath: "/dev/full"))
        }
        return site
    }

    @Test func `records that cannot be handed over cost neither the summary nor the report nor the ledger`()
        async throws
    {
        let folder = try ScratchFolder()
        let site = try job(in: folder)
        let run = try await PippinProcess.run(
            Self.crawl + " --out full-records --summary summary.json --report report", in: folder.url)
        #expect(run.status == 6, "\(run.errors)")
        #expect(run.errors.contains("full-records") && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        for file in ["summary.json", "report/index.html"] {
            #expect(FileManager.default.fileExists(atPath: folder.url.appending(path: file).path), "\(file)")
        }
        let status = try await PippinProcess.run("pippin status --json", in: folder.url)
        var parser = JSONParser()
        let runs = try parser.parse(Array(status.output.utf8))["runs"]?.array
        #expect(runs?.count == 1 && runs?.first?["endedAt"] != nil, "\(status.output)")
        withExtendedLifetime(site) {}
    }

    @Test func `of several errors the first counts, and the others are told`() async throws {
        let folder = try ScratchFolder()
        let site = try job(in: folder)
        let run = try await PippinProcess.run(
            Self.crawl + " --out full-records --summary full-summary", in: folder.url)
        #expect(run.status == 6, "\(run.errors)")
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 2, "\(run.errors)")
        #expect(lines.first?.contains("full-records: cannot be written") == true, "\(run.errors)")
        #expect(lines.last?.contains("full-summary: the summary cannot be written") == true, "\(run.errors)")
        withExtendedLifetime(site) {}
    }

    @Test func `a flush that fails does not hide why the crawl broke off`() async throws {
        let folder = try ScratchFolder()
        let site = try job(in: folder)
        let run = try await PippinProcess.run(
            Self.crawl + " \(site.url("/")) --config crawl-config.yaml --log full-log --out full-records",
            in: folder.url)
        #expect(run.status == 6, "\(run.errors)")
        #expect(run.errors.hasPrefix("pippin: full-log: the crawl log cannot be written"), "\(run.errors)")
        withExtendedLifetime(site) {}
    }

    @Test func `a run that has ended leaves no write-ahead log`() async throws {
        let folder = try ScratchFolder()
        let site = try job(in: folder)
        let run = try await PippinProcess.run(Self.crawl, in: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        let log = folder.url.appending(path: "storage/pippin.sqlite-wal").path
        var size = 0
        if FileManager.default.fileExists(atPath: log) {
            size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? -1
        }
        #expect(size == 0)
        // Nothing but what is meant to stay.
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!files.contains { $0.hasSuffix(".lock") }, "\(files)")
        withExtendedLifetime(site) {}
    }

    @Test func `status shows a run that goes on as it is now`() async throws {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        site.show(Dictionary(uniqueKeysWithValues: (1...40).map { ($0, "Page \($0)") }), linking: 1...40)
        try site.writeJob(in: folder)
        let run = try await PippinProcess.run(
            """
            \(Self.crawl) --delay 200ms --log log.jsonl & job=$!
            until [ "$(grep -c '"kind":"page"' log.jsonl 2> /dev/null)" -ge 6 ] 2> /dev/null; do sleep 0.1; done
            sleep 1.5
            before=$(grep -c '"kind":"page"' log.jsonl)
            pippin status --json
            after=$(grep -c '"kind":"page"' log.jsonl)
            echo $before $after > counts
            kill -INT $job; wait $job
            """, in: folder.url)
        var parser = JSONParser()
        let status = try parser.parse(Array(run.output.utf8))
        let counts = try String(contentsOf: folder.url.appending(path: "counts"), encoding: .utf8)
            .split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        let (before, after) = (try #require(counts.first), try #require(counts.last))
        #expect(status["state"]?.string == "running")
        #expect(status["queue"]?["known"]?.integer == 41)
        let visited = try #require(status["queue"]?["visited"]?.integer)
        #expect((before...after + 1).contains(visited), "\(before) \(visited) \(after)")
        #expect(status["records"]?.integer == visited)
        // What is counted by host, and by the run, a second ago.
        let queued = try #require(status["busiest"]?.array?.first?["queued"]?.integer)
        #expect((41 - visited...41 - visited + 10).contains(queued), "\(queued) of \(41 - visited)")
        let pages = try #require(status["pace"]?["pages"]?.integer)
        #expect((visited - 10...visited).contains(pages) && pages > 0, "\(pages) of \(visited)")
    }
}
