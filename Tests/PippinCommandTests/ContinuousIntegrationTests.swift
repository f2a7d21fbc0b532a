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

    private func text(_ name: String, in folder: borrowing ScratchFolder) throws -> String {
        try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
    }

    /// Takes the command out of the action as GitHub's runner would, with inputs that try to be commands.
    @Test func `the action's command writes SARIF and takes its inputs as text`() async throws {
        let folder = try ScratchFolder()
        try site(folder)
        let action = try String(contentsOf: Self.folder.appending(path: "action.yml"), encoding: .utf8)
        let command = try #require(action.range(of: "      run: |\n")).upperBound
        try folder.write(String(action[command...]), to: "step.sh")
        #expect(!action[command...].contains("${{"), "inputs must come as variables")
        let environment = "FORMAT=sarif FAIL_ON=error BASELINE="
        let bad = try await PippinProcess.run(
            "\(environment) PAGES=dist URL_BASE=https://example.org/ OUT=pippin.sarif bash -e step.sh", in: folder.url)
        #expect(bad.status == 1, "\(bad.errors)")
        let verdict = try PythonJudge().run(
            """
            import json, sys
            runs = json.load(open(sys.argv[1]))["runs"]
            assert len(runs) == 1 and runs[0]["tool"]["driver"]["name"].lower() == "pippin"
            places = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in runs[0]["results"] if result["level"] == "error"}
            print(sorted(places))
            """, [folder.url.appending(path: "pippin.sarif").path])
        #expect(verdict.output == "['dist/a%20b/bad%231.htm']\n", "\(verdict.output)")
        let sly = try await PippinProcess.run(
            "\(environment) PAGES='$(touch broken-in); touch broken-in' URL_BASE='`touch broken-in`' OUT=o bash -e step.sh",
            in: folder.url)
        #expect(
            sly.status == 2 && !FileManager.default.fileExists(atPath: folder.url.appending(path: "broken-in").path))
        let good = try await PippinProcess.run(
            "\(environment) PAGES=dist/good.html URL_BASE= OUT=good.sarif bash -e step.sh", in: folder.url)
        #expect(good.status == 0, "\(good.errors)")
    }

    @Test func `the hook of git judges what is committed, not what lies around`() async throws {
        let folder = try ScratchFolder()
        try site(folder)
        let git = "git -c user.name=T -c user.email=t@example.org -c init.defaultBranch=main"
        let setUp = try await PippinProcess.run(
            """
            \(git) init -q . && mkdir -p .git/hooks && cp '\(Self.folder.path)/pre-commit' .git/hooks/
            \(git) add dist/good.html dist/readme.txt && \(git) commit -q -m good
            """, in: folder.url)
        #expect(setUp.status == 0, "\(setUp.errors)")
        let bad = try await PippinProcess.run(
            "\(git) add -A dist && cp dist/good.html 'dist/a b/bad#1.htm' && \(git) commit -q -m bad", in: folder.url)
        #expect(bad.status == 1 && bad.errors.contains("dist/a b/bad#1.htm"), "\(bad.output) \(bad.errors)")
        let text = try await PippinProcess.run(
            "\(git) reset -q && echo more >> dist/readme.txt && \(git) add dist/readme.txt && \(git) commit -q -m text",
            in: folder.url)
        #expect(text.status == 0 && text.errors.isEmpty, "\(text.errors)")
    }

    /// A team that begins with what it has: known errors pass, the first new one does not, in each of the ways in.
    @Test func `new errors fail and known ones do not, in the hook, in the action and in any other CI`() async throws {
        let folder = try ScratchFolder()
        try site(folder)
        let script = "sh '\(Self.folder.path)/check-pages' dist https://example.org/"
        let git = "git -c user.name=T -c user.email=t@example.org -c init.defaultBranch=main"
        let before = try await PippinProcess.run(script, in: folder.url)
        #expect(before.status == 1 && before.output.contains("bad#1.htm"), "\(before.output)\(before.errors)")
        let accepted = try await PippinProcess.run("\(script) --update-baseline", in: folder.url)
        #expect(
            accepted.status == 0
                && FileManager.default.fileExists(atPath: folder.url.appending(path: "pippin-baseline.json").path),
            "\(accepted.errors)")
        let known = try await PippinProcess.run(script, in: folder.url)
        #expect(known.status == 0 && !known.output.contains("bad#1.htm"), "\(known.output)")
        #expect(known.output.contains("0 new. --verbose lists what is known."), "\(known.output)")

        let setUp = try await PippinProcess.run(
            """
            \(git) init -q . && mkdir -p .git/hooks && cp '\(Self.folder.path)/pre-commit' .git/hooks/
            \(git) add pippin-baseline.json dist && PIPPIN_URL_BASE=https://example.org/ \(git) commit -q -m 'what there is'
            """, in: folder.url)
        #expect(setUp.status == 0, "\(setUp.output)\(setUp.errors)")

        try folder.write(Self.bad, to: "dist/new.html")
        let hook = try await PippinProcess.run("\(git) add -A dist && \(git) commit -q -m new", in: folder.url)
        #expect(hook.status == 1 && hook.errors.contains("new.html"), "\(hook.errors)")
        let after = try await PippinProcess.run(script, in: folder.url)
        #expect(
            after.status == 1 && after.output.contains("new.html") && !after.output.contains("bad#1.htm"),
            "\(after.output)")
        let action = try String(contentsOf: Self.folder.appending(path: "action.yml"), encoding: .utf8)
        let command = try #require(action.range(of: "      run: |\n")).upperBound
        try folder.write(String(action[command...]), to: "step.sh")
        let environment = "FORMAT=text FAIL_ON=error BASELINE=pippin-baseline.json URL_BASE=https://example.org/ OUT=o"
        let inAction = try await PippinProcess.run(
            "\(environment) PAGES=dist bash -e step.sh; s=$?; cat o; exit $s", in: folder.url)
        #expect(inAction.status == 1 && inAction.output.contains("new.html"), "\(inAction.errors)")
        #expect(!inAction.output.contains("bad#1.htm"), "\(inAction.output)")
    }

    @Test func `what is new is annotated and summed up on GitHub, and commented on GitLab`() async throws {
        let folder = try ScratchFolder()
        try site(folder)
        let action = try String(contentsOf: Self.folder.appending(path: "action.yml"), encoding: .utf8)
        let command = try #require(action.range(of: "      run: |\n")).upperBound
        try folder.write(String(action[command...]), to: "step.sh")
        try folder.write("# Other steps\n", to: "summary.md")
        let environment = "FAIL_ON=error BASELINE= URL_BASE=https://example.org/ OUT=o GITHUB_STEP_SUMMARY=summary.md"
        let github = try await PippinProcess.run(
            "\(environment) FORMAT=github PAGES=dist bash -e step.sh", in: folder.url)
        #expect(github.status == 1, "\(github.errors)")
        let commands = github.output.split(separator: "\n")
        #expect(commands.allSatisfy { $0.hasPrefix("::error ") || $0.hasPrefix("::warning ") }, "\(github.output)")
        #expect(commands.contains { $0.hasPrefix("::error file=dist/a b/bad#1.htm,line=") }, "\(github.output)")
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "o").path))
        let summary = try text("summary.md", in: folder)
        #expect(summary.hasPrefix("# Other steps\n### Pippin: 2 pages") && summary.contains("bad&#35;1&#46;htm"))
        // One page alone, in another form, adds to it.
        let one = try await PippinProcess.run(
            "\(environment) FORMAT=sarif PAGES=dist/good.html bash -e step.sh", in: folder.url)
        #expect(one.status == 0, "\(one.errors)")
        #expect(try text("summary.md", in: folder).hasPrefix(summary + "### Pippin: 1 page"))
        let denied = try await PippinProcess.run(
            "pippin validate dist/good.html --markdown /proc/no/summary.md", in: folder.url)
        #expect(denied.status == 6 && denied.errors.contains("the summary cannot be written"), "\(denied.errors)")

        let steps = try PythonJudge(importing: "yaml").run(
            """
            import sys, yaml
            job = yaml.safe_load(open(sys.argv[1]))["pages"]
            print("set -e\\n" + "\\n".join(job["script"] + job["after_script"]).replace("sh ci/", "sh " + sys.argv[2] + "/"))
            """, [Self.folder.appending(path: "gitlab-ci.yml").path, Self.folder.path])
        try folder.write(steps.output, to: "gitlab.sh")
        try folder.write("#!/bin/sh\nprintf '%s\\n' \"$@\" >> asked\n", to: "bin/curl")
        let gitlab =
            "chmod +x bin/curl; rm -rf 'dist/a b'; PATH=$PWD/bin:$PATH CI_API_V4_URL=https://gitlab.example/api/v4 CI_PROJECT_ID=7"
        let quiet = try await PippinProcess.run("\(gitlab) sh gitlab.sh", in: folder.url)
        #expect(quiet.status == 0 && !FileManager.default.fileExists(atPath: folder.url.appending(path: "asked").path))
        let comment = try await PippinProcess.run(
            "\(gitlab) CI_MERGE_REQUEST_IID=9 PIPPIN_TOKEN=secret sh gitlab.sh", in: folder.url)
        #expect(comment.status == 0, "\(comment.errors)")
        let asked = try text("asked", in: folder)
        #expect(
            asked.contains("body@pippin.md\nhttps://gitlab.example/api/v4/projects/7/merge_requests/9/notes"),
            "\(asked)")
    }

    @Test func `the YAML files are well formed and name what is there`() throws {
        let verdict = try PythonJudge(importing: "yaml").run(
            """
            import pathlib, re, sys, yaml
            folder = pathlib.Path(sys.argv[1])
            action, workflow, hooks = (yaml.safe_load((folder / name).read_text()) for name in ["action.yml", "workflow.yml", "pre-commit-config.yaml"])
            gitlab = yaml.safe_load((folder / "gitlab-ci.yml").read_text())["pages"]
            assert gitlab["artifacts"]["reports"]["junit"] in gitlab["script"][0] and "check-pages" in gitlab["script"][0]
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
            assert re.search(hook["files"], "dist/a/b.html") and not re.search(hook["files"], "dist/b.htmlx")
            """, [Self.folder.path])
        #expect(verdict.status == 0, "\(verdict.output)")
    }
}
