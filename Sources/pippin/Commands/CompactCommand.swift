import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinStore

struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Gives back the disk space that deleted rows have left in a job's storage.",
        discussion: """
            Database and search index are written anew, each in one transaction: whoever is ended in the middle leaves them as they \
            were. No run may go on; readers such as pippin serve may. It needs twice the size of the data as free disk, in \
            the storage folder. pippin check says how much of the database is free. Of a job in shards, one storage after the other is \
            written anew, and then their search index.

            Examples:
              pippin compact
              pippin compact --storage crawl-data

            Exit status: 0 done, 2 usage or configuration, 6 there is no storage, or the disk has too little room, \
            7 another run holds the storage.
            """)

    @OptionGroup var place: StoragePlace

    func run() async throws {
        let job = try JobStorages(in: place.folder())
        if let absence = job.absence { writeError(absence) }
        for part in job.parts {
            let compaction = try StorageCompaction(of: part.folder)
            for note in compaction.notes { writeError(note) }
            Self.tell(part.shard.map { "Database of shard \($0.number)" } ?? "Database", compaction.database)
            if let index = compaction.index { Self.tell("Search index", index) }
        }
        guard job.shardCount != nil else { return }
        let (index, note) = try StorageCompaction.index(in: job.folder)
        if let note { writeError(note) }
        if let index { Self.tell("Search index", index) }
    }

    private static func tell(_ what: String, _ bytes: (before: Int, after: Int)) {
        writeError("\(what): \(CrawlSummary.bytes(bytes.before)) before, \(CrawlSummary.bytes(bytes.after)) now.")
    }
}
