import ArgumentParser
import Foundation
import PippinCrawl

struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Crawls one shard of a job on several machines for one turn.",
        discussion: """
            A driver cuts the job into shards, starts a worker for each, and hands over what they find for each other. Docs/Cluster.md \
            has the whole protocol.

            Standard input, one JSON object a line: begin (which turn of which shard, how long, from which cursor on), requests \
            that other shards have found, addresses that may be asked, the popularity of pages, end. It stays open until the \
            worker is done; when it ends earlier, or a lease runs out, the worker ends at once and loses nothing.

            Standard output, at the end of the turn, four columns with tabs between them: kind, sequence, key, JSON. Kinds: record, popularity, \
            deletion, links, foreign, host, and last done with the next cursor. Without done, the turn is run again with the \
            same begin: what was visited is not visited twice, and all is told.

            Example:
              { echo '{"v":\(EpochOrder.version),"type":"begin","turn":1,"shard":0,"shards":1,' \\
                     '"by":"site-1","for":"1m"}'
                echo '{"type":"end"}'; sleep 90
              } | pippin worker --config job/config.yaml --storage job/shards/00

            Exit status: 0 done was written, 2 usage, configuration, protocol, another shards.json or cursor, 5 stopped or the \
            input ended, 6 disk, database or output trouble, 7 another process holds the storage, 70 internal error.
            """)

    @Option(name: .config, help: "The job's configuration file. A shards.json beside it must fit.")
    var config: String

    @Option(name: .storage, help: "Folder of the shard.")
    var storage: String?

    @Option(help: "File of all seeds of the job, in place of the configuration's.")
    var seeds: String?

    @Option(
        name: .customLong("wait-for-storage"),
        help: "How long to wait for a storage that another process holds, such as 60s; without it not at all.")
    var waitForStorage: String?

    @Flag(help: "Tell the links of pages too (cluster.links).")
    var links = false

    @Option(help: "File that a line is appended to for every visit, for this worker alone.")
    var log: String?

    @Option(help: "File of counters for Prometheus, for this worker alone.")
    var metrics: String?

    @Flag(help: "Write the durations that a driver needs, in seconds as JSON, and end. Nothing else is done.")
    var times = false

    @Option(name: .customLong("for"), help: "With --times: how long a turn is, such as 10m (cluster.turn).")
    var epoch: String?

    func validate() throws {
        guard times || storage != nil else { throw ValidationError("Missing expected argument '--storage <storage>'") }
        guard times || epoch == nil else { throw ValidationError("--for needs --times; a turn's is in its begin") }
    }

    private func duration(_ text: String?, of option: String) throws -> Duration? {
        try text.map { text in
            guard let duration = Duration(written: text) else {
                throw ConfigurationError(file: option, problem: "\"\(text)\" is not a duration like 60s")
            }
            return duration
        }
    }

    func run() async throws {
        var configuration = try CrawlConfiguration(contentsOf: config)
        if times {
            let epoch = try duration(epoch, of: "--for")
            return try StandardOutput.write(configuration.timesForDrivers(epoch: epoch).text() + "\n")
        }
        let patience = try duration(waitForStorage, of: "--wait-for-storage") ?? .zero
        configuration.lay(seeds, over: \.seedsPath)
        configuration.lay(links ? true : nil, over: \.cluster.tellsLinks)
        configuration.output = configuration.output.ofWorker
        configuration.lay(log, over: \.output.logPath)
        configuration.lay(metrics, over: \.output.metricsPath)
        let settled = configuration
        try await Console(configuration.messages).reporting {
            try await WorkerJob(
                configuration: settled, seeds: try Seeds.read(contentsOf: settled.seedsPath),
                storageFolder: storage ?? "",
                patience: patience,
                shardsFile: URL(filePath: config).deletingLastPathComponent().appending(path: ShardsFile.name).path
            ).run()
        }
    }
}
