import Foundation
import PippinCrawl
import PippinPage

/// The requests of one page. None reaches the network: each gets a reply of ours, at once or when the loader has answered.
struct PageRequests {
    /// What the browser gets.
    enum Reply {
        case answer([(String, String)], [UInt8], status: Int)
        case failure(String)
        /// The browser has it already.
        case own

        /// Our rules forbid the request.
        static let blocked = Reply.failure("BlockedByClient")
    }

    private let page: FetchResponse
    private let settings: RenderSettings
    private let load: AsyncStream<(requestID: String, Subresource)>.Continuation
    /// Whether the page's own document was asked for.
    private var hasDocument = false
    /// Requests that wait for the loader, and whether they want no content.
    private var inFlight: [String: Bool] = [:]
    private(set) var listed: [RenderedPage.Request] = []
    var count = 0
    /// Whether styles and pictures are loaded, for a screenshot.
    var loadsLooks = false
    private var loadCount = 0
    private var postCount = 0
    private var frameCount = 0
    /// The bytes that its scripts got.
    private(set) var loadedBytes = 0
    /// Requests that the limits of number and bytes kept from the page.
    private(set) var refusedByLimits = 0

    static let maximumURLBytes = 8_000
    private static let maximumListed = 500

    init(
        of page: FetchResponse, _ settings: RenderSettings,
        _ load: AsyncStream<(requestID: String, Subresource)>.Continuation
    ) {
        (self.page, self.settings, self.load) = (page, settings, load)
    }

    var hasWaiting: Bool { !inFlight.isEmpty }
    /// Whether the page asks for far more than it may.
    var areTooMany: Bool { count > 10 * settings.maximumRequests }

    /// The reply to a request; nil if it has to wait.
    ///
    /// - Parameters:
    ///   - depth: how deep the frame lies from which it comes; 0: it comes from the page itself.
    ///   - isStopped: whether the page's scripts are stopped, because it is read now.
    mutating func reply(to event: JSONValue, id requestID: String, depth: Int, isStopped: Bool) -> Reply? {
        let request = event["request"]
        let address = request?["url"]?.string ?? ""
        let method = request?["method"]?.string ?? ""
        // What is only to be had in advance, and streams that never end, are called like everything else.
        let isInAdvance = Self.field("Sec-Purpose", request) != nil || Self.field("Purpose", request) != nil
        let type = event["resourceType"]?.string ?? ""
        // A redirect, a reload or a download: noted already, and not followed. A failed one would put an error page in the page's
        // place, and the browser keeps commands back while one waits.
        if hasDocument, type == "Document", depth == 0 { return Self.nothing }
        guard !isStopped, !isInAdvance else { return .blocked }
        // 204 ends a stream; after a failure the page would ask again and again.
        // Clients of GraphQL take one as well, at the end of a list.
        if Self.field("Accept", request)?.hasPrefix("text/event-stream") == true { return Self.nothing }
        switch type {
        case "Document" where depth == 0:
            hasDocument = true
            return Self.answer(page.headers, page.body, status: 200, isDocument: true)
        case "Document" where method == "GET" && depth <= PageFrames.maximumDepth: return loadFrame(requestID, address)
        // Without an answer, parts that wait for their style never come.
        case "Stylesheet": return loadsLooks ? load(requestID, address, .style, method, request) : Self.noStyle
        case "Image": return loadsLooks ? load(requestID, address, .image, method, request) : Self.noPicture
        case _ where method == "OPTIONS": return load(requestID, address, .data, method, request)
        // "Other" is the script of a worker.
        case "Script", "Other": return load(requestID, address, .script, method, request)
        case "XHR", "Fetch": return load(requestID, address, .data, method, request)
        default: return .blocked
        }
    }

    /// Loads the document of a frame, if it is of the page's site.
    private mutating func loadFrame(_ requestID: String, _ address: String) -> Reply? {
        guard let url = WebURL(address), address.utf8.count <= Self.maximumURLBytes, url.isHTTP,
            PageFrames.mayBeShown(address, in: page.url)
        else { return .blocked }
        // The page may do without its frames, so this limit does not count against it.
        guard frameCount < PageFrames.maximumDocuments, limit(.get) == nil else {
            return refuse(.frame, RequestFailure(.tooManyFiles(limit: PageFrames.maximumDocuments), asking: url))
        }
        frameCount += 1
        loadCount += 1
        inFlight[requestID] = false
        load.yield((requestID, Subresource(url: url, kind: .frame, fields: .ofDocument)))
        return nil
    }

    private mutating func load(
        _ requestID: String, _ address: String, _ kind: Subresource.Kind, _ method: String, _ request: JSONValue?
    ) -> Reply? {
        guard let url = WebURL(address), address.utf8.count <= Self.maximumURLBytes else { return .blocked }
        // The page's own data. Nothing else needs no network.
        guard url.isHTTP else { return url.scheme == "data" || url.scheme == "blob" ? .own : .blocked }
        let fields = HTTPHeaders(
            (request?["headers"]?.object ?? [:]).map { (name: $0.key, value: $0.value.string ?? "") })
        // Other sites get none of them: they could be its keys.
        let isOwnSite = SiteIdentity.isSameSite(page.url.host, url.host)
        let own = isOwnSite ? ScriptFields(fields.fields.map { ($0.name, $0.value) }) : .none
        let asked: FetchRequest.Method
        switch method {
        // An app that asks with HEAD whether something is there gets the answer to GET without its content.
        case "GET", "HEAD": asked = .get
        case "OPTIONS":
            guard isOwnSite, let question = preflight(fields) else { return Self.preflight(request) }
            asked = question
        case "POST" where kind == .data && isOwnSite && settings.postForReading:
            switch PostForReading.verdict(request, fields, to: url) {
            case .asks(let body): asked = .post(body)
            case .mayChange: return refuse(method: method, kind, request, asking: url)
            case .isHidden: return refuse(method: method, kind, request, asking: url, error: Self.hashesAreNotSupported)
            }
        default: return refuse(method: method, kind, request, asking: url)
        }
        if let cause = limit(asked) {
            refusedByLimits += 1
            return refuse(kind, RequestFailure(cause, asking: url))
        }
        loadCount += 1
        inFlight[requestID] = method == "HEAD"
        let origin = fields["Origin"].flatMap { $0 == url.origin && asked == .get ? nil : $0 }
        let isPreflight = method == "OPTIONS"
        load.yield(
            (
                requestID,
                Subresource(url: url, kind: kind, origin: origin, method: asked, fields: isPreflight ? .none : own)
            ))
        return nil
    }

    /// The limit that keeps a request from the page; nil if it may be made. One with POST counts against its own limit, too.
    private mutating func limit(_ method: FetchRequest.Method) -> RequestFailure.Cause? {
        guard loadCount < settings.maximumRequests else { return .tooManyFiles(limit: settings.maximumRequests) }
        guard loadedBytes < settings.maximumBytes else { return .filesTooLarge }
        guard case .post = method else { return nil }
        postCount += 1
        return postCount > PostForReading.maximumCount ? .tooManyFiles(limit: PostForReading.maximumCount) : nil
    }

    /// What the server is asked before a request to another origin of the page's site; nil if the request will be one that needs no
    /// question as we make it, or that we do not make.
    private func preflight(_ fields: HTTPHeaders) -> FetchRequest.Method? {
        guard let method = fields["Access-Control-Request-Method"] else { return nil }
        let names = fields["Access-Control-Request-Headers"]
        let own = (names ?? "").split(separator: ",").contains {
            ScriptFields.mayBeSet($0.trimmingCharacters(in: .whitespaces))
        }
        guard method == "POST" ? settings.postForReading : own && (method == "GET" || method == "HEAD") else {
            return nil
        }
        return .preflight(of: method, fields: names)
    }

    private mutating func refuse(
        method: String, _ kind: Subresource.Kind, _ request: JSONValue?, asking url: WebURL,
        error: JSONValue = ["message": "Method Not Allowed"]
    ) -> Reply {
        note(
            RenderedPage.Request(
                url: url.href, kind: kind,
                result: .failed(RequestFailure(.method(String(method.prefix(20))), asking: url))))
        return Self.notAllowed(request, error)
    }

    private mutating func refuse(_ kind: Subresource.Kind, _ failure: RequestFailure) -> Reply {
        note(RenderedPage.Request(url: failure.url.href, kind: kind, result: .failed(failure)))
        return .blocked
    }

    /// The reply to a request that the loader has answered; nil if it does not wait any more.
    mutating func reply(to request: Subresource, id requestID: String, _ answer: SubresourceAnswer) -> Reply? {
        guard let isHead = inFlight.removeValue(forKey: requestID) else { return nil }
        let result: RenderedPage.Request.Result
        let reply: Reply
        switch answer {
        case .response(let response, _) where response.body.count > settings.maximumBytes - loadedBytes:
            refusedByLimits += 1
            (result, reply) = (.failed(RequestFailure(.filesTooLarge, asking: request.url)), .blocked)
        case .response(let response, let isKept):
            loadedBytes += response.body.count
            result = .answered(status: response.status, bytes: response.body.count, isKept: isKept)
            reply = Self.answer(
                response.headers, isHead ? [] : response.body, status: response.status,
                isDocument: request.kind == .frame)
        case .failed(let failure):
            let nothing: Reply =
                switch request.kind {
                case .style: Self.noStyle
                case .image: Self.noPicture
                case .script, .data, .frame: failure.refusalCode == nil ? .failure("Failed") : .blocked
                }
            (result, reply) = (.failed(failure), nothing)
        }
        note(RenderedPage.Request(url: request.url.href, kind: request.kind, result: result))
        return reply
    }

    private mutating func note(_ request: RenderedPage.Request) {
        if listed.count < Self.maximumListed { listed.append(request) }
    }

    // MARK: Replies

    private static let nothing = Reply.answer([], [], status: 204)

    /// The answer to a request whose method might change something: a status, because apps are made for those, and take a lost
    /// connection for the end of everything. JSON is answered with JSON, in the form of GraphQL's errors (GraphQL over HTTP §6.4).
    private static func notAllowed(_ request: JSONValue?, _ error: JSONValue) -> Reply {
        let isJSON = (field("Content-Type", request) ?? field("Accept", request) ?? "").contains("json")
        var fields = [
            ("Access-Control-Allow-Origin", field("Origin", request) ?? "*"),
            ("Access-Control-Allow-Credentials", "true"),
            ("Allow", "GET, HEAD, OPTIONS"),
        ]
        if isJSON { fields.append(("Content-Type", "application/json")) }
        let body: JSONValue = ["errors": [error]]
        return .answer(fields, isJSON ? body.bytes() : [], status: 405)
    }

    /// After this, clients of automatic persisted queries send the text of a query.
    private static let hashesAreNotSupported: JSONValue = [
        "message": "PersistedQueryNotSupported", "extensions": ["code": "PERSISTED_QUERY_NOT_SUPPORTED"],
    ]

    /// Answers a question whether a request to another origin is allowed. The server decides it again by the fields of its answer.
    private static func preflight(_ request: JSONValue?) -> Reply {
        let origin = field("Origin", request) ?? "*"
        let fields = field("Access-Control-Request-Headers", request) ?? "*"
        let method = field("Access-Control-Request-Method", request) ?? "GET"
        return .answer(
            [
                ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true"),
                ("Access-Control-Allow-Methods", method), ("Access-Control-Allow-Headers", fields),
            ], [], status: 204)
    }

    private static func answer(
        _ headers: HTTPHeaders, _ body: [UInt8], status: Int, isDocument: Bool = false
    ) -> Reply {
        let kept = headers.fields.filter { field in
            let name = field.name.asciiLowercased
            return !withheld.contains(name) && !(isDocument && withheldOfDocument.contains(name))
        }
        return .answer(kept.map { ($0.name, $0.value) }, body, status: status)
    }

    /// Fields about the transfer, and those that would change the browser. What the page itself may do stays with it: CORS and CSP.
    private static let withheld: Set<String> = [
        "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "alt-svc",
        "set-cookie", "clear-site-data", "strict-transport-security", "report-to", "reporting-endpoints", "nel",
        "accept-ch", "link", "service-worker-allowed", "origin-trial",
    ]
    /// Fields that would keep the browser from showing the page, or lead away from it.
    private static let withheldOfDocument: Set<String> = ["content-disposition", "refresh"]
    private static let freeForAll = [("Access-Control-Allow-Origin", "*")]

    private static func field(_ name: String, _ request: JSONValue?) -> String? {
        let name = name.asciiLowercased
        return request?["headers"]?.object?.first { $0.key.asciiLowercased == name }?.value.string
    }

    private static let noStyle = Reply.answer([("Content-Type", "text/css")] + freeForAll, [], status: 200)
    private static let noPicture = Reply.answer([("Content-Type", "image/gif")] + freeForAll, pixel, status: 200)

    /// A transparent GIF of one pixel.
    private static let pixel: [UInt8] = [
        0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0x21, 0xF9, 4, 1, 0, 0, 0, 0,
        0x2C,
        0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B,
    ]
}
