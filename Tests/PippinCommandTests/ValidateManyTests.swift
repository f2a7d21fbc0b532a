import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// `pippin validate` over many pages, as people and CI services run it.
@Suite struct ValidateManyTests {
    private static let broken = """
        <!DOCTYPE html><html lang="en"><head><title>Mug</title>
        <meta name="apple-itunes-app" content="app-id=123456789, app-argument=mug">
        </head><body><p>A mug.</p></body></html>
        """

    /// A site of three pages in two folders, and what must not be read.
    private func site(in folder: URL) throws {
        for (path, text) in [
            ("dist/index.html", Self.broken), ("dist/blog/a.html", Self.broken), ("dist/blog/b c.htm", Self.broken),
            ("dist/.hidden/x.html", Self.broken), ("dist/blog/notes.txt", "no page"),
        ] {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: "dist/blog/loop"), withDestinationURL: folder.appending(path: "dist"))
    }

    /// What a JSON report says of each page.
    private func pages(_ output: String) throws -> [(input: String, url: String)] {
        var parser = JSONParser()
        let report = try parser.parse(output)
        return (report["pages"]?.array ?? []).map { ($0["input"]?.string ?? "", $0["url"]?.string ?? "") }
    }

    @Test func `a folder, patterns in quotes and lists name the same pages in a stable order, with their addresses`()
        async throws
    {
        let scratch = try ScratchFolder()
        try site(in: scratch.url)
        let expected = [
            "dist/blog/a.html https://example.org/blog/a.html", "dist/blog/b c.htm https://example.org/blog/b%20c.htm",
            "dist/index.html https://example.org/",
        ]
        for arguments in [
            "dist", "./dist/", "'dist/**/*.{html,htm}'", "dist/blog/a.html 'dist/blog/b c.htm' dist/index.html",
            "dist/blog/a.html 'dist/blog/*.htm' dist/index.html dist/blog/a.html --root dist",
        ] {
            let run = try await PippinProcess.run(
                "pippin validate \(arguments) --url-base https://example.org --format json", in: scratch.url)
            #expect(run.status == 1, "\(arguments): \(run.errors)")
            #expect(try pages(run.output).map { "\($0.input) \($0.url)" } == expected, "\(arguments): \(run.errors)")
            #expect(run.errors.contains("3 pages: 3 with errors"), "\(run.errors)")
        }
        let listed = try await PippinProcess.run(
            "printf '# pages\\ndist/blog/a.html\\n\\n dist/index.html\\n' | pippin validate --stdin --format json",
            in: scratch.url)
        #expect(try pages(listed.output).map(\.input) == ["dist/blog/a.html", "dist/index.html"], "\(listed.errors)")
        let brief = try await PippinProcess.run(
            "pippin validate dist/index.html --url https://example.org/ --brief", in: scratch.url)
        #expect(brief.output.contains("1 page:"), "\(brief.output)\(brief.errors)")
        let mixed = try await PippinProcess.run(
            "printf 'http://127.0.0.1:9/x\\n' | pippin validate --stdin --association dist/index.html", in: scratch.url)
        #expect(mixed.status == 2 && mixed.errors.contains("leave the URLs out"), "\(mixed.errors)")
        // From the folder itself, by the shell.
        let inside = try await PippinProcess.run(
            "cd dist && pippin validate . --url-base https://example.org/ --brief", in: scratch.url)
        #expect(inside.output.hasPrefix("✗ blog/a.html  "), "\(inside.output)\(inside.errors)")
        #expect(inside.output.contains("3 pages: 3 with errors"))
    }

    @Test func `a run is compared with an earlier one, and fails by what is new`() async throws {
        let scratch = try ScratchFolder()
        try site(in: scratch.url)
        let validate = "pippin validate dist --url-base https://example.org/"
        let before = try await PippinProcess.run("\(validate) -f json -o old.json", in: scratch.url)
        #expect(before.status == 1, "\(before.errors)")
        let same = try await PippinProcess.run("\(validate) --compare old.json", in: scratch.url)
        #expect(same.status == 0 && same.output.contains("0 worse, 0 better, 0 new, 0 gone."), "\(same.output)")
        try FileManager.default.removeItem(at: scratch.url.appending(path: "dist/blog/a.html"))
        try scratch.write(Self.broken, to: "dist/c.html")
        let changed = try await PippinProcess.run("\(validate) --compare old.json", in: scratch.url)
        #expect(
            changed.status == 1 && changed.output.contains("0 worse, 0 better, 1 new, 1 gone."), "\(changed.output)")
        #expect(changed.output.contains("  gone   dist/blog/a.html  "), "\(changed.output)")
        #expect(changed.output.contains("dist/c.html") && !changed.output.contains("dist/index.html"))
        let one = try await PippinProcess.run(
            "pippin validate dist/c.html --url https://example.org/c --compare old.json --format json", in: scratch.url)
        #expect(one.status == 1 && one.output.contains("\"newPage\": true"), "\(one.errors)")
        for (arguments, problem) in [
            ("--compare old.json --baseline b.json", "use one of them"), ("--compare none.json", "none.json"),
            ("--compare dist/c.html", "not valid JSON"),
        ] {
            let wrong = try await PippinProcess.run("\(validate) \(arguments)", in: scratch.url)
            #expect(wrong.status == 2 && wrong.errors.contains(problem), "\(wrong.errors)")
        }
    }

    @Test func `budgets decide what fails, and the one that is exceeded is named`() async throws {
        let scratch = try ScratchFolder()
        try site(in: scratch.url)
        let warned = Self.broken.replacing(", app-argument=mug", with: "")
        for page in ["dist/index.html", "dist/blog/a.html", "dist/blog/b c.htm"] { try scratch.write(warned, to: page) }
        let validate = "pippin validate dist --url-base https://example.org/ --only L06,S01,S02,D07 --brief"
        for (settings, status, message) in [
            ("fail_on: warning", 1, ""), ("fail_on: error", 0, ""), ("{ fail_on: warning, max_warnings: 99 }", 0, ""),
            ("max_warnings: 0", 1, "validate.max_warnings allows 0 warnings, and there are "),
            ("max_warnings: { L06: 1 }", 1, "validate.max_warnings.L06 allows 1 warning, and there are 2: 1 too many"),
            ("{ fail_on: warning, max_warnings: { L06: 3 } }", 1, ""),
            ("max_warnings: { structured-data: 99, deep-links: 3 }", 0, ""),
            ("max_warnings: { S99: 1 }", 2, "S99"), ("max_errors: -1", 2, "max_errors"),
            ("max_errors: many", 2, "expected a whole number"),
        ] {
            try scratch.write(
                "validate: \(settings.hasPrefix("{") ? settings : "{ \(settings) }")\n", to: "pippin.yaml")
            let run = try await PippinProcess.run(validate, in: scratch.url)
            #expect(
                run.status == Int32(status) && (message.isEmpty || run.errors.contains(message)),
                "\(settings): \(run.output)\(run.errors)")
        }
        try scratch.write("validate: { max_warnings: { L06: 0 } }\n", to: "pippin.yaml")
        let one = try await PippinProcess.run(
            "pippin validate dist/blog/a.html --url https://example.org/blog/a.html --only L06", in: scratch.url)
        #expect(
            one.status == 1 && one.errors.contains("L06 allows 0 warnings, and there is 1: 1 too many"), "\(one.errors)"
        )
        for (flags, status, message) in [
            ("--max-warnings 99", 1, "validate.max_warnings.L06 allows 0"),
            ("--ignore L06 --max-warnings 0", 1, "validate.max_warnings allows 0 warnings, and there are "),
            ("--ignore L06 --max-warnings 99 --fail-on warning", 0, ""), ("--max-errors x", 2, "--max-errors"),
        ] {
            let run = try await PippinProcess.run("\(validate) \(flags)", in: scratch.url)
            #expect(
                run.status == Int32(status) && (message.isEmpty || run.errors.contains(message)),
                "\(flags): \(run.output)\(run.errors)")
        }
        let json = try await PippinProcess.run(
            "pippin validate dist --url-base https://example.org/ --only L06 --format json --max-errors 5",
            in: scratch.url)
        #expect(
            json.output.contains(
                #""budgets":[{"budget":"max_warnings.L06","maximum":0,"found":2,"exceeded":true},{"budget":"max_errors","maximum":5,"found":0,"exceeded":false}]"#
            ),
            "\(json.output.suffix(600))")
        let known = try await PippinProcess.run(
            "\(validate) --baseline b.json --update-baseline && \(validate) --baseline b.json", in: scratch.url)
        #expect(known.status == 0 && !known.errors.contains("too many"), "\(known.errors)")
    }

    @Test func `own checks fail a run, are listed, and a mistake in them ends it`() async throws {
        let scratch = try ScratchFolder()
        try site(in: scratch.url)
        func settings(_ condition: String) throws {
            try scratch.write(
                "validate:\n  checks:\n    has-title: { selector: title, \(condition), severity: error, message: A <title>. }\n",
                to: "pippin.yaml")
        }
        let validate = "pippin validate dist --url-base https://example.org/ --only custom"
        try settings("max_length: 1")
        let failed = try await PippinProcess.run("\(validate) --format sarif", in: scratch.url)
        #expect(failed.status == 1 && failed.output.contains("\"ruleId\":\"has-title\""), "\(failed.errors)")
        let listed = try await PippinProcess.run("pippin validate --checks --config pippin.yaml", in: scratch.url)
        #expect(listed.status == 0 && listed.output.hasSuffix("Checks of your own\n  has-title  error    A <title>\n"))
        try settings("min_length: 1")
        let passed = try await PippinProcess.run("\(validate) --fail-on warning", in: scratch.url)
        #expect(passed.status == 0, "\(passed.output)")
        try settings("matches: \"(\"")
        let wrong = try await PippinProcess.run(validate, in: scratch.url)
        #expect(
            wrong.status == 2 && wrong.errors.contains("pippin.yaml:3:44: validate.checks.has-title.matches: "),
            "\(wrong.errors)")
    }

    // MARK: The folder's own files

    private static let associations =
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.org.example.app"],"components":[{"/":"/blog/*"}]}]}}"#

    /// What a JSON report says of a page's checks.
    private func outcomes(_ output: String, _ input: String) throws -> [String: String] {
        var parser = JSONParser()
        let report = try parser.parse(output)
        let pages = report["pages"]?.array ?? [report]
        let page = try #require(pages.count == 1 ? pages.first : pages.first { $0["input"]?.string == input })
        var found: [String: String] = [:]
        for finding in page["findings"]?.array ?? [] {
            if let check = finding["check"]?.string, let outcome = finding["outcome"]?.string {
                found[check] = found[check] ?? outcome
            }
        }
        return found
    }

    @Test func `a folder's association files, robots txt and sitemaps count as if it were the site's root`()
        async throws
    {
        let scratch = try ScratchFolder()
        for (path, text) in [
            ("dist/index.html", "<title>Home</title>"), ("dist/blog/a.html", "<title>A</title><p>A text.</p>"),
            ("dist/blog/b.html", "<title>B</title>"),
            ("dist/.well-known/apple-app-site-association", Self.associations),
            (
                "dist/.well-known/assetlinks.json",
                #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app","package_name":"org.example.app","sha256_cert_fingerprints":["14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"]}}]"#
            ),
            ("dist/robots.txt", "User-agent: *\nDisallow: /blog/b\nSitemap: https://example.org/maps/index.xml\n"),
            (
                "dist/maps/index.xml",
                "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap><loc>https://example.org/maps/blog.xml</loc></sitemap></sitemapindex>"
            ),
            (
                "dist/maps/blog.xml",
                "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://example.org/blog/a.html</loc></url></urlset>"
            ),
        ] { try scratch.write(text, to: path) }
        let run = try await PippinProcess.run(
            "pippin validate dist --url-base https://example.org/ --format json", in: scratch.url)
        for file in [
            ".well-known/apple-app-site-association", "robots.txt", ".well-known/assetlinks.json", "maps/blog.xml",
        ] {
            #expect(run.errors.contains("dist/" + file), "\(run.errors)")
        }
        let a = try outcomes(run.output, "dist/blog/a.html")
        #expect(a["L01"] == "pass" && a["L12"] == "pass" && a["D01"] == "pass" && a["D12"] == "pass", "\(a)")
        let b = try outcomes(run.output, "dist/blog/b.html")
        #expect(b["L01"] == "pass" && b["D01"] == "error" && b["D12"] == "info", "\(b)")
        #expect(!run.output.contains("Pippin, whose report this is"))
        let home = try outcomes(run.output, "dist/index.html")
        #expect(home["L01"] == "error" && home["L12"] == "warning", "\(home)")
        // One file of it, and the folder that it lies in.
        let one = try await PippinProcess.run(
            "pippin validate dist/blog/a.html --root dist --url https://example.org/blog/a.html --format json",
            in: scratch.url)
        #expect(try outcomes(one.output, "dist/blog/a.html")["L12"] == "pass", "\(one.errors)")
        let alone = try await PippinProcess.run(
            "pippin validate dist/index.html --url https://example.org/ --format json", in: scratch.url)
        #expect(try outcomes(alone.output, "dist/index.html")["L12"] == "warning", "\(alone.errors)")
        // What the options name comes first, and this is said.
        try scratch.write(Self.associations.replacing("/blog/*", with: "*"), to: "other.json")
        let given = try await PippinProcess.run(
            "pippin validate dist/index.html --url https://example.org/ --association other.json --format json",
            in: scratch.url)
        #expect(try outcomes(given.output, "dist/index.html")["L12"] == "pass", "\(given.errors)")
        #expect(
            given.errors.contains("--association replaces dist/.well-known/apple-app-site-association"),
            "\(given.errors)")
        // A folder below the root has no such files.
        let below = try await PippinProcess.run(
            "pippin validate dist --url-base https://example.org/docs/ --format json", in: scratch.url)
        #expect(try outcomes(below.output, "dist/index.html")["D01"] == "unknown", "\(below.errors)")
        #expect(!below.errors.contains("robots.txt"))
    }

    @Test func `a folder with the copy at the root alone is told that the other place comes first`() async throws {
        let scratch = try ScratchFolder()
        try scratch.write("<title>A</title><p>A text.</p>", to: "blog/a.html")
        try scratch.write(Self.associations, to: "apple-app-site-association")
        let run = try await PippinProcess.run(
            "pippin validate . --url-base https://example.org/ --format json", in: scratch.url)
        let found = try outcomes(run.output, "blog/a.html")
        #expect(found["L12"] == "pass" && found["L13"] == "warning", "\(found) \(run.errors)")
    }

    @Test(arguments: [
        ("'none/*.html'", "no file matches"), ("'dist/*.{html'", "brace"), ("empty", "no .html file"),
        ("dist/none.html", "no such file"), ("dist --url https://example.org/", "--url-base is for many"),
        ("dist --format html", "--out DIR"), ("dist --ignore S99x", "neither a check nor a group"),
        ("dist --only deeplinks", "did you mean \"deep-links\"?"), ("dist --baseline none.json", "--update-baseline"),
        ("dist other.html --url-base https://example.org/ --root dist", "lies outside of"),
        ("dist --update-baseline", "needs --baseline"), ("dist --brief --format json", "--format text"),
        ("", "Name a file"), ("dist --config none.yaml", "no such file"),
        ("--sitemap sitemap.xml", "not an http or https URL"), ("--stdin < /dev/null", "no page is named"),
        ("dist --apple-cdn", "leave the files out"), ("dist --baseline counts.json", "expected page, check"),
    ])
    func `wrong usage ends with 2 and says what to do, before anything is judged`(arguments: String, cause: String)
        async throws
    {
        let scratch = try ScratchFolder()
        try site(in: scratch.url)
        try FileManager.default.createDirectory(
            at: scratch.url.appending(path: "empty"), withIntermediateDirectories: true)
        try scratch.write(Self.broken, to: "other.html")
        try scratch.write(
            """
            {"pippinBaseline":1}
            {"page":"a.html","check":"S14","fingerprint":"x","count":9223372036854775807}
            """, to: "counts.json")
        let run = try await PippinProcess.run("pippin validate \(arguments)", in: scratch.url)
        #expect(run.status == 2 && run.output.isEmpty, "\(run.status) \(run.output)")
        #expect(run.errors.contains(cause), "\(run.errors)")
    }

    @Test func `files of strange names are judged, each at its own address, or named`() async throws {
        let scratch = try ScratchFolder()
        try FileManager.default.createDirectory(
            at: scratch.url.appending(path: "dist"), withIntermediateDirectories: true)
        for name in ["\u{E1}.html", "a\u{301}.html", "a\nb\tc.html", "e .html"] {
            try scratch.write("<title>One of four pages, told apart by its name</title>", to: "dist/\(name)")
        }
        let run = try await PippinProcess.run(
            "pippin validate dist --url-base https://example.org/ --format json", in: scratch.url)
        var parser = JSONParser()
        let urls = (try parser.parse(run.output)["pages"]?.array ?? []).compactMap { $0["url"]?.string }
        #expect(
            urls.sorted() == [
                "https://example.org/%C3%A1.html", "https://example.org/a%0Ab%09c.html",
                "https://example.org/a%CC%81.html", "https://example.org/e%20.html",
            ], "\(run.errors)")
        let foreign = try await PippinProcess.run(
            "printf x > \"dist/$(printf '\\377').html\"; pippin validate dist", in: scratch.url)
        #expect(foreign.status == 2 && foreign.errors.contains("is not UTF-8"), "\(foreign.errors)")
    }

    @Test func `a closed standard output ends the run with 6`() async throws {
        let scratch = try ScratchFolder()
        try scratch.write(Self.broken, to: "page.html")
        for arguments in ["page.html", ". --brief"] {
            let run = try await PippinProcess.run("pippin validate \(arguments) >&-", in: scratch.url)
            #expect(run.status == 6, "\(run.status) \(run.errors)")
        }
    }

    @Test func `a site's own settings are found beside it, flags go over them, and the file is named`() async throws {
        let scratch = try ScratchFolder()
        try site(in: scratch.url)
        let plain = try await PippinProcess.run("pippin validate dist --brief", in: scratch.url)
        try #require(
            plain.output.contains("L07") && !plain.errors.contains("settings"), "\(plain.output)\(plain.errors)")
        try scratch.write(
            """
            validate:
              url_base: https://example.org/shop/
              severities: { S01: info }
              rules:
                - { paths: ["/shop/blog/**"], ignore: [L07] }
                - { paths: ["index.html"], severities: { L07: info } }
            """, to: "dist/pippin.yaml")
        let tuned = try await PippinProcess.run("pippin validate dist --format json", in: scratch.url)
        #expect(tuned.errors.contains("settings from \(scratch.url.path)/dist/pippin.yaml"), "\(tuned.errors)")
        var parser = JSONParser()
        let report = try parser.parse(tuned.output)
        let findings = (report["pages"]?.array ?? []).map { page in
            (page["findings"]?.array ?? []).filter { $0["check"]?.string == "L07" }.compactMap { $0["outcome"]?.string }
        }
        #expect(findings == [[], [], ["info"]], "\(findings)")
        #expect(report["summary"]?["ignored"]?.integer == 2)
        #expect(try pages(tuned.output).map(\.url).last == "https://example.org/shop/")
        // One page of the site is judged by the same settings.
        let one = try await PippinProcess.run("pippin validate dist/blog/a.html", in: scratch.url)
        #expect(one.errors.contains("settings from") && one.output.contains("1 finding ignored."), "\(one.output)")
        let over = try await PippinProcess.run(
            "pippin validate dist --ignore technical,structured-data,discoverability,deep-links", in: scratch.url)
        #expect(over.status == 0, "\(over.output)")
        try scratch.write("validate: { igore: [L07] }", to: "pippin.yaml")
        let wrong = try await PippinProcess.run("pippin validate dist", in: scratch.url)
        #expect(
            wrong.status == 2 && wrong.errors.contains("pippin.yaml:1:13: unknown key \"igore\""), "\(wrong.errors)")
    }

    @Test func `a baseline makes a broken site pass until something new breaks`() async throws {
        let scratch = try ScratchFolder()
        try site(in: scratch.url)
        let command = "pippin validate dist --baseline known/baseline.json --fail-on warning"
        let first = try await PippinProcess.run("\(command) --update-baseline", in: scratch.url)
        #expect(first.status == 0, "\(first.errors)")
        let file = scratch.url.appending(path: "known/baseline.json")
        let written = try String(contentsOf: file, encoding: .utf8)
        #expect(written.contains("{\"page\":\"../dist/blog/a.html\",\"check\":\"L07\""), "\(written)")

        // The same, also from another folder, and with all lines moved.
        for page in ["dist/index.html", "dist/blog/a.html"] {
            try scratch.write(Self.broken.replacing("<head>", with: "<head>\n\n\n"), to: page)
        }
        let second = try await PippinProcess.run(
            "cd dist && pippin validate . --baseline ../known/baseline.json --fail-on warning", in: scratch.url)
        #expect(second.status == 0, "\(second.output)")
        #expect(
            second.output.contains("0 new. --verbose lists what is known.") && !second.output.contains("Known: "),
            "\(second.output)")
        let all = try await PippinProcess.run(
            "cd dist && pippin validate . --baseline ../known/baseline.json --verbose", in: scratch.url)
        #expect(all.status == 0 && all.output.contains("Known: "))

        try scratch.write(Self.broken.replacing("<title>Mug</title>", with: ""), to: "dist/index.html")
        let third = try await PippinProcess.run("\(command) --brief --quiet", in: scratch.url)
        #expect(third.status == 1 && third.output.contains("✗ dist/index.html"), "\(third.output)")
        #expect(!third.output.contains("blog/a.html"), "\(third.output)")

        try FileManager.default.removeItem(at: scratch.url.appending(path: "dist/blog/a.html"))
        try scratch.write(Self.broken, to: "dist/index.html")
        let fourth = try await PippinProcess.run(command, in: scratch.url)
        #expect(fourth.status == 0 && fourth.output.contains("of the baseline are stale"), "\(fourth.output)")
        let fifth = try await PippinProcess.run("\(command) --update-baseline --format json", in: scratch.url)
        #expect(fifth.status == 0, "\(fifth.errors)")
        let now = try String(contentsOf: file, encoding: .utf8)
        #expect(!now.contains("blog/a.html") && now.contains("dist/index.html"))
        // What is left did not change a byte.
        #expect(Set(now.split(separator: "\n")).isSubset(of: Set(written.split(separator: "\n"))))
    }

    @Test func `every form of many pages is one document, on standard output and in a file`() async throws {
        let scratch = try ScratchFolder()
        try site(in: scratch.url)
        for (form, beginning) in [
            "text": "✗ dist/blog/a.html", "json": "{\"schemaVersion\":1,\"pages\":[", "junit": "<?xml",
            "sarif": "{\"$schema\"",
        ] {
            let shown = try await PippinProcess.run("pippin validate dist --format \(form)", in: scratch.url)
            #expect(shown.status == 1 && shown.output.hasPrefix(beginning), "\(form): \(shown.output.prefix(200))")
            let run = try await PippinProcess.run("pippin validate dist --format \(form) --out report", in: scratch.url)
            #expect(run.status == 1 && run.output.isEmpty && run.errors.contains("3 pages"), "\(form): \(run.errors)")
            let report = try String(contentsOf: scratch.url.appending(path: "report"), encoding: .utf8)
            // Two runs read the pages at different times.
            let times = /"fetchedAt":"[^"]*"/
            #expect(report.replacing(times, with: "") == shown.output.replacing(times, with: ""), "\(form)")
        }
    }

    @Test func `HTML is an overview and a card for each page, and old cards go`() async throws {
        let scratch = try ScratchFolder()
        try site(in: scratch.url)
        let first = try await PippinProcess.run("pippin validate dist --format html --out report", in: scratch.url)
        #expect(first.status == 1 && first.errors.contains("3 pages"), "\(first.errors)")
        let folder = scratch.url.appending(path: "report/pages")
        let cards = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(cards.count == 3 && cards[0].hasPrefix("001-"), "\(cards)")
        let overview = try String(contentsOf: scratch.url.appending(path: "report/index.html"), encoding: .utf8)
        for card in cards { #expect(overview.contains("href=\"pages/\(card)\"")) }
        let card = try String(contentsOf: folder.appending(path: cards[0]), encoding: .utf8)
        #expect(card.contains("<a href=\"../index.html\">All report cards</a>"))
        try FileManager.default.removeItem(at: scratch.url.appending(path: "dist/blog"))
        try Data().write(to: folder.appending(path: "mine.html"))
        _ = try await PippinProcess.run("pippin validate dist --format html --out report", in: scratch.url)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(left.count == 2 && left.contains("mine.html"), "\(left)")
    }

    @Test func `pages that cannot be fetched end with 3, unless another page fails`() async throws {
        let scratch = try ScratchFolder()
        try scratch.write(Self.broken, to: "mug.html")
        let gone = "http://127.0.0.1:1/a http://127.0.0.1:1/b --allow-private-networks"
        let none = try await PippinProcess.run("pippin validate \(gone) --brief", in: scratch.url)
        #expect(none.status == 3, "\(none.output)")
        #expect(none.output.contains("? http://127.0.0.1:1/a  could not be fetched: nothing listens at 127.0.0.1:1"))
        #expect(none.output.contains("2 pages: 2 could not be fetched"))
        let some = try await PippinProcess.run("pippin validate mug.html \(gone) --format junit", in: scratch.url)
        #expect(some.status == 1 && some.output.contains("<error type=\"unavailable\""), "\(some.output)")
        let fine = try await PippinProcess.run(
            "pippin validate mug.html \(gone) --ignore deep-links,structured-data,technical,discoverability",
            in: scratch.url)
        #expect(fine.status == 3, "\(fine.output)")
        let stranger = try await PippinProcess.run(
            "pippin validate mug.html https://example.com/a https://example.com/b --format json", in: scratch.url)
        #expect(stranger.status == 2 && stranger.errors.contains("--contact"), "\(stranger.errors)")
        #expect(stranger.output.isEmpty, "\(stranger.output)")
    }

    @Test
    func `a sitemap's pages and URLs of several hosts are judged in one run, and a site's files are asked for once`()
        async throws
    {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await DemoProcess.serving(
            site: Repository.root.appending(path: "Examples/demo-site"), folder: folder
        ) { demo in
            let flags = "--allow-private-networks --ca-file ca.pem --format json"
            let clownfair = try demo.origin(of: "clownfair.example")
            let shop = try demo.origin(of: "shop.example")
            let run = try await PippinProcess.run(
                "pippin validate \(shop)/products/mug.html --sitemap \(clownfair)/sitemap.xml \(shop)/ \(flags)",
                in: folder)
            #expect([0, 1].contains(run.status), "\(run.errors)")
            let pages = try pages(run.output)
            #expect(
                pages.count > 3 && pages[0].url == "\(shop)/products/mug.html" && pages[1].url == "\(shop)/", "\(pages)"
            )
            #expect(pages.dropFirst(2).allSatisfy { $0.url.hasPrefix(clownfair) }, "\(pages)")
            // The second page of a host is judged with the same robots.txt and association files as alone.
            let alone = try await PippinProcess.run("pippin validate \(shop)/ \(flags)", in: folder)
            var parser = JSONParser()
            let single = try parser.parse(alone.output)
            let among = try parser.parse(run.output)["pages"]?.array?[1]
            func verdicts(_ card: JSONValue?) -> [String] {
                (card?["findings"]?.array ?? []).map { "\($0["check"]?.string ?? "") \($0["outcome"]?.string ?? "")" }
            }
            #expect(verdicts(among) == verdicts(single))
            let cut = try await PippinProcess.run(
                "pippin validate --sitemap \(clownfair)/sitemap.xml --max-pages 1 \(flags)", in: folder)
            #expect(try self.pages(cut.output).count == 1 && cut.errors.contains("--max-pages 1"), "\(cut.errors)")
        }
    }
}
