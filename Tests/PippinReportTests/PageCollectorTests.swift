import Foundation
import PippinCrawl
import PippinTestSupport
import Testing

@testable import PippinReport

/// Cards get ready in any order, and are written in that of the run.
@Suite struct PageCollectorTests {
    private static func page(_ number: Int) -> NamedCard {
        NamedCard(name: "page\(number)", isFile: true, card: nil, trouble: "it is a test")
    }

    @Test(arguments: [(40, 1_000_000), (40, 10), (1, 10)])
    func `pieces are written in order, however many wait`(count: Int, bytes: Int) async throws {
        let scratch = try ScratchFolder()
        let path = scratch.url.appending(path: "report").path
        let series = CardSeries(.json, failingFrom: .error)
        let collector = PageCollector(
            .file(series, try GrowingFile(path, what: "the report")), failingFrom: .error, accepting: nil)
        try await collector.begin()
        for number in (0..<count).reversed() {
            let piece = "[\(number)," + String(repeating: " ", count: bytes) + "0]"
            try await collector.take(
                Self.page(number), at: number, rendered: piece, baselineName: "page\(number)")
        }
        // Nothing is at the file's place before the end.
        #expect(!FileManager.default.fileExists(atPath: path))
        try await collector.finish()
        let report = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))) as? [String: Any]
        let numbers = (report?["pages"] as? [[Int]])?.map { $0[0] }
        #expect(numbers == Array(0..<count))
        #expect(await collector.index.missingCount == count)
    }

    @Test func `an interrupted run writes what is ready, also beyond a page that is not`() async throws {
        let scratch = try ScratchFolder()
        let path = scratch.url.appending(path: "report").path
        let series = CardSeries(.json, failingFrom: .error)
        let collector = PageCollector(
            .file(series, try GrowingFile(path, what: "the report")), failingFrom: .error, accepting: nil)
        try await collector.begin()
        for number in [4, 0, 2] {
            try await collector.take(Self.page(number), at: number, rendered: "[\(number)]", baselineName: "-")
        }
        try await collector.finish()
        let report = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))) as? [String: Any]
        #expect((report?["pages"] as? [[Int]]) == [[0], [2], [4]])
        #expect(await collector.index.pages.map(\.name) == ["page0", "page2", "page4"])
    }

    @Test func `a report that was never finished leaves nothing`() throws {
        let scratch = try ScratchFolder()
        let path = scratch.url.appending(path: "report").path
        do {
            let file = try GrowingFile(path, what: "the report")
            try file.append([0x41])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).isEmpty)
        // What is no regular file is written to at once.
        let null = try GrowingFile("/dev/null", what: "the report")
        try null.append([0x41])
        try null.finish()
        #expect(throws: OutputError.self) { try GrowingFile("/proc/nothing/report", what: "the report") }
    }
}
