import Foundation
import PippinTestSupport
import Testing

/// The archive of real crawls of the demo site, read back by warcio.
@Suite struct ArchiveCommandTests {
    /// Reads every record of a folder of WARC files with warcio, and holds records and indexes against each other. Prints how
    /// many records of each kind there are.
    private static let judge = """
        import collections, glob, json, os, sys
        from warcio.archiveiterator import ArchiveIterator
        folder = sys.argv[1]
        assert not glob.glob(folder + "/*.open"), "a file was left open"
        kinds, captures = collections.Counter(), {}
        paths = sorted(glob.glob(folder + "/*.warc.gz"))
        assert paths
        for path in paths:
            listed, requested, seen, identifiers = {}, [], {}, []
            with open(path[:-len(".warc.gz")] + ".cdxj", "rb") as file: lines = file.read().split(b"\\n")
            assert lines.pop() == b"" and lines == sorted(lines)
            for line in lines:
                key, stamp, rest = line.decode("utf-8").split(" ", 2)
                entry = json.loads(rest)
                assert entry["filename"] == os.path.basename(path)
                assert int(entry["offset"]) not in listed
                listed[int(entry["offset"])] = (stamp, entry)
            with open(path, "rb") as file:
                iterator = ArchiveIterator(file, check_digests=True)
                for number, record in enumerate(iterator):
                    head = record.rec_headers
                    kind, identifier = record.rec_type, head["WARC-Record-ID"]
                    kinds[kind] += 1
                    assert head.protocol == "WARC/1.1" and (kind == "warcinfo") == (number == 0)
                    body = record.raw_stream.read()
                    assert record.digest_checker.passed is not False, (path, identifier, record.digest_checker.problems)
                    assert head["WARC-Block-Digest"].startswith("sha1:")
                    offset, length = iterator.get_record_offset(), iterator.get_record_length()
                    if kind == "request":
                        requested.append(head["WARC-Concurrent-To"])
                        assert record.http_headers.protocol == "GET", record.http_headers.protocol
                        assert head["WARC-Target-URI"] == identifiers[-1][1]
                    elif kind in ("response", "revisit"):
                        identifiers.append((identifier, head["WARC-Target-URI"]))
                        stamp, entry = listed.pop(offset)
                        assert int(entry["length"]) == length, (entry, length)
                        assert entry["url"] == head["WARC-Target-URI"]
                        assert stamp == "".join(c for c in head["WARC-Date"] if c.isdigit())
                        assert entry["status"] == record.http_headers.get_statuscode()
                        digest = head["WARC-Payload-Digest"]
                        assert entry.get("digest") == digest
                        assert (entry["mime"] == "warc/revisit") == (kind == "revisit")
                        if kind == "response":
                            captures[(head["WARC-Target-URI"], head["WARC-Date"], digest)] = len(body)
                        elif head["WARC-Refers-To-Date"]:
                            profile = head["WARC-Profile"].rsplit("/", 1)[1]
                            assert (profile == "server-not-modified") == (entry["status"] == "304"), profile
                            origin = (head["WARC-Refers-To-Target-URI"], head["WARC-Refers-To-Date"], digest)
                            assert origin in captures, origin
            assert not listed, listed
            assert requested == [identifier for identifier, _ in identifiers]
        print(" ".join(f"{kind}={kinds[kind]}" for kind in sorted(kinds)))
        """

    private func judged(_ folder: URL) throws -> [String: Int] {
        let archive = folder.appending(path: "archive")
        let names = try FileManager.default.contentsOfDirectory(atPath: archive.path).filter {
            $0.hasSuffix(".warc.gz")
        }
        let paths = names.sorted().map { archive.appending(path: $0).path }
        let warcio = try TestTool("warcio")
        try warcio.run(["check", "-v"] + paths, in: folder)
        try warcio.run(["index", "-o", "index.json"] + paths, in: folder)
        let verdict = try PythonJudge(importing: "warcio").run(Self.judge, [archive.path])
        #expect(verdict.status == 0, "\(verdict.output)")
        var kinds: [String: Int] = [:]
        for word in verdict.output.split(whereSeparator: \.isWhitespace) {
            let parts = word.split(separator: "=")
            if parts.count == 2 { kinds[String(parts[0])] = Int(parts[1]) }
        }
        let indexed = try String(contentsOf: folder.appending(path: "index.json"), encoding: .utf8)
        #expect(indexed.split(separator: "\n").count == kinds.values.reduce(0, +))
        return kinds
    }

    private static let site = Repository.root.appending(path: "Examples/demo-site")

    @Test func `two crawls of the demo site are archived record by record`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await DemoProcess.serving(site: Self.site, folder: folder) { _ in
            let line = "pippin crawl --config crawl-config.yaml --quiet --delay 0s --warc archive"
            let first = try await PippinProcess.run(line, in: folder)
            #expect([0, 3].contains(first.status), "\(first.errors)")
            let kinds = try judged(folder)
            #expect(kinds["warcinfo"] == 1 && kinds["response"] ?? 0 > 80, "\(kinds)")
            #expect(kinds["request"] == (kinds["response"] ?? 0) + (kinds["revisit"] ?? 0))

            try ChangingSite.letTimePass(in: folder)
            let second = try await PippinProcess.run(line, in: folder)
            #expect([0, 3].contains(second.status), "\(second.errors)")
            let both = try judged(folder)
            // Hardly anything has changed.
            #expect(both["warcinfo"] == 2)
            #expect((both["revisit"] ?? 0) - (kinds["revisit"] ?? 0) > 50, "\(both)")
        }
    }

    @Test func `what a killed crawl leaves is finished by the next one`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await DemoProcess.serving(site: Self.site, folder: folder) { _ in
            let killed = try await PippinProcess.run(
                """
                touch running
                while [ -e running ]; do
                    [ "$(cat archive/*.open 2>/dev/null | wc -c)" -lt 20000 ] || { kill -9 "$(cat storage/lock)"; break; }
                done &
                pippin crawl --config crawl-config.yaml --quiet --warc archive
                status=$?
                rm running
                [ $status = 137 ] || exit 9
                for file in archive/*.open; do printf 'half a record' >> $file; done
                """, in: folder)
            #expect(killed.status == 0, "\(killed.errors)")
            let next = try await PippinProcess.run(
                "pippin crawl --config crawl-config.yaml --quiet --delay 0s --warc archive", in: folder)
            #expect([0, 3].contains(next.status), "\(next.errors)")
            let kinds = try judged(folder)
            #expect(kinds["warcinfo"] == 2 && kinds["response"] ?? 0 > 80, "\(kinds)")
        }
    }
}
