import Foundation
import PippinCrawl
import PippinPage

/// Renders one page in a context of its own, which leaves nothing in the browser:
///
///     open ──► navigate ──► settle ──► stop ──► flatten ──► close
///                             │  every request goes to us, so the page's clock stands still while one waits
///                             │  500 ms of the page's own time at a step, later more, 10 s of it after the page has loaded
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

    /// What a page is opened for.
    private enum Purpose {
        case reading
        case screenshot(runsScripts: Bool)
    }

    private let settings: RenderSettings
    private let page: FetchResponse
    private let purpose: Purpose
    private var session: PageSession
    private var requests: PageRequests
    private var watch: PageWatch
    private var navigations = PageNavigations()
    private var frames = PageFrames()

    private var context: String?
    private var mainFrame = ""
    /// The browser's name for the load that brought the page's document; nil before it is there.
    private var loaderID: String?
    private var hasLoaded = false
    private var isStopped = false
    /// Whether a step of the page's time has ended.
    private var stepEnded = false

    /// A step of the page's own time after it has loaded, and before: each is a question and an answer, and the page's timers
    /// become rarer.
    private static func step(after: Duration) -> Duration { max(.milliseconds(500), after / 2) }
    /// Real time between steps, in which the page's work that is no timer runs.
    private static let breath = Duration.milliseconds(3)
    /// The page's time before it has loaded, after which it counts as loaded.
    private static let longestLoad = Duration.seconds(30)
    /// The time for a command that the browser itself answers, and for reading a page whose scripts are stopped: on a busy machine,
    /// what they have begun takes seconds.
    private static let patience = Duration.seconds(5)
    /// The time for closing a page.
    private static let lastPatience = Duration.seconds(2)
    /// What a page may store (IndexedDB, Cache).
    private static let storageBytes = 10_000_000
    private static let lookInterval = Duration.milliseconds(250)

    /// The longest that a page is open for a screenshot: somebody waits for it.
    private static let screenshotTimeout = Duration.seconds(15)

    /// The page as its scripts make it.
    static func render(
        _ page: FetchResponse, in process: ChromiumProcess, _ settings: RenderSettings,
        loading loader: any SubresourceLoader
    ) async -> Result<RenderedPage, RenderFailure> {
        await open(page, for: .reading, in: process, settings, loading: loader) {
            (renderer: inout PageRenderer, ending) async throws(End) in try await renderer.flattened(ending)
        }
    }

    /// What a phone shows of the page at first, as JPEG; nil if there is none, for which only the page can be the reason.
    static func screenshot(
        of page: FetchResponse, runsScripts: Bool, in process: ChromiumProcess, _ settings: RenderSettings,
        loading loader: any SubresourceLoader
    ) async -> [UInt8]? {
        var settings = settings
        settings.timeout = min(settings.timeout, screenshotTimeout)
        let result = await open(
            page, for: .screenshot(runsScripts: runsScripts), in: process, settings, loading: loader
        ) {
            (renderer: inout PageRenderer, ending) async throws(End) in try await renderer.captured(ending)
        }
        return if case .success(let picture) = result { picture } else { nil }
    }

    private static func open<Value: Sendable>(
        _ page: FetchResponse, for purpose: Purpose, in process: ChromiumProcess, _ settings: RenderSettings,
        loading loader: any SubresourceLoader,
        _ read: @escaping @Sendable (inout PageRenderer, RenderedPage.Ending) async throws(End) -> Value
    ) async -> Result<Value, RenderFailure> {
        let mailbox = Mailbox()
        let (loads, load) = AsyncStream.makeStream(of: (requestID: String, Subresource).self)
        defer { process.forget(mailbox) }
        return await withTaskGroup(of: Result<Value, RenderFailure>?.self) { group in
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
                            var answer = await loader.load(request)
                            if request.kind == .frame { answer = PageFrames.shown(answer, process.agent) }
                            mailbox.put(.loaded(requestID: requestID, request, answer))
                        }
                    }
                    group.cancelAll()
                }
                return nil
            }
            group.addTask {
                var renderer = PageRenderer(page, for: purpose, in: process, settings, mailbox, load)
                return await renderer.run(read)
            }
            var result: Result<Value, RenderFailure> = .failure(.cancelled)
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
        _ page: FetchResponse, for purpose: Purpose, in process: ChromiumProcess, _ settings: RenderSettings,
        _ mailbox: Mailbox, _ load: AsyncStream<(requestID: String, Subresource)>.Continuation
    ) {
        (self.page, self.purpose, self.settings) = (page, purpose, settings)
        session = PageSession(in: process, mailbox)
        requests = PageRequests(of: page, settings, load)
        if case .screenshot = purpose { requests.loadsLooks = true }
        watch = PageWatch(settings)
    }

    private mutating func run<Value>(
        _ read: (inout PageRenderer, RenderedPage.Ending) async throws(End) -> Value
    ) async -> Result<Value, RenderFailure> {
        let result: Result<Value, RenderFailure>
        do throws(End) {
            try await open()
            let ending = try await settle()
            result = .success(try await read(&self, ending))
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
        session.post(
            "Browser.setDownloadBehavior", ["behavior": "deny", "browserContextId": .string(context)], isOfPage: false)
        let target = try await call(
            "Target.createTarget", ["url": "about:blank", "browserContextId": .string(context)])
        guard let target = target["targetId"] else { throw .failed(.notOpened("no target")) }
        let attached = try await call("Target.attachToTarget", ["targetId": target, "flatten": true])
        guard let session = attached["sessionId"]?.string else { throw .failed(.notOpened("no session")) }
        self.session.attach(session)
        self.session.post("Page.enable")
        self.session.post("Inspector.enable")
        self.session.post("Fetch.enable", ["patterns": [["urlPattern": "*"]]])
        switch purpose {
        case .reading:
            // So tall that what loads when it becomes visible is visible.
            self.session.post(
                "Emulation.setDeviceMetricsOverride",
                ["width": 1024, "height": 4000, "deviceScaleFactor": 1, "mobile": false])
        case .screenshot(let runsScripts):
            self.session.post(
                "Emulation.setDeviceMetricsOverride",
                [
                    "width": .integer(RenderedPage.Screenshots.width),
                    "height": .integer(RenderedPage.Screenshots.height), "deviceScaleFactor": 1, "mobile": true,
                ])
            if !runsScripts { self.session.post("Emulation.setScriptExecutionDisabled", ["value": true]) }
        }
        for source in [PageScripts.preamble, PageScripts.errorReporter] {
            self.session.post("Page.addScriptToEvaluateOnNewDocument", ["source": .string(source)])
        }
        for source in [PageScripts.stay, PageScripts.errorCollector] {
            self.session.post(
                "Page.addScriptToEvaluateOnNewDocument",
                ["source": .string(source), "worldName": .string(PageScripts.world)])
        }
        // What a page stores lies in the memory of the browser itself, which ends with all its pages if it has none left.
        self.session.post(
            "Storage.overrideQuotaForOrigin",
            ["origin": .string(page.url.origin ?? page.url.href), "quotaSize": .integer(Self.storageBytes)])
        let tree = try await call("Page.getFrameTree", isOfPage: true)
        guard let frame = tree["frameTree"]?["frame"]?["id"]?.string else { throw .failed(.notOpened("no frame")) }
        mainFrame = frame
        // The page's clock begins at the time of its fetch, so that its dates do not depend on how long it waited. The one
        // millisecond passes in the empty page; then the clock stands still until the page is there.
        let begin = page.fetchedAt.timeIntervalSince1970
        self.session.post(
            "Emulation.setVirtualTimePolicy",
            ["policy": "pauseIfNetworkFetchesPending", "budget": 1, "initialVirtualTime": .double(begin - 0.001)])
        let deadline = ContinuousClock.now + Self.patience
        while !stepEnded {
            guard .now < deadline else { throw .failed(.notOpened("the page's clock does not run")) }
            try await next()
        }
        stepEnded = false
        self.session.post("Page.navigate", ["url": .string(page.url.href)])
        watch.noteProgress()
    }

    private static func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }

    // MARK: Settle

    /// Gives the page its time, step by step.
    private mutating func settle() async throws(End) -> RenderedPage.Ending {
        var (before, after) = (Duration.zero, Duration.zero)
        do throws(End) {
            while loaderID == nil || session.hasOpenAnswers { try await next() }
            var step = Self.step(after: .zero)
            try await beginStep(step)
            while after < settings.settle {
                try await next()
                guard stepEnded, !requests.hasWaiting, !session.hasOpenAnswers else { continue }
                if before >= Self.longestLoad { hasLoaded = true }
                if hasLoaded { after += step } else { before += step }
                step = min(Self.step(after: after), settings.settle)
                try await beginStep(step)
            }
            return .settled
        } catch {
            if case .enough(let ending) = error { return ending }
            throw error
        }
    }

    /// Lets the page's time go on. It stands still by itself while a request of the page waits, and when the step is over.
    private mutating func beginStep(_ step: Duration) async throws(End) {
        do { try await Task.sleep(for: Self.breath) } catch { throw .failed(.cancelled) }
        stepEnded = false
        session.post(
            "Emulation.setVirtualTimePolicy",
            ["policy": "pauseIfNetworkFetchesPending", "budget": .integer(Self.milliseconds(step))])
    }

    // MARK: Flatten

    /// Stops a page, which is read now.
    ///
    /// - Returns: the browser's name for the load of its document.
    private mutating func stop(_ ending: RenderedPage.Ending) throws(End) -> String {
        if ending != .settled {
            session.post("Emulation.setScriptExecutionDisabled", ["value": true])
            session.post("Runtime.terminateExecution")
        }
        isStopped = true
        // Without it, this is still the empty page.
        guard let loaderID else { throw .failed(.hung) }
        return loaderID
    }

    private mutating func captured(_ ending: RenderedPage.Ending) async throws(End) -> [UInt8] {
        _ = try stop(ending)
        // Another document in the page's place is an event before the answer.
        let answer = try await call(
            "Page.captureScreenshot", ["format": "jpeg", "quality": 70], isOfPage: true, within: Self.patience)
        guard let text = answer["data"]?.string, text.utf8.count <= RenderedPage.Screenshots.maximumBytes / 3 * 4 + 4,
            let picture = Data(base64Encoded: text)
        else { throw .failed(.hung) }
        return Array(picture)
    }

    private mutating func flattened(_ ending: RenderedPage.Ending) async throws(End) -> RenderedPage {
        let loaderID = try stop(ending)
        let world = try await call(
            "Page.createIsolatedWorld",
            ["frameId": .string(mainFrame), "worldName": .string(PageScripts.world)], isOfPage: true,
            within: Self.patience)
        guard let world = world["executionContextId"] else { throw .failed(.hung) }
        // The world ends with its document, so what is asked below is asked of the one that is looked at here.
        let tree = try await call("Page.getFrameTree", isOfPage: true, within: Self.patience)["frameTree"] ?? .null
        let frame = tree["frame"]
        guard frame?["loaderId"]?.string == loaderID, frame?["unreachableUrl"] == nil else { throw .failed(.replaced) }
        var left = PageFrames.Left()
        let contents = try await contents(ofFramesIn: tree, world, depth: 1, &left)
        let answer = try await call(
            "Runtime.callFunctionOn", flattening(world, isFrame: false, contents), isOfPage: true,
            within: Self.patience)
        guard let value = answer["result"]?["value"], let html = value["html"]?.string else { throw .failed(.hung) }
        let errors = value["errors"]
        return RenderedPage(
            html: Array(html.utf8), elements: value["elements"]?.integer ?? 0, isCut: value["isCut"]?.bool ?? false,
            ending: ending == .settled && requests.refusedByLimits > 0 ? .limited : ending,
            requests: requests.listed,
            navigations: navigations.addresses(
                after: (value["places"]?.array ?? []).compactMap(\.string), of: page.url),
            redirect: navigations.redirect,
            refusedByLimits: requests.refusedByLimits,
            errors: (errors?["list"]?.array ?? []).compactMap { RenderedPage.ScriptError($0) },
            errorCount: errors?["count"]?.integer ?? 0)
    }

    private func flattening(_ world: JSONValue, isFrame: Bool, _ contents: [JSONValue]) -> JSONValue {
        let share = isFrame ? PageFrames.share : 1
        let arguments: [JSONValue] = [
            ["value": .string(page.url.href)], ["value": .bool(isFrame)],
            ["value": .integer(settings.maximumElements / share)],
            ["value": .integer(ReadingLimits.standard.maximumBodyBytes / share)],
        ]
        return [
            "functionDeclaration": .string(PageScripts.flattener), "executionContextId": world, "returnByValue": true,
            "arguments": .array(arguments + contents),
        ]
    }

    /// The content of the frames in a document, each after its element, as arguments of the flattener. The innermost are read first, each
    /// in a world of its own in its own document.
    ///
    /// - Parameters:
    ///   - tree: of the frame with the document.
    ///   - world: in that document; there the elements are objects.
    private mutating func contents(
        ofFramesIn tree: JSONValue, _ world: JSONValue, depth: Int, _ left: inout PageFrames.Left
    ) async throws(End) -> [JSONValue] {
        guard depth <= PageFrames.maximumDepth else { return [] }
        var contents: [JSONValue] = []
        for child in tree["childFrames"]?.array ?? [] {
            guard let id = child["frame"]?["id"], PageFrames.mayBeShown(child["frame"]?["url"]?.string, in: page.url),
                left.takeOne()
            else { continue }
            let made = try await reply("Page.createIsolatedWorld", ["frameId": id])
            guard let inner = made?["executionContextId"] else { continue }
            let innermost = try await self.contents(ofFramesIn: child, inner, depth: depth + 1, &left)
            let read = try await reply("Runtime.callFunctionOn", flattening(inner, isFrame: true, innermost))
            // Its document may have changed since.
            guard let value = read?["result"]?["value"], let html = value["html"],
                PageFrames.mayBeShown(value["url"]?.string, in: page.url)
            else { continue }
            let owner = try await reply("DOM.getFrameOwner", ["frameId": id])
            guard let node = owner?["backendNodeId"] else { continue }
            let element = try await reply("DOM.resolveNode", ["backendNodeId": node, "executionContextId": world])
            guard let object = element?["object"]?["objectId"] else { continue }
            contents += [["objectId": object], ["value": html]]
        }
        return contents
    }

    /// What a command about a frame brings; nil if the frame does not exist any more, or does not let itself be read.
    private mutating func reply(_ method: String, _ parameters: JSONValue) async throws(End) -> JSONValue? {
        do throws(End) {
            return try await call(method, parameters, isOfPage: true, within: Self.lastPatience)
        } catch {
            if case .failed(.hung) = error { return nil }
            throw error
        }
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

    /// Posts a command and reads letters until its end.
    private mutating func call(
        _ method: String, _ parameters: JSONValue = [:], isOfPage: Bool = false, within patience: Duration = patience
    ) async throws(End) -> JSONValue {
        let command = session.post(method, parameters, isOfPage: isOfPage)
        let deadline = ContinuousClock.now + patience
        while true {
            switch try await next(awaiting: command) {
            case .success(let value)?: return value
            case .failure(let failure)?:
                throw .failed(isStopped ? .hung : .notOpened("\(method): \(failure.message.prefix(200))"))
            case nil:
                if .now > deadline { throw .failed(isStopped ? .hung : .notOpened("\(method) took too long")) }
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
        guard let letter = await session.nextLetter() else { throw .failed(.cancelled) }
        switch letter {
        case .browserEnded: throw .failed(.browserEnded)
        case .flooded: throw .failed(.hung)
        case .tick:
            // A page whose requests wait for their turn does not hang.
            guard !isStopped, session.isAttached,
                let end = watch.end(waits: requests.hasWaiting, bytes: requests.loadedBytes)
            else { break }
            throw .enough(end)
        case .loaded(let requestID, let request, let answer):
            watch.noteProgress()
            if let reply = requests.reply(to: request, id: requestID, answer) { session.send(reply, to: requestID) }
        case .answer(let number, let result):
            watch.noteProgress()
            if number == command { return result }
            session.ended(command: number, result)
        case .event(let method, let parameters):
            watch.noteProgress()
            watch.eventCount += 1
            if watch.hasTooManyEvents, !isStopped { throw .enough(.stalled) }
            try happened(method, parameters)
        }
        return nil
    }

    /// A document has come. The first is the page; what comes in its place is not.
    private mutating func navigated(_ frame: JSONValue) throws(End) {
        guard frame["id"]?.string == mainFrame, let loader = frame["loaderId"]?.string else { return }
        guard frame["unreachableUrl"] == nil else {
            throw .failed(loaderID == nil ? .notOpened("it does not take the page's answer") : .replaced)
        }
        guard let loaderID else {
            // The empty page, in which the clock was set.
            if frame["url"]?.string != "about:blank" { self.loaderID = loader }
            return
        }
        if loader != loaderID { throw .failed(.replaced) }
    }

    private mutating func happened(_ method: String, _ event: JSONValue) throws(End) {
        let isOfPage = event["frameId"]?.string == mainFrame
        switch method {
        case "Fetch.requestPaused":
            guard let requestID = event["requestId"]?.string else { return }
            requests.count += 1
            if requests.areTooMany, !isStopped { throw .enough(.tooManyRequests) }
            let depth = isOfPage ? 0 : frames.depth(of: event["frameId"]?.string, in: mainFrame)
            let reply = requests.reply(to: event, id: requestID, depth: depth, isStopped: isStopped)
            if let reply { session.send(reply, to: requestID) }
        case "Emulation.virtualTimeBudgetExpired": stepEnded = true
        case "Page.frameAttached": frames.attached(event)
        case "Page.frameDetached": frames.detached(event)
        case "Page.frameNavigated": try navigated(event["frame"] ?? .null)
        case "Page.loadEventFired": if loaderID != nil { hasLoaded = true }
        case "Page.frameStoppedLoading": if loaderID != nil, isOfPage { hasLoaded = true }
        case "Page.frameRequestedNavigation", "Page.windowOpen":
            let isInFrame = event["frameId"] != nil && !isOfPage
            guard let url = event["url"]?.string else { return }
            if !isInFrame { watch.navigationCount += 1 }
            if watch.hasTooManyNavigations, !isStopped { throw .enough(.stalled) }
            let replaces = method == "Page.frameRequestedNavigation" && event["disposition"]?.string == "currentTab"
            if !navigations.add(url, of: page.url, isInFrame: isInFrame, replaces: replaces) {
                session.post("Page.stopLoading")
            }
        case "Page.javascriptDialogOpening":
            session.post("Page.handleJavaScriptDialog", ["accept": false])
            watch.dialogCount += 1
            if watch.hasTooManyDialogs, !isStopped { throw .enough(.stalled) }
        case "Inspector.targetCrashed": throw .failed(.pageCrashed)
        default: break
        }
    }
}

extension RenderedPage.ScriptError {
    /// Reads what `PageScripts.errorCollector` keeps.
    fileprivate init?(_ value: JSONValue) {
        guard let kind = value["kind"]?.string.flatMap({ Kind(rawValue: $0) }), let text = value["text"]?.string else {
            return nil
        }
        let place = Self.line(value["place"]?.string ?? "")
        self.init(
            kind: kind, text: Self.line(text), place: place.isEmpty ? nil : place, count: value["count"]?.integer ?? 1)
    }

    private static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { TerminalText.isMark($0) ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)).collapsingHTMLSpace()
    }
}
