import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinStore

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks the parts of a job against each other, and mends what can be computed.",
        discussion: """
            A line for each check: ok, or WRONG with what is wrong and what to do.

            database       SQLite's own check of its pages; with --full, of its indexes too
            counts         what is kept beside what it counts: of hosts, of the storage, of outcomes
            references     rows that refer to missing ones (--full)
            feed           each record has a number, none is beyond the counter
            consumer …     the followed file has a line end where it should; with --full, whole lines. An index of
                           output.opensearch is not asked
            search index   its own counts, and a document for each record up to its cursor; with --full, each word
            archive        each capture of each index lies in its file; with --full, its first bytes

            It only reads, and may run beside a crawl, whose log grows meanwhile. With --mend, no run may go on: counts are
            computed anew, and the search index is built anew.

            Examples:
              pippin check
              pippin check --full --storage /backups/monday
              pippin check --mend

            Exit status: 0 all is well or was mended, 1 something is wrong, 2 usage or configuration, 6 there is no storage,
            7 another run holds the storage (--mend).
            """)

    @OptionGroup var place: StoragePlace

    @Flag(help: "Read everything: every index, line, word and capture.")
    var full = false

    @Flag(help: "Mend what can be computed: counts and the search index.")
    var mend = false

    @Option(help: "Folder of the archive, in place of the configuration's output.warc.")
    var warc: String?

    func run() async throws {
        let folder = try place.folder()
        let archive = try warc ?? (place.storage == nil ? place.configuration()?.output.archivePath : nil)
        let check = try StorageCheck(folder: folder, isFull: full)
        if try check.isRunning {
            if mend { throw StorageError.held(folder: folder.path, by: "") }
            writeError("A run goes on: numbers may move, and its log grows while the storage is read.")
        }
        var findings: [StorageCheck.Finding] = []
        try check.run(archive: archive) { finding in
            findings.append(finding)
            try Self.write(finding)
        }
        var wrong = findings.filter(\.isWrong)
        if mend {
            let start = ContinuousClock.now
            let mended = try StorageCheck.mend(findings, in: folder, progress: IndexWork.progress(from: start))
            for finding in mended { try Self.write(finding) }
            if !mended.isEmpty {
                wrong = []
                try check.run(archive: archive) { if $0.isWrong { wrong.append($0) } }
                for finding in wrong { try Self.write(finding) }
            }
        }
        if !wrong.isEmpty { throw ExitCode(.findings) }
    }

    private static func write(_ finding: StorageCheck.Finding) throws {
        let line =
            switch finding.verdict {
            case .ok(let text): "ok      \(finding.name): \(text)"
            case .wrong(let text, let advice): "WRONG   \(finding.name): \(text). To do: \(advice)."
            case .mended(let text): "mended  \(finding.name): \(text)"
            }
        try StandardOutput.write(line.safeForTerminal + "\n")
    }
}

extension StorageCheck.Finding {
    fileprivate var isWrong: Bool { if case .wrong = verdict { true } else { false } }
}
