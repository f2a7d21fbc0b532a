import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// `pippin forget` on a storage, as an operator runs it.
@Suite(.slow) struct ForgetCommandTests {
    @Test func `it says what would go, forgets it, and says that it may come back`() async throws {
        let scratch = try ScratchFolder()
        let place = scratch.url
        let folder = place.appending(path: "job")
        func run(_ line: String) async throws -> PippinProcess {
            try await PippinProcess.run("pippin forget --storage job " + line, in: place)
        }
        do {
            let storage = try CrawlStorage(folder: folder)
            let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl())
            _ = try await frontier.add(
                ["https://a.test/1", "https://a.test/2", "https://b.test/"].compactMap { WebURL($0) }.map {
                    CrawlRequest(seed: Seed(url: $0))
                })
            // While a run holds it, only looking is allowed.
            #expect(try await run("a.test").status == ExitStatus.held.rawValue)
            try await frontier.close(keeping: [])
        }
        let dry = try await run("--dry-run a.test")
        #expect(dry.status == 0 && dry.output == "{\"urls\":2,\"records\":0}\n")
        let done = try await run("'https://a.test/*'")
        #expect(done.status == 0 && done.output == dry.output)
        #expect(done.errors.contains("scope.exclude") && done.errors.contains("Archives"))
        let again = try await run("a.test")
        #expect(again.status == ExitStatus.findings.rawValue && again.output == "{\"urls\":0,\"records\":0}\n")
        #expect(try StorageStatus(StorageReader(folder: folder)).known == 1)
        #expect(try await run("a.test/1").status == ExitStatus.usage.rawValue)
        let none = try await PippinProcess.run("pippin forget --storage none a.test", in: place)
        #expect(none.status == ExitStatus.outputFailed.rawValue)
        #expect(!FileManager.default.fileExists(atPath: place.appending(path: "none").path))
        withExtendedLifetime(scratch) {}
    }

    /// A file system that does not let go of a folder: something else is mounted there, or has its files open.
    @Test func `thumbnails that cannot be removed are told, and the text leaves the index even so`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url.appending(path: "job")
        do {
            let storage = try CrawlStorage(folder: folder)
            let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl())
            let url = try #require(WebURL("https://a.test/1"))
            var record = DeepLinkRecord(
                uniqueIdentifier: url.href, domainIdentifier: "a.test", url: url.href, fetchedAt: Date(),
                contentHash: "1")
            record.title = "Secret"
            var visit = FinishedVisit(
                request: CrawlRequest(seed: Seed(url: url)), outcome: .recorded, finishedAt: Date(),
                next: RecrawlPolicy.Next(wait: .seconds(86_400)), changes: [.upsert(RecordDocument(record))])
            visit.recordIdentifier = url.href
            _ = try await frontier.finish(visit)
            try await frontier.close(keeping: [])
        }
        try SearchIndexer(folder: folder).catchUp()
        #expect(try SearchIndex(folder: folder).standing().documents == 1)
        try scratch.write("a picture", to: "job/thumbnails/a.webp")
        // Nobody may remove the folder of a mount, root neither.
        let run = try await PippinProcess.run(
            "unshare -rm sh -c 'mount -t tmpfs none job/thumbnails && exec pippin forget a.test --storage job'",
            in: scratch.url)
        #expect(run.output == "{\"urls\":1,\"records\":1}\n", "\(run.errors)")
        #expect(run.status == ExitStatus.outputFailed.rawValue, "\(run.errors)")
        #expect(run.errors.contains("/thumbnails: it cannot be removed"), "\(run.errors)")
        #expect(try SearchIndex(folder: folder).standing().documents == 0)
        // The same command goes on.
        let again = try await PippinProcess.run("pippin forget a.test --storage job", in: scratch.url)
        #expect(again.status == ExitStatus.findings.rawValue, "\(again.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "thumbnails").path))
    }
}
