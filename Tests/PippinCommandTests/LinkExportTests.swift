import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// The link graph of a real crawl, exported, and the popularity of its records.
@Suite struct LinkExportTests {
    /// Ranks the exported links with networkx, and compares the popularity of each exported record.
    private static let judge = """
        import csv, json, math, sys, networkx
        from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python
        lines, table, records = (open(name, newline="").read() for name in sys.argv[1:4])
        links = [json.loads(line) for line in lines.splitlines()]
        rows = list(csv.DictReader(table.splitlines()))
        assert [[l["from"], l["to"], str(l["nofollow"]).lower(), l["weight"]] for l in links] \\
            == [[r["from"], r["to"], r["nofollow"], float(r["weight"])] for r in rows]
        graph = networkx.DiGraph()
        for link in links:
            graph.add_nodes_from([link["from"], link["to"]])
            assert link["nofollow"] == (link["weight"] == 0)
            if link["weight"] > 0:
                graph.add_edge(link["from"], link["to"], weight=link["weight"])
        ranks = _pagerank_python(graph, alpha=0.85, tol=1e-13, max_iter=1000)
        dangling = sum(ranks[page] for page in graph if not graph[page])
        least = (0.15 + 0.85 * dangling) / len(graph)
        checked = 0
        for line in records.splitlines():
            record = json.loads(line)
            if "uniqueIdentifier" not in record: continue
            expected = math.log(ranks[record["uniqueIdentifier"]] / least) / -math.log(least)
            assert abs(record["popularity"] - expected) < 0.0011, (record["uniqueIdentifier"], expected)
            assert record["provenance"]["popularity"] == "link-graph"
            checked += 1
        print(len(links), sum(l["nofollow"] for l in links), checked)
        """

    @Test(.slow) func `popularity is what networkx makes of the exported links`() async throws {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        try site.writeJob(in: folder)
        site.show(Dictionary(uniqueKeysWithValues: (1...12).map { ($0, "page \($0)") }), linking: 1...12)
        site.add("/1", "<title>one</title>One<a href=/>home</a><a href=/2>2</a><a href='/a,b'>comma</a>")
        site.add("/2", "<title>two</title>Two<a href=/ rel=nofollow>home</a><a href=/1>1</a>")
        site.add("/a,b", "<title>comma</title>A comma<a href=/2>2</a>")
        let run = try await PippinProcess.run("pippin crawl --quiet", in: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        for (options, name) in [
            ("--links", "links.ndjson"), ("--links --format csv", "links.csv"), ("", "records.out"),
        ] {
            let export = try await PippinProcess.run("pippin export \(options)", in: folder.url)
            #expect(export.status == 0 && export.errors.isEmpty, "\(export.errors)")
            try folder.write(export.output, to: name)
        }
        let verdict = try PythonJudge(importing: "networkx").run(
            Self.judge, ["links.ndjson", "links.csv", "records.out"].map { folder.url.appending(path: $0).path })
        #expect(verdict.status == 0 && verdict.output == "18 1 14\n", "\(verdict.output)")
        // The file of records ends with the same values.
        let lines = try String(contentsOf: folder.url.appending(path: "records.ndjson"), encoding: .utf8)
        func popularities(_ lines: String) throws -> [String: Double] {
            var found: [String: Double] = [:]
            for line in lines.split(separator: "\n") {
                var parser = JSONParser()
                let record = try parser.parse(String(line))
                if let identifier = record["uniqueIdentifier"]?.string {
                    found[identifier] = record["popularity"]?.double ?? 0
                }
            }
            return found
        }
        let exported = try String(contentsOf: folder.url.appending(path: "records.out"), encoding: .utf8)
        let last = try popularities(lines)
        #expect(try last.count == 14 && last == popularities(exported))
    }

    @Test func `options that mean nothing for links are refused`() async throws {
        let folder = try ScratchFolder()
        for options in [
            "--links --format opensearch-bulk", "--links --limit 3", "--links --since a-1", "--format csv",
            "--links --cursor-file c", "--links --index i",
        ] {
            let run = try await PippinProcess.run("pippin export \(options)", in: folder.url)
            #expect(run.status == 2 && run.output.isEmpty, "\(options): \(run.errors)")
        }
    }
}
