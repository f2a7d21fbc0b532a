import PippinCrawl
import PippinPage

/// The browser. It starts with the first page, again when it has ended, and after a number of pages, so that what it keeps of them
/// does not add up.
public actor Chromium: Renderer {
    private let settings: RenderSettings
    private var process: ChromiumProcess?
    /// Pages since the start, and those that are open now.
    private var pageCount = 0
    private var openCount = 0
    private var isStarting = false
    private var isClosed = false
    /// Ended when a place may be free.
    private var waiting: [AsyncStream<Void>.Continuation] = []
    /// How often it was started.
    private(set) var startCount = 0
    /// The number of the running browser's first process; nil if none runs.
    var processID: Int32? { process.flatMap { $0.hasEnded ? nil : $0.processID } }

    /// The time for the first answer of a browser.
    private static let startPatience = Duration.seconds(20)

    public init(_ settings: RenderSettings) { self.settings = settings }

    /// Why pages cannot be rendered on this machine: a program is missing. Nil if all are there.
    public static func problem(_ settings: RenderSettings) -> BrowserMissing? {
        do throws(BrowserMissing) {
            _ = try ChromiumLaunch(settings)
            return nil
        } catch {
            return error
        }
    }

    public func render(
        _ page: FetchResponse, loading loader: any SubresourceLoader
    ) async -> Result<RenderedPage, RenderFailure> {
        guard await enter() else { return .failure(.cancelled) }
        defer { leave() }
        for isLast in [false, true] {
            let process: ChromiumProcess
            switch await started() {
            case .success(let running): process = running
            case .failure(let failure): return .failure(failure)
            }
            pageCount += 1
            let result = await PageRenderer.render(page, in: process, settings, loading: loader)
            // Another page may have ended the browser.
            if case .failure(.browserEnded) = result {
                await drop(process)
                if !isLast, !Task.isCancelled { continue }
            }
            return result
        }
        return .failure(.browserEnded)
    }

    /// Ends the browser. Nothing of it is left when this returns.
    public func shutdown() async {
        isClosed = true
        wakeAll()
        if let process { await drop(process) }
    }

    // MARK: Places

    /// Waits for a place. False if the task was cancelled or the browser is closed.
    private func enter() async -> Bool {
        while !isClosed, !Task.isCancelled {
            let isDue = pageCount >= settings.restartAfter && process != nil
            // A browser that is due for a restart takes no further page.
            if !isStarting, openCount < settings.maximumOpenPages, !(isDue && openCount > 0) {
                openCount += 1
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
        isStarting = true
        defer {
            isStarting = false
            wakeAll()
        }
        if let process { await drop(process) }
        do throws(BrowserMissing) {
            let started = try await ChromiumProcess.start(ChromiumLaunch(settings))
            guard await answers(started) else {
                let words = started.lastWords()
                await started.end()
                return .failure(.browserUnavailable(words.isEmpty ? "it does not answer" : words))
            }
            (process, pageCount) = (started, 0)
            startCount += 1
            return .success(started)
        } catch {
            return .failure(.browserUnavailable(error.problem))
        }
    }

    private func drop(_ process: ChromiumProcess) async {
        if self.process === process { self.process = nil }
        await process.end()
    }

    private func answers(_ process: ChromiumProcess) async -> Bool {
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
                try? await Task.sleep(for: Self.startPatience)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}
