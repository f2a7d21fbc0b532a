import Hummingbird
import Logging
import NIOCore
import PippinCrawl

/// Serves the counters of a running crawl to Prometheus at `/metrics`, only on this machine. `/healthz` shows that it is
/// alive.
public struct MetricsServer: Sendable {
    private let port: Int
    private let text: @Sendable () -> String

    /// - Parameters:
    ///   - port: the port to listen on; 0 takes a free one.
    ///   - text: returns the metrics in Prometheus' format. Called for every request.
    public init(port: Int, text: @escaping @Sendable () -> String) {
        self.port = port
        self.text = text
    }

    /// Serves while `body` runs. `body` gets the port.
    ///
    /// - Throws: `ReportedFailure` if the port is in use, and the errors of `body`.
    public func withServer<Answer: Sendable>(_ body: @escaping @Sendable (Int) async throws -> Answer)
        async throws -> Answer
    {
        var logger = Logger(label: "pippin.metrics")
        // Connections that break at the end of a crawl need no message.
        logger.logLevel = .critical
        let (started, continuation) = AsyncStream<Int>.makeStream()
        let text = text
        let application = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in
                Self.response(to: request, text: text)
            },
            configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let server = RunningServer(application: application) {
            "metrics cannot be served on port \(port): \($0); give another with output.metrics_port (--metrics-port)"
        }
        return try await RunningServer.run([server]) {
            for await port in started { return try await body(port) }
            throw CancellationError()
        }
    }

    private static func response(to request: Request, text: @Sendable () -> String) -> Response {
        guard request.method == .get || request.method == .head else { return Response(status: .methodNotAllowed) }
        switch request.uri.path {
        case "/metrics": return plain(text(), type: PrometheusText.contentType)
        case "/healthz": return plain("ok\n", type: "text/plain; charset=utf-8")
        default: return Response(status: .notFound)
        }
    }

    private static func plain(_ text: String, type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
