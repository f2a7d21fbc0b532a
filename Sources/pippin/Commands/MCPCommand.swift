import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinServe
import PippinStore

struct MCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Gives search, records and report cards to agents (Model Context Protocol).",
        discussion: """
            An agent's program starts it, and speaks with it over standard input and output: one JSON-RPC message a line. It ends \
            with its input. pippin serve has the same tools over HTTP, at /mcp.

            Its tools change nothing, and it may run while a crawl does. Like pippin serve, it keeps the job's search index, \
            search.sqlite in the folder of the storage: it makes one if there is none, and takes in what a crawl has found since. Where it \
            may not write the index, it says so, and searches the index as it is. Report cards ask the hosts of their pages as a crawl \
            would, with the settings of the configuration.

            Examples:
              pippin mcp --storage crawl-data
              pippin mcp --config job/crawl-config.yaml

            Exit status: 0 the input has ended, 2 usage or configuration, 6 there is no storage, or it cannot be read.
            """)

    @OptionGroup var place: StoragePlace

    @Option(help: "File of words that mean the same, a line each: courgette, zucchini. Read once, at the start.")
    var synonyms: String?

    func run() async throws {
        let configuration = try place.requestConfiguration()
        var settings = WebSettings(storage: try place.searchedFolder())
        settings.takeJob(configuration)
        settings.hasConfiguration = try place.configuration() != nil
        // A folder that someone has named may be misspelled. That of a job comes with its first run.
        settings.awaitsStorage = place.storage == nil
        settings.fetchPicture = nil
        settings.synonyms = try synonyms.map { try OperatorFile($0) { try SearchSynonyms(contentsOf: $0) } }
        settings.report = { writeError("pippin: \($0)") }
        let interrupt = Interrupt()
        let signals = InterruptSignals(first: { interrupt.come() }, later: { interrupt.come() })
        defer { signals.end() }
        let session = try MCPSession(settings) { try StandardOutput.write(lines: $0) }
        do {
            try await interrupt.cancels { try await Self.converse(with: session) }
        } catch is CancellationError {
            // Ctrl-C is the other way to end it.
        }
    }

    private static func converse(with session: MCPSession) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await session.keepUp() }
            defer { group.cancelAll() }
            let input = MCPInput(descriptor: STDIN_FILENO)
            input.start()
            for await line in input.lines {
                switch line {
                case .line(let bytes): try await session.receive(bytes)
                case .tooLong: try await session.refuseLongLine()
                }
                input.tookLine()
            }
            if Task.isCancelled { await session.giveUp() }
            try await session.end()
        }
    }
}
