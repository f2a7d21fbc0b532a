import ArgumentParser
import CMimalloc
import Glibc
import PippinCrawl
import PippinPage

struct PippinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pippin",
        abstract: "Crawls the web from the pages of apps and writes deep-link records for a search index.",
        discussion: """
            Data goes to standard output, everything else to standard error. pippin help COMMAND has examples.

            Exit status: 0 done, 1 findings or not allowed, 2 usage or configuration, 3 some seeds failed, 4 a limit was \
            reached, 5 interrupted, 6 disk or database trouble, 7 another run holds the storage, 70 internal error.
            """,
        version: CrawlConfiguration.Agent.programVersion,
        groupedSubcommands: [
            CommandGroup(
                name: "Crawling",
                subcommands: [
                    InitCommand.self, AgentCommand.self, CrawlCommand.self, ImportCommand.self, NotifyCommand.self,
                    StatusCommand.self,
                    WhyCommand.self,
                    DemoCommand.self,
                ]),
            CommandGroup(
                name: "Pages",
                subcommands: [
                    ValidateCommand.self, ExtractCommand.self, RobotsCommand.self, SitemapCommand.self,
                    AssociationCommand.self,
                    URLCommand.self, JSONLDCommand.self,
                ]),
            CommandGroup(
                name: "What was crawled",
                subcommands: [
                    SearchCommand.self, ServeCommand.self, MCPCommand.self, ExportCommand.self, IndexCommand.self,
                ]),
            CommandGroup(
                name: "Upkeep",
                subcommands: [ForgetCommand.self, CheckCommand.self, BackupCommand.self, CompactCommand.self]),
            CommandGroup(name: "Many machines", subcommands: [WorkerCommand.self, ReshardCommand.self]),
        ])
}

@main
enum Program {
    /// Wrong usage ends with exit status 2, as everywhere in Pippin, and not with ArgumentParser's 64.
    static func main() async {
        // A page's memory is needed again for the next page. Given back at once (mimalloc waits 25 ms), it returns as page faults.
        pippin_keep_free_memory(1_000)
        occupyStandardStreams()
        do {
            if let problem = unknownCommand(in: CommandLine.arguments) { throw ValidationError(problem) }
            try await run(
                PippinCommand.parseAsRoot(SearchCommand.withWordsApart(Array(CommandLine.arguments.dropFirst()))))
        } catch {
            // The message may contain text from a server. `writeError` makes it safe for a terminal, ArgumentParser does not.
            let message = PippinCommand.fullMessage(for: error)
            let code = PippinCommand.exitCode(for: error)
            if code == .success {
                // A reader may close the pipe before the end of the help. That is no error.
                try? StandardOutput.write(message + "\n")
            } else if !message.isEmpty {
                writeError(message)
            }
            Glibc.exit(code == .validationFailure ? 2 : code.rawValue)
        }
    }

    /// What to say of a first word that is no command; nil if it is one, or an option.
    private static func unknownCommand(in arguments: [String]) -> String? {
        // `help` is ArgumentParser's own, and what the shell's completion calls begins with dashes.
        guard arguments.count > 1, let word = arguments.dropFirst().first, !word.hasPrefix("-"), word != "help" else {
            return nil
        }
        let names = PippinCommand.configuration.subcommands.map { $0._commandName }
        guard !names.contains(word) else { return nil }
        let meant = NearestName.of(word, in: names).map { "Did you mean '\($0)'? " } ?? ""
        return "There is no command '\(word)'. \(meant)'pippin --help' lists them all."
    }

    /// Gives descriptors 0 to 2 to `/dev/null` where the caller closed them. Otherwise the next file or socket that is opened gets
    /// such a number, and the report would be written into it. Reading and writing them fails.
    private static func occupyStandardStreams() {
        for descriptor in 0...2 as ClosedRange<Int32> where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    private static func run(_ command: any ParsableCommand) async throws {
        try await Console().reporting {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        }
    }
}
