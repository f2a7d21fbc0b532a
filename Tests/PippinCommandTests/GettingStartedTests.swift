import Foundation
import PippinTestSupport
import Testing

/// Docs/GettingStarted.md as a reader goes through it: each command is run, and says what the page shows.
@Suite struct GettingStartedTests {
    /// A fenced block of the page.
    private struct Block {
        let isCommand: Bool
        let lines: [String]
    }

    private static func blocks() throws -> [Block] {
        let page = try String(contentsOf: Repository.root.appending(path: "Docs/GettingStarted.md"), encoding: .utf8)
        let parts = page.split(separator: "```", omittingEmptySubsequences: false)
        try #require(parts.count % 2 == 1)
        return stride(from: 1, to: parts.count, by: 2).map { index in
            var lines = parts[index].split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let language = lines.removeFirst()
            return Block(isCommand: language == "sh", lines: lines.filter { !$0.isEmpty })
        }
    }

    /// A line without what may differ between two runs: moments, durations, sizes, requests, cursors.
    private static func steady(_ line: String) -> String {
        line.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "MOMENT")
            .replacing(/[\d.,]+ (?:ms|s|bytes|KB|MB|requests)\b/, with: "AMOUNT")
            .replacing(/[0-9a-f]{16}-\d+/, with: "CURSOR")
    }

    /// The first line of a block that is not in an output, behind the line before it. `…` stands for the rest of a line.
    private static func missing(_ block: [String], in output: String) -> String? {
        var rest = output.split(separator: "\n", omittingEmptySubsequences: false).map { steady(String($0)) }[...]
        for line in block {
            let wanted = steady(line)
            let found = rest.firstIndex {
                wanted.hasSuffix("…") ? $0.hasPrefix(wanted.dropLast()) : $0 == wanted
            }
            guard let found else { return line }
            rest = rest[(found + 1)...]
        }
        return nil
    }

    @Test func `every command of the page says what the page shows`() async throws {
        let scratch = try ScratchFolder()
        var folder = scratch.url
        try FileManager.default.createDirectory(
            at: folder.appending(path: "pippin-demo"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            at: folder.appending(path: "Examples"), withIntermediateDirectories: true)
        let site = folder.appending(path: "Examples/demo-site")
        try FileManager.default.copyItem(at: Repository.root.appending(path: "Examples/demo-site"), to: site)
        let blocks = try Self.blocks()
        #expect(blocks.count(where: \.isCommand) >= 6)

        try await DemoProcess.serving(site: site, folder: folder.appending(path: "pippin-demo")) { demo in
            let port = try #require(try demo.origin(of: "shop.example").split(separator: ":").last)
            var output = ""
            for block in blocks {
                let lines = block.lines.map { $0.replacing(":8443", with: ":\(port)") }
                guard block.isCommand else {
                    if let line = Self.missing(lines, in: output) {
                        Issue.record("nobody says “\(line)”, but:\n\(output.prefix(6_000))")
                    }
                    continue
                }
                output = ""
                for line in lines {
                    // The program is built, and the demo is served.
                    if line.hasPrefix("make ") || line.hasPrefix("export ") { continue }
                    if line == "pippin demo" {
                        output = demo.greeting
                    } else if line.hasPrefix("cd ") {
                        folder.append(path: String(line.dropFirst(3)))
                    } else {
                        let run = try await PippinProcess.run(line, in: folder)
                        // 1: the card has an error. 3: a seed fails on purpose.
                        #expect([0, 1, 3].contains(run.status), "\(line): \(run.status) \(run.errors)")
                        output += run.output + run.errors
                    }
                }
            }
        }
    }
}
