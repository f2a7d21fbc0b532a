import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinStore

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Says where a crawl job stands.",
        discussion: """
            What is queued and due, by host; which hosts wait, and why; how the last runs went; and what set their \
            pace, politeness or capacity. It only reads the storage, and may be asked while a run goes on. Of a job in shards, it \
            sums what the shards have that are here, and has a line for each.

            Examples:
              pippin status
              pippin status --config jobs/news.yaml
              pippin status --storage crawl-data --json | jq .queue
              pippin status --storage JOB         # a job in shards, in JOB/shards

            Exit status: 0 done, 2 usage or configuration, 6 there is no storage, or it cannot be read.
            """)

    @OptionGroup var place: StoragePlace

    @Flag(name: .json, help: "One JSON object instead of lines.")
    var json = false

    @Option(name: .limit, help: "Hosts and runs to show at most.")
    var limit = 10

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
    }

    func run() async throws {
        let status = try StorageStatus(JobStorages(in: place.folder()), shown: limit)
        let spelling = try place.spelling()
        if json {
            try StandardOutput.write(tellingJSON: status.json(spelling))
        } else {
            try StandardOutput.write(status.text(spelling))
        }
    }
}
