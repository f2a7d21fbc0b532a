import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinServe
import PippinStore
import Synchronization

struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Takes URLs out of a storage, with their records, texts, links and cards.",
        discussion: """
            A takedown: what is named goes from the storage and its search index. Of each record, the feed gets one deletion, so that \
            the NDJSON file and an index get it with the next crawl, and exports with their next cursor. It works in short steps: \
            if it is interrupted, what was forgotten stays so, and the same command goes on.

            https://example.org/a    that URL, over https and http
            https://example.org/a/*  every URL that begins like it; quote it
            '*/a/*'                  every URL that matches: * any text, ? one character
            example.org              that host at all ports, without its subdomains
            '*.example.org'          all hosts below it, without itself

            It does not keep the next crawl away: links, sitemaps or seeds may lead there again. For that, put the URLs into \
            scope.exclude of the configuration, and take them out of the seeds. What was written before still has them: \
            WARC archives, earlier lines of NDJSON files, crawl logs, reports, backups.

            Examples:
              pippin forget --dry-run https://example.org/private/letter.html
              pippin forget 'https://example.org/private/*'
              pippin forget example.org '*.example.org' --storage crawl-data

            Of a job in shards, the shard that owns a host forgets it, while no worker crawls. The next turn tells the deletions of records; \
            what turns before it told stays with the driver. A machine's copy of a shard that moves between machines is refused.

            Standard output: a JSON object with the numbers of urls and of records that were forgotten, or would be.

            Exit status: 0 done, 1 nothing was known of what is named, 2 usage or configuration, 5 interrupted, \
            6 disk or database trouble, or a shard is not here that may have what is named, 7 a run holds the storage. Of several shards, \
            one that ends it leaves forgotten what others have forgotten, and the numbers are told.
            """)

    @Argument(help: "What to forget: URLs, patterns with *, or hosts.")
    var places: [String]

    @Flag(name: .customLong("dry-run"), help: "Only count what would be forgotten.")
    var isDryRun = false

    @OptionGroup var place: StoragePlace

    func run() async throws {
        var named: [AddressPattern] = []
        for text in places { named.append(try AddressPattern(text)) }
        let job = try JobStorages(in: place.folder())
        let work = try Self.work(named, in: job)
        // Of several hosts, some may belong to shards that are not here.
        let lack = job.absence.flatMap { absence in
            named.contains { $0.host == nil }
                ? ReportedFailure(
                    "\(absence) It may have what is named: run the same command where all storages are.", .outputFailed)
                : nil
        }
        if isDryRun {
            var forgotten = Forgotten()
            for (part, places) in work {
                let reader = try StorageReader(part)
                for place in places { forgotten.add(try reader.forgotten(by: place)) }
            }
            return try tell(forgotten, lack)
        }
        for (part, _) in work {
            if part.isMovingCopy { throw Self.mayComeBack(part) }
            // Says what is missing; opening would make a storage.
            _ = try StorageReader(part)
        }
        let interrupt = Interrupt()
        let isImpatient = Mutex(false)
        let interrupts = InterruptSignals(first: { interrupt.come() }, later: { isImpatient.withLock { $0 = true } })
        defer { interrupts.end() }
        let (forgotten, failure) = try await interrupt.cancels {
            var forgotten = Forgotten()
            var failure = lack as (any Error)?
            do {
                for (part, places) in work {
                    if Task.isCancelled { break }
                    try await Self.forget(places, in: part.folder, &forgotten)
                }
            } catch {
                failure = error
            }
            // What was forgotten goes from the index and from the pictures too, whatever ended the rest.
            if forgotten != Forgotten() || failure == nil {
                for error in Self.follow(in: job, isStopped: { isImpatient.withLock { $0 } }) {
                    // The first one decides about the exit status.
                    if failure == nil, !Task.isCancelled { failure = error } else { writeError("\(error)") }
                }
            }
            return (forgotten, Task.isCancelled ? ExitCode(.interrupted) : failure)
        }
        try tell(forgotten, failure)
    }

    private static func mayComeBack(_ part: JobStorages.Part) -> ReportedFailure {
        ReportedFailure(
            """
            \(part.folder.path): it is this machine's copy of a shard that moves between machines. What is forgotten in it may come back, \
            because its driver makes storages from the job's snapshots. Put it into scope.exclude of the job's configuration; `forget` is for \
            a job whose own folder has the storages
            """, .usage)
    }

    /// What each storage is to forget. The shards together decide nothing: a host has one owner.
    private static func work(
        _ named: [AddressPattern], in job: JobStorages
    ) throws -> [(part: JobStorages.Part, places: [AddressPattern])] {
        var places: [JobStorages.Part: [AddressPattern]] = [:]
        for place in named {
            for part in try place.host.map({ [try job.part(of: $0)] }) ?? job.parts {
                places[part, default: []].append(place)
            }
        }
        return job.parts.compactMap { part in places[part].map { (part, $0) } }
    }

    /// - Parameter forgotten: gets what was forgotten, also if something ends it.
    private static func forget(_ places: [AddressPattern], in folder: URL, _ forgotten: inout Forgotten) async throws {
        let storage = try CrawlStorage(folder: folder, upgrading: writeError)
        let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl())
        for place in places where !Task.isCancelled { forgotten.add(try await frontier.forget(place)) }
        try await frontier.close(keeping: [])
        // The log has what was deleted.
        try storage.emptyLog()
        // They do not say whose pages asked for them, and the next run can fetch them again.
        try remove(folder.appending(path: SubresourceStore.folderName))
    }

    /// Removes what was kept of pages, if it is there.
    ///
    /// - Throws: `ReportedFailure` that names the folder.
    private static func remove(_ folder: URL) throws(ReportedFailure) {
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            let cause = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error) ?? error
            throw ReportedFailure(
                """
                \(folder.path): it cannot be removed, and may have files of what is forgotten \
                (\(cause.localizedDescription)); remove it, or run the same command again
                """, .outputFailed)
        }
    }

    /// Takes what was forgotten out of what a job has beside its storages. What cannot be done in one place is done in the others.
    ///
    /// - Returns: what went wrong.
    private static func follow(in named: JobStorages, isStopped: () -> Bool) -> [any Error] {
        var errors: [any Error] = []
        func attempt(_ step: () throws -> Void) {
            do { try step() } catch { errors.append(error) }
        }
        attempt {
            // A shard has neither index nor pictures by itself.
            let job = try JobStorages.folder(ofShardIn: named.folder).map { try JobStorages(in: $0) } ?? named
            attempt { try followInIndex(of: job, isStopped: isStopped) }
            // Pictures do not say whose they are, and the server can make them again.
            for folder in ThumbnailStore.folders(of: job) { attempt { try remove(folder) } }
        }
        return errors
    }

    private static func followInIndex(of job: JobStorages, isStopped: () -> Bool) throws {
        guard SearchIndexer.hasIndex(in: job.folder) else { return }
        do {
            let indexer = try SearchIndexer(folder: job.folder)
            try indexer.catchUp(isStopped: isStopped)
            try indexer.merge(isStopped)
        } catch is OutputLock.Held {
            writeError(
                "Another process, such as pippin serve, keeps the search index up to date, and takes the deletions in.")
        }
    }

    /// - Throws: `failure`, after the numbers are told.
    private func tell(_ forgotten: Forgotten, _ failure: (any Error)?) throws {
        let answer = JSONObject.with {
            $0.put("urls", forgotten.urls)
            $0.put("records", forgotten.records)
        }
        try StandardOutput.write(json: answer.bytes() + [0x0A])
        if forgotten != Forgotten() {
            writeError(
                """
                \(Wording.count(forgotten.urls, "URL")) and \(Wording.count(forgotten.records, "record")) \
                \(isDryRun ? "would be" : "are") forgotten. A crawl may find them again unless scope.exclude has them. Archives, logs and \
                lines that were written before still have them.
                """)
        }
        if let failure { throw failure }
        if forgotten == Forgotten() {
            writeError("Nothing is known of what is named.")
            throw ExitCode(.findings)
        }
    }
}

extension Forgotten {
    fileprivate mutating func add(_ other: Forgotten) {
        urls += other.urls
        records += other.records
    }
}
