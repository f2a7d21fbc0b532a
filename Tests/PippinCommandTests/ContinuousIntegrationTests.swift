import Foundation
import PippinTestSupport
import Testing

/// The files of `Examples/ci`, run as CI and git run them.
@Suite struct ContinuousIntegrationTests {
    private static let folder = Repository.root.appending(path: "Examples/ci")

    private static let good = """
        <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A pie of small apples</title>
        <link rel="canonical" href="https://example.org/good.html"><meta name="viewport" content="width=device-width">
        <meta name="description" content="How to bake a pie of small apples, with cinnamon and a little patience.">
        </head><body><h1>A pie of small apples</h1><p>Peel the apples, and bake them for an hour.</p></body></html>
        """
    /// A page that is kept out of search by mistake: an error.
    private static let bad = good.replacing(
        "</head>", with: "<meta name=robots content=noindex></head>")

    private func site(_ folder: borrowing ScratchFolder) throws {
        for name in ["dist/a b", "dist/node_modules"] {
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: name), withIntermediateDirectories: true)
        }
        try folder.write(Self.good, to: "dist/good.html")
        try folder.write(Self.bad, to: "dist/a b/bad#1.htm")
        try folder.write(Self.bad, to: "dist/node_modules/not-ours.html")
        try folder.write("no page", to: "dist/readme.txt")
    }

    private func run(_ line: String, _ folder: borrowing ScratchFolder) async throws -> PippinProcess {
        try await PippinProcess.run(
            line.replacing("validate-pages.sh", with: "'\(Self.folder.path)/validate-pages.sh'"), in: folder.url)
    }

    @Test func `all pages of a folder are judged, at their addresses`() async throws {
        let folder = try ScratchFolder()
        try site(folder)
        let run = try await run(
            "validate-pages.sh --url-base https://example.org/ --format json --out reports dist", folder)
        #expect(run.status == 1 && run.errors.contains("2 pages, 1 with findings (error)"), "\(run.errors)")
        let reports = folder.url.appending(path: "reports")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: reports.path).sorted() == [
                "a_b_bad#1.htm.json", "good.html.json",
            ])
        let bad = try String(contentsOf: reports.appending(path: "a_b_bad#1.htm.json"), encoding: .utf8)
        #expect(bad.contains("https://example.org/a%20b/bad%231.htm"), "\(bad.prefix(500))")
        let good = try await self.run("validate-pages.sh dist/good.html", folder)
        #expect(good.status == 0 && good.output.contains("== dist/good.html"), "\(good.output) \(good.errors)")
    }

    @Test func `wrong use ends with 2`() async throws {
        let folder = try ScratchFolder()
        try site(folder)
        for (line, words) in [
            ("validate-pages.sh", "--url-base URL"), ("validate-pages.sh --colour dist", "unknown option --colour"),
            ("validate-pages.sh nowhere", "there is no nowhere"),
            ("validate-pages.sh dist/readme.d", "there is no dist/readme.d"),
            ("mkdir empty; validate-pages.sh empty", "no HTML file in empty"),
            ("PATH=/nowhere validate-pages.sh dist", "pippin is not in PATH"),
            ("validate-pages.sh --format rtf dist/good.html", "could not be judged"),
        ] {
            let run = try await run(line, folder)
            #expect(run.status == 2 && run.errors.contains(words), "\(line): \(run.status) \(run.errors)")
        }
    }

    /// Takes the command out of the action as GitHub's runner would, with inputs that try to be commands.
    @Test func `the action's command writes SARIF and takes its inputs as text`() async throws {
        let folder = try ScratchFolder()
        try site(folder)
        let action = try String(contentsOf: Self.folder.appending(path: "action.yml"), encoding: .utf8)
        let command = try #require(action.range(of: "      run: |\n")).upperBound
        try folder.write(String(action[command...]), to: "step.sh")
        #expect(!action[command...].contains("${{"), "inputs must come as variables")
        let environment = "ACTION='\(Self.folder.path)' FORMAT=sarif FAIL_ON=error"
        let bad = try await PippinProcess.run(
            "\(environment) PAGES=dist URL_BASE=https://example.org OUT=reports bash -e step.sh", in: folder.url)
        #expect(bad.status == 1, "\(bad.errors)")
        let verdict = try PythonJudge().run(
            """
            import json, pathlib, sys
            files = sorted(pathlib.Path(sys.argv[1]).iterdir())
            runs = [json.loads(file.read_text())["runs"][0] for file in files]
            assert len(runs) == 2 and all(run["tool"]["driver"]["name"].lower() == "pippin" for run in runs)
            print([sum(result.get("level") == "error" for result in run["results"]) > 0 for run in runs])
            """, [folder.url.appending(path: "reports").path])
        #expect(verdict.output == "[True, False]\n", "\(verdict.output)")
        let sly = try await PippinProcess.run(
            "\(environment) PAGES='$(touch broken-in); touch broken-in' URL_BASE='`touch broken-in`' OUT=o bash -e step.sh",
            in: folder.url)
        #expect(
            sly.status == 2 && !FileManager.default.fileExists(atPath: folder.url.appending(path: "broken-in").path))
        let good = try await PippinProcess.run(
            "\(environment) PAGES=dist/good.html URL_BASE= OUT=reports bash -e step.sh", in: folder.url)
        #expect(good.status == 0, "\(good.errors)")
    }

    @Test func `the hook of git judges what is committed, not what lies around`() async throws {
        let folder = try ScratchFolder()
        try site(folder)
        let git = "git -c user.name=T -c user.email=t@example.org -c init.defaultBranch=main"
        let setUp = try await PippinProcess.run(
            """
            \(git) init -q . && mkdir -p .git/hooks && cp '\(Self.folder.path)/pre-commit' '\(Self.folder.path)/validate-pages.sh' .git/hooks/
            \(git) add dist/good.html dist/readme.txt && \(git) commit -q -m good
            """, in: folder.url)
        #expect(setUp.status == 0, "\(setUp.errors)")
        let bad = try await PippinProcess.run(
            "\(git) add -A dist && cp dist/good.html 'dist/a b/bad#1.htm' && \(git) commit -q -m bad", in: folder.url)
        #expect(bad.status == 1 && bad.errors.contains("== ./dist/a b/bad#1.htm"), "\(bad.output) \(bad.errors)")
        let text = try await PippinProcess.run(
            "\(git) reset -q && echo more >> dist/readme.txt && \(git) add dist/readme.txt && \(git) commit -q -m text",
            in: folder.url)
        #expect(text.status == 0 && text.errors.isEmpty, "\(text.errors)")
    }

    @Test func `the YAML files are well formed and name what is there`() throws {
        let verdict = try PythonJudge(importing: "yaml").run(
            """
            import pathlib, re, sys, yaml
            folder = pathlib.Path(sys.argv[1])
            action, workflow, hooks = (yaml.safe_load((folder / name).read_text()) for name in ["action.yml", "workflow.yml", "pre-commit-config.yaml"])
            step = action["runs"]["steps"][0]
            assert action["runs"]["using"] == "composite" and step["shell"] == "bash"
            used = set(re.findall(r"inputs\\.([a-z-]+)", str(step["env"]) + str(action["outputs"])))
            assert used == set(action["inputs"]), used
            steps = workflow["jobs"]["pippin"]["steps"]
            given = next(each["with"] for each in steps if each["uses"].endswith("/pippin"))
            assert set(given) <= set(action["inputs"])
            assert {name for name, each in action["inputs"].items() if each.get("required")} <= set(given)
            assert steps[-1]["with"]["sarif_file"] == action["inputs"]["out"]["default"]
            hook = hooks["repos"][0]["hooks"][0]
            assert re.search(hook["files"], "a/b.html") and not re.search(hook["files"], "b.htmlx")
            """, [Self.folder.path])
        #expect(verdict.status == 0, "\(verdict.output)")
    }
}
