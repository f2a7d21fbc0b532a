import PippinCrawl
import PippinPage

/// The browser. It starts with the first page, again when it has ended, and after a number of pages, so that what it keeps of them
/// does not add up.
public actor Chromium: Renderer {
    private let settings: RenderSettings
    private let agent: CrawlConfiguration.Agent
    private let takesScreenshots: Bool
    private let report: @Sendable (String) -> Void
    private var process: ChromiumProcess?
    /// The browser that has not answered yet.
    private var starting: ChromiumProcess?
    /// Pages since the start, and those that are open now.
    private var pageCount = 0
    private var openCount = 0
    /// Pages that must be the only open one: those that wait for it, and whether one is open.
    private var loneCount = 0
    private var isLone = false
    private var isStarting = false
    private var isClosed = false
    /// Ended when a place may be free.
    private var waiting: [AsyncStream<Void>.Continuation] = []
    private var waitsForStart: [CheckedContinuation<Void, Never>] = []
    /// Why the last start failed, and until when nobody tries again.
    private var failure: (problem: String, until: ContinuousClock.Instant)?
    private var hasReported = false
    /// How often it was started.
    private(set) var startCount = 0
    /// The number of the running browser's first process; nil if none runs.
    var processID: Int32? { process.flatMap { $0.hasEnded ? nil : $0.processID } }

    /// The time for the first answer of a browser.
    static let startPatience = Duration.seconds(20)
    /// The time between two tries to start a browser. Pages between them do not wait for one that does not start.
    private static let retryInterval = Duration.seconds(60)

    /// - Parameters:
    ///   - agent: who requests say that we are; so does the browser.
    ///   - takesScreenshots: whether each page is rendered twice more, to be looked at. Then its styles and pictures are asked for.
    ///   - report: receives, once, a sentence that says why there is no browser.
    public init(
        _ settings: RenderSettings, as agent: CrawlConfiguration.Agent = CrawlConfiguration.Agent(),
        takesScreenshots: Bool = false, report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.settings, self.agent, self.report) = (settings, agent, report)
        self.takesScreenshots = takesScreenshots
    }

    /// Starts the browser, asks for its version, and ends it.
    ///
    /// - Returns: why pages cannot be rendered on this machine; nil if they can.
    public static func problem(_ settings: RenderSettings) async -> ProgramMissing? {
        await problem(settings, within: startPatience)
    }

    static func problem(_ settings: RenderSettings, within patience: Duration) async -> ProgramMissing? {
        do throws(ProgramMissing) {
            let process = try await ChromiumProcess.start(
                ChromiumLaunch(settings, as: CrawlConfiguration.Agent()))
            let answers = await answers(process, within: patience)
            await process.end()
            return answers ? nil : ProgramMissing(problem: Confinement.problem(process.lastWords()))
        } catch {
            return error
        }
    }

    /// Tries whether the browser starts, and reports if it does not. Then pages fail without delay for a while.
    public func check() async {
        if let missing = await Self.problem(settings) { note(missing) }
    }

    public func render(
        _ page: FetchResponse, loading loader: any SubresourceLoader
    ) async -> Result<RenderedPage, RenderFailure> {
        let keeper = takesScreenshots ? ScreenshotLoader(loader) : nil
        var settings = settings
        for isLast in [false, true] {
            // What a page has asked with POST is never asked again.
            if isLast { settings.postForReading = false }
            // One of the open pages has ended the browser. Alone, none is lost with it but that one.
            guard await enter(alone: isLast) else { return .failure(.cancelled) }
            defer { leave() }
            let process: ChromiumProcess
            switch await started() {
            case .success(let running): process = running
            case .failure(let failure): return .failure(failure)
            }
            pageCount += 1
            var result = await PageRenderer.render(page, in: process, settings, loading: keeper ?? loader)
            // Another page may have ended the browser.
            if case .failure(.browserEnded) = result {
                await drop(process)
                if !isLast, !Task.isCancelled { continue }
            }
            if let keeper, case .success(var rendered) = result {
                rendered.screenshots = await screenshots(of: page, in: process, loading: keeper)
                result = .success(rendered)
            }
            return result
        }
        return .failure(.browserEnded)
    }

    private func screenshots(
        of page: FetchResponse, in process: ChromiumProcess, loading loader: ScreenshotLoader
    ) async -> RenderedPage.Screenshots {
        var screenshots = RenderedPage.Screenshots()
        loader.begin(.looking(until: .now + ScreenshotLoader.patience))
        screenshots.after = await PageRenderer.screenshot(
            of: page, runsScripts: true, in: process, settings, loading: loader)
        loader.begin(.keeping)
        screenshots.before = await PageRenderer.screenshot(
            of: page, runsScripts: false, in: process, settings, loading: loader)
        return screenshots
    }

    /// Ends the browser. Nothing of it is left when this returns.
    public func shutdown() async {
        isClosed = true
        wakeAll()
        await starting?.end()
        // Whoever starts one now ends it.
        if isStarting { await withCheckedContinuation { waitsForStart.append($0) } }
        if let process { await drop(process) }
    }

    // MARK: Places

    /// Waits for a place, or to be the only page. False if the task was cancelled or the browser is closed.
    private func enter(alone: Bool) async -> Bool {
        if alone { loneCount += 1 }
        defer { if alone { loneCount -= 1 } }
        while !isClosed, !Task.isCancelled {
            let isDue = pageCount >= settings.restartAfter && process != nil
            // A browser that is due for a restart takes no further page.
            let isShared = openCount < settings.maximumOpenPages && loneCount == 0 && !isLone
            let hasPlace = alone ? openCount == 0 : isShared && !(isDue && openCount > 0)
            if !isStarting, hasPlace {
                openCount += 1
                isLone = alone
                return true
            }
            await wait()
        }
        return false
    }

    /// Waits until something has changed, or the task is cancelled.
    private func wait() async {
        let (stream, wake) = AsyncStream.makeStream(of: Void.self)
        waiting.append(wake)
        for await _ in stream {}
    }

    private func leave() {
        openCount -= 1
        isLone = false
        wakeAll()
    }

    private func wakeAll() {
        for wake in waiting { wake.finish() }
        waiting = []
    }

    // MARK: The process

    private func started() async -> Result<ChromiumProcess, RenderFailure> {
        while isStarting, !Task.isCancelled { await wait() }
        guard !isClosed, !Task.isCancelled else { return .failure(.cancelled) }
        if let process, !process.hasEnded, pageCount < settings.restartAfter || openCount > 1 {
            return .success(process)
        }
        if let failure, failure.until > .now { return .failure(.browserUnavailable(failure.problem)) }
        isStarting = true
        defer {
            (isStarting, starting) = (false, nil)
            wakeAll()
            for waiting in waitsForStart { waiting.resume() }
            waitsForStart = []
        }
        if let process { await drop(process) }
        do throws(ProgramMissing) {
            let started = try await ChromiumProcess.start(ChromiumLaunch(settings, as: agent))
            starting = started
            if !isClosed, await Self.answers(started, within: Self.startPatience), !isClosed {
                (process, pageCount) = (started, 0)
                startCount += 1
                return .success(started)
            }
            await started.end()
            guard !isClosed, !Task.isCancelled else { return .failure(.cancelled) }
            throw ProgramMissing(problem: Confinement.problem(started.lastWords()))
        } catch {
            note(error)
            return .failure(.browserUnavailable(error.problem))
        }
    }

    private func note(_ missing: ProgramMissing) {
        failure = (missing.problem, .now + Self.retryInterval)
        guard !hasReported else { return }
        hasReported = true
        report(
            "pages are not rendered but read as they were fetched, because there is no browser: \(missing.problem)")
    }

    private func drop(_ process: ChromiumProcess) async {
        if self.process === process { self.process = nil }
        await process.end()
    }

    private static func answers(_ process: ChromiumProcess, within patience: Duration) async -> Bool {
        let mailbox = Mailbox()
        defer { process.forget(mailbox) }
        let command = process.post("Browser.getVersion", to: mailbox)
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await (letter, _) in mailbox.letters {
                    switch letter {
                    case .answer(command, .success): return true
                    case .browserEnded: return false
                    default: continue
                    }
                }
                return false
            }
            group.addTask {
                // Cancelled when the browser has answered.
                try? await Task.sleep(for: patience)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}
