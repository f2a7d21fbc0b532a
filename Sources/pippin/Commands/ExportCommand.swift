import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinStore

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract:
            "Writes a job's records, or what changed since a cursor; its link graph, deep links' history, or frontier.",
        discussion: """
            Each record that was written or deleted since the cursor comes once, as it is now, in the order of its change. \
            If only its popularity changed, only that comes. The new cursor comes last: store it together with what you took \
            in, give it as --since the next time, and you have every change exactly once. It may be run while the job runs.

            ndjson: a line is a record, a deletion, or {"uniqueIdentifier":"…","popularity":0.42}; the last line is {"cursor":"…"}.
            opensearch-bulk: the body of a bulk request; the cursor goes to standard error. Each action has the change's \
            number as its external version, so that a body that is sent twice does no harm. A change of the popularity alone \
            is an update, which takes no version: send bodies in their order. An index takes requests of 100 MB at most: with \
            --limit the body stays smaller, and an empty one says that all is told.
            csv: a table with a column for each field of Docs/Record.md, and deleted, reason and at for deletions. Lists and \
            objects are JSON in their cell. A row is always the whole record, also if only its popularity changed. A text \
            that a spreadsheet would take for a formula gets an apostrophe before it. The \
            cursor goes to standard error.

            With --cursor-file the cursor is read from the file, when there is one, and written to it after everything else. \
            The numbers are those of one storage: a new storage is exported from the beginning, into a new index. A job in shards has no \
            numbers in common, and its driver decides what counts: `pippin_spark records` and `changes` write it.

            With --history the changes of deep links are written in place of records, one a line, in the order of time: which \
            one came, went, opens with another address, or has another verification status, and what held before. Without a \
            cursor, as each export has all that is kept: the last 50 changes of a record.

            With --links, the links among the job's pages are written instead: ndjson, or csv with a header. A line has \
            from, to, nofollow, and weight: how much the link counts among those of its page. Redirects and canonical links \
            are resolved, links to pages outside of the job are left out.

            With --frontier, all URLs that the job knows are written, for another crawler: when each was visited, how that ended, \
            when it is due again, and what led to it (Docs/Operations.md). It writes those of jobs in shards, too.

            Examples:
              pippin export > everything.ndjson
              pippin export --format csv > records.csv
              pippin export --links --format csv > links.csv
              pippin export --since 9f3c61d2a8b04e57-1042
              pippin export --frontier | jq -r 'select(.state == "gone").url'
              pippin export --history | jq -c 'select(.previous.status == "verified")'
              pippin export --format opensearch-bulk --index pages \\
                  --cursor-file pages.cursor --limit 5000 > body.ndjson

            Exit status: 0 done, 2 usage or a cursor of another storage, 6 disk or database trouble, \
            7 another export has the cursor file.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case ndjson
        case openSearchBulk = "opensearch-bulk"
        case csv
        /// Refused with advice.
        case parquet

        static let allValueStrings = allCases.filter { $0 != .parquet }.map(\.rawValue)
    }

    @Option(help: "Cursor that the last export ended with; without it everything is written.")
    var since: String?

    @Option(
        name: [.customLong("format"), .customShort("f"), .customLong("records-format")],
        help: "ndjson, csv or opensearch-bulk; with --links, ndjson or csv.")
    var format = Format.ndjson

    @Flag(help: "The links among the job's pages, in place of its records.")
    var links = false

    @Option(help: "Index that the actions of opensearch-bulk name; without it the request's address does.")
    var index: String?

    @Option(name: .limit, help: "Changes at most; the cursor is that of the last one then.")
    var limit: Int?

    @Option(name: .customLong("cursor-file"), help: "File to read the cursor from and to write the new one to.")
    var cursorFile: String?

    @Flag(help: "What became of deep links, in place of records.")
    var history = false

    @Flag(help: "All URLs that the job knows, in place of records.")
    var frontier = false

    @OptionGroup var place: StoragePlace

    func validate() throws {
        if frontier, since != nil || cursorFile != nil || limit != nil || index != nil || format != .ndjson {
            throw ValidationError(
                "--frontier writes all as ndjson: it goes without --since, --cursor-file, --limit, --format and --index."
            )
        }
        if frontier, history || links {
            throw ValidationError("--frontier, --history and --links are three exports: choose one.")
        }
        if format == .parquet {
            throw ValidationError(
                "Pippin writes no Parquet: there is no well-kept Swift library for it. Export ndjson, and convert that: "
                    + "duckdb -c \"COPY (FROM 'records.ndjson') TO 'records.parquet'\".")
        }
        if history, since != nil || cursorFile != nil || limit != nil || index != nil || format != .ndjson {
            throw ValidationError(
                "--history writes all as ndjson: it goes without --since, --cursor-file, --limit, --format and --index."
            )
        }
        if let limit, limit < 1 { throw ValidationError("--limit must be 1 or more.") }
        if index != nil, format != .openSearchBulk {
            throw ValidationError("--index is for --format opensearch-bulk.")
        }
        if history, links { throw ValidationError("--history and --links are two exports: choose one.") }
        if links {
            if format == .openSearchBulk { throw ValidationError("--links are written as ndjson or csv.") }
            if since != nil || cursorFile != nil || limit != nil {
                throw ValidationError("--links has no cursor and no limit: the whole graph is written.")
            }
        }
    }

    func run() async throws {
        if history { return try writeHistory() }
        if links { return try writeLinks() }
        if frontier { return try writeFrontier() }
        // A wrong cursor is wrong usage. It is reported before anything is locked or created.
        _ = try startingPoint()
        // Two exports with one cursor file would each skip the changes that the other has written.
        let lock = try OutputLock(cursorFile.map { [.file($0, "the cursor")] } ?? [], owner: "pippin export")
        defer { withExtendedLifetime(lock) {} }
        let start = try startingPoint()
        let feed = try ChangeFeed(folder: folder())
        signal(SIGPIPE, SIG_IGN)
        var output = BufferedOutput(descriptor: STDOUT_FILENO, name: "standard output")
        if format == .csv { try output.append(RecordCSV.header) }
        let end = try feed.read(since: start, limit: limit ?? .max, areWhole: format == .csv) {
            try write($0, to: &output)
        }
        if format == .ndjson { try output.append(Array("{\"cursor\":\"\(end)\"}\n".utf8)) }
        try output.flush()
        if format != .ndjson { writeError("cursor: \(end)") }
        if let cursorFile {
            // The stored cursor must not be ahead of the exported changes, even after a loss of power.
            try output.sync()
            try WholeFile.write(Array("\(end)\n".utf8), to: cursorFile, what: "the cursor", isSynced: true)
        }
    }

    /// What shards tell counts when their driver has committed it, so what consumers get must come from there.
    private func folder() throws -> URL {
        try JobStorages.whole(place.folder()) {
            "What it tells is with its driver: `pippin_spark records JOB` writes its records, `pippin_spark changes JOB` what changed. To "
                + "look into the storage of one shard, export --storage \($0.parts[0].folder.path)."
        }
    }

    private func writeHistory() throws {
        let history = try DeepLinkHistory(folder: folder())
        signal(SIGPIPE, SIG_IGN)
        var output = BufferedOutput(descriptor: STDOUT_FILENO, name: "standard output")
        try history.read { change in
            var writer = JSONWriter(reservingBytes: 500)
            change.write(to: &writer)
            writer.endLine()
            try output.append(writer.bytes)
        }
        try output.flush()
    }

    private func writeLinks() throws {
        let graph = try StoredLinks(folder: folder())
        signal(SIGPIPE, SIG_IGN)
        var output = BufferedOutput(descriptor: STDOUT_FILENO, name: "standard output")
        let lines = LinkLines(isCSV: format == .csv)
        if lines.isCSV { try output.append(LinkLines.csvHeader) }
        try graph.read { try output.append(lines.line(of: $0)) }
        try output.flush()
    }

    private func writeFrontier() throws {
        let job = try JobStorages(in: place.folder())
        signal(SIGPIPE, SIG_IGN)
        var output = BufferedOutput(descriptor: STDOUT_FILENO, name: "standard output")
        for part in job.parts { try StorageReader(part).readKnownURLs { try output.append($0.line()) } }
        try output.flush()
        if let absence = job.absence { throw ReportedFailure(absence, .outputFailed) }
    }

    private func startingPoint() throws -> ChangeFeed.Cursor? {
        var text = since
        if text == nil, let cursorFile, FileManager.default.fileExists(atPath: cursorFile) {
            text = String(decoding: try InputFile.bytes(at: cursorFile), as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let text else { return nil }
        guard let cursor = ChangeFeed.Cursor(text) else {
            throw ConfigurationError(
                file: since == nil ? cursorFile ?? "" : "command line",
                problem: "\"\(text)\" is not a cursor; it is what an export ended with, like 9f3c61d2a8b04e57-1042")
        }
        return cursor
    }

    private func write(_ change: ChangeFeed.Change, to output: inout BufferedOutput) throws {
        if format == .csv { return try output.append(RecordCSV.row(of: change.document)) }
        if format == .openSearchBulk {
            if case .popularity(let value) = change.kind {
                let change = PopularityChange(uniqueIdentifier: change.identifier, popularity: value)
                return try output.append(OpenSearchBulk.update(change, index: index))
            }
            try output.append(
                OpenSearchBulk.action(
                    recordIdentifier: change.identifier, isDeletion: change.isDeletion, number: change.sequence,
                    index: index))
            if change.isDeletion { return }
        }
        try output.append(change.document)
        try output.append([0x0A])
    }
}

/// Collects output for a descriptor, to write less often.
private struct BufferedOutput {
    let descriptor: Int32
    let name: String
    private var buffer: [UInt8] = []

    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    mutating func append(_ bytes: [UInt8]) throws {
        buffer.append(contentsOf: bytes)
        if buffer.count >= 256 * 1024 { try flush() }
    }

    mutating func flush() throws {
        try NDJSONSink.write(buffer, to: descriptor, path: name)
        buffer.removeAll(keepingCapacity: true)
    }
    /// Syncs the output to the disk if it is a file.
    func sync() throws {
        // Pipes, terminals and file systems without a disk cannot be synced.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS else {
            throw NDJSONSink.WriteError(path: name, errorNumber: errno)
        }
    }
}
