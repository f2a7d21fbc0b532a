import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinStore

struct ReshardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reshard",
        abstract: "Makes the storage of one new shard out of all old shards of a job.",
        discussion: """
            Run it once for each new shard, also several at a time. It reads the old storages and changes nothing in them; no worker may \
            hold one meanwhile. Nothing is fetched again: hosts with their clocks, robots.txt, URLs, records and links are moved. Then \
            shards.json gets the new number, and the workers of the next turn get no cursor and no requests: what was \
            found for other shards is moved too. Docs/Cluster.md says more.

            Example, from two shards to three:
              for k in 0 1 2; do
                pippin reshard --storage new/0$k --shard $k --shards 3 shards/0?
              done

            Standard output: a JSON object with the numbers of hosts, urls and records that were moved, and of URLs that were found.

            Exit status: 0 done, 2 usage, or the storages are not all the shards of a job, 6 disk or database trouble, \
            7 a worker holds an old storage.
            """)

    @Argument(help: "Folders of all old shards.")
    var old: [String]

    @Option(name: .storage, help: "Folder of the new shard, which must not have a storage yet.")
    var storage: String

    @Option(help: "The number of the new shard, from 0.")
    var shard: Int

    @Option(help: "How many new shards there are.")
    var shards: Int

    func validate() throws {
        if Shard(shard, of: shards) == nil { throw ValidationError("--shard must be from 0 to below --shards.") }
    }

    func run() async throws {
        guard let shard = Shard(shard, of: shards) else { return }
        let new = try JobStorages.whole(URL(filePath: storage)) { _ in
            "--storage names the folder of one new shard, such as new/00."
        }
        let counts = try Resharding.make(shard, in: new, of: old.map { URL(filePath: $0) })
        let answer = JSONObject.with {
            $0.put("hosts", counts.hosts)
            $0.put("urls", counts.urls)
            $0.put("records", counts.records)
            $0.put("found", counts.found)
        }
        try StandardOutput.write(json: answer.bytes() + [0x0A])
    }
}
