import Foundation
import PippinCrawl
import Testing

@testable import PippinServe

/// What became of a URL, asked of a server whose job has seeds.
@Suite struct WhyAPITests {
    private static let target = "/api/v1/why?url=https://kitchen.test/pie"

    @Test func `the seeds are read again when their file changes, and not for each question`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        let seeds = storage.folder.appending(path: "seeds.txt")
        /// Writes one seed into the same file, with a time.
        @Sendable func write(_ seed: String, at date: Date) throws {
            try Data((seed + "\n").utf8).write(to: seeds)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: seeds.path)
        }
        let (first, second) = (Date(timeIntervalSince1970: 1_700_000_000), Date(timeIntervalSince1970: 1_700_000_100))
        let (seed, other) = ("https://kitchen.test/pie", "https://kitchen.test/jam")
        try write(seed, at: first)
        var settings = WebSettings(storage: storage.folder)
        settings.port = 0
        settings.hasConfiguration = true
        settings.configuration.seedsPath = seeds.path
        try await WebServer(settings).withServer { port in
            let client = WebClient(port: port)
            func isSeed() async throws -> Bool {
                let answer = try await client.get(Self.target)
                #expect(answer.status == 200)
                return answer.body.contains("It is a seed.")
            }
            #expect(try await isSeed())
            // The file seems to be the same.
            try write(other, at: first)
            #expect(try await isSeed())
            try write(other, at: second)
            #expect(try await !isSeed())
            try write(seed, at: first)
            #expect(try await isSeed())
            // What has just been written may change again within the same moment.
            try write(other, at: Date())
            #expect(try await !isSeed())
            try FileManager.default.removeItem(at: seeds)
            #expect(try await !isSeed())
        }
    }
}
