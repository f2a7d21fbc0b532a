import Foundation
import PippinTestSupport
import Testing

/// `Scripts/install.sh`, which `make install` and the Debian package use. `make deb-check` proves the package itself.
@Suite struct InstallationTests {
    private func script(_ arguments: String, _ folder: borrowing ScratchFolder) async throws -> PippinProcess {
        let variables = "DESTDIR=\"$PWD/stage\" PREFIX=/opt/pippin"
        return try await PippinProcess.run(
            "\(variables) '\(Repository.root.path)/Scripts/install.sh' \(arguments)", in: folder.url)
    }

    @Test func `what is installed works by itself, and goes without a trace`() async throws {
        let folder = try ScratchFolder()
        let installed = try await script("install '\(PippinProcess.binary.path)'", folder)
        #expect(installed.status == 0, "\(installed.errors)")
        let prefix = folder.url.appending(path: "stage/opt/pippin")
        func text(_ path: String) throws -> String {
            try String(contentsOf: prefix.appending(path: path), encoding: .utf8)
        }
        // The units name this installation.
        let unit = try text("lib/systemd/system/pippin.service")
        #expect(unit.contains("\nExecStart=/opt/pippin/bin/pippin crawl --config /etc/pippin/crawl-config.yaml"))
        #expect(!unit.contains("/usr/local") && !unit.contains("example.org"))
        #expect(try text("lib/systemd/system/pippin.timer").contains("[Timer]"))
        #expect(
            try text("lib/systemd/system/pippin-serve.service").contains("\nExecStart=/opt/pippin/bin/pippin serve "))
        #expect(try text("share/doc/pippin/examples/pippin.cron").contains("/opt/pippin/bin/pippin crawl"))
        // Completions and manual pages have every command and option.
        let completions = prefix.appending(path: "share/bash-completion/completions/pippin").path
        let bash = try await PippinProcess.run(
            """
            . '\(completions)'; COMP_WORDS=(pippin validate --cred) COMP_CWORD=2 COMP_LINE='pippin validate --cred' COMP_POINT=22
            complete -p pippin; $(complete -p pippin | sed 's/.*-F \\([^ ]*\\).*/\\1/') pippin --cred validate; echo "${COMPREPLY[@]}"
            """.replacing("'", with: "'\\''").withShell("bash"), in: folder.url)
        #expect(bash.output.contains("--credentials"), "\(bash.output) \(bash.errors)")
        #expect(try text("share/zsh/site-functions/_pippin").hasPrefix("#compdef pippin"))
        #expect(try text("share/fish/vendor_completions.d/pippin.fish").contains("credentials"))
        let manual = try await PippinProcess.run(
            "cd stage/opt/pippin/share/man/man1 && ls | wc -l && gzip -dc pippin-crawl.1.gz && gzip -dc pippin-json-ld.1.gz",
            in: folder.url)
        for words in [
            ".TH \"PIPPIN\\-CRAWL\"", "\\fB\\-\\-max\\-pages\\fR", "\\fB\\-\\-credentials\\fR", ".SH DESCRIPTION",
            ".SS pippin json\\-ld to\\-rdf",
        ] { #expect(manual.output.contains(words), "\(words)") }
        #expect(Int(manual.output.prefix { $0 != "\n" }.trimmingCharacters(in: .whitespaces)) ?? 0 >= 16)

        // The demo finds its pages without a checkout, and not through the build's own folder.
        let demo = try await PippinProcess.run(
            "mkdir work && cd work && ../stage/opt/pippin/bin/pippin demo --crawl --port 0 --http-port 0",
            in: folder.url)
        #expect(demo.status == 0 && demo.output.contains("records, one JSON object a line"), "\(demo.errors)")

        try folder.write("mine", to: "stage/opt/pippin/share/man/man1/other.1")
        let removed = try await script("uninstall", folder)
        #expect(removed.status == 0, "\(removed.errors)")
        let rest = try await PippinProcess.run("find stage -type f", in: folder.url)
        #expect(rest.output == "stage/opt/pippin/share/man/man1/other.1\n")
        _ = try await PippinProcess.run("rm stage/opt/pippin/share/man/man1/other.1", in: folder.url)
        #expect(try await script("uninstall", folder).status == 0)
        #expect(try await PippinProcess.run("find stage/opt/pippin -mindepth 1", in: folder.url).output.isEmpty)
    }

    @Test func `a wrong prefix or program changes nothing`() async throws {
        let folder = try ScratchFolder()
        for (line, words) in [
            ("PREFIX=relative install.sh install pippin", "must be an absolute path"),
            ("PREFIX='/a|b' install.sh install pippin", "must be plain paths"),
            ("install.sh install /bin/false", "does not run here"),
            ("install.sh", "Scripts/install.sh install PROGRAM"),
        ] {
            let run = try await PippinProcess.run(
                "export DESTDIR=\"$PWD/stage\"; "
                    + line.replacing("install.sh", with: "'\(Repository.root.path)/Scripts/install.sh'"), in: folder.url
            )
            #expect(run.status != 0 && run.errors.contains(words), "\(line): \(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "stage").path))
    }
}

extension String {
    /// A command line that runs this text, which has its single quotes escaped, in another shell.
    fileprivate func withShell(_ shell: String) -> String { "\(shell) -c '\(self)'" }
}
