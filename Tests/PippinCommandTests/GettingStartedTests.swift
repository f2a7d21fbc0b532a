import Foundation
import PippinTestSupport
import Testing

/// Docs/GettingStarted.md as a reader goes through it: each command is run, and says what the page shows.
@Suite struct GettingStartedTests {
    @Test func `every command of the page says what the page shows`() async throws {
        let scratch = try ScratchFolder()
        var folder = scratch.url
        try FileManager.default.createDirectory(
            at: folder.appending(path: "pippin-demo"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            at: folder.appending(path: "Examples"), withIntermediateDirectories: true)
        let site = folder.appending(path: "Examples/demo-site")
        try FileManager.default.copyItem(at: Repository.root.appending(path: "Examples/demo-site"), to: site)
        let blocks = DocumentedBlock.all(of: "Docs/GettingStarted.md")
        #expect(blocks.count { $0.language == "sh" } >= 6)

        try await DemoProcess.serving(site: site, folder: folder.appending(path: "pippin-demo")) { demo in
            let port = try #require(try demo.origin(of: "shop.example").split(separator: ":").last)
            var output = ""
            for block in blocks {
                let lines = block.lines.map { $0.replacing(":8443", with: ":\(port)") }
                guard block.language == "sh" else {
                    if let line = block.missing(in: output, { $0.replacing(":8443", with: ":\(port)") }) {
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
