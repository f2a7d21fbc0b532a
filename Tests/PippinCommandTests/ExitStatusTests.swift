import Foundation
import PippinTestSupport
import Testing

@Suite struct ExitStatusTests {
    @Test(arguments: [
        ("pippin --no-such-option", "no-such-option"),
        ("pippin crawl --max-pages many https://example.org/", "--max-pages"),
        ("pippin crawl --delay 5 https://example.org/", "5"),
        ("pippin crawl ftp://example.org/", "ftp://example.org/"),
        ("pippin crawl https://example.org/", "set --contact"),
        ("pippin crawl", "crawl-config.yaml"),
        ("pippin crawl http://127.0.0.1:9/ --app-lookup nowhere.json", "nowhere.json"),
        (
            "echo '{\"results\": 7}' > reply && pippin crawl http://127.0.0.1:9/ --app-lookup reply",
            "reply:1:1: “results” is not an array"
        ),
        ("pippin demo", "--site"),
        ("pippin extract nowhere.html --url https://example.org/", "nowhere.html"),
        ("pippin extract page.html", "page.html: there is no such file"), ("echo x | pippin extract -", "--url"),
        ("pippin robots --agent x --url mailto:x robots.txt", "mailto:x"),
    ])
    func `wrong usage ends with 2 and says what was wrong`(line: String, mentions: String) async throws {
        let folder = try ScratchFolder()
        let run = try await PippinProcess.run(line, in: folder.url)
        #expect(run.status == 2, "\(line): \(run.errors)")
        #expect(run.errors.contains(mentions), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test func `an unknown key of the configuration is named with its place and its neighbor`() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            "agent:\n  contact: https://example.org/bot\npoliteness:\n  dealy: 1s\n", to: "crawl-config.yaml")
        try folder.write("https://example.org/\n", to: "seeds.txt")
        let run = try await PippinProcess.run("pippin crawl", in: folder.url)
        #expect(run.status == 2)
        #expect(run.errors.contains("crawl-config.yaml:4:3"), "\(run.errors)")
        #expect(run.errors.contains("dealy") && run.errors.contains("delay"))
    }

    @Test func `the configuration and seeds at the root are good as they stand`() async throws {
        let folder = try ScratchFolder()
        for file in ["crawl-config.yaml", "seeds.txt"] {
            try folder.write(
                String(contentsOf: Repository.root.appending(path: file), encoding: .utf8)
                    .replacing("https://example.org/ ", with: "http://127.0.0.1:9/ "),
                to: file)
        }
        // The only seed is a private address, which the configuration does not allow: nothing leaves this machine.
        let run = try await PippinProcess.run("pippin crawl", in: folder.url)
        #expect(run.status == 3, "\(run.errors)")
        #expect(run.errors.contains("http://127.0.0.1:9/"))
    }

    @Test func `a full disk ends with 6 and names the file`() async throws {
        let folder = try ScratchFolder()
        let run = try await PippinProcess.run(
            "pippin crawl http://127.0.0.1:9/ --allow-private-networks --out /proc/none/records.ndjson", in: folder.url)
        #expect(run.status == 6, "\(run.errors)")
        #expect(run.errors.contains("/proc/none"))
    }

    @Test func `a disk that fills up in the middle of a line of the log ends with 6 and leaves whole lines`()
        async throws
    {
        let folder = try ScratchFolder()
        // A file that may not grow any further fails as a full disk does: after a part of what was to be written.
        let run = try await PippinProcess.run(
            """
            trap '' XFSZ; ulimit -f 1; exec pippin crawl http://127.0.0.1:9/ http://127.0.0.2:9/ http://127.0.0.3:9/ \
                http://127.0.0.4:9/ http://127.0.0.5:9/ http://127.0.0.6:9/ --allow-private-networks --quiet --log log.jsonl
            """, in: folder.url)
        #expect(run.status == 6, "\(run.errors)")
        #expect(run.errors.contains("log.jsonl") && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        let log = try String(contentsOf: folder.url.appending(path: "log.jsonl"), encoding: .utf8)
        #expect(log.hasSuffix("}\n") && log.utf8.count > 200, "\(log)")
    }

    @Test func `a summary goes to what is no file as it stands`() async throws {
        let folder = try ScratchFolder()
        // Put in place, it would take the place of the device; of a link, here, so that a failure does no harm.
        let link = folder.url.appending(path: "full")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: URL(filePath: "/dev/full"))
        let run = try await PippinProcess.run("pippin crawl http://127.0.0.1:9/ --quiet --summary full", in: folder.url)
        #expect(run.status == 6, "\(run.errors)")
        #expect(run.errors.contains("No space left on device"), "\(run.errors)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "/dev/full")
    }

    @Test func `a storage that another run holds ends with 7`() async throws {
        let folder = try ScratchFolder()
        let run = try await PippinProcess.run(
            "mkdir held && flock held/lock pippin crawl http://127.0.0.1:9/ --allow-private-networks --storage held",
            in: folder.url)
        #expect(run.status == 7, "\(run.errors)")
        #expect(run.errors.contains("held"))
    }
}
