import Foundation
import PippinTestSupport
import Testing

/// Two jobs side by side: neither takes the other's files.
@Suite struct SharedOutputTests {
    private static let crawl = "pippin crawl http://127.0.0.1:9/ --allow-private-networks --config quick.yaml"
    private static let quick = "fetch: { retries: 0, connect_timeout: 2s }\n"

    @Test func `two jobs without a file for their records have one each, in their storages`() async throws {
        let folder = try ScratchFolder()
        try folder.write("http://127.0.0.1:9/\n", to: "seeds.txt")
        for name in ["one", "two"] {
            try folder.write(
                "storage: \(name)-data\nfetch: { retries: 0, connect_timeout: 2s, allow_private_networks: true }\n",
                to: "\(name).yaml")
            let run = try await PippinProcess.run("pippin crawl --config \(name).yaml --quiet", in: folder.url)
            #expect(run.status == 3, "\(run.errors)")
        }
        let moved = try await PippinProcess.run(
            "pippin crawl --config two.yaml --storage three-data --quiet", in: folder.url)
        #expect(moved.status == 3, "\(moved.errors)")
        for name in ["one", "two", "three"] {
            let file = folder.url.appending(path: "\(name)-data/records.ndjson").path
            #expect(FileManager.default.fileExists(atPath: file), "\(file)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "crawl-data").path))
    }

    @Test(arguments: [
        ("--out", "records.ndjson", "records.ndjson.lock"), ("--log", "crawl.jsonl", "crawl.jsonl.lock"),
        ("--summary", "summary.json", "summary.json.lock"), ("--metrics", "pippin.prom", "pippin.prom.lock"),
        ("--report", "report", "report/.lock"),
    ])
    func `an output that another run writes ends with 7, names it, and is left as it is`(
        flag: String, output: String, lock: String
    ) async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.quick, to: "quick.yaml")
        if flag != "--report" { try folder.write("of another run\n", to: output) }
        let run = try await PippinProcess.run(
            "mkdir -p $(dirname \(lock)); flock \(lock) \(Self.crawl) \(flag) \(output)", in: folder.url)
        #expect(run.status == 7, "\(run.errors)")
        #expect(run.errors.contains("\(output): another run writes"), "\(run.errors)")
        guard flag != "--report" else { return }
        #expect(
            try String(contentsOf: folder.url.appending(path: output), encoding: .utf8) == "of another run\n")
    }

    @Test func `two exports do not follow one cursor at a time`() async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.quick, to: "quick.yaml")
        _ = try await PippinProcess.run(Self.crawl + " --storage kept --quiet", in: folder.url)
        let held = try await PippinProcess.run(
            "flock cursor.lock pippin export --storage kept --cursor-file cursor", in: folder.url)
        #expect(held.status == 7, "\(held.errors)")
        #expect(held.output.isEmpty && held.errors.contains("cursor: another run writes"), "\(held.errors)")
        let free = try await PippinProcess.run("pippin export --storage kept --cursor-file cursor", in: folder.url)
        #expect(free.status == 0, "\(free.errors)")
    }
}
