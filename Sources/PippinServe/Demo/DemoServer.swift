import Foundation
import Hummingbird
import Logging
import NIOCore
import PippinCrawl
import PippinPage
import Synchronization

/// Serves the demo site on loopback: all hosts on one HTTPS port, distinguished by name, and a plain http port that redirects there,
/// except for pages that the site serves without TLS.
public struct DemoServer: Sendable {
    private let site: LiveSite
    private let certificates: DemoCertificates
    private let requestedPorts: DemoPorts
    private let bot: DemoBot?

    /// - Parameters:
    ///   - ports: the ports to listen on; 0 takes a free one.
    ///   - bot: the bot that the site knows.
    public init(site: DemoSite, certificates: DemoCertificates, ports: DemoPorts, bot: DemoBot? = nil) {
        self.site = LiveSite(site)
        self.bot = bot
        self.certificates = certificates
        requestedPorts = ports
    }

    /// Serves while `body` runs. `body` gets the ports when both listen.
    ///
    /// - Throws: `ReportedFailure` if a port is in use, and the errors of `body`.
    public func withServer<Answer: Sendable>(_ body: @escaping @Sendable (DemoPorts) async throws -> Answer)
        async throws -> Answer
    {
        let ports = Mutex(requestedPorts)
        let box = PortBox(ports)
        var logger = Logger(label: "pippin.demo")
        // Connections that break at the end of a demo need no message.
        logger.logLevel = .critical
        let (started, continuation) = AsyncStream<Listening>.makeStream()
        let site = self.site
        let bot = self.bot

        let tls = try TLSContext(certificate: certificates.certificate.path, key: certificates.key.path)
        let secure = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in
                try await Self.response(to: request, from: site, ports: box.value, bot: bot)
            },
            server: .secure(tls),
            configuration: .init(address: .hostname("127.0.0.1", port: requestedPorts.secure), serverName: nil),
            onServerRunning: { continuation.yield(.secure($0.localAddress?.port ?? 0)) }, logger: logger)
        let plain = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in
                let isServedPlain = site.now(host: Self.host(of: request)) {
                    $0.isServedPlain(host: Self.host(of: request), path: request.uri.path)
                }
                if case .success(true) = isServedPlain {
                    return try await Self.response(to: request, from: site, ports: box.value, bot: nil)
                }
                let target = "https://\(Self.host(of: request)):\(box.value.secure)\(request.uri.string)"
                return Response(status: .permanentRedirect, headers: [.location: target])
            },
            configuration: .init(address: .hostname("127.0.0.1", port: requestedPorts.plain), serverName: nil),
            onServerRunning: { continuation.yield(.plain($0.localAddress?.port ?? 0)) }, logger: logger)

        func server(_ application: any ApplicationProtocol, flag: String, port: Int) -> RunningServer {
            RunningServer(application: application) {
                "the demo site cannot be served on port \(port): \($0); give another with \(flag)"
            }
        }
        let servers = [
            server(secure, flag: "--port", port: requestedPorts.secure),
            server(plain, flag: "--http-port", port: requestedPorts.plain),
        ]
        return try await RunningServer.run(servers) {
            var missing = 2
            for await listening in started {
                box.set(listening)
                missing -= 1
                if missing == 0 { break }
            }
            guard missing == 0 else { throw CancellationError() }
            return try await body(box.value)
        }
    }

    /// The site. Its files are read again when they have changed, so edits appear at the next request.
    private final class LiveSite: Sendable {
        private let site: Mutex<DemoSite>

        init(_ site: DemoSite) { self.site = Mutex(site) }

        /// Calls `body` with the present site.
        ///
        /// - Returns: a failure if changed files cannot be read.
        func now<Answer>(host: String, _ body: (DemoSite) throws -> Answer) -> Result<Answer, any Error> {
            Result {
                let current = try site.withLock { site in
                    try site.refresh(host: host)
                    return site
                }
                return try body(current)
            }
        }
    }

    private enum Listening: Sendable {
        case secure(Int)
        case plain(Int)
    }

    /// The ports. They are known when the sockets are bound, and every request reads them.
    private final class PortBox: Sendable {
        private let ports: Mutex<DemoPorts>

        init(_ ports: consuming sending Mutex<DemoPorts>) {
            self.ports = ports
        }

        var value: DemoPorts { ports.withLock { $0 } }

        func set(_ listening: Listening) {
            ports.withLock {
                switch listening {
                case .secure(let port): $0.secure = port
                case .plain(let port): $0.plain = port
                }
            }
        }
    }

    private static func host(of request: Request) -> String {
        let authority = request.head.authority ?? ""
        return authority.split(separator: ":").first.map { $0.lowercased() } ?? ""
    }

    /// The message whose signature is verified.
    private static func message(_ request: Request) -> SignedMessage? {
        guard let url = WebURL("https://\(request.head.authority ?? "")\(request.uri.string)") else { return nil }
        return SignedMessage(
            url: url, method: request.method.rawValue,
            fields: HTTPHeaders(request.headers.map { (name: $0.name.rawName, value: $0.value) }))
    }

    /// - Parameter bot: the bot that is known; nil if none is, and over plain http.
    private static func response(
        to request: Request, from site: LiveSite, ports: DemoPorts, bot: DemoBot?
    ) async throws -> Response {
        let (host, path) = (host(of: request), request.uri.path)
        let answer = site.now(host: host) { site in
            if let bot, host == DemoSite.localName(of: DemoBot.host),
                path == CrawlConfiguration.Agent.Signing.directoryPath
            {
                return try bot.directoryReply(ports, at: Date())
            }
            if site.isForSigned(host: host, path: path) {
                guard let bot, let message = message(request) else {
                    return DemoSite.Reply(status: 403, headers: [], body: Array("No bot is known here.\n".utf8))
                }
                if let refusal = try bot.refusal(of: message, at: Date()) { return refusal }
            }
            return site.reply(host: host, path: path, ports: ports, ifNoneMatch: request.headers[.ifNoneMatch])
        }
        let reply =
            switch answer {
            case .success(let reply): reply
            case .failure(let trouble): DemoSite.Reply(status: 500, headers: [], body: Array("\(trouble)\n".utf8))
            }
        // Slow pages are part of the demo.
        if reply.delay > .zero { try await Task.sleep(for: reply.delay) }
        var headers = HTTPFields()
        for (name, value) in reply.headers {
            if let field = HTTPFields.Element.Name(name) { headers.append(.init(name: field, value: value)) }
        }
        return Response(
            status: .init(code: reply.status), headers: headers,
            body: request.method == .head ? .init() : .init(byteBuffer: ByteBuffer(bytes: reply.body)))
    }
}
