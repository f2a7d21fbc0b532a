import Foundation
import PippinTestSupport
import Testing

/// `pippin crawl --again` and `--changed-configuration` on a job whose pages are not due.
@Suite struct CrawlAgainTests {
    private struct Outcomes {
        let status: Int32
        let errors: String
        let visits: [String: Int]
    }

    /// Crawls, and says how many visits ended how.
    private func crawl(_ options: String = "", in folder: borrowing ScratchFolder) async throws -> Outcomes {
        let log = folder.url.appending(path: "visits.jsonl")
        try? FileManager.default.removeItem(at: log)
        let run = try await PippinProcess.run("pippin crawl \(options) --log visits.jsonl", in: folder.url)
        var visits: [String: Int] = [:]
        let lines = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        for line in lines.split(separator: "\n") where line.contains("\"kind\":\"page\"") {
            let outcome = try #require(line.firstMatch(of: /"outcome":"([^"]+)"/)).1
            visits[String(outcome), default: 0] += 1
        }
        return Outcomes(status: run.status, errors: run.errors, visits: visits)
    }

    private func job(in folder: borrowing ScratchFolder) async throws -> ChangingSite {
        let site = try ChangingSite()
        try site.writeJob(in: folder)
        site.show(Dictionary(uniqueKeysWithValues: (1...12).map { ($0, "page \($0)") }), linking: 1...12)
        let first = try await crawl(in: folder)
        #expect(first.status == 0 && first.visits == ["recorded": 13], "\(first)")
        return site
    }

    @Test func `what is named is visited now, once, and only that`() async throws {
        let folder = try ScratchFolder()
        let site = try await job(in: folder)
        #expect(try await crawl(in: folder).visits.isEmpty)
        let page = site.url("/3")
        let one = try await crawl("--again '\(page)'", in: folder)
        #expect(one.visits.values.reduce(0, +) == 1 && one.status == 0, "\(one)")
        #expect(one.errors.contains("visiting again: 1 URL of \(page)"), "\(one.errors)")
        // /1, /10, /11 and /12.
        let some = try await crawl("--again '\(site.url("/1*"))' '\(page)'", in: folder)
        #expect(some.visits.values.reduce(0, +) == 5, "\(some)")
        let matching = try await crawl("--again '*/?2'", in: folder)
        #expect(matching.visits == ["not-modified": 1] || matching.visits == ["recorded": 1], "\(matching)")
        let host = try await crawl("--again 127.0.0.1", in: folder)
        #expect(host.visits.values.reduce(0, +) == 13, "\(host)")
        site.show([1: "page 1, changed"], linking: 1...12)
        let all = try await crawl("--again", in: folder)
        #expect(all.visits["gone"] == 11 && all.visits.values.reduce(0, +) == 13, "\(all)")
        #expect(try await crawl(in: folder).visits.isEmpty)
    }

    @Test func `what a run does not come to is visited by the next one`() async throws {
        let folder = try ScratchFolder()
        let site = try await job(in: folder)
        defer { withExtendedLifetime(site) {} }
        let first = try await crawl("--again --max-pages 5", in: folder)
        #expect(first.status == 4 && first.visits.values.reduce(0, +) == 5, "\(first)")
        let second = try await crawl(in: folder)
        #expect(second.status == 0 && second.visits.values.reduce(0, +) == 8, "\(second)")
    }

    @Test func `what names nothing is told before anything is asked for`() async throws {
        let folder = try ScratchFolder()
        let site = try await job(in: folder)
        for (words, says) in [
            (site.url("/99"), "no URL is known that could be visited again"),
            ("other.example", "no URL is known that could be visited again"),
            ("'no host'", "names no URLs of a storage"),
        ] {
            let run = try await crawl("--again \(words)", in: folder)
            #expect(run.status == 2 && run.errors.contains(says) && run.visits.isEmpty, "\(words): \(run)")
        }
        let none = try await crawl("--changed-configuration", in: folder)
        #expect(none.status == 2 && none.errors.contains("that the configuration refused"), "\(none)")
    }

    @Test func `what the configuration refused is visited when it allows it`() async throws {
        let folder = try ScratchFolder()
        let site = try await job(in: folder)
        defer { withExtendedLifetime(site) {} }
        let refused = try await crawl("--again --exclude '*/10' --exclude '*/11'", in: folder)
        #expect(refused.visits["excluded-excluded"] == 2, "\(refused)")
        let check = try await PippinProcess.run("pippin crawl --check --changed-configuration", in: folder.url)
        #expect(check.output.contains("known: 13 URLs, 0 queued, 0 due"), "\(check.output)")
        #expect(check.output.contains("again: 2 URLs, which the configuration refused"), "\(check.output)")
        let allowed = try await crawl("--changed-configuration", in: folder)
        #expect(allowed.visits == ["recorded": 2], "\(allowed)")
    }

    @Test func `new settings count for what is known`() async throws {
        let folder = try ScratchFolder()
        let site = try await job(in: folder)
        defer { withExtendedLifetime(site) {} }
        let without = try await crawl("--again --exclude '*/10' --exclude '*/11'", in: folder)
        #expect(without.visits["excluded-excluded"] == 2, "\(without)")
        let check = try await PippinProcess.run("pippin crawl --check", in: folder.url)
        #expect(check.output.contains("by changed settings: 2 more URLs due"), "\(check.output)")
        let allowed = try await crawl(in: folder)
        #expect(allowed.visits == ["recorded": 2], "\(allowed)")
        #expect(allowed.errors.contains("2 URLs that it refused will be looked at again"), "\(allowed.errors)")
        let file = folder.url.appending(path: "crawl-config.yaml")
        let written = try String(contentsOf: file, encoding: .utf8)
        try folder.write(
            written + "recrawl: { min_interval: 1s, default_interval: 1s, max_interval: 2s }\n", to: "crawl-config.yaml"
        )
        try await Task.sleep(for: .seconds(2))
        let later = try await crawl(in: folder)
        #expect(later.visits.values.reduce(0, +) == 13, "\(later)")
        #expect(later.errors.contains("13 URLs will be due sooner"), "\(later.errors)")
    }
}
