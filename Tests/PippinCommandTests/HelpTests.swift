import ArgumentParser
import Foundation
import PippinTestSupport
import Testing

@testable import pippin

/// What users read before anything works.
@Suite struct HelpTests {
    /// Every command, with all of its subcommands.
    private static func commands(below command: any ParsableCommand.Type = PippinCommand.self)
        -> [any ParsableCommand.Type]
    {
        [command] + command.configuration.subcommands.flatMap { commands(below: $0) }
    }

    @Test func `no example is broken, and no line is wrapped twice, on 80 columns`() {
        for command in Self.commands() {
            let lines = command.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
            for (line, next) in zip(lines, lines.dropFirst() + [""]) {
                // Indented lines and rows of tables must stay as they are.
                if line.hasPrefix(" ") || line.contains("  ") {
                    #expect(line.count <= 80, "\(command._commandName): \(line)")
                } else if line.count > 80 {
                    // A paragraph of several lines would be wrapped, and each of its lines again.
                    #expect(
                        next.isEmpty || next.hasPrefix(" ") || line.hasSuffix("."), "\(command._commandName): \(line)")
                }
            }
        }
    }

    @Test func `every command is in a group of the help`() {
        let grouped = PippinCommand.configuration.groupedSubcommands.flatMap(\.subcommands).map { $0._commandName }
        #expect(grouped.count == PippinCommand.configuration.subcommands.count && Set(grouped).count == grouped.count)
    }

    /// A letter that meant one thing here and another there would be worse than none.
    @Test func `short options mean the same everywhere`() {
        var meanings: [String: Set<String>] = [:]
        for command in Self.commands() {
            for match in command.helpMessage(columns: 400).matches(
                of: #/(?m)^ +(-[a-zA-Z]), (?:--records-format/--format|--([a-z-]+))/#)
            {
                meanings[String(match.1), default: []].insert(match.2.map(String.init) ?? "format")
            }
        }
        #expect(meanings.count >= 10)
        #expect(meanings.allSatisfy { $0.value.count == 1 }, "\(meanings)")
    }

    @Test(
        .slow,
        arguments: [
            ("crwal", "There is no command 'crwal'. Did you mean 'crawl'?"), ("stats", "Did you mean 'status'?"),
            ("frobnicate", "There is no command 'frobnicate'. 'pippin --help' lists them all."),
        ]) func `a command that does not exist is named, with the one that was meant`(word: String, message: String)
        async throws
    {
        let run = try await PippinProcess.run(
            "pippin \(word) --max-pages 3", in: FileManager.default.temporaryDirectory)
        #expect(run.status == 2 && run.errors.contains(message), "\(run.errors)")
    }

    @Test(.slow) func `an invalid URL ends with 1`() async throws {
        let folder = FileManager.default.temporaryDirectory
        let valid = try await PippinProcess.run("pippin url http://a.example/", in: folder)
        #expect(valid.status == 0 && valid.output == "http://a.example/\n")
        let mixed = try await PippinProcess.run("pippin url http://a.example/ http://a.example:99999/", in: folder)
        #expect(mixed.status == 1 && mixed.output == "http://a.example/\ninvalid\n")
    }

    @Test(.slow) func `a file says by itself where it was found, as for validate`() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            "<title>A</title><link rel=canonical href='https://a.example/p'><a href=q>Q</a>", to: "page.html")
        try folder.write("<title>A</title>", to: "none.html")
        let found = try await PippinProcess.run("pippin extract page.html", in: folder.url)
        #expect(found.status == 0 && found.output.contains("https://a.example/q"), "\(found.errors)")
        #expect(found.errors.contains("https://a.example/p"), "\(found.errors)")
        let none = try await PippinProcess.run("pippin extract none.html", in: folder.url)
        #expect(none.status == 2 && none.errors.contains("no canonical link"), "\(none.errors)")
    }

    @Test(.slow) func `the demo says at once that the port of its pages is taken`() async throws {
        let folder = try ScratchFolder()
        let server = try LoopbackServer { _, _ in .close }
        let run = try await PippinProcess.run(
            "pippin demo --serve --serve-port \(server.port) --port 0 --http-port 0", in: folder.url)
        #expect(run.status == 2 && run.errors.contains("is taken"), "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    /// The flag goes before the environment.
    @Test(.slow) func `the contact may be in the environment`() async throws {
        let folder = FileManager.default.temporaryDirectory
        let without = try await PippinProcess.run(
            "unset PIPPIN_CONTACT; pippin robots https://a.example.org/ --agent Pippin", in: folder)
        #expect(without.status == 2 && without.errors.contains("contact"), "\(without.errors)")
        let wrong = try await PippinProcess.run(
            "PIPPIN_CONTACT=nobody pippin robots https://a.example.org/ --agent Pippin", in: folder)
        #expect(wrong.status == 2 && wrong.errors.contains("PIPPIN_CONTACT"), "\(wrong.errors)")
        let with = try await PippinProcess.run(
            "PIPPIN_CONTACT=you@example.org pippin robots https://a.example.org/ --agent Pippin", in: folder)
        #expect(with.status == 3, "\(with.errors)")
        for command in ["mcp --storage .", "serve --storage . --port 0"] {
            let run = try await PippinProcess.run("PIPPIN_CONTACT=nobody pippin \(command) < /dev/null", in: folder)
            #expect(run.status == 2 && run.errors.contains("PIPPIN_CONTACT"), "\(command): \(run.errors)")
        }
    }
}
