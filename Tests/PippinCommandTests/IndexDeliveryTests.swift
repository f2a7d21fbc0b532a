import Foundation
import PippinTestSupport
import Testing

/// A job with `output.opensearch`, as it is run by hand or by a timer.
@Suite struct IndexDeliveryTests {
    private let site: ChangingSite
    private let titles = Dictionary(uniqueKeysWithValues: (1...30).map { ($0, "page \($0)") })

    init() throws {
        site = try ChangingSite()
        site.show(titles, linking: titles.keys)
    }

    private func writeJob(in folder: borrowing ScratchFolder, index: String) throws {
        try site.writeJob(
            in: folder,
            output: "opensearch: { url: \"\(index)\", index: pages, give_up_after: 100ms, batch_records: 7 }")
    }

    private func crawl(_ folder: borrowing ScratchFolder, _ options: String = "") async throws -> PippinProcess {
        try await PippinProcess.run("pippin crawl \(options)", in: folder.url)
    }

    @Test func `an index that is out of order ends the run with 6, and the next run delivers everything`() async throws
    {
        let folder = try ScratchFolder()
        let index = try BulkIndexServer(Array(repeating: .status("503 Service Unavailable"), count: 100))
        try writeJob(in: folder, index: index.url)
        let down = try await crawl(folder)
        #expect(down.status == 6, "\(down.errors)")
        #expect(
            down.errors.contains(
                "pippin: the search index takes no records for too long: it answers with status 503"),
            "\(down.errors)")
        #expect(down.errors.contains("Search index: 0 records, 0 deletions"), "\(down.errors)")
        #expect(index.documents.isEmpty)

        index.withState { $0.behaviors = [] }
        let up = try await crawl(folder)
        #expect(up.status == 0, "\(up.errors)")
        let expected = (["/"] + titles.keys.map { "/\($0)" }).map { site.url($0) }.sorted()
        #expect(index.documents == expected && index.faults == [])
        let lines = try String(contentsOf: folder.url.appending(path: "records.ndjson"), encoding: .utf8)
        // The end of the first run has given popularity to records that were written before, and the index has it too.
        // Of a record that was delivered after that, it came with it.
        let ranked = Set(
            lines.split(separator: "\n").filter {
                $0.contains(/^{"uniqueIdentifier":"[^"]*","popularity":0[.0-9]*}$/)
                    || $0.contains(#""popularity":"link-graph""#)
            }.compactMap { $0.firstMatch(of: /"uniqueIdentifier":"([^"]*)"/)?.1 })
        let rankedInIndex = index.withState {
            $0.documents.values.count { $0?.contains(#""popularity":"link-graph""#) == true }
        }
        #expect(
            ranked.count >= expected.count - 1 && rankedInIndex >= expected.count - 1,
            "\(ranked.count) \(rankedInIndex)")

        // A page goes and one changes: the index hears of these two.
        var later = titles
        later[1] = nil
        later[2] = "other"
        site.show(later, linking: titles.keys)
        try ChangingSite.letTimePass(in: folder.url)
        let third = try await crawl(folder)
        #expect(third.status == 0 && third.errors.contains("Search index: 1 record, 1 deletion"), "\(third.errors)")
        #expect(index.documents == expected.filter { $0 != site.url("/1") })
    }

    @Test func `Ctrl-C is obeyed while records wait for an index, and the next run delivers them`() async throws {
        let folder = try ScratchFolder()
        let index = try BulkIndexServer(Array(repeating: .status("503 Service Unavailable"), count: 10_000))
        try site.writeJob(in: folder, output: "opensearch: { url: \"\(index.url)\", index: pages, give_up_after: 10m }")
        // The crawl has ended when all records stand in the job's file.
        let run = try await PippinProcess.run(
            """
            pippin crawl & job=$!
            for i in $(seq 3000); do [ "$(wc -l < records.ndjson)" -ge 31 ] && break; sleep 0.1; done
            for i in $(seq 100); do kill -INT $job || break; sleep 3; done
            wait $job
            """, in: folder.url)
        #expect(run.status == 5, "\(run.status) \(run.errors)")
        #expect(index.documents.isEmpty)

        index.withState { $0.behaviors = [] }
        let next = try await crawl(folder)
        #expect(next.status == 0 && index.documents.count == 31 && index.faults == [], "\(next.errors)")
    }

    @Test func `credentials that are not there are a fault of the configuration`() async throws {
        let folder = try ScratchFolder()
        try site.writeJob(
            in: folder,
            output: "opensearch: { url: \"https://127.0.0.1:9\", index: pages, auth_env: PIPPIN_NOT_SET }")
        let run = try await crawl(folder)
        #expect(run.status == 2 && run.errors.contains("PIPPIN_NOT_SET"), "\(run.errors)")
    }

    @Test func `where nothing listens the error says so`() async throws {
        let folder = try ScratchFolder()
        let port = try LoopbackServer.freePort()
        try writeJob(in: folder, index: "http://127.0.0.1:\(port)")
        let run = try await crawl(folder)
        #expect(run.status == 6, "\(run.errors)")
        #expect(run.errors.contains("127.0.0.1 port \(port)"), "\(run.errors)")
    }

    @Test func `a record that the index refuses is told, also with --quiet, and the run is none the worse`()
        async throws
    {
        let folder = try ScratchFolder()
        let index = try BulkIndexServer()
        try writeJob(in: folder, index: index.url)
        var some = titles
        some[7] = "unfit"
        site.show(some, linking: titles.keys)
        let run = try await crawl(folder, "--quiet")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("the search index refuses \(site.url("/7")) with status 400"), "\(run.errors)")
        // The end of the run delivers popularities.
        #expect(run.errors.contains(" records, 0 deletions, ") && run.errors.contains(" refused"), "\(run.errors)")
        #expect(index.documents.count == 30 && index.faults == [])
    }

    @Test func `a one-off crawl feeds the index as well`() async throws {
        let folder = try ScratchFolder()
        let index = try BulkIndexServer()
        try writeJob(in: folder, index: index.url)
        let run = try await crawl(folder, "--config crawl-config.yaml \(site.url("/"))")
        #expect(run.status == 0, "\(run.errors)")
        #expect(index.documents.count == 31 && index.faults == [])
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "storage").path))
    }
}
