import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// `pippin export --frontier`: all URLs that a job knows.
@Suite struct FrontierExportTests {
    /// Holds lines to the schema, and to RFC 8785: Python writes JSON of strings and whole numbers in the same form.
    private static let judge = """
        import json, sys
        from jsonschema import Draft202012Validator
        with open(sys.argv[1], encoding="utf-8") as file:
            validator = Draft202012Validator(json.load(file))
        lines = sys.stdin.read().splitlines()
        for line in lines:
            document = json.loads(line)
            validator.validate(document)
            assert json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False) == line, line
        print(len(lines))
        """

    @Test func `every URL has a line, the same in every export, by the schema and as RFC 8785 writes it`() async throws
    {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        try site.writeJob(in: folder)
        site.show([1: "one", 2: "two"], linking: 1...3)
        let run = try await PippinProcess.run("pippin crawl --quiet", in: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        let export = try await PippinProcess.run("pippin export --frontier", in: folder.url)
        #expect(export.status == 0 && export.errors.isEmpty, "\(export.errors)")
        let lines = export.output.split(separator: "\n")
        var states: [String: String] = [:]
        for line in lines {
            var parser = JSONParser()
            let object = try parser.parse(String(line))
            let url = try #require(object["url"]?.string.flatMap { WebURL($0) })
            states[url.path] = object["state"]?.string
            guard object["state"]?.string != "known" else { continue }
            let (visit, due) = (object["lastVisit"]?.string ?? "", object["due"]?.string ?? "")
            #expect(visit < due && object["visits"]?.integer == 1, "\(line)")
        }
        #expect(states["/"] == "visited" && states["/3"] == "gone", "\(export.output)")
        let again = try await PippinProcess.run("pippin export --frontier", in: folder.url)
        #expect(again.output == export.output)
        let schema = Repository.root.appending(path: "Docs/frontier.schema.json").path
        let verdict = try PythonJudge(importing: "jsonschema").run(
            Self.judge, [schema], input: Array(export.output.utf8))
        #expect(verdict.status == 0 && verdict.output == "\(lines.count)\n", "\(verdict.output)")
    }

    @Test func `options of other exports are refused`() async throws {
        let folder = try ScratchFolder()
        for options in ["--limit 3", "--since x", "--format csv", "--history", "--links"] {
            let run = try await PippinProcess.run("pippin export --frontier \(options)", in: folder.url)
            #expect(run.status == 2 && run.errors.contains("--frontier"), "\(options): \(run.errors)")
        }
    }
}
