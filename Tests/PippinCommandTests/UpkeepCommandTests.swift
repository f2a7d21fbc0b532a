import Foundation
import PippinTestSupport
import Testing

/// `pippin check`, `backup` and `compact` on the storage of a real crawl.
@Suite struct UpkeepCommandTests {
    private func crawled() async throws -> ScratchFolder {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        try site.writeJob(in: folder)
        site.show(Dictionary(uniqueKeysWithValues: (1...12).map { ($0, "page \($0)") }), linking: 1...12)
        let run = try await PippinProcess.run("pippin crawl --quiet && pippin index update", in: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        return folder
    }

    @Test(.slow) func `a job is checked, backed up, restored and made smaller`() async throws {
        let folder = try await crawled()
        func pippin(_ line: String) async throws -> PippinProcess { try await PippinProcess.run(line, in: folder.url) }
        let check = try await pippin("pippin check --full")
        #expect(check.status == 0 && !check.output.contains("WRONG"), "\(check.output)\(check.errors)")
        #expect(check.output.split(separator: "\n").count >= 6)
        let compact = try await pippin("pippin compact")
        #expect(compact.status == 0 && compact.errors.contains("Database: "), "\(compact.errors)")
        let backup = try await pippin("pippin backup monday")
        #expect(
            backup.status == 0 && backup.output.isEmpty && backup.errors.contains("up to cursor"), "\(backup.errors)")
        #expect(FileManager.default.fileExists(atPath: folder.url.appending(path: "monday/crawl-config.yaml").path))
        #expect(try await pippin("pippin backup monday").status == 2)
        let lines = try await pippin("pippin export")
        let restored = try await pippin("pippin export --storage monday")
        #expect(restored.output == lines.output && restored.status == 0)
        #expect(try await pippin("pippin check --storage monday --full").status == 0)
        let wrong = try await pippin("pippin check --storage nowhere")
        #expect(wrong.status == 6 && wrong.errors.contains("nowhere"), "\(wrong.errors)")
    }

    @Test(.slow) func `wrong counts and a broken index are told, and fixed`() async throws {
        let folder = try await crawled()
        func pippin(_ line: String) async throws -> PippinProcess { try await PippinProcess.run(line, in: folder.url) }
        let index = folder.url.appending(path: "storage/search.sqlite")
        var bytes = try Data(contentsOf: index)
        for place in 8_192..<min(bytes.count, 60_000) { bytes[place] = 0xAA }
        try bytes.write(to: index)
        let check = try await pippin("pippin check")
        #expect(check.status == 1 && check.output.contains("WRONG   search index"), "\(check.output)\(check.errors)")
        let fix = try await pippin("pippin check --fix")
        #expect(fix.status == 0 && fix.output.contains("fixed   search index"), "\(fix.output)\(fix.errors)")
        #expect(try await pippin("pippin check --full").status == 0)
        let held = try await pippin("flock storage/lock pippin compact")
        #expect(held.status == 7, "\(held.errors)")
    }

    @Test(.slow) func `whoever is killed while space is given back leaves everything as it was`() async throws {
        let folder = try await crawled()
        let before = try await PippinProcess.run("pippin export", in: folder.url)
        for delay in ["0.02", "0.1", "0.2", "0.3"] {
            _ = try await PippinProcess.run("timeout -s KILL \(delay) pippin compact", in: folder.url)
            _ = try await PippinProcess.run("timeout -s KILL \(delay) pippin backup copy", in: folder.url)
            let check = try await PippinProcess.run("pippin check --full", in: folder.url)
            #expect(check.status == 0, "\(check.output)\(check.errors)")
        }
        #expect(try await PippinProcess.run("pippin export", in: folder.url).output == before.output)
    }
}
