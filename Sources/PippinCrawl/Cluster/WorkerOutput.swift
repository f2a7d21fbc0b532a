import PippinPage

extension CrawlConfiguration.Output {
    /// What a worker writes of a job's outputs: its archive. The driver gets the results; other files would be written by all workers of
    /// a machine at a time.
    public var ofWorker: Self {
        var own = Self()
        own.archivePath = archivePath
        own.archiveRotation = archiveRotation
        return own
    }

    /// A sentence for each key that is set and that no worker uses, with what a job on a cluster has instead.
    var leftOutByWorkers: [String] {
        let records = "`pippin_spark records` writes the records of all shards"
        let keys: [(key: String, isSet: Bool, instead: String)] = [
            ("ndjson", ndjsonPath != nil, records),
            ("report", reportPath != nil, "a cluster writes no report of the whole crawl"),
            ("log", logPath != nil, "`pippin_spark run --logs` names a folder for a log of each shard"),
            ("summary", summaryPath != nil, "`pippin_spark run --summary` names its file"),
            ("metrics", metricsPath != nil, "`pippin worker --metrics` names a file for each worker"),
            ("metrics_port", metricsPort != nil, "`pippin worker --metrics` names a file for each worker"),
            ("search_index", hasSearchIndex, "shards make no search index; \(records)"),
            ("opensearch", openSearch != nil, "nothing is sent there; \(records)"),
        ]
        return keys.filter(\.isSet).map { "output.\($0.key) is not used on a cluster: \($0.instead)" }
    }
}
