import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinStore

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies a job's storage as it is at one moment, also while a run goes on.",
        discussion: """
            The new folder is a storage folder: database, with the positions of its consumers, and search index; beside them \
            the configuration and the seeds, if they are known. Archives, the file of records, logs, reports and \
            credentials are not copied; the first run in a restored storage writes the file of records anew.

            To restore a backup, copy it to where the storage was, and run the job:
              mv crawl-data broken && cp -a /backups/monday crawl-data && pippin crawl

            Consumers that are not ahead of the backup go on with their cursors. A cursor that is ahead is refused, as the \
            storage no longer knows what its consumer has: export without a cursor, in place of what the consumer had.

            The database's log grows by what a run writes while it is copied. Of a job in shards, each storage is copied by itself.

            Examples:
              pippin backup /backups/monday
              pippin backup --storage crawl-data /backups/$(date +%F)

            Exit status: 0 done, 2 usage or configuration, or the folder is there, 6 there is no storage, or disk trouble.
            """)

    @Argument(help: "Folder to make; it must not be there.")
    var folder: String

    @OptionGroup var place: StoragePlace

    func run() async throws {
        let source = try JobStorages.whole(place.folder()) {
            "Its storages and its driver's folder belong to one moment: while no driver runs, copy the driver's folder, and back up each "
                + "storage with --storage \($0.parts[0].folder.path) and so on."
        }
        let start = ContinuousClock.now
        let backup = try StorageBackup(of: source, to: URL(filePath: folder), with: files())
        for note in backup.notes { writeError(note) }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        writeError(
            "\(folder): \(CrawlSummary.bytes(backup.bytes)) in \(StatusText.span(seconds)), up to cursor \(backup.cursor). "
                + "Archives and the file of records are not in it.")
    }

    /// The job's configuration and seeds.
    private func files() throws -> [URL] {
        guard place.storage == nil, let configuration = try place.configuration(),
            let file = try place.configurationFile()
        else { return [] }
        return [file, configuration.seedsPath].map { URL(filePath: $0) }.filter {
            FileManager.default.fileExists(atPath: $0.path)
        }
    }
}
