import PippinTestSupport
import Testing

/// What a crawl is for, as the command line says it.
@Suite struct CrawlPurposeTests {
    private static let page = "<!doctype html><title>Pie</title><meta name=robots content=noai><p>Apples."

    @Test func `a page that refuses a purpose has a record for another one only`() async throws {
        let folder = try ScratchFolder()
        let server = try LoopbackServer { request, connection in
            if request.target == "/pie" {
                connection.respond("200 OK", ["Content-Type: text/html"], body: Array(Self.page.utf8))
            } else {
                connection.respond("404 Not Found")
            }
            return .close
        }
        defer { server.stop() }
        func crawl(_ options: String) async throws -> PippinProcess {
            try await PippinProcess.run(
                "pippin crawl \(server.url("/pie")) --allow-private-networks --records all --contact a@example.org "
                    + "--log log.jsonl \(options)", in: folder.url)
        }
        for options in ["", "--purpose search"] {
            let found = try await crawl(options)
            #expect(found.status == 0 && found.output.contains(server.url("/pie")), "\(options): \(found.errors)")
        }
        for purpose in ["answers", "training"] {
            let refused = try await crawl("--purpose \(purpose)")
            #expect(!refused.output.contains("\"uniqueIdentifier\""), "\(refused.output)")
            let log = try String(contentsOf: folder.url.appending(path: "log.jsonl"), encoding: .utf8)
            #expect(log.contains("use-refused"), "\(log)")
        }
        let wrong = try await crawl("--purpose mining")
        #expect(wrong.status == 2 && wrong.errors.contains("search") && wrong.errors.contains("training"))
    }
}
