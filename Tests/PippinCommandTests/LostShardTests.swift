import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// A worker whose storage is new, and whose shard has told records before.
@Suite(.ends) struct LostShardTests {
    /// What the last line of each identifier says, without moments.
    private static func timeless(_ json: String) -> String {
        json.replacing(/"(fetchedAt|since|at)":"[^"]*"/) { "\"\($0.1)\"" }
            .replacing(/,"popularity":("link-graph"|[0-9.]+)/, with: "")
    }

    private static func last(_ lines: [WorkerRun.Line]) -> [String: String] {
        let told = lines.filter { $0.kind == "record" || $0.kind == "deletion" }.sorted { $0.sequence < $1.sequence }
        return Dictionary(told.map { ($0.key, timeless($0.json)) }) { $1 }
    }

    /// Seven pages, which are there in the first turn.
    private func show(_ site: ChangingSite) {
        site.show(Dictionary(uniqueKeysWithValues: (1...7).map { ($0, "Page \($0)") }), linking: 1...7)
    }

    /// What becomes of them: the same, changed, gone, noindex, moved, linked by nobody, broken for a time.
    private func change(_ site: ChangingSite) {
        site.show(
            [1: "Page 1", 2: "Another page 2", 3: "Page 3", 4: "Page 4", 5: "Page 5", 6: "Page 6", 7: "Page 7"],
            linking: 1...5)
        site.add("/30", "<title>Page 30</title><p>Moved here")
        site.answer("/3", "410 Gone")
        site.add("/4", "<title>Page 4</title><meta name=robots content=noindex>")
        site.answer("/5", "301 Moved Permanently", ["Location: /30"])
        site.answer("/7", "500 Internal Server Error")
    }

    @Test(.slow) func `after the loss of its disk a shard finds out what became of what it told`() async throws {
        let folder = try ScratchFolder()
        let one = try ChangingSite()
        try one.writeJob(in: folder)
        try folder.write(
            String(contentsOf: folder.url.appending(path: "crawl-config.yaml"), encoding: .utf8), to: "config.yaml")
        show(one)
        for _ in 1...2 {
            let run = try await PippinProcess.run("pippin crawl --quiet", in: folder.url)
            #expect(run.status == 0, "\(run.errors)")
            try ChangingSite.letTimePass(in: folder.url)
            change(one)
        }
        var expected: [String: String] = [:]
        for line in try String(contentsOf: folder.url.appending(path: "records.ndjson"), encoding: .utf8).split(
            separator: "\n")
        {
            var parser = JSONParser()
            let record = try parser.parse(String(line))
            // A popularity alone: what is compared has none.
            if record["schemaVersion"] == nil, record["deleted"] == nil { continue }
            expected[record["uniqueIdentifier"]?.string ?? ""] = Self.timeless(String(line))
        }
        #expect(expected.count == 9 && expected.values.count { $0.contains("\"deleted\":true") } == 3)

        let site = try ChangingSite()
        try site.writeJob(in: folder)
        show(site)
        let first = try WorkerRun(folder.url, storage: "s", lines: [WorkerRun.begin(0, of: 1), WorkerRun.end])
        #expect(try await first.status() == 0, "\(first.errors)")
        let before = try #require(try first.told()).lines.filter { $0.kind == "record" }
        #expect(before.count == 8)
        try FileManager.default.removeItem(at: folder.url.appending(path: "s"))
        change(site)
        let records = before.map { #"{"type":"record","key":"\#($0.key)","record":\#($0.json)}"# }
        // One line comes twice.
        let lines = [WorkerRun.begin(0, of: 1, epoch: 2)] + records + records.prefix(1) + [WorkerRun.end]
        let second = try WorkerRun(folder.url, storage: "s", lines: lines)
        #expect(try await second.status() == 0, "\(second.errors)")
        let told = try #require(try second.told())
        #expect(told.done["received"]?["records"]?.integer == 8)
        var now = Self.last(before)
        now.merge(Self.last(told.lines)) { $1 }
        let ports = [one.url(""), site.url("")]
        func comparable(_ lines: [String: String]) -> [String: String] {
            Dictionary(
                uniqueKeysWithValues: lines.map { key, line in
                    func plain(_ text: String) -> String {
                        ports.reduce(text) { $0.replacingOccurrences(of: $1, with: "http://site") }
                    }
                    return (plain(key), plain(line))
                })
        }
        #expect(comparable(now) == comparable(expected))

        // The same input in a second try changes nothing.
        let again = try WorkerRun(folder.url, storage: "s", lines: lines)
        #expect(try await again.status() == 0, "\(again.errors)")
        let repeated = try #require(try again.told())
        #expect(repeated.done["received"]?["records"]?.integer == 0)
        #expect(Self.last(repeated.lines) == Self.last(told.lines))
    }
}
