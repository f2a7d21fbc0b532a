import Dispatch
import Foundation
import Glibc
import PippinCrawl
import PippinPage
import Synchronization

/// One running browser, and the wire to it: JSON texts that end with a zero byte, both ways.
///
///     post ──► queue ──► socket ──► browser ──► socket ──► thread ──► the mailbox of the command, or of the page
///
/// A thread starts the browser, reads what it says, and waits for its end. The kernel ends the browser with that thread
/// (`--die-with-parent`), and the browser ends when its wire does; so nothing of it outlives us, whatever ends us.
final class ChromiumProcess: Sendable {
    private struct State {
        var lastCommand = 0
        var commands: [Int: Mailbox] = [:]
        var pages: [String: Mailbox] = [:]
        var hasEnded = false
        var waitsForEnd: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let writing = DispatchQueue(label: "browser.writing")
    private let process: ConfinedProcess
    private var wire: Int32 { process.wire }
    var processID: pid_t { process.processID }
    /// Who its pages are told that it is.
    let agent: CrawlConfiguration.Agent

    /// The longest text that is taken from the browser: a document of 10 MB whose every byte is escaped.
    private static let maximumTextBytes = 80_000_000
    /// The time that a browser has to end by itself.
    private static let patience = Duration.seconds(1)

    private init(_ process: ConfinedProcess, agent: CrawlConfiguration.Agent) {
        (self.process, self.agent) = (process, agent)
    }

    /// Starts a browser. Whether it works is shown by its first answer.
    static func start(_ launch: ChromiumLaunch) async throws(ProgramMissing) -> ChromiumProcess {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<ChromiumProcess, ProgramMissing>, Never>) in
            let thread = Thread {
                let process: ChromiumProcess
                do throws(ProgramMissing) {
                    process = try spawn(launch)
                } catch {
                    return continuation.resume(returning: .failure(error))
                }
                continuation.resume(returning: .success(process))
                process.read()
                process.waitForEnd()
            }
            thread.name = "browser"
            thread.start()
        }
        return try result.get()
    }

    private static func spawn(_ launch: ChromiumLaunch) throws(ProgramMissing) -> ChromiumProcess {
        ChromiumProcess(
            try ConfinedProcess(launch.command, environment: ChromiumLaunch.environment, wire: .third),
            agent: launch.agent)
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    // MARK: Commands

    /// Gives the browser a command. Its end comes as a letter to `mailbox`.
    ///
    /// - Parameter page: the session of the page; nil for the browser itself.
    /// - Returns: the command's number.
    @discardableResult
    func post(_ method: String, _ parameters: JSONValue = [:], page: String? = nil, to mailbox: Mailbox) -> Int {
        let number: Int? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.lastCommand += 1
            state.commands[state.lastCommand] = mailbox
            return state.lastCommand
        }
        guard let number else {
            mailbox.put(.browserEnded)
            return 0
        }
        var text = JSONObject()
        text["id"] = .integer(number)
        text["method"] = .string(method)
        text["params"] = parameters
        text["sessionId"] = page.map { .string($0) }
        let bytes = JSONValue.object(text).bytes() + [0]
        writing.async { self.write(bytes) }
        return number
    }

    /// Events of a page go to a mailbox from now on.
    func register(page: String, _ mailbox: Mailbox) { state.withLock { $0.pages[page] = mailbox } }

    /// Nothing goes to a mailbox any more.
    func forget(_ mailbox: Mailbox) {
        state.withLock { state in
            state.pages = state.pages.filter { $0.value !== mailbox }
            state.commands = state.commands.filter { $0.value !== mailbox }
        }
    }

    private func write(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(wire, buffer.baseAddress.map { $0 + start }, bytes.count - start, Int32(MSG_NOSIGNAL))
            }
            if count < 0 {
                if errno == EINTR { continue }
                // The reading thread sees the end of the wire too, and reports it.
                return
            }
            start += count
        }
    }

    // MARK: End

    /// Ends the browser and waits until nothing of it is left.
    func end() async {
        shutdown(wire, Int32(SHUT_RDWR))
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.hasEnded { state.waitsForEnd.append(continuation) }
                return state.hasEnded
            }
            if isOver { continuation.resume() }
        }
    }

    /// What the browser, or what confines it, wrote before its end. At most 2,000 bytes.
    func lastWords() -> String { process.lastWords() }

    // MARK: The thread

    /// Reads until the wire ends.
    private func read() {
        var text: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = recv(wire, &block, block.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            var rest = block[..<count]
            while let end = rest.firstIndex(of: 0) {
                text += rest[..<end]
                take(text)
                text.removeAll(keepingCapacity: text.count < 1 << 20)
                rest = rest[(end + 1)...]
            }
            text += rest
            // A browser that speaks so long is not ours any more.
            guard text.count <= Self.maximumTextBytes else { return }
        }
    }

    private func take(_ text: [UInt8]) {
        var limits = ReadingLimits()
        limits.maximumJSONDepth = 200
        var parser = JSONParser(limits: limits)
        let message: JSONValue
        do throws(JSONSyntaxError) {
            message = try parser.parse(text)
        } catch {
            // Beyond a limit, such as thousands of header fields. What it was about ends by its time.
            return
        }
        if let command = message["id"]?.integer {
            let mailbox = state.withLock { $0.commands.removeValue(forKey: command) }
            let answer: Result<JSONValue, Mailbox.CommandFailure> =
                if let error = message["error"] {
                    .failure(Mailbox.CommandFailure(message: error["message"]?.string ?? "unknown"))
                } else {
                    .success(message["result"] ?? [:])
                }
            mailbox?.put(.answer(command: command, answer), byteCount: text.count)
        } else if let method = message["method"]?.string, let page = message["sessionId"]?.string {
            state.withLock { $0.pages[page] }?.put(.event(method, message["params"] ?? [:]), byteCount: text.count)
        }
    }

    /// Waits for the end of the process, and ends it by force if it does not come.
    private func waitForEnd() {
        process.waitForEnd(within: Self.patience)
        let (mailboxes, waiting) = state.withLock { state in
            state.hasEnded = true
            defer { (state.commands, state.pages, state.waitsForEnd) = ([:], [:], []) }
            return (Array(state.commands.values) + Array(state.pages.values), state.waitsForEnd)
        }
        for mailbox in mailboxes { mailbox.put(.browserEnded) }
        for continuation in waiting { continuation.resume() }
    }
}
