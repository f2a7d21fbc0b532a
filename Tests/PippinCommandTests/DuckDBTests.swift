import Foundation
import PippinTestSupport
import Testing

/// Examples/duckdb: a table that follows a job has what a whole export has.
@Suite struct DuckDBTests {
    private static let folder = Repository.root.appending(path: "Examples/duckdb")

    /// The commands of the example's README, each with the program under test.
    private static func commands() throws -> [String] {
        let page = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
        return page.split(separator: "```", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 && $0.element.hasPrefix("sh\n") }
            .map { $0.element.dropFirst(3).trimmingCharacters(in: .newlines) }
    }

    @Test func `a table that takes in changes has what a whole export has`() async throws {
        let duckdb = try TestTool("duckdb")
        let scratch = try ScratchFolder()
        let site = try ChangingSite()
        try site.writeJob(in: scratch)
        try FileManager.default.copyItem(
            at: Self.folder.appending(path: "apply.sql"), to: scratch.url.appending(path: "apply.sql"))
        let commands = try Self.commands()
        try #require(commands.count == 3)
        func run(_ line: String) async throws -> String {
            let run = try await PippinProcess.run("PATH='\(duckdb.folder)':$PATH; set -e; \(line)", in: scratch.url)
            #expect(run.status == 0, "\(line): \(run.errors)")
            return run.output
        }
        let rounds: [[Int: String]] = [
            [1: "one", 2: "two", 3: "three", 4: "four"], [1: "one", 2: "two again", 3: "three", 5: "five"],
            [1: "one", 3: "three"], [1: "one, changed", 2: "two again", 3: "three", 4: "four", 6: "six"],
        ]
        for (number, titles) in rounds.enumerated() {
            // Links differ from round to round, and with them popularities of pages that stay as they are.
            site.show(titles, linking: (1...6).filter { $0 % (number + 1) != 0 || number == 0 })
            _ = try await run("pippin crawl --quiet")
            _ = try await run(commands[1])
            let query = "SELECT uniqueIdentifier, record->>'title', popularity FROM records ORDER BY 1"
            let followed = try await run("duckdb -csv records.duckdb -c \"\(query)\"")
            // The same file again changes nothing.
            _ = try await run("CHANGES=changes.ndjson duckdb records.duckdb -f apply.sql")
            #expect(try await run("duckdb -csv records.duckdb -c \"\(query)\"") == followed)
            _ = try await run(commands[0])
            let whole = try await run(
                "duckdb -csv -c \"SELECT uniqueIdentifier, title, popularity FROM 'records.parquet' ORDER BY 1\"")
            #expect(followed.split(separator: "\n").dropFirst() == whole.split(separator: "\n").dropFirst())
            #expect(whole.split(separator: "\n").count >= titles.count)
            #expect(try await run(commands[2]).contains("title"))
        }
    }
}
