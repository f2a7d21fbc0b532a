import Foundation
import PippinCrawl
import PippinPage

/// Renders one page in a context of its own, which leaves nothing in the browser:
///
///     open ──► navigate ──► settle ──► stop ──► flatten ──► close
///                             │  every request goes to us, so the page's clock stands still while one waits
///                             │  500 ms of the page's own time at a step, 5 s of it after the page has loaded
///                             └─ nothing happens for 2 s: its scripts are stopped, and it is read as it is
///
/// One loop reads one mailbox, so that nothing waits for a page that hangs.
struct PageRenderer {
    /// Why the page cannot be rendered any further.
    private enum End: Error {
        case failed(RenderFailure)
        /// It is read as it is.
        case enough(RenderedPage.Ending)
    }

    private let settings: RenderSettings
    private let process: ChromiumProcess
    private let page: FetchResponse
    private let mailbox: Mailbox
    private var letters: AsyncStream<(letter: Mailbox.Letter, byteCount: Int)>.AsyncIterator
    private let load: AsyncStream<(requestID: String, Subresource)>.Continuation

    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var lastProgress: ContinuousClock.Instant

    private var context: String?
    private var session = ""
    private var mainFrame = ""

    private var hasDocument = false
    private var hasNavigated = false
    private var hasLoaded = false
    private var isStopped = false
    /// Whether a step of the page's time has ended.
    private var stepEnded = false
    /// Requests of the page that wait for an answer of ours.
    private var inFlight: Set<String> = []
    /// Answers that the browser has not taken yet, with their request.
    private var answers: [Int: String] = [:]
    private var requests: [RenderedPage.Request] = []
    private var loadCount = 0
    private var loadedBytes = 0
    private var requestCount = 0
    private var eventCount = 0
    private var navigations: [String] = []
    private var dialogCount = 0

    /// A step of the page's own time. Shorter ones cost more: each is a question and an answer.
    private static let step = Duration.milliseconds(500)
    /// Real time between steps, in which the page's work that is no timer gets its turn.
    private static let breath = Duration.milliseconds(3)
    /// The page's time before it has loaded, after which it counts as loaded.
    private static let longestLoad = Duration.seconds(30)
    /// The time for a command that the browser itself answers, and for reading a page whose scripts are stopped: on a busy machine,
    /// what they have begun takes seconds.
    private static let patience = Duration.seconds(5)
    /// The time for closing a page.
    private static let lastPatience = Duration.seconds(2)
    private static let lookInterval = Duration.milliseconds(250)
    private static let maximumListed = 500
    /// Ways into apps, and other pages.
    private static let maximumAppNavigations = 50
    private static let maximumNavigations = 100
    /// Of what a page shows to leave it (`beforeunload`).
    private static let maximumDialogs = 100
    /// Events of a page. Real pages cause some hundred.
    private static let maximumEvents = 20_000
    private static let maximumURLBytes = 8_000

    static func render(
        _ page: FetchResponse, in process: ChromiumProcess, _ settings: RenderSettings,
        loading loader: any SubresourceLoader
    ) async -> Result<RenderedPage, RenderFailure> {
        let mailbox = Mailbox()
        let (loads, load) = AsyncStream.makeStream(of: (requestID: String, Subresource).self)
        defer { process.forget(mailbox) }
        return await withTaskGroup(of: Result<RenderedPage, RenderFailure>?.self) { group in
            group.addTask {
                // The only clock of the page: it notices what does not happen.
                while !Task.isCancelled {
                    do { try await Task.sleep(for: lookInterval) } catch { break }
                    mailbox.put(.tick)
                }
                return nil
            }
            group.addTask {
                await withDiscardingTaskGroup { group in
                    for await (requestID, request) in loads {
                        group.addTask {
                            mailbox.put(.loaded(requestID: requestID, request, await loader.load(request)))
                        }
                    }
                    group.cancelAll()
                }
                return nil
            }
            group.addTask {
                var renderer = PageRenderer(page, in: process, settings, mailbox, load)
                return await renderer.run()
            }
            var result: Result<RenderedPage, RenderFailure> = .failure(.cancelled)
            while let end = await group.next() {
                guard let end else { continue }
                result = end
                load.finish()
                group.cancelAll()
            }
            return result
        }
    }

    private init(
        _ page: FetchResponse, in process: ChromiumProcess, _ settings: RenderSettings, _ mailbox: Mailbox,
        _ load: AsyncStream<(requestID: String, Subresource)>.Continuation
    ) {
        (self.page, self.process, self.settings, self.mailbox, self.load) = (page, process, settings, mailbox, load)
        letters = mailbox.letters.makeAsyncIterator()
        start = clock.now
        lastProgress = start
    }

    private mutating func run() async -> Result<RenderedPage, RenderFailure> {
        let result: Result<RenderedPage, RenderFailure>
        do throws(End) {
            try await open()
            let ending = try await settle()
            result = .success(try await flattened(ending))
        } catch {
            switch error {
            case .failed(let failure): result = .failure(failure)
            case .enough: result = .failure(.hung)
            }
        }
        await close()
        return result
    }

    // MARK: Open

    private mutating func open() async throws(End) {
        let made = try await call("Target.createBrowserContext", ["disposeOnDetach": true])
        guard let context = made["browserContextId"]?.string else { throw .failed(.notOpened("no context")) }
        self.context = context
        post(
            "Browser.setDownloadBehavior", ["behavior": "deny", "browserContextId": .string(context)], isOfPage: false)
        let target = try await call(
            "Target.createTarget", ["url": "about:blank", "browserContextId": .string(context)])
        guard let target = target["targetId"] else { throw .failed(.notOpened("no target")) }
        let attached = try await call("Target.attachToTarget", ["targetId": target, "flatten": true])
        guard let session = attached["sessionId"]?.string else { throw .failed(.notOpened("no session")) }
        self.session = session
        process.register(page: session, mailbox)
        post("Page.enable")
        post("Inspector.enable")
        post("Fetch.enable", ["patterns": [["urlPattern": "*"]]])
        // So tall that what loads when it becomes visible is visible.
        post(
            "Emulation.setDeviceMetricsOverride",
            ["width": 1024, "height": 4000, "deviceScaleFactor": 1, "mobile": false])
        post("Page.addScriptToEvaluateOnNewDocument", ["source": .string(PageScripts.preamble)])
        let tree = try await call("Page.getFrameTree", isOfPage: true)
        guard let frame = tree["frameTree"]?["frame"]?["id"]?.string else { throw .failed(.notOpened("no frame")) }
        mainFrame = frame
        // The page's clock begins at the time of its fetch, so that its dates do not depend on how long it waited. The one
        // millisecond passes in the empty page; then the clock stands still until the page is there.
        let begin = page.fetchedAt.timeIntervalSince1970
        post(
            "Emulation.setVirtualTimePolicy",
            ["policy": "pauseIfNetworkFetchesPending", "budget": 1, "initialVirtualTime": .double(begin - 0.001)])
        let deadline = clock.now + Self.patience
        while !stepEnded {
            guard clock.now < deadline else { throw .failed(.notOpened("the page's clock does not run")) }
            try await next()
        }
        stepEnded = false
        post("Page.navigate", ["url": .string(page.url.href)])
        lastProgress = clock.now
    }

    private static func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }

    // MARK: Settle

    /// Gives the page its time, step by step.
    private mutating func settle() async throws(End) -> RenderedPage.Ending {
        var (before, after) = (Duration.zero, Duration.zero)
        do throws(End) {
            while !hasNavigated || !answers.isEmpty { try await next() }
            try await beginStep()
            while after < settings.settle {
                try await next()
                guard stepEnded, inFlight.isEmpty, answers.isEmpty else { continue }
                if before >= Self.longestLoad { hasLoaded = true }
                if hasLoaded { after += Self.step } else { before += Self.step }
                try await beginStep()
            }
            return .settled
        } catch {
            if case .enough(let ending) = error { return ending }
            throw error
        }
    }

    /// Lets the page's time go on. It stands still by itself while a request of the page waits, and when the step is over.
    private mutating func beginStep() async throws(End) {
        do { try await Task.sleep(for: Self.breath) } catch { throw .failed(.cancelled) }
        stepEnded = false
        post(
            "Emulation.setVirtualTimePolicy",
            ["policy": "pauseIfNetworkFetchesPending", "budget": .integer(Self.milliseconds(Self.step))])
    }

    // MARK: Flatten

    private mutating func flattened(_ ending: RenderedPage.Ending) async throws(End) -> RenderedPage {
        if ending != .settled {
            post("Emulation.setScriptExecutionDisabled", ["value": true])
            post("Runtime.terminateExecution")
        }
        isStopped = true
        // Without it, this is still the empty page.
        guard hasNavigated else { throw .failed(.hung) }
        let world = try await call(
            "Page.createIsolatedWorld", ["frameId": .string(mainFrame)], isOfPage: true, within: Self.patience)
        guard let world = world["executionContextId"] else { throw .failed(.hung) }
        let script = PageScripts.flattener(
            url: page.url.href, maximumElements: settings.maximumElements,
            maximumCharacters: ReadingLimits.standard.maximumBodyBytes)
        let answer = try await call(
            "Runtime.evaluate",
            ["expression": .string(script), "contextId": world, "returnByValue": true], isOfPage: true,
            within: Self.patience)
        guard let value = answer["result"]?["value"], let html = value["html"]?.string else { throw .failed(.hung) }
        return RenderedPage(
            html: Array(html.utf8), elements: value["elements"]?.integer ?? 0, isCut: value["isCut"]?.bool ?? false,
            ending: ending, requests: requests, navigations: navigations)
    }

    // MARK: Close

    /// Removes the page with its context from the browser.
    private mutating func close() async {
        guard let context else { return }
        isStopped = true
        do throws(End) {
            _ = try await call(
                "Target.disposeBrowserContext", ["browserContextId": .string(context)], within: Self.lastPatience)
        } catch {
            // The page is over. A browser that does not close it ends with the next restart.
        }
    }

    // MARK: The wire

    @discardableResult
    private func post(_ method: String, _ parameters: JSONValue = [:], isOfPage: Bool = true) -> Int {
        process.post(method, parameters, page: isOfPage ? session : nil, to: mailbox)
    }

    /// Posts a command and reads letters until its end.
    private mutating func call(
        _ method: String, _ parameters: JSONValue = [:], isOfPage: Bool = false, within patience: Duration = patience
    ) async throws(End) -> JSONValue {
        let command = post(method, parameters, isOfPage: isOfPage)
        let deadline = clock.now + patience
        while true {
            switch try await next(awaiting: command) {
            case .success(let value)?: return value
            case .failure(let failure)?:
                throw .failed(isStopped ? .hung : .notOpened("\(method): \(failure.message.prefix(200))"))
            case nil:
                if clock.now > deadline { throw .failed(isStopped ? .hung : .notOpened("\(method) took too long")) }
            }
        }
    }

    /// Reads one letter.
    ///
    /// - Returns: the end of the awaited command, if this is it.
    @discardableResult
    private mutating func next(
        awaiting command: Int? = nil
    ) async throws(End) -> Result<JSONValue, Mailbox.CommandFailure>? {
        guard let (letter, byteCount) = await letters.next(isolation: nil) else { throw .failed(.cancelled) }
        mailbox.took(byteCount: byteCount)
        switch letter {
        case .browserEnded: throw .failed(.browserEnded)
        case .flooded: throw .failed(.hung)
        case .tick: try look()
        case .loaded(let requestID, let request, let answer):
            lastProgress = clock.now
            answered(requestID, request, answer)
        case .answer(let number, let result):
            lastProgress = clock.now
            if number == command { return result }
            // The browser did not take an answer, such as one with strange fields. Its request must not wait for ever.
            if let request = answers.removeValue(forKey: number), case .failure = result {
                post("Fetch.failRequest", ["requestId": .string(request), "errorReason": "Failed"])
            }
        case .event(let method, let parameters):
            lastProgress = clock.now
            eventCount += 1
            if eventCount > Self.maximumEvents, !isStopped { throw .enough(.stalled) }
            try happened(method, parameters)
        }
        return nil
    }

    /// Ends a page that does nothing, or is open for too long.
    private func look() throws(End) {
        guard !isStopped, !session.isEmpty else { return }
        let now = clock.now
        if now - start > settings.timeout { throw .enough(.timedOut) }
        // A page whose requests wait for their turn does not hang.
        if inFlight.isEmpty, now - lastProgress > settings.stall { throw .enough(.stalled) }
    }

    private mutating func happened(_ method: String, _ event: JSONValue) throws(End) {
        switch method {
        case "Fetch.requestPaused": try asked(event)
        case "Emulation.virtualTimeBudgetExpired": stepEnded = true
        case "Page.frameNavigated": if event["frame"]?["id"]?.string == mainFrame { hasNavigated = true }
        case "Page.loadEventFired": if hasNavigated { hasLoaded = true }
        case "Page.frameStoppedLoading":
            if hasNavigated, event["frameId"]?.string == mainFrame { hasLoaded = true }
        case "Page.frameRequestedNavigation", "Page.windowOpen":
            if let url = event["url"]?.string { navigated(to: url, frame: event["frameId"]?.string) }
        case "Page.javascriptDialogOpening":
            post("Page.handleJavaScriptDialog", ["accept": false])
            dialogCount += 1
            if dialogCount > Self.maximumDialogs, !isStopped { throw .enough(.stalled) }
        case "Inspector.targetCrashed": throw .failed(.pageCrashed)
        default: break
        }
    }

    private mutating func navigated(to url: String, frame: String?) {
        let isOfApp = WebURL(url).map {
            !$0.isHTTP && $0.scheme != "about" && $0.scheme != "blob" && $0.scheme != "data"
        }
        // Pages in frames are not ours, but a frame is also how pages open apps.
        guard isOfApp == true || frame == nil || frame == mainFrame else { return }
        // Popups to other pages must not hide ways into apps.
        let room = isOfApp == true ? Self.maximumNavigations : Self.maximumNavigations - Self.maximumAppNavigations
        if navigations.count < room, url.utf8.count <= Self.maximumURLBytes,
            !navigations.contains(url)
        {
            navigations.append(url)
        }
        if isOfApp == true { post("Page.stopLoading") }
    }

    // MARK: Requests

    private mutating func asked(_ event: JSONValue) throws(End) {
        guard let requestID = event["requestId"]?.string else { return }
        let request = event["request"]
        let address = request?["url"]?.string ?? ""
        let method = request?["method"]?.string ?? ""
        requestCount += 1
        if requestCount > 10 * settings.maximumRequests, !isStopped { throw .enough(.tooManyRequests) }
        // What is only to be had in advance, and streams that never end, are called like everything else.
        let isInAdvance = Self.field("Sec-Purpose", request) != nil || Self.field("Purpose", request) != nil
        let type = event["resourceType"]?.string ?? ""
        // A redirect, a reload or a download: noted already, and not followed. A failed one would put an error page in the page's
        // place, also while it is read.
        if hasDocument, type == "Document", event["frameId"]?.string == mainFrame {
            // While the page is read, it waits for an answer, and does not go on to the next.
            if isStopped { return }
            return fulfill(requestID, [], [], status: 204)
        }
        guard !isStopped, !isInAdvance else { return fail(requestID) }
        if Self.field("Accept", request)?.contains("text/event-stream") == true {
            // 204 ends a stream; after a failure the page would ask again and again.
            return fulfill(requestID, [], [], status: 204)
        }
        switch type {
        case "Document" where event["frameId"]?.string == mainFrame:
            hasDocument = true
            fulfill(requestID, page.headers, page.body, status: 200, isDocument: true)
        case "Stylesheet":
            // Without an answer, parts that wait for their style never come.
            fulfill(requestID, [("Content-Type", "text/css")] + Self.freeForAll, [], status: 200)
        case "Image": fulfill(requestID, [("Content-Type", "image/gif")] + Self.freeForAll, Self.pixel, status: 200)
        case "Preflight": preflight(requestID, request)
        case _ where method == "OPTIONS": preflight(requestID, request)
        case "Script": load(requestID, address, .script, method, request)
        case "XHR", "Fetch": load(requestID, address, .data, method, request)
        // The script of a worker.
        case "Other": load(requestID, address, .script, method, request)
        default: fail(requestID)
        }
    }

    private mutating func load(
        _ requestID: String, _ address: String, _ kind: Subresource.Kind, _ method: String, _ request: JSONValue?
    ) {
        guard let url = WebURL(address), address.utf8.count <= Self.maximumURLBytes else { return fail(requestID) }
        guard url.isHTTP else {
            // The page's own data. Nothing else needs no network.
            guard url.scheme == "data" || url.scheme == "blob" else { return fail(requestID) }
            post("Fetch.continueRequest", ["requestId": .string(requestID)])
            return
        }
        guard method == "GET" else {
            return refuse(requestID, kind, RequestFailure(.method(String(method.prefix(20))), asking: url))
        }
        let room = settings.maximumBytes - loadedBytes
        guard loadCount < settings.maximumRequests, room > 0 else {
            let cause = room > 0 ? RequestFailure.Cause.tooManyFiles(limit: settings.maximumRequests) : .filesTooLarge
            return refuse(requestID, kind, RequestFailure(cause, asking: url))
        }
        loadCount += 1
        inFlight.insert(requestID)
        let origin = Self.field("Origin", request).flatMap { $0 == url.origin ? nil : $0 }
        load.yield((requestID, Subresource(url: url, kind: kind, origin: origin)))
    }

    private mutating func answered(_ requestID: String, _ request: Subresource, _ answer: SubresourceAnswer) {
        guard inFlight.remove(requestID) != nil else { return }
        let result: RenderedPage.Request.Result
        switch answer {
        case .response(let response, let isKept):
            loadedBytes += response.body.count
            result = .answered(status: response.status, bytes: response.body.count, isKept: isKept)
            fulfill(requestID, response.headers, response.body, status: response.status)
        case .failed(let failure):
            result = .failed(failure)
            fail(requestID, failure.refusalCode == nil ? "Failed" : "BlockedByClient")
        }
        note(RenderedPage.Request(url: request.url.href, kind: request.kind, result: result))
    }

    private mutating func refuse(_ requestID: String, _ kind: Subresource.Kind, _ failure: RequestFailure) {
        fail(requestID)
        note(RenderedPage.Request(url: failure.url.href, kind: kind, result: .failed(failure)))
    }

    private mutating func note(_ request: RenderedPage.Request) {
        if requests.count < Self.maximumListed { requests.append(request) }
    }

    private func fail(_ requestID: String, _ reason: String = "BlockedByClient") {
        post("Fetch.failRequest", ["requestId": .string(requestID), "errorReason": .string(reason)])
    }

    /// Answers a question whether a request to another origin is allowed. The server decides it again by the fields of its answer.
    private mutating func preflight(_ requestID: String, _ request: JSONValue?) {
        let origin = Self.field("Origin", request) ?? "*"
        let fields = Self.field("Access-Control-Request-Headers", request) ?? "*"
        fulfill(
            requestID,
            [
                ("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true"),
                ("Access-Control-Allow-Methods", "GET, HEAD, POST"), ("Access-Control-Allow-Headers", fields),
            ], [], status: 204)
    }

    private mutating func fulfill(
        _ requestID: String, _ headers: HTTPHeaders, _ body: [UInt8], status: Int, isDocument: Bool = false
    ) {
        let kept = headers.fields.filter { field in
            let name = field.name.asciiLowercased
            return !Self.withheld.contains(name) && !(isDocument && Self.withheldOfDocument.contains(name))
        }
        fulfill(requestID, kept.map { ($0.name, $0.value) }, body, status: status)
    }

    private mutating func fulfill(_ requestID: String, _ fields: [(String, String)], _ body: [UInt8], status: Int) {
        var answer = JSONObject()
        answer["requestId"] = .string(requestID)
        answer["responseCode"] = .integer((200...599).contains(status) ? status : 502)
        answer["responseHeaders"] = .array(
            fields.filter { Self.isSendable($0.0, $0.1) }.map { ["name": .string($0.0), "value": .string($0.1)] })
        answer["body"] = .string(Data(body).base64EncodedString())
        answers[post("Fetch.fulfillRequest", .object(answer))] = requestID
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

    private static func isSendable(_ name: String, _ value: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    private static func field(_ name: String, _ request: JSONValue?) -> String? {
        let name = name.asciiLowercased
        return request?["headers"]?.object?.first { $0.key.asciiLowercased == name }?.value.string
    }

    /// A transparent GIF of one pixel.
    private static let pixel: [UInt8] = [
        0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0x21, 0xF9, 4, 1, 0, 0, 0, 0,
        0x2C,
        0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B,
    ]
}
