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
            Database and search index are written anew, each in one transaction: whoever is ended in the middle leaves them as they
            were. No run may go on; readers such as pippin serve may. It needs twice the size of the data as free disk, in
            the storage folder. pippin check says how much of the database is free.

            Examples:
              pippin compact
              pippin compact --storage crawl-data

            Exit status: 0 done, 2 usage or configuration, 6 there is no storage, or the disk has too little room,
            7 another run holds the storage.
            """)

    @OptionGroup var place: StoragePlace

    func run() async throws {
        let folder = try place.folder()
        // SQLite's copy without a name goes where there is room for it; /tmp is often in memory.
        setenv("SQLITE_TMPDIR", folder.path, 1)
        let compaction = try StorageCompaction(of: folder)
        for note in compaction.notes { writeError(note) }
        Self.tell("Database", compaction.database)
        if let index = compaction.index { Self.tell("Search index", index) }
    }

    private static func tell(_ what: String, _ bytes: (before: Int, after: Int)) {
        writeError("\(what): \(CrawlSummary.bytes(bytes.before)) before, \(CrawlSummary.bytes(bytes.after)) now.")
    }
}
