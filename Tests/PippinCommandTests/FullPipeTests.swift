import Foundation
import PippinTestSupport
import Testing

/// A run whose output goes into a pipe that nobody reads can be ended all the same.
@Suite struct FullPipeTests {
    /// The binary with its output in a pipe that is full before it starts and that the test never reads.
    private final class Blocked {
        private let process = Process()
        private let pipe: FullPipe

        /// - Parameter arguments: of `pippin`.
        init(_ arguments: [String], in folder: URL, full: Set<Int32>, errors: String = "errors") throws {
            pipe = try FullPipe()
            let blocked = FileHandle(fileDescriptor: pipe.writeEnd, closeOnDealloc: false)
            let file = folder.appending(path: errors)
            try Data().write(to: file)
            process.executableURL = PippinProcess.binary
            process.arguments = arguments
            process.currentDirectoryURL = folder
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = full.contains(STDOUT_FILENO) ? blocked : FileHandle.nullDevice
            process.standardError = full.contains(STDERR_FILENO) ? blocked : try FileHandle(forWritingTo: file)
            try process.run()
        }

        func signal(_ number: Int32) { kill(process.processIdentifier, number) }

        /// The exit status, or 128 and the signal that ended it; nil when it does not end in time.
        func status(within seconds: Double) async throws -> Int32? {
            let end = Date(timeIntervalSinceNow: seconds)
            while process.isRunning {
                guard Date() < end else { return nil }
                try await Task.sleep(for: .milliseconds(20))
            }
            return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        }

        deinit {
            if process.isRunning {
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            }
        }
    }

    private static func waitFor(_ file: URL, toHold text: String) async throws {
        for _ in 0..<1_500 {
            if let data = FileManager.default.contents(atPath: file.path),
                String(decoding: data, as: UTF8.self).contains(text)
            {
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("\(file.lastPathComponent) never held \(text)")
    }

    private static let options = ["--allow-private-networks", "--records", "all", "--contact", "you@example.org"]

    @Test(arguments: [[STDOUT_FILENO], [STDOUT_FILENO, STDERR_FILENO]], [false, true])
    func `the second Ctrl-C ends a crawl whose output nobody reads`(full: [Int32], isJob: Bool) async throws {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        site.show([1: "One", 2: "Two"], linking: 1...2)
        try folder.write("politeness: { delay: 0s, adaptive: false }\nscope: { sitemaps: false }\n", to: "quick.yaml")
        let storage = isJob ? ["--storage", "kept"] : []
        let run = try Blocked(
            ["crawl", site.url("/"), "--config", "quick.yaml", "--log", "log.jsonl"] + Self.options + storage,
            in: folder.url, full: Set(full))
        // All is read, and the records cannot be handed over.
        try await Self.waitFor(folder.url.appending(path: "log.jsonl"), toHold: site.url("/2") + "\"")
        #expect(try await run.status(within: 0.5) == nil)
        run.signal(SIGINT)
        #expect(try await run.status(within: 0.5) == nil, "the first lets the records be handed over")
        run.signal(SIGINT)
        #expect(try await run.status(within: 60) == 5)
        guard isJob else { return }
        // What was found is kept.
        let export = try await PippinProcess.run("pippin export --storage kept", in: folder.url)
        #expect(export.output.contains(site.url("/1") + "\""), "\(export.output)")
    }

    @Test func `a crawl does not stand still for messages that nobody reads`() async throws {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        site.show([1: "One"], linking: [1])
        try folder.write("politeness: { delay: 0s, adaptive: false }\nscope: { sitemaps: false }\n", to: "quick.yaml")
        let run = try Blocked(
            ["crawl", site.url("/"), "--config", "quick.yaml", "--summary", "summary.json", "--out", "out.ndjson"]
                + Self.options, in: folder.url, full: [STDERR_FILENO])
        try await Self.waitFor(folder.url.appending(path: "summary.json"), toHold: "\"ending\"")
        let records = try String(contentsOf: folder.url.appending(path: "out.ndjson"), encoding: .utf8)
        #expect(records.contains(site.url("/1")))
        // Only the summary waits for its reader, until somebody says that there is none.
        run.signal(SIGINT)
        run.signal(SIGTERM)
        #expect(try await run.status(within: 60) != nil)
    }

    @Test func `an export that nobody reads ends with the first Ctrl-C`() async throws {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        site.show([1: "One"], linking: [1])
        try folder.write("politeness: { delay: 0s, adaptive: false }\nscope: { sitemaps: false }\n", to: "quick.yaml")
        let crawl = try await PippinProcess.run(
            "pippin crawl \(site.url("/")) --config quick.yaml --storage kept --quiet \(Self.options.joined(separator: " "))",
            in: folder.url)
        #expect(crawl.status == 0, "\(crawl.errors)")
        let run = try Blocked(["export", "--storage", "kept"], in: folder.url, full: [STDOUT_FILENO])
        #expect(try await run.status(within: 0.5) == nil)
        run.signal(SIGINT)
        #expect(try await run.status(within: 60) == 128 + SIGINT)
    }

    @Test func `a FIFO that nobody reads any more does not keep a run from ending`() async throws {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        // More than a pipe holds.
        site.show(
            Dictionary(uniqueKeysWithValues: (1...60).map { ($0, "Page \($0)") }), linking: 1...60, words: 400)
        try folder.write("politeness: { delay: 0s, adaptive: false }\nscope: { sitemaps: false }\n", to: "quick.yaml")
        let fifo = folder.url.appending(path: "fifo")
        #expect(mkfifo(fifo.path, 0o644) == 0)
        // A reader that has it open and never reads.
        let reader = open(fifo.path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let run = try Blocked(
            ["crawl", site.url("/"), "--config", "quick.yaml", "--out", "fifo", "--storage", "kept", "--quiet"]
                + Self.options, in: folder.url, full: [])
        #expect(try await run.status(within: 3) == nil)
        run.signal(SIGINT)
        run.signal(SIGTERM)
        #expect(try await run.status(within: 60) == 5)
    }
}
