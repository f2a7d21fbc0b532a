import Foundation
import FoundationNetworking
import PippinCrawl
import Testing

@testable import PippinServe

@Suite struct MetricsServerTests {
    private func get(_ path: String, port: Int) async throws -> (status: Int, type: String, body: String) {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)\(path)"))
        return try await withCheckedThrowingContinuation { continuation in
            URLSession.shared.dataTask(with: url) { data, response, error in
                guard let response = response as? HTTPURLResponse, let data else {
                    return continuation.resume(throwing: error ?? CancellationError())
                }
                continuation.resume(
                    returning: (
                        response.statusCode, response.value(forHTTPHeaderField: "Content-Type") ?? "",
                        String(decoding: data, as: UTF8.self)
                    ))
            }.resume()
        }
    }

    @Test func `metrics are made anew for each request, while the body runs`() async throws {
        let answer = try await MetricsServer(port: 0, text: { "pippin_x 1\n" }).withServer { port in
            let metrics = try await get("/metrics", port: port)
            #expect(metrics.status == 200)
            #expect(metrics.type == "text/plain; version=0.0.4; charset=utf-8")
            #expect(metrics.body == "pippin_x 1\n")
            #expect(try await get("/healthz", port: port).body == "ok\n")
            #expect(try await get("/", port: port).status == 404)
            return port
        }
        #expect(answer > 0)
    }

    @Test func `a port that is taken is an error that names it`() async throws {
        try await MetricsServer(port: 0, text: { "" }).withServer { port in
            let error = await #expect(throws: ReportedFailure.self) {
                try await MetricsServer(port: port, text: { "" }).withServer { _ in }
            }
            #expect(error?.description.contains("\(port)") == true)
        }
    }
}
