import Foundation
import PippinTestSupport
import Testing

/// Holds the golden records against `Docs/record.schema.json`, with Python's jsonschema as an independent judge.
@Suite struct RecordSchemaTests {
    private static let schema = Fixtures.folder("record").deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs/record.schema.json")

    private static let script = """
        import json, sys
        from jsonschema import Draft202012Validator
        with open(sys.argv[1], encoding="utf-8") as file:
            schema = json.load(file)
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        failed = False
        for path in sys.argv[2:]:
            with open(path, encoding="utf-8") as file:
                for error in validator.iter_errors(json.load(file)):
                    print(f"{path}: {error.json_path}: {error.message}")
                    failed = True
        sys.exit(1 if failed else 0)
        """

    private static func validate(_ files: [URL]) throws -> PythonJudge.Verdict {
        try PythonJudge(importing: "jsonschema").run(script, [schema.path()] + files.map { $0.path() })
    }

    @Test func `every golden record keeps to the schema`() throws {
        let folder = Fixtures.folder("record")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(".json") }
        #expect(files.count >= 15)
        let verdict = try Self.validate(files.sorted().map { folder.appending(path: $0) })
        #expect(verdict.status == 0, "\(verdict.output)")
    }

    @Test func `the schema takes deletions and refuses what it does not know`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "record-schema-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let deletion = #""schemaVersion":1,"uniqueIdentifier":"https://e.example/","deleted":true,"reason":"gone","#
        let texts = [
            "{\(deletion)\"at\":\"2026-11-20T20:00:00Z\"}", "{\(deletion)\"at\":\"yesterday\"}",
            "{\(deletion)\"at\":\"2026-11-20T20:00:00Z\",\"more\":1}",
        ]
        for (index, text) in texts.enumerated() {
            let file = folder.appending(path: "\(index).json")
            try text.write(to: file, atomically: true, encoding: .utf8)
            let verdict = try Self.validate([file])
            #expect((verdict.status == 0) == (index == 0), "\(verdict.output)")
        }
    }
}
