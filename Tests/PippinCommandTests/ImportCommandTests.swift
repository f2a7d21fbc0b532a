import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// `pippin import`: URLs of another crawl.
@Suite struct ImportCommandTests {
    private func run(_ command: String, _ folder: borrowing ScratchFolder, status: Int32 = 0) async throws -> String {
        let run = try await PippinProcess.run("pippin \(command)", in: folder.url)
        #expect(run.status == status, "\(command): \(run.errors)")
        return run.output
    }

    private func answer(_ output: String) throws -> [String: Int] {
        var parser = JSONParser()
        let object = try parser.parse(output)
        var counts: [String: Int] = [:]
        for key in ["queued", "visited", "known", "dropped", "badLines", "other-host", "excluded"] {
            counts[key] = object[key]?.integer
        }
        return counts.filter { $0.value > 0 }
    }

    /// The lines of an export, without what an import cannot carry: validators, whose page has no record in the other storage.
    private func carried(_ export: String) -> [String] {
        export.split(separator: "\n").map {
            String($0).replacing(#/"(etag|lastModified)":"(\\.|[^"\\])*",/#, with: "")
        }.sorted()
    }

    @Test func `what is imported is exported again, and is not fetched before it is due`() async throws {
        let old = try ScratchFolder()
        let new = try ScratchFolder()
        let site = try ChangingSite()
        try site.writeJob(in: old)
        try site.writeJob(in: new)
        site.show([1: "one", 2: "two"], linking: 1...3)
        _ = try await run("crawl --quiet", old)
        let export = try await run("export --frontier", old)
        try new.write(export, to: "old.ndjson")
        let count = export.split(separator: "\n").count
        #expect(try answer(await run("import old.ndjson", new)) == ["visited": count])
        let again = try await run("export --frontier", new)
        #expect(carried(again) == carried(export))
        #expect(try answer(await run("import old.ndjson", new)) == ["known": count])
        // A page more would show that the crawl has read the others.
        site.show([1: "one", 2: "two", 4: "four"], linking: 1...4)
        _ = try await run("crawl --quiet", new)
        #expect(carried(try await run("export --frontier", new)) == carried(export))
        #expect(try await run("check", new).contains("WRONG") == false)
    }

    @Test func `plain URLs are queued, in scope only, and bad lines are named`() async throws {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        try site.writeJob(in: folder)
        site.show([1: "one"], linking: [])
        let lines = [
            site.url("/1"), "", site.url("/1"), "https://elsewhere.example/", "ftp://a.example/", "{\"url\":3}",
            "{\"url\":",
            #"{"url":"\#(site.url("/2"))","state":"visited"}"#,
            #"{"url":"\#(site.url("/2"))","lastVisit":"yesterday"}"#,
            #"{"url":"\#(site.url("/2"))","lastVisit":"2020-01-01T00:00:00Z","outcome":"eaten"}"#,
            String(repeating: "x", count: 700_000), #"{"url":"\#(site.url("/3"))","more":{"of":"another"}}"#,
        ]
        try folder.write(lines.joined(separator: "\n"), to: "urls.txt")
        let process = try await PippinProcess.run("pippin import urls.txt", in: folder.url)
        #expect(process.status == 1)
        #expect(try answer(process.output) == ["queued": 2, "known": 1, "other-host": 1, "badLines": 7])
        let named = process.errors.split(separator: "\n").map(String.init)
        #expect(named.map { $0.prefix { $0 != " " } } == (5...11).map { "urls.txt:\($0):" }, "\(process.errors)")
        #expect(named.first == "urls.txt:5: \"ftp://a.example/\" is not an http or https URL")
        _ = try await run("crawl --quiet", folder)
        let export = try await run("export --frontier", folder)
        #expect(export.contains(#""state":"visited","url":"\#(site.url("/1"))""#), "\(export)")
    }

    @Test func `a line cannot bring a visit sooner than the job's shortest interval, nor hide a page for ever`()
        async throws
    {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        try site.writeJob(in: folder)
        site.show([1: "one", 2: "two"], linking: [])
        let now = InternetTime.text(Date())
        try folder.write(
            [("/1", now), ("/2", "2900-01-01T00:00:00Z")].map {
                #"{"due":"\#($0.1)","lastVisit":"\#(now)","state":"visited","url":"\#(site.url($0.0))"}"#
            }.joined(separator: "\n"), to: "urls.ndjson")
        #expect(try answer(await run("import urls.ndjson", folder)) == ["visited": 2])
        for line in try await run("export --frontier", folder).split(separator: "\n") {
            var parser = JSONParser()
            let due = try parser.parse(String(line))["due"]?.string.flatMap { W3CDateTime.date(from: $0) }
            let wait = try #require(due).timeIntervalSinceNow
            #expect(wait > 3_500 && wait < 31 * 86_400, "\(line)")
        }
    }

    @Test func `the rhythm of another crawl counts in all runs`() async throws {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        try site.writeJob(in: folder)
        site.show([1: "one"], linking: [])
        let visited = InternetTime.text(Date(timeIntervalSinceNow: -5 * 86_400))
        let line =
            #"{"interval":2592000,"lastVisit":"\#(visited)","outcome":"recorded","state":"visited","url":"\#(site.url("/1"))"}"#
        try folder.write(line + "\n", to: "urls.ndjson")
        #expect(try answer(await run("import urls.ndjson", folder)) == ["visited": 1])
        func page() async throws -> Substring? {
            try await run("export --frontier", folder).split(separator: "\n").first { $0.contains("/1\"") }
        }
        let before = try await page()
        _ = try await run("crawl --quiet", folder)
        #expect(try await page() == before)
        let file = folder.url.appending(path: "crawl-config.yaml")
        let configuration = try String(contentsOf: file, encoding: .utf8)
        try folder.write(configuration + "recrawl: { default_interval: 2h }\n", to: "crawl-config.yaml")
        _ = try await run("crawl --quiet", folder)
        #expect(try await page() == before)
    }
}
