import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinStore

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks the parts of a job against each other, and fixes what can be computed.",
        discussion: """
            A line for each check: ok, or WRONG with what is wrong and what to do.

            database      SQLite's own check; with --full, of its indexes too
            counts        what is counted beside the rows: hosts, outcomes, storage
            references    rows that refer to missing ones (--full)
            feed          each record has a number, none is beyond the counter
            consumer …    the followed file has a line end where it should; with
                          --full, whole lines. output.opensearch is not asked
            search index  its own counts, and a document for each record; with
                          --full, each word
            archive       captures lie in their files; with --full, their first bytes

            Of a job in shards, it checks one storage after the other, and then their search index.

            It only reads, and may run beside a crawl, whose log grows meanwhile. With --fix, no run may go on: counts are \
            computed anew, and the search index is built anew.

            Examples:
              pippin check
              pippin check --full --storage /backups/monday
              pippin check --fix

            Exit status: 0 all is well or was fixed, 1 something is wrong, 2 usage or configuration, 6 there is no storage, \
            7 another run holds the storage (--fix).
            """)

    @OptionGroup var place: StoragePlace

    @Flag(help: "Read everything: every index, line, word and capture.")
    var full = false

    @Flag(help: "Fix what can be computed: counts and the search index.")
    var fix = false

    @Option(help: "Folder of the archive, in place of the configuration's output.warc.")
    var warc: String?

    func run() async throws {
        let job = try JobStorages(in: place.folder())
        let archive = try warc ?? (place.storage == nil ? place.configuration()?.output.archivePath : nil)
        if let absence = job.absence { writeError(absence) }
        var isWrong = false
        for (number, part) in job.parts.enumerated() {
            let check = try StorageCheck(part, isFull: full)
            let of = part.shard.map { "shard \($0.number), " } ?? ""
            if try check.isRunning {
                if fix { throw StorageError.held(folder: part.folder.path, by: "") }
                writeError(
                    "\(of)a run goes on: numbers may move, and its log grows while the storage is read.".sentenceStart)
            }
            // Shards have an archive in common.
            let findings = try search(in: part.folder, of) { tell in
                try check.run(archive: number == 0 ? archive : nil, tell)
            }
            isWrong = findings || isWrong
        }
        for (number, finding) in StorageCheck.unreadable(of: job) {
            try Self.write(finding, "shard \(number), ")
            isWrong = true
        }
        if job.shardCount != nil {
            let findings = try search(in: job.folder, "") { tell in
                try tell(StorageCheck.searchIndex(of: job, isFull: full))
            }
            isWrong = findings || isWrong
        }
        if isWrong { throw ExitCode(.findings) }
    }

    /// Checks, and fixes what is wrong if that is wanted.
    ///
    /// - Returns: whether something is wrong in the end.
    private func search(
        in folder: URL, _ of: String, _ check: ((StorageCheck.Finding) throws -> Void) throws -> Void
    ) throws -> Bool {
        var findings: [StorageCheck.Finding] = []
        try check { finding in
            findings.append(finding)
            try Self.write(finding, of)
        }
        var wrong = findings.filter(\.isWrong)
        if fix {
            let start = ContinuousClock.now
            let fixed = try StorageCheck.fix(findings, in: folder, progress: IndexWork.progress(from: start))
            for finding in fixed { try Self.write(finding, of) }
            if !fixed.isEmpty {
                wrong = []
                try check { if $0.isWrong { wrong.append($0) } }
                for finding in wrong { try Self.write(finding, of) }
            }
        }
        return !wrong.isEmpty
    }

    private static func write(_ finding: StorageCheck.Finding, _ of: String) throws {
        let name = (finding.name == "archive" ? "" : of) + finding.name
        let line =
            switch finding.verdict {
            case .ok(let text): "ok      \(name): \(text)"
            case .wrong(let text, let advice): "WRONG   \(name): \(text). To do: \(advice)."
            case .fixed(let text): "fixed   \(name): \(text)"
            }
        try StandardOutput.write(line.safeForTerminal + "\n")
    }
}

extension StorageCheck.Finding {
    fileprivate var isWrong: Bool { if case .wrong = verdict { true } else { false } }
}
