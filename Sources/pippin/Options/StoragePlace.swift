import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinStore

/// The storage that a command reads: the one in its flag, or the one in the configuration.
struct StoragePlace: ParsableArguments {
    @Option(
        name: .storage,
        help:
            "Folder of the job, in place of the configuration's; of a job in shards, the one with shards/00, or shards itself."
    )
    var storage: String?

    @Option(name: .config, help: "Configuration file that names the storage (crawl-config.yaml).")
    var config: String?

    func configuration() throws -> CrawlConfiguration? { try CrawlConfiguration.ofJob(config) }

    /// How hosts are asked, for report cards and pictures: as the job asks, with its contact or that of the environment.
    func requestConfiguration() throws -> CrawlConfiguration {
        var configuration = try configuration() ?? CrawlConfiguration()
        try configuration.takeContact(nil)
        return configuration
    }

    /// The file of that configuration; nil if there is none.
    func configurationFile() throws -> String? {
        try configuration().map { _ in config ?? CrawlConfiguration.usualFile }
    }

    /// How messages name settings: by key if there is a configuration file, and otherwise by key and flag.
    func spelling() throws -> Setting.Spelling { try configuration() == nil ? .both : .key }

    func folder() throws -> URL {
        if let storage { return URL(filePath: storage) }
        if let configuration = try configuration() { return URL(filePath: configuration.storagePath) }
        // Without a configuration file, the storage has the default path.
        let usual = CrawlConfiguration().storagePath
        guard FileManager.default.fileExists(atPath: usual) else {
            throw CrawlConfiguration.missing(
                ", and neither is a storage named \(usual); give --storage or --config")
        }
        return URL(filePath: usual)
    }
}

extension StoragePlace {
    /// The folder of a job whose search index is meant. Shards have one in common.
    ///
    /// - Throws: `ReportedFailure` if the folder is that of one shard.
    func searchedFolder() throws -> URL {
        let folder = try folder()
        guard let job = try JobStorages.folder(ofShardIn: folder) else { return folder }
        throw ReportedFailure(
            "\(folder.path): it is one shard of a job, whose shards have one search index in common: --storage \(job.path)",
            .usage)
    }
}

extension JobStorages {
    /// The folder of a job, if it has one storage.
    ///
    /// - Parameter advice: what to do with a job in shards.
    /// - Throws: `ReportedFailure` with the advice.
    static func whole(_ folder: URL, else advice: (JobStorages) -> String) throws -> URL {
        let job = try JobStorages(in: folder)
        guard let count = job.shardCount else { return folder }
        throw ReportedFailure(
            "\(folder.path): it is a job in \(Wording.count(count, "shard")). \(advice(job))", .usage)
    }
}

extension CrawlConfiguration {
    fileprivate static let usualFile = "crawl-config.yaml"

    /// The configuration of a command's job; nil if there is none. A file that was named must exist; the usual one need not.
    static func ofJob(_ named: String?) throws -> CrawlConfiguration? {
        if let named { return try CrawlConfiguration(contentsOf: named) }
        guard FileManager.default.fileExists(atPath: usualFile) else { return nil }
        return try CrawlConfiguration(contentsOf: usualFile)
    }

    static func missing(_ advice: String) -> ConfigurationError {
        ConfigurationError(
            file: usualFile, problem: "is not in \(FileManager.default.currentDirectoryPath)\(advice)")
    }
}
