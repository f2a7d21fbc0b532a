import Hummingbird
import Logging
import NIOCore
import PippinCrawl
import PippinPage
import PippinStore

// The server of pages and API:
//
//     connection ─► ConnectionGuard: pace ─► RequestGuard: size, host, origin ─► token ─► WebRoutes ─► handler
//                                                                                             │
//                                               WebAnswer, or WebRefusal as page or JSON ◄────┘

/// Serves search, records and the state of a crawl in a browser, and an API for programs.
public struct WebServer: Sendable {
    private let settings: WebSettings
    let context: WebContext
    private let routes: WebRoutes
    private let requests: RequestGuard

    /// - Throws: `ReportedFailure` for an address beyond this machine without a token and for a proxy that is no IP address, and
    ///   `StorageError` if there is no storage.
    public init(_ settings: WebSettings) throws {
        // Sites that tell of changes prove it with a key of their own.
        guard settings.token != nil || settings.pings != nil || RequestGuard.isLoopback(settings.host) else {
            throw ReportedFailure(
                "--host \(settings.host) can be reached from other machines: give a token with --token-file FILE or "
                    + "PIPPIN_TOKEN, or leave out --host", .usage)
        }
        guard settings.token != nil || settings.keys == nil else {
            throw ReportedFailure(
                "--keys-file says who may only search, and without a token all may do everything: give one with --token-file "
                    + "FILE or PIPPIN_TOKEN", .usage)
        }
        self.settings = settings
        routes = WebRoutes(settings.pings == nil ? WebRoutes.all : WebRoutes.ofPings)
        context = try WebContext(settings)
        requests = RequestGuard(host: settings.host, names: settings.names)
    }

    /// Serves while `body` runs, and then until the requests in flight are answered, five seconds at most. `body` gets the port.
    ///
    /// - Throws: `ReportedFailure` if the port is in use, and the errors of `body`.
    public func withServer<Answer: Sendable>(_ body: @escaping @Sendable (Int) async throws -> Answer)
        async throws -> Answer
    {
        var logger = Logger(label: "pippin.serve")
        // Connections that break need no message.
        logger.logLevel = .critical
        let (started, continuation) = AsyncStream<Int>.makeStream()
        let (settings, context) = (settings, context)
        let application = Application(
            responder: CallbackResponder { (request: Request, exchange: WebExchange) in
                await respond(to: request, exchange)
            },
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [ConnectionGuard(context.connections, settings.connections)],
                    // A little more than `RequestGuard` admits, which answers with a sentence.
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 4 * WebLimits.headerBytes, maxHeaderListSize: 4 * WebLimits.headerBytes,
                        maxHeaderFieldCount: 2 * WebLimits.headerFields))),
            configuration: .init(
                address: .hostname(settings.host, port: settings.port), serverName: nil),
            onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let server = RunningServer(application: application) {
            "\(settings.program) cannot listen on \(settings.host) port \(settings.port): \($0); give another with --port or --host"
        }
        return try await RunningServer.run([server]) {
            async let _ = context.keepUp()
            for await port in started { return try await body(port) }
            throw CancellationError()
        }
    }

    // MARK: One request

    private static let forwardedFor = HTTPField.Name("X-Forwarded-For")

    private func respond(to request: Request, _ exchange: WebExchange) async -> Response {
        let path = request.uri.path
        let origin = settings.allowedOrigins.origin(of: request.head, path: path)
        var label = "other"
        var answer: WebAnswer
        do {
            try requests.check(request.head)
            if origin != nil, let preflight = AllowedOrigins.preflight(request.head, methods: routes.methods(path)) {
                label = path
                answer = preflight
            } else {
                let route = try routes.route(request.method, path)
                label = route.path
                let client = context.clients.client(
                    of: exchange.channel.remoteAddress,
                    forwardedFor: Self.forwardedFor.map { request.headers[values: $0] } ?? [])
                answer = try await WebContext.$client.withValue(client) {
                    try await answerWhileWanted(route, request, origin, exchange.channel)
                }
            }
        } catch {
            answer = self.answer(context.refusal(for: error), path: path)
        }
        let response = await response(answer, to: request, origin)
        context.metrics.count(route: label, status: response.status.code)
        return response
    }

    /// The answer of a route. If the client goes away, work that costs others something ends.
    private func answerWhileWanted(
        _ route: WebRoute, _ request: Request, _ origin: String?, _ channel: any Channel
    ) async throws -> WebAnswer {
        guard route.endsWithClient else { return try await answer(route, request, origin) }
        let work = Task { try await answer(route, request, origin) }
        context.connections.whenAbandoned(channel) { work.cancel() }
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    }

    /// - Parameter origin: that of a page of another site, if it may use the API.
    private func answer(_ route: WebRoute, _ request: Request, _ origin: String?) async throws -> WebAnswer {
        var fields: [String: String] = [:]
        for field in request.headers {
            let name = field.name.canonicalName
            // Cookies may come in several fields (RFC 9113 §8.2.3).
            if name == "cookie", let others = fields[name] {
                fields[name] = "\(others); \(field.value)"
            } else if name.hasPrefix("mcp-"), let others = fields[name] {
                // Whoever routes by them may take the first or the last, so two are none (RFC 9110 §5.2).
                fields[name] = "\(others), \(field.value)"
            } else if fields[name] == nil {
                fields[name] = field.value
            }
        }
        // Pages of other origins of the same site could use this one's sign-in.
        if origin != nil { fields["cookie"] = nil }
        let access = route.isOpen ? .everything : try access(route, request, fields)
        if route.method == .post, origin == nil { try requests.checkOrigin(request.head, fields) }
        var body: [UInt8] = []
        if route.method == .post { body = try await self.body(of: request, maximumBytes: route.maximumBodyBytes) }
        let read = WebRequest(
            method: route.method, path: route.path, query: try WebQuery(formEncoded: request.uri.query ?? ""),
            fields: fields, body: body, access: access)
        if let operation = route.operation { try operation.check(read) }
        return try await route.answer(read, context)
    }

    /// What whoever asks may do.
    ///
    /// - Throws: `WebRefusal` if they may not use the route.
    private func access(
        _ route: WebRoute, _ request: Request, _ fields: [String: String]
    ) throws(WebRefusal) -> WebAccess {
        switch try context.access(fields) {
        case .everything: return .everything
        case .search(let restriction) where route.isForSearchKeys: return .search(restriction)
        case .search: throw WebRefusal(.forbidden, WebAccess.searchOnly)
        case nil:
            throw WebRefusal(
                .unauthorized, "A token is needed. Programs send it in Authorization: Bearer.",
                fields: [(.wwwAuthenticate, "Bearer realm=\"pippin\"")],
                wanted: route.method == .get ? request.uri.path + (request.uri.query.map { "?\($0)" } ?? "") : nil)
        }
    }

    private func body(of request: Request, maximumBytes: Int) async throws -> [UInt8] {
        let refusal = WebRefusal(.contentTooLarge, "The body is larger than \(maximumBytes) bytes.")
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > maximumBytes {
            throw refusal
        }
        var bytes: [UInt8] = []
        for try await buffer in request.body {
            guard bytes.count + buffer.readableBytes <= maximumBytes else { throw refusal }
            bytes += buffer.readableBytesView
        }
        return bytes
    }

    private func answer(_ refusal: WebRefusal, path: String) -> WebAnswer {
        switch routes.form(of: path) {
        case .json, .protocolOfItsOwn: return refusal.problem
        case .page:
            var answer = ServerPages.refusal(refusal)
            answer.fields += refusal.fields
            return answer
        }
    }

    /// - Parameter origin: as `answer` takes it.
    private func response(_ answer: WebAnswer, to request: Request, _ origin: String?) async -> Response {
        let isHead = request.method == .head
        var headers = HTTPFields()
        for field in SecurityFields.all { headers[field.name] = field.value }
        if let type = answer.type { headers[.contentType] = type }
        headers[.cacheControl] = "private, no-cache"
        for field in answer.fields { headers[field.name] = field.value }
        for field in origin.map(AllowedOrigins.fields) ?? [] { headers[field.name] = field.value }
        let mayBeCompressed = answer.mayBeCompressed && ContentCoding.compresses(answer.type)
        let varies =
            (mayBeCompressed ? ["Accept-Encoding"] : [])
            + (!settings.allowedOrigins.isEmpty && AllowedOrigins.concern(request.uri.path) ? ["Origin"] : [])
        if !varies.isEmpty { headers[.vary] = varies.joined(separator: ", ") }
        var (status, bytes) = (answer.status, answer.body)
        var isGzip =
            mayBeCompressed && bytes.count >= WebLimits.leastCompressedBytes
            && ContentCoding.acceptsGzip(request.headers[.acceptEncoding])
        if status == .ok, isHead || request.method == .get {
            let tag = ContentCoding.tag(of: bytes, isGzip: isGzip)
            headers[.eTag] = tag
            if ContentCoding.matches(tag, request.headers[.ifNoneMatch]) {
                (status, bytes, isGzip) = (.notModified, [], false)
                headers[.contentType] = nil
            }
        }
        if isGzip {
            let packed = await packed(bytes)
            headers[.contentEncoding] = packed.map { _ in "gzip" }
            // It would be that of other bytes.
            if packed == nil { headers[.eTag] = nil }
            bytes = packed ?? bytes
        }
        let body = ByteBuffer(bytes: bytes)
        headers[.contentLength] = "\(body.readableBytes)"
        // What is left of a body that was not read would be taken for the next request.
        if status == .contentTooLarge { headers[.connection] = "close" }
        return Response(
            status: status, headers: headers,
            body: ResponseBody(contentLength: body.readableBytes) { writer in
                if !isHead, body.readableBytes > 0 { try await writer.write(body) }
                try await writer.finish(nil)
            })
    }

    /// Bytes in gzip's format; nil if there is no memory for them.
    private func packed(_ bytes: [UInt8]) async -> [UInt8]? {
        guard bytes.count > WebLimits.quicklyCompressedBytes else { return DeflatedBytes.gzip(bytes) }
        do {
            return try await context.blocking { DeflatedBytes.gzip(bytes) }
        } catch {
            context.report(error)
            return nil
        }
    }
}

/// A request's connection.
struct WebExchange: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
