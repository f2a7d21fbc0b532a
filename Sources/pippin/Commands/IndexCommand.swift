import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinStore

struct IndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Builds the search index of a storage, or brings it up to date.",
        discussion: """
            The index is search.sqlite in the storage folder, a cache: pippin search and pippin serve bring it up to date by \
            themselves. A run that is ended goes on from there the next time. Crawls may write meanwhile. The shards of a job have one \
            index in common, beside their storages.

            Examples:
              pippin index update
              pippin index rebuild --storage crawl-data
            """,
        subcommands: [Update.self, Rebuild.self])

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "update",
            abstract: "Takes in what changed in the storage.",
            discussion: """
                Exit status: 0 done, 2 usage or configuration, 6 there is no storage or the disk refuses, \
                7 another process writes the index.
                """)

        @OptionGroup var place: StoragePlace

        func run() async throws { try IndexWork(folder: place.searchedFolder()).run(startsAnew: false) }
    }

    struct Rebuild: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rebuild",
            abstract: "Removes the index and builds it from all records.",
            discussion: """
                Searches find what is built so far.

                Exit status: 0 done, 2 usage or configuration, 6 there is no storage or the disk refuses, \
                7 another process writes the index.
                """)

        @OptionGroup var place: StoragePlace

        func run() async throws { try IndexWork(folder: place.searchedFolder()).run(startsAnew: true) }
    }
}

/// Brings an index up to date, with lines of progress on standard error.
struct IndexWork {
    let folder: URL

    func run(startsAnew: Bool) throws {
        let indexer = try SearchIndexer(folder: folder)
        if let absence = try JobStorages(in: folder).absence { writeError(absence) }
        if startsAnew {
            try indexer.startAnew()
        } else if let reason = indexer.reasonOfBuilding {
            writeError("The search index is built anew: \(reason).")
        }
        let start = ContinuousClock.now
        let count = try Self.catchUp(indexer, from: start)
        let documents = try SearchIndex(folder: folder).standing().documents
        writeError(
            "\(Wording.count(count, "change")) taken in; the index has \(Wording.count(documents, "record")).")
    }

    /// - Returns: the number of changes.
    @discardableResult
    static func catchUp(_ indexer: SearchIndexer, from start: ContinuousClock.Instant) throws -> Int {
        try indexer.catchUp(progress: progress(from: start))
    }

    /// Writes a line every two seconds.
    static func progress(from start: ContinuousClock.Instant) -> (SearchIndexer.Progress) -> Void {
        var lastLine = start
        return { progress in
            let now = ContinuousClock.now
            guard now - lastLine >= .seconds(2) else { return }
            lastLine = now
            let percent = progress.total > 0 ? progress.done * 100 / progress.total : 100
            StandardError.write("Indexing: \(percent) % of \(progress.total) changes\n", mayBeLost: true)
        }
    }
}
