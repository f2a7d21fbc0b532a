import Foundation
import PippinTestSupport
import Testing

/// Each way into CI of `Examples/ci`, from a repository with known errors: green, a page breaks, it is fixed.
@Suite(.slow) struct ContinuousIntegrationRoundTests {
    enum Way: String, CaseIterable {
        case script = "check-pages"
        case action = "action.yml"
        case gitlab = "gitlab-ci.yml"
        case hook = "pre-commit"
        case preCommit = "pre-commit-config.yaml"

        /// Whether it judges the pages of a commit, and refuses the commit.
        var isHook: Bool { self == .hook || self == .preCommit }
    }

    private static let examples = Repository.root.appending(path: "Examples/ci")
    private static let git = "git -c user.name=T -c user.email=t@example.org -c init.defaultBranch=main"

    private static func page(_ name: String, _ title: String, _ more: String = "") -> String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
        <link rel="canonical" href="https://example.org/\(name).html"><meta name="viewport" content="width=device-width">
        <meta name="description" content="How to bake \(title), with cinnamon and a little patience, for four people.">
        <meta name="apple-itunes-app" content="app-id=1450000001, app-argument=https://example.org/\(name).html">\(more)
        </head><body><h1>\(title)</h1><p>Bake the apples for an hour. <a href="index.html">All pies</a> <a href="pie.html">A pie</a></p>
        </body></html>

        """
    }

    private static let noindex = "\n<meta name=robots content=noindex>"

    private static func robots(closing path: String) -> String {
        "User-agent: *\nDisallow: \(path)\nSitemap: https://example.org/sitemap.xml\n"
    }

    private static func association(_ path: String) -> String {
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.org.example.pies"],"components":[{"/":"\#(path)"}]}]}}"#
    }

    /// A repository with a built site, settings, and a baseline that knows the errors of one page.
    private func repository(_ folder: borrowing ScratchFolder, _ way: Way) async throws {
        try folder.write(Self.page("index", "All pies"), to: "dist/index.html")
        try folder.write(Self.page("pie", "A pie of small apples"), to: "dist/pie.html")
        try folder.write(Self.page("known", "A known problem", Self.noindex), to: "dist/known.html")
        try folder.write(Self.robots(closing: "/private/"), to: "dist/robots.txt")
        try folder.write(
            """
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.org/index.html</loc></url>
            <url><loc>https://example.org/pie.html</loc></url></urlset>
            """, to: "dist/sitemap.xml")
        try folder.write(Self.association("/*"), to: "dist/.well-known/apple-app-site-association")
        try folder.write(
            "validate:\n  url_base: https://example.org/\n  root: dist\n  ignore: [S01]\n", to: "pippin.yaml")
        var steps = """
            set -e; mkdir ci; cp '\(Self.examples.path)/check-pages' ci/
            sh ci/check-pages dist https://example.org/ --update-baseline
            \(Self.git) init -q .; printf 'output-*\\nerrors-*\\n' > .git/info/exclude; \(Self.git) add -A; \(Self.git) commit -q -m 'what there is'
            mkdir -p .git/hooks
            """
        switch way {
        case .script: break
        case .action:
            let action = try String(contentsOf: Self.examples.appending(path: "action.yml"), encoding: .utf8)
            let command = try #require(action.range(of: "      run: |\n")).upperBound
            try folder.write(String(action[command...]), to: "step.sh")
        case .gitlab:
            let script = try PythonJudge(importing: "yaml").run(
                """
                import sys, yaml
                job = yaml.safe_load(open(sys.argv[1]))["pages"]
                print("(set -e\\n" + "\\n".join(job["script"]) + "\\n)\\nstatus=$?\\n" + "\\n".join(job["after_script"]) + "\\nexit $status")
                """, [Self.examples.appending(path: "gitlab-ci.yml").path])
            try folder.write(script.output, to: "gitlab.sh")
        case .hook: steps += "\ncp '\(Self.examples.path)/pre-commit' .git/hooks/"
        case .preCommit:
            let program = try TestTool("pre-commit")
            steps += """

                cp '\(Self.examples.path)/pre-commit-config.yaml' .pre-commit-config.yaml
                \(Self.git) add -A; \(Self.git) commit -q -m 'the hook'
                PRE_COMMIT_HOME=$PWD/.git/cache '\(program.folder)/pre-commit' install
                """
        }
        let made = try await PippinProcess.run(steps, in: folder.url)
        #expect(made.status == 0, "\(made.output)\(made.errors)")
    }

    /// Judges what lies in the folder, as the service or git does; what it showed, with the status.
    private func judge(_ way: Way, _ folder: borrowing ScratchFolder) async throws -> (status: Int32, shown: String) {
        let line =
            switch way {
            case .script: "sh ci/check-pages dist https://example.org/"
            case .action:
                "PAGES=dist URL_BASE=https://example.org/ FORMAT=text OUT= FAIL_ON=error BASELINE=pippin-baseline.json"
                    + " GITHUB_STEP_SUMMARY=.git/summary.md bash -e step.sh"
            case .gitlab: "rm -f pippin.md; sh gitlab.sh; s=$?; sed 's/&#46;/./g' pippin.md; exit $s"
            case .hook, .preCommit:
                "PRE_COMMIT_HOME=$PWD/.git/cache; export PRE_COMMIT_HOME; \(Self.git) add -A && \(Self.git) commit -q -m change"
            }
        let run = try await PippinProcess.run(line, in: folder.url)
        return (run.status, run.output + run.errors)
    }

    @Test(arguments: Way.allCases)
    func `a page that breaks fails alone, and when it is fixed all is green`(way: Way) async throws {
        let folder = try ScratchFolder()
        try await repository(folder, way)
        try folder.write(Self.page("index", "All our pies"), to: "dist/index.html")
        let before = try await judge(way, folder)
        #expect(before.status == 0, "\(before.shown)")

        try folder.write(Self.page("pie", "A pie of small apples", Self.noindex), to: "dist/pie.html")
        try folder.write(Self.page("known", "A problem known well", Self.noindex), to: "dist/known.html")
        let broken = try await judge(way, folder)
        #expect(broken.status == 1 && broken.shown.contains("pie.html"), "\(broken.shown)")
        #expect(!broken.shown.contains("known.html"), "\(broken.shown)")

        try folder.write(Self.page("pie", "A pie of small apples"), to: "dist/pie.html")
        let mended = try await judge(way, folder)
        #expect(mended.status == 0, "\(mended.shown)")
        if way.isHook {
            let log = try await PippinProcess.run("git log --format=%s; git status --porcelain", in: folder.url)
            #expect(log.output.hasPrefix("change\nchange\n"), "\(log.output)")
            #expect(!log.output.contains("dist"), "\(log.output)")
            return
        }

        // The site's own files count too.
        try folder.write(Self.robots(closing: "/pie.html"), to: "dist/robots.txt")
        let closed = try await judge(way, folder)
        #expect(closed.status == 1 && closed.shown.contains("D01"), "\(closed.shown)")
        #expect(!closed.shown.contains("index.html"), "\(closed.shown)")
        try folder.write(Self.robots(closing: "/private/"), to: "dist/robots.txt")
        try folder.write(Self.association("/cakes/*"), to: "dist/.well-known/apple-app-site-association")
        let uncovered = try await judge(way, folder)
        #expect(uncovered.status == 1 && uncovered.shown.contains("L11"), "\(uncovered.shown)")
        try folder.write(Self.association("/*"), to: "dist/.well-known/apple-app-site-association")
        let after = try await judge(way, folder)
        #expect(after.status == 0, "\(after.shown)")
    }
}
